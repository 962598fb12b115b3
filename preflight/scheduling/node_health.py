"""What a node is like for who ends its pods: its kubelet, pod garbage collection in its place, or what stands behind a virtual node."""

from __future__ import annotations

from preflight.model.core import Node

OUT_OF_SERVICE = "node.kubernetes.io/out-of-service"

_VIRTUAL_NODE_LABELS = (("type", "virtual-kubelet"), ("eks.amazonaws.com/compute-type", "fargate"))


def is_kubelet_silent(node: Node) -> bool:
    """Whether the kubelet of a node no longer reports: the node controller has set its condition Ready to Unknown.

    A kubelet that reports Ready=False still ends pods. Source: `pkg/controller/nodelifecycle/node_lifecycle_controller.go`,
    tryUpdateNodeHealth.
    """
    return any(condition.type == "Ready" and condition.status == "Unknown" for condition in node.status.conditions)


def has_out_of_service_taint(node: Node) -> bool:
    """Whether a node has the taint out-of-service, of whatever value and effect: the key alone counts."""
    return any(taint.key == OUT_OF_SERVICE for taint in node.spec.taints)


def is_out_of_service(node: Node) -> bool:
    """Whether pod garbage collection deletes the terminating pods of a node by force, whatever they tolerate.

    1. The node is not Ready (False or Unknown; a node without the condition counts as not Ready, and one of which no status is known
       does not).
    2. It has the taint out-of-service.

    Source: `pkg/controller/podgc/gc_controller.go`, gcTerminating.
    """
    return node.is_ready is False and has_out_of_service_taint(node)


def is_virtual(node: Node) -> bool:
    """Whether nothing but pods of a service stands behind a node, so that no DaemonSet has a pod there."""
    return any(node.metadata.labels.get(key) == value for key, value in _VIRTUAL_NODE_LABELS)
