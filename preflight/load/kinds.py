"""Which documents are ours to judge, told from their plain data alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from preflight.messages.load import (
    NOT_AN_OBJECT,
    explain_no_clue,
    explain_patch,
    explain_unchecked_group,
    explain_unchecked_kind,
    explain_unnamed,
)
from preflight.model.apps import DaemonSet, Deployment, ReplicaSet, StatefulSet
from preflight.model.autoscaling import HorizontalPodAutoscaler, ScaledObject
from preflight.model.batch import CronJob, Job, JobSet
from preflight.model.core import POD_TEMPLATE_SPEC, Namespace, Node, Pod, PriorityClass, ResourceQuota, RuntimeClass
from preflight.model.meta import SourcedObject
from preflight.model.policy import PodDisruptionBudget
from preflight.model.storage import ConfigMap, CSIDriver, PersistentVolume, PersistentVolumeClaim, StorageClass
from preflight.operators.facts import index_resources

PlainObject = dict[str, Any]


class CheckedKind(NamedTuple):
    """A kind that is judged: its Struct, the API groups that it lived in ("" is the core group), and the way to its pod spec."""

    type: type[SourcedObject]
    groups: tuple[str, ...]
    pod_spec: tuple[str, ...] = ()
    has_selector: bool = False
    is_namespaced: bool = True


CHECKED_KINDS: Mapping[str, CheckedKind] = {
    "Node": CheckedKind(Node, ("",), is_namespaced=False),
    "DaemonSet": CheckedKind(DaemonSet, ("apps", "extensions"), POD_TEMPLATE_SPEC, has_selector=True),
    "Deployment": CheckedKind(Deployment, ("apps", "extensions"), POD_TEMPLATE_SPEC, has_selector=True),
    "StatefulSet": CheckedKind(StatefulSet, ("apps",), POD_TEMPLATE_SPEC, has_selector=True),
    "ReplicaSet": CheckedKind(ReplicaSet, ("apps", "extensions"), POD_TEMPLATE_SPEC, has_selector=True),
    "Job": CheckedKind(Job, ("batch",), POD_TEMPLATE_SPEC),
    "CronJob": CheckedKind(CronJob, ("batch",), ("spec", "jobTemplate", *POD_TEMPLATE_SPEC)),
    "Pod": CheckedKind(Pod, ("",), ("spec",)),
    "PodDisruptionBudget": CheckedKind(PodDisruptionBudget, ("policy",)),
    "Namespace": CheckedKind(Namespace, ("",), is_namespaced=False),
    "PriorityClass": CheckedKind(PriorityClass, ("scheduling.k8s.io",), is_namespaced=False),
    "RuntimeClass": CheckedKind(RuntimeClass, ("node.k8s.io",), is_namespaced=False),
    "CSIDriver": CheckedKind(CSIDriver, ("storage.k8s.io",), is_namespaced=False),
    "JobSet": CheckedKind(JobSet, ("jobset.x-k8s.io",)),
    "PersistentVolumeClaim": CheckedKind(PersistentVolumeClaim, ("",)),
    "PersistentVolume": CheckedKind(PersistentVolume, ("",), is_namespaced=False),
    "StorageClass": CheckedKind(StorageClass, ("storage.k8s.io",), is_namespaced=False),
    "ConfigMap": CheckedKind(ConfigMap, ("",)),
    "ResourceQuota": CheckedKind(ResourceQuota, ("",)),
    "HorizontalPodAutoscaler": CheckedKind(HorizontalPodAutoscaler, ("autoscaling",)),
    "ScaledObject": CheckedKind(ScaledObject, ("keda.sh",)),
}
"""The kinds that are judged, by name."""

POOL_KINDS: Mapping[str, tuple[str, ...]] = {
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

OPERATOR_KINDS: frozenset[str] = frozenset(kind for kind, group in index_resources() if group)
"""The kinds of custom resources from which known operators make DaemonSets: see `operators`. Their API group decides, too."""

SINGLE_KINDS = frozenset({*CHECKED_KINDS, *POOL_KINDS, *OPERATOR_KINDS})
"""The kinds of single objects that are read."""

WANTED_KINDS = frozenset({"List", SNAPSHOT, *SINGLE_KINDS, *(f"{name}List" for name in SINGLE_KINDS)})
"""What `kind` must be for a document to be parsed."""

STATE_KINDS = frozenset({"Event", "CSINode"})
"""Kinds of which a snapshot keeps some objects for those who ask what is broken today: see `observed`."""

STATE_LISTS = frozenset(f"{kind}List" for kind in STATE_KINDS)
"""The lists of these kinds, as the API answers with."""

CLUES_BY_KIND: Mapping[str, tuple[str, ...]] = {
    "ConfigMap": (
        *("resourceList", "configList", "renameByDefault", "rename:"),
        *("_PLUGIN_TOLERATIONS", "ROOK_USE_CSI_OPERATOR", "ROOK_ENABLE_DISCOVERY_DAEMON", "ROOK_CSI_ENABLE", "taint-toleration"),
        *("rook-ceph-operator-config", "longhorn-default-setting"),
        *("kube-proxy-replacement", "agent-not-ready-taint-key", "proxyAll", "bpfEnabled", "felix_bpfenabled", "FELIX_BPFENABLED"),
    )
}
"""Kinds that people have many of and that say something to us only where one of these words stands: what device plugins advertise, and
whether a network replaces kube-proxy (`preflight/components`); and the settings that Rook and Longhorn read from one."""

# Versions whose server filled an absent selector from the labels of the template.
_SELECTOR_FILLED = frozenset({"extensions/v1beta1", "apps/v1beta1"})


def get_api_group(api_version: str) -> str:
    """The API group of an apiVersion: `apps` of `apps/v1`, "" of `v1`."""
    return api_version.rpartition("/")[0]


def is_list(data: PlainObject) -> bool:
    """Whether it is a List or a list of a kind that we judge: `kind: List`, `PodList`, or a snapshot. Other lists have nothing for us."""
    kind = data.get("kind")
    if kind == SNAPSHOT:
        return is_snapshot(kind, data.get("apiVersion"))
    return isinstance(kind, str) and kind.endswith("List") and kind in WANTED_KINDS and kind not in SINGLE_KINDS


def is_snapshot(kind: str, api_version: object) -> bool:
    """Whether it is what `preflight snapshot` wrote, of whatever version."""
    return kind == SNAPSHOT and isinstance(api_version, str) and get_api_group(api_version) == SNAPSHOT_GROUP


def declares_pool(data: PlainObject) -> bool:
    """Whether an object declares pools of nodes, or says more of them: its kind and its API group are theirs, and it has a name."""
    name, api_version = data.get("kind"), data.get("apiVersion")
    if not isinstance(name, str) or not isinstance(api_version, str) or get_api_group(api_version) not in POOL_KINDS.get(name, ()):
        return False
    return isinstance(get_path(data, ("metadata", "name")), str)


def explain_unchecked(data: PlainObject, *, is_from_snapshot: bool = False) -> str:
    """Why an object is not judged, in words that fit after a count; "" where it is.

    1. No `kind` that is a word: not a Kubernetes object. One of our kinds with metadata and no apiVersion is judged; the API refuses it.
    2. A kind of another API group that only has the name of ours is not ours; a version that is gone (`extensions/v1beta1`) is.
    3. An object without a name, a selector (where its version wants one) or containers is a part of one: a patch. A value of
       the wrong type in their stead is no patch but a mistake, and left for the conversion to name.
    4. One of a kind with `CLUES_BY_KIND` whose data holds none of these words.
    5. With `is_from_snapshot` it stands in a snapshot, which keeps of whole objects what is read: 3 and 4 were asked when that was made.
    """
    name, api_version = data.get("kind"), data.get("apiVersion")
    if not isinstance(name, str) or not name or not isinstance(api_version, str | None):
        return NOT_AN_OBJECT
    kind = CHECKED_KINDS.get(name)
    if kind is None:
        return explain_unchecked_kind(name) if api_version else NOT_AN_OBJECT
    if api_version is not None and get_api_group(api_version) not in kind.groups:
        return explain_unchecked_group(name, get_api_group(api_version))
    metadata = data.get("metadata")
    if api_version is None and not isinstance(metadata, dict):
        return NOT_AN_OBJECT
    if metadata is None or (isinstance(metadata, dict) and _is_absent(metadata.get("name") or metadata.get("generateName"))):
        return explain_unnamed(name)
    if is_from_snapshot:
        return ""
    if kind.has_selector and api_version not in _SELECTOR_FILLED and _is_absent(get_path(data, ("spec", "selector"))):
        return explain_patch(name, "a selector")
    if kind.pod_spec and _is_absent(get_path(data, (*kind.pod_spec, "containers"))):
        return explain_patch(name, "containers")
    if name in CLUES_BY_KIND and not has_clue(name, repr(data.get("data"))):
        return explain_no_clue(name)
    return ""


def has_clue(kind: str, text: str) -> bool:
    """Whether a text holds one of the words without which a kind says nothing to us."""
    return any(clue in text for clue in CLUES_BY_KIND[kind])


def get_path(data: object, path: tuple[str, ...]) -> object:
    """What stands at a path of map keys: None where it is absent, the value itself where a map was expected and is none."""
    for name in path:
        if not isinstance(data, dict):
            return data
        data = data.get(name)
    return data


def is_unrendered(data: PlainObject) -> bool:
    """Whether a part of it that decides a placement is still a template's text: its names, labels, selection, tolerations or taints."""
    kind = CHECKED_KINDS.get(data["kind"])
    metadata = data.get("metadata")
    parts: list[object] = [data.get("spec") if data["kind"] in OPERATOR_KINDS else get_path(data, ("spec", "taints"))]
    if isinstance(metadata, dict):
        parts += [metadata.get("name"), metadata.get("namespace"), metadata.get("labels")]
    spec = get_path(data, kind.pod_spec) if kind and kind.pod_spec else None
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
