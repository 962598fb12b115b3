"""What an update does to the pods of one DaemonSet, cohort by cohort."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from preflight.coverage.cohorts import NodeCohort, PodPresence
from preflight.coverage.daemonset_pods import DaemonSetPods
from preflight.coverage.model import Impact
from preflight.coverage.node_classes import split_nodes
from preflight.coverage.rollout.daemonset_rollout import Rollout, RolloutCell, RolloutCohort, list_update_behaviors, simulate_rollout
from preflight.coverage.rollout.surge_conflicts import SurgeConflicts, find_surge_conflicts
from preflight.coverage.rollout.waiting_pods import WaitingPods
from preflight.coverage.shared_analysis import SharedAnalysis
from preflight.coverage.update_progress import keeps_template, replaces_pods_automatically
from preflight.model.apps import DaemonSet
from preflight.model.fit_reasons import FitDoubt, PodFit, StaysPending
from preflight.model.meta import ObjectKey
from preflight.model.reasons import RunningUpdate
from preflight.model.versions import ClusterVersions
from preflight.scheduling.node_health import is_out_of_service
from preflight.scheduling.rollout_simulation import LivePod
from preflight.scheduling.update_strategy import UpdateEffect, predict_update, uses_surge
from preflight.scheduling.validation import resolve_int_or_percent


def find_running_updates(impact: Impact) -> Iterator[RunningUpdate]:
    """Each update that was not complete before the change."""
    for key, found in sorted(impact.rollouts.items()):
        if impact.change.before.daemonsets.get(key) is impact.change.after.daemonsets[key]:
            old = sorted(name for cell in found.cells if cell.part.pod is LivePod.OLD for name in cell.nodes)
            yield RunningUpdate(key, tuple(old))


class UpdateEvaluator:
    """The update of one DaemonSet over the cohorts of all its node classes.

    1. `rollout` is where it comes to its end on the nodes of which everything is known.
    2. `cohorts` are cut by what the update does to their pods. Where a placement or a node is not known, they are judged as if all
       pods were available, all nodes well.
    """

    def __init__(
        self,
        key: ObjectKey,
        old: DaemonSet | None,
        new: DaemonSet,
        *,
        differs: bool,
        is_overlooked: bool | None,
        pods: DaemonSetPods,
        shared_analysis: SharedAnalysis,
        cohorts: Sequence[NodeCohort],
        fits: Mapping[str, PodFit],
        waiting: WaitingPods,
        versions: ClusterVersions,
    ) -> None:
        """`differs`: the change brings a new template; else an update from before goes on, with the pods that are still old.

        `is_overlooked`: it was held up, and the change does not make the controller look at the DaemonSet: nothing happens. None where that
        depends on the version of the controller.
        `fits` says of nodes whether they take a new pod, and beside the old one; `waiting` where one waits that was created before.
        """
        self._key, self._old, self._new, self._differs = key, old, new, differs
        self._pods, self._shared_analysis = pods, shared_analysis
        self._is_overlooked, self._waiting = is_overlooked, waiting
        self._template_before = (old or new).spec.template.spec
        nodes = shared_analysis.nodes.values()
        self._surge_conflicts = (
            find_surge_conflicts(self._template_before, new.spec.template.spec, nodes) if uses_surge(new.spec) else SurgeConflicts()
        )
        if uses_surge(new.spec):
            self._surge_conflicts = self._surge_conflicts.add_shortages({name: fit.surge_shortages for name, fit in fits.items()})
            self._surge_conflicts = self._surge_conflicts.except_nodes(frozenset(name for name, fit in fits.items() if fit.evicts_old))
        known, absent, unknown = self._sort_cohorts(cohorts)
        self._behaviors = list_update_behaviors(versions, has_surge=uses_surge(new.spec))
        self.rollout: Rollout = simulate_rollout(
            new.spec,
            [self._make_rollout_cohort(cohort) for cohort in known],
            shared_analysis.health,
            shared_analysis.health.get_unready_pods(key),
            None if shared_analysis.starts is None else shared_analysis.starts.get(key, {}),
            self._surge_conflicts,
            exact=not unknown,
            behaviors=self._behaviors,
        )
        self.cohorts = list(self._assume_healthy(cohorts)) if unknown else [*self._split_cohorts(known), *absent]

    def _sort_cohorts(self, cohorts: Sequence[NodeCohort]) -> tuple[list[NodeCohort], list[NodeCohort], list[NodeCohort]]:
        """The cohorts of which everything is known, those without a DaemonSet or a node after the change, and the others."""
        known: list[NodeCohort] = []
        absent: list[NodeCohort] = []
        unknown: list[NodeCohort] = []
        for cohort in cohorts:
            (absent if cohort.placements.after is None else known if _is_known(cohort) else unknown).append(cohort)
        return known, absent, unknown

    def _make_rollout_cohort(self, cohort: NodeCohort) -> RolloutCohort:
        """What the simulation of an update is told of a cohort of which everything is known."""
        before, after = cohort.placements
        assert after is not None
        may_assume = cohort.presence is PodPresence.ASSUMED
        should_have_run = before is not None and bool(before.should_run)
        has_pod = not cohort.is_pod_ended and (cohort.pod_group is not None or (may_assume and should_have_run))
        waiting = self._waiting.settled_nodes if after.should_run else self._waiting.nodes
        crowded = self._surge_conflicts.select_conflicting_nodes(cohort.nodes)
        return RolloutCohort(
            nodes=cohort.nodes,
            should_run=bool(after.should_run),
            may_stay=bool(after.may_stay),
            pod=(LivePod.OLD if self._has_old_pod(cohort) else LivePod.NEW) if has_pod else LivePod.NONE,
            is_listed=has_pod and cohort.has_listed_pod,
            is_missing=should_have_run
            and not has_pod
            and not cohort.is_pod_ended
            and not may_assume
            and cohort.presence is not PodPresence.WAITING,
            may_have_old_pod=not has_pod and may_assume and before is not None and bool(before.may_stay),
            terminating_nodes=self._pods.terminating_nodes,
            crowded_nodes=crowded | self._waiting.settled_surging_nodes if after.should_run else crowded,
            is_unfit=isinstance(cohort.fit, StaysPending),
            may_be_unfit=isinstance(cohort.fit, FitDoubt),
            surging_nodes=self._pods.surging_nodes if self._continues_surge else frozenset(),
            waiting_nodes=frozenset() if has_pod else waiting,
            is_out_of_service=cohort.node_class.after is not None and is_out_of_service(cohort.node_class.after),
            is_restarting=not cohort.nodes.isdisjoint(self._shared_analysis.rebooted_nodes),
            may_be_pending=has_pod and cohort.may_have_pending_pod,
            is_deregistered=cohort.pod_group is not None and cohort.nodes <= self._shared_analysis.deregistered_nodes,
        )

    def _has_old_pod(self, cohort: NodeCohort) -> bool:
        return self._differs or cohort.has_old_pod

    def _split_cohorts(self, cohorts: Sequence[NodeCohort]) -> Iterator[NodeCohort]:
        for cell_index, cell in enumerate(self.rollout.cells):
            updates = (None,) if cell.part.pod is LivePod.NEW else self.rollout.list_updates(cell_index)
            uncertainty = self.rollout.explain_uncertainty(cell_index) if len(updates) > 1 else None
            loss, count = self.rollout.measure_partial_loss(cell_index) if len(updates) > 1 else (None, 0)
            cohort = cohorts[cell.cohort_index]
            if self._is_overlooked and cell.part.pod is LivePod.OLD:
                updates, uncertainty, loss, count = (UpdateEffect.HOLD,), None, None, 0
            may_hold = cohort.may_have_updated_pod or self._may_be_surging(cell)
            if self._is_overlooked is None and cell.part.pod is LivePod.OLD:
                may_hold = True
            possible = _add_hold(updates) if may_hold else updates
            yield replace(
                cohort, nodes=cell.nodes, possible_updates=possible, update_uncertainty=uncertainty, partial_loss=loss, lost_count=count
            )

    @property
    def _continues_surge(self) -> bool:
        """Whether new pods that wait beside old ones are of the template that the update brings."""
        return keeps_template(self._old, self._new) and uses_surge(self._new.spec)

    def _may_be_surging(self, cell: RolloutCell) -> bool:
        """Whether a new pod may wait beside the old one on nodes where the DaemonSet should not run."""
        return self._continues_surge and "" in self._pods.surging_nodes and cell.part.pod is LivePod.OLD and not cell.part.should_run

    def _is_held_up(self, desired: int) -> bool:
        """Whether the nodes of which everything is known use the budget up alone, with as many nodes wanted as may be."""
        rolling = self._new.spec.updateStrategy.rollingUpdate
        if uses_surge(self._new.spec) or not replaces_pods_automatically(self._new):
            return False
        return self.rollout.likely_course.blocked_nodes >= max(resolve_int_or_percent(rolling.maxUnavailable, desired, default=1), 1)

    def _assume_healthy(self, cohorts: Sequence[NodeCohort]) -> Iterator[NodeCohort]:
        placed = [(cohort, after) for cohort in cohorts if (after := cohort.placements.after) is not None]
        desired = sum(len(cohort.nodes) for cohort, after in placed if after.should_run)
        is_certain = all(after.should_run is not None for _, after in placed)
        may_take_some = False
        update = predict_update(self._new.spec, desired if is_certain else max(desired, 1), self._template_before)
        if self._is_held_up(len(frozenset().union(*(cohort.nodes for cohort, after in placed if after.should_run is not False)))):
            may_take_some = not all(behavior.counts_unavailable for behavior in self._behaviors)
            update = update if may_take_some else UpdateEffect.HOLD
        is_held = update is UpdateEffect.STALL or (update is UpdateEffect.HOLD and replaces_pods_automatically(self._new))
        unready = frozenset(self._shared_analysis.health.get_unready_pods(self._key)) if is_held else frozenset()
        for cohort in cohorts:
            for is_unready, nodes in split_nodes(cohort.nodes, unready if cohort.has_listed_pod else frozenset()):
                own_update = (UpdateEffect.REPLACE if is_unready else update) if self._has_old_pod(cohort) else None
                if self._is_overlooked and own_update is not None:
                    own_update = UpdateEffect.HOLD
                is_open = (self._is_overlooked is None or may_take_some) and own_update is not None and not is_unready
                may_hold = cohort.may_have_updated_pod or is_open
                for hangs, part in split_nodes(nodes, self._select_hanging_nodes(cohort, own_update)):
                    effect = UpdateEffect.HANG if hangs else own_update
                    possible = _add_hold((effect,)) if may_hold else (effect,)
                    after = cohort.placements.after
                    if effect is UpdateEffect.REPLACE and not is_unready and after is not None and after.should_run is False:
                        possible = self._list_removals() or possible
                    yield replace(cohort, nodes=part, possible_updates=possible)

    def _select_hanging_nodes(self, cohort: NodeCohort, update: UpdateEffect | None) -> frozenset[str]:
        """The nodes of a cohort on which a pod that an update deletes never ends, so that none is created: their kubelets are silent."""
        node = cohort.node_class.after
        if update is not UpdateEffect.REPLACE or uses_surge(self._new.spec) or node is None or is_out_of_service(node):
            return frozenset()
        return cohort.nodes & self._shared_analysis.health.silent_nodes

    def _list_removals(self) -> tuple[UpdateEffect, ...]:
        """What a surge may do to available pods where the DaemonSet should not run; () where it takes all of them.

        As many stay as nodes of which everything is known lack an available pod.
        """
        course = self.rollout.likely_course
        fewest, most = course.removable_kept
        if not most:
            return ()
        return (UpdateEffect.HOLD,) if fewest == course.removable_pods else (UpdateEffect.HOLD, UpdateEffect.REPLACE)


def _add_hold(updates: tuple[UpdateEffect | None, ...]) -> tuple[UpdateEffect | None, ...]:
    """What an update may do to pods that may be of its own template: nothing too."""
    return updates if UpdateEffect.HOLD in updates else (UpdateEffect.HOLD, *updates)


def _is_known(cohort: NodeCohort) -> bool:
    """Whether the placements, the labels of the nodes and the pods of a cohort are known."""
    before, after = cohort.placements
    if after is None or after.should_run is None or after.may_stay is None:
        return False
    node = cohort.node_class.after
    if node is None or node.is_partial or (cohort.pod_group is not None and cohort.pod_group.is_conditional):
        return False
    return not (cohort.presence is PodPresence.ASSUMED and before is not None and before.should_run is None)
