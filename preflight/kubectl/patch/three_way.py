"""kubectl's three-way merge: what a manifest makes of a live object.

Source: apimachinery `pkg/util/strategicpatch/patch.go`; the merge keys are the `patchMergeKey` of the API types.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

MERGE_KEYS = {
    **dict.fromkeys(("containers", "initContainers", "ephemeralContainers", "env", "volumes", "imagePullSecrets"), "name"),
    **dict.fromkeys(("resourceClaims", "schedulingGates"), "name"),
    **{"ports": "containerPort", "volumeMounts": "mountPath", "volumeDevices": "devicePath"},
    **{"hostAliases": "ip", "topologySpreadConstraints": "topologyKey"},
}
"""The lists of a workload whose items are merged, and the field that tells one item from another; every other list is atomic."""

_RETAIN = frozenset(("volumes", "resourceClaims"))


def merge_three_way(last_applied: object, new: object, live: object, field: str = "") -> Any:
    """What stands in the cluster after `kubectl apply` of `new` over `live`, where `last_applied` was applied before (None: nothing was).

    1. Maps: a key of `last_applied` that `new` has no more is removed, a key of `new` is set, null removes it, every other key of `live`
       stays.
    2. Lists of things with a name (containers, volumes, env by name; ports by containerPort; volumeMounts by mountPath ...) are merged
       by that name in the same way; a volume keeps only the keys that the manifest states.
    3. Every other list, tolerations among them, is atomic: the manifest's takes the place of the live one.
    """
    if isinstance(new, dict) and isinstance(live, dict):
        before = last_applied if isinstance(last_applied, dict) else {}
        merged = {key: value for key, value in live.items() if key not in before or key in new}
        for key, value in new.items():
            if value is None:
                merged.pop(key, None)
            else:
                merged[key] = merge_three_way(before.get(key), value, live[key], key) if key in live else value
        return merged
    if isinstance(new, list) and isinstance(live, list) and field in MERGE_KEYS:
        return _merge_list(last_applied if isinstance(last_applied, list) else [], new, live, field)
    return new


def _merge_list(last_applied: Sequence[Any], new: Sequence[Any], live: Sequence[Any], field: str) -> Sequence[Any]:
    key = MERGE_KEYS[field]
    if not all(isinstance(item, dict) and key in item for item in (*new, *live)):
        return new
    wanted, there = {_get_name(item, key): item for item in new}, {_get_name(item, key): item for item in live}
    if len(wanted) < len(new) or len(there) < len(live):
        return new
    before = {_get_name(item, key): item for item in last_applied if isinstance(item, dict) and key in item}
    items = {name: _merge_item(before.get(name), item, there[name], field) if name in there else item for name, item in wanted.items()}
    others = [name for name in there if name not in wanted and name not in before]
    order = {name: place for place, name in enumerate(there)}
    merged: list[Any] = []
    for name, item in items.items():
        while others and name in order and order[others[0]] < order[name]:
            merged.append(there[others.pop(0)])
        merged.append(item)
    return [*merged, *(there[name] for name in others)]


def _merge_item(last_applied: Any, new: Any, live: Any, field: str) -> Any:
    merged = merge_three_way(last_applied, new, live)
    if field in _RETAIN:
        return {key: value for key, value in merged.items() if key in new}
    return merged


def _get_name(item: dict[str, Any], key: str) -> str:
    return str(item[key])
