"""What the rules on Jobs share: every Job, and every template of one, that is judged, with its place."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.model.objects import CronJob, Job, JobSet, JobSpec, PodSpec
from preflight.model.report import Subject, Suggestion
from preflight.rules.api import Context, Path, Place, subject_of

IGNORING = '{action: Ignore, onPodConditions: [{type: DisruptionTarget, status: "True"}]}'
"""The rule that ignores disruptions, as YAML; older JobSets ask for the status that a Job has by default."""

_OWNERS = frozenset(("CronJob", "JobSet"))
_ENDED = frozenset(("Complete", "Failed"))


class Batch(Struct, frozen=True):
    """A Job, or the template of one.

    1. `owner` is the object that it stands in: the Job itself, a CronJob or a JobSet; `path` leads to the Job's spec in it.
    2. `spec` is the spec as it is written; of a JobSet, as the JobSet's webhook completes it.
    3. `replicated` is the name of the replicated Job of a JobSet, "" in anything else.
    """

    owner: Job | CronJob | JobSet
    spec: JobSpec
    path: Path
    replicated: str = ""

    @property
    def subject(self) -> Subject:
        """The object as the subject of a finding."""
        return subject_of(self.owner)

    def place(self, *path: str | int) -> Place:
        """A field of the spec in its manifest."""
        return Place(self.owner.origin, (*self.path, *path))

    @property
    def whose(self) -> str:
        """` of its replicated Job workers`, "" where there is only one Job."""
        return f" of its replicated Job {self.replicated}" if self.replicated else ""

    @property
    def pod(self) -> PodSpec:
        """The spec of its pods."""
        return self.spec.template.spec

    @property
    def is_left_alone(self) -> bool:
        """Whether another controller than Kubernetes' own, or the JobSet's own, has it."""
        return self.spec.managedBy not in (None, "kubernetes.io/job-controller") or (
            isinstance(self.owner, JobSet) and self.owner.spec.managedBy not in (None, "jobset.sigs.k8s.io/jobset-controller")
        )

    @property
    def ran(self) -> tuple[str, ...]:
        """The containers that a disruption ends: all but the init containers that have ended before."""
        sidecars = (each.name for each in self.pod.initContainers if each.restartPolicy == "Always")
        return (*(each.name for each in self.pod.containers), *sidecars)

    @property
    def has_accelerators(self) -> bool:
        """Whether its pods ask for an extended resource, such as a GPU."""
        from preflight.dependents.requirements import is_extended

        resources = (self.pod.resources, *(each.resources for each in (*self.pod.containers, *self.pod.initContainers)))
        return any(is_extended(name) for each in resources for name in (*each.limits, *each.requests))


def batches(context: Context) -> Iterator[Batch]:
    """Every Job, every CronJob's and every JobSet's template of one, in lint; under a change none.

    1. A Job that a CronJob or a JobSet controls is left to that one, given or not.
    2. A Job or JobSet that has ended is left out.
    """
    if not context.lint:
        return
    for each in (*(each for each in context.workloads if isinstance(each, Job | CronJob)), *context.world.job_sets):
        if isinstance(each, CronJob):
            yield Batch(each, each.spec.jobTemplate.spec, ("spec", "jobTemplate", "spec"))
        elif any(condition.type in _ENDED and condition.status == "True" for condition in each.status.conditions):
            continue
        elif isinstance(each, Job):
            if not any(owner.controller and owner.kind in _OWNERS for owner in each.metadata.ownerReferences):
                yield Batch(each, each.spec, ("spec",))
        else:
            yield from _of_job_set(each)


def _of_job_set(job_set: JobSet) -> Iterator[Batch]:
    from preflight.scheduling.jobs.defaults import defaulted_in_job_set

    for place, each in enumerate(job_set.spec.replicatedJobs):
        path = ("spec", "replicatedJobs", place, "template", "spec")
        yield Batch(job_set, defaulted_in_job_set(each.template.spec), path, each.name)


def lines(*text: str) -> Suggestion:
    """Lines of YAML as the fix; there is no toleration in it."""
    return Suggestion((), text)
