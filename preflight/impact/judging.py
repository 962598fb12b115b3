"""The impact of one change: every pair of DaemonSet and node that it touches, judged by node class."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct

from preflight.change.performed import Change
from preflight.impact.classes import Classes, NodeClass, mention
from preflight.impact.pods import PodGroup, PodsOf
from preflight.impact.recognised import Recognised
from preflight.impact.verdict import Event, PodAfter, Verdict, facts, settle
from preflight.model.objects import DaemonSet, Node, ObjectKey, Toleration
from preflight.model.report import Outcome
from preflight.model.world import World
from preflight.scheduling.placement import Placement, place
from preflight.scheduling.rollout import Update, update
from preflight.scheduling.tolerations import NEVER, daemon_tolerations, evict_after

_HARMLESS = (Outcome.KEPT, Outcome.EXCLUDED, Outcome.NEVER)


class Fall(Struct, frozen=True):
    """A DaemonSet that falls because another one takes labels with it.

    `producer` sets the `labels` and is lost on `nodes`; `consumer` selects on them. `now`: at once, else at the producer's re-creation.
    """

    producer: ObjectKey
    labels: tuple[str, ...]
    consumer: ObjectKey
    nodes: tuple[str, ...]
    now: bool


class Group(Struct, frozen=True):
    """Nodes on which one DaemonSet meets the same fate for the same reasons.

    1. `daemonset` is the one after the change, or the one before where the change deletes it; `before_daemonset` None where it is new.
    2. `verdict.outcome` is UNKNOWN where it depends on what is not known; `possible` then holds the verdicts that it may be, each
       with the assumption it rests on: whether the unknown labels match.
    3. `was` is the outcome without the change. `touched`: the change differs something here, or acts on the pod; without a change
       everything is touched.
    4. `before` and `after` are the placements, None where the DaemonSet or the node is not there; `replaced` is whether a pod comes
       back on a replacement of the node, None where not asked.
    5. `names` are the nodes' names, sorted.
    6. `falls` are the label producers that take it with them, where a second wave reaches it.
    7. `assumed`: the pod is assumed, none was listed. `conditional`: all this holds if the unknown labels match.
    """

    key: ObjectKey
    daemonset: DaemonSet
    before_daemonset: DaemonSet | None
    nodes: frozenset[str]
    names: tuple[str, ...]
    verdict: Verdict
    was: Outcome | None
    touched: bool
    before: Placement | None
    after: Placement | None
    node: Node
    replaced: bool | None = None
    assumed: bool = False
    conditional: bool = False
    possible: tuple[tuple[bool, Verdict], ...] = ()
    falls: tuple[Fall, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """The outcome of these pairs."""
        assert self.verdict.outcome is not None
        return self.verdict.outcome


class Impact(Struct, frozen=True):
    """What a change does to coverage.

    1. `groups` are sorted by DaemonSet, then by outcome, worst first, then by node name. A pair without a pod, before and after,
       whose DaemonSet is deleted is in none.
    2. `scope` are the nodes judged for every DaemonSet; `whole` the DaemonSets judged on all nodes: those that the change names or
       differs.
    3. `pods` is what is there once the change has settled, worked out when it is asked for: the next step of a plan starts from it.
    4. `recognised` tells what the DaemonSets are.
    5. `falls` are the second waves, in the order in which things go: see `waves.predict`.
    6. `desired` is, for each DaemonSet that updates, how many nodes should run it after the change.
    """

    change: Change
    groups: tuple[Group, ...]
    scope: frozenset[str]
    whole: frozenset[ObjectKey]
    settled: Callable[[], Mapping[ObjectKey, PodsOf]]
    pairs: int
    desired: Mapping[ObjectKey, int]
    recognised: Recognised
    falls: tuple[Fall, ...] = ()

    @property
    def pods(self) -> Mapping[ObjectKey, PodsOf]:
        """The pods once the change has settled, by DaemonSet."""
        return self.settled()

    def with_outcome(self, *outcomes: Outcome) -> Iterator[Group]:
        """The groups with one of these outcomes."""
        return (group for group in self.groups if group.outcome in outcomes)


def judge(change: Change, pods: Mapping[ObjectKey, PodsOf], horizon: float = NEVER, recognised: Recognised | None = None) -> Impact:
    """Judge a change over the pods that are there.

    1. A change of nodes judges every DaemonSet on the nodes that it names or differs; one that names or differs DaemonSets judges
       these on all nodes; without a change (`change.command` empty) everything is judged.
    2. Nodes are judged by class: one matcher call for each class and DaemonSet, before and after.
    3. An eviction after more than `horizon` seconds has not happened yet once the change has settled (see verdict.settle).
    4. A DaemonSet in `pods` has the pods given there; elsewhere a pod is assumed where it should run before the change.
    5. `recognised` spares recognising the DaemonSets once more.
    """
    before, after = change.before, change.after
    views = [before.nodes, after.nodes, change.replacements] if change.replacements else [before.nodes, after.nodes]
    classes = Classes(*views)
    everything = frozenset((*before.nodes, *after.nodes))
    differing = frozenset(name for name in everything if before.nodes.get(name) is not after.nodes.get(name))
    scope = (change.nodes | differing) & everything if change.command else everything
    groups: list[Group] = []
    judged: list[tuple[_Pair, list[tuple[Group, _Slice]], frozenset[str]]] = []
    whole, desired = set(), {}
    pairs = 0
    for key in sorted({*before.daemonsets, *after.daemonsets}):
        old, new = before.daemonsets.get(key), after.daemonsets.get(key)
        named = key in change.daemonsets or old is not new or key in change.updated or key in change.ended
        if named:
            whole.add(key)
        elif change.command and not scope:
            continue
        pair = _Pair(change, classes, key, old, new, pods.get(key, PodsOf()), differing, horizon)
        wanted = None if named or not change.command else scope
        found = pair.judge(wanted)
        groups += (group for group, _ in found)
        judged.append((pair, found, everything if wanted is None else wanted))
        pairs += len(everything if wanted is None else wanted)
        if pair.desired is not None:
            desired[key] = pair.desired

    def settled() -> Mapping[ObjectKey, PodsOf]:
        left = dict(pods)
        for pair, found, nodes in judged:
            if pair.new is not None or change.deleted.get(pair.key) == "orphan":
                left[pair.key] = pair.pods_after(found, nodes)
            elif pair.key in change.deleted:
                left.pop(pair.key, None)
        return left

    return Impact(
        change, tuple(sorted(groups, key=_order)), scope, frozenset(whole), settled, pairs, desired, recognised or Recognised(after)
    )


def _order(group: Group) -> tuple[object, ...]:
    return (group.key.namespace, group.key.name, group.key.place, group.outcome.rank, group.names)


class _Slice(Struct, frozen=True):
    """Nodes of one class with the same pods and the same events; `pods` None where no pod is there."""

    nodes: frozenset[str]
    pods: PodGroup | None
    assume: bool
    ended: bool
    acted: bool


class _Pair:
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
    ) -> None:
        self.change, self.classes, self.key, self.old, self.new, self.pods = change, classes, key, old, new, pods
        self.differing = differing
        self.horizon = horizon
        self.listed = bool(key.namespace) and change.before.pods_known(key.namespace)
        templates = [daemonset.spec.template.spec for daemonset in (old, new) if daemonset]
        self.mention = mention(*templates)
        self.same_template = old is not None and new is not None and old.spec.template.spec == new.spec.template.spec
        self.old_tolerations = daemon_tolerations(old.spec.template.spec) if old else ()
        self.new_tolerations = self.old_tolerations if self.same_template else daemon_tolerations(new.spec.template.spec) if new else ()
        self.desired: int | None = None

    def judge(self, scope: frozenset[str] | None) -> list[tuple[Group, _Slice]]:
        """The groups within a scope, each with the part that it is about."""
        placed = [(*self._place(members), members, names) for members, names in self.classes.of(self.mention, scope)]
        event_update: Update | None = None
        if self.new is not None and self.key in self.change.updated:
            self.desired = sum(len(names) for _, after, _, names in placed if after is not None and after.should_run)
            sure = all(after is None or after.should_run is not None for _, after, _, _ in placed)
            event_update = update(
                self.new.spec, self.desired if sure else max(self.desired, 1), self.old.spec.template.spec if self.old else None
            )
        found: list[tuple[Group, _Slice]] = []
        for before, after, members, names in placed:
            for part in self._slices(names, members):
                event = Event(event_update, part.ended, self.change.deleted.get(self.key, "") if self.new is None else "")
                group = self._group(before, after, members, part, event)
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

    def _slices(self, names: frozenset[str], members: NodeClass) -> Iterator[_Slice]:
        """A class cut by what pods are there and by what the change does to them."""
        acted = self.change.reborn | self.change.drained | self.change.rebooted
        ended = self.change.reborn | self.change.ended.get(self.key, frozenset())
        rest = names
        parts: list[tuple[frozenset[str], PodGroup | None, bool]] = []
        for group in self.pods.groups:
            parts.append((rest if rest <= group.nodes else rest & group.nodes, group, False))
            rest = frozenset() if parts[-1][0] is rest else rest - group.nodes
        parts.append((rest if rest <= self.pods.decided else rest & self.pods.decided, None, False))
        parts.append((rest - self.pods.decided, None, members[0] is not None and self.old is not None))
        for nodes, pods, assume in parts:
            for dies, dying in _cut(nodes, ended):
                for acts, cut in _cut(dying, acted):
                    yield _Slice(cut, pods, assume, dies, acts)

    def _group(self, before: Placement | None, after: Placement | None, members: NodeClass, part: _Slice, event: Event) -> Group | None:
        verdicts = self._verdicts(before, after, members, part, event)
        now = {verdict for _, _, verdict in verdicts}
        by_labels = len({match for match, _, _ in verdicts}) > 1
        by_gate = len({verdict for match, _, verdict in verdicts if match}) > 1
        matching = next(verdict for match, _, verdict in verdicts if match)
        possible: tuple[tuple[bool, Verdict], ...] = ()
        verdict = matching
        if len(now) > 1:
            outcomes = {found.outcome for found in now}
            if by_gate or not all(outcome in _HARMLESS for outcome in outcomes):
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
        )

    def _verdicts(
        self, before: Placement | None, after: Placement | None, members: NodeClass, part: _Slice, event: Event
    ) -> list[tuple[bool, Outcome | None, Verdict]]:
        """The verdict under each assumption about what is not known: whether unknown labels match, and the gate of Lt and Gt.

        Each with the assumption about the labels, and the outcome without the change.
        """
        both = [placement for placement in (before, after) if placement]
        matches = (True, False) if any(placement.selected is None for placement in both) else (True,)
        own = part.pods.tolerations if part.pods else self.old_tolerations
        after_node = members[1]
        gate = self.change.after.comparison_operators
        undecided = gate is None and (
            any(placement.unsure or placement.evict_after is None for placement in both)
            or (after_node is not None and evict_after(own, after_node.spec.taints, None) is None)
        )
        found = []
        for assumed_gate in (True, False) if undecided else (gate,):
            placed = self._place(members, assumed_gate) if undecided else (before, after)
            for match in matches:
                old, new = facts(placed[0], match), facts(placed[1], match)
                if part.pods is not None:
                    has_pod = match or not part.pods.conditional
                else:
                    has_pod = part.assume and old is not None and old.should_run
                old_eviction = _eviction(own, members[0], assumed_gate)
                untouched = settle(old, old, has_pod=has_pod, own_eviction=old_eviction, new_eviction=_new_eviction(placed[0]))
                verdict = settle(
                    old,
                    new,
                    has_pod=has_pod,
                    own_eviction=_eviction(own, after_node, assumed_gate),
                    new_eviction=_new_eviction(placed[1]),
                    event=event,
                    horizon=self.horizon,
                )
                found.append((match, untouched.outcome if self.old and members[0] else None, verdict))
        return found

    def pods_after(self, found: Iterable[tuple[Group, _Slice]], judged: frozenset[str]) -> PodsOf:
        """The pods once the change has settled: those of nodes that were not judged stay as they were."""
        members: defaultdict[tuple[tuple[Toleration, ...], bool, bool], set[str]] = defaultdict(set)
        for pods in self.pods.groups:
            members[pods.tolerations, pods.assumed, pods.conditional].update(pods.nodes - judged)
        for group, part in found:
            verdict = group.verdict
            if verdict.pod is PodAfter.NONE:
                continue
            conditional = group.conditional or bool(group.possible) or bool(part.pods and part.pods.conditional)
            own = part.pods.tolerations if part.pods else self.old_tolerations
            tolerations = own if verdict.pod is PodAfter.SAME else self.new_tolerations
            members[tolerations, group.assumed, conditional].update(part.nodes)
        groups = tuple(
            PodGroup(frozenset(nodes), tolerations, assumed, conditional)
            for (tolerations, assumed, conditional), nodes in members.items()
            if nodes
        )
        return PodsOf(groups, self.pods.decided | judged)


def _cut(nodes: frozenset[str], by: frozenset[str]) -> Iterator[tuple[bool, frozenset[str]]]:
    """Nodes cut in two by others, those that are among them and those that are not; a part without a node is left out."""
    if by and (inside := nodes & by):
        yield True, inside
        nodes = nodes - by
    if nodes:
        yield False, nodes


def _eviction(tolerations: tuple[Toleration, ...], node: Node | None, gate: bool | None) -> float:
    if node is None:
        return NEVER
    seconds = evict_after(tolerations, node.spec.taints, gate)
    return NEVER if seconds is None else seconds


def _new_eviction(placement: Placement | None) -> float:
    return NEVER if placement is None or placement.evict_after is None else placement.evict_after


def unchanged(world: World) -> Change:
    """No change at all, over a world: what lint judges."""
    return Change(command="", headline="", before=world, after=world, nodes=frozenset(world.nodes))
