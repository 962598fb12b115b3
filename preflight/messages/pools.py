"""Messages about manifests of node pools: refused taints and labels, node counts, and how nodes are replaced."""

from __future__ import annotations

import json
from collections.abc import Iterable

from preflight.model.core import Taint

_MAX_SHOWN = 60

# How nodes are replaced

CLUSTER_API_ROLLS_OUT = ": Cluster API replaces them when their template changes"
EKSCTL_REPLACES = ": eksctl does not change an existing node group, so create a new one"
KARPENTER_REPLACES = ": Karpenter replaces them because they have drifted"
KOPS_ROLLS = ": run `kops rolling-update cluster`"
RANCHER_ADDS = ": Rancher applies the change when a node registers"

# How many nodes


def format_node_range(low: int, high: int) -> str:
    """The least and the most nodes of a pool."""
    return f"{low} to {high}"


def format_most_nodes(high: int) -> str:
    """The most nodes of a pool."""
    return f"up to {high}"


def format_nodes_per_zone(count: str) -> str:
    """The nodes of a pool that has so many in each zone."""
    return f"{count} a zone"


# Values

KEY_REQUIRED = "key: Required value"
EFFECT_REQUIRED = "effect: Required value"


def format_value(value: object) -> str:
    """A wrong value in a message."""
    if isinstance(value, dict):
        return "a map"
    if isinstance(value, list):
        return "a list"
    return json.dumps(value, ensure_ascii=False, default=str)[:_MAX_SHOWN]


def explain_wrong_scalar(field: str, text: str, *, is_boolean: bool) -> str:
    """That a field that must be a string is a boolean or a number."""
    return f"{field} must be a string: {text} is a {'boolean' if is_boolean else 'number'}; quote it"


def explain_wrong_value(field: str, value: object) -> str:
    """That a field that must be a string is a map, a list or null."""
    return f"{field} must be a string, not {format_value(value)}"


def explain_invalid_part(field: str, text: str, reason: str) -> str:
    """That a key or a value is refused, as the API server says it."""
    return f'{field}: Invalid value: "{text}": {reason}'


def explain_instead(field: str, instead: str) -> str:
    """That a schema has no such field, but another."""
    return f'unknown field "{field}": did you mean "{instead}"?'


# Taints


def explain_wrong_taint(value: object) -> str:
    """That a taint is neither a map nor a string."""
    return f"a taint must be a map or a string, not {format_value(value)}"


def explain_no_taint_list(field: object, value: object) -> str:
    """That the taints are not a list."""
    return f"{field} must be a list, not {format_value(value)}"


def explain_invalid_spec(text: str) -> str:
    """That a text is not a taint, as the API server says it."""
    return f"invalid taint spec: {text[:_MAX_SHOWN]}"


def explain_wrong_entry(value: object) -> str:
    """That the value of a taint by its key is none."""
    return f'a taint under its key must be "value:Effect", not {format_value(value)}'


def explain_unknown_taint_field(field: object) -> str:
    """That a taint has no such field; what has an operator is a toleration."""
    more = ": only tolerations have an operator" if field == "operator" else ""
    return f"unknown field {json.dumps(str(field)[:_MAX_SHOWN], ensure_ascii=False)}{more}"


def explain_invalid_taint_part(field: str, text: str, reason: str) -> str:
    """That the key or the value of a taint is refused; a long one is cut."""
    return explain_invalid_part(field, text[:_MAX_SHOWN], reason)


def explain_operator_as_value(value: str, without_value: Taint) -> str:
    """That the value of a taint is the name of an operator."""
    return f'its value is the text "{value}", because a taint has no operator; without a value it is {without_value}'


def explain_duplicate(taint: Taint) -> str:
    """That two taints have one key and one effect."""
    return f"Duplicate value: {taint}: taints must be unique by key and effect pair"


def explain_unknown_effect(text: str, effects: Iterable[str]) -> str:
    """That an effect is none of those of the provider."""
    supported = ", ".join(f'"{effect}"' for effect in effects)
    return f'effect: Unsupported value: "{text[:_MAX_SHOWN]}": supported values: {supported}'
