"""What the pods of a large cluster take of its nodes: pods that ask for the same in the same words are counted once."""

from __future__ import annotations

import msgspec
from msgspec import Raw, Struct

from preflight.model.lazy_pods import UndecodedPods
from preflight.model.world import World
from preflight.scheduling.occupancy import Guard, Occupancy, Taken, occupied, occupy, taken_by, unwanted
from preflight.scheduling.uncertainty import Unjudged, doubt


class _Spec(Struct, frozen=True, gc=False):
    containers: Raw = Raw()
    initContainers: Raw = Raw()
    resources: Raw = Raw()
    overhead: Raw = Raw()
    hostNetwork: Raw = Raw()
    priority: Raw = Raw()


class _Words(Struct, frozen=True, gc=False):
    """What decides what a pod takes, as text."""

    spec: _Spec = _Spec()
    status: Raw = Raw()


_DECODER = msgspec.json.Decoder(_Words)
_GUARDS, _RESIZED, _SIZED = _APART = (b"podAntiAffinity", b"PodResize", b'"allocatedResources"')
"""What makes a pod one of its own: what it wants no pod of near it, and a size that changes."""


def occupancy(world: World) -> Occupancy:
    """What the pods take of the nodes, as `occupy` has it of the same pods.

    A pod takes what another one takes that asks for it in the same words. One with any of `_APART`, one whose
    status states sizes, and one without a node is read by itself.
    """
    survey, running = world.survey, world.running or {}
    nodes = [node for node in world.nodes.values() if node.pool is None]
    all_nodes = survey is None or survey.nodes
    if not isinstance(running, UndecodedPods):
        return occupy(nodes, running.values(), all_pods=world.listed is None, all_nodes=all_nodes)
    taken: dict[str, list[Taken]] = {}
    guards: list[Guard] = []
    alike: dict[tuple[bytes, ...], Taken] = {}
    for pod in sorted(world.pods, key=lambda each: (each.metadata.namespace, each.metadata.name)):
        key, node = (pod.metadata.namespace, pod.metadata.name), pod.spec.nodeName
        if pod.status.phase in ("Succeeded", "Failed") or key not in running:
            continue
        words = _words(running, key) if node else None
        if words is not None and (found := alike.get(words)) is not None:
            taken.setdefault(node, []).append(Taken(key, found.amounts, found.ports, found.priority))
            continue
        whole = running.get(key)
        if whole is None:
            continue
        nominated = not node
        node = node or whole.status.nominatedNodeName
        if node:
            one = taken_by(whole, nominated=nominated)
            taken.setdefault(node, []).append(one)
            guards += (Guard(key, node, term) for term in unwanted(whole) if not nominated)
            if words is not None and not one.doubts:
                alike[words] = one
    doubts = [doubt(Unjudged.PODS)] if world.listed is not None else []
    doubts += [] if all_nodes else [doubt(Unjudged.NODES)]
    return occupied(nodes, taken, guards, doubts)


def _words(running: UndecodedPods, key: tuple[str, str]) -> tuple[bytes, ...] | None:
    """What decides what a pod takes, in its words; None for one to be read by itself."""
    text = running.text(key)
    if _GUARDS in text or _RESIZED in text or _SIZED in text:
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
