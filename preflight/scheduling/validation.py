"""What the API server refuses of the fields that a prediction reads, with its own words.

Paths are relative to the object. Source: `pkg/apis/core/validation/validation.go` and `pkg/apis/apps/validation/validation.go`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence

from preflight.model.apps import DaemonSetUpdateStrategy
from preflight.model.core import TAINT_EFFECTS, NodeSelector, PodSpec, Taint, Toleration
from preflight.model.meta import Refusal, SelectorRequirement
from preflight.scheduling.affinity import parse_int64
from preflight.scheduling.name_validation import validate_label_value, validate_qualified_name

Path = tuple[str | int, ...]


def validate_tolerations(tolerations: Sequence[Toleration], path: Path, comparison_operators: bool | None) -> Iterator[Refusal]:
    """What is refused of a list of tolerations; repeated ones, and seconds of 0 or less, are accepted.

    1. A key must be a label's name; an empty one needs the operator Exists.
    2. `tolerationSeconds` needs the effect NoExecute.
    3. Equal (or no operator) needs a label's value, Exists none, Lt and Gt an integer and their gate; there is no other operator.
    4. An effect, if any, is one of the three.

    Lt and Gt are refused only where the gate is known to be off.
    """
    for number, toleration in enumerate(tolerations):
        here = (*path, number)
        if toleration.key:
            yield from _refuse_invalid((*here, "key"), toleration.key, validate_qualified_name(toleration.key))
        elif toleration.operator != "Exists":
            reason = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
            yield from _refuse_invalid((*here, "operator"), toleration.operator, [reason])
        if toleration.tolerationSeconds is not None and toleration.effect != "NoExecute":
            yield from _refuse_invalid((*here, "effect"), toleration.effect, ["effect must be 'NoExecute' when `tolerationSeconds` is set"])
        if toleration.operator in ("", "Equal"):
            yield from _refuse_invalid((*here, "value"), toleration.value, validate_label_value(toleration.value))
        elif toleration.operator == "Exists":
            if toleration.value:
                yield from _refuse_invalid((*here, "value"), toleration.value, ["value must be empty when `operator` is 'Exists'"])
        elif toleration.operator in ("Lt", "Gt") and comparison_operators is not False:
            if parse_int64(toleration.value) is None:
                yield from _refuse_invalid((*here, "value"), toleration.value, ["value must be a valid integer for Lt and Gt"])
        else:
            yield _refuse_unsupported((*here, "operator"), toleration.operator, ("Equal", "Exists"))
        if toleration.effect and toleration.effect not in TAINT_EFFECTS:
            yield _refuse_unsupported((*here, "effect"), toleration.effect, TAINT_EFFECTS)


def validate_taints(taints: Sequence[Taint], path: Path = ("spec", "taints")) -> Iterator[Refusal]:
    """What is refused of a node's taints.

    1. A key must be a label's name, a value a label's value or empty.
    2. An effect is required, one of the three.
    3. Two taints of one node must differ in key or effect.
    """
    seen: set[tuple[str, str]] = set()
    for number, taint in enumerate(taints):
        here = (*path, number)
        yield from _refuse_invalid((*here, "key"), taint.key, validate_qualified_name(taint.key))
        yield from _refuse_invalid((*here, "value"), taint.value, validate_label_value(taint.value))
        if not taint.effect:
            yield Refusal((*here, "effect"), "Required value", "effect")
        elif taint.effect not in TAINT_EFFECTS:
            yield _refuse_unsupported((*here, "effect"), taint.effect, TAINT_EFFECTS)
        elif (taint.key, taint.effect) in seen:
            yield Refusal(here, f"Duplicate value: {taint}: taints must be unique by key and effect pair")
        seen.add((taint.key, taint.effect))


def validate_labels(labels: dict[str, str], path: Path) -> Iterator[Refusal]:
    """What is refused of labels or a nodeSelector: a key must be a label's name, a value a label's value."""
    for key, value in labels.items():
        yield from _refuse_invalid((*path, key), key, validate_qualified_name(key))
        yield from _refuse_invalid((*path, key), value, validate_label_value(value))


def validate_node_selection(spec: PodSpec, path: Path) -> Iterator[Refusal]:
    """What is refused of a pod's nodeSelector and required node affinity."""
    yield from validate_labels(spec.nodeSelector, (*path, "nodeSelector"))
    if spec.affinity and spec.affinity.nodeAffinity:
        required = spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution
        if required:
            where = (*path, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
            yield from _validate_node_selector(required, where)


def _validate_node_selector(selector: NodeSelector, path: Path) -> Iterator[Refusal]:
    """An empty list of terms is refused; an empty term, and Gt or Lt with text, are accepted (they match nothing)."""
    if not selector.nodeSelectorTerms:
        yield Refusal((*path, "nodeSelectorTerms"), "Required value: must have at least one node selector term", "nodeSelectorTerms")
    for number, term in enumerate(selector.nodeSelectorTerms):
        for place, requirement in enumerate(term.matchExpressions):
            yield from _validate_expression(requirement, (*path, "nodeSelectorTerms", number, "matchExpressions", place))
        for place, requirement in enumerate(term.matchFields):
            yield from _validate_match_field(requirement, (*path, "nodeSelectorTerms", number, "matchFields", place))


def _validate_expression(requirement: SelectorRequirement, path: Path) -> Iterator[Refusal]:
    values = requirement.values
    if requirement.operator in ("In", "NotIn"):
        if not values:
            yield Refusal((*path, "values"), "Required value: must be specified when `operator` is 'In' or 'NotIn'", "values")
    elif requirement.operator in ("Exists", "DoesNotExist"):
        if values:
            yield Refusal((*path, "values"), "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'", "values")
    elif requirement.operator in ("Gt", "Lt"):
        if len(values) != 1:
            yield Refusal((*path, "values"), "Required value: must be specified single value when `operator` is 'Lt' or 'Gt'", "values")
    else:
        yield from _refuse_invalid((*path, "operator"), requirement.operator, ["not a valid selector operator"])
    yield from _refuse_invalid((*path, "key"), requirement.key, validate_qualified_name(requirement.key))


def _validate_match_field(requirement: SelectorRequirement, path: Path) -> Iterator[Refusal]:
    if requirement.operator not in ("In", "NotIn"):
        yield from _refuse_invalid((*path, "operator"), requirement.operator, ["not a valid selector operator"])
    elif len(requirement.values) != 1:
        reason = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        yield Refusal((*path, "values"), f"Required value: {reason}", "values")
    if requirement.key != "metadata.name":
        yield from _refuse_invalid((*path, "key"), requirement.key, ["not a valid field selector key"])


def validate_update_strategy(strategy: DaemonSetUpdateStrategy, path: Path = ("spec", "updateStrategy")) -> Iterator[Refusal]:
    """What is refused of a DaemonSet's update strategy.

    1. The type is RollingUpdate (also where empty) or OnDelete; under OnDelete nothing else is looked at.
    2. Each of maxUnavailable (default 1) and maxSurge (default 0) is a whole number of 0 or more, or a percentage up to 100 %.
    3. Exactly one of them is not zero.
    """
    if strategy.type == "OnDelete":
        return
    if strategy.type not in ("", "RollingUpdate"):
        yield _refuse_unsupported((*path, "type"), strategy.type, ("RollingUpdate", "OnDelete"))
        return
    here = (*path, "rollingUpdate")
    values = {"maxUnavailable": strategy.rollingUpdate.maxUnavailable, "maxSurge": strategy.rollingUpdate.maxSurge}
    broken = False
    for name, value in values.items():
        for reason in _validate_int_or_percent(value):
            broken = True
            yield Refusal((*here, name), f'Invalid value: "{value}": {reason}', name)
    if broken:
        return
    unavailable = resolve_int_or_percent(values["maxUnavailable"], 100, default=1)
    surge = resolve_int_or_percent(values["maxSurge"], 100, default=0)
    if unavailable and surge:
        shown = f'"{values["maxSurge"]}"' if isinstance(values["maxSurge"], str) else values["maxSurge"]
        yield Refusal((*here, "maxSurge"), f"Invalid value: {shown}: may not be set when maxUnavailable is non-zero", "maxSurge")
    elif not unavailable and not surge:
        yield Refusal((*here, "maxUnavailable"), "Required value: cannot be 0 when maxSurge is 0", "maxUnavailable")


def _validate_int_or_percent(value: int | str | None) -> list[str]:
    if value is None:
        return []
    if isinstance(value, int):
        return ["must be greater than or equal to 0"] if value < 0 else []
    if not re.fullmatch(r"[0-9]+%", value, re.ASCII):
        return ["a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%', or '93%', or '0%')"]
    return ["must not be greater than 100%"] if len(value) > 4 or int(value[:-1]) > 100 else []


def resolve_int_or_percent(value: int | str | None, total: int, *, default: int) -> int:
    """An integer or percentage of a total, a percentage rounded up; the default where absent, also for text that is neither.

    Source: `staging/src/k8s.io/apimachinery/pkg/util/intstr/intstr.go`, GetScaledValueFromIntOrPercent.
    """
    if isinstance(value, int):
        return value
    if value is None or not re.fullmatch(r"[0-9]{1,9}%", value, re.ASCII):
        return default
    return math.ceil(int(value[:-1]) * total / 100)


def _refuse_invalid(path: Path, value: str, reasons: Iterable[str]) -> Iterator[Refusal]:
    for reason in reasons:
        yield Refusal(path, f'Invalid value: "{value}": {reason}', str(path[-1]))


def _refuse_unsupported(path: Path, value: str, supported: Sequence[str]) -> Refusal:
    shown = ", ".join(f'"{item}"' for item in supported)
    return Refusal(path, f'Unsupported value: "{value}": supported values: {shown}', str(path[-1]))
