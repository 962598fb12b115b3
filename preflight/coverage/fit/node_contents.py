"""What is on some nodes before a change: pods of DaemonSets as they are known or assumed, and all other pods."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property

from msgspec.structs import replace

from preflight.change.model import Change
from preflight.change.orphaned_pods import orphaned_pods_key, selects_pods
from preflight.coverage.daemonset_pods import DaemonSetPods
from preflight.coverage.fit.created_pods import CreatedPod, make_created_pod, set_priority
from preflight.coverage.node_classes import NodePartitions, collect_mentions
from preflight.coverage.pod_fields import find_target_node, parse_tolerations
from preflight.coverage.rollout.waiting_pods import gains_eviction
from preflight.model.apps import DaemonSet
from preflight.model.core import CoveragePod, PodSpec, find_controller
from preflight.model.meta import ObjectKey
from preflight.model.pod_scheduling import SchedulerPod, SchedulerPodSpec
from preflight.model.uncertainty import Uncertainty, UncertaintyKind
from preflight.model.world import ClusterState
from preflight.scheduling.drain.pod_filters import MIRROR_ANNOTATION
from preflight.scheduling.fit import find_pod_priority
from preflight.scheduling.node_health import is_kubelet_silent, is_out_of_service
from preflight.scheduling.occupancy import PodAntiAffinity, PodDemand, PodUsage, list_anti_affinity_terms, measure_pod_usage, measure_spec
from preflight.scheduling.placement import evaluate_placement
from preflight.scheduling.tolerations import NEVER, add_implicit_tolerations, find_eviction_delay

PodKey = tuple[str, str]


class NodeContents:
    """The pods on some nodes before a change, by what they take.

    1. `other_pods` are those of no DaemonSet, by node, without those that end with their node, or by a taint within `horizon` seconds:
       `ended_pods`. `daemonset_pods` are those of a DaemonSet, by its key and node: listed ones, and one of its template where an earlier
       step has left it or it is assumed.
       `waiting_pods` are listed ones, by the node that they were made for, that are not bound; `possible_pods` may be bound or not.
    2. Pods that are being deleted, and those that have ended, hold nothing for a pod that waits until they are gone. Where the kubelet of
       the node is silent nothing ends them (`silent_nodes`): there `hanging_pods` hold theirs.
    3. `owners` says of each pod what controls it: `DaemonSet ops/agent`; "" for nothing. `unlisted_pods` are those that no list shows.
    """

    def __init__(
        self,
        change: Change,
        pods: Mapping[ObjectKey, DaemonSetPods],
        nodes: frozenset[str],
        classes: NodePartitions,
        horizon: float = NEVER,
    ) -> None:
        self._horizon = horizon
        self._change, self._world, self._pods, self._nodes, self._classes = change, change.before, pods, nodes, classes
        self.other_pods: defaultdict[str, list[PodUsage]] = defaultdict(list)
        self.hanging_pods: defaultdict[str, list[tuple[ObjectKey | None, PodUsage]]] = defaultdict(list)
        self.silent_nodes = _select_silent_nodes(change, nodes)
        self.ended_pods: defaultdict[str, list[PodUsage]] = defaultdict(list)
        self.daemonset_pods: defaultdict[tuple[ObjectKey, str], list[PodUsage]] = defaultdict(list)
        self.possible_pods: defaultdict[str, list[tuple[ObjectKey, PodUsage]]] = defaultdict(list)
        self.waiting_pods: defaultdict[str, list[tuple[ObjectKey, SchedulerPod]]] = defaultdict(list)
        self.owners: dict[PodKey, str] = {}
        self.unlisted_pods: set[PodKey] = set()
        self._anti_affinities: list[tuple[ObjectKey | None, PodAntiAffinity]] = []
        self._listed_nodes = {
            key: frozenset().union(*(group.nodes for group in found.groups if group.is_listed)) for key, found in pods.items()
        }
        self._demands: dict[bytes, PodDemand] = {}
        self._adopters = [key for key in pods if key in change.after.daemonsets and key not in self._world.daemonsets]
        self._add_listed_pods()
        for key in self._world.daemonsets:
            self._add_unlisted_pods(key)

    @property
    def uncertainties(self) -> tuple[Uncertainty, ...]:
        """PODS where not every pod of these nodes is known."""
        world = self._world
        listing = world.listing
        lists_nodes = listing is None or (listing.daemonsets is None and (listing.pod_nodes is None or self._nodes <= listing.pod_nodes))
        lists_all = world.listed_namespaces is None and lists_nodes
        is_known = lists_all and world.whole_pods is not None and not world.has_displaced_pods
        return () if is_known else (Uncertainty(UncertaintyKind.PODS),)

    @property
    def knows_some_pods(self) -> bool:
        """Whether any pod was listed as a whole."""
        return bool(self._world.whole_pods)

    def make_pod(self, daemonset: DaemonSet, world: ClusterState) -> CreatedPod:
        """The pod of a DaemonSet's template; where its priority class is not given, a listed pod shows it."""
        pod = make_created_pod(daemonset, world)
        shown = self._specs_by_priority_class.get(pod.spec.priorityClassName) if pod.spec.priority is None else None
        return set_priority(pod, shown) if shown is not None else pod

    def is_refused(self, name: str, key: ObjectKey) -> bool:
        """Whether the scheduler has found no room for the pod of a DaemonSet that waits on a node."""
        return name in self._pods.get(key, DaemonSetPods()).waiting_nodes

    @cached_property
    def _specs_by_priority_class(self) -> Mapping[str, SchedulerPodSpec]:
        """A listed pod of each priority class: it shows the value of the class, and whether pods of it may preempt."""
        specs = (pod.spec for pod in (self._world.whole_pods or {}).values())
        return {spec.priorityClassName: spec for spec in specs if spec.priorityClassName and spec.priority is not None}

    @cached_property
    def _daemonset_pods_by_node(self) -> Mapping[str, list[tuple[ObjectKey, list[PodUsage]]]]:
        found: defaultdict[str, list[tuple[ObjectKey, list[PodUsage]]]] = defaultdict(list)
        for (key, name), usages in self.daemonset_pods.items():
            found[name].append((key, usages))
        return found

    def measure_template(self, key: ObjectKey, spec: PodSpec) -> PodUsage:
        """What a pod of a DaemonSet's template takes; no list shows it, and its name is made up."""
        pod_key = (key.namespace, f"{key.name}-*")
        self.owners[pod_key] = f"DaemonSet {key}"
        self.unlisted_pods.add(pod_key)
        return measure_spec(pod_key, spec)

    def select_anti_affinities(self, own: ObjectKey, nodes: frozenset[str]) -> tuple[PodAntiAffinity, ...]:
        """The anti-affinity of the listed pods of some nodes, but for those of one DaemonSet, which give way to its new ones."""
        return tuple(guard for daemonset, guard in self._anti_affinities if daemonset != own and guard.node in nodes)

    def list_hanging(self, name: str, own: ObjectKey) -> list[PodUsage]:
        """The pods of a node that never end, but for those of one DaemonSet: its new pod waits for them."""
        return [usage for key, usage in self.hanging_pods.get(name, ()) if key != own]

    def list_before(self, name: str, own: ObjectKey) -> list[PodUsage]:
        """All pods of a node before the change, but for those of one DaemonSet."""
        of_daemonsets = (usages for key, usages in self._daemonset_pods_by_node.get(name, ()) if key != own)
        others = (*self.other_pods.get(name, ()), *self.list_hanging(name, own), *self.ended_pods.get(name, ()))
        return [*others, *(usage for usages in of_daemonsets for usage in usages)]

    def _add_listed_pods(self) -> None:
        whole_pods = self._world.whole_pods
        if whole_pods is None:
            return
        for listed in self._world.pods:
            node = listed.spec.nodeName
            if not node:
                self._add_waiting_pod(listed, whole_pods.get((listed.metadata.namespace, listed.metadata.name)))
            if node not in self._nodes or listed.status.phase in ("Failed", "Succeeded"):
                continue
            key = (listed.metadata.namespace, listed.metadata.name)
            pod = whole_pods.get(key)
            if listed.metadata.deletionTimestamp:
                self._add_terminating_pod(listed, pod)
                continue
            if pod is None and self._world.has_displaced_pods:
                continue  # an earlier step has ended it
            if pod is None:
                unread = Uncertainty(UncertaintyKind.UNREAD, "/".join(key))
                self.other_pods[node].append(PodUsage(key, {}, uncertainties=(unread,)))
            elif pod.spec.nodeName == node:
                self._add_pod(listed, pod)

    def _add_terminating_pod(self, listed: CoveragePod, pod: SchedulerPod | None) -> None:
        """A pod that is being deleted holds its room where nothing ends it."""
        if pod is not None and pod.spec.nodeName in self.silent_nodes:
            self._name_owner(pod)
            self.hanging_pods[pod.spec.nodeName].append((self._find_daemonset(listed), self.measure(pod)))

    def _name_owner(self, pod: SchedulerPod) -> None:
        owner = pod.controller
        self.owners[pod.key] = f"{owner.kind} {pod.metadata.namespace}/{owner.name}" if owner else ""

    def _add_waiting_pod(self, listed: CoveragePod, pod: SchedulerPod | None) -> None:
        daemonset, node = self._find_daemonset(listed), find_target_node(listed)
        if pod is None or daemonset is None or node not in self._nodes or listed.metadata.deletionTimestamp:
            return
        if node not in self._made_nodes(daemonset):
            self.waiting_pods[node].append((daemonset, pod))

    def _made_nodes(self, key: ObjectKey) -> frozenset[str]:
        """The nodes where an earlier step has left a pod of a DaemonSet, or one is assumed."""
        groups = self._pods.get(key, DaemonSetPods()).groups
        return frozenset().union(*(group.nodes for group in groups if not group.is_listed and not group.is_conditional))

    def _add_pod(self, listed: CoveragePod, pod: SchedulerPod) -> None:
        node = pod.spec.nodeName
        self._name_owner(pod)
        daemonset = self._find_adopter(pod) or self._find_daemonset(listed)
        if daemonset is not None and node not in self._listed_nodes.get(daemonset, frozenset()):
            return  # an earlier step has ended it
        if daemonset is None and self._is_ended(listed, pod):
            self.ended_pods[node].append(self.measure(pod))
            return
        usage = self.measure(pod)
        if daemonset is None:
            self.other_pods[node].append(usage)
        else:
            self.daemonset_pods[daemonset, node].append(usage)
        self._anti_affinities += ((daemonset, PodAntiAffinity(pod.key, node, term)) for term in list_anti_affinity_terms(pod))

    def _is_ended(self, listed: CoveragePod, pod: SchedulerPod) -> bool:
        """Whether the change ends a pod of no DaemonSet: with its node, or by a taint that the node gets."""
        node = pod.spec.nodeName
        if node in self._change.recreation_nodes:
            return MIRROR_ANNOTATION not in pod.metadata.annotations
        before, after = self._change.before.nodes.get(node), self._change.after.nodes.get(node)
        if before is None or after is None or node in self.silent_nodes or not gains_eviction(before, after):
            return False
        tolerations = parse_tolerations(bytes(listed.spec.tolerations))
        delay = find_eviction_delay(tolerations, after.spec.taints, self._change.after.comparison_operators)
        return delay is not None and delay != NEVER and delay <= self._horizon

    def measure(self, pod: SchedulerPod) -> PodUsage:
        """What a listed pod takes."""
        usage = measure_pod_usage(pod, demand_cache=self._demands)
        if pod.spec.priority is None and pod.spec.priorityClassName:
            found = next((known.value for known in self._world.priority_classes if known.metadata.name == pod.spec.priorityClassName), None)
            priority = find_pod_priority(pod.spec) if found is None else found
            return replace(usage, priority=priority or 0)
        return usage

    def _find_adopter(self, pod: SchedulerPod) -> ObjectKey | None:
        """The new DaemonSet that takes over a pod that nothing controls, or whose DaemonSet an earlier step has deleted."""
        owner = pod.controller
        if not self._adopters or (owner and ObjectKey(pod.metadata.namespace, owner.name) not in self._world.deleted_daemonsets):
            return None
        for key in self._adopters:
            adopts = selects_pods(self._change.after.daemonsets[key], pod.metadata.namespace, pod.metadata.labels)
            if adopts and pod.spec.nodeName in self._listed_nodes[key]:
                return key
        return None

    def _find_daemonset(self, pod: CoveragePod) -> ObjectKey | None:
        """The key under which the pods of its DaemonSet are kept; None for a pod that no known DaemonSet controls."""
        owner = find_controller(pod)
        if owner is None or owner.kind != "DaemonSet":
            return None
        key = ObjectKey(pod.metadata.namespace, owner.name)
        daemonset = self._world.daemonsets.get(key)
        if key in self._world.deleted_daemonsets:
            return orphaned_pods_key(key) if daemonset is None else key
        if daemonset is None or key not in self._pods:
            return None
        uid = daemonset.metadata.uid
        return None if uid and owner.uid and uid != owner.uid else key

    def _add_unlisted_pods(self, key: ObjectKey) -> None:
        """The pods of a DaemonSet that no list shows: left by an earlier step, or assumed."""
        daemonset, found = self._world.daemonsets[key], self._pods.get(key, DaemonSetPods())
        possible = frozenset().union(*(group.nodes for group in found.groups if group.may_be_pending)) & self._nodes
        there = (self._made_nodes(key) & self._nodes) | self._assume_nodes(key, self._nodes - found.decided_nodes)
        there -= possible
        if not there and not possible:
            return
        usage = self.measure_template(key, self.make_pod(daemonset, self._world).spec)
        for node in there:
            self.daemonset_pods[key, node].append(usage)
        for node in possible:
            self.possible_pods[node].append((key, usage))

    def _assume_nodes(self, key: ObjectKey, nodes: frozenset[str]) -> frozenset[str]:
        """Those of some nodes where a DaemonSet should run before the change, and a pod is assumed."""
        if not nodes:
            return nodes
        spec = self._world.daemonsets[key].spec.template.spec
        tolerations, gate = add_implicit_tolerations(spec), self._world.comparison_operators
        return frozenset().union(
            *(
                node_class.nodes
                for node_class in self._classes.get_classes(collect_mentions(spec), nodes)
                if node_class.before is not None and evaluate_placement(spec, tolerations, node_class.before, gate).should_run
            )
        )


def _select_silent_nodes(change: Change, nodes: frozenset[str]) -> frozenset[str]:
    """Those of some nodes where no pod ends that is deleted: the kubelet is silent, and no controller removes pods without asking it.

    A deletion of the node does, one with force, and the taint out-of-service.
    """
    if change.removes_pods:
        return frozenset()
    before, after = change.before.nodes, change.after.nodes
    there = (name for name in nodes - change.recreation_nodes if name in before and name in after)
    return frozenset(
        name for name in there if is_kubelet_silent(before[name]) and is_kubelet_silent(after[name]) and not is_out_of_service(after[name])
    )
