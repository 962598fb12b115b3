"""Values as Go's encoding/json writes them, to compare with the recorded answers of kubectl's reader."""

from __future__ import annotations

import json
import math
from decimal import Decimal


def go_json(value: object) -> str:
    """The value as compact JSON: map keys sorted, numbers and escapes as Go writes them."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return _number(value)
        case str():
            return _string(value)
        case list():
            return "[" + ",".join(go_json(item) for item in value) + "]"
        case dict():
            return "{" + ",".join(f"{_string(key)}:{go_json(value[key])}" for key in sorted(value)) + "}"
    raise TypeError(type(value))


def _string(text: str) -> str:
    quoted = json.dumps(text, ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        quoted = quoted.replace(character, f"\\u{ord(character):04x}")
    return quoted


def _number(value: float) -> str:
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    if 1e-6 <= abs(value) < 1e21:
        plain = format(Decimal(repr(value)), "f")
        return plain.rstrip("0").rstrip(".") if "." in plain else plain
    mantissa, _, exponent = repr(value).partition("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent):+d}"
