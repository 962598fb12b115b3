"""A pod of a Job as the Job controller tracks it, and the back-off before it is replaced."""

from __future__ import annotations

BACK_OFF, MAX_BACK_OFF, OLDER_MAX_BACK_OFF = 10.0, 600.0, 360.0
"""Seconds before a pod that failed once is replaced, doubled with each failure; and the most of them."""


class TrackedPod:
    """A pod of the Job as the controller tracks it; times are seconds, `deleted` and `ended` None until it is so.

    1. `index` is None for a pod of a Job that is not Indexed. `failures` and `ignored` are the earlier failures of its index.
    2. `unready_since` is when it stopped being ready, or was created, None while it is ready.
    3. `ran`: its containers ran, so that they say when they ended. `counted`: what became of it is in the Job's status; `is_failure`: it is
       there as a failure.
    """

    __slots__ = (
        *("conditions", "counted", "created", "deleted", "ended", "exit_codes", "failures", "is_failure"),
        *("ignored", "index", "name", "phase", "ran", "unready_since"),
    )

    def __init__(self, name: str, index: int | None, failures: int, ignored: int, created: float) -> None:
        self.name, self.index, self.failures, self.ignored, self.created = name, index, failures, ignored, created
        self.phase = "Running"
        self.deleted: float | None = None
        self.ended: float | None = None
        self.unready_since: float | None = None
        self.ran = True
        self.counted = self.is_failure = False
        self.exit_codes: dict[str, int] = {}
        self.conditions: dict[str, str] = {}

    @property
    def is_active(self) -> bool:
        """Whether it has not ended and is not being deleted."""
        return self.ended is None and self.deleted is None

    @property
    def is_terminating(self) -> bool:
        """Whether it is being deleted and has not ended."""
        return self.ended is None and self.deleted is not None

    @property
    def finish_time(self) -> float:
        """When it is taken to have failed or succeeded, from which the back-off counts.

        1. The end of its containers, once all have ended.
        2. Else when it stopped being ready, if it is not.
        3. Else its deletion; else its creation, as for a pod that a kubelet refused.

        Source: `pkg/controller/job/backoff_utils.go`, getFinishedTime.
        """
        if self.ended is not None and self.ran:
            return self.ended
        if self.unready_since is not None:
            return self.unready_since
        return self.created if self.deleted is None else self.deleted

    @property
    def earlier_failures(self) -> int:
        """How often its index has failed before, the ignored times included."""
        return self.failures + self.ignored


def compute_back_off(failures: int, last_failure: float, now: float, max_back_off: float = MAX_BACK_OFF) -> float:
    """Seconds of back-off that are left. Source: `pkg/controller/job/backoff_utils.go`, getRemainingTimeForFailuresCount."""
    if not failures:
        return 0.0
    pause = min(BACK_OFF * 2.0 ** min(failures - 1, 20), max_back_off)
    return max(0.0, pause - (now - last_failure))
