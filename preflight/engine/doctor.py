"""`preflight doctor`: a run that changes nothing, and says what is broken today."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from msgspec.structs import replace

from preflight import load
from preflight.comparison.pods import since as compared
from preflight.coverage.daemonset_pods import listed_pods
from preflight.coverage.evaluate import unchanged
from preflight.coverage.label_cascade import predict
from preflight.coverage.report_rows import coverage
from preflight.doctor.context import Diagnosis
from preflight.doctor.summary import headline, story
from preflight.engine.cluster_session import opened
from preflight.engine.options import Options
from preflight.engine.verify import Verified
from preflight.errors import UsageError
from preflight.load.files import STDIN
from preflight.model.report import Coverage, Judged, Outcome, Report, Step
from preflight.rules.api import Context, Hit, Rule, subject_of

_UNASKED = ("PodDisruptionBudgets", "what listed pods need")


class Diagnosed(Verified):
    """One run over a cluster as it is, and as it was where that is asked."""

    @classmethod
    def of_doctor(
        cls, sources: Sequence[str], options: Options, node: str = "", since: str = "", stdin: BinaryIO | None = None
    ) -> Diagnosed:
        """What is broken today, of one node where it is named; the sources are the cluster, or the target is asked.

        `since` is a snapshot of before: what was there then and is not now is said too.
        """
        if [since, *sources].count(STDIN) > 1:
            raise UsageError("standard input (-) can be read once only")
        from preflight.load.live.requirements import TODAY

        with opened(options.target, needs=TODAY) as cluster:
            run = cls(sources, (), options, stdin, one_cluster=True, cluster=cluster, wants_state=True)
        run.report = run._diagnose(node, since, run._read_saved(since, stdin) if since else None)
        return run

    def _diagnose(self, node: str, saved: str, before: load.Loaded | None) -> Report:
        world = self._loaded.world
        pods = listed_pods(world)
        impact = predict(unchanged(world), pods) if world.nodes and world.daemonsets else None
        facts = Diagnosis(world, impact, pods)
        if node and node not in world.nodes and (before is None or node not in before.world.nodes):
            raise UsageError(f"no node {node}: give the name of one that is there")
        if not world.nodes:
            self._nothing("no node was given: there is nothing to diagnose")
        elif not world.pods:
            self._nothing("no pod was given: what is broken shows only where pods are listed")
        notes = tuple(f"not known: {each}" for each in facts.unknown)
        hits = list(self._hits(Context(world, None, lint=False, workloads=(), nodes=(), taints=(), today=facts), 1))
        if before is not None and not before.problems:
            more, text = self._since(before, node, saved)
            hits, notes = [*more, *hits], (text, *notes)
        hits = [each for each in hits if not node or _is_about(each[1], node)]
        shown = tuple(each for each in coverage(impact) if not node or node in each.nodes) if impact is not None else ()
        step = Step(
            " ".join(["doctor", *(["--node", node] if node else []), *(["--since", saved] if saved else [])]),
            headline(facts, node) if world.pods else "not known: no pod was given",
            notes,
            (node,) if node else tuple(world.nodes),
            coverage=tuple(_only(each, node) for each in shown if each.outcome is not Outcome.EXCLUDED),
            story=story(facts, node) if world.pods else None,
        )
        self._ranks |= {hit.subject: facts.rank(hit.subject) for _, hit, _ in hits}
        judged = Judged(self._loaded.files, self._loaded.objects, len(world.daemonsets), len(world.nodes), impact.pairs if impact else 0)
        report = self._report(step.command, (step,), judged, hits, unknown=False)
        return self._without_unasked(report)

    @staticmethod
    def _without_unasked(report: Report) -> Report:
        """The report without what a diagnosis does not ask for, so that nobody misses it."""
        return replace(report, skipped=tuple(each for each in report.skipped if each.what not in _UNASKED))

    def _since(self, before: load.Loaded, node: str, saved: str) -> tuple[list[tuple[Rule, Hit, int]], str]:
        """What the comparison with a snapshot says, and a line on how many DaemonSets have what they had."""
        found = compared(before.world, self._loaded.world)
        hits = list(self._hits(Context(before.world, None, lint=False, workloads=(), nodes=(), taints=(), since=found), 1))
        known = [each for each in found.daemonsets if not each.unknown]
        was = [each for each in known if (node in each.was if node else each.was)]
        back = [each for each in was if (node in each.there if node else each.was <= each.there)]
        missing = sorted(str(subject_of(each.daemonset)) for each in was if each not in back)
        unsure = [each for each in found.daemonsets if each.unknown and (not node or node in each.was)]
        text = f"since {saved}: {len(back)} of the {len(was)} DaemonSets that had a pod {f'on {node} ' if node else ''}have one"
        return hits, "".join(_listed(text, missing, len(unsure)))


def _listed(text: str, missing: Sequence[str], unsure: int) -> Iterator[str]:
    yield text
    if missing:
        yield f", not {', '.join(missing[:4])}{f' and {len(missing) - 4} more' if missing[4:] else ''}"
    if unsure:
        yield f"; of {unsure} it is not known"


def _is_about(hit: Hit, node: str) -> bool:
    return node in hit.nodes or (hit.subject.kind == "Node" and hit.subject.name == node)


def _only(row: Coverage, node: str) -> Coverage:
    """The row of one node, where one is meant."""
    if not node or row.nodes == (node,):
        return row
    counts = [min(1, each) if each == len(row.nodes) else 0 for each in (row.before, row.now, row.recreated)]
    return replace(row, nodes=(node,), before=counts[0], now=counts[1], recreated=counts[2])
