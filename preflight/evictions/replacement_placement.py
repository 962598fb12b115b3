"""Where the replacements of pods that go find room, and whether a DaemonSet's pod does that comes back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from preflight.change.node_verbs import set_schedulable
from preflight.evictions.pod_index import PodIndex, PodKey, is_of_daemonset
from preflight.messages.lists import join_and
from preflight.messages.uncertainty import describe_uncertainty
from preflight.model.evictions import ReturningPod
from preflight.model.objects import Node
from preflight.model.pod_scheduling import SchedulerPod, SchedulerPodSpec
from preflight.scheduling.fit import FitResult, fit_pod
from preflight.scheduling.jobs.exclusive_placement import EXCLUSIVE_TOPOLOGY
from preflight.scheduling.occupancy import Occupancy
from preflight.scheduling.tolerations import add_implicit_tolerations

_MAX_PLACED = 16
_MAX_NODES_LISTED = 3


class ReplacementPlacement(Struct, frozen=True):
    """Where a replacement goes: fits, pending or unknown; the nodes that take it today, and reasons."""

    answer: str
    candidate_nodes: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


def place_replacements(
    pod_index: PodIndex, leaving_pods: Sequence[SchedulerPod], nodes: Mapping[str, Node], excluded: frozenset[str]
) -> Mapping[PodKey, ReplacementPlacement]:
    """Where the replacement of each pod that goes finds room, once all of them are gone.

    1. Pods of one owner with equal specs are asked for once. Pending is said only of those that no node takes for certain, however the
       others are placed: of n equal ones those beyond the number that fits at most.
    2. Then the replacements are placed one after another, each on the first node that takes it. One that finds no room then may find
       some in the real order: unknown.
    3. Volumes, affinity between pods, spread and the like are not judged: unknown, with each reason.

    `excluded` are nodes that are not there for it, those that shut down or are gone.
    """
    gone = frozenset(pod.key for pod in leaving_pods)
    occupancy = pod_index.compute_occupancy((node for name, node in nodes.items() if name not in excluded and node.pool is None), gone)
    filled = occupancy
    found: dict[PodKey, ReplacementPlacement] = {}
    groups: dict[tuple[str, bytes], list[SchedulerPod]] = {}
    for pod in leaving_pods:
        if pod.controller is not None and not pod.has_ended and not pod.metadata.deletionTimestamp:
            groups.setdefault((pod_index.describe_owner(pod), _make_spec_key(pod.spec)), []).append(pod)
    for pods in groups.values():
        first = pods[0]
        if EXCLUSIVE_TOPOLOGY in first.metadata.annotations:
            found |= dict.fromkeys((pod.key for pod in pods), ReplacementPlacement("unknown", (), ("its JobSet places it by its leader",)))
            continue
        answer = _check_fit(pod_index, first, occupancy)
        if lacking := _count_unplaceable(answer, len(pods)):
            for pod in pods[len(pods) - lacking :]:
                found[pod.key] = ReplacementPlacement("pending", (), (_describe_pending(answer, len(pods), lacking),))
            pods = pods[: len(pods) - lacking]
            if not pods:
                continue
        if answer.fits is None:
            found |= dict.fromkeys((pod.key for pod in pods), ReplacementPlacement("unknown", (), tuple(_iter_doubts(answer))))
        else:
            placed, filled = _place_on_nodes(pod_index, pods, answer.fitting_nodes, filled)
            for number, pod in enumerate(pods):
                crowded = ("the replacements of other pods may take the room that is left",)
                found[pod.key] = (
                    ReplacementPlacement("fits", answer.fitting_nodes)
                    if number < placed
                    else ReplacementPlacement("unknown", answer.fitting_nodes, crowded)
                )
    return found


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


def _describe_pending(answer: FitResult, wanted: int, unplaceable: int) -> str:
    if unplaceable < wanted:
        return f"only {wanted - unplaceable} of {wanted} such pods fit: its replacement stays Pending"
    message = answer.format_message()
    return (
        f"its replacement stays Pending: {message.rstrip('.')}" if message else f"its replacement stays Pending: {_explain_no_fit(answer)}"
    )


def _explain_no_fit(answer: FitResult) -> str:
    """All that stands in the way, where the scheduler's own words are not certain."""
    counts: dict[str, int] = {}
    for node in answer.nodes:
        for reason in node.reasons:
            counts[reason.text] = counts.get(reason.text, 0) + 1
    return ", ".join(sorted(f"{count} {text}" for text, count in counts.items())) or "no node is there"


def _iter_doubts(answer: FitResult) -> Iterator[str]:
    every = (*answer.uncertainties, *(uncertainty for node in answer.nodes if node.fits is None for uncertainty in node.uncertainties))
    words = list(dict.fromkeys(describe_uncertainty(each) for each in every))
    yield from words[:_MAX_NODES_LISTED]
    if not words:
        yield "pods of lower priority may have to go for it"


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
        reasons = [reason for fit in answer.nodes for reason in fit.reasons]
        if answer.fits is False and not any(reason.is_unresolvable for reason in reasons):
            words = join_and(dict.fromkeys(reason.text for reason in reasons))
            found.append(ReturningPod(f"{pod.metadata.namespace}/{pod.controller.name}", False, (words,)))
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
