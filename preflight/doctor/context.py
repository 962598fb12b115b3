"""The facts of one cluster: what its rules ask for, each worked out once and only when somebody asks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from preflight.coverage.component_cache import Recognised
from preflight.coverage.daemonset_pods import PodsOf
from preflight.coverage.model import Impact
from preflight.dependents.remaining_providers import Provided
from preflight.doctor.events import Events
from preflight.doctor.pod_health import extended, is_waiting
from preflight.doctor.timestamps import SETTLING, seconds
from preflight.messages.lists import names
from preflight.model.lazy_pods import UndecodedPods
from preflight.model.objects import DaemonSet, ObjectKey
from preflight.model.pod_status import RunningPod
from preflight.model.report import Subject
from preflight.model.runtime_state import NodeState, State, StatedPod
from preflight.model.world import World

if TYPE_CHECKING:
    from preflight.components import Component
    from preflight.doctor.coverage_gaps import Gap, OwnPods
    from preflight.doctor.csi_mounts import Unmounted
    from preflight.doctor.devices import Faulty, Provider
    from preflight.doctor.label_drift import Drift
    from preflight.doctor.pending.context import Pending
    from preflight.doctor.stalled_rollouts import Standstill
    from preflight.doctor.stranded_capacity import Ghosts, Idle, Left
    from preflight.scheduling.occupancy import Occupancy

Key = tuple[str, str]

_REMOVED_SOON = frozenset(("ToBeDeletedByClusterAutoscaler", "karpenter.sh/disrupted", "karpenter.sh/disruption"))
"""The taints with which an autoscaler empties a node that it is about to remove."""


class Diagnosis:
    """A cluster as it is, and what follows from it."""

    def __init__(self, world: World, impact: Impact | None, pods: Mapping[ObjectKey, PodsOf] | None = None) -> None:
        """`world` was read with its state; `impact` is that of no change over `pods`, None where there is no pair to judge."""
        self.world, self.impact, self.pods = world, impact, pods or {}
        self.state = world.state or State()
        self.at = self.state.at

    @cached_property
    def recognised(self) -> Recognised:
        """What the DaemonSets are."""
        return self.impact.recognised if self.impact is not None else Recognised(self.world)

    @cached_property
    def provided(self) -> Provided:
        """What stays provided where."""
        assert self.impact is not None
        return Provided(self.impact)

    @cached_property
    def events(self) -> Events:
        """The warnings by object."""
        return Events(self.state.events)

    def knows(self, kind: str) -> bool:
        """Whether the objects of a kind that says something of the state were given."""
        return kind in self.state.given or kind in self.world.complete

    @property
    def knows_events(self) -> bool:
        """Whether events were given, so that one that is not there was not seen."""
        return self.knows("Event")

    @cached_property
    def down(self) -> frozenset[str]:
        """The nodes that are not Ready."""
        return frozenset(name for name, node in self.world.nodes.items() if node.ready is False)

    @cached_property
    def removed(self) -> frozenset[str]:
        """The nodes that pods name and that are not there, where every node is known."""
        survey = self.world.survey
        if survey is None or not survey.nodes:
            return frozenset()
        return frozenset(pod.spec.nodeName for pod in self.world.pods if pod.spec.nodeName) - self.world.nodes.keys()

    @cached_property
    def leaving(self) -> frozenset[str]:
        """The nodes that an autoscaler is about to remove: that nothing comes back there is meant."""
        nodes = self.world.nodes.items()
        return frozenset(name for name, node in nodes if any(taint.key in _REMOVED_SOON for taint in node.spec.taints))

    def node_state(self, name: str) -> NodeState:
        """How a node is; nothing is known of one that is not there."""
        return self.state.nodes.get(name) or NodeState()

    def is_new(self, node: str) -> bool:
        """Whether a node has just registered."""
        age = seconds(self.node_state(node).metadata.creationTimestamp, self.at)
        return age is not None and age < SETTLING

    def stated(self, pod: RunningPod) -> StatedPod:
        """A pod with what it waits for: the world was read so."""
        assert isinstance(pod, StatedPod)
        return pod

    def worst(self, daemonset: DaemonSet) -> Component | None:
        """The worst that a DaemonSet is, None where nothing is known of it."""
        return next(iter(self.recognised.of(daemonset)), None)

    def rank(self, subject: Subject) -> int:
        """How much what a finding is about matters: of a DaemonSet, 0 for the worst kind that there is; of nodes 50; of other pods 100."""
        if subject.kind != "DaemonSet":
            return 100 if subject.namespace else 50
        found = next((each for key, each in self.world.daemonsets.items() if key[:2] == (subject.namespace, subject.name)), None)
        return self.recognised.rank(found) if found is not None else 99

    @cached_property
    def own_pods(self) -> Mapping[Key, OwnPods]:
        """The pods of DaemonSets that do not simply run."""
        from preflight.doctor.coverage_gaps import own_pods

        return own_pods(self)

    @cached_property
    def gaps(self) -> tuple[Gap, ...]:
        """Which nodes lack which DaemonSet."""
        from preflight.doctor.coverage_gaps import gaps

        return gaps(self)

    @cached_property
    def standstills(self) -> tuple[Standstill, ...]:
        """The updates that stand still."""
        from preflight.doctor.stalled_rollouts import standstills

        return standstills(self)

    def of_kind(self, kind: str) -> list[Provider]:
        """The DaemonSets that are of a kind of component."""
        from preflight.doctor.devices import Provider

        every = self.world.daemonsets.values()
        return [Provider(daemonset, each) for daemonset in every for each in self.recognised.of(daemonset) if each.kind.id == kind]

    @cached_property
    def plugins_known(self) -> tuple[Provider, ...]:
        """The device plugins whose resources are known."""
        return tuple(each for each in self.of_kind("device-plugin") if each.component.resources)

    @cached_property
    def plugins_unknown(self) -> tuple[Provider, ...]:
        """The device plugins whose resources are not known."""
        return tuple(each for each in self.of_kind("device-plugin") if not each.component.resources)

    def advertisers(self, resource: str) -> list[Provider]:
        """The device plugins that advertise an extended resource."""
        return [each for each in self.plugins_known if each.component.advertises(resource)]

    @cached_property
    def drivers(self) -> Mapping[str, list[Provider]]:
        """The CSI drivers that DaemonSets are known to provide."""
        found: dict[str, list[Provider]] = {}
        for each in self.of_kind("csi-node-driver"):
            for driver in each.component.drivers:
                found.setdefault(driver, []).append(each)
        return found

    def working(self, key: Key) -> frozenset[str]:
        """The nodes with a pod of a DaemonSet that runs and is Ready."""
        own = self.own_pods.get(key)
        return own.working if own is not None else frozenset()

    def has_pod(self, key: Key, node: str) -> bool:
        """Whether a pod of a DaemonSet is on a node, comes or goes there, whatever its state."""
        own = self.own_pods.get(key)
        return own is not None and (node in own.working or node in own.ailing or node in own.moving or node in own.others)

    def may_say(self, key: Key, *words: bytes) -> bool:
        """Whether one of these words may stand in a pod: False only where none does, so that it need not be decoded."""
        running = self.world.running
        return running.may_say(key, *words) if isinstance(running, UndecodedPods) and key in running else True

    @cached_property
    def keys_on(self) -> Mapping[str, list[Key]]:
        """The pods by their node."""
        found: dict[str, list[Key]] = {}
        for pod in self.world.pods:
            found.setdefault(pod.spec.nodeName, []).append((pod.metadata.namespace, pod.metadata.name))
        return found

    @cached_property
    def faulty(self) -> tuple[Faulty, ...]:
        """The extended resources that are not what they seem."""
        from preflight.doctor.devices import faulty

        return faulty(self)

    @cached_property
    def unmounted(self) -> tuple[Unmounted, ...]:
        """The CSI drivers that are missing where pods mount their volumes."""
        from preflight.doctor.csi_mounts import unmounted

        return unmounted(self)

    @cached_property
    def stale(self) -> tuple[Unmounted, ...]:
        """The CSI drivers that nodes list and that have no pod there."""
        from preflight.doctor.csi_mounts import stale

        return stale(self)

    @cached_property
    def not_ready(self) -> tuple[Idle, ...]:
        """The nodes that are not Ready."""
        from preflight.doctor.stranded_capacity import not_ready

        return not_ready(self)

    @cached_property
    def cordoned(self) -> tuple[Idle, ...]:
        """The nodes that are Ready and cordoned."""
        from preflight.doctor.stranded_capacity import cordoned

        return cordoned(self)

    @cached_property
    def startup_taints(self) -> tuple[Left, ...]:
        """The startup taints that nobody has removed."""
        from preflight.doctor.stranded_capacity import startup_taints

        return startup_taints(self)

    @cached_property
    def ghosts(self) -> tuple[Ghosts, ...]:
        """The pods that hold devices though nothing of them runs."""
        from preflight.doctor.stranded_capacity import ghosts

        return ghosts(self)

    @cached_property
    def drifts(self) -> tuple[Drift, ...]:
        """The labels that nodes lack beside their peers."""
        from preflight.doctor.label_drift import drifts

        return drifts(self)

    def wanted(self, component: Component) -> tuple[str, ...]:
        """The resources of a component that pods wait for."""
        return tuple(name for name in sorted(self.asked_for) if component.advertises(name))

    @cached_property
    def waiting(self) -> tuple[StatedPod, ...]:
        """The pods without a node that nobody deletes, in order of their names; of those that have just begun too."""
        running = self.world.running or {}
        keys = [(pod.metadata.namespace, pod.metadata.name) for pod in self.world.pods if not pod.spec.nodeName and is_waiting(pod)]
        return tuple(self.stated(running[key]) for key in sorted(keys) if key in running)

    @cached_property
    def asked_for(self) -> Mapping[str, tuple[Key, ...]]:
        """The extended resources that pods without a node wait for, each with these pods."""
        found: dict[str, list[Key]] = {}
        for pod in self.waiting:
            for resource in extended(pod.spec):
                found.setdefault(resource, []).append(pod.key)
        return {resource: tuple(keys) for resource, keys in found.items()}

    def on_its_node(self, gap: Gap) -> tuple[str, ...]:
        """What the nodes that Pending pods are for have against them, by our own account."""
        from preflight.doctor.pending.node_fit import on_its_node

        return tuple(on_its_node(self, gap))

    @cached_property
    def occupancy(self) -> Occupancy:
        """What the pods take of the nodes."""
        from preflight.doctor.occupancy import occupancy

        return occupancy(self.world)

    @cached_property
    def pending(self) -> Pending:
        """What the pods without a node wait for."""
        from preflight.doctor.pending.context import Pending

        return Pending(self)

    @property
    def knows_nodes(self) -> bool:
        """Whether every node is known, as far as the input says."""
        return self.world.survey is None or self.world.survey.nodes

    def said_of(self, gap: Gap) -> tuple[str, ...]:
        """What events say of the pods of a gap: the latest of the first of them."""
        namespace = gap.daemonset.metadata.namespace
        events = [event for name in gap.pods for event in self.events.of("Pod", namespace, name)]
        return tuple(f"{event.component or 'an event'} says: {event.reason}: {' '.join(event.message.split())}" for event in events[:1])

    def update_of(self, daemonset: DaemonSet) -> tuple[str, ...]:
        """That an update of a DaemonSet is under way."""
        found = self.pods.get(daemonset.key)
        old = frozenset().union(*(group.nodes for group in found.groups if group.old)) if found else frozenset()
        if not old:
            return ()
        every = frozenset().union(*(group.nodes for group in found.groups)) if found else frozenset()
        begun = (
            "its template has changed, and OnDelete waits" if daemonset.spec.updateStrategy.type == "OnDelete" else "an update is under way"
        )
        return (f"{begun}: {len(old)} of {len(every)} nodes still have a pod of an older template",)

    def sets_off(self, daemonset: DaemonSet, nodes: Iterable[str]) -> tuple[str, ...]:
        """What is under way that ends the pods of a DaemonSet on some nodes."""
        found = list(self.update_of(daemonset)) if daemonset.spec.updateStrategy.type != "OnDelete" else []
        cordoned = sorted(name for name in nodes if self.world.nodes[name].spec.unschedulable)
        if cordoned:
            found.append(f"{names(cordoned)} {'is' if len(cordoned) == 1 else 'are'} cordoned, as before a reboot or a replacement")
        return tuple(found)

    @cached_property
    def unknown(self) -> tuple[str, ...]:
        """What cannot be told, and why: sentences."""
        from preflight.doctor.limitations import unknown

        return tuple(unknown(self))
