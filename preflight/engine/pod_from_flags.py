"""A pod in a few words: what it asks for, where it may go and what it tolerates."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.errors import UsageError
from preflight.kubectl.label_selector import LabelRequirement, parse_selector
from preflight.messages import capacity as messages
from preflight.model.capacity import NewPod
from preflight.model.core import Container, NodeAffinity, NodeSelector, NodeSelectorTerm, Resources, Toleration
from preflight.model.meta import SelectorRequirement
from preflight.model.pod_scheduling import SchedulerAffinity, SchedulerPodSpec
from preflight.scheduling.name_validation import validate_label_value, validate_qualified_name
from preflight.scheduling.quantities import QuantityError, parse_millis
from preflight.scheduling.requests import is_counted_resource

_EFFECTS = ("NoSchedule", "NoExecute", "PreferNoSchedule")
_OPERATORS = {"in": "In", "notin": "NotIn", "exists": "Exists", "absent": "DoesNotExist", "gt": "Gt", "lt": "Lt"}


def parse_pod_flags(requests: Sequence[str], selector: str, tolerate: Sequence[str], namespace: str) -> NewPod:
    """The pod that command line words describe.

    1. `requests` are RESOURCE=QUANTITY, several with commas between them; a resource that is given twice counts once, the last.
    2. `selector` is kubectl's `-l`: what is equal to one value is a nodeSelector, the rest a required node affinity.
    3. `tolerate` are KEY=VALUE:EFFECT (that taint), KEY:EFFECT (whatever its value), KEY=VALUE and KEY (whatever the effect too), and `*`.
    4. It has no labels, no ports, no volumes.

    Errors: UsageError with the word that is wrong.
    """
    asked = dict(_parse_request(part) for text in requests for part in text.split(",") if part.strip() or not text.strip(" ,"))
    selected = parse_selector(selector).requirements
    equal = {
        requirement.key: requirement.values[0] for requirement in selected if requirement.operator == "in" and len(requirement.values) == 1
    }
    rest = tuple(
        _make_expression(requirement)
        for requirement in selected
        if equal.get(requirement.key) != (requirement.values or ("",))[0] or requirement.operator != "in"
    )
    affinity = SchedulerAffinity(nodeAffinity=NodeAffinity(NodeSelector((NodeSelectorTerm(rest),)))) if rest else None
    spec = SchedulerPodSpec(
        nodeSelector=equal,
        affinity=affinity,
        tolerations=tuple(_parse_toleration(taint) for taint in tolerate),
        containers=(Container(name="new", resources=Resources(requests=dict(asked))),),
    )
    words = [", ".join(f"{name}={quantity}" for name, quantity in asked.items()) or messages.NO_RESOURCE]
    words += [f"on {selector}"] if selector else []
    words += [f"tolerating {', '.join(tolerate)}"] if tolerate else []
    return NewPod(messages.describe_requested_pod(words), spec, {}, namespace)


def _parse_request(text: str) -> tuple[str, str]:
    name, equals, quantity = text.strip().partition("=")
    if not equals or not quantity:
        raise UsageError(messages.describe_invalid_request(text))
    if not is_counted_resource(name):
        advice = messages.DEVICE_ADVICE if "/" not in name else ""
        raise UsageError(messages.describe_unknown_resource(text, name, advice))
    try:
        amount = parse_millis(quantity)
    except QuantityError as error:
        raise UsageError(messages.describe_invalid_quantity(text, error)) from None
    if "/" in name and amount % 1000:
        raise UsageError(messages.describe_part_of_device_request(text, name))
    return name, quantity


def _make_expression(requirement: LabelRequirement) -> SelectorRequirement:
    return SelectorRequirement(requirement.key, _OPERATORS[requirement.operator], requirement.values)


def _parse_toleration(text: str) -> Toleration:
    if text == "*":
        return Toleration(operator="Exists")
    left, colon, effect = text.rpartition(":") if ":" in text else (text, "", "")
    key, equals, value = left.partition("=")
    if (colon and effect not in _EFFECTS) or validate_qualified_name(key) or validate_label_value(value):
        raise UsageError(messages.describe_invalid_toleration(text, _EFFECTS))
    return Toleration(key, "Equal" if equals else "Exists", value, effect)
