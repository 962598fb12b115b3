"""`preflight doctor`: a run that changes nothing, and says what is broken today."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from msgspec.structs import replace

from preflight.diagnosis import Diagnosis
from preflight.diagnosis.story import headline, story
from preflight.engine.asking import opened
from preflight.engine.options import Options
from preflight.engine.run import Run
from preflight.errors import UsageError
from preflight.impact import listed_pods, predict, unchanged
from preflight.impact.describe import coverage
from preflight.model.report import Judged, Outcome, Report, Step
from preflight.rules._framework import Context, Hit

_UNASKED = ("PodDisruptionBudgets", "what listed pods need")


class Diagnosed(Run):
    """One run over a cluster as it is."""

    @classmethod
    def of_doctor(cls, sources: Sequence[str], options: Options, node: str = "", stdin: BinaryIO | None = None) -> Diagnosed:
        """What is broken today, of one node where it is named; the sources are the cluster, or the target is asked."""
        from preflight.load.live.asking import TODAY

        with opened(options.target, needs=TODAY) as cluster:
            run = cls(sources, (), options, stdin, one_cluster=True, cluster=cluster, wants_state=True)
            run.report = run._diagnose(node)
        return run

    def _diagnose(self, node: str) -> Report:
        world = self._loaded.world
        pods = listed_pods(world)
        impact = predict(unchanged(world), pods) if world.nodes and world.daemonsets else None
        facts = Diagnosis(world, impact, pods)
        if node and node not in world.nodes:
            raise UsageError(f"no node {node}: give the name of one that is there")
        if not world.nodes:
            self._nothing("no node was given: there is nothing to diagnose")
        elif not world.pods:
            self._nothing("no pod was given: what is broken shows only where pods are listed")
        hits = [each for each in self._hits(self._context(facts), 1) if not node or _is_about(each[1], node)]
        shown = tuple(each for each in coverage(impact) if not node or node in each.nodes) if impact is not None else ()
        step = Step(
            f"doctor --node {node}" if node else "doctor",
            headline(facts, node) if world.pods else "not known: no pod was given",
            tuple(f"not known: {each}" for each in facts.unknown),
            (node,) if node else tuple(world.nodes),
            coverage=tuple(each for each in shown if each.outcome is not Outcome.EXCLUDED),
            story=story(facts, node) if world.pods else None,
        )
        self._ranks |= {hit.subject: facts.rank(hit.subject) for _, hit, _ in hits}
        judged = Judged(self._loaded.files, self._loaded.objects, len(world.daemonsets), len(world.nodes), impact.pairs if impact else 0)
        report = self._report(step.command, (step,), judged, hits, unknown=False)
        return replace(report, skipped=tuple(each for each in report.skipped if each.what not in _UNASKED))

    @staticmethod
    def _context(facts: Diagnosis) -> Context:
        return Context(facts.world, None, lint=False, workloads=(), nodes=(), taints=(), today=facts)


def _is_about(hit: Hit, node: str) -> bool:
    return node in hit.nodes or (hit.subject.kind == "Node" and hit.subject.name == node)
