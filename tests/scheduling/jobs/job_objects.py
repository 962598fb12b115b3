"""Jobs and JobSets for the tests, from plain data and by the program's own reading of it."""

from __future__ import annotations

from typing import Any, TypeVar

from preflight.model.convert import convert
from preflight.model.objects import Job, JobSet, Origin

T = TypeVar("T")

TEMPLATE = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main"}]}}


def job(status: dict[str, Any] | None = None, metadata: dict[str, Any] | None = None, **spec: Any) -> Job:
    """A Job of the cluster: `template` is TEMPLATE where the spec states none."""
    data = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "train", **(metadata or {})},
        "spec": {"template": TEMPLATE, **spec},
        "status": status or {},
    }
    return read(data, Job)


def job_set(*jobs: dict[str, Any], status: dict[str, Any] | None = None, annotations: dict[str, str] | None = None, **spec: Any) -> JobSet:
    """A JobSet of these replicated Jobs."""
    data = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "llm", "annotations": annotations or {}},
        "spec": {"replicatedJobs": list(jobs), **spec},
        "status": status or {},
    }
    return read(data, JobSet)


def read(data: dict[str, Any], kind: type[T]) -> T:
    """An object without anything that was refused."""
    found, refusals = convert(data, kind, Origin("<test>"))
    assert refusals == ()
    assert found is not None
    return found


def rule(action: str, *codes: int, condition: str = "", operator: str = "In", container: str | None = None) -> dict[str, Any]:
    """A rule of a pod failure policy: on these exit codes, or on a condition."""
    if condition:
        return {"action": action, "onPodConditions": [{"type": condition}]}
    return {"action": action, "onExitCodes": {"operator": operator, "values": list(codes), "containerName": container}}


def policy(*rules: dict[str, Any]) -> dict[str, Any]:
    """A pod failure policy of these rules."""
    return {"rules": list(rules)}
