"""The pods of a Job that are there, and how some of them are lost: what a forecast is asked with."""

from __future__ import annotations

import math

from msgspec import Struct

from preflight.model.pod_status import ClusterPod
from preflight.scheduling.jobs.disruption import Disruption

COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index"
_FAILURES, _IGNORED = "batch.kubernetes.io/job-index-failure-count", "batch.kubernetes.io/job-index-ignored-failure-count"

DEFAULT_GRACE_PERIOD = 30
"""Seconds that a pod has to end, where it states none."""

SIGTERM, SIGKILL = 143, 137
"""The exit codes of a process that a signal ended: at once, and at the end of the grace period."""


class JobPod(Struct, frozen=True):
    """A pod of a Job that is there.

    1. `index` is its completion index, None in a Job that is not Indexed; `failures` and `ignored_failures` are the earlier failures of
       that index.
    2. `containers` are the names of those that a loss ends: its containers, then its sidecars. `conditions` are its conditions, with
       their status.
    3. `unready_for` is for how many seconds it has not been ready, infinity where that is not known, None where it is ready.
    4. `age` is its age in seconds, infinity where it is not known. `is_terminating`: somebody has deleted it already.
    """

    name: str
    index: int | None = None
    containers: tuple[str, ...] = ("main",)
    failures: int = 0
    ignored_failures: int = 0
    conditions: tuple[tuple[str, str], ...] = ()
    unready_for: float | None = None
    age: float = math.inf
    is_terminating: bool = False


class PodLoss(Struct, frozen=True):
    """That a pod is lost: how, when, and how it ends.

    1. `lost_at` is when, in seconds, of all losses of a Job on one clock.
    2. `ends_after` is how many seconds later it has ended, its grace period at most; infinity for a pod whose node does not answer. A
       forced disruption ends it at once.
    3. `exit_code` is that of each of its containers: SIGTERM where they let the signal end them, SIGKILL after the whole grace period, 0
       where they take it for the end of their work; None where none of them ever ran.
    """

    pod: str
    disruption: Disruption
    lost_at: float = 0.0
    ends_after: float = DEFAULT_GRACE_PERIOD
    exit_code: int | None = SIGTERM


def make_job_pod(pod: ClusterPod) -> JobPod:
    """A pod of the cluster as the forecast reads it.

    1. The index is in the annotation; a number that is none counts as absent, as for the controller.
    2. For how long a pod has not been ready its object does not tell here: as long as no back-off is left, at worst.
    """
    annotations = pod.metadata.annotations
    sidecars = (init_container for init_container in pod.spec.initContainers if init_container.restartPolicy == "Always")
    index = _parse_number(annotations.get(COMPLETION_INDEX))
    return JobPod(
        name=pod.metadata.name,
        index=index,
        containers=tuple(container.name for container in (*pod.spec.containers, *sidecars)),
        failures=_parse_number(annotations.get(_FAILURES)) or 0,
        ignored_failures=_parse_number(annotations.get(_IGNORED)) or 0,
        conditions=tuple((condition.type, condition.status) for condition in pod.status.conditions),
        unready_for=math.inf
        if any(condition.type == "Ready" and condition.status == "False" for condition in pod.status.conditions)
        else None,
        is_terminating=bool(pod.metadata.deletionTimestamp),
    )


def make_pod_loss(pod: ClusterPod, disruption: Disruption, lost_at: float = 0.0, grace: int | None = None) -> PodLoss:
    """The loss of a pod of the cluster that uses all of its grace period; `grace` is what somebody gives it instead."""
    own = pod.spec.terminationGracePeriodSeconds
    seconds = grace if grace is not None else DEFAULT_GRACE_PERIOD if own is None else own
    return PodLoss(pod.metadata.name, disruption, lost_at, float(seconds))


def _parse_number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else None
