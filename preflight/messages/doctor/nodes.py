"""Texts about nodes whose capacity cannot be used: not Ready, cordoned, tainted, under pressure, or without a label of their peers."""

from __future__ import annotations

from preflight.doctor.cluster_messages import normalize_message
from preflight.doctor.label_drift import LabelDrift
from preflight.doctor.stranded_capacity import IdleNodes, LeftoverTaint, TaintCause
from preflight.messages.amounts import format_resources
from preflight.messages.lists import format_other_nodes, join_names, join_node_names
from preflight.messages.times import format_since
from preflight.model.runtime_state import ManagedFields, NodeCondition


def describe_not_ready_nodes(nodes: IdleNodes, latest_time: str) -> str:
    """PF430: nodes that are not Ready."""
    reason = f": {nodes.stated_reason}" if nodes.stated_reason else ""
    return f"is not Ready{format_start(nodes.since, latest_time)}{format_other_nodes(nodes.nodes[1:], 'is')}{reason}"


def describe_unusable_resources(nodes: IdleNodes) -> str:
    """PF430: the resources on them that nobody can have."""
    return f"{format_resources(nodes.free_resources)} count as free and cannot be had"


def describe_cordoned_nodes(nodes: IdleNodes) -> str:
    """PF430: which of them are cordoned too."""
    return f"cordoned: {join_names(nodes.cordoned_nodes)}"


def describe_cordoned_node(nodes: IdleNodes, latest_time: str) -> str:
    """PF431: a node that is cordoned."""
    idle = f", with {format_resources(nodes.free_resources)} that nobody uses" if nodes.free_resources else ""
    return f"is cordoned{format_start(nodes.since, latest_time)}{idle}"


def explain_leftover_taint(taint: LeftoverTaint) -> str:
    """Why a startup taint stays."""
    match taint.cause:
        case TaintCause.NO_NETWORK:
            return taint.stated_reason or "no condition says why"
        case TaintCause.NO_REMOVER:
            return "no DaemonSet is known that removes it"
        case TaintCause.REMOVER_RUNS:
            return f"{_get_remover(taint)} removes it, runs there and has not"
        case TaintCause.REMOVER_NOT_WORKING:
            return f"{_get_remover(taint)} removes it and has no working pod there"


def _get_remover(taint: LeftoverTaint) -> str:
    assert taint.remover is not None
    return str(taint.remover.key)


def describe_leftover_taint(taint: LeftoverTaint) -> str:
    """PF432: a startup taint that stays."""
    others = format_other_nodes(taint.nodes[1:], "has")
    return f"has the startup taint {taint.taint_key} still{others}: {explain_leftover_taint(taint)}"


def describe_label_drift(drift: LabelDrift) -> str:
    """PF433: a label that a node lacks."""
    value = f"={drift.values[0]}" if len(drift.values) == 1 else ""
    return (
        f"lacks the label {drift.label}{value}{format_other_nodes(drift.nodes[1:], 'does')}, which {len(drift.peers)} peers carry "
        f"({join_node_names(drift.peers)})"
    )


def describe_missing_label(drift: LabelDrift) -> str:
    """The same as a sentence of its own."""
    verb = "lacks" if len(drift.nodes) == 1 else "lack"
    return f"{join_node_names(drift.nodes)} {verb} the label {drift.label}, which {len(drift.peers)} peers carry"


def describe_idle_devices(drift: LabelDrift) -> str:
    """PF433: devices that no pod sees."""
    verb = "is" if sum(drift.idle_devices.values()) == 1 else "are"
    return f"{format_resources(drift.idle_devices)} there {verb} seen by no pod that selects by it"


def describe_takeable_pods(drift: LabelDrift) -> str:
    """PF433: pods that the nodes would take with the label."""
    return f"would be taken there with the label: {join_names('/'.join(key) for key in drift.waiting_pods)}"


def describe_selecting_subjects(drift: LabelDrift) -> str:
    """PF433: who selects by the label."""
    return f"selected by {join_names(f'{subject.kind} {subject}' for subject in drift.selecting_subjects)}"


def describe_younger_nodes(drift: LabelDrift) -> str:
    """PF433: that the nodes registered after their peers."""
    return f"registered {drift.days_younger} days after the youngest peer: what a hand had set is gone then"


def describe_label_manager(manager: ManagedFields | None) -> str:
    """PF433: who set the label last on a peer."""
    if manager is None:
        return "who set it on the peers cannot be told: no managedFields"
    return f"last set on a peer by {manager.manager or 'somebody'}{f' at {manager.time}' if manager.time else ''}"


def describe_node_pressure(condition: NodeCondition, latest_time: str) -> str:
    """PF435: a node under pressure."""
    message = normalize_message(condition.message)
    return f"has {condition.type}{format_start(condition.lastTransitionTime, latest_time)}{f': {message}' if message else ''}"


def format_start(since: str, latest_time: str) -> str:
    """` since 2026-01-31T12:00:00Z (3 days)`, "" where that is not known."""
    text = format_since(since, latest_time)
    return f" {text}" if text else ""
