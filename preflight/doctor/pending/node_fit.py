"""What one node has against one pod: our own answer, beside what the scheduler says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from preflight.doctor.pod_health import get_target_node
from preflight.messages.lists import join_and
from preflight.scheduling.filters import FilterReason
from preflight.scheduling.fit import FitResult, fit_pod
from preflight.scheduling.node_fit import NodeFit
from preflight.scheduling.occupancy import Occupancy

if TYPE_CHECKING:
    from preflight.doctor.context import ClusterFacts
    from preflight.doctor.coverage_gaps import CoverageGap
    from preflight.model.runtime_state import PodState

NODE_COUNT_PATTERN = re.compile(r"^0/([0-9]+) nodes are available")
_MAX_PODS = 3
_SIZE_UNITS = (("Ti", 1 << 40), ("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10))
FIT_DOUBTS = {
    "pods": "not all pods are known",
    "nodes": "not all nodes are known",
    "allocatable": "what it can allocate is not given",
    "scheduler": "another scheduler decides",
    "volumes": "its volumes may be had on some nodes only",
    "affinity": "its affinity to other pods is not judged",
    "spread": "its spread over nodes is not judged",
    "claims": "its device claims are not judged",
    "gates": "it has a scheduling gate",
    "group": "it waits for its group",
    "neighbours": "other pods may not want it near them",
}
"""What keeps an answer of `fit` from being known, in words."""


def compute_fit(facts: ClusterFacts, pod: PodState, occupancy: Occupancy | None = None) -> FitResult:
    """Where a pod that waits fits now, or with other rooms than those of today."""
    return fit_pod(
        pod.spec,
        occupancy or facts.occupancy,
        labels=pod.metadata.labels,
        namespace=pod.metadata.namespace,
        is_admitted=True,
        comparison_operators=facts.world.comparison_operators,
    )


def explain_own_node(facts: ClusterFacts, gap: CoverageGap) -> Iterator[str]:
    """For a few of the pods: what the node that each is for has against it."""
    for pending_pod in gap.pending_pods[:_MAX_PODS]:
        node = get_target_node(pending_pod.pod)
        if node in facts.world.nodes:
            whole = facts.occupancy
            everywhere = compute_fit(
                facts, pending_pod.pod, Occupancy({node: whole.nodes[node]}, whole.anti_affinities, whole.uncertainties)
            )
            found = next(one for one in everywhere.nodes if one.node == node)
            yield f"{node} by our own account: {describe_node_fit(found, everywhere)}"


def describe_node_fit(node_fit: NodeFit, cluster_fit: FitResult) -> str:
    """Whether a node takes a pod, and all that it has against it; else why that is not known."""
    if node_fit.fits:
        return "takes the pod"
    if node_fit.reasons:
        return join_and(dict.fromkeys(describe_reason(reason) for reason in node_fit.reasons))
    doubts = dict.fromkeys(
        FIT_DOUBTS.get(uncertainty.kind, uncertainty.kind) for uncertainty in (*node_fit.uncertainties, *cluster_fit.uncertainties)
    )
    return f"not known ({join_and(doubts)})"


def describe_reason(reason: FilterReason) -> str:
    """A reason with what stands behind it."""
    if reason.shortage is not None:
        short = reason.shortage
        wanted, used, whole = (format_amount(short.resource, each) for each in (short.requested, short.used, short.allocatable))
        return f"{reason.text} (asks for {wanted}, {used} of {whole} are taken)"
    if reason.taints:
        return f"does not tolerate {join_and(reason.taints)}"
    return reason.text


def format_amount(resource: str, number: int) -> str:
    """An amount as a person writes it: cores, Gi, or the number."""
    if resource == "cpu":
        return f"{number / 1000:g}"
    if resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-"):
        unit, size = next(((unit, size) for unit, size in _SIZE_UNITS if number >= size), ("", 1))
        return f"{number / size:.4g}{unit}"
    return str(number)


def describe_count_mismatch(message: str, nodes: int) -> str:
    """That the scheduler counts another number of nodes than there are; "" where it does not, or counts none."""
    number = parse_node_count(message)
    if number is None or number == nodes:
        return ""
    return f"the scheduler counts {number} node{'s' if number != 1 else ''}, and there {'are' if nodes != 1 else 'is'} {nodes}"


def parse_node_count(message: str) -> int | None:
    """How many nodes the scheduler counts in its message; None where it counts none."""
    found = NODE_COUNT_PATTERN.match(message)
    return int(found[1]) if found else None
