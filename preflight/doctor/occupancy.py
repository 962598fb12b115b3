"""What the pods of a large cluster take of its nodes: pods that ask for the same in the same words are counted once."""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from preflight.model.lazy_pods import LazyPods
from preflight.model.runtime_state import PodState
from preflight.model.uncertainty import Uncertainty, UncertaintyKind
from preflight.model.world import ClusterState
from preflight.scheduling.occupancy import (
    Occupancy,
    PodAntiAffinity,
    PodUsage,
    assemble_occupancy,
    build_occupancy,
    list_anti_affinity_terms,
    measure_pod_usage,
)


class _UndecodedSpec(Struct, frozen=True, gc=False):
    containers: Raw = Raw()
    initContainers: Raw = Raw()
    resources: Raw = Raw()
    overhead: Raw = Raw()
    hostNetwork: Raw = Raw()
    priority: Raw = Raw()


class _UndecodedPod(Struct, frozen=True, gc=False):
    """What decides what a pod takes, as text."""

    spec: _UndecodedSpec = _UndecodedSpec()
    status: Raw = Raw()


_DECODER = msgspec.json.Decoder(_UndecodedPod)
_ANTI_AFFINITY_MARKER, _RESIZE_MARKER, _ALLOCATED_MARKER = _SEPARATE_MARKERS = (b"podAntiAffinity", b"PodResize", b'"allocatedResources"')
"""What makes a pod one of its own: what it wants no pod of near it, and a size that changes."""


def compute_occupancy(world: ClusterState) -> Occupancy:
    """What the pods take of the nodes, as `occupy` has it of the same pods.

    A pod takes what another one takes that asks for it in the same words. One with any of `_SEPARATE_MARKERS`, one whose
    status states sizes, and one without a node is read by itself.
    """
    survey, running = world.listing, world.pods_by_key or {}
    nodes = [node for node in world.nodes.values() if node.pool is None]
    all_nodes = survey is None or survey.nodes
    if not isinstance(running, LazyPods):
        return build_occupancy(nodes, running.values(), all_pods=world.listed_namespaces is None, all_nodes=all_nodes)
    taken: dict[str, list[PodUsage]] = {}
    guards: list[PodAntiAffinity] = []
    alike: dict[tuple[bytes, ...], PodUsage] = {}
    for pod in sorted(world.pods, key=lambda pod: (pod.metadata.namespace, pod.metadata.name)):
        key, node = (pod.metadata.namespace, pod.metadata.name), pod.spec.nodeName
        if pod.status.phase in ("Succeeded", "Failed") or key not in running:
            continue
        words = _extract_resource_text(running, key) if node else None
        if words is not None and (found := alike.get(words)) is not None:
            taken.setdefault(node, []).append(PodUsage(key, found.amounts, found.ports, found.priority))
            continue
        whole = running.get(key)
        if whole is None:
            continue
        nominated = not node
        node = node or whole.status.nominatedNodeName
        if node:
            one = measure_pod_usage(whole, is_nominated=nominated)
            taken.setdefault(node, []).append(one)
            guards += (PodAntiAffinity(key, node, term) for term in list_anti_affinity_terms(whole) if not nominated)
            if words is not None and not one.uncertainties:
                alike[words] = one
    doubts = [Uncertainty(UncertaintyKind.PODS)] if world.listed_namespaces is not None else []
    doubts += [] if all_nodes else [Uncertainty(UncertaintyKind.NODES)]
    return assemble_occupancy(nodes, taken, guards, doubts)


def _extract_resource_text(running: LazyPods[PodState], key: tuple[str, str]) -> tuple[bytes, ...] | None:
    """What decides what a pod takes, in its words; None for one to be read by itself."""
    text = running.read_text(key)
    if _ANTI_AFFINITY_MARKER in text or _RESIZE_MARKER in text or _ALLOCATED_MARKER in text:
        return None
    try:
        found = _DECODER.decode(text)
    except msgspec.MsgspecError:
        return None
    spec = found.spec
    if b'"resources"' in bytes(found.status):
        return None
    parts = (spec.containers, spec.initContainers, spec.resources, spec.overhead, spec.hostNetwork, spec.priority)
    return tuple(map(bytes, parts))
