"""Which nodes have a live pod of which DaemonSet: from listed pods, or assumed where the DaemonSet should run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

import msgspec
from msgspec import Struct

from preflight.model.objects import ObjectKey, Toleration, controller
from preflight.model.world import World

_TOLERATIONS = msgspec.json.Decoder(tuple[Toleration, ...])


class PodGroup(Struct, frozen=True):
    """Live pods of one DaemonSet, one a node, that share their own tolerations (the implicit ones included).

    1. `assumed`: no pods were given; the pod is there because the DaemonSet should run.
    2. `conditional`: it is there only if labels that are not known match.
    """

    nodes: frozenset[str]
    tolerations: tuple[Toleration, ...]
    assumed: bool = False
    conditional: bool = False


_ByTolerations = defaultdict[bytes, set[str]]


class PodsOf(Struct, frozen=True):
    """The pods of one DaemonSet.

    `decided` are the nodes of which it is settled whether a pod is there: those judged before, and for listed pods the nodes given and
    the nodes that any listed pod is on. On any other node a pod is assumed where the DaemonSet should run.
    """

    groups: tuple[PodGroup, ...] = ()
    decided: frozenset[str] = frozenset()


def listed_pods(world: World) -> dict[ObjectKey, PodsOf]:
    """The pods of every DaemonSet whose namespace was listed.

    1. A pod counts where its controller is a DaemonSet, it is bound to a node, neither Failed nor Succeeded, and not being deleted.
    2. The owner's uid decides where both are known, else kind, namespace and name.
    3. The template node of a pool is not settled by a list: its next node is not there yet.
    4. A DaemonSet without a stated namespace has no listed pods: which namespace it is applied to is not known.
    """
    found: defaultdict[tuple[str, str], _ByTolerations] = defaultdict(lambda: defaultdict(set))
    uids = {(key.namespace, key.name): daemonset.metadata.uid for key, daemonset in world.daemonsets.items()}
    owned: dict[tuple[str, bytes], _ByTolerations | None] = {}
    for pod in world.pods:
        metadata, spec = pod.metadata, pod.spec
        if not spec.nodeName or metadata.deletionTimestamp or pod.status.phase in ("Failed", "Succeeded"):
            continue
        owners = (metadata.namespace, bytes(metadata.ownerReferences))
        if owners not in owned:
            owner = controller(pod)
            key = (metadata.namespace, owner.name) if owner and owner.kind == "DaemonSet" else ("", "")
            uid = uids.get(key)
            is_its = owner is not None and uid is not None and (not uid or not owner.uid or uid == owner.uid)
            owned[owners] = found[key] if is_its else None
        pods = owned[owners]
        if pods is not None:
            pods[bytes(spec.tolerations)].add(spec.nodeName)
    names = {name for name, node in world.nodes.items() if node.pool is None} | {pod.spec.nodeName for pod in world.pods}
    return {
        key: PodsOf(_groups(found[key.namespace, key.name]), frozenset(names))
        for key in world.daemonsets
        if key.namespace and world.pods_known(key.namespace)
    }


def _groups(by_tolerations: Mapping[bytes, set[str]]) -> tuple[PodGroup, ...]:
    return tuple(
        PodGroup(frozenset(nodes), _TOLERATIONS.decode(raw) if raw and raw != b"null" else ())
        for raw, nodes in sorted(by_tolerations.items())
    )
