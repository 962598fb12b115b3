"""Times as the API writes them, compared with the latest time that a cluster states: nobody reads a clock here."""

from __future__ import annotations

from datetime import UTC, datetime

SETTLING_SECONDS = 300.0
"""For how many seconds nothing is said of what has just begun: a pod that starts, a node that joins."""

_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def parse_time(text: str) -> float | None:
    """Seconds since 1970 of a time such as `2026-01-31T12:00:00Z`; None for none, and one without a zone is of UTC."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


def count_seconds(since: str, at: str) -> float | None:
    """How many seconds lie between two times; None where one is not known."""
    begin, end = parse_time(since), parse_time(at)
    return None if begin is None or end is None else end - begin


def format_duration(length: float) -> str:
    """`3 days`, `1 hour`, `12 minutes`: the largest unit that fits."""
    for size, unit in _UNITS:
        if length >= size:
            number = int(length // size)
            return f"{number} {unit}{'s' if number != 1 else ''}"
    return "0 seconds"


def format_since(start: str, at: str) -> str:
    """`since 2026-01-31T12:00:00Z (3 days)`, as far as it is known; "" where the beginning is not."""
    if not start:
        return ""
    length = count_seconds(start, at)
    return f"since {start}" + (f" ({format_duration(length)})" if length is not None and length >= 1 else "")
