"""What of a world decides who has to go and where to: pods, owners, budgets, Jobs, and whether all of each are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from preflight.model.apps import DaemonSet, Deployment
from preflight.model.batch import Job, JobSet
from preflight.model.core import Node
from preflight.model.meta import Metadata
from preflight.model.owners import OwnerKey
from preflight.model.pod_scheduling import SchedulerPod
from preflight.model.policy import PodDisruptionBudget
from preflight.model.releases import Behavior
from preflight.model.timestamps import parse_time
from preflight.model.world import ClusterState
from preflight.scheduling.budgets import has_empty_selector
from preflight.scheduling.drain.pod_filters import MIRROR_ANNOTATION
from preflight.scheduling.occupancy import Occupancy, build_occupancy
from preflight.scheduling.owners import Owners, find_top_owner, index_owners, is_kind
from preflight.scheduling.volumes import VolumeIndex

_MARGIN_SECONDS = 60.0

PodKey = tuple[str, str]
"""A namespace and a name."""


class PodIndex:
    """A world whose pods were read as a whole.

    1. `pods` are all of them, `pods_by_node` those of each node. `listed_namespaces` are the namespaces of which that is every pod, None
       for all. `listed_nodes` are the nodes whose pods are all known, None for every node; of the others only what shares a budget or an
       owner with pods that may have to go, so that `has_all_pods` holds of whatever asks for those.
    2. `budgets` are None where nobody knows which there are: files held none, and no list of them either; or the cluster did not show all
       of them. One that states no namespace guards nobody knows which pods: `budgets_without_namespace`. Those with an empty selector are
       left out where the server ignores them.
    """

    def __init__(self, world: ClusterState) -> None:
        assert world.pods_by_key is not None
        self.world = world
        self.pods: tuple[SchedulerPod, ...] = tuple(world.pods_by_key.values())
        survey = world.listing
        self.listed_namespaces = world.listed_namespaces
        self.listed_nodes = survey.pod_nodes if survey is not None else None
        is_of_all = survey is None or (survey.daemonsets is None and (survey.nodes or survey.pod_nodes is not None))
        self.has_all_pods = world.listed_namespaces is None and is_of_all
        self.has_all_nodes = (survey is None or survey.nodes) and not any(node.is_partial for node in world.nodes.values())
        self.budgets_without_namespace = tuple(budget for budget in world.budgets if not budget.metadata.namespace)
        placed = tuple(budget for budget in world.budgets if budget.metadata.namespace)
        is_whole = "PodDisruptionBudget" in world.complete_kinds or (bool(placed) and "PodDisruptionBudget" not in world.missing_kinds)
        if any(map(has_empty_selector, placed)) and world.versions.has(Behavior.EMPTY_SELECTOR_GUARDS) is False:
            placed = tuple(budget for budget in placed if not has_empty_selector(budget))
        self.budgets: tuple[PodDisruptionBudget, ...] | None = placed if is_whole and not self.budgets_without_namespace else None

    @cached_property
    def pods_by_node(self) -> Mapping[str, list[SchedulerPod]]:
        """The pods of each node."""
        found: dict[str, list[SchedulerPod]] = {}
        for pod in self.pods:
            found.setdefault(pod.spec.nodeName, []).append(pod)
        return found

    @cached_property
    def earliest_now(self) -> float | None:
        """A moment that has passed for certain, in seconds since 1970: a minute before the last creation of a pod; None for no such time.

        The minute is for clocks that differ, and for a kubelet that is about to be done. Nobody reads a clock here.
        """
        listing = self.world.listing
        times = [pod.metadata.creationTimestamp for pod in self.pods]
        latest = max([*times, listing.at if listing is not None else ""], default="")
        moment = parse_time(latest)
        return None if moment is None else moment - _MARGIN_SECONDS

    @cached_property
    def owners(self) -> Owners:
        """What controls pods, as far as it is known."""
        objects: list[DaemonSet | Deployment] = [
            workload for workload in self.world.workloads if isinstance(workload, DaemonSet | Deployment)
        ]
        return index_owners(objects, self.world.complete_kinds)

    @cached_property
    def volumes(self) -> VolumeIndex:
        """The claims and PersistentVolumes."""
        return VolumeIndex(self.world.claims, self.world.volumes)

    @cached_property
    def jobs(self) -> Mapping[PodKey, Job]:
        """The Jobs by namespace and name."""
        return {_make_key(workload.metadata): workload for workload in self.world.workloads if isinstance(workload, Job)}

    @cached_property
    def job_sets(self) -> Mapping[PodKey, JobSet]:
        """The JobSets by namespace and name."""
        return {_make_key(job_set.metadata): job_set for job_set in self.world.job_sets}

    @cached_property
    def pods_by_owner(self) -> Mapping[OwnerKey, list[SchedulerPod]]:
        """The pods of each owner that have not ended."""
        found: dict[OwnerKey, list[SchedulerPod]] = {}
        for pod in self.pods:
            owner = None if pod.has_ended else self.find_owner(pod)
            if owner is not None:
                found.setdefault(owner, []).append(pod)
        return found

    def find_owner(self, pod: SchedulerPod) -> OwnerKey | None:
        """What controls a pod; of a ReplicaSet the Deployment above it, where that one is known. None for nothing."""
        return find_top_owner(pod, self.owners)

    def compute_occupancy(self, nodes: Iterable[Node], gone: frozenset[PodKey]) -> Occupancy:
        """What is taken of nodes once some pods are gone, and those that are being deleted already."""
        there = (pod for pod in self.pods if pod.key not in gone and not pod.metadata.deletionTimestamp)
        return build_occupancy(
            nodes,
            there,
            all_pods=self.has_all_pods and not self.world.has_displaced_pods,
            all_nodes=self.has_all_nodes,
            listed_nodes=self.listed_nodes,
        )

    def is_namespace_listed(self, namespace: str) -> bool:
        """Whether all pods of a namespace are known."""
        survey = self.world.listing
        return self.has_all_pods or (
            (survey is None or not survey.live) and self.listed_namespaces is not None and namespace in self.listed_namespaces
        )


def is_of_daemonset(pod: SchedulerPod) -> bool:
    """Whether a DaemonSet controls a pod."""
    return pod.controller is not None and is_kind(pod.controller, "DaemonSet", ("apps",))


def is_static(pod: SchedulerPod) -> bool:
    """Whether it is the mirror of a static pod, which is the kubelet's own."""
    return MIRROR_ANNOTATION in pod.metadata.annotations


def format_keys(keys: Iterable[PodKey]) -> Iterator[str]:
    """Namespaces and names as `namespace/name`."""
    return ("/".join(key) for key in keys)


def _make_key(metadata: Metadata) -> PodKey:
    return metadata.namespace, metadata.name
