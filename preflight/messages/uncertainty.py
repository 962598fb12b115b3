"""What keeps an answer from being known, in words."""

from __future__ import annotations

from preflight.model.eviction_reasons import MissingInput, MissingKind
from preflight.model.releases import Behavior
from preflight.model.uncertainty import Uncertainty, UncertaintyKind

_TEXTS = {
    UncertaintyKind.PODS: "not all pods are known",
    UncertaintyKind.NODES: "not all nodes are known",
    UncertaintyKind.NODE: "{} is only partly known",
    UncertaintyKind.ALLOCATABLE: "the allocatable resources of {} are unknown",
    UncertaintyKind.LABELS: "a label of {} is unknown",
    UncertaintyKind.COMPARISON: "a taint depends on the feature gate for Lt and Gt",
    UncertaintyKind.QUANTITY: "an amount cannot be parsed: {}",
    UncertaintyKind.UNREAD: "a pod was read only in part",
    UncertaintyKind.SCHEDULER: "the scheduler {} decides",
    UncertaintyKind.GATES: "it has the scheduling gate {}",
    UncertaintyKind.GROUP: "it is scheduled as part of a group",
    UncertaintyKind.CLAIMS: "it claims a device ({})",
    UncertaintyKind.VOLUMES: "its volume {} may be tied to a zone or a node",
    UncertaintyKind.AFFINITY: "it has inter-pod affinity",
    UncertaintyKind.SPREAD: "it has a topology spread constraint over {}",
    UncertaintyKind.ADMISSION: "RuntimeClass {} may change it",
    UncertaintyKind.NEIGHBORS: "{} has anti-affinity to it",
    UncertaintyKind.PREEMPTION: "it may need the preemption of pods with a lower priority",
}
_MISSING_TEXTS = {
    MissingKind.BUDGETS: "the PodDisruptionBudgets are unknown",
    MissingKind.DAEMONSET: "unknown whether {kind} {name} exists",
    MissingKind.OWNER: "{kind} {name} is unknown",
    MissingKind.OWNER_SCALE: "unknown whether a {kind} of {name} has a scale subresource",
    MissingKind.NAMESPACE_PODS: "not all pods of namespace {name} were listed",
}


def describe_missing_input(missing_input: MissingInput) -> str:
    """Input without which an answer is unknown: `Deployment shop/web is unknown`."""
    if missing_input.missing is MissingKind.VERSION:
        from preflight.messages.versions import explain_behavior  # few answers depend on the version

        return explain_behavior(Behavior(missing_input.name))
    return _MISSING_TEXTS[missing_input.missing].format(kind=missing_input.kind, name=missing_input.name)


def describe_uncertainty(uncertainty: Uncertainty) -> str:
    """What is not known, as a reason: `its volume data may be tied to a zone or a node`."""
    if uncertainty.kind is UncertaintyKind.VERSION:
        from preflight.messages.versions import explain_behavior  # few answers depend on the version

        return explain_behavior(Behavior(uncertainty.subject))
    return _TEXTS[uncertainty.kind].format(uncertainty.subject or "a node")
