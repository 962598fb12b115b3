"""The facts of one cluster: what its rules ask for, each worked out once and only when somebody asks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from preflight.coverage.component_cache import ComponentCache
from preflight.coverage.daemonset_pods import DaemonSetPods
from preflight.coverage.model import Impact
from preflight.dependents.remaining_providers import RemainingProviders
from preflight.doctor.events import EventIndex
from preflight.doctor.pod_health import get_extended_requests, is_waiting
from preflight.doctor.timestamps import SETTLING_SECONDS, count_seconds
from preflight.messages.lists import join_node_names
from preflight.model.lazy_pods import LazyPods
from preflight.model.objects import DaemonSet, ObjectKey
from preflight.model.pod_status import ClusterPod
from preflight.model.report import Subject
from preflight.model.runtime_state import NodeState, PodState, RuntimeState
from preflight.model.world import ClusterState

if TYPE_CHECKING:
    from preflight.components import Component
    from preflight.doctor.coverage_gaps import CoverageGap, DaemonSetPodHealth
    from preflight.doctor.csi_mounts import MissingDriver
    from preflight.doctor.devices import FaultyResource, Provider
    from preflight.doctor.label_drift import LabelDrift
    from preflight.doctor.pending.context import PendingPods
    from preflight.doctor.stalled_rollouts import StalledRollout
    from preflight.doctor.stranded_capacity import IdleNodes, LeftoverTaint, StaleAllocation
    from preflight.scheduling.occupancy import Occupancy

NamespacedKey = tuple[str, str]

_REMOVED_SOON = frozenset(("ToBeDeletedByClusterAutoscaler", "karpenter.sh/disrupted", "karpenter.sh/disruption"))
"""The taints with which an autoscaler empties a node that it is about to remove."""


class ClusterFacts:
    """A cluster as it is, and what follows from it."""

    def __init__(self, world: ClusterState, impact: Impact | None, pods: Mapping[ObjectKey, DaemonSetPods] | None = None) -> None:
        """`world` was read with its state; `impact` is that of no change over `pods`, None where there is no pair to judge."""
        self.world, self.impact, self.pods = world, impact, pods or {}
        self.state = world.runtime_state or RuntimeState()
        self.latest_time = self.state.latest_time

    @cached_property
    def component_cache(self) -> ComponentCache:
        """What the DaemonSets are."""
        return self.impact.component_cache if self.impact is not None else ComponentCache(self.world)

    @cached_property
    def remaining_providers(self) -> RemainingProviders:
        """What stays provided where."""
        assert self.impact is not None
        return RemainingProviders(self.impact)

    @cached_property
    def events(self) -> EventIndex:
        """The warnings by object."""
        return EventIndex(self.state.events)

    def is_kind_known(self, kind: str) -> bool:
        """Whether the objects of a kind that says something of the state were given."""
        return kind in self.state.given_kinds or kind in self.world.complete_kinds

    @property
    def has_events(self) -> bool:
        """Whether events were given, so that one that is not there was not seen."""
        return self.is_kind_known("Event")

    @cached_property
    def not_ready_nodes(self) -> frozenset[str]:
        """The nodes that are not Ready."""
        return frozenset(name for name, node in self.world.nodes.items() if node.is_ready is False)

    @cached_property
    def removed_nodes(self) -> frozenset[str]:
        """The nodes that pods name and that are not there, where every node is known."""
        survey = self.world.listing
        if survey is None or not survey.nodes:
            return frozenset()
        return frozenset(pod.spec.nodeName for pod in self.world.pods if pod.spec.nodeName) - self.world.nodes.keys()

    @cached_property
    def nodes_being_removed(self) -> frozenset[str]:
        """The nodes that an autoscaler is about to remove: that nothing comes back there is meant."""
        nodes = self.world.nodes.items()
        return frozenset(name for name, node in nodes if any(taint.key in _REMOVED_SOON for taint in node.spec.taints))

    def get_node_state(self, name: str) -> NodeState:
        """How a node is; nothing is known of one that is not there."""
        return self.state.nodes.get(name) or NodeState()

    def is_new_node(self, node: str) -> bool:
        """Whether a node has just registered."""
        age = count_seconds(self.get_node_state(node).metadata.creationTimestamp, self.latest_time)
        return age is not None and age < SETTLING_SECONDS

    def get_stated_pod(self, pod: ClusterPod) -> PodState:
        """A pod with what it waits for: the world was read so."""
        assert isinstance(pod, PodState)
        return pod

    def get_worst_component(self, daemonset: DaemonSet) -> Component | None:
        """The worst that a DaemonSet is, None where nothing is known of it."""
        return next(iter(self.component_cache.recognize(daemonset)), None)

    def rank_subject(self, subject: Subject) -> int:
        """How much what a finding is about matters: of a DaemonSet, 0 for the worst kind that there is; of nodes 50; of other pods 100."""
        if subject.kind != "DaemonSet":
            return 100 if subject.namespace else 50
        found = next((daemonset for key, daemonset in self.world.daemonsets.items() if key[:2] == (subject.namespace, subject.name)), None)
        return self.component_cache.get_rank(found) if found is not None else 99

    @cached_property
    def daemonset_pod_health(self) -> Mapping[NamespacedKey, DaemonSetPodHealth]:
        """The pods of DaemonSets that do not simply run."""
        from preflight.doctor.coverage_gaps import collect_pod_health

        return collect_pod_health(self)

    @cached_property
    def gaps(self) -> tuple[CoverageGap, ...]:
        """Which nodes lack which DaemonSet."""
        from preflight.doctor.coverage_gaps import find_gaps

        return find_gaps(self)

    @cached_property
    def stalled_rollouts(self) -> tuple[StalledRollout, ...]:
        """The updates that stand still."""
        from preflight.doctor.stalled_rollouts import find_stalled_rollouts

        return find_stalled_rollouts(self)

    def get_providers(self, kind: str) -> list[Provider]:
        """The DaemonSets that are of a kind of component."""
        from preflight.doctor.devices import Provider

        every = self.world.daemonsets.values()
        return [
            Provider(daemonset, component)
            for daemonset in every
            for component in self.component_cache.recognize(daemonset)
            if component.kind.id == kind
        ]

    @cached_property
    def plugins_with_resources(self) -> tuple[Provider, ...]:
        """The device plugins whose resources are known."""
        return tuple(provider for provider in self.get_providers("device-plugin") if provider.component.resources)

    @cached_property
    def plugins_without_resources(self) -> tuple[Provider, ...]:
        """The device plugins whose resources are not known."""
        return tuple(provider for provider in self.get_providers("device-plugin") if not provider.component.resources)

    def find_advertisers(self, resource: str) -> list[Provider]:
        """The device plugins that advertise an extended resource."""
        return [
            plugins_with_resource
            for plugins_with_resource in self.plugins_with_resources
            if plugins_with_resource.component.advertises(resource)
        ]

    @cached_property
    def csi_drivers(self) -> Mapping[str, list[Provider]]:
        """The CSI drivers that DaemonSets are known to provide."""
        found: dict[str, list[Provider]] = {}
        for provider in self.get_providers("csi-node-driver"):
            for driver in provider.component.drivers:
                found.setdefault(driver, []).append(provider)
        return found

    def get_working_nodes(self, key: NamespacedKey) -> frozenset[str]:
        """The nodes with a pod of a DaemonSet that runs and is Ready."""
        own = self.daemonset_pod_health.get(key)
        return own.working_nodes if own is not None else frozenset()

    def has_pod(self, key: NamespacedKey, node: str) -> bool:
        """Whether a pod of a DaemonSet is on a node, comes or goes there, whatever its state."""
        own = self.daemonset_pod_health.get(key)
        return own is not None and (
            node in own.working_nodes or node in own.unhealthy_pods or node in own.nodes_in_transit or node in own.other_nodes
        )

    def may_contain_words(self, key: NamespacedKey, *words: bytes) -> bool:
        """Whether one of these words may stand in a pod: False only where none does, so that it need not be decoded."""
        running = self.world.pods_by_key
        return running.may_contain(key, *words) if isinstance(running, LazyPods) and key in running else True

    @cached_property
    def pod_keys_by_node(self) -> Mapping[str, list[NamespacedKey]]:
        """The pods by their node."""
        found: dict[str, list[NamespacedKey]] = {}
        for pod in self.world.pods:
            found.setdefault(pod.spec.nodeName, []).append((pod.metadata.namespace, pod.metadata.name))
        return found

    @cached_property
    def faulty_resources(self) -> tuple[FaultyResource, ...]:
        """The extended resources that are not what they seem."""
        from preflight.doctor.devices import find_faulty_resources

        return find_faulty_resources(self)

    @cached_property
    def missing_drivers(self) -> tuple[MissingDriver, ...]:
        """The CSI drivers that are missing where pods mount their volumes."""
        from preflight.doctor.csi_mounts import find_missing_drivers

        return find_missing_drivers(self)

    @cached_property
    def stale_drivers(self) -> tuple[MissingDriver, ...]:
        """The CSI drivers that nodes list and that have no pod there."""
        from preflight.doctor.csi_mounts import find_stale_drivers

        return find_stale_drivers(self)

    @cached_property
    def idle_not_ready(self) -> tuple[IdleNodes, ...]:
        """The nodes that are not Ready."""
        from preflight.doctor.stranded_capacity import find_not_ready_nodes

        return find_not_ready_nodes(self)

    @cached_property
    def idle_cordoned(self) -> tuple[IdleNodes, ...]:
        """The nodes that are Ready and cordoned."""
        from preflight.doctor.stranded_capacity import find_cordoned_nodes

        return find_cordoned_nodes(self)

    @cached_property
    def leftover_taints(self) -> tuple[LeftoverTaint, ...]:
        """The startup taints that nobody has removed."""
        from preflight.doctor.stranded_capacity import find_leftover_taints

        return find_leftover_taints(self)

    @cached_property
    def stale_allocations(self) -> tuple[StaleAllocation, ...]:
        """The pods that hold devices though nothing of them runs."""
        from preflight.doctor.stranded_capacity import find_stale_allocations

        return find_stale_allocations(self)

    @cached_property
    def label_drifts(self) -> tuple[LabelDrift, ...]:
        """The labels that nodes lack beside their peers."""
        from preflight.doctor.label_drift import find_label_drifts

        return find_label_drifts(self)

    def list_wanted_resources(self, component: Component) -> tuple[str, ...]:
        """The resources of a component that pods wait for."""
        return tuple(name for name in sorted(self.requested_resources) if component.advertises(name))

    @cached_property
    def waiting_pods(self) -> tuple[PodState, ...]:
        """The pods without a node that nobody deletes, in order of their names; of those that have just begun too."""
        running = self.world.pods_by_key or {}
        keys = [(pod.metadata.namespace, pod.metadata.name) for pod in self.world.pods if not pod.spec.nodeName and is_waiting(pod)]
        return tuple(self.get_stated_pod(running[key]) for key in sorted(keys) if key in running)

    @cached_property
    def requested_resources(self) -> Mapping[str, tuple[NamespacedKey, ...]]:
        """The extended resources that pods without a node wait for, each with these pods."""
        found: dict[str, list[NamespacedKey]] = {}
        for pod in self.waiting_pods:
            for resource in get_extended_requests(pod.spec):
                found.setdefault(resource, []).append(pod.key)
        return {resource: tuple(keys) for resource, keys in found.items()}

    def explain_own_nodes(self, gap: CoverageGap) -> tuple[str, ...]:
        """What the nodes that Pending pods are for have against them, by our own account."""
        from preflight.doctor.pending.node_fit import explain_own_node

        return tuple(explain_own_node(self, gap))

    @cached_property
    def occupancy(self) -> Occupancy:
        """What the pods take of the nodes."""
        from preflight.doctor.occupancy import compute_occupancy

        return compute_occupancy(self.world)

    @cached_property
    def pending_pods(self) -> PendingPods:
        """What the pods without a node wait for."""
        from preflight.doctor.pending.context import PendingPods

        return PendingPods(self)

    @property
    def has_all_nodes(self) -> bool:
        """Whether every node is known, as far as the input says."""
        return self.world.listing is None or self.world.listing.nodes

    def list_event_texts(self, gap: CoverageGap) -> tuple[str, ...]:
        """What events say of the pods of a gap: the latest of the first of them."""
        namespace = gap.daemonset.metadata.namespace
        events = [event for name in gap.pod_names for event in self.events.get_events("Pod", namespace, name)]
        return tuple(f"{event.reporter or 'an event'} says: {event.reason}: {' '.join(event.message.split())}" for event in events[:1])

    def describe_update(self, daemonset: DaemonSet) -> tuple[str, ...]:
        """That an update of a DaemonSet is under way."""
        found = self.pods.get(daemonset.key)
        old = frozenset().union(*(group.nodes for group in found.groups if group.is_old)) if found else frozenset()
        if not old:
            return ()
        every = frozenset().union(*(group.nodes for group in found.groups)) if found else frozenset()
        begun = (
            "its template has changed, and OnDelete waits" if daemonset.spec.updateStrategy.type == "OnDelete" else "an update is under way"
        )
        return (f"{begun}: {len(old)} of {len(every)} nodes still have a pod of an older template",)

    def describe_triggers(self, daemonset: DaemonSet, nodes: Iterable[str]) -> tuple[str, ...]:
        """What is under way that ends the pods of a DaemonSet on some nodes."""
        found = list(self.describe_update(daemonset)) if daemonset.spec.updateStrategy.type != "OnDelete" else []
        cordoned = sorted(name for name in nodes if self.world.nodes[name].spec.unschedulable)
        if cordoned:
            found.append(
                f"{join_node_names(cordoned)} {'is' if len(cordoned) == 1 else 'are'} cordoned, as before a reboot or a replacement"
            )
        return tuple(found)

    @cached_property
    def limitations(self) -> tuple[str, ...]:
        """What cannot be told, and why: sentences."""
        from preflight.doctor.limitations import list_limitations

        return tuple(list_limitations(self))
