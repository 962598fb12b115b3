"""What one node has against one pod: our own answer, beside what the scheduler says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from preflight.doctor.pod_health import bound_for
from preflight.messages.lists import listed
from preflight.scheduling.filters import Reason
from preflight.scheduling.fit import Fit, fit
from preflight.scheduling.node_fit import NodeFit
from preflight.scheduling.occupancy import Occupancy

if TYPE_CHECKING:
    from preflight.doctor.context import Diagnosis
    from preflight.doctor.coverage_gaps import Gap
    from preflight.model.runtime_state import StatedPod

COUNTED = re.compile(r"^0/([0-9]+) nodes are available")
_MOST = 3
_SIZES = (("Ti", 1 << 40), ("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10))
DOUBTS = {
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


def fits(facts: Diagnosis, pod: StatedPod, occupancy: Occupancy | None = None) -> Fit:
    """Where a pod that waits fits now, or with other rooms than those of today."""
    return fit(
        pod.spec,
        occupancy or facts.occupancy,
        labels=pod.metadata.labels,
        namespace=pod.metadata.namespace,
        admitted=True,
        comparison_operators=facts.world.comparison_operators,
    )


def on_its_node(facts: Diagnosis, gap: Gap) -> Iterator[str]:
    """For a few of the pods: what the node that each is for has against it."""
    for each in gap.pending[:_MOST]:
        node = bound_for(each.pod)
        if node in facts.world.nodes:
            whole = facts.occupancy
            everywhere = fits(facts, each.pod, Occupancy({node: whole.rooms[node]}, whole.guards, whole.doubts))
            found = next(one for one in everywhere.nodes if one.node == node)
            yield f"{node} by our own account: {verdict(found, everywhere)}"


def verdict(found: NodeFit, everywhere: Fit) -> str:
    """Whether a node takes a pod, and all that it has against it; else why that is not known."""
    if found.takes:
        return "takes the pod"
    if found.reasons:
        return listed(dict.fromkeys(text(reason) for reason in found.reasons))
    doubts = dict.fromkeys(DOUBTS.get(each.what, each.what) for each in (*found.doubts, *everywhere.doubts))
    return f"not known ({listed(doubts)})"


def text(reason: Reason) -> str:
    """A reason with what stands behind it."""
    if reason.shortage is not None:
        short = reason.shortage
        wanted, used, whole = (amount(short.resource, each) for each in (short.wanted, short.used, short.allocatable))
        return f"{reason.text} (asks for {wanted}, {used} of {whole} are taken)"
    if reason.taints:
        return f"does not tolerate {listed(reason.taints)}"
    return reason.text


def amount(resource: str, number: int) -> str:
    """An amount as a person writes it: cores, Gi, or the number."""
    if resource == "cpu":
        return f"{number / 1000:g}"
    if resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-"):
        unit, size = next(((unit, size) for unit, size in _SIZES if number >= size), ("", 1))
        return f"{number / size:.4g}{unit}"
    return str(number)


def miscounted(message: str, nodes: int) -> str:
    """That the scheduler counts another number of nodes than there are; "" where it does not, or counts none."""
    number = counted(message)
    if number is None or number == nodes:
        return ""
    return f"the scheduler counts {number} node{'s' if number != 1 else ''}, and there {'are' if nodes != 1 else 'is'} {nodes}"


def counted(message: str) -> int | None:
    """How many nodes the scheduler counts in its message; None where it counts none."""
    found = COUNTED.match(message)
    return int(found[1]) if found else None
