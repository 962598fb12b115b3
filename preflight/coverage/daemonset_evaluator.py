"""One DaemonSet over the node classes of a change: what pods are there, what the change does to them, and what becomes of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from preflight.change.model import Change
from preflight.coverage.cohorts import NodeCohort, PlacedCohort, continues_update
from preflight.coverage.daemonset_pods import DaemonSetPods, PodGroup
from preflight.coverage.model import CoverageGroup
from preflight.coverage.node_classes import NodePartitions, NodeViews, collect_mentions, split_nodes
from preflight.coverage.outcome import PodAfter, PodEvent, PodForecast, assume_placement, forecast_pod
from preflight.coverage.shared_analysis import SharedAnalysis
from preflight.model.objects import DaemonSet, Node, ObjectKey, Toleration
from preflight.model.report import Outcome
from preflight.scheduling.placement import Placement, evaluate_placement
from preflight.scheduling.rollout import UpdateEffect
from preflight.scheduling.tolerations import NEVER, add_implicit_tolerations, find_eviction_delay

if TYPE_CHECKING:
    from preflight.coverage.rollout.simulation import Rollout

_HARMLESS_OUTCOMES = (Outcome.KEPT, Outcome.EXCLUDED, Outcome.NEVER)


class DaemonSetEvaluator:
    """One DaemonSet over the node classes of a change."""

    def __init__(
        self,
        change: Change,
        classes: NodePartitions,
        key: ObjectKey,
        old: DaemonSet | None,
        new: DaemonSet | None,
        pods: DaemonSetPods,
        differing_nodes: frozenset[str],
        horizon: float,
        shared_analysis: SharedAnalysis,
    ) -> None:
        self.change, self.classes, self.key, self.daemonset_before, self.daemonset_after, self.pods = change, classes, key, old, new, pods
        self.differing_nodes = differing_nodes
        self.horizon, self.shared_analysis = horizon, shared_analysis
        self.is_listed = bool(key.namespace) and change.before.are_pods_listed(key.namespace, key.name)
        templates = [daemonset.spec.template.spec for daemonset in (old, new) if daemonset]
        self.node_mentions = collect_mentions(*templates)
        self.same_template = old is not None and new is not None and old.spec.template.spec == new.spec.template.spec
        self.old_tolerations = add_implicit_tolerations(old.spec.template.spec) if old else ()
        self.new_tolerations = (
            self.old_tolerations if self.same_template else add_implicit_tolerations(new.spec.template.spec) if new else ()
        )
        self.rollout: Rollout | None = None

    def evaluate_groups(self, scope: frozenset[str] | None) -> list[tuple[CoverageGroup, NodeCohort]]:
        """The groups within a scope, each with the part that it is about."""
        placed: list[PlacedCohort] = [
            (before, after, members, part)
            for members, names in self.classes.get_classes(self.node_mentions, scope)
            for before, after in [self._compute_placements(members)]
            for part in self._iter_cohorts(names, members)
        ]
        if self.daemonset_after is not None and (
            self.key in self.change.updated_daemonsets or continues_update(self.change, self.daemonset_after, self.pods)
        ):
            from preflight.coverage.rollout.effects import UpdateEvaluator  # no part of a run without an update

            updating = UpdateEvaluator(
                self.key,
                self.daemonset_before,
                self.daemonset_after,
                differs=self.key in self.change.updated_daemonsets,
                pods=self.pods,
                shared_analysis=self.shared_analysis,
                placed_cohorts=placed,
            )
            placed, self.rollout = updating.placed_cohorts, updating.rollout
        found: list[tuple[CoverageGroup, NodeCohort]] = []
        for before, after, members, part in placed:
            group = self._make_group(before, after, members, part)
            if group is not None:
                found.append((group, part))
        return found

    def _compute_placements(self, members: NodeViews, gate: bool | None = None) -> tuple[Placement | None, Placement | None]:
        """The placements before and after; one matcher call where neither the node nor the template differs."""
        gates = [world.comparison_operators if gate is None else gate for world in (self.change.before, self.change.after)]
        old_node, new_node = members[0], members[1]
        before = (
            evaluate_placement(self.daemonset_before.spec.template.spec, self.old_tolerations, old_node, gates[0])
            if self.daemonset_before and old_node
            else None
        )
        if self.same_template and old_node is new_node and gates[0] is gates[1]:
            return before, before
        return before, evaluate_placement(
            self.daemonset_after.spec.template.spec, self.new_tolerations, new_node, gates[1]
        ) if self.daemonset_after and new_node else None

    def _iter_cohorts(self, names: frozenset[str], members: NodeViews) -> Iterator[NodeCohort]:
        """A class cut by what pods are there and by what the change does to them."""
        acted = self.change.disrupted_nodes
        ended = self.change.recreation_nodes | self.change.deleted_pod_nodes.get(self.key, frozenset())
        for nodes, pods, assume, transit in self._iter_pod_parts(names, members):
            for dies, dying in split_nodes(nodes, ended):
                for acts, acting in split_nodes(dying, acted):
                    yield NodeCohort(acting, pods, assume, transit, dies, acts)

    def _iter_pod_parts(self, names: frozenset[str], members: NodeViews) -> Iterator[tuple[frozenset[str], PodGroup | None, bool, bool]]:
        """A class cut by what pods are there: their group, else whether one is assumed, else whether one is in transit."""
        rest = names
        for group in self.pods.groups:
            there = rest if rest <= group.nodes else rest & group.nodes
            yield there, group, False, False
            rest = frozenset() if there is rest else rest - group.nodes
        settled = rest if rest <= self.pods.decided_nodes else rest & self.pods.decided_nodes
        for moving, nodes in split_nodes(settled, self.pods.nodes_in_transit):
            yield nodes, None, False, moving
        yield rest - self.pods.decided_nodes, None, members[0] is not None and self.daemonset_before is not None, False

    def _make_group(
        self, before: Placement | None, after: Placement | None, members: NodeViews, cohort: NodeCohort
    ) -> CoverageGroup | None:
        verdicts = self._compute_forecasts(before, after, members, cohort)
        now = {verdict for _, _, verdict in verdicts}
        by_labels = len({match for match, _, _ in verdicts}) > 1
        by_gate = len({verdict for match, _, verdict in verdicts if match}) > 1
        matching = next(verdict for match, _, verdict in verdicts if match)
        possible: tuple[tuple[bool, PodForecast], ...] = ()
        verdict = matching
        if len(now) > 1:
            outcomes = {found.outcome for found in now}
            if cohort.update_uncertainty is not None and len(outcomes) == 1:
                pass  # the same whichever nodes are reached
            elif by_gate or not all(outcome in _HARMLESS_OUTCOMES for outcome in outcomes):
                verdict = PodForecast(Outcome.UNKNOWN, matching.had_pod, matching.pod_after, matching.is_recreated, matching.loop_seconds)
                possible = tuple(dict.fromkeys((match, found) for match, _, found in verdicts))
        if verdict.outcome is None:
            return None
        if after is None and self.daemonset_after is not None and members[1] is None:
            return None
        daemonset = self.daemonset_after or self.daemonset_before
        node = members[1] or members[0]
        assert daemonset is not None
        assert node is not None
        was = tuple(dict.fromkeys(outcome for _, outcome, _ in verdicts))
        named = (
            self.key in self.change.updated_daemonsets
            or self.daemonset_before is None
            or self.daemonset_after is None
            or not self.same_template
        )
        replaced = None
        if len(members) > 2 and members[2] is not None and self.daemonset_after is not None:
            again = evaluate_placement(
                self.daemonset_after.spec.template.spec, self.new_tolerations, members[2], self.change.after.comparison_operators
            )
            replaced = bool(again.should_run if again.should_run is not None else verdict.is_recreated)
        return CoverageGroup(
            key=self.key,
            daemonset=daemonset,
            before_daemonset=self.daemonset_before,
            nodes=cohort.nodes,
            node_names=self.classes.sort_names(cohort.nodes),
            forecast=verdict,
            outcome_before=was[0]
            if len(was) == 1 or (not by_gate and all(outcome in _HARMLESS_OUTCOMES for outcome in was))
            else Outcome.UNKNOWN,
            is_touched=named
            or cohort.is_pod_ended
            or cohort.is_acted_on
            or bool(cohort.nodes & self.differing_nodes)
            or not self.change.command,
            placement_before=before,
            placement_after=after,
            node=node,
            runs_on_replacement=replaced,
            is_assumed=cohort.pod_group.is_assumed if cohort.pod_group else cohort.may_assume_pod or not self.is_listed,
            is_conditional=by_labels and verdict.outcome is not Outcome.UNKNOWN,
            possible_forecasts=possible,
            update_uncertainty=cohort.update_uncertainty,
        )

    def _compute_forecasts(
        self, before: Placement | None, after: Placement | None, members: NodeViews, cohort: NodeCohort
    ) -> list[tuple[bool, Outcome | None, PodForecast]]:
        """The verdict under each assumption about what is not known: whether unknown labels match, the gate of Lt and Gt, the update.

        Each with the assumption about the labels, and the outcome without the change.
        """
        both = [placement for placement in (before, after) if placement]
        matches = _list_label_assumptions(before, after)
        own = cohort.pod_group.tolerations if cohort.pod_group else self.old_tolerations
        after_node = members[1]
        cascade = self.change.deleted_daemonsets.get(self.key, "") if self.daemonset_after is None else ""
        gate = self.change.after.comparison_operators
        undecided = gate is None and (
            any(placement.unsure_taints or placement.eviction_delay is None for placement in both)
            or (after_node is not None and find_eviction_delay(own, after_node.spec.taints, None) is None)
        )
        found = []
        for assumed_gate in (True, False) if undecided else (gate,):
            placed = self._compute_placements(members, assumed_gate) if undecided else (before, after)
            for match, still in matches:
                old, new = assume_placement(placed[0], match), assume_placement(placed[1], still)
                if cohort.pod_group is not None:
                    has_pod = match or not cohort.pod_group.is_conditional
                else:
                    has_pod = cohort.may_assume_pod and old is not None and old.should_run
                old_eviction = _get_eviction_seconds(own, members[0], assumed_gate)
                under_way = self.daemonset_before is self.daemonset_after and cohort.pod_group is not None and cohort.pod_group.is_old
                for possible_update in cohort.possible_updates:
                    untouched = forecast_pod(
                        old,
                        old,
                        has_pod=has_pod,
                        own_eviction=old_eviction,
                        new_eviction=_get_new_pod_eviction(placed[0]),
                        event=PodEvent(possible_update if under_way else None),
                    )
                    was = untouched.outcome if self.daemonset_before and members[0] else None
                    verdict = forecast_pod(
                        old,
                        new,
                        has_pod=has_pod,
                        own_eviction=_get_eviction_seconds(own, after_node, assumed_gate),
                        new_eviction=_get_new_pod_eviction(placed[1]),
                        event=PodEvent(possible_update, cohort.is_pod_ended, cascade),
                        horizon=self.horizon,
                        in_transit=cohort.is_in_transit,
                        was_looping=old is not None and old.should_run and _get_new_pod_eviction(placed[0]) != NEVER,
                    )
                    found.append((match and still, was, verdict))
        return found

    def collect_pods_after(
        self, evaluated_groups: Iterable[tuple[CoverageGroup, NodeCohort]], judged_nodes: frozenset[str]
    ) -> DaemonSetPods:
        """The pods once the change has settled: those of nodes that were not judged stay as they were."""
        members: defaultdict[tuple[tuple[Toleration, ...], bool, bool, bool, bool], set[str]] = defaultdict(set)
        for pods in self.pods.groups:
            members[pods.tolerations, pods.is_assumed, pods.is_conditional, pods.is_old, pods.is_listed].update(pods.nodes - judged_nodes)
        hanging: frozenset[str] = frozenset()
        for group, part in evaluated_groups:
            verdict = group.forecast
            if verdict.pod_after is PodAfter.NONE:
                if UpdateEffect.HANG in part.possible_updates:
                    hanging |= part.nodes
                continue
            conditional = group.is_conditional or bool(group.possible_forecasts) or bool(part.pod_group and part.pod_group.is_conditional)
            own = part.pod_group.tolerations if part.pod_group else self.old_tolerations
            same = verdict.pod_after is PodAfter.SAME
            old = same and (part.possible_updates != (None,) or bool(part.pod_group and part.pod_group.is_old))
            listed = same and bool(part.pod_group and part.pod_group.is_listed)
            members[own if same else self.new_tolerations, group.is_assumed, conditional, old, listed].update(part.nodes)
        groups = tuple(PodGroup(frozenset(nodes), *marks) for marks, nodes in members.items() if nodes)
        leaving = (self.pods.terminating_nodes - judged_nodes) | hanging
        return DaemonSetPods(groups, self.pods.decided_nodes | judged_nodes, (self.pods.nodes_in_transit - judged_nodes) | hanging, leaving)


def _list_label_assumptions(before: Placement | None, after: Placement | None) -> tuple[tuple[bool, bool], ...]:
    """What the unknown labels may do: match before and after the change.

    They do the same at both times, unless the change touches what the selection asks for: then any of the four may be.
    """
    unknown = [placement is not None and placement.is_selected is None for placement in (before, after)]
    if not any(unknown):
        return ((True, True),)
    if all(unknown) and before is not None and after is not None and before.affinity != after.affinity:
        return ((True, True), (True, False), (False, True), (False, False))
    return ((True, True), (False, False))


def _get_eviction_seconds(tolerations: tuple[Toleration, ...], node: Node | None, gate: bool | None) -> float:
    if node is None:
        return NEVER
    seconds = find_eviction_delay(tolerations, node.spec.taints, gate)
    return NEVER if seconds is None else seconds


def _get_new_pod_eviction(placement: Placement | None) -> float:
    return NEVER if placement is None or placement.eviction_delay is None else placement.eviction_delay
