"""Which nodes take a pod now, how many copies of it, and why the others do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from preflight.model.objects import PodSpec
from preflight.model.pod_scheduling import ScheduledSpec
from preflight.scheduling.anti_affinity import guards_against
from preflight.scheduling.filters import Wanted
from preflight.scheduling.node_fit import NodeFit, Terms, node_fit
from preflight.scheduling.occupancy import Occupancy
from preflight.scheduling.ports import host_ports
from preflight.scheduling.quantities import QuantityError
from preflight.scheduling.requests import pod_requests
from preflight.scheduling.tolerations import ordinary_tolerations
from preflight.scheduling.uncertainty import Doubt, Unjudged, doubt, pod_doubts

_SYSTEM = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


class Fit(Struct, frozen=True):
    """Where a pod fits now.

    1. `nodes` in order of their names, `doubts` what is not judged of the pod or known of the cluster.
    2. `conflict`: the terms of the required affinity name nodes that exclude one another, so that no node is looked at.
    """

    nodes: tuple[NodeFit, ...]
    doubts: tuple[Doubt, ...] = ()
    conflict: bool = False

    @property
    def fits(self) -> bool | None:
        """Whether some node takes the pod: None where it is in doubt, or pods of lower priority may have to go for it."""
        if any(node.takes for node in self.nodes):
            return True
        in_doubt = any(node.takes is None or node.preempts is not False for node in self.nodes)
        return None if in_doubt or doubt(Unjudged.NODES) in self.doubts else False

    @property
    def takers(self) -> tuple[str, ...]:
        """The nodes that take it for certain."""
        return tuple(node.node for node in self.nodes if node.takes)

    @property
    def copies(self) -> int:
        """How many copies fit for certain: see `fit`."""
        return sum(node.copies for node in self.nodes)

    @property
    def at_most(self) -> int | None:
        """How many copies fit where all in doubt turns out well: `copies` where nothing is in doubt, None where nothing bounds it."""
        counts = [node.at_most for node in self.nodes]
        if None in counts or doubt(Unjudged.NODES) in self.doubts:
            return None
        return sum(count for count in counts if count is not None)

    def counts(self, *, full: bool = False) -> Mapping[str, int] | None:
        """How many nodes the scheduler counts under each reason, now or once all `copies` are bound.

        A node may count under several, where one filter found several. None where it is not certain what it says of some node.
        """
        counts: Counter[str] = Counter()
        for node in self.nodes:
            reasons = node.full if full else node.stated
            if reasons is None:
                return None
            counts.update(reason.text for reason in reasons)
        return counts

    def message(self, *, full: bool = False) -> str | None:
        """What the scheduler says of a pod that no node takes, or of one more once all `copies` are bound.

        Its sentence on preemption is left out. None as for `counts`, and where a node takes the pod.

        Source: `pkg/scheduler/framework/types.go`, FitError.Error.
        """
        counts = self.counts(full=full)
        if counts is None or (self.takers and not full):
            return None
        if not self.nodes:
            return "no nodes available to schedule pods"
        said = list(counts) if self.conflict else sorted(f"{count} {text}" for text, count in counts.items())
        return f"0/{len(self.nodes)} nodes are available: {', '.join(said)}."


def fit(
    spec: PodSpec,
    occupancy: Occupancy,
    *,
    labels: Mapping[str, str] | None = None,
    namespace: str = "",
    admitted: bool = False,
    comparison_operators: bool | None = None,
    claimed: frozenset[str] = frozenset(),
) -> Fit:
    """Which nodes take a new pod now, how many copies, and why not.

    1. The pod may be one as it is sent, or as the API server keeps it: defaults are filled in here, the two tolerations of 300 s included.
       `admitted` says that its RuntimeClass has added what it adds. `nodeName` is not looked at: a pod that has it asks no scheduler.
    2. The pod asks nobody to go: whether pods of lower priority could be evicted for it is in `preempts`, and not in the copies.
    3. `copies` is a sum over the nodes. All copies are equal, so each takes the same of whatever node it gets; and every filter here looks
       at the pod and at one node with what is on it. So a node takes the same number of copies however they come, none of them changes
       what another node takes, and a copy stays Pending only once every node is full. Which node each gets is for the scores, and chance.
    4. On one node that number is the smallest of: what is left of the pods that it may have; for each resource that the pod asks for, what
       is left of it divided by what one copy asks for, rounded down; and 1 where the pod takes a port of the node.
    5. `labels` and `namespace` are those of the pod, None and "" where not known: other pods may want no such pod near them.
    6. `claimed` are resources that a DeviceClass provides. `comparison_operators` is the gate of Lt and Gt, None where not known.

    Not looked at: other pods that wait, quota, extenders, features that a node must declare.

    Source: `pkg/scheduler/schedule_one.go`, findNodesThatFitPod.
    """
    try:
        requests = pod_requests(spec)
    except QuantityError:
        requests = None
    priority = pod_priority(spec)
    wanted = Wanted(spec, ordinary_tolerations(spec.tolerations), requests, host_ports(spec), _named_nodes(spec), priority)
    doubts = [each for each in occupancy.doubts if each != doubt(Unjudged.NODES)]
    unlisted = tuple(each for each in doubts if each == doubt(Unjudged.PODS))
    doubts += pod_doubts(spec, admitted)
    if requests is None:
        doubts.append(doubt(Unjudged.QUANTITY))
    terms = Terms(
        comparison_operators,
        claimed,
        tuple(doubts),
        unlisted,
        refusals=all(each.what != Unjudged.SCHEDULER.value for each in doubts),
        evicts=not (isinstance(spec, ScheduledSpec) and spec.preemptionPolicy == "Never"),
        guards=guards_against(occupancy, labels, namespace),
        tolerations=all(each.what != Unjudged.ADMISSION.value for each in doubts),
    )
    nodes = tuple(node_fit(wanted, room, occupancy, terms) for room in occupancy.rooms.values())
    if doubt(Unjudged.NODES) in occupancy.doubts:
        doubts.append(doubt(Unjudged.NODES))
    if any(node.preempts for node in nodes):
        doubts.append(doubt(Unjudged.PREEMPTION))
    return Fit(nodes, tuple(doubts), conflict=wanted.names == frozenset())


def pod_priority(spec: PodSpec) -> int | None:
    """The priority of a pod: 0 where it names no class, None where the value of its class is not known."""
    if spec.priority is not None:
        return spec.priority
    return _SYSTEM.get(spec.priorityClassName) if spec.priorityClassName else 0


def _named_nodes(spec: PodSpec) -> frozenset[str] | None:
    """The nodes that the terms of the required affinity name; None where a term names none, and where there is no term.

    Source: `pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go`, PreFilter.
    """
    affinity = spec.affinity.nodeAffinity if spec.affinity else None
    required = affinity.requiredDuringSchedulingIgnoredDuringExecution if affinity else None
    if not required or not required.nodeSelectorTerms:
        return None
    named: set[str] = set()
    for term in required.nodeSelectorTerms:
        wanted = [frozenset(each.values) for each in term.matchFields if (each.key, each.operator) == ("metadata.name", "In")]
        if not wanted:
            return None
        named |= frozenset.intersection(*wanted)
    return frozenset(named)
