"""Signs that a DaemonSet belongs on nodes from which a taint, or its selector, keeps it out."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from msgspec import Struct

from preflight.change.node_lifecycle import is_controller_owned
from preflight.components.catalog import find_startup_taint
from preflight.coverage.model import CoverageGroup, Impact
from preflight.coverage.node_targeting import targets_nodes
from preflight.doctor.csi_mounts import MissingDriver
from preflight.doctor.daemonset_health import PodHealthByDaemonSet, get_working_nodes
from preflight.doctor.demand import DemandIndex
from preflight.doctor.index import ClusterIndex
from preflight.doctor.providers import ProviderIndex
from preflight.model.apps import DaemonSet
from preflight.model.reasons import NearMissKind
from preflight.scheduling.tolerations import find_nearest_toleration, tolerates

_KINDS_ON_EVERY_NODE = frozenset(("cni", "kube-proxy"))
_FORMER_KEYS = {"node-role.kubernetes.io/control-plane": "node-role.kubernetes.io/master"}
"""Keys of taints, with those that they had before Kubernetes 1.24."""

_CONTROL_PLANE_LABELS = frozenset(("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"))


class SignKind(Enum):
    """What shows that a DaemonSet belongs on a node."""

    SELECTS_NODES = "selects-nodes"
    RUNS_ON_PEERS = "runs-on-peers"
    RESOURCE_REQUESTED = "resource-requested"
    VOLUMES_MOUNTED = "volumes-mounted"
    REMOVES_TAINTS = "removes-taints"
    NEEDED_BY_EVERY_POD = "needed-by-every-pod"
    NEARLY_TOLERATED = "nearly-tolerated"
    FORMER_KEY_TOLERATED = "former-key-tolerated"
    TOLERATES_OTHER_VALUE = "tolerates-other-value"
    VOLUMES_REQUESTED = "volumes-requested"
    DEVICES_REQUESTED = "devices-requested"
    LABELS_REQUESTED = "labels-requested"
    NETWORK_MISSING = "network-missing"
    LABEL_BACKED_UP = "label-backed-up"


class BelongingSign(Struct, frozen=True):
    """One sign; `names` are the peers, resources, taints, drivers, labels or annotations that it is about."""

    kind: SignKind
    names: tuple[str, ...] = ()


class BelongingEvidence(Struct, frozen=True):
    """The facts of one cluster that signs are read from."""

    index: ClusterIndex
    impact: Impact
    providers: ProviderIndex
    pod_health: PodHealthByDaemonSet
    missing_drivers: tuple[MissingDriver, ...]
    demand: DemandIndex


def list_signs(evidence: BelongingEvidence, group: CoverageGroup, nodes: frozenset[str]) -> tuple[BelongingSign, ...]:
    """What shows that a DaemonSet belongs on nodes from which a taint keeps it out.

    1. Its own nodeSelector or affinity names them, or it has a toleration for the taint that nearly fits and fits no other.
    2. One of its pods runs on another node with the same taint.
    3. Pods wait for a resource that it provides; of a node of the control plane only where it has that resource, or had it. Or for a
       volume that its driver should make, or for a label that it should set.
    4. Pods mount its volumes there, or it removes a startup taint that is on the nodes.
    5. It is the network or the Service proxy of every pod.
    """
    index, providers = evidence.index, evidence.providers
    found: list[BelongingSign] = []
    components = providers.recognize(group.daemonset)
    if targets_nodes(group.daemonset.spec.template.spec):
        found.append(BelongingSign(SignKind.SELECTS_NODES))
    taints = set(group.placement_after.untolerated_taints if group.placement_after else ())
    peers = sorted(
        name
        for other in evidence.impact.groups
        if other.key == group.key and other.forecast.has_pod and not other.is_assumed and taints & set(other.node.spec.taints)
        for name in other.nodes
    )
    if peers:
        found.append(BelongingSign(SignKind.RUNS_ON_PEERS, tuple(peers)))
    found += _list_near_tolerations(evidence, group)
    is_control_plane = {taint.key for taint in taints} & _CONTROL_PLANE_LABELS
    has_device = not is_control_plane or any(_has_device(index, providers, group, name) for name in nodes)
    found += list_demand_signs(evidence, group.daemonset, nodes, has_device=has_device)
    if any(group.daemonset in driver.daemonsets and nodes & set(driver.nodes) for driver in evidence.missing_drivers):
        found.append(BelongingSign(SignKind.VOLUMES_MOUNTED))
    removed_taints = {key for component in components if component.kind.id == "startup-taint-remover" for key in component.taints}
    startup_taints = sorted(
        {
            taint.key
            for taint in group.node.spec.taints
            if taint.key in removed_taints or _is_awaited(taint.key, group.daemonset, {component.kind.id for component in components})
        }
    )
    if startup_taints:
        found.append(BelongingSign(SignKind.REMOVES_TAINTS, tuple(startup_taints)))
    if nodes and any(component.kind.id in _KINDS_ON_EVERY_NODE for component in components):
        found.append(BelongingSign(SignKind.NEEDED_BY_EVERY_POD))
    return tuple(found)


def _is_awaited(key: str, daemonset: DaemonSet, kinds: set[str]) -> bool:
    """Whether the controller that removes a startup taint waits for a DaemonSet: for its label, or for its kind of component."""
    known = find_startup_taint(key)
    if known is None:
        return False
    return known.awaits in kinds or daemonset.spec.template.metadata.labels.get(known.pod_label) == "true"


def list_demand_signs(evidence: BelongingEvidence, daemonset: DaemonSet, nodes: frozenset[str], *, has_device: bool) -> list[BelongingSign]:
    """What waits for a DaemonSet: resources where the nodes may have them, volumes, devices of claims, labels. No `nodes` are any."""
    demand, found = evidence.demand, []
    working_nodes = get_working_nodes(evidence.pod_health, (daemonset.metadata.namespace, daemonset.metadata.name))
    for component in evidence.providers.recognize(daemonset):
        if has_device and (resources := demand.list_resources(component)):
            found.append(BelongingSign(SignKind.RESOURCE_REQUESTED, tuple(resources)))
        if drivers := demand.list_drivers(component, nodes, working_nodes):
            found.append(BelongingSign(SignKind.VOLUMES_REQUESTED, tuple(drivers)))
        if component.kind.id == "dra-driver" and not working_nodes and demand.has_claimed_devices(component):
            found.append(BelongingSign(SignKind.DEVICES_REQUESTED, component.drivers))
        if labels := demand.list_labels(component):
            found.append(BelongingSign(SignKind.LABELS_REQUESTED, tuple(labels)))
    return found


def are_doubtful(signs: tuple[BelongingSign, ...], *, runs_elsewhere: bool) -> bool:
    """Whether a DaemonSet may be left out on purpose all the same.

    It selects the nodes among others that it runs on, or it tolerates a taint of another value, which may be that of nodes to come.
    """
    kinds = {sign.kind for sign in signs}
    return (kinds == {SignKind.SELECTS_NODES} and runs_elsewhere) or kinds == {SignKind.TOLERATES_OTHER_VALUE}


def _list_near_tolerations(evidence: BelongingEvidence, group: CoverageGroup) -> Iterator[BelongingSign]:
    """The taints that keep a DaemonSet out although it has a toleration for their key that tolerates no taint of any other node.

    1. One with another value is less certain, and none at all where the key has several values: these tell nodes apart.
    2. A toleration for the former key of a taint is one for it, where no node has that key any more.
    """
    sets = evidence.index.taint_sets
    taints = [taint for taint_set in sets for taint in taint_set]
    tolerations, near, other_values = group.daemonset.spec.template.spec.tolerations, [], []
    for taint in group.placement_after.untolerated_taints if group.placement_after else ():
        old_key = _FORMER_KEYS.get(taint.key, "")
        if old_key and any(toleration.key == old_key for toleration in tolerations) and all(other.key != old_key for other in taints):
            yield BelongingSign(SignKind.FORMER_KEY_TOLERATED, (old_key,))
        nearest = None if is_controller_owned(taint) else find_nearest_toleration(tolerations, taint)
        elsewhere = [other for taint_set in sets if taint not in taint_set for other in taint_set]
        if nearest is None or any(tolerates(nearest[0], other, None) is not False for other in elsewhere):
            continue
        toleration, kind = nearest
        if kind is NearMissKind.VALUE and toleration.value and taint.value and toleration.value.lower() != taint.value.lower():
            if len({other.value for other in taints if other.key == taint.key}) == 1:
                other_values.append(taint.key)
        elif kind is not NearMissKind.COMPARISON:
            near.append(taint.key)
    if near:
        yield BelongingSign(SignKind.NEARLY_TOLERATED, tuple(dict.fromkeys(near)))
    if other_values:
        yield BelongingSign(SignKind.TOLERATES_OTHER_VALUE, tuple(dict.fromkeys(other_values)))


def _has_device(index: ClusterIndex, providers: ProviderIndex, group: CoverageGroup, node: str) -> bool:
    """Whether a node has, or had, what a DaemonSet advertises: what a plugin registered stays in Capacity."""
    capacity = index.get_node_state(node).status.capacity
    return any(component.advertises(name) for component in providers.recognize(group.daemonset) for name in capacity)
