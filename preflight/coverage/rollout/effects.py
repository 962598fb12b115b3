"""What an update does to the pods of one DaemonSet, slice by slice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from preflight.coverage.cohorts import Placed, goes_on_by_itself
from preflight.coverage.daemonset_pods import PodsOf
from preflight.coverage.model import Impact
from preflight.coverage.node_classes import cut
from preflight.coverage.rollout.simulation import Rollout, Span, rollout
from preflight.coverage.rollout.surge_conflicts import InTheWay, in_the_way
from preflight.coverage.shared_analysis import Known
from preflight.messages.lists import names
from preflight.model.objects import DaemonSet, ObjectKey
from preflight.scheduling.rollout import Update, surges, update
from preflight.scheduling.rollout_simulation import Pod


def under_way(impact: Impact) -> Iterator[str]:
    """A sentence for each update that was not through before the change."""
    for key, found in sorted(impact.rollouts.items()):
        if impact.change.before.daemonsets.get(key) is impact.change.after.daemonsets[key]:
            old = sorted(name for cell in found.cells if cell.part.pod is Pod.OLD for name in cell.nodes)
            yield f"an update of {key} was not through before: its pods on {names(old)} are of an older template"


class Updating:
    """The update of one DaemonSet over the slices of all its node classes.

    1. `rollout` is where it comes to its end on the nodes of which everything is known.
    2. `slices` are cut by what the update does to their pods. Where a placement or a node is not known, they are judged as if all pods
       were available, all nodes well.
    """

    def __init__(
        self, key: ObjectKey, old: DaemonSet | None, new: DaemonSet, *, differs: bool, pods: PodsOf, known: Known, placed: Sequence[Placed]
    ) -> None:
        """`differs`: the change brings a new template; else an update from before goes on, with the pods that are still old."""
        self._key, self._new, self._differs, self._pods, self._known = key, new, differs, pods, known
        self._before = (old or new).spec.template.spec
        nodes = known.nodes.values()
        self._in_the_way = in_the_way(self._before, new.spec.template.spec, nodes) if surges(new.spec) else InTheWay()
        spans = [self._span(each) for each in placed]
        exact = all(span is not None or after is None for span, (_, after, _, _) in zip(spans, placed, strict=True))
        told = [span for span in spans if span is not None]
        starts = None if known.starts is None else known.starts.get(key, {})
        self.rollout: Rollout = rollout(new.spec, told, known.health, known.health.unready(key), starts, self._in_the_way, exact=exact)
        if exact:
            without = [each for each, span in zip(placed, spans, strict=True) if span is None]
            self.slices = [*self._cut([each for each, span in zip(placed, spans, strict=True) if span is not None]), *without]
        else:
            self.slices = list(self._as_if_well(placed))

    def _span(self, placed: Placed) -> Span | None:
        """What an update is told of a slice; None where something about it is not known, or where the DaemonSet or the node is gone."""
        before, after, members, part = placed
        if after is None or after.should_run is None or after.may_stay is None or members[1] is None or members[1].partial:
            return None
        stood = before is not None and before.should_run
        if (part.pods is not None and part.pods.conditional) or (part.assume and stood is None):
            return None
        there = not part.ended and (part.pods is not None or (part.assume and bool(stood)))
        return Span(
            part.nodes,
            after.should_run,
            after.may_stay,
            (Pod.OLD if self._is_old(placed) else Pod.NEW) if there else Pod.NONE,
            listed=there and part.pods is not None and part.pods.listed,
            missing=bool(stood) and not there and not part.ended and not part.assume,
            perhaps=not there and part.assume and before is not None and bool(before.may_stay),
            leaving=self._pods.leaving,
            crowded=self._in_the_way.nodes(part.nodes),
        )

    def _is_old(self, placed: Placed) -> bool:
        pods = placed[3].pods
        return self._differs or (pods is not None and pods.old)

    def _cut(self, placed: Sequence[Placed]) -> Iterator[Placed]:
        for place, cell in enumerate(self.rollout.cells):
            before, after, members, part = placed[cell.span]
            updates = (None,) if cell.part.pod is Pod.NEW else self.rollout.updates(place)
            fate = self.rollout.fate(place) if len(updates) > 1 else None
            yield before, after, members, replace(part, nodes=cell.nodes, updates=updates, fate=fate)

    def _as_if_well(self, placed: Sequence[Placed]) -> Iterator[Placed]:
        desired = sum(len(part.nodes) for _, after, _, part in placed if after is not None and after.should_run)
        sure = all(after is None or after.should_run is not None for _, after, _, _ in placed)
        whole = update(self._new.spec, desired if sure else max(desired, 1), self._before)
        held = whole is Update.STALL or (whole is Update.HOLD and goes_on_by_itself(self._new))
        unready = frozenset(self._known.health.unready(self._key)) if held else frozenset()
        for each in placed:
            before, after, members, part = each
            is_old = self._is_old(each)
            for lame, nodes in cut(part.nodes, unready if part.pods is not None and part.pods.listed else frozenset()):
                answer = (Update.REPLACE if lame else whole) if is_old else None
                yield before, after, members, replace(part, nodes=nodes, updates=(answer,))
