"""One DaemonSet over the node classes of a change: what pods are there, what the change does to them, and what becomes of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from preflight.change.model import Change
from preflight.coverage.cohorts import NodeCohort, NodeEvents, PlacementPair, PodPresence, iter_cohorts, split_by_fit
from preflight.coverage.daemonset_pods import DaemonSetPods, PodGroup
from preflight.coverage.model import CoverageGroup
from preflight.coverage.node_classes import NodeClass, NodePartitions, collect_mentions
from preflight.coverage.outcome import (
    KnownPlacement,
    PodAfter,
    PodEvent,
    PodForecast,
    PossibleForecast,
    assume_placement,
    forecast_pod,
    stay_pending,
)
from preflight.coverage.shared_analysis import SharedAnalysis
from preflight.coverage.update_progress import continues_update, keeps_template, overlooks_stalled_update
from preflight.model.apps import DaemonSet
from preflight.model.core import Node, Toleration
from preflight.model.fit_reasons import FitDoubt, PodFit, StaysPending
from preflight.model.meta import ObjectKey
from preflight.model.report import Outcome
from preflight.scheduling.node_health import is_out_of_service
from preflight.scheduling.placement import Placement, evaluate_placement
from preflight.scheduling.tolerations import NEVER, add_implicit_tolerations, find_eviction_delay
from preflight.scheduling.update_strategy import UpdateEffect, uses_surge

if TYPE_CHECKING:
    from preflight.coverage.rollout.daemonset_rollout import Rollout

_HARMLESS_OUTCOMES = (Outcome.KEPT, Outcome.EXCLUDED, Outcome.NEVER)
_LOSSES = {Outcome.LOST_NOW, Outcome.LOST_ON_RECREATION}
_NO_NODES: frozenset[str] = frozenset()
_NO_FITS: Mapping[str, PodFit] = MappingProxyType({})


class ChangeEvaluation(Struct, frozen=True):
    """What the evaluations of all DaemonSets under one change share.

    `differing_nodes` are the nodes that the change differs; an eviction after more than `horizon` seconds has not happened yet. `pods` are
    the pods of all DaemonSets before the change.
    """

    change: Change
    classes: NodePartitions
    differing_nodes: frozenset[str]
    horizon: float
    shared_analysis: SharedAnalysis
    pods: Mapping[ObjectKey, DaemonSetPods]


class Assumption(NamedTuple):
    """Whether the unknown labels of a node match what a DaemonSet selects on, before the change and after it.

    `is_bound`: the pod that an earlier step may have left waiting runs.
    """

    matches_before: bool
    matches_after: bool
    is_bound: bool = True


_ALL_MATCH = (Assumption(matches_before=True, matches_after=True),)


class _AssumedForecast(NamedTuple):
    """The forecast under one assumption on what is not known; `outcome_before` is the outcome without the change."""

    labels_match: bool
    outcome_before: Outcome | None
    forecast: PodForecast


class DaemonSetEvaluator:
    """One DaemonSet over the node classes of a change.

    The way from a node class to an outcome: `_compute_placements` -> `cohorts.iter_cohorts` -> `rollout.effects` (where its pods are
    updated) -> `_iter_forecasts` -> `_make_group`.
    """

    def __init__(
        self, evaluation: ChangeEvaluation, key: ObjectKey, before: DaemonSet | None, after: DaemonSet | None, pods: DaemonSetPods
    ) -> None:
        """The DaemonSet before and after the change, None where it is not there; `pods` are those before the change."""
        self.change, self.classes = evaluation.change, evaluation.classes
        self._evaluation = evaluation
        self.key, self.daemonset_before, self.daemonset_after, self.pods = key, before, after, pods
        self.rollout: Rollout | None = None
        templates = [daemonset.spec.template.spec for daemonset in (before, after) if daemonset]
        self._node_mentions = collect_mentions(*templates)
        self._has_same_template = before is not None and after is not None and before.spec.template.spec == after.spec.template.spec
        self._old_tolerations = add_implicit_tolerations(before.spec.template.spec) if before else ()
        self._new_tolerations = (
            self._old_tolerations if self._has_same_template else add_implicit_tolerations(after.spec.template.spec) if after else ()
        )
        doubts = any(toleration.since for template in templates for toleration in template.tolerations)
        self._gate_before, self._gate_after = (
            None if doubts else world.comparison_operators for world in (self.change.before, self.change.after)
        )
        self._has_listed_pods = bool(key.namespace) and self.change.before.are_pods_listed(key.namespace, key.name)
        deleted = self.change.deleted_pod_nodes.get(key, _NO_NODES)
        self._events = NodeEvents(self.change.recreation_nodes | deleted, self.change.disrupted_nodes, self._list_hanging(deleted))

    def _list_hanging(self, deleted: frozenset[str]) -> frozenset[str]:
        """The nodes whose kubelet is silent where the change deletes the pod, or one terminates alone: it holds up the next one.

        With a surge the controller does not wait for one that terminates.
        """
        if self.change.removes_pods:
            return _NO_NODES
        after = self.daemonset_after
        terminating = _NO_NODES
        if self.pods.terminating_nodes and after is not None and not uses_surge(after.spec):
            terminating = self.pods.terminating_nodes.difference(self.change.recreation_nodes, *(group.nodes for group in self.pods.groups))
        if not deleted and not terminating:
            return _NO_NODES
        silent, nodes = self._evaluation.shared_analysis.health.silent_nodes, self.change.after.nodes
        return (deleted & silent) | {name for name in terminating & silent if not is_out_of_service(nodes[name])}

    def evaluate(self, scope: frozenset[str] | None, fits: Mapping[str, PodFit] = _NO_FITS) -> list[CoverageGroup]:
        """The groups of nodes within a scope of node names, None for all nodes; `fits` says of nodes whether they take new pods."""
        cohorts: Sequence[NodeCohort] = [
            cohort for node_class in self.classes.get_classes(self._node_mentions, scope) for cohort in self._list_cohorts(node_class)
        ]
        if fits:
            cohorts = [part for cohort in cohorts for part in split_by_fit(cohort, fits)]
        is_updated = self.key in self.change.updated_daemonsets
        if self.daemonset_after is not None and (is_updated or continues_update(self.change, self.daemonset_after, self.pods)):
            from preflight.coverage.rollout.effects import UpdateEvaluator  # no part of a run without an update
            from preflight.coverage.rollout.waiting_pods import find_waiting_pods

            update = UpdateEvaluator(
                self.key,
                self.daemonset_before,
                self.daemonset_after,
                differs=is_updated,
                is_overlooked=False
                if is_updated
                else overlooks_stalled_update(
                    self.change, self.key, self.pods, cohorts, self._evaluation.differing_nodes, self._evaluation.horizon
                ),
                pods=self.pods,
                shared_analysis=self._evaluation.shared_analysis,
                cohorts=cohorts,
                fits=fits,
                waiting=find_waiting_pods(self.change, self.key, self._evaluation.pods),
                versions=self.change.after.versions,
            )
            cohorts, self.rollout = update.cohorts, update.rollout
        groups = (self._make_group(cohort) for cohort in cohorts)
        return [group for group in groups if group is not None]

    def _list_cohorts(self, node_class: NodeClass) -> Iterable[NodeCohort]:
        """The cohorts of a class of nodes."""
        may_assume = node_class.before is not None and self.daemonset_before is not None
        unlisted = PodPresence.ASSUMED if may_assume else PodPresence.NONE
        return iter_cohorts(node_class, self._compute_placements(node_class), self.pods, unlisted, self._events)

    def _compute_placements(self, node_class: NodeClass, gate: bool | None = None) -> PlacementPair:
        """The placements before and after; one matcher call where neither the node nor the template differs.

        `gate` is the assumption on the gate of Lt and Gt, and on the version of an operator, where it is not known.
        """
        gate_before, gate_after = (known if gate is None else gate for known in (self._gate_before, self._gate_after))
        old_node, new_node = node_class.before, node_class.after
        before = (
            evaluate_placement(self.daemonset_before.spec.template.spec, self._old_tolerations, old_node, gate_before)
            if self.daemonset_before and old_node
            else None
        )
        if self._has_same_template and old_node is new_node and gate_before is gate_after:
            return PlacementPair(before, before)
        after = (
            evaluate_placement(self.daemonset_after.spec.template.spec, self._new_tolerations, new_node, gate_after)
            if self.daemonset_after and new_node
            else None
        )
        return PlacementPair(before, after)

    def _make_group(self, cohort: NodeCohort) -> CoverageGroup | None:
        """The outcome of a cohort; None where there is nothing to say of it."""
        node_class, placements = cohort.node_class, cohort.placements
        if self.daemonset_after is not None and node_class.after is None:
            return None
        forecasts = list(self._iter_forecasts(cohort))
        forecast, possible = _merge_forecasts(forecasts, cohort)
        if forecast.outcome is None:
            return None
        daemonset = self.daemonset_after or self.daemonset_before
        node = node_class.after or node_class.before
        assert daemonset is not None
        assert node is not None
        depends_on_labels = len({assumed.labels_match for assumed in forecasts}) > 1
        return CoverageGroup(
            key=self.key,
            daemonset=daemonset,
            before_daemonset=self.daemonset_before,
            nodes=cohort.nodes,
            node_names=self.classes.sort_names(cohort.nodes),
            forecast=forecast,
            outcome_before=_merge_outcomes_before(forecasts),
            is_touched=self._is_touched(cohort),
            placement_before=placements.before,
            placement_after=placements.after,
            node=node,
            runs_on_replacement=self._runs_on_replacement(node_class, forecast),
            is_assumed=cohort.pod_group.is_assumed
            if cohort.pod_group
            else cohort.presence is PodPresence.ASSUMED or not self._has_listed_pods,
            is_conditional=depends_on_labels and forecast.outcome is not Outcome.UNKNOWN,
            possible_forecasts=possible,
            update_uncertainty=cohort.update_uncertainty,
            fit=cohort.fit,
            partial_loss=cohort.partial_loss,
            lost_count=cohort.lost_count,
            pod_group=cohort.pod_group,
            possible_updates=cohort.possible_updates,
        )

    def _is_touched(self, cohort: NodeCohort) -> bool:
        """Whether the change differs something for these nodes and this DaemonSet, or acts on the pods; without a change it does."""
        return (
            self.key in self.change.updated_daemonsets
            or not self._has_same_template
            or cohort.is_pod_ended
            or cohort.is_disrupted
            or bool(cohort.nodes & self._evaluation.differing_nodes)
            or not self.change.command
        )

    def _runs_on_replacement(self, node_class: NodeClass, forecast: PodForecast) -> bool | None:
        """Whether a pod comes back on a replacement of the node, None where the change replaces none."""
        if node_class.replacement is None or self.daemonset_after is None:
            return None
        placement = evaluate_placement(
            self.daemonset_after.spec.template.spec,
            self._new_tolerations,
            node_class.replacement,
            self._gate_after,
        )
        return forecast.is_recreated if placement.should_run is None else placement.should_run

    def _iter_forecasts(self, cohort: NodeCohort) -> Iterator[_AssumedForecast]:
        """The forecast under each assumption on what is not known: whether unknown labels match, the gate of Lt and Gt, the update."""
        known_gate = self._gate_after
        depends_on_gate = known_gate is None and self._depends_on_gate(cohort)
        for gate in (True, False) if depends_on_gate else (known_gate,):
            placements = self._compute_placements(cohort.node_class, gate) if depends_on_gate else cohort.placements
            for assumption in _list_assumptions(cohort):
                for update in cohort.possible_updates:
                    assumed = self._forecast(cohort, placements, gate, assumption, update)
                    if not isinstance(cohort.fit, StaysPending):
                        yield assumed
                    if cohort.fit is not None and update is None and cohort.has_old_pod and self.daemonset_before is self.daemonset_after:
                        yield _stay_fragile(assumed)
                    elif cohort.fit is not None:
                        yield assumed._replace(forecast=stay_pending(assumed.forecast))

    def _depends_on_gate(self, cohort: NodeCohort) -> bool:
        """Whether the gate of Lt and Gt decides something for the DaemonSet, or for the pods that are there."""
        after = cohort.node_class.after
        return any(
            placement is not None and (placement.unsure_taints or placement.eviction_delay is None) for placement in cohort.placements
        ) or (after is not None and find_eviction_delay(self._get_pod_tolerations(cohort), after.spec.taints, None) is None)

    def _forecast(
        self, cohort: NodeCohort, placements: PlacementPair, gate: bool | None, assumption: Assumption, update: UpdateEffect | None
    ) -> _AssumedForecast:
        """What becomes of a cohort under assumptions on all that is not known."""
        before = assume_placement(placements.before, assumption.matches_before)
        after = assume_placement(placements.after, assumption.matches_after)
        tolerations = self._get_pod_tolerations(cohort)
        eviction_before = _get_new_pod_eviction(placements.before)
        has_pod = _has_pod(cohort, before, assumption)
        is_under_way = self.daemonset_before is self.daemonset_after and cohort.has_old_pod
        outcome_before = None
        if self.daemonset_before is not None and cohort.node_class.before is not None:
            outcome_before = forecast_pod(
                before,
                before,
                has_pod=has_pod,
                own_eviction=_get_eviction_seconds(tolerations, cohort.node_class.before, gate),
                new_eviction=eviction_before,
                event=PodEvent(update if is_under_way else None),
            ).outcome
        forecast = forecast_pod(
            before,
            after,
            has_pod=has_pod,
            own_eviction=_get_eviction_seconds(tolerations, cohort.node_class.after, gate),
            new_eviction=_get_new_pod_eviction(placements.after),
            event=PodEvent(update, cohort.is_pod_ended, self._cascade),
            horizon=self._evaluation.horizon,
            in_transit=cohort.presence in (PodPresence.IN_TRANSIT, PodPresence.UNSCHEDULABLE),
            finds_room=cohort.presence is PodPresence.WAITING,
            is_waiting=cohort.presence is PodPresence.UNSCHEDULABLE,
            was_looping=before is not None and before.should_run and eviction_before != NEVER,
            creates_none=self._creates_none,
        )
        return _AssumedForecast(assumption.matches_before and assumption.matches_after, outcome_before, forecast)

    @property
    def changes_template(self) -> bool:
        """Whether the DaemonSet is there before and after the change, with another template."""
        return self.daemonset_before is not None and self.daemonset_after is not None and not self._has_same_template

    @cached_property
    def _creates_none(self) -> bool:
        """Whether nodes should run the DaemonSet before the change and a list shows no pod of it: something refuses to create its pods.

        A quota, a webhook or Pod Security; what it refuses on nodes that should run it before, it refuses on others.
        """
        there = self.pods.groups or self.pods.nodes_in_transit or self.pods.waiting_nodes
        if not self._has_listed_pods or there or self.daemonset_before is None:
            return False
        placements = map(self._compute_placements, self.classes.get_classes(self._node_mentions, None))
        return any(placement.before is not None and bool(placement.before.should_run) for placement in placements)

    @property
    def _cascade(self) -> str:
        """How the DaemonSet is deleted, "" where it is not."""
        return self.change.deleted_daemonsets.get(self.key, "") if self.daemonset_after is None else ""

    def _get_pod_tolerations(self, cohort: NodeCohort) -> tuple[Toleration, ...]:
        """The tolerations of the pods that are there, or would be."""
        return cohort.pod_group.tolerations if cohort.pod_group else self._old_tolerations

    def collect_pods_after(self, groups: Iterable[CoverageGroup], judged_nodes: frozenset[str]) -> DaemonSetPods:
        """The pods once the change has settled: those of nodes that were not judged stay as they were."""
        nodes_by_kind: defaultdict[PodGroup, set[str]] = defaultdict(set)
        for pods in self.pods.groups:
            nodes_by_kind[replace(pods, nodes=_NO_NODES)].update(pods.nodes - judged_nodes)
        hanging = waiting = changed_nodes = _NO_NODES
        for group in groups:
            if group.forecast.pod_after is not PodAfter.SAME:
                changed_nodes |= group.nodes
            if group.forecast.pod_after is not PodAfter.NONE:
                nodes_by_kind[self._make_pods_after(group)].update(group.nodes)
            else:
                waiting |= self._find_waiting_nodes(group)
            hanging |= self._find_hanging_nodes(group)
        return DaemonSetPods(
            groups=tuple(replace(pods, nodes=frozenset(nodes)) for pods, nodes in nodes_by_kind.items() if nodes),
            decided_nodes=self.pods.decided_nodes | judged_nodes,
            nodes_in_transit=(self.pods.nodes_in_transit - judged_nodes) | hanging,
            terminating_nodes=(self.pods.terminating_nodes - judged_nodes) | hanging,
            surging_nodes=self._find_surging_nodes() - changed_nodes,
            waiting_nodes=(self.pods.waiting_nodes - judged_nodes) | waiting,
        )

    def _find_hanging_nodes(self, group: CoverageGroup) -> frozenset[str]:
        """Those nodes of a group where a pod of before hangs in Terminating once the change has settled."""
        if group.forecast.pod_after is PodAfter.NONE and UpdateEffect.HANG in group.possible_updates:
            return group.nodes
        is_ended = group.forecast.had_pod and group.forecast.pod_after is not PodAfter.SAME
        nodes = (group.nodes if is_ended else group.nodes & self.pods.terminating_nodes) - self.change.recreation_nodes
        if not nodes or self.change.removes_pods or is_out_of_service(group.node):
            return _NO_NODES
        return nodes & self._evaluation.shared_analysis.health.silent_nodes

    def _find_waiting_nodes(self, group: CoverageGroup) -> frozenset[str]:
        """Those nodes of a group without a live pod where one waits for room once the change has settled.

        One of before that may stay, if the template does, and a new one that is wanted and not bound.
        """
        after = group.placement_after
        if after is None or after.may_stay is False:
            return _NO_NODES
        if isinstance(group.fit, StaysPending) and after.should_run and UpdateEffect.HANG not in group.possible_updates:
            return group.nodes
        return group.nodes & self.pods.waiting_nodes if keeps_template(self.daemonset_before, self.daemonset_after) else _NO_NODES

    def _find_surging_nodes(self) -> frozenset[str]:
        """The nodes where a new pod waits beside the old one once the change has settled, before pods that it ends are left out."""
        if self.pods.surging_nodes and keeps_template(self.daemonset_before, self.daemonset_after):
            return self.pods.surging_nodes
        return self.rollout.find_surging_nodes() if self.rollout is not None else _NO_NODES

    def _make_pods_after(self, group: CoverageGroup) -> PodGroup:
        """The pods of a group once the change has settled, without their nodes."""
        pods, is_same = group.pod_group, group.forecast.pod_after is PodAfter.SAME
        own_tolerations = pods.tolerations if pods else self._old_tolerations
        return PodGroup(
            _NO_NODES,
            own_tolerations if is_same else self._new_tolerations,
            is_assumed=group.is_assumed,
            is_conditional=group.is_conditional or _may_be_absent(group) or bool(pods and pods.is_conditional),
            is_old=is_same and (group.possible_updates != (None,) or bool(pods and pods.is_old)),
            is_listed=is_same and bool(pods and pods.is_listed),
            may_be_updated=is_same and (group.update_uncertainty is not None or bool(pods and pods.may_be_updated)),
            may_be_pending=_may_be_pending(group),
        )


def _may_be_absent(group: CoverageGroup) -> bool:
    """Whether it is unknown if a group has pods once the change has settled; what a re-creation brings does not count."""
    return len({possible.forecast.has_pod for possible in group.possible_forecasts}) > 1


def _may_be_pending(group: CoverageGroup) -> bool:
    """Whether the pods of a group, once the change has settled, may wait for room and not run, or may be gone by chance."""
    after = group.placement_after
    is_taken = group.update_uncertainty is not None and after is not None and after.should_run is False
    if is_taken or group.partial_loss is not None:
        return True
    is_same = group.forecast.pod_after is PodAfter.SAME
    if isinstance(group.fit, FitDoubt) and (not is_same or UpdateEffect.REPLACE in group.possible_updates):
        return True
    return is_same and group.pod_group is not None and group.pod_group.may_be_pending


def _stay_fragile(assumed: _AssumedForecast) -> _AssumedForecast:
    """The forecast of an old pod whose successor, of a template that came before the change, stays Pending, with or without the change."""
    forecast = stay_pending(assumed.forecast)
    if forecast.outcome is not Outcome.LOST_ON_RECREATION:
        return assumed._replace(forecast=forecast)
    return assumed._replace(forecast=replace(forecast, outcome=Outcome.ALREADY_FRAGILE), outcome_before=Outcome.ALREADY_FRAGILE)


def _merge_forecasts(forecasts: Sequence[_AssumedForecast], cohort: NodeCohort) -> tuple[PodForecast, tuple[PossibleForecast, ...]]:
    """The forecast of a cohort, and those that it may be where it is unknown.

    1. The one where the unknown labels match, where all are the same.
    2. Where an update reaches some of the nodes, or may find pods of its own template, and the outcome is the same whichever: the one of a
       node that is not reached.
       Where a pod may wait for room and is lost either way: the one of a pod that runs.
    3. Where the update takes some of the pods whose successors stay Pending: the one of a pod that it leaves, which is lost on re-creation.
    4. Where only labels decide, and nothing is lost whether they match or not: the one where they match.
    5. Else it is unknown.
    """
    matching = next(assumed.forecast for assumed in forecasts if assumed.labels_match)
    outcomes = {assumed.forecast.outcome for assumed in forecasts}
    is_unsure = cohort.update_uncertainty is not None or cohort.may_have_updated_pod or cohort.may_have_pending_pod
    is_lost_anyway = cohort.may_have_pending_pod and outcomes <= _LOSSES
    if len({assumed.forecast for assumed in forecasts}) == 1 or (is_unsure and len(outcomes) == 1) or is_lost_anyway:
        return matching, ()
    if cohort.partial_loss is not None and outcomes == _LOSSES:
        return next(assumed.forecast for assumed in forecasts if assumed.forecast.outcome is Outcome.LOST_ON_RECREATION), ()
    if not _depends_on_more_than_labels(forecasts) and all(outcome in _HARMLESS_OUTCOMES for outcome in outcomes):
        return matching, ()
    unknown = PodForecast(Outcome.UNKNOWN, matching.had_pod, matching.pod_after, matching.is_recreated, matching.loop_seconds)
    possible = dict.fromkeys(PossibleForecast(assumed.labels_match, assumed.forecast) for assumed in forecasts)
    return unknown, tuple(possible)


def _merge_outcomes_before(forecasts: Sequence[_AssumedForecast]) -> Outcome | None:
    """The outcome without the change, unknown where it depends on what is not known."""
    outcomes = tuple(dict.fromkeys(assumed.outcome_before for assumed in forecasts))
    if len(outcomes) == 1:
        return outcomes[0]
    is_harmless = all(outcome in _HARMLESS_OUTCOMES for outcome in outcomes)
    return outcomes[0] if is_harmless and not _depends_on_more_than_labels(forecasts) else Outcome.UNKNOWN


def _depends_on_more_than_labels(forecasts: Sequence[_AssumedForecast]) -> bool:
    """Whether the gate or the update decides too: the forecasts differ though the labels match."""
    return len({assumed.forecast for assumed in forecasts if assumed.labels_match}) > 1


def _list_assumptions(cohort: NodeCohort) -> tuple[Assumption, ...]:
    """What the unknown labels may do, and whether a pod that may wait for room runs."""
    found = _assume_labels(cohort.placements)
    return (*found, *(assumption._replace(is_bound=False) for assumption in found)) if cohort.may_have_pending_pod else found


def _assume_labels(placements: PlacementPair) -> tuple[Assumption, ...]:
    """What the unknown labels may do.

    They do the same before the change and after it, unless it touches what the selection asks for: then any of the four may be.
    """
    before, after = placements
    is_unknown_before, is_unknown_after = (placement is not None and placement.is_selected is None for placement in placements)
    if not is_unknown_before and not is_unknown_after:
        return _ALL_MATCH
    if is_unknown_before and is_unknown_after and before is not None and after is not None and before.affinity != after.affinity:
        return tuple(Assumption(matches_before, matches_after) for matches_before in (True, False) for matches_after in (True, False))
    return tuple(Assumption(matches, matches) for matches in (True, False))


def _has_pod(cohort: NodeCohort, before: KnownPlacement | None, assumption: Assumption) -> bool:
    """Whether a pod is there before the change."""
    if cohort.pod_group is not None:
        return assumption.is_bound and (assumption.matches_before or not cohort.pod_group.is_conditional)
    return cohort.presence is PodPresence.ASSUMED and before is not None and before.should_run


def _get_eviction_seconds(tolerations: tuple[Toleration, ...], node: Node | None, gate: bool | None) -> float:
    if node is None:
        return NEVER
    seconds = find_eviction_delay(tolerations, node.spec.taints, gate)
    return NEVER if seconds is None else seconds


def _get_new_pod_eviction(placement: Placement | None) -> float:
    return NEVER if placement is None or placement.eviction_delay is None else placement.eviction_delay
