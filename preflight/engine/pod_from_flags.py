"""A pod in a few words: what it asks for, where it may go and what it tolerates."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.errors import UsageError
from preflight.kubectl.label_selector import Requirement, parse_selector
from preflight.model.capacity import NewPod
from preflight.model.objects import Container, NodeAffinity, NodeSelector, NodeSelectorTerm, Resources, SelectorRequirement, Toleration
from preflight.model.pod_scheduling import ScheduledAffinity, ScheduledSpec
from preflight.scheduling.name_validation import label_value_errors, qualified_name_errors
from preflight.scheduling.quantities import QuantityError, millis
from preflight.scheduling.requests import is_counted

_EFFECTS = ("NoSchedule", "NoExecute", "PreferNoSchedule")
_OPERATORS = {"in": "In", "notin": "NotIn", "exists": "Exists", "absent": "DoesNotExist", "gt": "Gt", "lt": "Lt"}


def asked_pod(requests: Sequence[str], selector: str, tolerate: Sequence[str], namespace: str) -> NewPod:
    """The pod that command line words describe.

    1. `requests` are RESOURCE=QUANTITY, several with commas between them; a resource that is given twice counts once, the last.
    2. `selector` is kubectl's `-l`: what is equal to one value is a nodeSelector, the rest a required node affinity.
    3. `tolerate` are KEY=VALUE:EFFECT (that taint), KEY:EFFECT (whatever its value), KEY=VALUE and KEY (whatever the effect too), and `*`.
    4. It has no labels, no ports, no volumes.

    Errors: UsageError with the word that is wrong.
    """
    asked = dict(_request(part) for text in requests for part in text.split(",") if part.strip() or not text.strip(" ,"))
    selected = parse_selector(selector).requirements
    equal = {each.key: each.values[0] for each in selected if each.operator == "in" and len(each.values) == 1}
    rest = tuple(_expression(each) for each in selected if equal.get(each.key) != (each.values or ("",))[0] or each.operator != "in")
    affinity = ScheduledAffinity(nodeAffinity=NodeAffinity(NodeSelector((NodeSelectorTerm(rest),)))) if rest else None
    spec = ScheduledSpec(
        nodeSelector=equal,
        affinity=affinity,
        tolerations=tuple(_toleration(each) for each in tolerate),
        containers=(Container(name="new", resources=Resources(requests=dict(asked))),),
    )
    words = [", ".join(f"{name}={quantity}" for name, quantity in asked.items()) or "no resource"]
    words += [f"on {selector}"] if selector else []
    words += [f"tolerating {', '.join(tolerate)}"] if tolerate else []
    return NewPod(f"a pod that asks for {' '.join(words)}", spec, {}, namespace)


def _request(text: str) -> tuple[str, str]:
    name, equals, quantity = text.strip().partition("=")
    if not equals or not quantity:
        raise UsageError(f"--request takes RESOURCE=QUANTITY, not {text!r}")
    if not is_counted(name):
        advice = "; one of a device plugin has a domain, as nvidia.com/gpu" if "/" not in name else ""
        raise UsageError(f"--request {text}: {name!r} is no resource that the scheduler counts{advice}")
    try:
        amount = millis(quantity)
    except QuantityError as error:
        raise UsageError(f"--request {text}: {error}") from None
    if "/" in name and amount % 1000:
        raise UsageError(f"--request {text}: {name} comes in whole numbers")
    return name, quantity


def _expression(each: Requirement) -> SelectorRequirement:
    return SelectorRequirement(each.key, _OPERATORS[each.operator], each.values)


def _toleration(text: str) -> Toleration:
    if text == "*":
        return Toleration(operator="Exists")
    left, colon, effect = text.rpartition(":") if ":" in text else (text, "", "")
    key, equals, value = left.partition("=")
    if (colon and effect not in _EFFECTS) or qualified_name_errors(key) or label_value_errors(value):
        raise UsageError(
            f"--tolerate takes KEY=VALUE:EFFECT, KEY:EFFECT, KEY=VALUE, KEY or *, EFFECT one of {', '.join(_EFFECTS)}: not {text!r}"
        )
    return Toleration(key, "Equal" if equals else "Exists", value, effect)
