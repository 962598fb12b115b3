"""What the rules on Jobs share: every Job and Job template that is checked, with its location."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.model.batch import CronJob, Job, JobSet, JobSpec, PodFailurePolicyRule
from preflight.model.core import PodSpec
from preflight.model.owners import find_controller
from preflight.model.report import Subject, TolerationSuggestion
from preflight.rules.api import Context, FieldPath, ManifestLocation, make_subject_of

IGNORE_DISRUPTION_RULE = '{action: Ignore, onPodConditions: [{type: DisruptionTarget, status: "True"}]}'
"""The rule that ignores disruptions, as YAML; older JobSets ask for the status that a Job has by default."""

_OWNER_KINDS = frozenset(("CronJob", "JobSet"))
_FINISHED_CONDITIONS = frozenset(("Complete", "Failed"))


class JobTemplateItem(Struct, frozen=True):
    """A Job, or the template of one.

    1. `owner` is the object that contains it: the Job itself, a CronJob or a JobSet; `path` leads to the Job's spec in it.
    2. `spec` is the spec as it is written; of a JobSet, as the JobSet's webhook completes it.
    3. `replicated_job` is the name of the replicated Job of a JobSet, "" in anything else.
    """

    owner: Job | CronJob | JobSet
    spec: JobSpec
    path: FieldPath
    replicated_job: str = ""

    @property
    def subject(self) -> Subject:
        """The object as the subject of a finding."""
        return make_subject_of(self.owner)

    def locate(self, *path: str | int) -> ManifestLocation:
        """A field of the spec in its manifest."""
        return ManifestLocation(self.owner.origin, (*self.path, *path))

    @property
    def key(self) -> tuple[str, ...]:
        """What tells this Job from the others of its object: the name of its replicated Job."""
        return (self.replicated_job,) if self.replicated_job else ()

    def make_rule_key(self, place: int) -> tuple[str, ...]:
        """What tells a rule of its pod failure policy from the others, wherever it is in the list: the action, and what it matches.

        The second of two equal rules has `2` at the end, and so on.
        """
        rules = self.spec.podFailurePolicy.rules if self.spec.podFailurePolicy else ()
        own = _identify_rule(rules[place])
        earlier = sum(_identify_rule(rule) == own for rule in rules[:place])
        return (*self.key, *own, *([str(earlier + 1)] if earlier else []))

    @property
    def pod_spec(self) -> PodSpec:
        """The spec of its pods."""
        return self.spec.template.spec

    @property
    def has_other_controller(self) -> bool:
        """Whether another controller than Kubernetes' own, or the JobSet's own, has it."""
        return self.spec.managedBy not in (None, "kubernetes.io/job-controller") or (
            isinstance(self.owner, JobSet) and self.owner.spec.managedBy not in (None, "jobset.sigs.k8s.io/jobset-controller")
        )

    @property
    def disrupted_containers(self) -> tuple[str, ...]:
        """The containers that a disruption ends: all but the init containers that have ended before."""
        sidecars = (init_container.name for init_container in self.pod_spec.initContainers if init_container.restartPolicy == "Always")
        return (*(container.name for container in self.pod_spec.containers), *sidecars)

    @property
    def has_accelerators(self) -> bool:
        """Whether its pods ask for an extended resource, such as a GPU."""
        from preflight.dependents.requirements import is_extended_resource

        resources = (
            self.pod_spec.resources,
            *(container.resources for container in (*self.pod_spec.containers, *self.pod_spec.initContainers)),
        )
        return any(is_extended_resource(name) for resource in resources for name in (*resource.limits, *resource.requests))


def _identify_rule(rule: PodFailurePolicyRule) -> tuple[str, ...]:
    """The action of a rule and what it matches."""
    codes = rule.onExitCodes
    matched = [f"{condition.type}={condition.status or 'True'}" for condition in rule.onPodConditions]
    if codes is not None:
        matched += [codes.containerName or "", codes.operator, *map(str, codes.values)]
    return (rule.action, *matched)


def iter_job_templates(context: Context) -> Iterator[JobTemplateItem]:
    """Every Job, every CronJob's and every JobSet's template of one, in lint; under a change those that may lose pods nobody listed.

    1. A Job that a CronJob or a JobSet controls is left to that one, given or not.
    2. A Job or JobSet that has ended is left out.
    """
    jobs = (workload for workload in context.workloads if isinstance(workload, Job | CronJob))
    for job in (*jobs, *context.world.job_sets):
        if not context.is_lint and job.origin not in context.losing_workloads:
            continue
        if isinstance(job, CronJob):
            yield JobTemplateItem(job, job.spec.jobTemplate.spec, ("spec", "jobTemplate", "spec"))
        elif any(condition.type in _FINISHED_CONDITIONS and condition.status == "True" for condition in job.status.conditions):
            continue
        elif isinstance(job, Job):
            controller = find_controller(job.metadata.ownerReferences)
            if controller is None or controller.kind not in _OWNER_KINDS:
                yield JobTemplateItem(job, job.spec, ("spec",))
        else:
            yield from _iter_replicated_jobs(job)


def _iter_replicated_jobs(job_set: JobSet) -> Iterator[JobTemplateItem]:
    from preflight.scheduling.jobs.defaults import apply_job_set_defaults

    for place, job in enumerate(job_set.spec.replicatedJobs):
        path = ("spec", "replicatedJobs", place, "template", "spec")
        yield JobTemplateItem(job_set, apply_job_set_defaults(job.template.spec), path, job.name)


def make_suggestion(*yaml_lines: str) -> TolerationSuggestion:
    """Lines of YAML as the fix; there is no toleration in it."""
    return TolerationSuggestion((), yaml_lines)
