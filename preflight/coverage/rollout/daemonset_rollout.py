"""Where the update of one DaemonSet comes to its end, over what is known of its nodes and pods and what is not."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from preflight.coverage.node_classes import split_nodes
from preflight.coverage.node_health import NodeHealth
from preflight.coverage.rollout.surge_conflicts import SurgeConflicts
from preflight.model.apps import DaemonSetSpec
from preflight.model.reasons import PartialLoss, UpdateUncertainty
from preflight.model.releases import Behavior
from preflight.model.versions import ClusterVersions
from preflight.scheduling.rollout_simulation import (
    NEWEST_BEHAVIOR,
    LivePod,
    NewPodOutcome,
    PodsOnNode,
    UpdateBehavior,
    UpdateCohort,
    UpdateEnd,
    UpdateForecast,
    simulate_update,
)
from preflight.scheduling.update_strategy import UpdateEffect


class RolloutCohort(Struct, frozen=True):
    """Nodes with one placement and one state of their pods, well or not.

    1. `pod` is the live pod; `is_listed`: it was listed and is the same since; `may_be_pending`: it may wait for room and not run.
    2. `is_missing`: no pod is there, though one should have been. `leaving` are the nodes where one terminates.
    3. `may_have_old_pod`: nobody listed pods, and one of before the taints may be there.
    4. `crowded_nodes` are the nodes where a new pod is not bound beside an old one; `surging_nodes` those where one waits for that already;
       `is_unfit`: it is not bound at all; `may_be_unfit`: unknown whether it is. `waiting_nodes` are those without a live pod where
       a new one waits, and goes on waiting.
    5. `is_out_of_service`: the nodes carry that taint, so that pods which are deleted there end without a kubelet. `is_restarting`: their
       pods start again with the node, and are not Ready until then. `is_deregistered`: their Node objects are deleted before their pods.
    """

    nodes: frozenset[str]
    should_run: bool
    may_stay: bool
    pod: LivePod
    is_listed: bool = False
    is_missing: bool = False
    may_have_old_pod: bool = False
    terminating_nodes: frozenset[str] = frozenset()
    crowded_nodes: frozenset[str] = frozenset()
    is_unfit: bool = False
    may_be_unfit: bool = False
    surging_nodes: frozenset[str] = frozenset()
    waiting_nodes: frozenset[str] = frozenset()
    is_out_of_service: bool = False
    is_restarting: bool = False
    is_deregistered: bool = False
    may_be_pending: bool = False


class RolloutDoubt(Enum):
    """What of a node is not known that an update depends on.

    1. NODE: whether a new pod becomes Ready on a node that is not.
    2. POD: the same where the pod of before is not Ready, or is missing.
    3. THERE: whether a node whose kubelet is silent has a pod.
    4. ROOM: whether a new pod is bound to the node.
    5. BINDING: whether the pod of before is bound to the node.
    """

    NODE_READINESS = "node"
    POD_READINESS = "pod"
    POD_PRESENCE = "there"
    ROOM = "room"
    POD_BINDING = "binding"


_CAUTIOUS_DOUBTS = frozenset((RolloutDoubt.NODE_READINESS, RolloutDoubt.ROOM, RolloutDoubt.POD_BINDING))
"""The doubts that the cautious course resolves badly."""


class RolloutCell(Struct, frozen=True):
    """Nodes that the update cannot tell apart.

    1. `span` is the place of their span; `part` holds where what is in doubt turns out well.
    2. `is_pod_unlisted`: nobody listed the pods that are there.
    """

    cohort_index: int
    nodes: frozenset[str]
    part: UpdateCohort
    doubt: RolloutDoubt | None
    is_pod_unlisted: bool

    def resolve_part(self, *bad_doubts: RolloutDoubt) -> UpdateCohort:
        """The part where these doubts turn out badly: the new pod never becomes Ready, and a pod that nobody listed is not either."""
        if self.doubt is None or self.doubt not in bad_doubts:
            return self.part
        if self.doubt is RolloutDoubt.POD_PRESENCE:
            return replace(self.part, pod=LivePod.OLD, is_available=False)
        if self.doubt is RolloutDoubt.ROOM:
            return replace(self.part, new_pod=NewPodOutcome.PENDING)
        if self.doubt is RolloutDoubt.POD_BINDING:
            return replace(self.part, pod=LivePod.NONE, new_pod=NewPodOutcome.PENDING)
        return replace(
            self.part,
            new_pod=NewPodOutcome.UNREADY,
            is_available=self.part.is_available and not (self.doubt is RolloutDoubt.NODE_READINESS and self.is_pod_unlisted),
        )


class Rollout(Struct, frozen=True):
    """The update of one DaemonSet.

    1. `likely_course` is its course where all new pods become Ready but those on silent nodes, `cautious_course` the one where those on
       nodes that are not Ready, or that may have no room, do not either, `worst_course` where nor do those on nodes whose pod is not
       Ready, or missing, now, and where silent nodes have a pod of which nobody knows. Their ends are those of `cells`.
    2. `is_exact`: every node and every placement is known.
    3. `surge_conflicts` is what keeps a new pod from starting beside the old one, with a surge.
    4. `other_courses` are the likely and the cautious course with controllers of other versions, where the version is not known and they
       differ.
    """

    cells: tuple[RolloutCell, ...]
    likely_course: UpdateForecast
    cautious_course: UpdateForecast
    worst_course: UpdateForecast
    is_exact: bool
    surge_conflicts: SurgeConflicts
    other_courses: tuple[UpdateForecast, ...] = ()

    @property
    def possible_courses(self) -> tuple[UpdateForecast, ...]:
        """The likely and the cautious course, with every controller that there may be."""
        return (self.likely_course, self.cautious_course, *self.other_courses)

    def list_updates(self, cell_index: int) -> tuple[UpdateEffect, ...]:
        """What the update may do on the nodes of the cell at a place, HOLD first; one answer where it is certain."""
        part = self.cells[cell_index].part
        found = {_get_update(part, there) for forecast in self.possible_courses for there in forecast.ends[cell_index].possible_states}
        return tuple(effect for effect in (UpdateEffect.HOLD, UpdateEffect.REPLACE, UpdateEffect.HANG) if effect in found)

    def find_surging_nodes(self) -> frozenset[str]:
        """The nodes where a new pod is left that is not bound beside the old one; "" where it is chance on which of some nodes."""
        found: set[str] = set()
        for cell, end in self.iter_ends(self.likely_course):
            if end.most and end.reached.has_previous and end.reached.has_new and not end.reached.is_bound:
                found |= cell.nodes if end.fewest == end.count else {""}
        return frozenset(found)

    def explain_uncertainty(self, cell_index: int) -> UpdateUncertainty:
        """Why it is not certain what the update does on the nodes of the cell at a place."""
        sunset = self.likely_course.ends[cell_index].awaits_removal
        pool = frozenset().union(
            *(cell.nodes for cell, end in self.iter_ends(self.likely_course) if (end.awaits_removal if sunset else end.waits))
        )
        if sunset:
            kept = [number for course in self.possible_courses for number in course.removable_kept]
            holders = self.unavailable_nodes
        else:
            kept = [course.waiting_nodes - number for course in self.possible_courses for number in course.reached_range]
            holders = self.find_blocking_nodes(self.cautious_course)
        differs = self.likely_course.ends[cell_index] != self.cautious_course.ends[cell_index]
        doubtful = (
            frozenset().union(*(cell.nodes for cell in self.cells if cell.doubt is RolloutDoubt.NODE_READINESS)) if differs else frozenset()
        )
        course = self.likely_course
        return UpdateUncertainty(
            tuple(sorted(pool)),
            (min(kept), max(kept)),
            tuple(sorted(holders)),
            tuple(sorted(doubtful)),
            course.is_surge,
            course.budget,
            self._find_changed_behavior(cell_index),
        )

    def _find_changed_behavior(self, cell_index: int) -> Behavior | None:
        """What the end of a cell depends on that controllers of other versions do differently; None where they do not."""
        end = self.likely_course.ends[cell_index]
        if all(course.ends[cell_index] == end for course in self.other_courses):
            return None
        return Behavior.SURGE_REMOVES_UNWANTED if self.likely_course.is_surge else Behavior.COUNTS_UNAVAILABLE

    def measure_partial_loss(self, cell_index: int) -> tuple[PartialLoss | None, int]:
        """The loss where the update takes some of the pods whose successors stay Pending, and how many of those are of the cell at a place.

        Which cells they are of is chance too: they are counted for the first ones. How many there are may depend on what is in doubt.
        """
        ends = self.likely_course.ends
        unfit = [index for index, cell in enumerate(self.cells) if cell.part.new_pod is NewPodOutcome.PENDING and ends[index].waits]
        if cell_index not in unfit:
            return None, 0
        ranges = [_measure_reach(course, unfit) for course in self.possible_courses]
        fewest, most = min(low for low, _ in ranges), max(high for _, high in ranges)
        before = sum(self.cells[index].part.count for index in unfit if index < cell_index)
        nodes = frozenset().union(*(self.cells[index].nodes for index in unfit))
        return PartialLoss(tuple(sorted(nodes)), (fewest, most)), min(max(most - before, 0), self.cells[cell_index].part.count)

    def find_blocking_nodes(self, course: UpdateForecast) -> frozenset[str]:
        """The nodes that use the budget up, whatever the update does with the pods that wait for it or once it has reached them."""
        return frozenset().union(*(cell.nodes for cell, end in self.iter_ends(course) if end.holds))

    @property
    def unavailable_nodes(self) -> frozenset[str]:
        """The wanted nodes that are not known to have an available pod in the end."""
        return frozenset().union(
            *(cell.nodes for cell, end in self.iter_ends(self.cautious_course) if cell.part.should_run and not end.is_available)
        )

    def iter_ends(self, course: UpdateForecast) -> Iterator[tuple[RolloutCell, UpdateEnd]]:
        """Each cell with what it comes to in one of the courses."""
        return zip(self.cells, course.ends, strict=True)


def _measure_reach(course: UpdateForecast, cell_indexes: Sequence[int]) -> tuple[int, int]:
    """How many pods of some cells whose new pods use the budget up an update reaches, at least and at most."""
    if all(index in cell_indexes for index, end in enumerate(course.ends) if end.waits and end.holds):
        return course.failing_range
    return sum(course.ends[index].fewest for index in cell_indexes), sum(course.ends[index].most for index in cell_indexes)


def _get_update(part: UpdateCohort, pod_state: PodsOnNode) -> UpdateEffect:
    if pod_state.has_previous:
        return UpdateEffect.HOLD
    return UpdateEffect.HANG if pod_state.hangs and not pod_state.has_new and part.should_run else UpdateEffect.REPLACE


def simulate_rollout(
    spec: DaemonSetSpec,
    cohorts: Sequence[RolloutCohort],
    health: NodeHealth,
    unready_nodes: Collection[str],
    starts: Mapping[str, NewPodOutcome] | None,
    surge_conflicts: SurgeConflicts,
    *,
    exact: bool,
    behaviors: Sequence[UpdateBehavior] = (NEWEST_BEHAVIOR,),
) -> Rollout:
    """The update of a DaemonSet over its nodes, as far as they are known.

    `unready_nodes` are the nodes where a listed pod of it is not Ready. `starts` says by node how new pods begin, READY where a node is not
    in it, and nothing is in doubt then; None assumes that they become Ready but on silent nodes. `behaviors` are those that the controller
    may have.
    """
    desired = sum(len(span.nodes) for span in cohorts if span.should_run)
    cells = tuple(cell for place, span in enumerate(cohorts) for cell in _iter_cells(place, span, health, frozenset(unready_nodes), starts))
    doubts = {cell.doubt for cell in cells}
    likely_parts = [cell.part for cell in cells]
    wary_parts = [cell.resolve_part(*_CAUTIOUS_DOUBTS) for cell in cells] if doubts & _CAUTIOUS_DOUBTS else likely_parts
    worst_parts = (
        [cell.resolve_part(*RolloutDoubt) for cell in cells]
        if doubts & {RolloutDoubt.POD_READINESS, RolloutDoubt.POD_PRESENCE}
        else wary_parts
    )

    def run(parts: Sequence[UpdateCohort], behavior: UpdateBehavior) -> UpdateForecast:
        return simulate_update(spec, desired, parts, behavior)

    behavior, *others = behaviors
    likely = run(likely_parts, behavior)
    wary = run(wary_parts, behavior) if wary_parts is not likely_parts else likely
    worst = run(worst_parts, behavior) if worst_parts is not wary_parts else wary
    other_courses = [run(parts, other) for other in others for parts in (likely_parts, wary_parts)]
    differing = tuple(course for course in other_courses if course.ends not in (likely.ends, wary.ends))
    return Rollout(cells, likely, wary, worst, exact, surge_conflicts, differing)


def list_update_behaviors(versions: ClusterVersions, *, has_surge: bool) -> tuple[UpdateBehavior, ...]:
    """What the controller of a cluster may do in an update, the newest first."""
    if has_surge:
        removes = versions.has(Behavior.SURGE_REMOVES_UNWANTED)
        return tuple(UpdateBehavior(removes_unwanted=answer) for answer in (True, False) if removes in (answer, None))
    counts = versions.has(Behavior.COUNTS_UNAVAILABLE)
    return tuple(UpdateBehavior(counts_unavailable=answer) for answer in (True, False) if counts in (answer, None))


def _iter_cells(
    cohort_index: int, cohort: RolloutCohort, health: NodeHealth, unready_nodes: frozenset[str], starts: Mapping[str, NewPodOutcome] | None
) -> Iterator[RolloutCell]:
    is_pod_unlisted = cohort.pod is not LivePod.NONE and not cohort.is_listed
    restarts_old = cohort.is_restarting and cohort.pod is LivePod.OLD
    for condition, with_condition in _split_by_health(cohort.nodes, health):
        is_silent = condition is _NodeCondition.SILENT
        for new_pod, with_start in _split_by_start(with_condition, starts):
            for is_unready, with_readiness in split_nodes(with_start, unready_nodes if cohort.is_listed else frozenset()):
                for is_terminating, with_leaving in split_nodes(with_readiness, cohort.terminating_nodes):
                    for room, nodes in _split_by_room(cohort, with_leaving):
                        part = UpdateCohort(
                            count=len(nodes),
                            should_run=cohort.should_run,
                            may_stay=cohort.may_stay,
                            pod=cohort.pod,
                            is_available=not (is_unready or (is_pod_unlisted and is_silent) or restarts_old),
                            is_terminating=is_terminating,
                            is_kubelet_silent=is_silent and not cohort.is_out_of_service,
                            new_pod=NewPodOutcome.PENDING
                            if cohort.is_unfit or room.is_waiting
                            else NewPodOutcome.UNREADY
                            if is_silent and cohort.is_out_of_service
                            else new_pod,
                            is_crowded=room.is_crowded,
                            is_surging=room.is_surging,
                            is_waiting=room.is_waiting,
                            is_deregistered=cohort.is_deregistered,
                        )
                        is_certain = starts is not None or cohort.is_unfit or room.is_waiting
                        doubt = None if is_certain else _find_doubt(cohort, condition, part, is_unready=is_unready)
                        yield RolloutCell(cohort_index, nodes, part, doubt, is_pod_unlisted)


class _Room(NamedTuple):
    """Whether a new pod is not bound beside the old one, and whether one waits already: beside an old one, or alone."""

    is_crowded: bool
    is_surging: bool
    is_waiting: bool


def _split_by_room(cohort: RolloutCohort, nodes: frozenset[str]) -> Iterator[tuple[_Room, frozenset[str]]]:
    """Nodes cut by the room that a new pod finds there."""
    surging = frozenset() if cohort.should_run else cohort.surging_nodes
    for is_crowded, with_room in split_nodes(nodes, cohort.crowded_nodes):
        for is_surging, beside in split_nodes(with_room, surging):
            for is_waiting, part in split_nodes(beside, cohort.waiting_nodes):
                yield _Room(is_crowded, is_surging, is_waiting), part


class _NodeCondition(Enum):
    """What the kubelet of a node says: nothing, that the node is not Ready, or that it is."""

    SILENT = "silent"
    NOT_READY = "not-ready"
    READY = "ready"


def _find_doubt(cohort: RolloutCohort, condition: _NodeCondition, part: UpdateCohort, *, is_unready: bool) -> RolloutDoubt | None:
    """What is in doubt on the nodes of a part; `is_unready`: a listed pod there is not Ready."""
    if cohort.may_be_pending:
        return RolloutDoubt.POD_BINDING
    if cohort.may_be_unfit:
        return RolloutDoubt.ROOM
    if condition is _NodeCondition.SILENT:
        return RolloutDoubt.POD_PRESENCE if cohort.may_have_old_pod else None
    if condition is _NodeCondition.NOT_READY:
        return RolloutDoubt.NODE_READINESS
    return RolloutDoubt.POD_READINESS if is_unready or (cohort.is_missing and not part.is_terminating) else None


def _split_by_health(nodes: frozenset[str], health: NodeHealth) -> Iterator[tuple[_NodeCondition, frozenset[str]]]:
    for is_silent, silent_or_not in split_nodes(nodes, health.silent_nodes):
        if is_silent:
            yield _NodeCondition.SILENT, silent_or_not
        else:
            for is_not_ready, part in split_nodes(silent_or_not, health.not_ready_nodes):
                yield _NodeCondition.NOT_READY if is_not_ready else _NodeCondition.READY, part


def _split_by_start(nodes: frozenset[str], starts: Mapping[str, NewPodOutcome] | None) -> Iterator[tuple[NewPodOutcome, frozenset[str]]]:
    if not starts:
        yield NewPodOutcome.READY, nodes
        return
    for start in NewPodOutcome:
        those = frozenset(name for name in nodes if starts.get(name, NewPodOutcome.READY) is start)
        if those:
            yield start, those
