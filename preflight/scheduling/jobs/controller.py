"""The Job controller, sync by sync: what it counts, when it gives up, and which pods it creates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from preflight.model.batch import JobSpec, JobStatus
from preflight.model.job_reasons import JobFailure
from preflight.scheduling.jobs import indexes
from preflight.scheduling.jobs.defaults import FAILED, INDEXED
from preflight.scheduling.jobs.indexes import IndexSet
from preflight.scheduling.jobs.pod_failure_policy import FAIL_INDEX, FAIL_JOB, FailureVerdict, PodFailure, match_failure_policy
from preflight.scheduling.jobs.tracked_pod import MAX_BACK_OFF, TrackedPod, compute_back_off

MAX_MISSING_INDEXES = 100_000
"""How many indexes that lack a pod are told apart: no Indexed Job may have more pods at once."""

SYNC_DELAY = 1.0
"""Seconds after an event of a pod before the controller looks: all that happened until then is one."""


class JobBehavior(NamedTuple):
    """What the Job controller of a version does: see `versions.Behavior`."""

    awaits_pod_end: bool = True
    max_back_off: float = MAX_BACK_OFF


NEWEST_JOB_BEHAVIOR = JobBehavior()


class JobController:
    """The Job controller and one Job; `spec` has its defaults, `behavior` is that of the version.

    1. `failure_reason` is why the Job fails, NONE if it does not, and `fails_at` since when; `succeeds` whether its success policy is met.
       No pod is created from then on.
    2. `completed_indexes` and `failed_indexes` are the indexes that succeeded and failed. `failed_count` and `succeeded_count` are pods, as
       in the status.
    3. `next_sync` is when it looks again, infinity where nothing is to be waited for.
    4. Pods that are missing from the start stay away, and their indexes with them: what keeps them is not known.

    Source: `pkg/controller/job/job_controller.go`, syncJob and manageJob.
    """

    def __init__(
        self,
        spec: JobSpec,
        status: JobStatus,
        pods: Iterable[TrackedPod],
        *,
        is_deleted: bool = False,
        behavior: JobBehavior = NEWEST_JOB_BEHAVIOR,
    ) -> None:
        self.spec, self.is_deleted = spec, is_deleted
        self._max_back_off = behavior.max_back_off
        self.pods = list(pods)
        self.is_indexed = spec.completionMode == INDEXED
        self.counts_only_ended = spec.podReplacementPolicy == FAILED
        self.replaces_only_failed = self.counts_only_ended and behavior.awaits_pod_end
        completions = spec.completions or 0
        self.completed_indexes = indexes.parse_index_set(status.completedIndexes, completions)
        self.failed_indexes = indexes.parse_index_set(status.failedIndexes, completions)
        self.failed_count, self.succeeded_count = status.failed, status.succeeded
        self.succeeds = False
        self.failure_reason = JobFailure.NONE
        self.verdict = FailureVerdict()
        self.fails_at: float | None = None
        self.next_sync = math.inf
        self._failure_streak, self._last_failure = 0, -math.inf
        self._missing_from_start = IndexSet()
        self._active_slots = spec.parallelism or 0
        missing = self._count_missing()
        if missing > 0:
            self._missing_from_start = (
                indexes.make_index_set(self._iter_pending_indexes(min(missing, MAX_MISSING_INDEXES))) if self.is_indexed else IndexSet()
            )
            self._active_slots = self._count_wanted(0) - missing

    def schedule_sync(self, time: float) -> None:
        """An event of a pod: the controller looks within a second; of several wake-ups the earliest counts."""
        self.next_sync = min(self.next_sync, time + SYNC_DELAY)

    def evaluate_failure(self, pod: TrackedPod) -> FailureVerdict:
        """What the pod failure policy makes of a pod that failed."""
        return match_failure_policy(self.spec.podFailurePolicy, PodFailure(pod.exit_codes, pod.conditions))

    def sync(self, now: float) -> Sequence[TrackedPod]:
        """Look once: count, decide, create. The answer is the pods that were created."""
        self.next_sync = math.inf
        before = (self.failed_count, self.succeeded_count, self.completed_indexes, self.failed_indexes, self.failure_reason, self.succeeds)
        self._decide(now)
        created: Sequence[TrackedPod] = ()
        if self.failure_reason or self.succeeds:
            self._give_up(now)
        else:
            waiting = self._find_waiting_pods()
            if not self.is_deleted:
                created = self._create_pods(now, waiting)
            self._count_ended(waiting)
        if created or before != (
            self.failed_count,
            self.succeeded_count,
            self.completed_indexes,
            self.failed_indexes,
            self.failure_reason,
            self.succeeds,
        ):
            self.schedule_sync(now)
        return created

    def _decide(self, now: float) -> None:
        new = [pod for pod in self.pods if not pod.counted and self._is_valid(pod)]
        failures = [pod for pod in new if self.has_failed(pod)]
        successes = [pod for pod in new if pod.phase == "Succeeded"]
        self._record_failures(successes, failures)
        failed = self.failed_count + sum(self.evaluate_failure(pod).is_counted for pod in failures)
        if self.is_indexed:
            self.completed_indexes |= indexes.make_index_set(pod.index for pod in successes if pod.index is not None)
        if not self.failure_reason and not self.succeeds:
            self._check_failure(now, failed)

    def _check_failure(self, now: float, failed: int) -> None:
        """Whether the Job fails now, the reasons in the controller's order, or its success policy is met."""
        spec = self.spec
        if spec.podFailurePolicy is not None:
            verdicts = (self.evaluate_failure(pod) for pod in self.pods if self.has_failed(pod))
            ends = next((verdict for verdict in verdicts if verdict.action == FAIL_JOB), None)
            if ends is not None:
                self.verdict, self.failure_reason = ends, JobFailure.POD_FAILURE_POLICY
        if not self.failure_reason and spec.backoffLimit is not None and failed > spec.backoffLimit:
            self.failure_reason = JobFailure.BACKOFF_LIMIT_EXCEEDED
        if self.is_indexed and spec.backoffLimitPerIndex is not None:
            self.failed_indexes |= indexes.make_index_set(
                pod.index
                for pod in self.pods
                if not pod.counted and self._is_valid(pod) and pod.index is not None and self._fails_index(pod)
            )
            if not self.failure_reason and spec.maxFailedIndexes is not None and len(self.failed_indexes) > spec.maxFailedIndexes:
                self.failure_reason = JobFailure.MAX_FAILED_INDEXES_EXCEEDED
            elif (
                not self.failure_reason
                and len(self.failed_indexes)
                and len(self.failed_indexes) + len(self.completed_indexes) >= (spec.completions or 0)
            ):
                self.failure_reason = JobFailure.FAILED_INDEXES
        if self.failure_reason:
            self.fails_at = now
        else:
            self.succeeds = self._meets_success_policy()

    def _fails_index(self, pod: TrackedPod) -> bool:
        """Whether a failed pod makes its index a failed one."""
        if not self.has_failed(pod):
            return False
        verdict = self.evaluate_failure(pod)
        return verdict.action == FAIL_INDEX or (verdict.is_counted and pod.failures >= (self.spec.backoffLimitPerIndex or 0))

    def _meets_success_policy(self) -> bool:
        completions = self.spec.completions or 0
        for rule in self.spec.successPolicy.rules if self.is_indexed and self.spec.successPolicy and len(self.completed_indexes) else ():
            if rule.succeededIndexes is not None:
                wanted = indexes.parse_index_set(rule.succeededIndexes, completions)
                met = wanted.count_shared(self.completed_indexes)
                if len(wanted) and (met == len(wanted) or (rule.succeededCount is not None and met >= rule.succeededCount)):
                    return True
            elif rule.succeededCount is not None and len(self.completed_indexes) >= rule.succeededCount:
                return True
        return False

    def _give_up(self, now: float) -> None:
        """All pods that are left are deleted; of a Job that fails each of them counts as failed."""
        for pod in self.pods:
            if pod.counted or not self._is_valid(pod):
                continue
            pod.counted = True
            if pod.phase == "Succeeded":
                self.succeeded_count += 1
            elif self.has_failed(pod) or self.failure_reason:
                self._count_failure(pod)
            if pod.is_active:
                pod.deleted = now

    def _record_failures(self, successes: Sequence[TrackedPod], failures: Sequence[TrackedPod]) -> None:
        """Failures since the last success, ignored ones included. Source: `pkg/controller/job/backoff_utils.go`, newBackoffRecord."""
        times = sorted(pod.finish_time for pod in failures)
        if successes:
            last = max(pod.finish_time for pod in successes)
            times = [time for time in times if time > last]
            self._failure_streak, self._last_failure = 0, -math.inf
        if times:
            self._failure_streak += len(times)
            self._last_failure = times[-1]

    def _find_waiting_pods(self) -> dict[int, TrackedPod]:
        """With a limit per index: the last failed pod of each index that is to be tried again, kept until its replacement is there."""
        if self.spec.backoffLimitPerIndex is None:
            return {}
        active = {pod.index for pod in self.pods if pod.is_active}
        waiting: dict[int, TrackedPod] = {}
        for pod in self.pods:
            index = pod.index
            if pod.counted or index is None or not self._is_valid(pod) or not self.has_failed(pod):
                continue
            if index in self.completed_indexes or index in self.failed_indexes or index in active:
                continue
            known = waiting.get(index)
            if known is None or (known.earlier_failures <= pod.earlier_failures and pod.finish_time >= known.finish_time):
                waiting[index] = pod
        return waiting

    def _create_pods(self, now: float, waiting: dict[int, TrackedPod]) -> Sequence[TrackedPod]:
        missing = self._count_missing()
        if missing <= 0 or self.spec.suspend:
            return ()
        if self.spec.backoffLimitPerIndex is None and (left := self._compute_back_off(self._failure_streak, self._last_failure, now)) > 0:
            self.next_sync = min(self.next_sync, now + max(left, SYNC_DELAY))
            return ()
        places: list[int | None] = [None] * missing
        if self.is_indexed:
            places = list(self._iter_pending_indexes(missing))
        if self.spec.backoffLimitPerIndex is not None:
            times = {
                place: self._compute_back_off(pod.earlier_failures + 1, pod.finish_time, now)
                for place, pod in waiting.items()
                if place in places
            }
            ready = [place for place in places if place is None or not times.get(place)]
            if not ready and times:
                self.next_sync = min(self.next_sync, now + max(min(times.values()), SYNC_DELAY))
            places = list(ready)
        created = [self._make_replacement(place, waiting.get(place) if place is not None else None, now) for place in places]
        self.pods += created
        return created

    def _compute_back_off(self, failures: int, last_failure: float, now: float) -> float:
        return compute_back_off(failures, last_failure, now, self._max_back_off)

    def _make_replacement(self, index: int | None, replaced: TrackedPod | None, now: float) -> TrackedPod:
        failures, ignored = (replaced.failures, replaced.ignored) if replaced else (0, 0)
        if replaced is not None:
            counts = self.evaluate_failure(replaced).is_counted
            failures, ignored = failures + counts, ignored + (not counts)
        return TrackedPod("", index, failures, ignored, now)

    def _count_missing(self) -> int:
        """How many pods are to be created, as far as nothing stands against it."""
        active = sum(pod.is_active for pod in self.pods)
        return self._count_wanted(active) - active - (sum(pod.is_terminating for pod in self.pods) if self.replaces_only_failed else 0)

    def _count_wanted(self, active: int) -> int:
        """How many pods are to be active."""
        if self.spec.completions is None:
            return active if self._count_successes() else self._active_slots
        return max(0, min(self._active_slots, self.spec.completions - self._count_successes()))

    def _count_successes(self) -> int:
        if self.is_indexed:
            return len(self.completed_indexes)
        return self.succeeded_count + sum(pod.phase == "Succeeded" and not pod.counted for pod in self.pods)

    def _iter_pending_indexes(self, count: int) -> Iterator[int]:
        """The first indexes that nobody works on and that neither succeeded nor failed."""
        taken = (
            pod.index
            for pod in self.pods
            if pod.index is not None and (pod.is_active or (self.replaces_only_failed and pod.is_terminating))
        )
        pending = (self.completed_indexes | self.failed_indexes | self._missing_from_start | indexes.make_index_set(taken)).iter_missing(
            self.spec.completions or 0
        )
        return (index for index, _ in zip(pending, range(count), strict=False))

    def _count_ended(self, waiting: dict[int, TrackedPod]) -> None:
        """Count what has ended, but for the pods that wait for their replacement."""
        for pod in self.pods:
            if pod.counted or not self._is_valid(pod):
                continue
            if pod.phase == "Succeeded":
                pod.counted = True
                self.succeeded_count += 1
            elif self.has_failed(pod) and (pod.index is None or waiting.get(pod.index) is not pod):
                pod.counted = True
                self._count_failure(pod)

    def _count_failure(self, pod: TrackedPod) -> None:
        pod.is_failure = self.evaluate_failure(pod).is_counted
        self.failed_count += pod.is_failure

    def has_failed(self, pod: TrackedPod) -> bool:
        """Whether it counts as failed: it did, or it is being deleted and the Job does not wait for its end."""
        if pod.phase == "Failed":
            return True
        return not self.counts_only_ended and pod.deleted is not None and pod.phase != "Succeeded"

    def _is_valid(self, pod: TrackedPod) -> bool:
        return not self.is_indexed or (pod.index is not None and pod.index < (self.spec.completions or 0))
