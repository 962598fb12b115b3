"""Lists in sentences: all names, or the first ones and how many more there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def join_names(names: Iterable[str], limit: int = 4, noun: str = "") -> str:
    """Names with commas: all up to the limit, else the first ones and how many more: `a, b, c and 4 more`, with a noun `4 more nodes`."""
    every = list(names)
    if len(every) <= limit:
        return ", ".join(every)
    return f"{', '.join(every[: limit - 1])} and {len(every) - limit + 1} more{f' {noun}' if noun else ''}"


def join_node_names(nodes: Iterable[str], limit: int = 4) -> str:
    """Node names as a person lists them: `a, b, c and 4 more nodes`."""
    return join_names(nodes, limit, "nodes")


def join_and(values: Iterable[object]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    every = [str(item) for item in values]
    return every[0] if len(every) == 1 else f"{', '.join(every[:-1])} and {every[-1]}" if every else ""


def join_limited(values: Iterable[str], noun: str = "", limit: int = 4) -> str:
    """`a, b and c`: all up to the limit, else the first ones and how many more there are: `a, b, c and 4 more pods`."""
    every = list(values)
    if len(every) <= limit:
        return join_and(every)
    return f"{', '.join(list_first(every, limit))} and {len(every) - limit + 1} more{f' {noun}' if noun else ''}"


def list_first(values: Sequence[str], limit: int = 4) -> Sequence[str]:
    """The values that `join_limited` names."""
    return values if len(values) <= limit else values[: limit - 1]


def format_names(items: Sequence[str], max_names: int = 3) -> str:
    """The first `max_names` names in their order, and how many more there are: `a, b, c + 4997 more`.

    One more than `max_names` is printed as it is: `+ 1 more` would be no shorter.
    """
    if len(items) <= max_names + 1:
        return ", ".join(items)
    return f"{', '.join(items[:max_names])} + {len(items) - max_names} more"


def format_other_nodes(others: Sequence[str]) -> str:
    """` (also n2, n3)`: other nodes with the same problem as the one that a sentence is about; "" without others."""
    return f" (also {join_node_names(others)})" if others else ""
