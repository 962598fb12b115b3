"""Where the update of one DaemonSet comes to its end, over what is known of its nodes and pods and what is not."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from preflight.coverage.node_classes import cut
from preflight.coverage.node_health import Health
from preflight.coverage.rollout.surge_conflicts import InTheWay
from preflight.model.objects import DaemonSetSpec
from preflight.scheduling.rollout import Update
from preflight.scheduling.rollout_simulation import Course, End, Part, Pod, Start, There, course


class Span(Struct, frozen=True):
    """Nodes with one placement and one state of their pods, well or not.

    1. `pod` is the live pod; `listed`: it was listed and is the same since, `assumed`: nobody listed any.
    2. `missing`: no pod is there, though one should have been. `leaving` are the nodes where one terminates.
    3. `perhaps`: nobody listed pods, and one of before the taints may be there.
    4. `crowded` are the nodes where a new pod is not bound beside an old one.
    """

    nodes: frozenset[str]
    should_run: bool
    may_stay: bool
    pod: Pod
    listed: bool = False
    assumed: bool = False
    missing: bool = False
    perhaps: bool = False
    leaving: frozenset[str] = frozenset()
    crowded: frozenset[str] = frozenset()


class Doubt(Enum):
    """What of a node is not known that an update depends on.

    1. NODE: whether a new pod becomes Ready on a node that is not.
    2. POD: the same where the pod of before is not Ready, or is missing.
    3. THERE: whether a node whose kubelet is silent has a pod.
    """

    NODE = "node"
    POD = "pod"
    THERE = "there"


class Cell(Struct, frozen=True):
    """Nodes that the update cannot tell apart.

    1. `span` is the place of their span; `part` holds where what is in doubt turns out well.
    2. `unseen`: nobody listed the pods that are there.
    """

    span: int
    nodes: frozenset[str]
    part: Part
    doubt: Doubt | None
    unseen: bool

    def where(self, *bad: Doubt) -> Part:
        """The part where these doubts turn out badly: the new pod never becomes Ready, and a pod that nobody listed is not either."""
        if self.doubt is None or self.doubt not in bad:
            return self.part
        if self.doubt is Doubt.THERE:
            return replace(self.part, pod=Pod.OLD, ready=False)
        return replace(self.part, start=Start.UNREADY, ready=self.part.ready and not (self.doubt is Doubt.NODE and self.unseen))


class Fate(Struct, frozen=True):
    """Why it is not certain on which of some nodes the old pod goes.

    1. `nodes` are all of them, `kept` how many keep it, at least and at most.
    2. `holders` are the nodes that use the budget up, or with a surge the wanted ones without an available pod.
    3. `doubtful` are nodes that are not Ready, where it depends on whether new pods become Ready there; else it is the order of nodes.
    """

    nodes: tuple[str, ...]
    kept: tuple[int, int]
    holders: tuple[str, ...]
    doubtful: tuple[str, ...]
    surge: bool
    budget: int


class Rollout(Struct, frozen=True):
    """The update of one DaemonSet.

    1. `likely` is its course where all new pods become Ready but those on silent nodes, `wary` the one where those on nodes that are not
       Ready do not either, `worst` where nor do those on nodes whose pod is not Ready, or missing, now, and where silent nodes have a pod
       of which nobody knows. Their ends are those of `cells`.
    2. `exact`: every node and every placement is known.
    3. `in_the_way` is what keeps a new pod from starting beside the old one, with a surge.
    """

    cells: tuple[Cell, ...]
    likely: Course
    wary: Course
    worst: Course
    exact: bool
    in_the_way: InTheWay

    def updates(self, place: int) -> tuple[Update, ...]:
        """What the update may do on the nodes of the cell at a place, HOLD first; one answer where it is certain."""
        part = self.cells[place].part
        found = {_update(part, there) for each in (self.likely, self.wary) for there in each.ends[place].possible}
        return tuple(each for each in (Update.HOLD, Update.REPLACE, Update.HANG) if each in found)

    def fate(self, place: int) -> Fate:
        """Why it is not certain what the update does on the nodes of the cell at a place."""
        sunset = self.likely.ends[place].sunset
        pool = frozenset().union(*(cell.nodes for cell, end in self.ends(self.likely) if (end.sunset if sunset else end.waits)))
        if sunset:
            kept = [each.sunset_kept for each in (self.likely, self.wary)]
            holders = self.unavailable
        else:
            kept = [each.waiting - number for each in (self.likely, self.wary) for number in each.reached]
            holders = self.holders(self.wary)
        differs = self.likely.ends[place] != self.wary.ends[place]
        doubtful = frozenset().union(*(cell.nodes for cell in self.cells if cell.doubt is Doubt.NODE)) if differs else frozenset()
        course = self.likely
        return Fate(
            tuple(sorted(pool)), (min(kept), max(kept)), tuple(sorted(holders)), tuple(sorted(doubtful)), course.surge, course.budget
        )

    def holders(self, course: Course) -> frozenset[str]:
        """The nodes that use the budget up, whatever the update does with the pods that wait for it or once it has reached them."""
        return frozenset().union(*(cell.nodes for cell, end in self.ends(course) if end.holds))

    @property
    def unavailable(self) -> frozenset[str]:
        """The wanted nodes that are not known to have an available pod in the end."""
        return frozenset().union(*(cell.nodes for cell, end in self.ends(self.wary) if cell.part.should_run and not end.available))

    def ends(self, course: Course) -> Iterator[tuple[Cell, End]]:
        """Each cell with what it comes to in one of the courses."""
        return zip(self.cells, course.ends, strict=True)


def _update(part: Part, there: There) -> Update:
    if there.same:
        return Update.HOLD
    return Update.HANG if there.hangs and not there.new and part.should_run else Update.REPLACE


def rollout(
    spec: DaemonSetSpec,
    spans: Sequence[Span],
    health: Health,
    unready: Collection[str],
    starts: Mapping[str, Start] | None,
    in_the_way: InTheWay,
    *,
    exact: bool,
) -> Rollout:
    """The update of a DaemonSet over its nodes, as far as they are known.

    `unready` are the nodes where a listed pod of it is not Ready. `starts` says by node how new pods begin, READY where a node is not in
    it, and nothing is in doubt then; None assumes that they become Ready but on silent nodes.
    """
    desired = sum(len(span.nodes) for span in spans if span.should_run)
    cells = tuple(cell for place, span in enumerate(spans) for cell in _cells(place, span, health, frozenset(unready), starts))
    likely = course(spec, desired, [cell.part for cell in cells])
    doubts = {cell.doubt for cell in cells}
    wary = course(spec, desired, [cell.where(Doubt.NODE) for cell in cells]) if Doubt.NODE in doubts else likely
    worst = course(spec, desired, [cell.where(*Doubt) for cell in cells]) if doubts & {Doubt.POD, Doubt.THERE} else wary
    return Rollout(cells, likely, wary, worst, exact, in_the_way)


def _cells(place: int, span: Span, health: Health, unready: frozenset[str], starts: Mapping[str, Start] | None) -> Iterator[Cell]:
    unseen = span.pod is not Pod.NONE and not span.listed
    for part_nodes, silent, unwell in _by_health(span.nodes, health):
        for start, started in _by_start(part_nodes, starts):
            for lame, lamed in cut(started, unready if span.listed else frozenset()):
                for leaving, left in cut(lamed, span.leaving):
                    for crowded, nodes in cut(left, span.crowded):
                        ready = not (lame or (unseen and silent))
                        part = Part(len(nodes), span.should_run, span.may_stay, span.pod, ready, leaving, silent, start, crowded)
                        told = starts is not None
                        doubt = None if told else _doubt(span, silent=silent, unwell=unwell, lame=lame, leaving=leaving)
                        yield Cell(place, nodes, part, doubt, unseen)


def _doubt(span: Span, *, silent: bool, unwell: bool, lame: bool, leaving: bool) -> Doubt | None:
    if silent:
        return Doubt.THERE if span.perhaps else None
    if unwell:
        return Doubt.NODE
    return Doubt.POD if lame or (span.missing and not leaving) else None


def _by_health(nodes: frozenset[str], health: Health) -> Iterator[tuple[frozenset[str], bool, bool]]:
    for silent, heard in cut(nodes, health.silent):
        for unwell, well in cut(heard, frozenset() if silent else health.unwell):
            yield well, silent, unwell


def _by_start(nodes: frozenset[str], starts: Mapping[str, Start] | None) -> Iterator[tuple[Start, frozenset[str]]]:
    if not starts:
        yield Start.READY, nodes
        return
    for start in Start:
        those = frozenset(name for name in nodes if starts.get(name, Start.READY) is start)
        if those:
            yield start, those
