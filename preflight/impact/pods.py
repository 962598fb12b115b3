"""Which nodes have a live pod of which DaemonSet: from listed pods, or assumed where the DaemonSet should run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw, Struct

from preflight.model.objects import ObjectKey, Toleration, controller
from preflight.model.world import World

_TOLERATIONS = msgspec.json.Decoder(tuple[Toleration, ...])


class PodGroup(Struct, frozen=True):
    """Live pods of one DaemonSet, one a node, that share their own tolerations (the implicit ones included).

    1. `assumed`: no pods were given; the pod is there because the DaemonSet should run.
    2. `conditional`: it is there only if labels that are not known match.
    3. `old`: of a template before the DaemonSet's own; an update is held up. `listed`: the pod was listed and is the same since.
    """

    nodes: frozenset[str]
    tolerations: tuple[Toleration, ...]
    assumed: bool = False
    conditional: bool = False
    old: bool = False
    listed: bool = False


_ByTolerations = defaultdict[bytes, set[str]]


class _Found(NamedTuple):
    """The nodes with pods of one DaemonSet: live ones by their tolerations, those on the way out or in; "" for one that is not bound.

    `leaving` are those where one terminates.
    """

    live: _ByTolerations
    moving: set[str]
    leaving: set[str]


class Made(Struct, frozen=True):
    """Pods, by their nodes, of a template that is not their DaemonSet's own.

    `template` is a text that tells it from others; `generation` the number that the pods carry as a label, 0 where it is not known.
    """

    nodes: frozenset[str]
    template: str
    generation: int = 0


class PodsOf(Struct, frozen=True):
    """The pods of one DaemonSet.

    `decided` are the nodes of which it is settled whether a pod is there: those judged before, and for listed pods the nodes given and
    the nodes that any listed pod is on. On any other node a pod is assumed where the DaemonSet should run. `transit` are nodes without a
    live pod where one is on its way out or in: being deleted, failed, or not bound yet. `leaving` are nodes where one is being deleted.
    `made` says of which template the old pods are.
    """

    groups: tuple[PodGroup, ...] = ()
    decided: frozenset[str] = frozenset()
    transit: frozenset[str] = frozenset()
    leaving: frozenset[str] = frozenset()
    made: tuple[Made, ...] = ()


def listed_pods(world: World) -> dict[ObjectKey, PodsOf]:
    """The pods of every DaemonSet whose namespace was listed.

    1. A pod counts where its controller is a DaemonSet, it is bound to a node, neither Failed nor Succeeded, and not being deleted.
    2. The owner's uid decides where both are known, else kind, namespace and name.
    3. The template node of a pool is not settled by a list: its next node is not there yet.
    4. A DaemonSet without a stated namespace has no listed pods: which namespace it is applied to is not known.
    """
    found: defaultdict[tuple[str, str], _Found] = defaultdict(lambda: _Found(defaultdict(set), set(), set()))
    uids = {(key.namespace, key.name): daemonset.metadata.uid for key, daemonset in world.daemonsets.items()}
    owned: dict[tuple[str, bytes], _Found | None] = {}
    for pod in world.pods:
        metadata, spec = pod.metadata, pod.spec
        owners = (metadata.namespace, bytes(metadata.ownerReferences))
        if owners not in owned:
            owner = controller(pod)
            key = (metadata.namespace, owner.name) if owner and owner.kind == "DaemonSet" else ("", "")
            uid = uids.get(key)
            is_its = owner is not None and uid is not None and (not uid or not owner.uid or uid == owner.uid)
            owned[owners] = found[key] if is_its else None
        pods = owned[owners]
        if pods is None:
            continue
        if not spec.nodeName or metadata.deletionTimestamp or pod.status.phase in ("Failed", "Succeeded"):
            pods.moving.add(spec.nodeName)
            if spec.nodeName and pod.status.phase not in ("Failed", "Succeeded"):
                pods.leaving.add(spec.nodeName)
        else:
            pods.live[bytes(spec.tolerations)].add(spec.nodeName)
    there = {name for name, node in world.nodes.items() if node.pool is None}
    decided = frozenset(there | {pod.spec.nodeName for pod in world.pods})
    return {
        key: _pods_of(found[key.namespace, key.name], decided)
        for key in world.daemonsets
        if key.namespace and world.pods_known(key.namespace, key.name)
    }


def _pods_of(found: _Found, decided: frozenset[str]) -> PodsOf:
    groups = _groups(found.live)
    if not found.moving:
        return PodsOf(groups, decided)
    moving = decided if "" in found.moving else frozenset(found.moving)
    return PodsOf(groups, decided | moving, moving.difference(*(group.nodes for group in groups)), frozenset(found.leaving))


def plain(raw: Raw) -> list[dict[str, Any]]:
    """The maps of a list that was kept undecoded; what is no list has none."""
    data = msgspec.json.decode(raw) if raw else None
    return [each for each in data if isinstance(each, dict)] if isinstance(data, list) else []


def _groups(by_tolerations: Mapping[bytes, set[str]]) -> tuple[PodGroup, ...]:
    return tuple(PodGroup(frozenset(nodes), tolerations_of(raw), listed=True) for raw, nodes in sorted(by_tolerations.items()))


def tolerations_of(raw: bytes) -> tuple[Toleration, ...]:
    """A pod's own tolerations; null is an absent field, and what the API would never hold tolerates nothing."""
    try:
        return _TOLERATIONS.decode(raw) if raw and raw != b"null" else ()
    except msgspec.MsgspecError:
        return tuple(_toleration(each) for each in plain(Raw(raw)))


def _toleration(data: dict[str, Any]) -> Toleration:
    key, operator, value, effect = (text if isinstance(text, str) else "" for text in map(data.get, ("key", "operator", "value", "effect")))
    seconds = data.get("tolerationSeconds")
    return Toleration(key, operator, value, effect, seconds if type(seconds) is int else None)
