"""Counts in sentences: `1 node`, `2 nodes`."""

from __future__ import annotations


def format_count(number: int, noun: str, plural: str = "") -> str:
    """`1 error`, `2 errors`; `plural` for a noun whose plural does not end in s."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or f'{noun}s'}"
