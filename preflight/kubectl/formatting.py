"""How kubectl and preflight write things: quotes as Go writes them, lists of names."""

from __future__ import annotations

import json
from collections.abc import Iterable

BOOLEANS = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}
"""What Go takes for true and for false (`strconv.ParseBool`)."""


def quoted(text: str) -> str:
    """A text in double quotes, as Go's %q."""
    return json.dumps(text, ensure_ascii=False)


def listed(names: Iterable[str], shown: int = 4) -> str:
    """Names with commas; of more than `shown` names the first ones, and how many more there are."""
    every = list(names)
    return ", ".join(every) if len(every) <= shown else f"{', '.join(every[: shown - 1])} and {len(every) - shown + 1} more"


def counted(count: int, one: str, many: str = "") -> str:
    """A count and its noun: `1 node`, `2 nodes`."""
    return f"{count} {one if count == 1 else many or one + 's'}"
