"""What an update does to the pods of one DaemonSet, slice by slice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from preflight.coverage.cohorts import PlacedCohort, replaces_pods_automatically
from preflight.coverage.daemonset_pods import DaemonSetPods
from preflight.coverage.model import Impact
from preflight.coverage.node_classes import split_nodes
from preflight.coverage.rollout.simulation import Rollout, RolloutCohort, simulate_rollout
from preflight.coverage.rollout.surge_conflicts import SurgeConflicts, find_surge_conflicts
from preflight.coverage.shared_analysis import SharedAnalysis
from preflight.model.objects import DaemonSet, ObjectKey
from preflight.model.reasons import RunningUpdate
from preflight.scheduling.rollout import UpdateEffect, predict_update, uses_surge
from preflight.scheduling.rollout_simulation import LivePod


def find_running_updates(impact: Impact) -> Iterator[RunningUpdate]:
    """Each update that was not complete before the change."""
    for key, found in sorted(impact.rollouts.items()):
        if impact.change.before.daemonsets.get(key) is impact.change.after.daemonsets[key]:
            old = sorted(name for cell in found.cells if cell.part.pod is LivePod.OLD for name in cell.nodes)
            yield RunningUpdate(key, tuple(old))


class UpdateEvaluator:
    """The update of one DaemonSet over the slices of all its node classes.

    1. `rollout` is where it comes to its end on the nodes of which everything is known.
    2. `placed_cohorts` are cut by what the update does to their pods. Where a placement or a node is not known, they are judged as if all
       pods were available, all nodes well.
    """

    def __init__(
        self,
        key: ObjectKey,
        old: DaemonSet | None,
        new: DaemonSet,
        *,
        differs: bool,
        pods: DaemonSetPods,
        shared_analysis: SharedAnalysis,
        placed_cohorts: Sequence[PlacedCohort],
    ) -> None:
        """`differs`: the change brings a new template; else an update from before goes on, with the pods that are still old."""
        self._key, self._new, self._differs, self._pods, self._shared_analysis = key, new, differs, pods, shared_analysis
        self._before = (old or new).spec.template.spec
        nodes = shared_analysis.nodes.values()
        self._surge_conflicts = (
            find_surge_conflicts(self._before, new.spec.template.spec, nodes) if uses_surge(new.spec) else SurgeConflicts()
        )
        spans = [self._make_rollout_cohort(placed_cohort) for placed_cohort in placed_cohorts]
        exact = all(span is not None or after is None for span, (_, after, _, _) in zip(spans, placed_cohorts, strict=True))
        told = [span for span in spans if span is not None]
        starts = None if shared_analysis.starts is None else shared_analysis.starts.get(key, {})
        self.rollout: Rollout = simulate_rollout(
            new.spec, told, shared_analysis.health, shared_analysis.health.get_unready_pods(key), starts, self._surge_conflicts, exact=exact
        )
        if exact:
            without = [each for each, span in zip(placed_cohorts, spans, strict=True) if span is None]
            self.placed_cohorts = [
                *self._split_cohorts([each for each, span in zip(placed_cohorts, spans, strict=True) if span is not None]),
                *without,
            ]
        else:
            self.placed_cohorts = list(self._assume_healthy(placed_cohorts))

    def _make_rollout_cohort(self, placed_cohort: PlacedCohort) -> RolloutCohort | None:
        """What an update is told of a slice; None where something about it is not known, or where the DaemonSet or the node is gone."""
        before, after, members, part = placed_cohort
        if after is None or after.should_run is None or after.may_stay is None or members[1] is None or members[1].is_partial:
            return None
        stood = before is not None and before.should_run
        if (part.pod_group is not None and part.pod_group.is_conditional) or (part.may_assume_pod and stood is None):
            return None
        there = not part.is_pod_ended and (part.pod_group is not None or (part.may_assume_pod and bool(stood)))
        return RolloutCohort(
            part.nodes,
            after.should_run,
            after.may_stay,
            (LivePod.OLD if self._has_old_pod(placed_cohort) else LivePod.NEW) if there else LivePod.NONE,
            is_listed=there and part.pod_group is not None and part.pod_group.is_listed,
            is_missing=bool(stood) and not there and not part.is_pod_ended and not part.may_assume_pod,
            may_have_old_pod=not there and part.may_assume_pod and before is not None and bool(before.may_stay),
            terminating_nodes=self._pods.terminating_nodes,
            crowded_nodes=self._surge_conflicts.select_conflicting_nodes(part.nodes),
        )

    def _has_old_pod(self, placed_cohort: PlacedCohort) -> bool:
        pods = placed_cohort[3].pod_group
        return self._differs or (pods is not None and pods.is_old)

    def _split_cohorts(self, placed_cohorts: Sequence[PlacedCohort]) -> Iterator[PlacedCohort]:
        for place, cell in enumerate(self.rollout.cells):
            before, after, members, part = placed_cohorts[cell.cohort_index]
            updates = (None,) if cell.part.pod is LivePod.NEW else self.rollout.list_updates(place)
            fate = self.rollout.explain_uncertainty(place) if len(updates) > 1 else None
            yield before, after, members, replace(part, nodes=cell.nodes, possible_updates=updates, update_uncertainty=fate)

    def _assume_healthy(self, placed_cohorts: Sequence[PlacedCohort]) -> Iterator[PlacedCohort]:
        desired = sum(len(part.nodes) for _, after, _, part in placed_cohorts if after is not None and after.should_run)
        sure = all(after is None or after.should_run is not None for _, after, _, _ in placed_cohorts)
        whole = predict_update(self._new.spec, desired if sure else max(desired, 1), self._before)
        held = whole is UpdateEffect.STALL or (whole is UpdateEffect.HOLD and replaces_pods_automatically(self._new))
        unready = frozenset(self._shared_analysis.health.get_unready_pods(self._key)) if held else frozenset()
        for placed_cohort in placed_cohorts:
            before, after, members, part = placed_cohort
            is_old = self._has_old_pod(placed_cohort)
            for lame, nodes in split_nodes(part.nodes, unready if part.pod_group is not None and part.pod_group.is_listed else frozenset()):
                answer = (UpdateEffect.REPLACE if lame else whole) if is_old else None
                yield before, after, members, replace(part, nodes=nodes, possible_updates=(answer,))
