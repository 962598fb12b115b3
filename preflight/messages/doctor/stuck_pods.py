"""Texts about pods that are stuck in Terminating, and about the taint out-of-service."""

from __future__ import annotations

from preflight.doctor.stuck_pods import StuckPods
from preflight.messages.lists import format_other_nodes, join_limited, join_node_names
from preflight.messages.termination import describe_help, explain_hang
from preflight.messages.times import format_since
from preflight.model.eviction_reasons import FreePods


def describe_stuck_pods(stuck: StuckPods, latest_time: str) -> str:
    """PF416: the stuck pods of an owner or of a node, for use after its name."""
    if stuck.is_awaited:
        where = f"stuck in Terminating on {join_node_names(stuck.nodes)}"
        return f"has pod{'s' if len(stuck.pods) > 1 else ''} {_join_names(stuck)} {where}{_explain(stuck, latest_time)}"
    pods = join_limited(("/".join(key) for key in stuck.pods), "pods")
    return f"has pod{'s' if len(stuck.pods) > 1 else ''} {pods} stuck in Terminating{_explain(stuck, latest_time)}"


def summarize_stuck_pods(stuck: StuckPods, latest_time: str) -> str:
    """That the pods of an owner are stuck, as a sentence of its own."""
    where = f"{'is' if len(stuck.pods) == 1 else 'are'} stuck in Terminating on {join_node_names(stuck.nodes)}"
    return f"{_join_names(stuck)} of {stuck.subject.kind} {stuck.subject} {where}{_explain(stuck, latest_time)}"


def _join_names(stuck: StuckPods) -> str:
    return join_limited((name for _, name in stuck.pods), "pods")


def _explain(stuck: StuckPods, latest_time: str) -> str:
    since = format_since(stuck.since, latest_time)
    end = "no replacement is created before it ends" if len(stuck.pods) == 1 else "no replacements are created before they end"
    return f"{f' {since}' if since else ''}: {explain_hang(stuck.hang)}{f'; {end}' if stuck.is_awaited else ''}"


def describe_stuck_help(stuck: StuckPods) -> str:
    """PF416: what lets them end."""
    return describe_help(FreePods(stuck.hang, tuple("/".join(key) for key in stuck.pods)))


def describe_misplaced_taint(nodes: tuple[str, ...]) -> str:
    """PF436: nodes that are Ready and have the taint out-of-service."""
    return f"is Ready but still has the taint node.kubernetes.io/out-of-service{format_other_nodes(nodes[1:])}"


def describe_taint_removal(nodes: tuple[str, ...]) -> str:
    """PF436: the command that removes the taint."""
    return f"kubectl taint nodes {' '.join(nodes)} node.kubernetes.io/out-of-service-"
