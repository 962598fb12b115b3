"""Texts about DaemonSets that select no node."""

from __future__ import annotations

from preflight.messages.counts import format_count
from preflight.messages.coverage import describe_reasons
from preflight.messages.lists import join_and
from preflight.model.reasons import SelectorMismatch, SelectsNoNode


def describe_empty_selection(selection: SelectsNoNode) -> str:
    """Why no node is selected: what the nodeSelector or the affinity requires, and the labels that no node has."""
    required = list(
        dict.fromkeys(f"{reason.key}={reason.required}" for reason in selection.reasons if isinstance(reason, SelectorMismatch))
    )
    what = f"its nodeSelector requires {join_and(required)}" if required else "its node affinity matches no node"
    if selection.absent_labels:
        return f"{what}, and no node has the label{'s' if len(selection.absent_labels) > 1 else ''} {join_and(selection.absent_labels)}"
    if not required:
        return f"{what}: {'; '.join(describe_reasons(selection.reasons))}"
    return f"{what}, and no node has {'this value' if len(required) == 1 else 'all of that'}"


def describe_unused_provider(selection: SelectsNoNode, node_count: int) -> str:
    """PF423: that a component selects none of the nodes."""
    nodes = "the only node" if node_count == 1 else f"any of the {format_count(node_count, 'node')}"
    return f"does not select {nodes}: {describe_empty_selection(selection)}"
