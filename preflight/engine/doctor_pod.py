"""`preflight doctor --pod`: a run that tells why one pod does not start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from preflight.coverage.daemonset_pods import listed_pods
from preflight.coverage.evaluate import unchanged
from preflight.coverage.label_cascade import predict
from preflight.doctor.context import Diagnosis
from preflight.doctor.explain_pod import SHOWS, subjects, why_pod
from preflight.engine.cluster_session import opened
from preflight.engine.doctor import Diagnosed
from preflight.engine.options import Options
from preflight.errors import UsageError
from preflight.model.report import Judged, Link, Report, Step
from preflight.model.runtime_state import StatedPod
from preflight.rules.api import Context


class PodDiagnosed(Diagnosed):
    """One run over a cluster as it is, about one pod."""

    @classmethod
    def of_pod(cls, sources: Sequence[str], options: Options, pod: str, stdin: BinaryIO | None = None) -> PodDiagnosed:
        """Why a pod, `NAMESPACE/NAME` or one of the context's namespace, does not start: its chain, and the findings on what is in it.

        Errors: UsageError where no such pod is known.
        """
        from preflight.load.live.requirements import TODAY

        with opened(options.target, needs=TODAY) as cluster:
            run = cls(sources, (), options, stdin, one_cluster=True, cluster=cluster, wants_state=True)
        run.report = run._why_pod(pod)
        return run

    def _why_pod(self, name: str) -> Report:
        world = self._loaded.world
        pods = listed_pods(world)
        impact = predict(unchanged(world), pods) if world.nodes and world.daemonsets else None
        facts = Diagnosis(world, impact, pods)
        pod = self._find(facts, name)
        self._why += (Link(1, heading, text) for heading, text in why_pod(facts, pod))
        about = subjects(facts, pod)
        context = Context(world, None, lint=False, workloads=(), nodes=(), taints=(), today=facts)
        hits = [each for each in self._hits(context, 1) if each[1].subject in about]
        nodes = (pod.spec.nodeName,) if pod.spec.nodeName in world.nodes else tuple(world.nodes)
        notes = tuple(f"not known: {each}" for each in facts.unknown)
        story = tuple(link.text for link in self._why[1:] if link.heading != SHOWS)
        step = Step(f"doctor --pod {name}", self._why[0].text, notes, nodes, story=story)
        self._ranks |= {hit.subject: facts.rank(hit.subject) for _, hit, _ in hits}
        judged = Judged(self._loaded.files, self._loaded.objects, len(world.daemonsets), len(world.nodes), impact.pairs if impact else 0)
        return self._without_unasked(self._report(step.command, (step,), judged, hits, unknown=False))

    @staticmethod
    def _find(facts: Diagnosis, name: str) -> StatedPod:
        world = facts.world
        namespace, slash, rest = name.partition("/")
        key = (namespace, rest) if slash else (world.namespace, name)
        try:
            return facts.stated((world.running or {})[key])
        except KeyError:
            known = not key[0] or world.pods_known(key[0])
            why = "give NAMESPACE/NAME of one that is there" if known else f"the pods of namespace {key[0]} were not given"
            raise UsageError(f"no pod {'/'.join(key)}: {why}") from None
