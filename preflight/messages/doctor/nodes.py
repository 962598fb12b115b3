"""Texts about nodes whose capacity cannot be used: not Ready, cordoned, tainted, under pressure, or without a label of their peers."""

from __future__ import annotations

from preflight.doctor.cluster_messages import normalize_message
from preflight.doctor.label_drift import LabelDrift
from preflight.doctor.missing_networks import MissingNetwork
from preflight.doctor.stranded_capacity import IdleNodes, LeftoverTaint, TaintCause
from preflight.messages.amounts import format_resources
from preflight.messages.doctor.gaps import describe_component, explain_gap
from preflight.messages.lists import format_other_nodes, join_names, join_node_names
from preflight.messages.times import format_since
from preflight.model.runtime_state import ManagedFields, NodeCondition


def describe_not_ready_nodes(nodes: IdleNodes, latest_time: str) -> str:
    """PF430: nodes that are not Ready."""
    reason = f": {nodes.stated_reason}" if nodes.stated_reason else ""
    since = format_start(nodes.since, latest_time)
    return f"{'has not been' if since else 'is not'} Ready{since}{format_other_nodes(nodes.nodes[1:])}{reason}"


def describe_missing_network(network: MissingNetwork) -> str:
    """PF430: that the pod network is missing, and why."""
    if network.gap is not None:
        return f"its pod network (DaemonSet {network.gap.daemonset.key}) is missing: {explain_gap(network.gap)}"
    if network.daemonsets:
        names = join_names(str(daemonset.key) for daemonset in network.daemonsets)
        return (
            f"its pod network is missing, although {names} runs there and is Ready: see its logs for why the CNI configuration is missing"
        )
    if network.unlisted:
        names = join_names(str(daemonset.key) for daemonset in network.unlisted)
        return f"its pod network is missing; unknown: whether {names} has a pod there (add the output of `kubectl get pods -A -o json`)"
    return "its pod network is missing, and no DaemonSet in the input is recognized as one for this node"


def describe_unusable_resources(nodes: IdleNodes) -> str:
    """PF430: the resources on them that no pod can use."""
    return f"{format_resources(nodes.free_resources)} there cannot be used, although counted as free"


def describe_cordoned_nodes(nodes: IdleNodes) -> str:
    """PF430: which of them are cordoned too."""
    return f"cordoned: {join_names(nodes.cordoned_nodes)}"


def describe_cordoned_node(nodes: IdleNodes, latest_time: str) -> str:
    """PF431: a node that is cordoned."""
    idle = f", with {format_resources(nodes.free_resources)} idle" if nodes.free_resources else ""
    since = format_start(nodes.since, latest_time)
    return f"{'has been' if since else 'is'} cordoned{since}{idle}"


def explain_leftover_taint(taint: LeftoverTaint) -> str:
    """Why a startup taint stays."""
    match taint.cause:
        case TaintCause.NO_NETWORK:
            return taint.stated_reason or "no condition gives a reason"
        case TaintCause.CONTROLLER:
            return _explain_controller(taint)
        case TaintCause.NO_REMOVER:
            return "no known DaemonSet removes it"
        case TaintCause.REMOVER_RUNS:
            return f"{_get_remover(taint)} runs there and should remove it, but has not"
        case TaintCause.REMOVER_NOT_WORKING:
            return f"{_get_remover(taint)} should remove it, but has no working pod there"


_CONDITIONS = {
    "node.gardener.cloud/critical-components-not-ready": (
        "once the pods with the label node.gardener.cloud/critical-component=true are Ready on the node"
    ),
    "node.cluster.x-k8s.io/uninitialized": "once the node has a providerID, which the cloud controller sets",
    "karpenter.sh/unregistered": "once it has registered the node",
}


def _explain_controller(taint: LeftoverTaint) -> str:
    """What a controller waits for."""
    removes = f"{taint.controller} removes it {_CONDITIONS.get(taint.taint_key, 'once its conditions hold')}"
    if not taint.awaited:
        return f"{removes}, but has not"
    verb = "has" if len(taint.awaited) == 1 else "have"
    return f"{removes}, but {join_names(map(str, taint.awaited))} {verb} no working pod there"


def _get_remover(taint: LeftoverTaint) -> str:
    assert taint.remover is not None
    return str(taint.remover.key)


def describe_leftover_taint(taint: LeftoverTaint) -> str:
    """PF432: a startup taint that stays."""
    others = format_other_nodes(taint.nodes[1:])
    return f"still has the startup taint {taint.taint_key}{others}: {explain_leftover_taint(taint)}"


def describe_label_drift(drift: LabelDrift) -> str:
    """PF433: a label that a node lacks."""
    value = f"={drift.values[0]}" if len(drift.values) == 1 else ""
    others = format_other_nodes(drift.nodes[1:])
    peers = f"which {_count_peers(drift)}: {join_node_names(drift.peers)}"
    return f"lacks the label {drift.label}{value}{others}{_describe_lost_providers(drift)}, {peers}"


def _describe_lost_providers(drift: LabelDrift) -> str:
    """What goes with the label: `, and with it the DRA driver of gpu.nvidia.com (DaemonSet dra/plugin)`."""
    if not drift.lost_providers:
        return ""
    lost = (f"{describe_component(provider.component)} (DaemonSet {provider.daemonset.key})" for provider in drift.lost_providers)
    return f", and with it {join_names(lost)}"


def _count_peers(drift: LabelDrift) -> str:
    return "1 peer has" if len(drift.peers) == 1 else f"{len(drift.peers)} peers have"


def describe_missing_label(drift: LabelDrift) -> str:
    """The same as a sentence of its own."""
    verb = "lacks" if len(drift.nodes) == 1 else "lack"
    return f"{join_node_names(drift.nodes)} {verb} the label {drift.label}{_describe_lost_providers(drift)}, which {_count_peers(drift)}"


def describe_idle_devices(drift: LabelDrift) -> str:
    """PF433: devices that no pod which selects on the label can use."""
    return f"pods that select on the label cannot use {format_resources(drift.idle_devices)} there"


def describe_takeable_pods(drift: LabelDrift) -> str:
    """PF433: pods that would fit on the nodes if they had the label."""
    return f"with the label, these waiting pods would fit there: {join_names('/'.join(key) for key in drift.waiting_pods)}"


def describe_selecting_subjects(drift: LabelDrift) -> str:
    """PF433: which workloads select on the label."""
    return f"selected on by {join_names(f'{subject.kind} {subject}' for subject in drift.selecting_subjects)}"


def describe_younger_nodes(drift: LabelDrift) -> str:
    """PF433: that the nodes registered after their peers."""
    return f"registered {drift.days_younger} days after its newest peer: if it re-registered, labels set by hand were lost"


def describe_label_manager(manager: ManagedFields | None) -> str:
    """PF433: who set the label last on a peer."""
    if manager is None:
        return "unknown: who set the label on the peers (no managedFields: add `kubectl get nodes -o json --show-managed-fields`)"
    return f"last set on a peer by {manager.manager or 'an unnamed manager'}{f' at {manager.time}' if manager.time else ''}"


def describe_node_pressure(condition: NodeCondition, latest_time: str) -> str:
    """PF435: a node under pressure."""
    message = normalize_message(condition.message)
    return f"has {condition.type}{format_start(condition.lastTransitionTime, latest_time)}{f': {message}' if message else ''}"


def format_start(since: str, latest_time: str) -> str:
    """` since 2026-01-31T12:00:00Z (3 days)`, "" if unknown."""
    text = format_since(since, latest_time)
    return f" {text}" if text else ""
