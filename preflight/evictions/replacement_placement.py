"""Where the replacements of pods that go find room, and whether a DaemonSet's pod does that comes back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from preflight.change.node_verbs import schedulable
from preflight.evictions.pod_index import Key, Known, is_of_daemonset
from preflight.messages.lists import listed
from preflight.messages.uncertainty import doubt_words
from preflight.model.evictions import Returning
from preflight.model.objects import Node
from preflight.model.pod_scheduling import ScheduledPod, ScheduledSpec
from preflight.scheduling.fit import Fit, fit
from preflight.scheduling.jobs.exclusive_placement import EXCLUSIVE
from preflight.scheduling.occupancy import Occupancy
from preflight.scheduling.tolerations import daemon_tolerations

_AT_ONCE = 16
_SHOWN = 3


class Place(Struct, frozen=True):
    """Where a replacement goes: fits, pending or unknown; the nodes that take it today, and reasons."""

    answer: str
    where: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


def places(known: Known, leaving: Sequence[ScheduledPod], nodes: Mapping[str, Node], excluded: frozenset[str]) -> Mapping[Key, Place]:
    """Where the replacement of each pod that goes finds room, once all of them are gone.

    1. Pods of one owner with equal specs are asked for once. Pending is said only of those that no node takes for certain, however the
       others are placed: of n equal ones those beyond the number that fits at most.
    2. Then the replacements are placed one after another, each on the first node that takes it. One that finds no room then may find
       some in the real order: unknown.
    3. Volumes, affinity between pods, spread and the like are not judged: unknown, with each reason.

    `excluded` are nodes that are not there for it, those that shut down or are gone.
    """
    gone = frozenset(pod.key for pod in leaving)
    occupancy = known.occupancy((node for name, node in nodes.items() if name not in excluded and node.pool is None), gone)
    filled = occupancy
    found: dict[Key, Place] = {}
    groups: dict[tuple[str, bytes], list[ScheduledPod]] = {}
    for pod in leaving:
        if pod.controller is not None and not pod.has_ended and not pod.metadata.deletionTimestamp:
            groups.setdefault((known.owner(pod), _same(pod.spec)), []).append(pod)
    for pods in groups.values():
        first = pods[0]
        if EXCLUSIVE in first.metadata.annotations:
            found |= dict.fromkeys((pod.key for pod in pods), Place("unknown", (), ("its JobSet places it by its leader",)))
            continue
        answer = _fit(known, first, occupancy)
        if lacking := _lacking(answer, len(pods)):
            for pod in pods[len(pods) - lacking :]:
                found[pod.key] = Place("pending", (), (_pending(answer, len(pods), lacking),))
            pods = pods[: len(pods) - lacking]
            if not pods:
                continue
        if answer.fits is None:
            found |= dict.fromkeys((pod.key for pod in pods), Place("unknown", (), tuple(_doubts(answer))))
        else:
            placed, filled = _placed(known, pods, answer.takers, filled)
            for number, pod in enumerate(pods):
                crowded = ("the replacements of other pods may take the room that is left",)
                found[pod.key] = Place("fits", answer.takers) if number < placed else Place("unknown", answer.takers, crowded)
    return found


def _lacking(answer: Fit, wanted: int) -> int:
    """How many of so many equal pods stay Pending for certain: none where pods of lower priority may have to go for them."""
    if answer.fits is False:
        return wanted
    if answer.at_most is None or any(node.takes is False and node.preempts is not False for node in answer.nodes):
        return 0
    return max(0, wanted - answer.at_most)


def _same(spec: ScheduledSpec) -> bytes:
    """Equal for pods that the scheduler cannot tell apart: the names of their volumes say nothing, their claims do."""
    return msgspec.json.encode(replace(spec, nodeName="", volumes=tuple(replace(volume, name="") for volume in spec.volumes)))


def _fit(known: Known, pod: ScheduledPod, occupancy: Occupancy) -> Fit:
    return fit(
        pod.spec,
        occupancy,
        labels=pod.metadata.labels,
        namespace=pod.metadata.namespace,
        admitted=True,
        comparison_operators=known.world.comparison_operators,
    )


def _placed(known: Known, pods: Sequence[ScheduledPod], takers: Sequence[str], filled: Occupancy) -> tuple[int, Occupancy]:
    """How many of equal pods find room on nodes that took one at first, and what is taken then."""
    placed = 0
    for start in range(0, len(takers), _AT_ONCE):
        few = {name: filled.rooms[name] for name in takers[start : start + _AT_ONCE]}
        for node in _fit(known, pods[0], Occupancy(few, filled.guards, filled.doubts)).nodes:
            for _ in range(min(node.copies, len(pods) - placed)):
                filled = filled.changed(filled.rooms[node.node].with_pod(pods[placed].key, pods[placed].spec))
                placed += 1
        if placed == len(pods):
            break
    return placed, filled


def _pending(answer: Fit, wanted: int, lacking: int) -> str:
    if lacking < wanted:
        return f"only {wanted - lacking} of {wanted} such pods fit: its replacement stays Pending"
    message = answer.message()
    return f"its replacement stays Pending: {message.rstrip('.')}" if message else f"its replacement stays Pending: {_why_not(answer)}"


def _why_not(answer: Fit) -> str:
    """All that stands in the way, where the scheduler's own words are not certain."""
    counts: dict[str, int] = {}
    for node in answer.nodes:
        for reason in node.reasons:
            counts[reason.text] = counts.get(reason.text, 0) + 1
    return ", ".join(sorted(f"{count} {text}" for text, count in counts.items())) or "no node is there"


def _doubts(answer: Fit) -> Iterator[str]:
    every = (*answer.doubts, *(each for node in answer.nodes if node.takes is None for each in node.doubts))
    words = list(dict.fromkeys(doubt_words(each) for each in every))
    yield from words[:_SHOWN]
    if not words:
        yield "pods of lower priority may have to go for it"


def returning(known: Known, node: Node, gone: frozenset[Key]) -> tuple[Returning, ...]:
    """The DaemonSets whose pod does not find room on a node when it is created anew there, once the node is uncordoned.

    1. The pod's own room is free then, and that of the pods that have gone; all others are there.
    2. It has the tolerations that the DaemonSet controller adds. What else keeps it out, as a taint, is for the coverage to say.
    """
    found = []
    node = schedulable(node, True)
    occupancy = known.occupancy((node,), gone)
    room = occupancy.rooms[node.name]
    for pod in known.by_node.get(node.name, ()):
        if not is_of_daemonset(pod) or pod.has_ended or pod.controller is None:
            continue
        tolerating = replace(pod, spec=replace(pod.spec, tolerations=daemon_tolerations(pod.spec)))
        answer = _fit(known, tolerating, occupancy.changed(room.without(pod.key)))
        reasons = [reason for each in answer.nodes for reason in each.reasons]
        if answer.fits is False and not any(reason.lasting for reason in reasons):
            words = listed(dict.fromkeys(reason.text for reason in reasons))
            found.append(Returning(f"{pod.metadata.namespace}/{pod.controller.name}", False, (words,)))
    return tuple(found)


def uncordoned(
    known: Known, pods: Sequence[ScheduledPod], nodes: Mapping[str, Node], acted: frozenset[str], gone: frozenset[Key]
) -> list[str]:
    """The nodes that would take one of the pods if they were not cordoned; those that the change acts on do not count."""
    free = [schedulable(node, True) for name, node in nodes.items() if node.spec.unschedulable and name not in acted]
    if not free:
        return []
    occupancy = known.occupancy(free, gone)
    return sorted({name for pod in {_same(pod.spec): pod for pod in pods}.values() for name in _fit(known, pod, occupancy).takers})
