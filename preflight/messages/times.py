"""Times and durations in sentences."""

from __future__ import annotations

from preflight.model.timestamps import count_seconds

_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def format_duration(length: float) -> str:
    """`3 days`, `1 hour`, `12 minutes`: the largest unit that fits."""
    for size, unit in _UNITS:
        if length >= size:
            number = int(length // size)
            return f"{number} {unit}{'s' if number != 1 else ''}"
    return "0 seconds"


def format_seconds(seconds: float) -> str:
    """`8 s`, `2 min 5 s`, `1 h 3 min`."""
    whole = int(seconds + 0.5)
    if whole < 100:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 100:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def format_since(start: str, at: str) -> str:
    """`since 2026-01-31T12:00:00Z (3 days)`, as far as it is known; "" where the beginning is not."""
    if not start:
        return ""
    length = count_seconds(start, at)
    return f"since {start}" + (f" ({format_duration(length)})" if length is not None and length >= 1 else "")
