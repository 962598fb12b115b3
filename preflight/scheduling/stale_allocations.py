"""Pods that hold room of a node though nothing of them runs there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from preflight.model.capacity_reasons import StaleReason
from preflight.model.core import Node
from preflight.model.pod_status import ClusterPod


class StalePod(Struct, frozen=True, gc=False):
    """One such pod: its namespace and name, its node, and why."""

    key: tuple[str, str]
    node: str
    reason: StaleReason


def find_stale_pod(pod: ClusterPod, nodes: Mapping[str, Node]) -> StalePod | None:
    """Whether a pod holds room though nothing of it runs; None where it does not.

    1. The scheduler counts it all the same: what a pod asks for is taken from its binding to the end of its object.
    2. A pod that is bound and Pending has started nothing, or none of its containers that stay. It may have been bound a moment ago:
       how long ago is for a clock to say, and none is read here.
    3. A pod that is being deleted on a node that is not Ready hangs until the node is back, or its object is deleted by force.
    4. One that has Succeeded or Failed holds nothing; one on a node that is not known, or whose state is not, is none.
    """
    on = pod.spec.nodeName
    if not on or pod.has_ended or on not in nodes:
        return None
    if pod.metadata.deletionTimestamp and nodes[on].is_ready is False:
        return StalePod(pod.key, on, StaleReason.DEAD)
    return StalePod(pod.key, on, StaleReason.PENDING) if pod.status.phase == "Pending" else None


def list_stale_pods(pods: Iterable[ClusterPod], nodes: Mapping[str, Node]) -> tuple[StalePod, ...]:
    """Those of the pods that are ghosts, in their order."""
    return tuple(found for pod in pods if (found := find_stale_pod(pod, nodes)))
