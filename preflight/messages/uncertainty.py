"""What keeps an answer from being known, in words."""

from __future__ import annotations

from preflight.model.eviction_reasons import MissingInput, MissingKind
from preflight.model.uncertainty import Uncertainty, UncertaintyKind

_TEXTS = {
    UncertaintyKind.PODS: "not all pods are known",
    UncertaintyKind.NODES: "not all nodes are known",
    UncertaintyKind.NODE: "{} is only partly known",
    UncertaintyKind.ALLOCATABLE: "nobody knows what {} can allocate",
    UncertaintyKind.LABELS: "a label of {} is not known",
    UncertaintyKind.COMPARISON: "a taint depends on the gate of Lt and Gt",
    UncertaintyKind.QUANTITY: "an amount cannot be read: {}",
    UncertaintyKind.UNREAD: "not all of a pod was read",
    UncertaintyKind.SCHEDULER: "the scheduler {} decides",
    UncertaintyKind.GATES: "it has the scheduling gate {}",
    UncertaintyKind.GROUP: "it is scheduled with a group",
    UncertaintyKind.CLAIMS: "it claims a device ({})",
    UncertaintyKind.VOLUMES: "its volume {} may be tied to a zone or a node",
    UncertaintyKind.AFFINITY: "it has affinity to other pods",
    UncertaintyKind.SPREAD: "it is to be spread over {}",
    UncertaintyKind.ADMISSION: "the RuntimeClass {} may add to it",
    UncertaintyKind.NEIGHBORS: "{} wants no such pod near it",
    UncertaintyKind.PREEMPTION: "pods of lower priority may have to go for it",
}
_MISSING_TEXTS = {
    MissingKind.BUDGETS: "nobody knows which budgets there are",
    MissingKind.DAEMONSET: "nobody knows whether {kind} {name} exists",
    MissingKind.OWNER: "{kind} {name} is not known",
    MissingKind.OWNER_SCALE: "nobody knows whether a {kind} of {name} has a scale",
    MissingKind.NAMESPACE_PODS: "not all pods of namespace {name} were listed",
}


def describe_missing_input(missing_input: MissingInput) -> str:
    """Input without which an answer is unknown: `Deployment shop/web is not known`."""
    return _MISSING_TEXTS[missing_input.missing].format(kind=missing_input.kind, name=missing_input.name)


def describe_uncertainty(uncertainty: Uncertainty) -> str:
    """What is not known, as a reason: `its volume data may be tied to a zone or a node`."""
    return _TEXTS[uncertainty.kind].format(uncertainty.subject or "a node")
