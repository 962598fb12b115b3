"""How kubectl and preflight write things: quotes as Go writes them, lists of names."""

from __future__ import annotations

import json
from collections.abc import Iterable

GO_BOOLEANS = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}
"""What Go takes for true and for false (`strconv.ParseBool`)."""


def quote_go(text: str) -> str:
    """A text in double quotes, as Go's %q."""
    return json.dumps(text, ensure_ascii=False)


def join_names(names: Iterable[str], limit: int = 4) -> str:
    """Names with commas; of more than `limit` names the first ones, and how many more there are."""
    every = list(names)
    return ", ".join(every) if len(every) <= limit else f"{', '.join(every[: limit - 1])} and {len(every) - limit + 1} more"


def format_count(count: int, singular: str, plural: str = "") -> str:
    """A count and its noun: `1 node`, `2 nodes`."""
    return f"{count} {singular if count == 1 else plural or singular + 's'}"
