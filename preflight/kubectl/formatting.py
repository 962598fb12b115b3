"""How Go writes and reads values: quoted texts, booleans."""

from __future__ import annotations

import json

GO_BOOLEANS = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}
"""What Go takes for true and for false (`strconv.ParseBool`)."""


def quote_go(text: str) -> str:
    """A text in double quotes, as Go's %q."""
    return json.dumps(text, ensure_ascii=False)
