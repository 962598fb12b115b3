"""Objects of the core API (and of scheduling.k8s.io and node.k8s.io): nodes, pods, taints, tolerations, volumes."""

from __future__ import annotations

from functools import cache

from msgspec import MsgspecError, Raw, field, json

from preflight.model.meta import APIStruct, Condition, Metadata, OwnerReference, Refusal, SelectorRequirement, SourcedObject

TAINT_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
"""The effects of a taint, as Kubernetes spells them."""


class Taint(APIStruct, frozen=True, gc=False):
    """`spec.taints[]` of a Node; an absent value is ""."""

    key: str = ""
    value: str = ""
    effect: str = ""

    def __str__(self) -> str:
        """As kubectl writes it: `key=value:Effect`, `key:Effect` where the value is empty."""
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


class Toleration(APIStruct, frozen=True, gc=False):
    """`tolerations[]` of a pod; an absent operator means Equal, an absent effect every effect, absent seconds for ever.

    `since` is the version of an operator from which on it sets the toleration, where its version is not known; "" otherwise.
    """

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    tolerationSeconds: int | None = None
    since: str = field(default="", name="\ue000since")


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


class Pod(SourcedObject, frozen=True, gc=False):
    """v1 Pod as a manifest: no evidence that it runs (see ListedPod)."""

    metadata: Metadata = Metadata()
    spec: PodSpec = PodSpec()


class NodeSpec(APIStruct, frozen=True, gc=False):
    """`spec` of a Node."""

    taints: tuple[Taint, ...] = ()
    unschedulable: bool = False


class NodeSystemInfo(APIStruct, frozen=True, gc=False):
    """`nodeInfo` of a Node's status."""

    kubeletVersion: str = ""


class NodeStatus(APIStruct, frozen=True, gc=False):
    """`status` of a Node: `allocatable` are quantities as they are written, {} where no status was given."""

    conditions: tuple[Condition, ...] = ()
    allocatable: dict[str, str | int | float] = {}
    nodeInfo: NodeSystemInfo = NodeSystemInfo()


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
    6. `automatic_taints` are those of its taints that it does not declare: the provider adds them by itself.
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
    automatic_taints: tuple[Taint, ...] = ()


class Node(SourcedObject, tag="Node", tag_field="kind", frozen=True, gc=False):
    """v1 Node.

    1. A `is_partial` node is only partly known (named by a selector, a name that the input lacks, or a pool): a label that it does not
       state is unknown, not absent, unless it is in `absent_labels`.
       `unstated_labels` are labels of another node that something may set although its manifest does not state them: unknown as well.
    2. The name of a partial node that stands for many is what selects them, in brackets.
    3. A node with a `pool` is the template of that pool: what its next node is like once it is up. `startup_taints` are the taints that
       such a node starts with and that something removes; they are not in `spec.taints`.
    """

    metadata: Metadata = Metadata()
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()
    is_partial: bool = field(default=False, name="\ue000partial")
    absent_labels: frozenset[str] = field(default=frozenset(), name="\ue000absent")
    unstated_labels: frozenset[str] = field(default=frozenset(), name="\ue000unstated")
    startup_taints: tuple[Taint, ...] = field(default=(), name="\ue000startup")
    pool: PoolTemplate | None = field(default=None, name="\ue000pool")

    @property
    def name(self) -> str:
        """`metadata.name`."""
        return self.metadata.name

    @property
    def has_unknown_labels(self) -> bool:
        """Whether the node may have labels that it does not state: `absent_labels` then says which ones it surely does not have."""
        return self.is_partial or bool(self.unstated_labels)

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
    annotations: Raw = Raw()
    ownerReferences: Raw = Raw()
    deletionTimestamp: str = ""


class _CoveragePodSpec(APIStruct, frozen=True, gc=False):
    nodeName: str = ""
    tolerations: Raw = Raw()
    affinity: Raw = Raw()
    nodeSelector: Raw = Raw()
    containers: Raw = Raw()
    initContainers: Raw = Raw()
    volumes: Raw = Raw()


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
        texts = [{key: value for key, value in item.items() if isinstance(value, str | bool)} for item in every]
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
    """scheduling.k8s.io/v1 PriorityClass; the `globalDefault` one is that of pods that name none."""

    metadata: Metadata = Metadata()
    value: int = 0
    globalDefault: bool = False
    preemptionPolicy: str = ""


class RuntimeScheduling(APIStruct, frozen=True, gc=False):
    """`scheduling` of a RuntimeClass: what admission adds to each pod of it, after placement."""

    nodeSelector: dict[str, str] = {}
    tolerations: tuple[Toleration, ...] = ()


class RuntimeClass(SourcedObject, frozen=True, gc=False):
    """node.k8s.io/v1 RuntimeClass: `overhead` has `podFixed`, what each pod takes besides its containers."""

    metadata: Metadata = Metadata()
    overhead: dict[str, dict[str, str | int | float]] = {}
    scheduling: RuntimeScheduling | None = None


POD_TEMPLATE_SPEC: tuple[str, ...] = ("spec", "template", "spec")
"""The path to the pod spec of every workload but Pod and CronJob, whose paths `locate_pod_spec` gives."""


class ScopeExpression(APIStruct, frozen=True, gc=False):
    """Pods that a ResourceQuota counts: those of a scope, of its `values` where `operator` compares them."""

    scopeName: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()


class ScopeSelector(APIStruct, frozen=True, gc=False):
    """`spec.scopeSelector` of a ResourceQuota: all expressions have to hold."""

    matchExpressions: tuple[ScopeExpression, ...] = ()


class QuotaSpec(APIStruct, frozen=True, gc=False):
    """`spec` of a ResourceQuota; one with scopes counts only some of the pods."""

    hard: dict[str, str | int | float] = field(default_factory=dict)
    scopes: tuple[str, ...] = ()
    scopeSelector: ScopeSelector = ScopeSelector()


class QuotaStatus(APIStruct, frozen=True, gc=False):
    """`status` of a ResourceQuota: what is used, as the controller counts it."""

    used: dict[str, str | int | float] = field(default_factory=dict)


class ResourceQuota(SourcedObject, frozen=True, gc=False):
    """v1 ResourceQuota."""

    metadata: Metadata = Metadata()
    spec: QuotaSpec = QuotaSpec()
    status: QuotaStatus = QuotaStatus()
