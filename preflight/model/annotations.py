"""The annotations of preflight's own."""

from __future__ import annotations

EXEMPTION_ANNOTATION = "preflight/exempt"
"""Holds the exemptions of an object: `PF201: it has to run everywhere`."""
