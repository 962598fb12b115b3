"""The text of a patch, read and applied by its type.

Source: kubectl `pkg/cmd/patch/patch.go`; apiserver `pkg/endpoints/handlers/patch.go`, whose words the refusals are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from preflight.errors import UsageError
from preflight.kubectl.commands import PatchObjects, PatchType
from preflight.kubectl.formatting import quote_go

_GO = {list: "array", str: "string", bool: "bool", dict: "object"}
_MAP = "map[string]interface {}"


def read_patch_data(command: PatchObjects) -> Any:
    """The data of a command's patch: a map, or the operations of a JSON patch.

    1. A text that starts with a brace is JSON; of any other the first document counts, as YAML.
    2. Null is an empty patch, but for a JSON merge patch.

    Errors: UsageError for a text that cannot be read, or is no patch of its type.
    """
    data = _decode_patch(command.patch)
    if command.patch_type is PatchType.JSON:
        wrong = data if not isinstance(data, list) else next((item for item in data if not isinstance(item, dict)), None)
        if wrong is not None:
            where = "handlers.jsonPatchOp" if isinstance(data, list) else "[]handlers.jsonPatchOp"
            raise UsageError(f"error decoding patch: json: cannot unmarshal {_go_type(wrong)} into Go value of type {where}")
        return data or []
    if data is None and command.patch_type is PatchType.MERGE:
        raise UsageError("Invalid JSON Patch")
    if data is not None and not isinstance(data, dict):
        start = "error decoding patch: " if command.patch_type is PatchType.MERGE else ""
        raise UsageError(f"{start}json: cannot unmarshal {_go_type(data)} into Go value of type {_MAP}")
    return data or {}


def apply_patch(patch_type: PatchType, before: Mapping[str, Any], data: Any) -> dict[str, Any]:
    """What a patch makes of an object, which is not changed.

    Errors: UsageError where it cannot be applied.
    """
    if patch_type is PatchType.STRATEGIC:
        from preflight.kubectl.patch.strategic_merge import apply_strategic_patch

        return apply_strategic_patch(before, data)
    from preflight.kubectl.patch import json_patch

    return json_patch.apply_json_patch(before, data) if patch_type is PatchType.JSON else json_patch.apply_merge_patch(before, data)


def _decode_patch(text: str) -> Any:
    if text.lstrip().startswith("{"):
        try:
            return msgspec.json.decode(text)
        except (msgspec.DecodeError, RecursionError):
            raise UsageError("invalid JSON patch") from None
    from preflight.documents import Document, InvalidDocument, read_yaml

    found = next(iter(read_yaml(text, ())), None)
    if isinstance(found, InvalidDocument):
        raise UsageError(f"unable to parse {quote_go(text)}: {found.message}")
    return found.data if isinstance(found, Document) else None


def _go_type(value: Any) -> str:
    return _GO.get(type(value), "number")
