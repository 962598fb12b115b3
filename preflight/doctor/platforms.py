"""Images that are not made for the node of their pod: another operating system, or another architecture."""

from __future__ import annotations

from msgspec.structs import replace

from preflight.coverage.node_platforms import ARCH_LABELS, OS_LABELS, get_platform, selects_any
from preflight.doctor.daemonset_health import DaemonSetPodHealth
from preflight.doctor.index import ClusterIndex
from preflight.doctor.pod_health import UnhealthyPod, WaitingContainer, WrongPlatform
from preflight.model.apps import DaemonSet
from preflight.model.image_platforms import find_missing_platform

_IMAGE_REASONS = frozenset(("ErrImagePull", "ImagePullBackOff", "ImageInspectError", "InvalidImageName"))


def find_wrong_platform(index: ClusterIndex, daemonset: DaemonSet, found: UnhealthyPod, health: DaemonSetPodHealth) -> WrongPlatform | None:
    """Whether the image of a pod of a DaemonSet is not for its node; None where nothing shows that.

    1. The container runtime says so, in the status of the container, or in an event of a pod of the DaemonSet on such a node.
    2. Or an image cannot be pulled on a node of another operating system or architecture than all nodes where the DaemonSet works.
    """
    waiting, node = found.reason, index.cluster.nodes.get(found.pod.spec.nodeName)
    if not isinstance(waiting, WaitingContainer) or waiting.reason not in _IMAGE_REASONS or node is None:
        return None
    platform = get_platform(node)
    working = [get_platform(index.cluster.nodes[name]) for name in sorted(health.working_nodes) if name in index.cluster.nodes]
    peers = [name for name in health.unhealthy_pods if name in index.cluster.nodes and get_platform(index.cluster.nodes[name]) == platform]
    pods = (unhealthy.pod for name in peers for unhealthy in health.unhealthy_pods[name])
    events = (event.message for pod in pods for event in index.events.get_events("Pod", *pod.key))
    stated = find_missing_platform((waiting.message, *events))
    if stated is None and waiting.message and not waiting.message.startswith("Back-off pulling image"):
        return None  # it says another reason
    wrong = WrongPlatform(waiting.container, waiting.reason, stated or str(platform), is_stated=stated is not None)
    spec = daemonset.spec.template.spec
    for labels, own, others in (
        (OS_LABELS, platform.os, {other.os for other in working}),
        (ARCH_LABELS, platform.arch, {other.arch for other in working}),
    ):
        if own and others and "" not in others and own not in others:
            return replace(wrong, label=labels[0], working_values=tuple(sorted(others)), is_selected=selects_any(spec, labels))
    return wrong if wrong.is_stated else None
