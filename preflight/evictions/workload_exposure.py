"""Which workloads may have pods on the nodes of a change, by their templates alone: what can be said where no pods are given."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.change.model import Change, PodEnding
from preflight.dependents.requirements import PlaceableNodes, list_consumers
from preflight.evictions.deleted_pods import gains_deleting_taint
from preflight.model.core import Toleration
from preflight.model.meta import Origin
from preflight.model.report import Subject
from preflight.scheduling.tolerations import NEVER, find_eviction_delay


class WorkloadExposure(Struct, frozen=True):
    """A workload whose pods may be on nodes of a change.

    1. `nodes` are the nodes of the change on which its pods may have been placed.
    2. `may_lose_pods`: the change lets its pods go from one of them, if it has any there.
    """

    subject: Subject
    origin: Origin
    nodes: tuple[str, ...]
    may_lose_pods: bool


def list_exposed_workloads(change: Change) -> tuple[WorkloadExposure, ...]:
    """The workloads that may have pods on the nodes of a change, in order of their place; of a JobSet one for each template.

    1. Labels and taints decide, before the change; resources, ports, volumes and affinity between pods are not looked at.
    2. A node that is only partly known may take whatever it is not known to refuse.
    """
    if not change.nodes:
        return ()
    return tuple(_iter_exposures(change))


def _iter_exposures(change: Change) -> Iterator[WorkloadExposure]:
    before = PlaceableNodes(change.before.nodes, change.after.comparison_operators)
    for consumer in list_consumers(change.before):
        if consumer.is_daemon:
            continue
        nodes = before.select_nodes(consumer.spec) & change.nodes
        if nodes:
            yield WorkloadExposure(
                consumer.subject,
                consumer.origin,
                tuple(sorted(nodes)),
                may_lose_pods=any(may_leave(change, consumer.spec.tolerations, name) for name in nodes),
            )


def may_leave(change: Change, tolerations: tuple[Toleration, ...], node: str) -> bool:
    """Whether a workload's pod goes from a node: by the drain, a NoExecute taint that it does not tolerate for ever, or with the node."""
    if change.drain_flags is not None:
        return node in change.drained_nodes
    if change.pod_ending is not PodEnding.NOT_ASKED and node in change.recreation_nodes:
        return True
    before, after = change.before.nodes.get(node), change.after.nodes.get(node)
    if after is None or not gains_deleting_taint(before, after):
        return False
    return find_eviction_delay(tolerations, after.spec.taints, change.after.comparison_operators) != NEVER
