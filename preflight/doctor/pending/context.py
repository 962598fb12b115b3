"""The facts on pods that wait for a node: what the rules on them ask for, each worked out once and only when somebody asks."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from preflight.doctor import jobsets
from preflight.doctor.jobsets import StalledJob
from preflight.doctor.pending import causes, creation_failures, schedulers, text
from preflight.doctor.pending.causes import PodWait
from preflight.doctor.pending.creation_failures import RefusedCreation
from preflight.doctor.pending.unschedulable import SchedulerAccount

if TYPE_CHECKING:
    from preflight.doctor.context import ClusterFacts
    from preflight.doctor.coverage_gaps import CoverageGap

PendingPodKey = tuple[str, str]


class PendingPods:
    """The pods without a node of one cluster."""

    def __init__(self, facts: ClusterFacts) -> None:
        """Of what is known of the cluster; nothing is worked out yet."""
        self._facts = facts
        self.pod_fits: dict[tuple[str, tuple[tuple[str, str], ...], bytes], SchedulerAccount] = {}

    @cached_property
    def pod_waits(self) -> tuple[PodWait, ...]:
        """What each of them waits for."""
        return causes.find_waits(self._facts)

    @cached_property
    def stalled_jobs(self) -> tuple[StalledJob, ...]:
        """The Jobs of JobSets whose followers cannot come."""
        return jobsets.find_stalled_jobs(self._facts)

    @cached_property
    def job_set_pods(self) -> frozenset[PendingPodKey]:
        """Those of which the rules on JobSets speak."""
        leaders = [stalled_job.leader.key for stalled_job in self.stalled_jobs if stalled_job.leader is not None]
        return frozenset((*leaders, *(pod.key for job in self.stalled_jobs for pod in job.pods)))

    @cached_property
    def refused_creations(self) -> tuple[RefusedCreation, ...]:
        """The workloads whose pods cannot be created."""
        return creation_failures.find_refused_creations(self._facts)

    @cached_property
    def silent_schedulers(self) -> frozenset[str]:
        """The schedulers that they name and of which nothing is heard."""
        return schedulers.find_silent_schedulers(self._facts)

    @cached_property
    def explained_pods(self) -> frozenset[PendingPodKey]:
        """Those that wait for something else than room, which is said of them elsewhere."""
        return frozenset(wait.pod.key for wait in self.pod_waits if wait.is_not_capacity)

    def describe_hold(self, gap: CoverageGap) -> str:
        """What the Pending pods of a gap wait for, where it is something else than room; else ""."""
        found = {wait.pod.key: wait for wait in self.pod_waits if wait.is_not_capacity} if gap.pending_pods else {}
        wait = next((found[pending_pod.pod.key] for pending_pod in gap.pending_pods if pending_pod.pod.key in found), None)
        return text.explain_wait(wait) if wait is not None else ""

    @cached_property
    def sentences(self) -> tuple[tuple[tuple[str, ...], str], ...]:
        """A sentence on each that is of no DaemonSet, alike ones together, with the nodes that it is about."""
        return tuple(text.describe_pending_pods(self._facts))
