"""What PyYAML's events stand for."""

from __future__ import annotations

from typing import Any

from preflight.documents import scalars
from preflight.documents.model import DocumentError


def resolve_scalar(event: Any) -> scalars.Scalar:
    """What a scalar event stands for.

    1. Unquoted without a tag: resolved. In quotes, as a block, or with the tag `!`: a string. Else as its tag says.
    2. Unreadable where the tag does not fit.
    """
    value: str = event.value
    if event.tag is None:
        return scalars.parse_plain(value) if event.implicit[0] else value
    try:
        return scalars.parse_tagged(event.tag, value)
    except ValueError as error:
        raise DocumentError(str(error), event.start_mark.index) from None


def to_key_text(value: scalars.Scalar, event: Any) -> str:
    """The value as a key of JSON; Unreadable where it cannot be one."""
    try:
        return scalars.to_json_key(value)
    except ValueError as error:
        raise DocumentError(str(error), event.start_mark.index) from None


def is_merge(event: Any) -> bool:
    """Whether a scalar event, as a key, merges: `<<` without quotes, or with the tag `!!merge`."""
    return bool(event.value == "<<" and (event.implicit[0] if event.tag is None else event.tag == scalars.MERGE_TAG))
