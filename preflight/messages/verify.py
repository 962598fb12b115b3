"""What became of a cluster since a snapshot, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from preflight.messages.counts import format_count
from preflight.messages.coverage import describe_reasons
from preflight.messages.lists import format_other_nodes, join_names, join_node_names
from preflight.model.comparison_reasons import (
    ComparisonGap,
    LabelDifference,
    Limitation,
    NodeChange,
    NodeChangeKind,
    Side,
    TaintDifference,
    UnknownAllocatable,
    UnlistedDaemonSets,
    UnlistedNodes,
    UnlistedSides,
)
from preflight.model.reasons import Reason

_GAPS = {
    ComparisonGap.NO_DAEMONSETS: "DaemonSets: none was given now",
    ComparisonGap.NO_NAMESPACE: "its manifest states no namespace, so nobody knows its pods",
}
_HIDDEN_BY_NODES = {Side.BEFORE: "new nodes", Side.NOW: "nodes that are gone"}

DAEMONSET_IS_GONE = "the DaemonSet is gone"
NODE_IS_GONE = "the node is gone"
NODE_IS_NOT_READY = "the node is not Ready"
POD_IS_NOT_READY = "its pod is not Ready"


def describe_limitation(limitation: Limitation) -> str:
    """Why something cannot be compared."""
    match limitation:
        case UnlistedNodes(side, has_some):
            return f"{_HIDDEN_BY_NODES[side]}: {'not all nodes' if has_some else 'no nodes'} were listed {side.value}"
        case UnknownAllocatable(node_count):
            return f"what {node_count} of the nodes can allocate: said on one side only"
        case UnlistedSides(sides):
            return f"its pods were not listed {' or '.join(side.value for side in sides)}"
        case UnlistedDaemonSets(cause):
            return f"not all DaemonSets are known now: {cause or 'none was given'}"
        case ComparisonGap():
            return _GAPS[limitation]


def describe_pod_gone(nodes: Sequence[str], reasons: Sequence[Reason]) -> str:
    """PF401."""
    cause = f": {', '.join(describe_reasons(reasons))}" if reasons else ""
    return f"has no pod on {join_node_names(nodes)} any more{cause}"


def describe_uncovered_nodes(nodes: Sequence[str]) -> str:
    """PF401 on new nodes."""
    return f"has no pod on {join_node_names(nodes)}, new since then, where it should run"


def describe_unready_pods(nodes: Sequence[str]) -> str:
    """PF402."""
    return f"has a pod on {join_node_names(nodes)} that is not Ready, and had one that was"


def describe_resource_decrease(nodes: Sequence[str], quantities: Iterable[tuple[str, str]], *, is_gone: bool) -> str:
    """PF403: `quantities` are those before and now, "" for nothing."""
    amounts = join_names(dict.fromkeys(f"{before} -> {now or '0'}" for before, now in quantities))
    return f"{'has left' if is_gone else 'has shrunk in'} Allocatable on {join_node_names(nodes)} ({amounts})"


def describe_advertiser(daemonset: object) -> str:
    """The note of PF403 on a DaemonSet that made the resource allocatable before."""
    return f"{daemonset} advertises it"


def describe_node_change(change: NodeChange, other_nodes: Sequence[str] = ()) -> str:
    """PF404: `other_nodes` are those of which the same is said."""
    match change.kind:
        case NodeChangeKind.GONE:
            verb, text = "is", "is gone"
        case NodeChangeKind.NEW:
            verb, text = "is", "is new"
        case NodeChangeKind.NOT_READY:
            verb, text = "is", "is not Ready, and was"
        case NodeChangeKind.CORDONED:
            verb, text = "is", "is cordoned, and was not"
        case NodeChangeKind.LABELS:
            verb, text = "has", f"has other labels: {join_names(map(_format_label, change.labels))}"
        case NodeChangeKind.TAINTS:
            verb, text = "has", f"has other taints: {join_names(map(_format_taint, change.taints))}"
    return f"{text}{format_other_nodes(other_nodes, verb)}"


def _format_label(label: LabelDifference) -> str:
    """`-key=value` for one that is gone, `+key=value` for a new one, `key=old -> new` for another value."""
    if label.value_before is not None and label.value_now is not None:
        return f"{label.key}={label.value_before} -> {label.value_now}"
    value = label.value_before if label.value_now is None else label.value_now
    return f"{'-' if label.value_now is None else '+'}{label.key}{f'={value}' if value else ''}"


def _format_taint(taint: TaintDifference) -> str:
    return f"{'+' if taint.is_added else '-'}{taint.taint}"


def describe_daemonset_gone(nodes: Sequence[str]) -> str:
    """PF405."""
    return f"is gone, and with it its pods on {join_node_names(nodes)}" if nodes else "is gone; it had no pod"


def describe_daemonset_new(nodes: Sequence[str]) -> str:
    """PF405, the note."""
    return f"is new, with pods on {join_node_names(nodes)}" if nodes else "is new"


def describe_pod_new(nodes: Sequence[str]) -> str:
    """PF406."""
    return f"has a pod on {join_node_names(nodes)}, where it had none"


def note_unknown(reason: str) -> str:
    """What is not known of a cluster."""
    return f"not known: {reason}"


NOTHING_TO_COMPARE = "no DaemonSet was given on either side: there is nothing to compare"


def describe_empty_state(saved: str) -> str:
    """That the state before holds no object."""
    return f"no Kubernetes objects in {saved}: there is nothing to compare with"


NO_PODS_TO_COMPARE = "no pod was given on either side: whether one is gone shows only where pods are listed"


def describe_other_cluster(saved: str, saved_of: str, asked: str) -> str:
    """A snapshot of another cluster."""
    return f"{saved} is of the cluster {saved_of}, not of {asked}: choose its context with --context"


def summarize_comparison(saved: str, before: int, now: int) -> str:
    """How many pods of DaemonSets there were, and are."""
    return f"since {saved}: {before} pods of DaemonSets before, {now} now"


def count_recreated(again: object, pods: int) -> str:
    """How many pods were re-created."""
    return f"re-created since then: {again or 'none'} of the {format_count(pods, 'pod')} of DaemonSets that are still there"


def count_registered_nodes(nodes: int) -> str:
    """How many nodes registered again."""
    return f"{format_count(nodes, 'node')} registered anew under the old name"
