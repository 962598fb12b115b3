"""What the node lifecycle controller and the kubelet put back or take away again after a change by hand.

Source: kubernetes `pkg/controller/nodelifecycle/node_lifecycle_controller.go`, `pkg/kubelet/kubelet_node_status.go`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from preflight.messages import change as messages
from preflight.model.core import Node, Taint

UNSCHEDULABLE_TAINT = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")

_READINESS = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_CONDITIONS = (
    *_READINESS,
    *(f"node.kubernetes.io/{name}-pressure" for name in ("disk", "memory", "pid")),
    *("node.kubernetes.io/network-unavailable", "node.kubernetes.io/unschedulable"),
)
LEAVING_KEYS = (
    *("ToBeDeletedByClusterAutoscaler", "karpenter.sh/disrupted", "karpenter.sh/disruption", "cloud.google.com/impending-node-termination"),
    *(
        f"aws-node-termination-handler/{event}"
        for event in ("asg-lifecycle-termination", "rebalance-recommendation", "scheduled-maintenance", "spot-itn")
    ),
)
"""The keys of the taints by which an autoscaler, Karpenter, GKE or the AWS Node Termination Handler takes a node away."""
_LEAVING_DOMAINS = ("aws-node-termination-handler/",)
_OUT_OF_SERVICE = "node.kubernetes.io/out-of-service"
_AT_ONCE = ("kubernetes.io/os", "kubernetes.io/arch")
_AT_RESTART = (
    *("kubernetes.io/hostname", "topology.kubernetes.io/zone", "topology.kubernetes.io/region", "node.kubernetes.io/instance-type"),
    *("failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region", "beta.kubernetes.io/instance-type"),
)


def is_controller_owned(taint: Taint) -> bool:
    """Whether the node lifecycle controller owns a taint: it keeps it as the node's conditions say, whatever a hand does.

    not-ready and unreachable with NoSchedule or NoExecute; the pressures, network-unavailable and unschedulable with NoSchedule.
    """
    return (taint.effect == "NoSchedule" and taint.key in _CONDITIONS) or (taint.effect == "NoExecute" and taint.key in _READINESS)


def is_leaving_taint(taint: Taint) -> bool:
    """Whether a taint tells that its node is about to go: an autoscaler, Karpenter, or a handler of interruptions set it."""
    return taint.key in LEAVING_KEYS or taint.key.startswith(_LEAVING_DOMAINS)


def is_removal_taint(taint: Taint) -> bool:
    """Whether a taint tells that its node is about to be removed, or that a hand declared it out of service."""
    return is_leaving_taint(taint) or taint.key == _OUT_OF_SERVICE


def describe_taint_reversals(added: Iterable[Taint], removed: Iterable[Taint], nodes: Sequence[Node]) -> tuple[str, ...]:
    """What the node lifecycle controller undoes, as sentences; the world after the change does not show it."""
    notes = [
        messages.format_taint_taken_away(taint)
        for taint in added
        if is_controller_owned(taint) and not (taint == UNSCHEDULABLE_TAINT and all(node.spec.unschedulable for node in nodes))
    ]
    cordoned = [node.name for node in nodes if node.spec.unschedulable]
    unready = [node.name for node in nodes if node.is_ready is False]
    for taint in removed:
        if taint.key == UNSCHEDULABLE_TAINT.key and taint.effect in ("", "NoSchedule") and cordoned:
            notes.append(messages.format_cordon_taint_back(UNSCHEDULABLE_TAINT, cordoned))
        elif taint.key in _READINESS and unready:
            notes.append(messages.format_readiness_taint_back(taint.key, unready))
    return tuple(dict.fromkeys(notes))


def describe_label_reversals(keys: Iterable[str]) -> tuple[str, ...]:
    """What the kubelet puts back of the labels that were changed or removed, as sentences."""
    notes = []
    for key in sorted(keys):
        if key in _AT_ONCE:
            notes.append(messages.format_label_back_at_once(key))
        elif key in _AT_RESTART:
            notes.append(messages.format_label_back_at_restart(key))
    return tuple(notes)


def restore_kubelet_labels(before: Node, after: Node) -> Node:
    """The node once its kubelet has put its operating system and architecture back; as it is where nothing of that changed.

    The kubelet of a node that is not Ready may be down: then nobody puts them back.
    """
    own = {key: before.metadata.labels[key] for key in _AT_ONCE if key in before.metadata.labels}
    if before.is_ready is False or all(after.metadata.labels.get(key) == value for key, value in own.items()):
        return after
    labels = {**after.metadata.labels, **own}
    if labels == before.metadata.labels:
        return before
    return replace(after, metadata=replace(after.metadata, labels=labels))
