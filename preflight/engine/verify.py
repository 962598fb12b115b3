"""`preflight verify SNAPSHOT`: a run that changes nothing, and says what became of a cluster since it was saved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO

from msgspec.structs import replace

from preflight import load
from preflight.comparison.pods import PodsSince, Since, since
from preflight.coverage.component_cache import Recognised
from preflight.coverage.daemonset_pods import listed_pods
from preflight.coverage.evaluate import unchanged
from preflight.coverage.label_cascade import predict
from preflight.engine.cluster_session import opened
from preflight.engine.options import Options
from preflight.engine.run import Run
from preflight.errors import InputError, UsageError
from preflight.kubectl.formatting import counted
from preflight.load.files import STDIN
from preflight.model.report import Coverage, Judged, Outcome, Report, Step
from preflight.model.world import World
from preflight.rules.api import Context, subject_of

_UNASKED = ("PodDisruptionBudgets", "what listed pods need")


class Verified(Run):
    """One run over two states of a cluster."""

    @classmethod
    def of_verify(cls, saved: str, sources: Sequence[str], options: Options, stdin: BinaryIO | None = None) -> Verified:
        """What became of a cluster since `saved`, a snapshot or any other list with pods; the sources are the cluster now."""
        if [saved, *sources].count(STDIN) > 1:
            raise UsageError("standard input (-) can be read once only")
        from preflight.load.live.requirements import COMPARED

        with opened(options.target, needs=COMPARED) as cluster:
            run = cls(sources, (), options, stdin, one_cluster=True, cluster=cluster, evicts=True)
        run.report = run._verify(run._read_saved(saved, stdin), saved)
        return run

    def _read_saved(self, saved: str, stdin: BinaryIO | None) -> load.Loaded:
        """The state before, of the same cluster; its problems are those of the run."""
        gate = self._options.comparison_operators
        before = self._held(load.read([saved], stdin=stdin, one_cluster=True, comparison_operators=gate, wants_whole_pods=True))
        self._applied = [before]
        self._problems += before.problems
        _same_cluster(before.world, self._loaded.world, saved)
        return before

    def _verify(self, before: load.Loaded, saved: str) -> Report:
        now = self._loaded.world
        found = since(before.world, now)
        if not (before.world.daemonsets or now.daemonsets):
            self._nothing("no DaemonSet was given on either side: there is nothing to compare")
        elif not (before.world.pods or now.pods):
            self._nothing("no pod was given on either side: whether one is gone shows only where pods are listed")
        coverage = tuple(_coverage(found))
        nodes = tuple(node.name for node in found.nodes if node.now is not None)
        command = f"verify {saved}"
        unknown = _unknown(found)
        notes = (*_notes(found), *(f"not known: {each}" for each in unknown))
        step = Step(command, _headline(found, saved), notes, nodes, columns=("NOW", "READY"), compares=True, coverage=coverage)
        recognised = Recognised(now)
        self._ranks |= {subject_of(each.daemonset): recognised.rank(each.daemonset) for each in found.daemonsets}
        hits = list(self._hits(Context(before.world, None, lint=False, workloads=(), nodes=(), taints=(), since=found), 1))
        judged = Judged(
            files=self._loaded.files + before.files,
            objects=self._loaded.objects,
            daemonsets=len(found.daemonsets),
            nodes=len(nodes),
            pairs=sum(len(each.nodes) for each in coverage),
        )
        is_unknown = bool(unknown) or any(each.outcome is Outcome.UNKNOWN for each in coverage)
        report = self._report(command, (step,), judged, hits, unknown=is_unknown)
        return replace(report, skipped=tuple(each for each in report.skipped if each.what not in _UNASKED))


def _same_cluster(before: World, now: World, saved: str) -> None:
    """InputError where the two are known to be of two clusters: their kube-system namespaces are not the same."""
    uids = [{each.metadata.uid for each in world.namespaces if each.metadata.name == "kube-system"} - {""} for world in (before, now)]
    if uids[0] and uids[1] and not uids[0] & uids[1]:
        of = [f"{each.context} ({each.server})" if each and each.server else "another" for each in (before.survey, now.survey)]
        raise InputError(f"{saved} is of the cluster {of[0]}, not of {of[1]}: choose its context with --context")


def _unknown(found: Since) -> tuple[str, ...]:
    """What cannot be compared: of nodes, and of DaemonSets whose pods nobody listed."""
    silent = [each for each in found.daemonsets if each.unknown and not (each.was or each.there)]
    reasons = {each.unknown: sum(other.unknown == each.unknown for other in silent) for each in silent}
    return (*found.unknown, *(f"{counted(number, 'DaemonSet')}: {why}" for why, number in reasons.items()))


def _coverage(found: Since) -> Iterator[Coverage]:
    """A row for each DaemonSet and each thing that became of its pods; none for one that had no pod and has none."""
    lasting = _lasting(found)
    down = {node.name for node in found.nodes if node.now is not None and node.now.ready is False}
    for each in found.daemonsets:
        for outcome, reasons, nodes in _parts(each, down):
            shown = tuple(sorted(nodes))
            if shown:
                yield Coverage(
                    daemonset=str(each.daemonset.key),
                    nodes=shown,
                    outcome=outcome,
                    assumed=False,
                    before=len(nodes & each.was),
                    now=len(nodes & each.there),
                    recreated=len(nodes & lasting.get(each.key, frozenset())),
                    reasons=reasons,
                    place=each.daemonset.key.place,
                    ready=len(nodes & each.ready),
                )


def _parts(each: PodsSince, down: set[str]) -> Iterator[tuple[Outcome, tuple[str, ...], frozenset[str]]]:
    """The outcomes of one DaemonSet, with their reasons and nodes."""
    if each.unknown:
        yield Outcome.UNKNOWN, (each.unknown,), each.was | each.there
        return
    by_reason: dict[tuple[str, ...], set[str]] = {}
    for name, reasons in each.lost.items():
        by_reason.setdefault(reasons if each.now is not None else ("the DaemonSet is gone",), set()).add(name)
    for reasons, names in by_reason.items():
        yield Outcome.LOST_NOW, reasons, frozenset(names)
    yield Outcome.NODE_GONE, ("the node is gone",), each.left
    unready = frozenset(each.unready)
    yield Outcome.NOT_READY, ("the node is not Ready",), unready & down
    yield Outcome.NOT_READY, ("its pod is not Ready",), unready - down
    yield Outcome.GAINED, (), each.gained
    yield Outcome.KEPT, (), (each.was & each.there) - unready


def _lasting(found: Since) -> Mapping[tuple[str, str], frozenset[str]]:
    """The nodes where a DaemonSet would still have a pod after every one was re-created."""
    if not found.now.nodes or not found.now.daemonsets:
        return {}
    nodes: dict[tuple[str, str], frozenset[str]] = {}
    for group in predict(unchanged(found.now), listed_pods(found.now)).groups:
        if group.verdict.recreated:
            key = (group.key.namespace, group.key.name)
            nodes[key] = nodes.get(key, frozenset()) | group.nodes
    return nodes


def _headline(found: Since, saved: str) -> str:
    known = [each for each in found.daemonsets if not each.unknown]
    was, there = (sum(len(nodes) for nodes in side) for side in ([each.was for each in known], [each.there for each in known]))
    return f"since {saved}: {was} pods of DaemonSets before, {there} now"


def _notes(found: Since) -> Iterator[str]:
    """What is fine and worth a line: pods that were re-created, nodes that registered anew."""
    again = sum(len(each.again) for each in found.daemonsets)
    both = sum(len(each.was & each.there) for each in found.daemonsets if not each.unknown)
    if both:
        yield f"re-created since then: {again or 'none'} of the {counted(both, 'pod')} of DaemonSets that are still there"
    anew = [node.name for node in found.nodes if node.again]
    if anew:
        yield f"{counted(len(anew), 'node')} registered anew under the old name"
