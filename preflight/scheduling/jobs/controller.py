"""The Job controller, sync by sync: what it counts, when it gives up, and which pods it creates."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from preflight.model.objects import JobSpec, JobStatus
from preflight.scheduling.jobs import indexes
from preflight.scheduling.jobs.defaults import FAILED, INDEXED
from preflight.scheduling.jobs.indexes import Indexes
from preflight.scheduling.jobs.pod_failure_policy import FAIL_INDEX, FAIL_JOB, Failure, Verdict, judge
from preflight.scheduling.jobs.tracked_pod import Tracked, back_off_left

MOST_KEPT = 100_000
"""How many indexes that lack a pod are told apart: no Indexed Job may have more pods at once."""

BATCH = 1.0
"""Seconds after an event of a pod before the controller looks: all that happened until then is one."""


class Controller:
    """The Job controller and one Job; `spec` has its defaults.

    1. `reason` is why the Job fails, "" while it does not, and `fails_at` since when; `succeeds` whether its success policy is met. No pod
       is created from then on.
    2. `completed` and `broken` are the indexes that succeeded and failed. `failed` and `succeeded` are pods, as in the status.
    3. `wake` is when it looks again, infinity where nothing is to be waited for.
    4. Pods that are missing from the start stay away, and their indexes with them: what keeps them is not known.

    Source: `pkg/controller/job/job_controller.go`, syncJob and manageJob.
    """

    def __init__(self, spec: JobSpec, status: JobStatus, pods: Iterable[Tracked], *, is_deleted: bool = False) -> None:
        self.spec, self.is_deleted = spec, is_deleted
        self.pods = list(pods)
        self.is_indexed = spec.completionMode == INDEXED
        self.only_failed = spec.podReplacementPolicy == FAILED
        completions = spec.completions or 0
        self.completed = indexes.parsed(status.completedIndexes, completions)
        self.broken = indexes.parsed(status.failedIndexes, completions)
        self.failed, self.succeeded = status.failed, status.succeeded
        self.succeeds = False
        self.reason = ""
        self.verdict = Verdict()
        self.fails_at: float | None = None
        self.wake = math.inf
        self._streak, self._last_failure = 0, -math.inf
        self._kept = Indexes()
        self._slots = spec.parallelism or 0
        missing = self._missing()
        if missing > 0:
            self._kept = indexes.of(self._pending(min(missing, MOST_KEPT))) if self.is_indexed else Indexes()
            self._slots = self._wanted(0) - missing

    def notice(self, at: float) -> None:
        """An event of a pod: the controller looks within a second; of several wake-ups the earliest counts."""
        self.wake = min(self.wake, at + BATCH)

    def verdict_of(self, pod: Tracked) -> Verdict:
        """What the pod failure policy makes of a pod that failed."""
        return judge(self.spec.podFailurePolicy, Failure(pod.exit_codes, pod.conditions))

    def sync(self, now: float) -> Sequence[Tracked]:
        """Look once: count, decide, create. The answer is the pods that were created."""
        self.wake = math.inf
        before = (self.failed, self.succeeded, self.completed, self.broken, self.reason, self.succeeds)
        self._decide(now)
        created: Sequence[Tracked] = ()
        if self.reason or self.succeeds:
            self._give_up(now)
        else:
            waiting = self._waiting()
            if not self.is_deleted:
                created = self._create(now, waiting)
            self._track(waiting)
        if created or before != (self.failed, self.succeeded, self.completed, self.broken, self.reason, self.succeeds):
            self.notice(now)
        return created

    def _decide(self, now: float) -> None:
        new = [pod for pod in self.pods if not pod.counted and self._is_valid(pod)]
        failures = [pod for pod in new if self.has_failed(pod)]
        successes = [pod for pod in new if pod.phase == "Succeeded"]
        self._back_off(successes, failures)
        failed = self.failed + sum(self.verdict_of(pod).counts for pod in failures)
        if self.is_indexed:
            self.completed |= indexes.of(pod.index for pod in successes if pod.index is not None)
        if not self.reason and not self.succeeds:
            self._fail(now, failed)

    def _fail(self, now: float, failed: int) -> None:
        """Whether the Job fails now, the reasons in the controller's order, or its success policy is met."""
        spec = self.spec
        if spec.podFailurePolicy is not None:
            verdicts = (self.verdict_of(pod) for pod in self.pods if self.has_failed(pod))
            ends = next((verdict for verdict in verdicts if verdict.action == FAIL_JOB), None)
            if ends is not None:
                self.verdict, self.reason = ends, "PodFailurePolicy"
        if not self.reason and spec.backoffLimit is not None and failed > spec.backoffLimit:
            self.reason = "BackoffLimitExceeded"
        if self.is_indexed and spec.backoffLimitPerIndex is not None:
            self.broken |= indexes.of(
                pod.index for pod in self.pods if not pod.counted and self._is_valid(pod) and pod.index is not None and self._breaks(pod)
            )
            if not self.reason and spec.maxFailedIndexes is not None and len(self.broken) > spec.maxFailedIndexes:
                self.reason = "MaxFailedIndexesExceeded"
            elif not self.reason and len(self.broken) and len(self.broken) + len(self.completed) >= (spec.completions or 0):
                self.reason = "FailedIndexes"
        if self.reason:
            self.fails_at = now
        else:
            self.succeeds = self._meets_success_policy()

    def _breaks(self, pod: Tracked) -> bool:
        """Whether a failed pod makes its index a failed one."""
        if not self.has_failed(pod):
            return False
        verdict = self.verdict_of(pod)
        return verdict.action == FAIL_INDEX or (verdict.counts and pod.failures >= (self.spec.backoffLimitPerIndex or 0))

    def _meets_success_policy(self) -> bool:
        completions = self.spec.completions or 0
        for rule in self.spec.successPolicy.rules if self.is_indexed and self.spec.successPolicy and len(self.completed) else ():
            if rule.succeededIndexes is not None:
                wanted = indexes.parsed(rule.succeededIndexes, completions)
                met = wanted.shared(self.completed)
                if len(wanted) and (met == len(wanted) or (rule.succeededCount is not None and met >= rule.succeededCount)):
                    return True
            elif rule.succeededCount is not None and len(self.completed) >= rule.succeededCount:
                return True
        return False

    def _give_up(self, now: float) -> None:
        """All pods that are left are deleted; of a Job that fails each of them counts as failed."""
        for pod in self.pods:
            if pod.counted or not self._is_valid(pod):
                continue
            pod.counted = True
            if pod.phase == "Succeeded":
                self.succeeded += 1
            elif self.has_failed(pod) or self.reason:
                self._count(pod)
            if pod.is_active:
                pod.deleted = now

    def _back_off(self, successes: Sequence[Tracked], failures: Sequence[Tracked]) -> None:
        """Failures since the last success, ignored ones included. Source: `pkg/controller/job/backoff_utils.go`, newBackoffRecord."""
        times = sorted(pod.finished for pod in failures)
        if successes:
            last = max(pod.finished for pod in successes)
            times = [time for time in times if time > last]
            self._streak, self._last_failure = 0, -math.inf
        if times:
            self._streak += len(times)
            self._last_failure = times[-1]

    def _waiting(self) -> dict[int, Tracked]:
        """With a limit per index: the last failed pod of each index that is to be tried again, kept until its replacement is there."""
        if self.spec.backoffLimitPerIndex is None:
            return {}
        active = {pod.index for pod in self.pods if pod.is_active}
        waiting: dict[int, Tracked] = {}
        for pod in self.pods:
            index = pod.index
            if pod.counted or index is None or not self._is_valid(pod) or not self.has_failed(pod):
                continue
            if index in self.completed or index in self.broken or index in active:
                continue
            known = waiting.get(index)
            if known is None or (known.tries <= pod.tries and pod.finished >= known.finished):
                waiting[index] = pod
        return waiting

    def _create(self, now: float, waiting: dict[int, Tracked]) -> Sequence[Tracked]:
        missing = self._missing()
        if missing <= 0 or self.spec.suspend:
            return ()
        if self.spec.backoffLimitPerIndex is None and (left := back_off_left(self._streak, self._last_failure, now)) > 0:
            self.wake = min(self.wake, now + max(left, BATCH))
            return ()
        places: list[int | None] = [None] * missing
        if self.is_indexed:
            places = list(self._pending(missing))
        if self.spec.backoffLimitPerIndex is not None:
            times = {place: back_off_left(pod.tries + 1, pod.finished, now) for place, pod in waiting.items() if place in places}
            ready = [place for place in places if place is None or not times.get(place)]
            if not ready and times:
                self.wake = min(self.wake, now + max(min(times.values()), BATCH))
            places = list(ready)
        created = [self._created(place, waiting.get(place) if place is not None else None, now) for place in places]
        self.pods += created
        return created

    def _created(self, index: int | None, replaced: Tracked | None, now: float) -> Tracked:
        failures, ignored = (replaced.failures, replaced.ignored) if replaced else (0, 0)
        if replaced is not None:
            counts = self.verdict_of(replaced).counts
            failures, ignored = failures + counts, ignored + (not counts)
        return Tracked("", index, failures, ignored, now)

    def _missing(self) -> int:
        """How many pods are to be created, as far as nothing stands against it."""
        active = sum(pod.is_active for pod in self.pods)
        return self._wanted(active) - active - (sum(pod.is_terminating for pod in self.pods) if self.only_failed else 0)

    def _wanted(self, active: int) -> int:
        """How many pods are to be active."""
        if self.spec.completions is None:
            return active if self._successes() else self._slots
        return max(0, min(self._slots, self.spec.completions - self._successes()))

    def _successes(self) -> int:
        if self.is_indexed:
            return len(self.completed)
        return self.succeeded + sum(pod.phase == "Succeeded" and not pod.counted for pod in self.pods)

    def _pending(self, count: int) -> Iterator[int]:
        """The first indexes that nobody works on and that neither succeeded nor failed."""
        taken = (pod.index for pod in self.pods if pod.index is not None and (pod.is_active or (self.only_failed and pod.is_terminating)))
        pending = (self.completed | self.broken | self._kept | indexes.of(taken)).missing(self.spec.completions or 0)
        return (index for index, _ in zip(pending, range(count), strict=False))

    def _track(self, waiting: dict[int, Tracked]) -> None:
        """Count what has ended, but for the pods that wait for their replacement."""
        for pod in self.pods:
            if pod.counted or not self._is_valid(pod):
                continue
            if pod.phase == "Succeeded":
                pod.counted = True
                self.succeeded += 1
            elif self.has_failed(pod) and (pod.index is None or waiting.get(pod.index) is not pod):
                pod.counted = True
                self._count(pod)

    def _count(self, pod: Tracked) -> None:
        pod.is_failure = self.verdict_of(pod).counts
        self.failed += pod.is_failure

    def has_failed(self, pod: Tracked) -> bool:
        """Whether it counts as failed: it did, or it is being deleted and the Job does not wait for its end."""
        if pod.phase == "Failed":
            return True
        return not self.only_failed and pod.deleted is not None and pod.phase != "Succeeded"

    def _is_valid(self, pod: Tracked) -> bool:
        return not self.is_indexed or (pod.index is not None and pod.index < (self.spec.completions or 0))
