"""DaemonSets whose nodeSelector or affinity selects no node at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from preflight.coverage.model import CoverageGroup
from preflight.coverage.node_targeting import collect_asked_labels
from preflight.coverage.reasons import list_unselected
from preflight.model.core import Node
from preflight.model.reasons import SelectsNoNode


def selects_no_node(groups: Sequence[CoverageGroup]) -> bool:
    """Whether a DaemonSet certainly selects none of the nodes of its groups; False where it has no group."""
    placements = [group.placement_after for group in groups]
    return bool(placements) and all(placement is not None and placement.is_selected is False for placement in placements)


def explain_empty_selection(groups: Sequence[CoverageGroup], nodes: Iterable[Node]) -> SelectsNoNode:
    """Why a DaemonSet selects none of the nodes."""
    reasons = dict.fromkeys(reason for group in groups if group.placement_after for reason in list_unselected(group.placement_after))
    present = {label for node in nodes for label in node.metadata.labels} | {"metadata.name"}
    return SelectsNoNode(tuple(reasons), tuple(sorted(collect_asked_labels(groups[0].daemonset.spec.template.spec) - present)))
