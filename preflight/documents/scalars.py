"""What a scalar of YAML is to Kubernetes' reader (sigs.k8s.io/yaml, which follows YAML 1.1 with exceptions of its own)."""

from __future__ import annotations

import base64
import binascii
import datetime
import math
import re
import struct

Scalar = str | int | float | bool | None

_WORDS: dict[str, Scalar] = {
    "": None,
    **dict.fromkeys(("~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
FIRST_CHARACTERS = frozenset(["", *"0123456789+-.yYnNtTfFoO~"])
"""What a plain scalar can start with if it is anything but a string."""

_INTEGER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)", re.ASCII)
_BINARY = re.compile(r"(-?)0b([-+]?[01]+)", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_POINT_FLOAT = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?", re.ASCII)
_MAX_DIGITS = 70
_CLOCK = r"(\d\d?):(\d\d?):(\d\d?)(?:[.,]\d+)?"
_TIMESTAMP = re.compile(rf"(\d{{4}})-(\d\d?)-(\d\d?)(?:[Tt]{_CLOCK}(?:Z|[-+]\d\d:\d\d)| {_CLOCK})?", re.ASCII)
_NOT_UTF8 = re.compile("[\udc80-\udcff]")
_CORE = "tag:yaml.org,2002:"
MERGE_TAG = _CORE + "merge"
_WANTED = {"bool": (bool, "a boolean"), "int": (int, "an integer"), "float": (float, "a number"), "null": (type(None), "null")}


def parse_plain(text: str) -> Scalar:
    """What an unquoted scalar without a tag stands for.

    1. The words of YAML 1.1 are booleans and null, as they are spelled in its list and in no other case; "" is null.
    2. Numbers are decimal, 0x, 0o, 0b, or octal with a leading 0; `_` between digits is ignored. `08` is 8.
    3. An integer of more than 64 bits is a float; a float too large is a string. Dates and `1:30` are strings.
    4. Never fails. Source: goyaml.v2/resolve.go of sigs.k8s.io/yaml.
    """
    if text in _WORDS:
        return _WORDS[text]
    first = text[0]
    if first in "0123456789+-":
        return _parse_number(text)
    if first == ".":
        return _parse_point_float(text)
    return text


def parse_tagged(tag: str, text: str) -> Scalar:
    """What a scalar with a tag stands for.

    1. `!!str` and tags that are not YAML's own make a string; `!!binary` the decoded text, with U+FFFD for what is not UTF-8.
    2. `!!int`, `!!float`, `!!bool`, `!!null` read the text as an unquoted one, in quotes or not, and demand the type; `!!float 3` is 3.0.
       `!!timestamp` demands a date, and makes a string.
    3. ValueError, with a message, where the text is of another type.
    """
    name = tag.removeprefix(_CORE)
    if name == tag:
        return text
    if name == "binary":
        return _decode_binary(text)
    if name == "timestamp":
        return _parse_timestamp(text)
    if name not in _WANTED:
        return text
    value = parse_plain(text)
    if name == "float" and type(value) is int and value < 1 << 63:
        return float(value)
    if type(value) is not _WANTED[name][0]:
        raise ValueError(f"a value with the tag !!{name} must be {_WANTED[name][1]}")
    return value


def to_json_value(value: Scalar) -> Scalar:
    """The scalar as JSON holds it: a float that JSON writes without a point is an int; ValueError for an infinity and for not-a-number."""
    if type(value) is not float:
        return value
    if not math.isfinite(value):
        raise ValueError("JSON has no infinity and no not-a-number: quote the value")
    if value.is_integer() and abs(value) < 1e21 and not (value == 0 and math.copysign(1, value) < 0):
        return _to_integer(value)
    return value


def to_json_key(value: Scalar) -> str:
    """The scalar as a key of JSON; ValueError for null and for an integer beyond 63 bits.

    1. Booleans are `true` and `false`, integers decimal: `yes:` is the key "true", `017:` is "15".
    2. A float has the shortest digits that tell it from other 32-bit floats: `1.5`, `1e+07`.
    3. Source: convertToJSONableObject of sigs.k8s.io/yaml.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if value >= 1 << 63:
            raise ValueError("a key cannot be an integer of more than 63 bits: quote it")
        return str(value)
    if value is None:
        raise ValueError("a key cannot be null: quote it")
    return _format_float(value)


def _parse_number(text: str) -> Scalar:
    digits = text.replace("_", "")
    if _INTEGER.fullmatch(digits):
        value = _parse_integer(digits)
        if -(1 << 63) <= value < 1 << 63 or (value < 1 << 64 and digits[0] not in "+-"):
            return value
    if _FLOAT.fullmatch(digits):
        number = float(digits)
        return number if math.isfinite(number) else text
    if binary := _BINARY.fullmatch(digits):
        sign, bits = binary.groups()
        if not (sign and bits[0] in "+-"):
            value = int(sign + bits, 2)
            if -(1 << 63) <= value < 1 << 63:
                return value
    return text


def _parse_integer(digits: str) -> int:
    bare = digits.lstrip("+-")
    if len(bare) > 1 and bare[0] == "0" and bare[1] in "01234567":
        return int(bare, 8) * (-1 if digits[0] == "-" else 1)
    return int(digits, 0) if len(bare) <= _MAX_DIGITS else 1 << 64


def _parse_point_float(text: str) -> Scalar:
    if not _POINT_FLOAT.fullmatch(text):
        return text
    number = float(text)
    return number if math.isfinite(number) else text


def _to_integer(value: float) -> int:
    digits = repr(value)
    if "e" not in digits:
        return int(digits.removesuffix(".0"))
    mantissa, _, exponent = digits.partition("e")
    whole, _, fraction = mantissa.partition(".")
    return int(whole + fraction.ljust(int(exponent), "0"))


def _parse_timestamp(text: str) -> str:
    error = ValueError("a value with the tag !!timestamp must be a date, as 2006-01-02")
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        raise error
    year, month, day, *clock = (int(part) for part in match.groups() if part is not None)
    hour, minute, second = clock or (0, 0, 0)
    try:
        datetime.datetime(year or 4, month, day, hour, minute, second)
    except ValueError:
        raise error from None
    return text


def _decode_binary(text: str) -> str:
    try:
        octets = base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("a value with the tag !!binary must be base64") from None
    return _NOT_UTF8.sub("\ufffd", octets.decode("utf-8", "surrogateescape"))


def _format_float(value: float) -> str:
    packed = struct.pack("f", value)
    value = struct.unpack("f", packed)[0]
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    spellings = (f"{value:.{precision}e}" for precision in range(9))
    shortest = next(text for text in spellings if struct.pack("f", float(text)) == packed)
    mantissa, _, exponent = shortest.partition("e")
    if -4 <= int(exponent) < 6:
        places = max(0, len(mantissa.lstrip("-").replace(".", "")) - 1 - int(exponent))
        return f"{float(shortest):.{places}f}"
    return f"{mantissa}e{int(exponent):+03d}"
