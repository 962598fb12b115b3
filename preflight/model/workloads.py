"""Any object that has a pod template, and where its pod spec is."""

from __future__ import annotations

from preflight.model.apps import DaemonSet, Deployment
from preflight.model.batch import CronJob
from preflight.model.core import POD_TEMPLATE_SPEC, Pod, PodSpec
from preflight.model.meta import Metadata, SourcedObject

Workload = DaemonSet | Deployment | CronJob | Pod


class CustomResource(SourcedObject, frozen=True):
    """A custom resource of an operator that is not known, as far as it states tolerations: one for each list of them.

    `origin.fields` leads from `spec.tolerations` to the list. What its operator makes of it is not known.
    """

    kind: str = ""
    metadata: Metadata = Metadata()
    spec: PodSpec = PodSpec()


TolerationOwner = Workload | CustomResource
"""Any object with tolerations."""


def locate_pod_spec(workload: TolerationOwner) -> tuple[PodSpec, tuple[str, ...]]:
    """The pod spec of a workload, and the path that leads to it."""
    if isinstance(workload, Pod | CustomResource):
        return workload.spec, ("spec",)
    if isinstance(workload, CronJob):
        return workload.spec.jobTemplate.spec.template.spec, ("spec", "jobTemplate", *POD_TEMPLATE_SPEC)
    return workload.spec.template.spec, POD_TEMPLATE_SPEC
