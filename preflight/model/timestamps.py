"""Times as the API writes them: they are compared with the latest time that a cluster states, never with a clock."""

from __future__ import annotations

from datetime import UTC, datetime


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
