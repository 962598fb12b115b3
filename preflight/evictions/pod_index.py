"""What of a world decides who has to go and where to: pods, owners, budgets, Jobs, and whether all of each are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from preflight.model.budgets import PodDisruptionBudget
from preflight.model.objects import DaemonSet, Deployment, Job, JobSet, Metadata, Node
from preflight.model.pod_scheduling import ScheduledPod
from preflight.model.world import World
from preflight.scheduling.drain.pod_filters import MIRROR
from preflight.scheduling.occupancy import Occupancy, occupy
from preflight.scheduling.owners import Owner, Owners, is_kind, owners_of

Key = tuple[str, str]
"""A namespace and a name."""


class Known:
    """A world whose pods were read as a whole.

    1. `pods` are all of them, `by_node` those of each node. `listed` are the namespaces of which that is every pod, None for all.
    2. `budgets` are None where nobody knows which there are: files held none, and no list of them either; or the cluster did not show all
       of them. One that states no namespace guards nobody knows which pods: `unplaced`.
    """

    def __init__(self, world: World) -> None:
        assert world.running is not None
        self.world = world
        self.pods: tuple[ScheduledPod, ...] = tuple(world.running.values())
        survey = world.survey
        self.listed = world.listed
        self.all_pods = world.listed is None and (survey is None or (survey.nodes and survey.daemonsets is None))
        self.all_nodes = (survey is None or survey.nodes) and not any(node.partial for node in world.nodes.values())
        self.unplaced = tuple(each for each in world.budgets if not each.metadata.namespace)
        placed = tuple(each for each in world.budgets if each.metadata.namespace)
        is_whole = "PodDisruptionBudget" in world.complete or (bool(placed) and "PodDisruptionBudget" not in world.missing)
        self.budgets: tuple[PodDisruptionBudget, ...] | None = placed if is_whole and not self.unplaced else None

    @cached_property
    def by_node(self) -> Mapping[str, list[ScheduledPod]]:
        """The pods of each node."""
        found: dict[str, list[ScheduledPod]] = {}
        for pod in self.pods:
            found.setdefault(pod.spec.nodeName, []).append(pod)
        return found

    @cached_property
    def owners(self) -> Owners:
        """What controls pods, as far as it is known."""
        objects: list[DaemonSet | Deployment] = [each for each in self.world.workloads if isinstance(each, DaemonSet | Deployment)]
        return owners_of(objects, self.world.complete)

    @cached_property
    def jobs(self) -> Mapping[Key, Job]:
        """The Jobs by namespace and name."""
        return {_key(each.metadata): each for each in self.world.workloads if isinstance(each, Job)}

    @cached_property
    def job_sets(self) -> Mapping[Key, JobSet]:
        """The JobSets by namespace and name."""
        return {_key(each.metadata): each for each in self.world.job_sets}

    @cached_property
    def of_owner(self) -> Mapping[str, list[ScheduledPod]]:
        """The pods of each owner that have not ended."""
        found: dict[str, list[ScheduledPod]] = {}
        for pod in self.pods:
            if not pod.has_ended and pod.controller is not None:
                found.setdefault(self.owner(pod), []).append(pod)
        return found

    def owner(self, pod: ScheduledPod) -> str:
        """What controls a pod, `Deployment shop/web`; of a ReplicaSet the Deployment above it, where that one is known. "" for nothing."""
        reference = pod.controller
        if reference is None:
            return ""
        namespace = pod.metadata.namespace
        if is_kind(reference, "ReplicaSet", ("apps", "extensions")):
            found = self.owners.find("ReplicaSet", namespace, reference.name)
            if isinstance(found, Owner) and found.controller is not None:
                return f"{found.controller.kind} {namespace}/{found.controller.name}"
            name, _, tail = reference.name.rpartition("-")
            by_name = tail == pod.metadata.labels.get("pod-template-hash") and self.owners.find("Deployment", namespace, name)
            if isinstance(by_name, Owner):
                return f"Deployment {namespace}/{name}"
        return f"{reference.kind} {namespace}/{reference.name}"

    def occupancy(self, nodes: Iterable[Node], gone: frozenset[Key]) -> Occupancy:
        """What is taken of nodes once some pods are gone, and those that are being deleted already."""
        there = (pod for pod in self.pods if pod.key not in gone and not pod.metadata.deletionTimestamp)
        return occupy(nodes, there, all_pods=self.all_pods and not self.world.displaced, all_nodes=self.all_nodes)

    def is_listed(self, namespace: str) -> bool:
        """Whether all pods of a namespace are known."""
        survey = self.world.survey
        return self.all_pods or ((survey is None or not survey.live) and self.listed is not None and namespace in self.listed)


def is_of_daemonset(pod: ScheduledPod) -> bool:
    """Whether a DaemonSet controls a pod."""
    return pod.controller is not None and is_kind(pod.controller, "DaemonSet", ("apps",))


def is_static(pod: ScheduledPod) -> bool:
    """Whether it is the mirror of a static pod, which is the kubelet's own."""
    return MIRROR in pod.metadata.annotations


def texts(keys: Iterable[Key]) -> Iterator[str]:
    """Namespaces and names as `namespace/name`."""
    return ("/".join(key) for key in keys)


def _key(metadata: Metadata) -> Key:
    return metadata.namespace, metadata.name
