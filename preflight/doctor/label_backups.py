"""Labels that were moved to annotations of their node: somebody took them away for a while, and wrote down what they were."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from preflight.model.annotations import is_backup_annotation

_SEPARATORS = re.compile(r"[/._-]")
_PAIR = re.compile(r"\s*([A-Za-z0-9./_-]+)\s*[=:]\s*\"?([A-Za-z0-9._-]*)\"?\s*")


class BackedUpLabel(Struct, frozen=True):
    """A label that a node does not have, with the value that an annotation keeps; "" where it keeps none."""

    key: str
    value: str
    annotation: str


def find_backed_up_label(annotations: Mapping[str, str], label: str) -> BackedUpLabel | None:
    """The backup of one label in the annotations of a node; None where there is none.

    1. An annotation with the very key of the label.
    2. One whose key says that it is a backup and ends with that of the label, whatever separates its parts.
    3. One whose key says so, and whose value is a map of labels, as JSON or as `key=value` with commas.
    """
    for key in sorted(annotations):
        if key == label or (is_backup_annotation(key) and _ends_with(key, label)):
            return BackedUpLabel(label, annotations[key], key)
    for key in sorted(annotations):
        if is_backup_annotation(key):
            for name, value in _iter_pairs(annotations[key]):
                if name == label:
                    return BackedUpLabel(label, value, key)
    return None


def _ends_with(key: str, label: str) -> bool:
    have, wanted = _SEPARATORS.split(key), _SEPARATORS.split(label)
    return len(have) > len(wanted) and have[-len(wanted) :] == wanted


def _iter_pairs(text: str) -> Iterator[tuple[str, str]]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        found = (_PAIR.fullmatch(part) for part in re.split(r"[,;\n]", text))
        yield from ((match[1], match[2]) for match in found if match is not None)
    else:
        yield from _iter_json_pairs(data)


def _iter_json_pairs(data: Any) -> Iterator[tuple[str, str]]:
    labels = data.get("labels", data) if isinstance(data, dict) else {}
    if isinstance(labels, dict):
        yield from ((name, value) for name, value in labels.items() if isinstance(value, str))
