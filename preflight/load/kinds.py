"""Which documents are ours to judge, told from their plain data alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from preflight.model.budgets import PodDisruptionBudget
from preflight.model.objects import (
    POD_TEMPLATE_SPEC,
    CronJob,
    CSIDriver,
    DaemonSet,
    Deployment,
    Job,
    JobSet,
    Namespace,
    Node,
    Pod,
    PriorityClass,
    ReplicaSet,
    RuntimeClass,
    StatefulSet,
    _Read,
)
from preflight.model.quota import ResourceQuota
from preflight.model.storage import ConfigMap, PersistentVolume, PersistentVolumeClaim, StorageClass

Data = dict[str, Any]

_SHOWN = 60

NO_OBJECT = "not Kubernetes objects"
UNRENDERED = "unrendered chart template: render it first: helm template RELEASE {chart} | preflight ... --from -"


class Kind(NamedTuple):
    """A kind that is judged: its Struct, the API groups that it lived in ("" is the core group), and the way to its pod spec."""

    type: type[_Read]
    groups: tuple[str, ...]
    pod_spec: tuple[str, ...] = ()
    has_selector: bool = False
    is_namespaced: bool = True


KINDS: Mapping[str, Kind] = {
    "Node": Kind(Node, ("",), is_namespaced=False),
    "DaemonSet": Kind(DaemonSet, ("apps", "extensions"), POD_TEMPLATE_SPEC, has_selector=True),
    "Deployment": Kind(Deployment, ("apps", "extensions"), POD_TEMPLATE_SPEC, has_selector=True),
    "StatefulSet": Kind(StatefulSet, ("apps",), POD_TEMPLATE_SPEC, has_selector=True),
    "ReplicaSet": Kind(ReplicaSet, ("apps", "extensions"), POD_TEMPLATE_SPEC, has_selector=True),
    "Job": Kind(Job, ("batch",), POD_TEMPLATE_SPEC),
    "CronJob": Kind(CronJob, ("batch",), ("spec", "jobTemplate", *POD_TEMPLATE_SPEC)),
    "Pod": Kind(Pod, ("",), ("spec",)),
    "PodDisruptionBudget": Kind(PodDisruptionBudget, ("policy",)),
    "Namespace": Kind(Namespace, ("",), is_namespaced=False),
    "PriorityClass": Kind(PriorityClass, ("scheduling.k8s.io",), is_namespaced=False),
    "RuntimeClass": Kind(RuntimeClass, ("node.k8s.io",), is_namespaced=False),
    "CSIDriver": Kind(CSIDriver, ("storage.k8s.io",), is_namespaced=False),
    "JobSet": Kind(JobSet, ("jobset.x-k8s.io",)),
    "PersistentVolumeClaim": Kind(PersistentVolumeClaim, ("",)),
    "PersistentVolume": Kind(PersistentVolume, ("",), is_namespaced=False),
    "StorageClass": Kind(StorageClass, ("storage.k8s.io",), is_namespaced=False),
    "ConfigMap": Kind(ConfigMap, ("",)),
    "ResourceQuota": Kind(ResourceQuota, ("",)),
}
"""The kinds that are judged, by name."""

POOLS: Mapping[str, tuple[str, ...]] = {
    "NodePool": ("karpenter.sh",),
    "Provisioner": ("karpenter.sh",),
    "EC2NodeClass": ("karpenter.k8s.aws",),
    **dict.fromkeys(("MachineDeployment", "MachineSet", "MachinePool", "Cluster", "ClusterClass"), ("cluster.x-k8s.io",)),
    **dict.fromkeys(("KubeadmControlPlane", "KubeadmControlPlaneTemplate"), ("controlplane.cluster.x-k8s.io",)),
    **dict.fromkeys(("KubeadmConfigTemplate", "KubeadmConfig"), ("bootstrap.cluster.x-k8s.io",)),
    "ClusterConfig": ("eksctl.io",),
    "Nodegroup": ("eks.services.k8s.aws",),
    "NodeGroup": ("eks.aws.upbound.io", "eks.aws.m.upbound.io"),
    "ContainerNodePool": ("container.cnrm.cloud.google.com",),
    **dict.fromkeys(("ManagedClustersAgentPool", "ManagedCluster"), ("containerservice.azure.com",)),
    "InstanceGroup": ("kops.k8s.io",),
    "Shoot": ("core.gardener.cloud",),
}
"""The kinds that declare pools of nodes, or say more of them, and their API groups: see `pools`."""

SNAPSHOT = "Snapshot"
"""The kind of a file that `preflight snapshot` wrote; others have kinds of that name, so its API group counts too."""
SNAPSHOT_GROUP = "preflight"

WANTED = frozenset({"List", SNAPSHOT, *KINDS, *POOLS, *(f"{name}List" for name in (*KINDS, *POOLS))})
"""What `kind` must be for a document to be parsed."""

SAVED_STATE = frozenset({"Event", "CSINode"})
"""Kinds of which a snapshot keeps some objects for those who ask what is broken today: see `observed`."""

CLUES: Mapping[str, tuple[str, ...]] = {
    "ConfigMap": (
        *("resourceList", "configList", "renameByDefault", "rename:"),
        *("kube-proxy-replacement", "agent-not-ready-taint-key", "proxyAll", "bpfEnabled", "felix_bpfenabled", "FELIX_BPFENABLED"),
    )
}
"""Kinds that people have many of and that say something to us only where one of these words stands: what device plugins advertise, and
whether a network replaces kube-proxy (`preflight/components`)."""

# Versions whose server filled an absent selector from the labels of the template.
_SELECTOR_FILLED = frozenset({"extensions/v1beta1", "apps/v1beta1"})


def group(api_version: str) -> str:
    """The API group of an apiVersion: `apps` of `apps/v1`, "" of `v1`."""
    return api_version.rpartition("/")[0]


def is_list(data: Data) -> bool:
    """Whether it is a List or a list of a kind that we judge: `kind: List`, `PodList`, or a snapshot. Other lists have nothing for us."""
    kind = data.get("kind")
    if kind == SNAPSHOT:
        return is_snapshot(kind, data.get("apiVersion"))
    return isinstance(kind, str) and kind.endswith("List") and kind in WANTED and kind not in KINDS


def is_snapshot(kind: str, api_version: object) -> bool:
    """Whether it is what `preflight snapshot` wrote, of whatever version."""
    return kind == SNAPSHOT and isinstance(api_version, str) and group(api_version) == SNAPSHOT_GROUP


def is_pool(data: Data) -> bool:
    """Whether an object declares pools of nodes, or says more of them: its kind and its API group are theirs, and it has a name."""
    name, api_version = data.get("kind"), data.get("apiVersion")
    if not isinstance(name, str) or not isinstance(api_version, str) or group(api_version) not in POOLS.get(name, ()):
        return False
    return isinstance(at(data, ("metadata", "name")), str)


def why_not(data: Data, *, is_saved: bool = False) -> str:
    """Why an object is not judged, in words that fit after a count; "" where it is.

    1. No `kind` that is a word: not a Kubernetes object. One of our kinds with metadata and no apiVersion is judged; the API refuses it.
    2. A kind of another API group that only has the name of ours is not ours; a version that is gone (`extensions/v1beta1`) is.
    3. An object without a name, a selector (where its version wants one) or containers is a part of one: a patch. A value of
       the wrong type in their stead is no patch but a mistake, and left for the conversion to name.
    4. One of a kind with `CLUES` whose data holds none of these words.
    5. With `is_saved` it stands in a snapshot, which keeps of whole objects what is read: 3 and 4 were asked when that was made.
    """
    name, api_version = data.get("kind"), data.get("apiVersion")
    if not isinstance(name, str) or not name or not isinstance(api_version, str | None):
        return NO_OBJECT
    kind = KINDS.get(name)
    if kind is None:
        return f"kind {name[:_SHOWN]} is not judged" if api_version else NO_OBJECT
    if api_version is not None and group(api_version) not in kind.groups:
        return f"kind {name} of {group(api_version) or 'the core API'} is not judged"
    metadata = data.get("metadata")
    if api_version is None and not isinstance(metadata, dict):
        return NO_OBJECT
    if metadata is None or (isinstance(metadata, dict) and _is_absent(metadata.get("name") or metadata.get("generateName"))):
        return f"{name} without a name: part of an object"
    if is_saved:
        return ""
    if kind.has_selector and api_version not in _SELECTOR_FILLED and _is_absent(at(data, ("spec", "selector"))):
        return f"{name} without a selector: part of an object, as in a patch"
    if kind.pod_spec and _is_absent(at(data, (*kind.pod_spec, "containers"))):
        return f"{name} without containers: part of an object, as in a patch"
    if name in CLUES and not has_clue(name, repr(data.get("data"))):
        return f"{name} that says nothing of what is judged"
    return ""


def has_clue(kind: str, text: str) -> bool:
    """Whether a text holds one of the words without which a kind says nothing to us."""
    return any(clue in text for clue in CLUES[kind])


def at(data: object, path: tuple[str, ...]) -> object:
    """What stands at a path of map keys: None where it is absent, the value itself where a map was expected and is none."""
    for name in path:
        if not isinstance(data, dict):
            return data
        data = data.get(name)
    return data


def is_unrendered(data: Data) -> bool:
    """Whether a part of it that decides a placement is still a template's text: its names, labels, selection, tolerations or taints."""
    kind = KINDS.get(data["kind"])
    metadata = data.get("metadata")
    parts: list[object] = [at(data, ("spec", "taints"))]
    if isinstance(metadata, dict):
        parts += [metadata.get("name"), metadata.get("namespace"), metadata.get("labels")]
    spec = at(data, kind.pod_spec) if kind and kind.pod_spec else None
    if isinstance(spec, dict):
        parts += [spec.get(name) for name in ("nodeName", "nodeSelector", "affinity", "tolerations")]
    while parts:
        part = parts.pop()
        if isinstance(part, str):
            if "{{" in part:
                return True
        elif isinstance(part, dict):
            parts += part.keys()
            parts += part.values()
        elif isinstance(part, list):
            parts += part
    return False


def _is_absent(value: object) -> bool:
    return value is None or value == [] or value == ""
