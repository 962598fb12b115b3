"""Bootstrap deadlocks: on a new node one DaemonSet waits for another, and that one for the first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.components.catalog import find_startup_taint
from preflight.coverage.component_cache import ComponentCache
from preflight.model.apps import DaemonSet
from preflight.model.core import NodeSelectorTerm, PodSpec, Taint, Toleration
from preflight.model.meta import ObjectKey
from preflight.model.reasons import BootstrapWaitCause
from preflight.model.world import ClusterState
from preflight.scheduling.tolerations import add_implicit_tolerations

if TYPE_CHECKING:
    from preflight.components import Component

_NOT_READY = "node.kubernetes.io/not-ready"
_UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized"
_API_ADDRESS = "KUBERNETES_SERVICE_HOST"


class BootstrapWait(Struct, frozen=True):
    """One DaemonSet waits for another on a new node: for the label or the taint that is given, as `cause` says, or for neither."""

    waiting_key: ObjectKey
    awaited_key: ObjectKey
    cause: BootstrapWaitCause
    label: str = ""
    taint: Taint | None = None


def find_deadlocks(world: ClusterState, component_cache: ComponentCache) -> tuple[tuple[BootstrapWait, ...], ...]:
    """The circles of DaemonSets that wait for one another on a new node, each once, the shortest first.

    1. A DaemonSet waits for the only one that sets a label which it cannot do without.
    2. It waits for the only one that clears a startup taint which it does not tolerate. Every new node is not-ready with NoSchedule
       until the pod network is there, and uninitialized where a cloud controller clears that; other startup taints count where a node
       carries them, or a pool declares them. A controller that is no DaemonSet removes some of them once a DaemonSet has done its work:
       then that DaemonSet is waited for, by itself too.
    3. The pod network waits for the Service proxy, through which it reaches the API server, unless it is told the API's address.
    4. Where two do the same (a repository of many clusters), nobody knows which of them is meant: then nobody waits for either.
    """
    waits: defaultdict[ObjectKey, list[BootstrapWait]] = defaultdict(list)
    for wait in _iter_waits(world, component_cache):
        waits[wait.waiting_key].append(wait)
    found: dict[frozenset[ObjectKey], tuple[BootstrapWait, ...]] = {}
    for start in sorted(waits):
        for circle in _iter_cycles(start, start, waits, ()):
            members = frozenset(wait.waiting_key for wait in circle)
            if members not in found or len(circle) < len(found[members]):
                found[members] = circle
    whole = sorted(found.items(), key=lambda item: (len(item[0]), sorted(item[0])))
    return tuple(circle for members, circle in whole if not any(other < members for other in found))


def _iter_waits(world: ClusterState, component_cache: ComponentCache) -> Iterator[BootstrapWait]:
    parts = {key: component_cache.recognize(daemonset) for key, daemonset in world.daemonsets.items()}
    network = _get_single_key(key for key, found in parts.items() if any("pod" in component.networks for component in found))
    proxy = _get_single_key(key for key, found in parts.items() if _has_kind(found, "kube-proxy"))
    setters = [(key, component) for key, found in parts.items() for component in found if component.labels]
    removers = _find_taint_removers(world, parts, network)
    for key, daemonset in world.daemonsets.items():
        spec = daemonset.spec.template.spec
        tolerations = add_implicit_tolerations(spec)
        for label in sorted(get_required_labels(spec)):
            setter = _get_single_key(iter(dict.fromkeys(other for other, component in setters if component.sets_label(label))))
            if setter is not None:
                yield BootstrapWait(key, setter, BootstrapWaitCause.LABEL, label=label)
        for taint, remover in removers.items():
            if not _may_tolerate(tolerations, taint):
                is_controlled = find_startup_taint(taint.key) is not None
                cause = BootstrapWaitCause.CONTROLLED_TAINT if is_controlled else BootstrapWaitCause.TAINT
                yield BootstrapWait(key, remover, cause, taint=taint)
        for taint in _list_awaited_taints(world, daemonset):
            if not _may_tolerate(tolerations, taint):
                yield BootstrapWait(key, key, BootstrapWaitCause.CONTROLLED_TAINT, taint=taint)
        if key == network and proxy is not None and proxy != key and _API_ADDRESS not in _list_environment_names(daemonset):
            yield BootstrapWait(key, proxy, BootstrapWaitCause.SERVICE)


def _find_taint_removers(
    world: ClusterState, components: Mapping[ObjectKey, tuple[Component, ...]], network: ObjectKey | None
) -> dict[Taint, ObjectKey]:
    """The startup taints that a new node surely carries, each with the only DaemonSet that clears it."""
    carried = {taint.key for node in world.nodes.values() for taint in (*node.spec.taints, *node.startup_taints)}
    keys = {taint for found in components.values() for component in found for taint in component.taints}
    removers: dict[Taint, ObjectKey] = {}
    for key in sorted(carried):
        known = find_startup_taint(key)
        remover = _get_single_key(other for other, found in components.items() if known is not None and _has_kind(found, known.awaits))
        if remover is not None:
            removers[Taint(key, "", "NoSchedule")] = remover
    for key in sorted(keys):
        remover = _get_single_key(other for other, found in components.items() if any(key in component.taints for component in found))
        if remover is not None and (key == _UNINITIALIZED or key in carried):
            removers[Taint(key, "", "NoSchedule")] = remover
    if network is not None:
        removers[Taint(_NOT_READY, "", "NoSchedule")] = network
    return removers


def _list_awaited_taints(world: ClusterState, daemonset: DaemonSet) -> list[Taint]:
    """The startup taints of nodes that a controller removes once the pods of a DaemonSet, by their label, are Ready."""
    labels = daemonset.spec.template.metadata.labels
    keys = {taint.key for node in world.nodes.values() for taint in (*node.spec.taints, *node.startup_taints)} if labels else set()
    awaited = (key for key in sorted(keys) if (known := find_startup_taint(key)) and labels.get(known.pod_label) == "true")
    return [Taint(key, "", "NoSchedule") for key in awaited]


def _get_single_key(keys: Iterator[ObjectKey]) -> ObjectKey | None:
    found = list(keys)
    return found[0] if len(found) == 1 else None


def _has_kind(components: tuple[Component, ...], kind: str) -> bool:
    return any(component.kind.id == kind for component in components)


def _may_tolerate(tolerations: tuple[Toleration, ...], taint: Taint) -> bool:
    """Whether some value of a taint is tolerated: which value a startup taint has is not known."""
    return any(
        (not toleration.effect or toleration.effect == taint.effect)
        and (toleration.key == taint.key or (not toleration.key and toleration.operator == "Exists"))
        for toleration in tolerations
    )


def get_required_labels(spec: PodSpec) -> frozenset[str]:
    """The node labels without which a pod is placed nowhere: those of nodeSelector, and those that every term of the affinity needs."""
    keys = set(spec.nodeSelector)
    if spec.affinity and spec.affinity.nodeAffinity:
        required = spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution
        terms = [_required_term_labels(term) for term in required.nodeSelectorTerms] if required else []
        if terms:
            keys |= frozenset.intersection(*terms)
    return frozenset(keys)


def _required_term_labels(term: NodeSelectorTerm) -> frozenset[str]:
    return frozenset(expression.key for expression in term.matchExpressions if expression.operator in ("In", "Exists", "Gt", "Lt"))


def _list_environment_names(daemonset: DaemonSet) -> frozenset[str]:
    """The names of environment variables that any container of the template sets."""
    spec = daemonset.data.get("spec")
    for step in ("template", "spec"):
        spec = spec.get(step) if isinstance(spec, dict) else None
    containers = spec.get("containers") if isinstance(spec, dict) else None
    every = [container.get("env") for container in containers if isinstance(container, dict)] if isinstance(containers, list) else []
    names = [variable.get("name") for env in every if isinstance(env, list) for variable in env if isinstance(variable, dict)]
    return frozenset(name for name in names if isinstance(name, str))


def _iter_cycles(
    start: ObjectKey, current: ObjectKey, waits: Mapping[ObjectKey, list[BootstrapWait]], path: tuple[BootstrapWait, ...], limit: int = 4
) -> Iterator[tuple[BootstrapWait, ...]]:
    """The ways from a DaemonSet back to itself over DaemonSets that sort after it, so that each circle is found once."""
    for wait in waits.get(current, ()):
        if wait.awaited_key == start:
            yield (*path, wait)
        elif wait.awaited_key > start and len(path) + 1 < limit and all(wait.awaited_key != step.waiting_key for step in path):
            yield from _iter_cycles(start, wait.awaited_key, waits, (*path, wait), limit)
