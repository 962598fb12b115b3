"""Look-ups over the state of one cluster: nodes, pods, owners, events and times, each index built when it is first needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from preflight.change.node_lifecycle import is_leaving_taint
from preflight.doctor.cluster_messages import reports_no_network
from preflight.doctor.events import EventIndex
from preflight.doctor.occupancy import compute_occupancy
from preflight.doctor.pod_health import get_extended_requests, is_waiting
from preflight.doctor.waiting_times import SETTLING_SECONDS
from preflight.model.core import CoveragePod, Node, Taint
from preflight.model.lazy_pods import LazyPods
from preflight.model.runtime_state import NodeState, PodState, RuntimeState
from preflight.model.timestamps import count_seconds
from preflight.model.world import ClusterState
from preflight.scheduling.occupancy import Occupancy
from preflight.scheduling.volumes import VolumeIndex

NamespacedKey = tuple[str, str]
"""A namespace and a name."""


class ClusterIndex:
    """Look-ups over one cluster state."""

    def __init__(self, cluster: ClusterState) -> None:
        """`cluster` was read together with its runtime state."""
        self.cluster = cluster
        self.runtime = cluster.runtime_state or RuntimeState()
        self.latest_time = self.runtime.latest_time

    @cached_property
    def events(self) -> EventIndex:
        """The warning events by object."""
        return EventIndex(self.runtime.events)

    def is_kind_known(self, kind: str) -> bool:
        """Whether the objects of a kind were given."""
        return kind in self.runtime.given_kinds or kind in self.cluster.complete_kinds

    @property
    def has_events(self) -> bool:
        """Whether events were given, so that an event that is missing was not recorded."""
        return self.is_kind_known("Event")

    @property
    def has_all_nodes(self) -> bool:
        """Whether every node is in the input, as far as the input says."""
        return self.cluster.listing is None or self.cluster.listing.nodes

    @cached_property
    def existing_nodes(self) -> Mapping[str, Node]:
        """The nodes that exist, without the template nodes of pools."""
        return {name: node for name, node in self.cluster.nodes.items() if node.pool is None}

    @cached_property
    def taint_sets(self) -> tuple[tuple[Taint, ...], ...]:
        """The taints that nodes have, each set of them once."""
        return tuple(dict.fromkeys(node.spec.taints for node in self.existing_nodes.values()))

    @cached_property
    def nodes_by_annotation(self) -> Mapping[str, frozenset[str]]:
        """The nodes that have an annotation, by its key."""
        found: dict[str, list[str]] = {}
        for name in self.existing_nodes:
            for key in self.get_node_state(name).metadata.annotations:
                found.setdefault(key, []).append(name)
        return {key: frozenset(names) for key, names in found.items()}

    @cached_property
    def not_ready_nodes(self) -> frozenset[str]:
        """The nodes that are not Ready."""
        return frozenset(name for name, node in self.cluster.nodes.items() if node.is_ready is False)

    @cached_property
    def nodes_without_network(self) -> frozenset[str]:
        """The nodes that are not Ready because their kubelet finds no network for pods; not those whose kubelet is silent."""
        ready = {name: self.get_node_state(name).find_condition("Ready") for name in self.not_ready_nodes}
        return frozenset(
            name for name, condition in ready.items() if condition and condition.status == "False" and reports_no_network(condition.message)
        )

    @cached_property
    def removed_nodes(self) -> frozenset[str]:
        """The nodes that pods name and that do not exist; empty where not every node is in the input."""
        listing = self.cluster.listing
        if listing is None or not listing.nodes:
            return frozenset()
        return frozenset(pod.spec.nodeName for pod in self.cluster.pods if pod.spec.nodeName) - self.cluster.nodes.keys()

    @cached_property
    def nodes_being_removed(self) -> frozenset[str]:
        """The nodes that an autoscaler is about to remove: that no pod comes back on them is intended."""
        nodes = self.cluster.nodes.items()
        return frozenset(name for name, node in nodes if any(map(is_leaving_taint, node.spec.taints)))

    @cached_property
    def volumes(self) -> VolumeIndex:
        """The claims and PersistentVolumes."""
        return VolumeIndex(self.cluster.claims, self.cluster.volumes)

    def get_node_state(self, name: str) -> NodeState:
        """The runtime state of a node; an empty one where none was given."""
        return self.runtime.nodes.get(name) or NodeState()

    def is_new_node(self, node: str) -> bool:
        """Whether a node has just registered."""
        age = count_seconds(self.get_node_state(node).metadata.creationTimestamp, self.latest_time)
        return age is not None and age < SETTLING_SECONDS

    def find_pod(self, key: NamespacedKey) -> PodState | None:
        """A pod with its runtime state; None where it is unknown or cannot be decoded."""
        pod = (self.cluster.pods_by_key or {}).get(key)
        assert pod is None or isinstance(pod, PodState)
        return pod

    def find_listed_pod(self, pod: CoveragePod) -> PodState | None:
        """The runtime state of a listed pod; None where it is unknown or cannot be decoded."""
        return self.find_pod((pod.metadata.namespace, pod.metadata.name))

    def may_contain_words(self, key: NamespacedKey, *words: bytes) -> bool:
        """Whether the text of a pod may contain one of these words: False only where it does not, so that it need not be decoded."""
        pods = self.cluster.pods_by_key
        return pods.may_contain(key, *words) if isinstance(pods, LazyPods) and key in pods else True

    def iter_pod_texts(self, word: bytes) -> Iterator[NamespacedKey]:
        """The pods whose text contains a word."""
        pods = self.cluster.pods_by_key
        assert isinstance(pods, LazyPods)
        return (key for key in pods if word in pods.read_text(key))

    @cached_property
    def pod_keys_by_node(self) -> Mapping[str, list[NamespacedKey]]:
        """The pods by their node."""
        found: dict[str, list[NamespacedKey]] = {}
        for pod in self.cluster.pods:
            found.setdefault(pod.spec.nodeName, []).append((pod.metadata.namespace, pod.metadata.name))
        return found

    @cached_property
    def waiting_pods(self) -> tuple[PodState, ...]:
        """The pods without a node that are not being deleted, in order of their names, including those just created."""
        keys = [(pod.metadata.namespace, pod.metadata.name) for pod in self.cluster.pods if not pod.spec.nodeName and is_waiting(pod)]
        found = (self.find_pod(key) for key in sorted(keys))
        return tuple(pod for pod in found if pod is not None)

    @cached_property
    def requested_resources(self) -> Mapping[str, tuple[NamespacedKey, ...]]:
        """The extended resources that pods without a node request, each with these pods."""
        found: dict[str, list[NamespacedKey]] = {}
        for pod in self.waiting_pods:
            for resource in get_extended_requests(pod.spec):
                found.setdefault(resource, []).append(pod.key)
        return {resource: tuple(keys) for resource, keys in found.items()}

    @cached_property
    def occupancy(self) -> Occupancy:
        """How much of the nodes the pods use."""
        return compute_occupancy(self.cluster)
