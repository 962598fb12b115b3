"""The pods of a Job that are there, and how some of them are lost: what a forecast is asked with."""

from __future__ import annotations

import math

from msgspec import Struct

from preflight.model.pod_status import RunningPod
from preflight.scheduling.jobs.disruption import Disruption

INDEX = "batch.kubernetes.io/job-completion-index"
_FAILURES, _IGNORED = "batch.kubernetes.io/job-index-failure-count", "batch.kubernetes.io/job-index-ignored-failure-count"

GRACE_PERIOD = 30
"""Seconds that a pod has to end, where it states none."""

SIGTERM, SIGKILL = 143, 137
"""The exit codes of a process that a signal ended: at once, and at the end of the grace period."""


class JobPod(Struct, frozen=True):
    """A pod of a Job that is there.

    1. `index` is its completion index, None in a Job that is not Indexed; `failures` and `ignored` are the earlier failures of that index.
    2. `containers` are the names of those that a loss ends: its containers, then its sidecars. `conditions` are its conditions, with
       their status.
    3. `unready_for` is for how many seconds it has not been ready, infinity where that is not known, None where it is ready.
    4. `age` is its age in seconds, infinity where it is not known. `is_terminating`: somebody has deleted it already.
    """

    name: str
    index: int | None = None
    containers: tuple[str, ...] = ("main",)
    failures: int = 0
    ignored: int = 0
    conditions: tuple[tuple[str, str], ...] = ()
    unready_for: float | None = None
    age: float = math.inf
    is_terminating: bool = False


class Loss(Struct, frozen=True):
    """That a pod is lost: how, when, and how it ends.

    1. `at` is when, in seconds, of all losses of a Job on one clock.
    2. `ends_after` is how many seconds later it has ended, its grace period at most; infinity for a pod whose node does not answer. A
       forced disruption ends it at once.
    3. `exit_code` is that of each of its containers: SIGTERM where they let the signal end them, SIGKILL after the whole grace period, 0
       where they take it for the end of their work; None where none of them ever ran.
    """

    pod: str
    disruption: Disruption
    at: float = 0.0
    ends_after: float = GRACE_PERIOD
    exit_code: int | None = SIGTERM


def job_pod(pod: RunningPod) -> JobPod:
    """A pod of the cluster as the forecast reads it.

    1. The index is in the annotation; a number that is none counts as absent, as for the controller.
    2. For how long a pod has not been ready its object does not tell here: as long as no back-off is left, at worst.
    """
    annotations = pod.metadata.annotations
    sidecars = (each for each in pod.spec.initContainers if each.restartPolicy == "Always")
    index = _number(annotations.get(INDEX))
    return JobPod(
        name=pod.metadata.name,
        index=index,
        containers=tuple(each.name for each in (*pod.spec.containers, *sidecars)),
        failures=_number(annotations.get(_FAILURES)) or 0,
        ignored=_number(annotations.get(_IGNORED)) or 0,
        conditions=tuple((each.type, each.status) for each in pod.status.conditions),
        unready_for=math.inf if any(each.type == "Ready" and each.status == "False" for each in pod.status.conditions) else None,
        is_terminating=bool(pod.metadata.deletionTimestamp),
    )


def loss(pod: RunningPod, disruption: Disruption, at: float = 0.0, grace: int | None = None) -> Loss:
    """The loss of a pod of the cluster that uses all of its grace period; `grace` is what somebody gives it instead."""
    own = pod.spec.terminationGracePeriodSeconds
    seconds = grace if grace is not None else GRACE_PERIOD if own is None else own
    return Loss(pod.metadata.name, disruption, at, float(seconds))


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else None
