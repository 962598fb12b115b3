"""What keeps the DaemonSets of an operator off special nodes."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

_PRESUMED = "\ue000presumed"


def presume_exclusions(affinity: dict[str, Any]) -> dict[str, Any]:
    """An operator's own affinity, its exclusions of special nodes marked: see `SelectorRequirement.is_presumed`."""
    marked = copy.deepcopy(affinity)
    required = marked.get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", {})
    for term in required.get("nodeSelectorTerms", ()):
        for requirement in term.get("matchExpressions", ()):
            if requirement["operator"] in ("NotIn", "DoesNotExist"):
                requirement[_PRESUMED] = True
    return marked


def exclude_labels(affinity: Any, excluded: Mapping[str, Sequence[str]]) -> Any:
    """An affinity that also leaves out nodes with these values of labels: see `SelectorRequirement.is_presumed`."""
    if not excluded or not isinstance(affinity, dict | None):
        return affinity
    wanted = copy.deepcopy(affinity or {})
    required: Any = wanted
    for key in ("nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"):
        required = required.setdefault(key, {}) if isinstance(required, dict) else None
    terms = required.setdefault("nodeSelectorTerms", [{}]) if isinstance(required, dict) else None
    for term in terms if isinstance(terms, list) else ():
        expressions = term.setdefault("matchExpressions", []) if isinstance(term, dict) else None
        if isinstance(expressions, list):
            expressions += ({"key": key, "operator": "NotIn", "values": [*values], _PRESUMED: True} for key, values in excluded.items())
    return wanted
