"""Objects of batch and of jobset.x-k8s.io: Jobs, CronJobs, JobSets."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from preflight.model.apps import Deployment, WorkloadSpec, WorkloadStatus
from preflight.model.core import Container, PodSpec, PodTemplate
from preflight.model.meta import APIStruct, Condition, Metadata, SourcedObject


class EnvironmentVariable(APIStruct, frozen=True, gc=False):
    """`env[]` of a container; `value` is None where `valueFrom` fills it in."""

    name: str = ""
    value: Any = None


class JobContainer(Container, frozen=True, gc=False):
    """A container of a Job, with what it runs: it tells whether the pods of the Job work together."""

    command: tuple[Any, ...] = ()
    args: tuple[Any, ...] = ()
    env: tuple[EnvironmentVariable, ...] = ()


class JobPodSpec(PodSpec, frozen=True, gc=False):
    """`spec.template.spec` of a Job."""

    containers: tuple[JobContainer, ...] = ()


class JobPodTemplate(PodTemplate, frozen=True, gc=False):
    """`spec.template` of a Job."""

    spec: JobPodSpec = JobPodSpec()


class JobSpec(WorkloadSpec, frozen=True, gc=False):
    """`spec` of a Job as it is written: what is absent has its defaults in `preflight/scheduling/jobs`."""

    template: JobPodTemplate = JobPodTemplate()
    completionMode: str = ""
    parallelism: int | None = None
    completions: int | None = None
    backoffLimit: int | None = None
    backoffLimitPerIndex: int | None = None
    maxFailedIndexes: int | None = None
    podReplacementPolicy: str | None = None
    podFailurePolicy: PodFailurePolicy | None = None
    successPolicy: SuccessPolicy | None = None
    managedBy: str | None = None
    suspend: bool = False
    activeDeadlineSeconds: int | None = None


class JobCondition(Condition, frozen=True, gc=False):
    """`status.conditions[]` of a Job."""

    reason: str = ""
    message: str = ""


class JobStatus(WorkloadStatus, frozen=True, gc=False):
    """`status` of a Job: indexes as `0,2-4`."""

    active: int = 0
    ready: int = 0
    terminating: int = 0
    succeeded: int = 0
    failed: int = 0
    completedIndexes: str = ""
    failedIndexes: str = ""
    conditions: tuple[JobCondition, ...] = ()


class JobTemplate(APIStruct, frozen=True, gc=False):
    """`spec.jobTemplate` of a CronJob, and `template` of a replicated Job of a JobSet."""

    metadata: Metadata = Metadata()
    spec: JobSpec = JobSpec()


class CronJobSpec(APIStruct, frozen=True, gc=False):
    """`spec` of a CronJob."""

    jobTemplate: JobTemplate = JobTemplate()


class Job(Deployment, frozen=True, gc=False):
    """batch/v1 Job."""

    spec: JobSpec = JobSpec()
    status: JobStatus = JobStatus()


class CronJob(SourcedObject, frozen=True, gc=False):
    """batch/v1 CronJob."""

    metadata: Metadata = Metadata()
    spec: CronJobSpec = CronJobSpec()


class ReplicatedJob(APIStruct, frozen=True, gc=False):
    """`spec.replicatedJobs[]` of a JobSet."""

    name: str = ""
    replicas: int = 1
    template: JobTemplate = JobTemplate()


class JobSetStatus(WorkloadStatus, frozen=True, gc=False):
    """`status` of a JobSet: `restarts` are all, `restartsCountTowardsMax` those that its failure policy counts."""

    restarts: int = 0
    restartsCountTowardsMax: int = 0


class OnExitCodes(Struct, frozen=True, gc=False, omit_defaults=True):
    """`onExitCodes` of a rule; `containerName` None means any container of the pod."""

    containerName: str | None = None
    operator: str = ""
    values: tuple[int, ...] = ()


class OnPodCondition(Struct, frozen=True, gc=False, omit_defaults=True):
    """`onPodConditions[]` of a rule; an absent status means True."""

    type: str = ""
    status: str = ""


class PodFailurePolicyRule(Struct, frozen=True, gc=False, omit_defaults=True):
    """`spec.podFailurePolicy.rules[]`: one of the two requirements; the first rule that matches a failed pod counts."""

    action: str = ""
    onExitCodes: OnExitCodes | None = None
    onPodConditions: tuple[OnPodCondition, ...] = ()


class PodFailurePolicy(Struct, frozen=True, gc=False, omit_defaults=True):
    """`spec.podFailurePolicy` of a Job."""

    rules: tuple[PodFailurePolicyRule, ...] = ()


class SuccessPolicyRule(Struct, frozen=True, gc=False, omit_defaults=True):
    """`spec.successPolicy.rules[]`: indexes as `0,2-4`; None means all of them, or as many as it takes."""

    succeededIndexes: str | None = None
    succeededCount: int | None = None


class SuccessPolicy(Struct, frozen=True, gc=False, omit_defaults=True):
    """`spec.successPolicy` of a Job."""

    rules: tuple[SuccessPolicyRule, ...] = ()


class JobSetFailureRule(Struct, frozen=True, gc=False, omit_defaults=True):
    """`spec.failurePolicy.rules[]` of a JobSet: an empty list means any reason, any message, any replicated Job."""

    action: str = ""
    onJobFailureReasons: tuple[str, ...] = ()
    onJobFailureMessagePatterns: tuple[str, ...] = ()
    targetReplicatedJobs: tuple[str, ...] = ()


class JobSetFailurePolicy(Struct, frozen=True, gc=False, omit_defaults=True):
    """`spec.failurePolicy` of a JobSet."""

    maxRestarts: int = 0
    rules: tuple[JobSetFailureRule, ...] = ()


class JobSetNetwork(Struct, frozen=True, gc=False, omit_defaults=True):
    """`spec.network` of a JobSet: without DNS host names its pods have no headless service."""

    enableDNSHostnames: bool = True


class JobSetSpec(APIStruct, frozen=True, gc=False):
    """`spec` of a JobSet."""

    replicatedJobs: tuple[ReplicatedJob, ...] = ()
    failurePolicy: JobSetFailurePolicy | None = None
    network: JobSetNetwork = JobSetNetwork()
    managedBy: str | None = None
    suspend: bool = False


class JobSet(SourcedObject, frozen=True, gc=False):
    """jobset.x-k8s.io JobSet: several Jobs with a pod template each."""

    metadata: Metadata = Metadata()
    spec: JobSetSpec = JobSetSpec()
    status: JobSetStatus = JobSetStatus()
