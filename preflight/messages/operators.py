"""The words about DaemonSets that custom resources declare."""

from __future__ import annotations


def describe_unreadable_field(field: str, problem: str) -> str:
    """Why a field of a custom resource does not count."""
    return f"{field} is not understood, so the operator's default applies: {problem}"
