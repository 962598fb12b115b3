"""Bootstrap deadlocks: on a new node one DaemonSet waits for another, and that one for the first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.coverage.component_cache import Recognised
from preflight.model.objects import DaemonSet, NodeSelectorTerm, ObjectKey, PodSpec, Taint, Toleration
from preflight.model.world import World
from preflight.scheduling.tolerations import daemon_tolerations

if TYPE_CHECKING:
    from preflight.components import Component

_NOT_READY = "node.kubernetes.io/not-ready"
_UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized"
_API_ADDRESS = "KUBERNETES_SERVICE_HOST"


class Wait(Struct, frozen=True):
    """One DaemonSet waits for another on a new node, because of a label that the other sets, a taint that it clears, or Service addresses.

    `what` is `label`, `taint` or `service`; `name` is the key of the label or the taint with its effect, "" for Service addresses.
    """

    waits: ObjectKey
    awaited: ObjectKey
    what: str
    name: str = ""


def deadlocks(world: World, recognised: Recognised) -> tuple[tuple[Wait, ...], ...]:
    """The circles of DaemonSets that wait for one another on a new node, each once, the shortest first.

    1. A DaemonSet waits for the only one that sets a label which it cannot do without.
    2. It waits for the only one that clears a startup taint which it does not tolerate. Every new node is not-ready with NoSchedule
       until the pod network is there, and uninitialized where a cloud controller clears that; other startup taints count where a node
       carries them, or a pool declares them.
    3. The pod network waits for the Service proxy, through which it reaches the API server, unless it is told the API's address.
    4. Where two do the same (a repository of many clusters), nobody knows which of them is meant: then nobody waits for either.
    """
    waits: defaultdict[ObjectKey, list[Wait]] = defaultdict(list)
    for wait in _waits(world, recognised):
        waits[wait.waits].append(wait)
    found: dict[frozenset[ObjectKey], tuple[Wait, ...]] = {}
    for start in sorted(waits):
        for circle in _circles(start, start, waits, ()):
            members = frozenset(wait.waits for wait in circle)
            if members not in found or len(circle) < len(found[members]):
                found[members] = circle
    whole = sorted(found.items(), key=lambda item: (len(item[0]), sorted(item[0])))
    return tuple(circle for members, circle in whole if not any(other < members for other in found))


def _waits(world: World, recognised: Recognised) -> Iterator[Wait]:
    parts = {key: recognised.of(each) for key, each in world.daemonsets.items()}
    network = _only(key for key, found in parts.items() if any("pod" in component.networks for component in found))
    proxy = _only(key for key, found in parts.items() if _is(found, "kube-proxy"))
    setters = [(key, component) for key, found in parts.items() for component in found if component.labels]
    removers = _removers(world, parts, network)
    for key, daemonset in world.daemonsets.items():
        spec = daemonset.spec.template.spec
        tolerations = daemon_tolerations(spec)
        for label in sorted(required_labels(spec)):
            setter = _only(iter(dict.fromkeys(other for other, component in setters if component.sets_label(label))))
            if setter is not None:
                yield Wait(key, setter, "label", label)
        for taint, remover in removers.items():
            if not _may_tolerate(tolerations, taint):
                yield Wait(key, remover, "taint", f"{taint.key}:{taint.effect}")
        if key == network and proxy is not None and proxy != key and _API_ADDRESS not in _environment(daemonset):
            yield Wait(key, proxy, "service")


def _removers(world: World, parts: Mapping[ObjectKey, tuple[Component, ...]], network: ObjectKey | None) -> dict[Taint, ObjectKey]:
    """The startup taints that a new node surely carries, each with the only DaemonSet that clears it."""
    carried = {taint.key for node in world.nodes.values() for taint in (*node.spec.taints, *node.startup)}
    keys = {taint for found in parts.values() for component in found for taint in component.taints}
    removers: dict[Taint, ObjectKey] = {}
    for key in sorted(keys):
        remover = _only(other for other, found in parts.items() if any(key in component.taints for component in found))
        if remover is not None and (key == _UNINITIALIZED or key in carried):
            removers[Taint(key, "", "NoSchedule")] = remover
    if network is not None:
        removers[Taint(_NOT_READY, "", "NoSchedule")] = network
    return removers


def _only(keys: Iterator[ObjectKey]) -> ObjectKey | None:
    found = list(keys)
    return found[0] if len(found) == 1 else None


def _is(components: tuple[Component, ...], kind: str) -> bool:
    return any(component.kind.id == kind for component in components)


def _may_tolerate(tolerations: tuple[Toleration, ...], taint: Taint) -> bool:
    """Whether some value of a taint is tolerated: which value a startup taint has is not known."""
    return any(
        (not each.effect or each.effect == taint.effect) and (each.key == taint.key or (not each.key and each.operator == "Exists"))
        for each in tolerations
    )


def required_labels(spec: PodSpec) -> frozenset[str]:
    """The node labels without which a pod is placed nowhere: those of nodeSelector, and those that every term of the affinity needs."""
    keys = set(spec.nodeSelector)
    if spec.affinity and spec.affinity.nodeAffinity:
        required = spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution
        terms = [_needs(term) for term in required.nodeSelectorTerms] if required else []
        if terms:
            keys |= frozenset.intersection(*terms)
    return frozenset(keys)


def _needs(term: NodeSelectorTerm) -> frozenset[str]:
    return frozenset(each.key for each in term.matchExpressions if each.operator in ("In", "Exists", "Gt", "Lt"))


def _environment(daemonset: DaemonSet) -> frozenset[str]:
    """The names of environment variables that any container of the template sets."""
    spec = daemonset.data.get("spec")
    for step in ("template", "spec"):
        spec = spec.get(step) if isinstance(spec, dict) else None
    containers = spec.get("containers") if isinstance(spec, dict) else None
    every = [each.get("env") for each in containers if isinstance(each, dict)] if isinstance(containers, list) else []
    names = [each.get("name") for env in every if isinstance(env, list) for each in env if isinstance(each, dict)]
    return frozenset(name for name in names if isinstance(name, str))


def _circles(
    start: ObjectKey, at: ObjectKey, waits: Mapping[ObjectKey, list[Wait]], way: tuple[Wait, ...], limit: int = 4
) -> Iterator[tuple[Wait, ...]]:
    """The ways from a DaemonSet back to itself over DaemonSets that sort after it, so that each circle is found once."""
    for wait in waits.get(at, ()):
        if wait.awaited == start:
            yield (*way, wait)
        elif wait.awaited > start and len(way) + 1 < limit and all(wait.awaited != each.waits for each in way):
            yield from _circles(start, wait.awaited, waits, (*way, wait), limit)
