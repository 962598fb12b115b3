"""Whether an operator makes a DaemonSet, by the fields and the version on which that depends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from preflight.operators.facts import Condition, DaemonSetFact
from preflight.operators.fields import get_value, split_path
from preflight.operators.versions import Version, parse_version, select_older


def is_made(made: DaemonSetFact, data: Mapping[str, Any], version: Version) -> bool:
    """Whether the operator makes a DaemonSet of a custom resource; a version that is not known is one that may."""
    if made.until and version and version >= parse_version(made.until):
        return False
    return all(is_fulfilled(condition, data, version) for condition in made.when)


def is_fulfilled(condition: Condition, data: Mapping[str, Any], version: Version = ()) -> bool:
    """Whether a custom resource fulfills a condition; null counts as absent, as for the API server."""
    value = get_value(data, split_path(condition.field))
    if condition.is_present is not None:
        return (value is not None) is condition.is_present
    if value is None:
        older = condition.older[:1] if not version else select_older(condition.older, version)
        value = older[0].default if older else condition.default
    if condition.other_than is not None:
        return bool(value != condition.other_than)
    return bool(value == condition.value)
