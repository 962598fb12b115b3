"""Which nodes may ever take a pod, whatever is on them now: by labels, taints and volumes, and by their size."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from preflight.change.node_verbs import set_schedulable
from preflight.coverage.node_classes import NodeClass, NodeMentions, NodePartitions, collect_mentions
from preflight.evictions.next_pods import NextPod
from preflight.model.core import Node
from preflight.model.uncertainty import Uncertainty, UncertaintyKind
from preflight.scheduling.affinity import UNKNOWN, get_label
from preflight.scheduling.filters import PodToSchedule, may_be_claimed
from preflight.scheduling.fit import make_pod_to_schedule
from preflight.scheduling.node_fit import FitConditions, fit_node
from preflight.scheduling.occupancy import NodeOccupancy, Occupancy, build_occupancy
from preflight.scheduling.volumes import collect_volume_labels

_UNLIMITED = frozenset((UncertaintyKind.NODE, UncertaintyKind.ALLOCATABLE))
"""That a partly known node may have more taints, and a node without a size, keeps no node from being taken for one that has room."""


class NodeAnswer(Struct, frozen=True):
    """Whether a node may take a pod; None where that depends on `doubts`."""

    takes: bool | None
    doubts: tuple[Uncertainty, ...] = ()


class LostNodes(Struct, frozen=True):
    """The nodes that took a pod before a change, where no node surely takes it afterwards; `doubts` are why one still may."""

    nodes: tuple[str, ...]
    doubts: tuple[Uncertainty, ...] = ()


class _Demand(Struct, frozen=True, dict=True):
    """A pod with what of it is the same for many pods (`key`), and what the filters and the classes of nodes read."""

    pod: NextPod
    key: Hashable
    mentions: NodeMentions
    conditions: FitConditions

    @cached_property
    def wanted(self) -> PodToSchedule:
        """The pod as the filters see it."""
        return make_pod_to_schedule(self.pod.spec)


class NodeTakers:
    """The nodes before and after a change; nodes that no pod can tell apart are judged once, and so are pods that ask for the same."""

    def __init__(self, before: Mapping[str, Node], after: Mapping[str, Node], comparison_operators: bool | None) -> None:
        """Over the nodes of two worlds, and the gate of Lt and Gt."""
        self._nodes = {**before, **after}
        views = ({name: _complete_cordon(node) for name, node in nodes.items()} for nodes in (before, after))
        self._partitions = NodePartitions(*views)
        self._gate = comparison_operators
        self.differing = frozenset(name for name in self._nodes if before.get(name) is not after.get(name))
        self._others = frozenset(after) - self.differing
        self._answers: dict[tuple[Hashable, frozenset[str], bool], NodeAnswer] = {}
        self._found: dict[Hashable, LostNodes | None] = {}
        self._sizes: dict[frozenset[str], tuple[tuple[NodeOccupancy, frozenset[str]], ...]] = {}

    def find_lost_nodes(self, pod: NextPod) -> LostNodes | None:
        """The nodes that a change takes from a pod and that were its last; None where it had none for certain, or another is left.

        1. What is on the nodes does not count: room comes and goes. A node that is smaller than what the pod asks for never takes it.
        2. A partly known node may have more taints: nothing is lost there for certain, and one that fits counts as left. The next nodes of
           a pool are as its manifest says; nodes that stand for all with some labels are those of a pod that selects these.
        """
        demand = self._make_demand(pod)
        key = (demand.key, tuple((demand.wanted.requests or {}).items()))
        if key not in self._found:
            self._found[key] = self._find_lost_nodes(demand)
        return self._found[key]

    def _find_lost_nodes(self, demand: _Demand) -> LostNodes | None:
        lost: set[str] = set()
        doubts: dict[Uncertainty, None] = {}
        for node_class in self._partitions.get_classes(demand.mentions, self.differing):
            before, after = self._judge(demand, node_class, node_class.before), self._judge(demand, node_class, node_class.after)
            if before.takes is False and after.takes is False:
                continue
            names = frozenset().union(*self._iter_large_enough(demand, node_class.nodes))
            if not names:
                continue
            if after.takes or (before.takes is None and after.takes is None):
                return None  # it is as it was
            if node_class.before is not None and _took(demand.pod, node_class.before, before):
                lost |= names
            doubts |= dict.fromkeys(after.doubts)
        if not lost:
            return None
        for node_class in self._partitions.get_classes(demand.mentions, self._others):
            answer = self._judge(demand, node_class, node_class.after)
            if answer.takes is not False and any(self._iter_large_enough(demand, node_class.nodes)):
                if answer.takes:
                    return None
                doubts |= dict.fromkeys(answer.doubts)
        return LostNodes(tuple(sorted(lost)), tuple(doubts))

    def _make_demand(self, pod: NextPod) -> _Demand:
        spec = pod.spec
        volumes = tuple(bound.persistent_volume.metadata.name for bound in pod.volumes)
        key = (spec.nodeName, tuple(spec.nodeSelector.items()), spec.affinity, spec.tolerations, pod.topology, volumes, pod.is_admitted)
        keys, by_name = collect_mentions(spec)
        keys |= collect_volume_labels(pod.volumes) | ({pod.topology} if pod.topology else set())
        return _Demand(pod, key, NodeMentions(keys, by_name), FitConditions(self._gate, frozenset(), volumes=pod.volumes))

    def _judge(self, demand: _Demand, node_class: NodeClass, node: Node | None) -> NodeAnswer:
        """Whether the nodes of a class take a pod as they are in one of the two worlds, if they are large enough."""
        if node is None:
            return NodeAnswer(False)
        key = (demand.key, node_class.nodes, node is node_class.after)
        if key not in self._answers:
            self._answers[key] = self._fit_node(demand, node)
        return self._answers[key]

    def _fit_node(self, demand: _Demand, node: Node) -> NodeAnswer:
        topology, named = demand.pod.topology, demand.pod.spec.nodeName
        label = get_label(node, topology) if topology else ""
        if label is None or (named and named != node.name):
            return NodeAnswer(False)
        room = NodeOccupancy(node, (), None)
        fit = fit_node(demand.wanted, room, Occupancy({}), demand.conditions)
        if fit.fits is False and not demand.pod.is_admitted:
            fit = fit_node(demand.wanted, room, Occupancy({}), replace(demand.conditions, are_tolerations_complete=False))
            fit = replace(fit, uncertainties=(Uncertainty(UncertaintyKind.ADMISSION, demand.pod.spec.runtimeClassName),))
        if fit.fits is False:
            return NodeAnswer(False)
        doubts = tuple(doubt for doubt in fit.uncertainties if doubt.kind not in _UNLIMITED)
        if label is UNKNOWN:
            doubts = (*doubts, Uncertainty(UncertaintyKind.LABELS, topology))
        return NodeAnswer(None if doubts else True, doubts)

    def _iter_large_enough(self, demand: _Demand, names: frozenset[str]) -> Iterator[frozenset[str]]:
        """Those of some nodes that have what a pod asks for when nothing else is there, by their size."""
        for room, members in self._group_by_size(names):
            if room.allocatable is None or all(
                amount <= room.allocatable.get(name, 0) or name in room.unreadable_resources or may_be_claimed(name, room, frozenset())
                for name, amount in (demand.wanted.requests or {}).items()
            ):
                yield members

    def _group_by_size(self, names: frozenset[str]) -> tuple[tuple[NodeOccupancy, frozenset[str]], ...]:
        if names not in self._sizes:
            members: dict[Hashable, list[str]] = {}
            for name in names:
                members.setdefault(tuple(self._nodes[name].status.allocatable.items()), []).append(name)
            groups = ((build_occupancy((self._nodes[few[0]],), ()).nodes[few[0]], frozenset(few)) for few in members.values())
            self._sizes[names] = tuple(groups)
        return self._sizes[names]


def _took(pod: NextPod, node: Node, answer: NodeAnswer) -> bool:
    """Whether a pod was for a node before: for certain, or because it selects all labels by which a command names many nodes as one."""
    if not node.is_partial or node.pool is not None:
        return answer.takes is True
    labels = node.metadata.labels
    return answer.takes is not False and node.name.startswith("(") and bool(labels) and labels.items() <= pod.spec.nodeSelector.items()


def _complete_cordon(node: Node) -> Node:
    """A node with the taint that follows its cordon, which a list may lack."""
    return set_schedulable(node, False) if node.spec.unschedulable else node
