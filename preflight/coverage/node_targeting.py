"""What a pod template, or a pod of a DaemonSet, says of the nodes that it is for."""

from __future__ import annotations

from preflight.model.core import PodSpec
from preflight.model.pod_status import ClusterPod

# Labels that every node has: asking for one of these does not name a node.
_COMMON_LABELS = frozenset(("kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/os", "beta.kubernetes.io/arch"))

# Labels that tell where a node is or that it takes workloads, not what it is for.
_GENERAL_LABELS = _COMMON_LABELS | {
    *("topology.kubernetes.io/zone", "topology.kubernetes.io/region", "kubernetes.io/role"),
    *("failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"),
    *("node-role.kubernetes.io/worker", "node-role.kubernetes.io/node"),
}


def targets_nodes(spec: PodSpec) -> bool:
    """Whether a nodeName, nodeSelector or affinity asks for more than an operating system or architecture; to exclude names no node."""
    return bool(spec.nodeName or collect_asked_labels(spec) - _COMMON_LABELS)


def names_own_label(spec: PodSpec) -> bool:
    """Whether a nodeSelector or affinity asks for a label that tells what a node is for, or a nodeName for one node."""
    return bool(spec.nodeName or collect_asked_labels(spec) - _GENERAL_LABELS)


def collect_asked_labels(spec: PodSpec) -> set[str]:
    """The labels of nodes that a pod asks for, and the fields: to exclude a label asks for none."""
    keys = set(spec.nodeSelector)
    node_affinity = spec.affinity.nodeAffinity if spec.affinity else None
    required = node_affinity.requiredDuringSchedulingIgnoredDuringExecution if node_affinity else None
    for term in required.nodeSelectorTerms if required else ():
        asked = (*term.matchExpressions, *term.matchFields)
        keys.update(requirement.key for requirement in asked if requirement.operator in ("In", "Exists", "Gt", "Lt"))
    return keys


def get_target_node(pod: ClusterPod) -> str:
    """The node that a pod of a DaemonSet waits for, as the controller wrote it into its affinity; "" where it did not."""
    affinity = pod.spec.affinity.nodeAffinity if pod.spec.affinity else None
    required = affinity.requiredDuringSchedulingIgnoredDuringExecution if affinity else None
    fields = [match_field for term in required.nodeSelectorTerms for match_field in term.matchFields] if required else []
    return next((field.values[0] for field in fields if field.key == "metadata.name" and field.values), "")
