"""What is to say of a run itself: repeated keys and crashes."""

from __future__ import annotations


def describe_repeated_key(key: str, first_line: int, last_line: int) -> str:
    """A key that stands more than once in one map."""
    lines = f"line {last_line}" if first_line == last_line else f"lines {first_line} and {last_line}"
    return f"has {key!r} twice in one map, in {lines}: the last one counts"


def label_repeated_key(first_line: int, last_line: int) -> str:
    """What to write under the last of them."""
    return "" if first_line == last_line else f"line {first_line} says something else"


def describe_crash(error: Exception) -> str:
    """A rule that crashed."""
    return f"crashed: {type(error).__name__}: {error}"
