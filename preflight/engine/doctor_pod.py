"""`preflight doctor --pod`: a run that tells why one pod does not start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from preflight.coverage.daemonset_pods import collect_listed_pods
from preflight.coverage.evaluate import make_empty_change
from preflight.coverage.label_cascade import predict_impact
from preflight.doctor.diagnose import diagnose
from preflight.doctor.explain_pod import collect_subjects, explain_pod
from preflight.engine.cluster_session import open_cluster
from preflight.engine.doctor import DoctorRun
from preflight.engine.options import RunOptions
from preflight.errors import UsageError
from preflight.messages.doctor.limitations import describe_limitation
from preflight.messages.doctor.pod import CHECK_HEADING, write_pod_explanation
from preflight.model.report import CheckedCounts, ExplanationLink, Report, ReportStep
from preflight.model.runtime_state import PodState
from preflight.model.world import ClusterState
from preflight.rules.api import Context


class PodDoctorRun(DoctorRun):
    """One run over a cluster as it is, about one pod."""

    @classmethod
    def run_doctor_pod(cls, sources: Sequence[str], options: RunOptions, pod: str, stdin: BinaryIO | None = None) -> PodDoctorRun:
        """Why a pod, `NAMESPACE/NAME` or one of the context's namespace, does not start: its chain, and the findings on what is in it.

        Errors: UsageError where no such pod is known.
        """
        from preflight.load.live.planner import FOR_DOCTOR

        with open_cluster(options.target, needs=FOR_DOCTOR) as cluster:
            run = cls(sources, (), options, stdin, one_cluster=True, cluster=cluster, wants_state=True)
        run.report = run._explain_pod(pod)
        return run

    def _explain_pod(self, name: str) -> Report:
        world = self._loaded.world
        pods = collect_listed_pods(world)
        impact = predict_impact(make_empty_change(world), pods) if world.nodes and world.daemonsets else None
        pod = self._find_pod(world, name)
        diagnosis = diagnose(world, impact, pods)
        links = write_pod_explanation(diagnosis, explain_pod(diagnosis, pod))
        self._why_links += (ExplanationLink(1, heading, text) for heading, text in links)
        about = collect_subjects(diagnosis, pod)
        context = Context(world, None, is_lint=False, workloads=(), nodes=(), taints=(), diagnosis=diagnosis)
        hits = [rule for rule in self._run_rules(context, 1) if rule[1].subject in about]
        nodes = (pod.spec.nodeName,) if pod.spec.nodeName in world.nodes else tuple(world.nodes)
        notes = tuple(f"not known: {describe_limitation(limitation)}" for limitation in diagnosis.limitations)
        story = tuple(link.text for link in self._why_links[1:] if link.heading != CHECK_HEADING)
        step = ReportStep(f"doctor --pod {name}", self._why_links[0].text, notes, nodes, story=story)
        self._ranks |= {hit.subject: diagnosis.providers.rank_subject(hit.subject) for _, hit, _ in hits}
        judged = CheckedCounts(
            self._loaded.files, self._loaded.objects, len(world.daemonsets), len(world.nodes), impact.pair_count if impact else 0
        )
        return self._remove_unrequested(self._build_report(step.command, (step,), judged, hits, unknown=False))

    @staticmethod
    def _find_pod(cluster: ClusterState, name: str) -> PodState:
        namespace, slash, rest = name.partition("/")
        key = (namespace, rest) if slash else (cluster.default_namespace, name)
        pod = (cluster.pods_by_key or {}).get(key)
        if pod is None:
            known = not key[0] or cluster.are_pods_listed(key[0])
            why = "give NAMESPACE/NAME of one that is there" if known else f"the pods of namespace {key[0]} were not given"
            raise UsageError(f"no pod {'/'.join(key)}: {why}")
        assert isinstance(pod, PodState)
        return pod
