"""Where the replacements of pods that go find room, and whether a DaemonSet's pod does that comes back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from preflight.change.node_verbs import set_schedulable
from preflight.evictions.pod_index import PodIndex, PodKey, is_of_daemonset
from preflight.model.core import Node, PodSpec
from preflight.model.eviction_reasons import NodeObstacle, PendingReason, PlacementFact, StaysPending, TooFewFit
from preflight.model.evictions import ReplacementOutcome, ReturningPod
from preflight.model.owners import OwnerKey
from preflight.model.pod_scheduling import SchedulerPod, SchedulerPodSpec
from preflight.model.uncertainty import Uncertainty, UncertaintyKind
from preflight.scheduling.fit import FitResult, fit_pod
from preflight.scheduling.jobs.exclusive_placement import EXCLUSIVE_TOPOLOGY
from preflight.scheduling.occupancy import Occupancy
from preflight.scheduling.scheduler_behavior import find_scheduler_behavior
from preflight.scheduling.tolerations import add_implicit_tolerations

_MAX_PLACED = 16


class MissingNodes(Struct, frozen=True):
    """What of the cluster nobody has asked for yet, and the answer may be another with it.

    1. `pods` are those whose replacements have found no place on the nodes that are known; `undecided` are known nodes whose pods are not,
       and that may take one of them.
    2. `needs_all_nodes`: every node has to be known, whatever is on it.
    3. `next_pods` are those of pods that stay, which no known node would take.
    """

    pods: tuple[SchedulerPod, ...] = ()
    next_pods: tuple[PodSpec, ...] = ()
    undecided: frozenset[str] = frozenset()
    needs_all_nodes: bool = False


class ReplacementPlacement(Struct, frozen=True):
    """Whether a replacement finds a node, the nodes that take it today, and why it stays Pending or that is unknown.

    `undecided_nodes` may take it, and nobody has asked for their pods; None where no further node changes the outcome.
    """

    outcome: ReplacementOutcome
    candidate_nodes: tuple[str, ...] = ()
    pending_reason: PendingReason | None = None
    unknown_causes: tuple[PlacementFact | Uncertainty, ...] = ()
    undecided_nodes: frozenset[str] | None = None


def place_replacements(
    pod_index: PodIndex, leaving_pods: Sequence[SchedulerPod], nodes: Mapping[str, Node], excluded: frozenset[str]
) -> Mapping[PodKey, ReplacementPlacement]:
    """Where the replacement of each pod that goes finds room, once all of them are gone.

    1. Pods of one owner with equal specs are asked for once. Pending is said only of those that no node takes for certain, however the
       others are placed: of n equal ones those beyond the number that fits at most.
    2. Then the replacements are placed one after another, each on the first node that takes it. One that finds no room then may find
       some in the real order: unknown.
    3. Claims that are not bound, affinity between pods, spread and the like are not judged: unknown, with each reason.
    4. Where only a part of the nodes is known, a place on one of them is one, and so is a doubt that is of the pod itself. Nothing else is
       said for certain.

    `excluded` are nodes that are not there for it, those that shut down or are gone.
    """
    gone = frozenset(pod.key for pod in leaving_pods)
    occupancy = pod_index.compute_occupancy((node for name, node in nodes.items() if name not in excluded and node.pool is None), gone)
    filled = occupancy
    found: dict[PodKey, ReplacementPlacement] = {}
    groups: dict[tuple[OwnerKey | None, bytes], list[SchedulerPod]] = {}
    for pod in leaving_pods:
        if pod.controller is not None and not pod.has_ended and not pod.metadata.deletionTimestamp:
            groups.setdefault((pod_index.find_owner(pod), _make_spec_key(pod.spec)), []).append(pod)
    for pods in groups.values():
        first = pods[0]
        if EXCLUSIVE_TOPOLOGY in first.metadata.annotations:
            led = ReplacementPlacement(ReplacementOutcome.UNKNOWN, unknown_causes=(PlacementFact.LEADER_DECIDES,))
            found |= dict.fromkeys((pod.key for pod in pods), led)
            continue
        answer = _check_fit(pod_index, first, occupancy)
        undecided = _list_undecided_nodes(pod_index, answer, occupancy, len(pods))
        if lacking := _count_unplaceable(answer, len(pods)):
            reason = _find_pending_reason(answer, len(pods), lacking)
            pending = ReplacementPlacement(ReplacementOutcome.PENDING, (), reason, undecided_nodes=undecided)
            found |= dict.fromkeys((pod.key for pod in pods[len(pods) - lacking :]), pending)
            pods = pods[: len(pods) - lacking]
            if not pods:
                continue
        if answer.fits is None:
            causes = _list_uncertainties(answer)
            if undecided is None and pod_index.listed_nodes is not None:
                causes = tuple(cause for cause in causes if cause.kind is not UncertaintyKind.NODES)
            unknown = ReplacementPlacement(ReplacementOutcome.UNKNOWN, unknown_causes=causes, undecided_nodes=undecided)
            found |= dict.fromkeys((pod.key for pod in pods), unknown)
        else:
            placed, filled = _place_on_nodes(pod_index, pods, answer.fitting_nodes, filled)
            fits = ReplacementPlacement(ReplacementOutcome.FITS, answer.fitting_nodes)
            contested = (PlacementFact.CONTESTED_CAPACITY,)
            crowded = ReplacementPlacement(ReplacementOutcome.UNKNOWN, answer.fitting_nodes, None, contested, undecided)
            found |= {pod.key: fits if number < placed else crowded for number, pod in enumerate(pods)}
    return found


def _list_undecided_nodes(pod_index: PodIndex, answer: FitResult, occupancy: Occupancy, wanted: int) -> frozenset[str] | None:
    """The nodes that may take a pod and whose pods nobody has asked for; None where no further node changes what is not certain now.

    1. That is so where the pods of all nodes were asked for.
    2. It is so too where something about the pod itself keeps every node from taking it for certain, and nodes whose pods are known leave
       room for all that are wanted: unknown is then the answer, whatever the other nodes are.
    """
    if pod_index.listed_nodes is None:
        return None
    unlisted = frozenset(name for name, room in occupancy.nodes.items() if not room.are_pods_listed)
    doubtful = [node for node in answer.nodes if node.fits is None and node.node not in unlisted]
    bounds = [node.max_copies for node in doubtful]
    has_room = None in bounds or sum(bound or 0 for bound in bounds) >= wanted
    is_doubtful = any(uncertainty.kind not in (UncertaintyKind.NODES, UncertaintyKind.PREEMPTION) for uncertainty in answer.uncertainties)
    if is_doubtful and doubtful and has_room:
        return None
    return frozenset(node.node for node in answer.nodes if node.fits is not False and node.node in unlisted)


def find_missing_nodes(
    leaving_pods: Sequence[SchedulerPod], placements: Mapping[PodKey, ReplacementPlacement], *, needs_all_nodes: bool
) -> MissingNodes | None:
    """What has to be asked for before the answer is that of the whole cluster; None where it is."""
    undecided = {key: placement.undecided_nodes for key, placement in placements.items() if placement.undecided_nodes is not None}
    if not undecided and not needs_all_nodes:
        return None
    pods = tuple(pod for pod in leaving_pods if pod.key in undecided)
    return MissingNodes(pods, (), frozenset().union(*undecided.values()), needs_all_nodes)


def _count_unplaceable(answer: FitResult, wanted: int) -> int:
    """How many of so many equal pods stay Pending for certain: none where pods of lower priority may have to go for them."""
    if answer.fits is False:
        return wanted
    if answer.max_copies is None or any(node.fits is False and node.may_preempt is not False for node in answer.nodes):
        return 0
    return max(0, wanted - answer.max_copies)


def _make_spec_key(spec: SchedulerPodSpec) -> bytes:
    """Equal for pods that the scheduler cannot tell apart: the names of their volumes say nothing, their claims do."""
    return msgspec.json.encode(replace(spec, nodeName="", volumes=tuple(replace(volume, name="") for volume in spec.volumes)))


def _check_fit(pod_index: PodIndex, pod: SchedulerPod, occupancy: Occupancy) -> FitResult:
    return fit_pod(
        pod.spec,
        occupancy,
        labels=pod.metadata.labels,
        namespace=pod.metadata.namespace,
        is_admitted=True,
        comparison_operators=pod_index.world.comparison_operators,
        behavior=find_scheduler_behavior(pod_index.world.versions),
        volumes=pod_index.volumes.list_bound_volumes(pod.spec, pod.metadata.namespace),
    )


def _place_on_nodes(
    pod_index: PodIndex, pods: Sequence[SchedulerPod], candidate_nodes: Sequence[str], occupancy_so_far: Occupancy
) -> tuple[int, Occupancy]:
    """How many of equal pods find room on nodes that took one at first, and what is taken then."""
    placed = 0
    for start in range(0, len(candidate_nodes), _MAX_PLACED):
        few = {name: occupancy_so_far.nodes[name] for name in candidate_nodes[start : start + _MAX_PLACED]}
        for node in _check_fit(pod_index, pods[0], Occupancy(few, occupancy_so_far.anti_affinities, occupancy_so_far.uncertainties)).nodes:
            for _ in range(min(node.copies, len(pods) - placed)):
                occupancy_so_far = occupancy_so_far.with_node(
                    occupancy_so_far.nodes[node.node].with_pod(pods[placed].key, pods[placed].spec)
                )
                placed += 1
        if placed == len(pods):
            break
    return placed, occupancy_so_far


def _find_pending_reason(answer: FitResult, wanted: int, unplaceable: int) -> PendingReason:
    """Why replacements stay Pending: too few of them fit, the scheduler's message, or all refusals if that message is not certain."""
    if unplaceable < wanted:
        return TooFewFit(wanted - unplaceable, wanted)
    message = answer.format_message()
    if message:
        return StaysPending(message)
    return StaysPending(node_counts=tuple(Counter(reason.text for node in answer.nodes for reason in node.reasons).items()))


def _list_uncertainties(answer: FitResult) -> tuple[Uncertainty, ...]:
    """What keeps the answer from being known."""
    of_nodes = (uncertainty for node in answer.nodes if node.fits is None for uncertainty in node.uncertainties)
    return tuple(dict.fromkeys((*answer.uncertainties, *of_nodes))) or (Uncertainty(UncertaintyKind.PREEMPTION),)


def find_returning_daemonsets(pod_index: PodIndex, node: Node, gone: frozenset[PodKey]) -> tuple[ReturningPod, ...]:
    """The DaemonSets whose pod does not find room on a node when it is created anew there, once the node is uncordoned.

    1. The pod's own room is free then, and that of the pods that have gone; all others are there.
    2. It has the tolerations that the DaemonSet controller adds. What else keeps it out, as a taint, is for the coverage to say.
    """
    found = []
    node = set_schedulable(node, True)
    occupancy = pod_index.compute_occupancy((node,), gone)
    room = occupancy.nodes[node.name]
    for pod in pod_index.pods_by_node.get(node.name, ()):
        if not is_of_daemonset(pod) or pod.has_ended or pod.controller is None:
            continue
        tolerating = replace(pod, spec=replace(pod.spec, tolerations=add_implicit_tolerations(pod.spec)))
        answer = _check_fit(pod_index, tolerating, occupancy.with_node(room.without_pod(pod.key)))
        fit = answer.nodes[0]
        reasons = fit.reasons
        if fit.fits is False and fit.may_preempt is False and not any(reason.is_unresolvable for reason in reasons):
            obstacles = (
                NodeObstacle(reason.plugin, reason.shortage.resource if reason.shortage else "", reason.text) for reason in reasons
            )
            found.append(ReturningPod(f"{pod.metadata.namespace}/{pod.controller.name}", False, tuple(dict.fromkeys(obstacles))))
    return tuple(found)


def find_nodes_to_uncordon(
    pod_index: PodIndex, pods: Sequence[SchedulerPod], nodes: Mapping[str, Node], changed_nodes: frozenset[str], gone: frozenset[PodKey]
) -> list[str]:
    """The nodes that would take one of the pods if they were not cordoned; those that the change acts on do not count."""
    free = [set_schedulable(node, True) for name, node in nodes.items() if node.spec.unschedulable and name not in changed_nodes]
    if not free:
        return []
    occupancy = pod_index.compute_occupancy(free, gone)
    return sorted(
        {
            name
            for pod in {_make_spec_key(pod.spec): pod for pod in pods}.values()
            for name in _check_fit(pod_index, pod, occupancy).fitting_nodes
        }
    )
