"""Kubernetes objects as frozen Structs: field names are Kubernetes' own, and only what a prediction reads is kept.

An absent field holds its zero value, as in Kubernetes' own types: "" for a string, () for a list, {} for a map.
Fields whose encoded name starts with U+E000 are ours, never an input's: `load` fills them after decoding.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from msgspec import MsgspecError, Raw, Struct, field, json

from preflight.model.jobs import JobSetFailurePolicy, JobSetNetwork, PodFailurePolicy, SuccessPolicy


class Origin(Struct, frozen=True, gc=False):
    """Where an object was read.

    1. `file` is the path as the user gave it, `-` for standard input, or a word in angle brackets for an object that no file holds.
    2. `document` is the 0-based place of the document in the file; `line` the 1-based line where it starts, 0 where not known.
    3. `path` leads from the document to the object: () for the document itself, ("items", 3) for the fourth item of a List.
    """

    file: str
    document: int = 0
    line: int = 0
    path: tuple[str | int, ...] = ()


class Refusal(Struct, frozen=True, gc=False):
    """A value that the API server would refuse, found while reading: its path in the object, and the problem in one line.

    `field` is the name of the field as it stands in front of the problem; "" where the problem names it, or names none.
    """

    path: tuple[str | int, ...]
    problem: str
    field: str = ""

    @property
    def reason(self) -> str:
        """The field and its problem, in one line."""
        return f"{self.field}: {self.problem}" if self.field else self.problem


TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"
"""The annotation of a DaemonSet with the number of its template, from 1 on; its pods carry it as the label pod-template-generation."""


class ObjectKey(NamedTuple):
    """What tells one object of a kind from another.

    1. `namespace` is "" where the manifest states none; it is then shown as `-`.
    2. `file` is the file of such an object, so that two files are never merged into one; "" where a namespace is stated.
    """

    namespace: str
    name: str
    file: str = ""

    def __str__(self) -> str:
        return f"{self.namespace or '-'}/{self.name}"


class APIStruct(Struct, frozen=True, gc=False, omit_defaults=True):
    """A part of an API object. Absent fields have their defaults."""


class OwnerReference(APIStruct, frozen=True, gc=False):
    """`metadata.ownerReferences[]`."""

    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool = False
    apiVersion: str = ""


class Metadata(APIStruct, frozen=True, gc=False):
    """`metadata`; `deletionTimestamp` is "" while the object is not being deleted."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    ownerReferences: tuple[OwnerReference, ...] = ()
    deletionTimestamp: str = ""
    generation: int = 0


class Taint(APIStruct, frozen=True, gc=False):
    """`spec.taints[]` of a Node; an absent value is ""."""

    key: str = ""
    value: str = ""
    effect: str = ""

    def __str__(self) -> str:
        """As kubectl writes it: `key=value:Effect`, `key:Effect` where the value is empty."""
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


class Toleration(APIStruct, frozen=True, gc=False):
    """`tolerations[]` of a pod; an absent operator means Equal, an absent effect every effect, absent seconds for ever."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    tolerationSeconds: int | None = None


class SelectorRequirement(APIStruct, frozen=True, gc=False):
    """`matchExpressions[]` or `matchFields[]`, of a node affinity or of a label selector."""

    key: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()


class NodeSelectorTerm(APIStruct, frozen=True, gc=False):
    """`nodeSelectorTerms[]`: everything in it must hold; a term with nothing in it matches nothing."""

    matchExpressions: tuple[SelectorRequirement, ...] = ()
    matchFields: tuple[SelectorRequirement, ...] = ()


class NodeSelector(APIStruct, frozen=True, gc=False):
    """`requiredDuringSchedulingIgnoredDuringExecution` of a node affinity: one of the terms must match."""

    nodeSelectorTerms: tuple[NodeSelectorTerm, ...] = ()


class NodeAffinity(APIStruct, frozen=True, gc=False):
    """`affinity.nodeAffinity`; preferred terms play no part in a DaemonSet's placement and are not read."""

    requiredDuringSchedulingIgnoredDuringExecution: NodeSelector | None = None


class Affinity(APIStruct, frozen=True, gc=False):
    """`affinity` of a pod."""

    nodeAffinity: NodeAffinity | None = None


class ContainerPort(APIStruct, frozen=True, gc=False):
    """`ports[]` of a container."""

    containerPort: int = 0
    hostPort: int = 0
    protocol: str = ""
    hostIP: str = ""


class Resources(APIStruct, frozen=True, gc=False):
    """`resources` of a container: quantities as they are written."""

    limits: dict[str, str | int | float] = {}
    requests: dict[str, str | int | float] = {}


class Container(APIStruct, frozen=True, gc=False):
    """`containers[]` and `initContainers[]` of a pod; `restartPolicy` Always makes an init container a sidecar."""

    name: str = ""
    image: str = ""
    ports: tuple[ContainerPort, ...] = ()
    resources: Resources = Resources()
    restartPolicy: str = ""


class ClaimSource(APIStruct, frozen=True, gc=False):
    """`persistentVolumeClaim` of a volume: a claim of the pod's own namespace."""

    claimName: str = ""


class ClaimSpec(APIStruct, frozen=True, gc=False):
    """`spec` of a PersistentVolumeClaim: no class at all means the default one, "" means none."""

    storageClassName: str | None = None
    volumeName: str = ""


class ClaimTemplate(APIStruct, frozen=True, gc=False):
    """`volumeClaimTemplates[]` of a StatefulSet, and `ephemeral.volumeClaimTemplate` of a volume."""

    metadata: Metadata = Metadata()
    spec: ClaimSpec = ClaimSpec()


class EphemeralSource(APIStruct, frozen=True, gc=False):
    """`ephemeral` of a volume: a claim that lives as long as the pod."""

    volumeClaimTemplate: ClaimTemplate | None = None


class CSISource(APIStruct, frozen=True, gc=False):
    """`csi` of a volume of a pod, or of a PersistentVolume."""

    driver: str = ""


class EmptyDir(APIStruct, frozen=True, gc=False):
    """`emptyDir` of a volume: data that ends with the pod."""


class Volume(APIStruct, frozen=True, gc=False):
    """`volumes[]` of a pod, as far as a CSI driver may have to mount it, or a drain would lose it."""

    name: str = ""
    emptyDir: EmptyDir | None = None
    persistentVolumeClaim: ClaimSource | None = None
    ephemeral: EphemeralSource | None = None
    csi: CSISource | None = None


class PodSpec(APIStruct, frozen=True, gc=False):
    """`spec` of a pod or pod template."""

    nodeName: str = ""
    nodeSelector: dict[str, str] = {}
    affinity: Affinity | None = None
    tolerations: tuple[Toleration, ...] = ()
    hostNetwork: bool = False
    priorityClassName: str = ""
    schedulerName: str = ""
    runtimeClassName: str = ""
    containers: tuple[Container, ...] = ()
    initContainers: tuple[Container, ...] = ()
    resources: Resources = Resources()
    overhead: dict[str, str | int | float] = {}
    priority: int | None = None
    terminationGracePeriodSeconds: int | None = None
    restartPolicy: str = ""
    subdomain: str = ""
    volumes: tuple[Volume, ...] = ()


class PodTemplate(APIStruct, frozen=True, gc=False):
    """`spec.template` of a workload."""

    metadata: Metadata = Metadata()
    spec: PodSpec = PodSpec()


class LabelSelector(APIStruct, frozen=True, gc=False):
    """`spec.selector` of a workload: an empty one selects every pod, an absent one none."""

    matchLabels: dict[str, str] = {}
    matchExpressions: tuple[SelectorRequirement, ...] = ()


class RollingUpdateDaemonSet(APIStruct, frozen=True, gc=False):
    """`spec.updateStrategy.rollingUpdate`; integers or percentages; None means the default (1 and 0)."""

    maxUnavailable: int | str | None = None
    maxSurge: int | str | None = None


class DaemonSetUpdateStrategy(APIStruct, frozen=True, gc=False):
    """`spec.updateStrategy`; an absent type means RollingUpdate."""

    type: str = ""
    rollingUpdate: RollingUpdateDaemonSet = RollingUpdateDaemonSet()


class DaemonSetSpec(APIStruct, frozen=True, gc=False):
    """`spec` of a DaemonSet."""

    selector: LabelSelector | None = None
    template: PodTemplate = PodTemplate()
    updateStrategy: DaemonSetUpdateStrategy = DaemonSetUpdateStrategy()
    minReadySeconds: int = 0


class SourcedObject(APIStruct, frozen=True, gc=False):
    """What `load` adds to an object that it read by itself: its origin and what the API server would refuse of it."""

    origin: Origin = field(default=Origin("<none>"), name="\ue000origin")
    refusals: tuple[Refusal, ...] = field(default=(), name="\ue000refusals")


class DaemonSet(SourcedObject, frozen=True):
    """apps/v1 DaemonSet.

    1. `data` is the whole object as plain data: any difference of its `spec.template` is an update, whatever the typed view reads.
       Never change it in place.
    2. `kept` is what a snapshot has of the rest, as text (`model/kept.py`): `data` is then only what is read. Empty for a whole object.
    """

    metadata: Metadata = Metadata()
    spec: DaemonSetSpec = DaemonSetSpec()
    data: dict[str, Any] = field(default_factory=dict, name="\ue000data")
    kept: Raw = field(default=Raw(), name="\ue000kept")

    @property
    def key(self) -> ObjectKey:
        """What tells this DaemonSet from others."""
        return make_object_key(self.metadata, self.origin)


class Condition(APIStruct, frozen=True, gc=False):
    """`status.conditions[]`; status is True, False or Unknown."""

    type: str = ""
    status: str = ""


class WorkloadSpec(APIStruct, frozen=True, gc=False):
    """`spec` of a Deployment, StatefulSet or ReplicaSet; `replicas` None means one."""

    template: PodTemplate = PodTemplate()
    replicas: int | None = None
    volumeClaimTemplates: tuple[ClaimTemplate, ...] = ()


class WorkloadStatus(APIStruct, frozen=True, gc=False):
    """`status` of a workload: the conditions tell a Job that has ended."""

    conditions: tuple[Condition, ...] = ()


class JobSpec(WorkloadSpec, frozen=True, gc=False):
    """`spec` of a Job as it is written: what is absent has its defaults in `preflight/scheduling/jobs`."""

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


class Deployment(SourcedObject, frozen=True, gc=False):
    """apps/v1 Deployment."""

    metadata: Metadata = Metadata()
    spec: WorkloadSpec = WorkloadSpec()
    status: WorkloadStatus = WorkloadStatus()


class StatefulSet(Deployment, frozen=True, gc=False):
    """apps/v1 StatefulSet."""


class ReplicaSet(Deployment, frozen=True, gc=False):
    """apps/v1 ReplicaSet."""


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


class JobSetSpec(APIStruct, frozen=True, gc=False):
    """`spec` of a JobSet."""

    replicatedJobs: tuple[ReplicatedJob, ...] = ()
    failurePolicy: JobSetFailurePolicy | None = None
    network: JobSetNetwork = JobSetNetwork()
    managedBy: str | None = None
    suspend: bool = False


class JobSetStatus(WorkloadStatus, frozen=True, gc=False):
    """`status` of a JobSet: `restarts` are all, `restartsCountTowardsMax` those that its failure policy counts."""

    restarts: int = 0
    restartsCountTowardsMax: int = 0


class JobSet(SourcedObject, frozen=True, gc=False):
    """jobset.x-k8s.io JobSet: several Jobs with a pod template each."""

    metadata: Metadata = Metadata()
    spec: JobSetSpec = JobSetSpec()
    status: JobSetStatus = JobSetStatus()


class Pod(SourcedObject, frozen=True, gc=False):
    """v1 Pod as a manifest: no evidence that it runs (see ListedPod)."""

    metadata: Metadata = Metadata()
    spec: PodSpec = PodSpec()


class NodeSpec(APIStruct, frozen=True, gc=False):
    """`spec` of a Node."""

    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False


class NodeStatus(APIStruct, frozen=True, gc=False):
    """`status` of a Node: `allocatable` are quantities as they are written, {} where no status was given."""

    conditions: tuple[Condition, ...] = ()
    allocatable: dict[str, str | int | float] = {}


class PoolTemplate(APIStruct, frozen=True, gc=False):
    """What a pool of nodes says besides the labels and taints of its nodes.

    1. `kind` and `name` are those of its manifest, or of its entry there; `cluster` is the cluster that it states, "" where it states none.
    2. `member_labels` are labels that tell the nodes of the pool that are there; `owner_annotations` is the kind and the name in the
       annotations by which Cluster API tells them. Both are empty where nothing tells them.
    3. `synced_labels` and `synced_taints` are kept up to date on nodes that are there; all else is set once, when a node registers.
       `replacement_trigger` continues "until they are replaced": who replaces the nodes then, "" where nobody does by himself.
    4. `node_count` is the number of nodes as far as it is stated: `3`, `2 to 8`, `up to 10`, `1 to 3 a zone`; "" where it is not.
    5. `taint_errors` are what nobody accepts of its taints, `taint_warnings` what is accepted and looks like a mistake; paths as in
       `_Read.refusals`.
    """

    kind: str
    name: str
    cluster: str = ""
    member_labels: dict[str, str] = {}
    owner_annotations: tuple[str, str] = ("", "")
    synced_labels: dict[str, str] = {}
    synced_taints: tuple[Taint, ...] = ()
    replacement_trigger: str = ""
    node_count: str = ""
    taint_errors: tuple[Refusal, ...] = ()
    taint_warnings: tuple[Refusal, ...] = ()


class Node(SourcedObject, tag="Node", tag_field="kind", frozen=True, gc=False):
    """v1 Node.

    1. A `is_partial` node is only partly known (named by a selector, a name that the input lacks, or a pool): a label that it does not
       state is unknown, not absent, unless it is in `absent_labels`.
    2. The name of a partial node that stands for many is what selects them, in brackets.
    3. A node with a `pool` is the template of that pool: what its next node is like once it is up. `startup_taints` are the taints that
       such a node starts with and that something removes; they are not in `spec.taints`.
    """

    metadata: Metadata = Metadata()
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()
    is_partial: bool = field(default=False, name="\ue000partial")
    absent_labels: frozenset[str] = field(default=frozenset(), name="\ue000absent")
    startup_taints: tuple[Taint, ...] = field(default=(), name="\ue000startup")
    pool: PoolTemplate | None = field(default=None, name="\ue000pool")

    @property
    def name(self) -> str:
        """`metadata.name`."""
        return self.metadata.name

    @property
    def is_ready(self) -> bool | None:
        """The Ready condition: True, False (Unknown included: the kubelet is silent), None where no status was given."""
        for condition in self.status.conditions:
            if condition.type == "Ready":
                return condition.status == "True"
        return None


class _CoveragePodMetadata(APIStruct, frozen=True, gc=False):
    name: str = ""
    namespace: str = ""
    labels: Raw = Raw()
    ownerReferences: Raw = Raw()
    deletionTimestamp: str = ""


class _CoveragePodSpec(APIStruct, frozen=True, gc=False):
    nodeName: str = ""
    tolerations: Raw = Raw()


class _CoveragePodStatus(APIStruct, frozen=True, gc=False):
    phase: str = ""
    conditions: Raw = Raw()


class CoveragePod(APIStruct, tag="Pod", tag_field="kind", frozen=True, gc=False):
    """A pod that a list, a snapshot or the live cluster showed: evidence of coverage. What few rules read stays undecoded."""

    metadata: _CoveragePodMetadata = _CoveragePodMetadata()
    spec: _CoveragePodSpec = _CoveragePodSpec()
    status: _CoveragePodStatus = _CoveragePodStatus()


@cache
def _decode_controller(raw: bytes) -> OwnerReference | None:
    try:
        owners = json.decode(raw, type=tuple[OwnerReference, ...])
    except MsgspecError:  # a null, which Kubernetes takes for an absent field, or something that it would never write
        data = json.decode(raw)
        every = [item for item in data if isinstance(item, dict)] if isinstance(data, list) else []
        texts = [{key: value for key, value in each.items() if isinstance(value, str | bool)} for each in every]
        owners = tuple(_make_owner_reference(text) for text in texts)
    return next((owner for owner in owners if owner.controller), None)


def _make_owner_reference(data: dict[str, str | bool]) -> OwnerReference:
    kind, name, uid = (value if isinstance(value, str) else "" for value in map(data.get, ("kind", "name", "uid")))
    return OwnerReference(kind, name, uid, data.get("controller") is True)


def find_controller(pod: CoveragePod) -> OwnerReference | None:
    """The owner that controls a listed pod, as a Job or a DaemonSet does; None where there is none."""
    raw = pod.metadata.ownerReferences
    return _decode_controller(bytes(raw)) if raw else None


class Namespace(SourcedObject, frozen=True, gc=False):
    """v1 Namespace: its annotations can hold a default node selector."""

    metadata: Metadata = Metadata()


class PriorityClass(SourcedObject, frozen=True, gc=False):
    """scheduling.k8s.io/v1 PriorityClass."""

    metadata: Metadata = Metadata()
    value: int = 0


class CSIDriver(SourcedObject, frozen=True, gc=False):
    """storage.k8s.io/v1 CSIDriver."""

    metadata: Metadata = Metadata()


class RuntimeScheduling(APIStruct, frozen=True, gc=False):
    """`scheduling` of a RuntimeClass: what admission adds to each pod of it, after placement."""

    nodeSelector: dict[str, str] = {}
    tolerations: tuple[Toleration, ...] = ()


class RuntimeClass(SourcedObject, frozen=True, gc=False):
    """node.k8s.io/v1 RuntimeClass: `overhead` has `podFixed`, what each pod takes besides its containers."""

    metadata: Metadata = Metadata()
    overhead: dict[str, dict[str, str | int | float]] = {}
    scheduling: RuntimeScheduling | None = None


Workload = DaemonSet | Deployment | CronJob | Pod


def make_object_key(metadata: Metadata, origin: Origin) -> ObjectKey:
    """The key of a namespaced object: see ObjectKey."""
    return ObjectKey(metadata.namespace, metadata.name, "" if metadata.namespace else origin.file)


POD_TEMPLATE_SPEC: tuple[str, ...] = ("spec", "template", "spec")
"""The path to the pod spec of every workload but Pod and CronJob, whose paths `locate_pod_spec` gives."""


def locate_pod_spec(workload: Workload) -> tuple[PodSpec, tuple[str, ...]]:
    """The pod spec of a workload, and the path that leads to it."""
    if isinstance(workload, Pod):
        return workload.spec, ("spec",)
    if isinstance(workload, CronJob):
        return workload.spec.jobTemplate.spec.template.spec, ("spec", "jobTemplate", *POD_TEMPLATE_SPEC)
    return workload.spec.template.spec, POD_TEMPLATE_SPEC
