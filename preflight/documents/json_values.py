"""One JSON value to plain data, as fast as it goes; positions and repeated keys are for `json_reader`."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw

from preflight.documents.model import MAX_DEPTH


def decode_json_value(text: Raw | memoryview) -> Any:
    """The one JSON value of a text as plain data.

    Raises msgspec.DecodeError where it is none, and RecursionError where it nests deeper than MAX_DEPTH.
    """
    data = msgspec.json.decode(text)
    encoded = bytes(text)
    if encoded.count(b"{") + encoded.count(b"[") > MAX_DEPTH and _measure_depth(data) > MAX_DEPTH:
        raise RecursionError(f"lists and maps nest deeper than {MAX_DEPTH} levels")
    return data


def _measure_depth(data: Any) -> int:
    """How many lists and maps are around the innermost value, as far as it matters."""
    level = [data]
    for depth in range(MAX_DEPTH + 1):
        level = [
            inner
            for value in level
            for inner in (value.values() if type(value) is dict else value)
            if type(inner) is dict or type(inner) is list
        ]
        if not level:
            return depth + 1
    return MAX_DEPTH + 1
