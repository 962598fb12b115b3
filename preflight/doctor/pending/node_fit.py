"""What one node has against one pod: our own answer, beside what the scheduler says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from preflight.coverage.node_targeting import get_target_node
from preflight.doctor.index import ClusterIndex
from preflight.model.runtime_state import PodState
from preflight.scheduling.fit import FitResult, fit_pod
from preflight.scheduling.node_fit import NodeFit
from preflight.scheduling.occupancy import Occupancy
from preflight.scheduling.scheduler_behavior import find_scheduler_behavior


class OwnNodeFit(Struct, frozen=True):
    """Whether the node that the pod of a DaemonSet is for takes the pod; `cluster_fit` has what is unknown of the pod."""

    node_fit: NodeFit
    cluster_fit: FitResult


def compute_fit(index: ClusterIndex, pod: PodState, occupancy: Occupancy | None = None) -> FitResult:
    """Where a pod that waits fits now, or with other rooms than those of today."""
    return fit_pod(
        pod.spec,
        occupancy or index.occupancy,
        labels=pod.metadata.labels,
        namespace=pod.metadata.namespace,
        is_admitted=True,
        comparison_operators=index.cluster.comparison_operators,
        behavior=find_scheduler_behavior(index.cluster.versions),
        volumes=index.volumes.list_bound_volumes(pod.spec, pod.metadata.namespace),
    )


def iter_own_node_fits(index: ClusterIndex, pods: Iterable[PodState]) -> Iterator[OwnNodeFit]:
    """For each pod of a DaemonSet: whether the node that it is for takes it."""
    occupancy = index.occupancy
    for pod in pods:
        node = get_target_node(pod)
        if node in index.cluster.nodes:
            own = Occupancy({node: occupancy.nodes[node]}, occupancy.anti_affinities, occupancy.uncertainties)
            cluster_fit = compute_fit(index, pod, own)
            yield OwnNodeFit(next(node_fit for node_fit in cluster_fit.nodes if node_fit.node == node), cluster_fit)
