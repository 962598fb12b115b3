"""Any object that has a pod template, and where its pod spec is."""

from __future__ import annotations

from preflight.model.apps import DaemonSet, Deployment
from preflight.model.batch import CronJob
from preflight.model.core import POD_TEMPLATE_SPEC, Pod, PodSpec

Workload = DaemonSet | Deployment | CronJob | Pod


def locate_pod_spec(workload: Workload) -> tuple[PodSpec, tuple[str, ...]]:
    """The pod spec of a workload, and the path that leads to it."""
    if isinstance(workload, Pod):
        return workload.spec, ("spec",)
    if isinstance(workload, CronJob):
        return workload.spec.jobTemplate.spec.template.spec, ("spec", "jobTemplate", *POD_TEMPLATE_SPEC)
    return workload.spec.template.spec, POD_TEMPLATE_SPEC
