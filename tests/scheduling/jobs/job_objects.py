"""Jobs and JobSets for the tests, from plain data and by the program's own reading of it."""

from __future__ import annotations

from typing import Any, TypeVar

from preflight.model.batch import Job, JobSet
from tests.builders import make_job, make_object, read_object

T = TypeVar("T")

TEMPLATE = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main"}]}}


def job(status: dict[str, Any] | None = None, metadata: dict[str, Any] | None = None, **spec: Any) -> Job:
    """A Job of the cluster: `template` is TEMPLATE where the spec states none."""
    return read_object({**make_job("train", None, metadata=metadata, **spec), "status": status or {}}, Job)


def job_set(*jobs: dict[str, Any], status: dict[str, Any] | None = None, annotations: dict[str, str] | None = None, **spec: Any) -> JobSet:
    """A JobSet of these replicated Jobs."""
    metadata = {"annotations": annotations or {}}
    data = make_object("JobSet", "llm", metadata=metadata, spec={"replicatedJobs": list(jobs), **spec}, status=status or {})
    return read_object(data, JobSet)


def rule(action: str, *codes: int, condition: str = "", operator: str = "In", container: str | None = None) -> dict[str, Any]:
    """A rule of a pod failure policy: on these exit codes, or on a condition."""
    if condition:
        return {"action": action, "onPodConditions": [{"type": condition}]}
    return {"action": action, "onExitCodes": {"operator": operator, "values": list(codes), "containerName": container}}


def policy(*rules: dict[str, Any]) -> dict[str, Any]:
    """A pod failure policy of these rules."""
    return {"rules": list(rules)}
