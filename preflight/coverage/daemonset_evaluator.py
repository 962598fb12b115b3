"""One DaemonSet over the node classes of a change: what pods are there, what the change does to them, and what becomes of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from preflight.change.model import Change
from preflight.coverage.cohorts import Placed, Slice, goes_on
from preflight.coverage.daemonset_pods import PodGroup, PodsOf
from preflight.coverage.model import Group
from preflight.coverage.node_classes import Classes, NodeClass, cut, mention
from preflight.coverage.outcome import Event, PodAfter, Verdict, facts, settle
from preflight.coverage.shared_analysis import Known
from preflight.model.objects import DaemonSet, Node, ObjectKey, Toleration
from preflight.model.report import Outcome
from preflight.scheduling.placement import Placement, place
from preflight.scheduling.rollout import Update
from preflight.scheduling.tolerations import NEVER, daemon_tolerations, evict_after

if TYPE_CHECKING:
    from preflight.coverage.rollout.simulation import Rollout

_HARMLESS = (Outcome.KEPT, Outcome.EXCLUDED, Outcome.NEVER)


class Pair:
    """One DaemonSet over the node classes of a change."""

    def __init__(
        self,
        change: Change,
        classes: Classes,
        key: ObjectKey,
        old: DaemonSet | None,
        new: DaemonSet | None,
        pods: PodsOf,
        differing: frozenset[str],
        horizon: float,
        known: Known,
    ) -> None:
        self.change, self.classes, self.key, self.old, self.new, self.pods = change, classes, key, old, new, pods
        self.differing = differing
        self.horizon, self.known = horizon, known
        self.listed = bool(key.namespace) and change.before.pods_known(key.namespace, key.name)
        templates = [daemonset.spec.template.spec for daemonset in (old, new) if daemonset]
        self.mention = mention(*templates)
        self.same_template = old is not None and new is not None and old.spec.template.spec == new.spec.template.spec
        self.old_tolerations = daemon_tolerations(old.spec.template.spec) if old else ()
        self.new_tolerations = self.old_tolerations if self.same_template else daemon_tolerations(new.spec.template.spec) if new else ()
        self.rollout: Rollout | None = None

    def judge(self, scope: frozenset[str] | None) -> list[tuple[Group, Slice]]:
        """The groups within a scope, each with the part that it is about."""
        placed: list[Placed] = [
            (before, after, members, part)
            for members, names in self.classes.of(self.mention, scope)
            for before, after in [self._place(members)]
            for part in self._slices(names, members)
        ]
        if self.new is not None and (self.key in self.change.updated or goes_on(self.change, self.new, self.pods)):
            from preflight.coverage.rollout.effects import Updating  # no part of a run without an update

            updating = Updating(
                self.key,
                self.old,
                self.new,
                differs=self.key in self.change.updated,
                pods=self.pods,
                known=self.known,
                placed=placed,
            )
            placed, self.rollout = updating.slices, updating.rollout
        found: list[tuple[Group, Slice]] = []
        for before, after, members, part in placed:
            group = self._group(before, after, members, part)
            if group is not None:
                found.append((group, part))
        return found

    def _place(self, members: NodeClass, gate: bool | None = None) -> tuple[Placement | None, Placement | None]:
        """The placements before and after; one matcher call where neither the node nor the template differs."""
        gates = [world.comparison_operators if gate is None else gate for world in (self.change.before, self.change.after)]
        old_node, new_node = members[0], members[1]
        before = place(self.old.spec.template.spec, self.old_tolerations, old_node, gates[0]) if self.old and old_node else None
        if self.same_template and old_node is new_node and gates[0] is gates[1]:
            return before, before
        return before, place(self.new.spec.template.spec, self.new_tolerations, new_node, gates[1]) if self.new and new_node else None

    def _slices(self, names: frozenset[str], members: NodeClass) -> Iterator[Slice]:
        """A class cut by what pods are there and by what the change does to them."""
        acted = self.change.acted
        ended = self.change.reborn | self.change.ended.get(self.key, frozenset())
        for nodes, pods, assume, transit in self._parts(names, members):
            for dies, dying in cut(nodes, ended):
                for acts, acting in cut(dying, acted):
                    yield Slice(acting, pods, assume, transit, dies, acts)

    def _parts(self, names: frozenset[str], members: NodeClass) -> Iterator[tuple[frozenset[str], PodGroup | None, bool, bool]]:
        """A class cut by what pods are there: their group, else whether one is assumed, else whether one is in transit."""
        rest = names
        for group in self.pods.groups:
            there = rest if rest <= group.nodes else rest & group.nodes
            yield there, group, False, False
            rest = frozenset() if there is rest else rest - group.nodes
        settled = rest if rest <= self.pods.decided else rest & self.pods.decided
        for moving, nodes in cut(settled, self.pods.transit):
            yield nodes, None, False, moving
        yield rest - self.pods.decided, None, members[0] is not None and self.old is not None, False

    def _group(self, before: Placement | None, after: Placement | None, members: NodeClass, part: Slice) -> Group | None:
        verdicts = self._verdicts(before, after, members, part)
        now = {verdict for _, _, verdict in verdicts}
        by_labels = len({match for match, _, _ in verdicts}) > 1
        by_gate = len({verdict for match, _, verdict in verdicts if match}) > 1
        matching = next(verdict for match, _, verdict in verdicts if match)
        possible: tuple[tuple[bool, Verdict], ...] = ()
        verdict = matching
        if len(now) > 1:
            outcomes = {found.outcome for found in now}
            if part.fate is not None and len(outcomes) == 1:
                pass  # the same whichever nodes are reached
            elif by_gate or not all(outcome in _HARMLESS for outcome in outcomes):
                verdict = Verdict(Outcome.UNKNOWN, matching.before, matching.pod, matching.recreated, matching.period)
                possible = tuple(dict.fromkeys((match, found) for match, _, found in verdicts))
        if verdict.outcome is None:
            return None
        if after is None and self.new is not None and members[1] is None:
            return None
        daemonset = self.new or self.old
        node = members[1] or members[0]
        assert daemonset is not None
        assert node is not None
        was = tuple(dict.fromkeys(outcome for _, outcome, _ in verdicts))
        named = self.key in self.change.updated or self.old is None or self.new is None or not self.same_template
        replaced = None
        if len(members) > 2 and members[2] is not None and self.new is not None:
            again = place(self.new.spec.template.spec, self.new_tolerations, members[2], self.change.after.comparison_operators)
            replaced = bool(again.should_run if again.should_run is not None else verdict.recreated)
        return Group(
            key=self.key,
            daemonset=daemonset,
            before_daemonset=self.old,
            nodes=part.nodes,
            names=self.classes.sorted(part.nodes),
            verdict=verdict,
            was=was[0] if len(was) == 1 or (not by_gate and all(outcome in _HARMLESS for outcome in was)) else Outcome.UNKNOWN,
            touched=named or part.ended or part.acted or bool(part.nodes & self.differing) or not self.change.command,
            before=before,
            after=after,
            node=node,
            replaced=replaced,
            assumed=part.pods.assumed if part.pods else part.assume or not self.listed,
            conditional=by_labels and verdict.outcome is not Outcome.UNKNOWN,
            possible=possible,
            fate=part.fate,
        )

    def _verdicts(
        self, before: Placement | None, after: Placement | None, members: NodeClass, part: Slice
    ) -> list[tuple[bool, Outcome | None, Verdict]]:
        """The verdict under each assumption about what is not known: whether unknown labels match, the gate of Lt and Gt, the update.

        Each with the assumption about the labels, and the outcome without the change.
        """
        both = [placement for placement in (before, after) if placement]
        matches = _assumptions(before, after)
        own = part.pods.tolerations if part.pods else self.old_tolerations
        after_node = members[1]
        cascade = self.change.deleted.get(self.key, "") if self.new is None else ""
        gate = self.change.after.comparison_operators
        undecided = gate is None and (
            any(placement.unsure or placement.evict_after is None for placement in both)
            or (after_node is not None and evict_after(own, after_node.spec.taints, None) is None)
        )
        found = []
        for assumed_gate in (True, False) if undecided else (gate,):
            placed = self._place(members, assumed_gate) if undecided else (before, after)
            for match, still in matches:
                old, new = facts(placed[0], match), facts(placed[1], still)
                if part.pods is not None:
                    has_pod = match or not part.pods.conditional
                else:
                    has_pod = part.assume and old is not None and old.should_run
                old_eviction = _eviction(own, members[0], assumed_gate)
                under_way = self.old is self.new and part.pods is not None and part.pods.old
                for each in part.updates:
                    untouched = settle(
                        old,
                        old,
                        has_pod=has_pod,
                        own_eviction=old_eviction,
                        new_eviction=_new_eviction(placed[0]),
                        event=Event(each if under_way else None),
                    )
                    was = untouched.outcome if self.old and members[0] else None
                    verdict = settle(
                        old,
                        new,
                        has_pod=has_pod,
                        own_eviction=_eviction(own, after_node, assumed_gate),
                        new_eviction=_new_eviction(placed[1]),
                        event=Event(each, part.ended, cascade),
                        horizon=self.horizon,
                        transit=part.transit,
                        looped=old is not None and old.should_run and _new_eviction(placed[0]) != NEVER,
                    )
                    found.append((match and still, was, verdict))
        return found

    def pods_after(self, found: Iterable[tuple[Group, Slice]], judged: frozenset[str]) -> PodsOf:
        """The pods once the change has settled: those of nodes that were not judged stay as they were."""
        members: defaultdict[tuple[tuple[Toleration, ...], bool, bool, bool, bool], set[str]] = defaultdict(set)
        for pods in self.pods.groups:
            members[pods.tolerations, pods.assumed, pods.conditional, pods.old, pods.listed].update(pods.nodes - judged)
        hanging: frozenset[str] = frozenset()
        for group, part in found:
            verdict = group.verdict
            if verdict.pod is PodAfter.NONE:
                if Update.HANG in part.updates:
                    hanging |= part.nodes
                continue
            conditional = group.conditional or bool(group.possible) or bool(part.pods and part.pods.conditional)
            own = part.pods.tolerations if part.pods else self.old_tolerations
            same = verdict.pod is PodAfter.SAME
            old = same and (part.updates != (None,) or bool(part.pods and part.pods.old))
            listed = same and bool(part.pods and part.pods.listed)
            members[own if same else self.new_tolerations, group.assumed, conditional, old, listed].update(part.nodes)
        groups = tuple(PodGroup(frozenset(nodes), *marks) for marks, nodes in members.items() if nodes)
        leaving = (self.pods.leaving - judged) | hanging
        return PodsOf(groups, self.pods.decided | judged, (self.pods.transit - judged) | hanging, leaving)


def _assumptions(before: Placement | None, after: Placement | None) -> tuple[tuple[bool, bool], ...]:
    """What the unknown labels may do: match before and after the change.

    They do the same at both times, unless the change touches what the selection asks for: then any of the four may be.
    """
    unknown = [placement is not None and placement.selected is None for placement in (before, after)]
    if not any(unknown):
        return ((True, True),)
    if all(unknown) and before is not None and after is not None and before.affinity != after.affinity:
        return ((True, True), (True, False), (False, True), (False, False))
    return ((True, True), (False, False))


def _eviction(tolerations: tuple[Toleration, ...], node: Node | None, gate: bool | None) -> float:
    if node is None:
        return NEVER
    seconds = evict_after(tolerations, node.spec.taints, gate)
    return NEVER if seconds is None else seconds


def _new_eviction(placement: Placement | None) -> float:
    return NEVER if placement is None or placement.evict_after is None else placement.evict_after
