"""Whether an operator makes a DaemonSet, by the fields on which that depends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from preflight.operators.facts import Condition
from preflight.operators.fields import get_value, split_path


def is_fulfilled(condition: Condition, data: Mapping[str, Any]) -> bool:
    """Whether a custom resource fulfills a condition; null counts as absent, as for the API server."""
    value = get_value(data, split_path(condition.field))
    if condition.is_present is not None:
        return (value is not None) is condition.is_present
    if value is None:
        value = condition.default
    if condition.other_than is not None:
        return bool(value != condition.other_than)
    return bool(value == condition.value)
