"""Texts about how a cluster differs from a snapshot."""

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
    ComparisonGap.NO_DAEMONSETS: "DaemonSets (none in the input now: add the output of `kubectl get daemonsets -A -o json`)",
    ComparisonGap.NO_NAMESPACE: "no namespace in the manifest, so its pods cannot be determined",
}
_HIDDEN_BY_NODES = {Side.BEFORE: "new nodes", Side.NOW: "removed nodes"}

DAEMONSET_IS_GONE = "the DaemonSet no longer exists"
NODE_IS_GONE = "the node no longer exists"
NODE_IS_NOT_READY = "the node is not Ready"
POD_IS_NOT_READY = "its pod is not Ready"


def describe_limitation(limitation: Limitation) -> str:
    """Why something cannot be compared."""
    match limitation:
        case UnlistedNodes(side, has_some):
            return f"{_HIDDEN_BY_NODES[side]} ({'not all nodes' if has_some else 'no nodes'} were listed {side.value})"
        case UnknownAllocatable(node_count):
            return f"allocatable of {format_count(node_count, 'node')} (listed on one side only)"
        case UnlistedSides(sides):
            return f"pods not listed {' or '.join(side.value for side in sides)}"
        case UnlistedDaemonSets(cause):
            return f"not all DaemonSets are known now: {cause or 'none in the input'}"
        case ComparisonGap():
            return _GAPS[limitation]


def describe_pod_gone(nodes: Sequence[str], reasons: Sequence[Reason]) -> str:
    """PF401."""
    cause = f": {', '.join(describe_reasons(reasons))}" if reasons else ""
    return f"no longer has a live pod on {join_node_names(nodes)}{cause}"


def describe_uncovered_nodes(nodes: Sequence[str]) -> str:
    """PF401 on new nodes."""
    verb = "is" if len(nodes) == 1 else "are"
    return f"has no pod on {join_node_names(nodes)}, which {verb} new since the snapshot and where it should run"


def describe_unready_pods(nodes: Sequence[str]) -> str:
    """PF402."""
    return f"has a pod on {join_node_names(nodes)} that is no longer Ready"


def describe_resource_decrease(nodes: Sequence[str], quantities: Iterable[tuple[str, str]], *, is_gone: bool) -> str:
    """PF403: `quantities` are those before and now, "" for nothing."""
    amounts = join_names(dict.fromkeys(f"{before} -> {now or '0'}" for before, now in quantities))
    return f"{'is no longer in' if is_gone else 'has decreased in'} Allocatable on {join_node_names(nodes)} ({amounts})"


def describe_advertiser(daemonset: object) -> str:
    """The note of PF403 on a DaemonSet that made the resource allocatable before."""
    return f"{daemonset} advertises it"


def describe_node_change(change: NodeChange, other_nodes: Sequence[str] = ()) -> str:
    """PF404: `other_nodes` are those with the same change."""
    others = format_other_nodes(other_nodes)
    match change.kind:
        case NodeChangeKind.GONE:
            return f"no longer exists{others}"
        case NodeChangeKind.NEW:
            return f"is new{others}"
        case NodeChangeKind.NOT_READY:
            return f"is no longer Ready{others}"
        case NodeChangeKind.CORDONED:
            return f"is cordoned; before, it was not{others}"
        case NodeChangeKind.LABELS:
            return f"has different labels{others}: {join_names(map(_format_label, change.labels))}"
        case NodeChangeKind.TAINTS:
            return f"has different taints{others}: {join_names(map(_format_taint, change.taints))}"


def _format_label(label: LabelDifference) -> str:
    """`-key=value` for a removed label, `+key=value` for a new one, `key=old -> new` for a changed value."""
    if label.value_before is not None and label.value_now is not None:
        return f"{label.key}={label.value_before} -> {label.value_now}"
    value = label.value_before if label.value_now is None else label.value_now
    return f"{'-' if label.value_now is None else '+'}{label.key}{f'={value}' if value else ''}"


def _format_taint(taint: TaintDifference) -> str:
    return f"{'+' if taint.is_added else '-'}{taint.taint}"


def describe_daemonset_gone(nodes: Sequence[str]) -> str:
    """PF405."""
    if not nodes:
        return "no longer exists; it had no pods"
    pods = "pod" if len(nodes) == 1 else "pods"
    return f"no longer exists, and neither {'does' if len(nodes) == 1 else 'do'} its {pods} on {join_node_names(nodes)}"


def describe_daemonset_new(nodes: Sequence[str]) -> str:
    """PF405, the note."""
    return f"is new, with pods on {join_node_names(nodes)}" if nodes else "is new"


def describe_pod_new(nodes: Sequence[str]) -> str:
    """PF406."""
    return f"has a pod on {join_node_names(nodes)}; before, it had none"


def note_unknown(reason: str) -> str:
    """What is unknown about a cluster."""
    return f"unknown: {reason}"


NOTHING_TO_COMPARE = "no DaemonSets on either side: nothing to compare"


def describe_empty_state(saved: str) -> str:
    """That the earlier state has no objects."""
    return f"no Kubernetes objects in {saved}: nothing to compare with"


NO_PODS_TO_COMPARE = "no pods on either side: nothing to compare (add the output of `kubectl get pods -A -o json`)"


def describe_other_cluster(saved: str, saved_of: str, asked: str) -> str:
    """A snapshot of another cluster."""
    return f"{saved} is a snapshot of cluster {saved_of}, not of {asked}: choose its context with --context"


def summarize_comparison(saved: str, before: int, now: int) -> str:
    """How many pods DaemonSets had, and have."""
    return f"since {saved}: {format_count(before, 'DaemonSet pod')} before, {now} now"


def count_recreated(again: object, pods: int) -> str:
    """How many pods were re-created."""
    still = "exists" if pods == 1 else "exist"
    return f"re-created since then: {again or 'none'} of {format_count(pods, 'DaemonSet pod')} that still {still}"


def count_registered_nodes(nodes: int) -> str:
    """How many nodes registered again."""
    return f"{format_count(nodes, 'node')} re-registered under the same name"
