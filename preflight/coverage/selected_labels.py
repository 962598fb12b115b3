"""The node labels that somebody selects on: DaemonSets, templates of other workloads, and pods that were listed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from preflight.coverage.pod_fields import decode_affinity, parse_labels
from preflight.model.apps import DaemonSet
from preflight.model.core import PodSpec
from preflight.model.workloads import locate_pod_spec
from preflight.model.world import ClusterState
from preflight.scheduling.affinity import collect_label_keys


class SelectedLabels:
    """The labels that the pods of one cluster state select on, or exclude."""

    def __init__(self, world: ClusterState) -> None:
        keys = {key: collect_label_keys(daemonset.spec.template.spec)[0] for key, daemonset in world.daemonsets.items()}
        self.by_daemonset = {key: labels for key, labels in keys.items() if labels}
        self.is_empty = not (self.by_daemonset or world.pods or world.job_sets or len(world.workloads) > len(world.daemonsets))
        self._world = world

    @cached_property
    def every(self) -> frozenset[str]:
        """All of them. Few changes take labels from a node, so ordinary pods are only looked at when one does."""
        return frozenset().union(*self.by_daemonset.values(), *(collect_label_keys(spec)[0] for spec in _iter_other_specs(self._world)))


def _iter_other_specs(world: ClusterState) -> Iterator[PodSpec]:
    yield from (locate_pod_spec(workload)[0] for workload in world.workloads if not isinstance(workload, DaemonSet))
    yield from (job.template.spec.template.spec for job_set in world.job_sets for job in job_set.spec.replicatedJobs)
    yield from (PodSpec(nodeSelector=parse_labels(raw)) for raw in {bytes(pod.spec.nodeSelector) for pod in world.pods})
    yield from (PodSpec(affinity=decode_affinity(raw)) for raw in {bytes(pod.spec.affinity) for pod in world.pods})
