"""Signs that a DaemonSet belongs on nodes from which a taint keeps it out."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from preflight.components.catalog import find_startup_taint
from preflight.coverage.model import CoverageGroup, Impact
from preflight.coverage.node_targeting import targets_nodes
from preflight.doctor.csi_mounts import MissingDriver
from preflight.doctor.index import ClusterIndex
from preflight.doctor.providers import ProviderIndex
from preflight.model.apps import DaemonSet

_KINDS_ON_EVERY_NODE = frozenset(("cni", "kube-proxy"))
_CONTROL_PLANE_LABELS = frozenset(("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"))


class SignKind(Enum):
    """What shows that a DaemonSet belongs on a node."""

    SELECTS_NODES = "selects-nodes"
    RUNS_ON_PEERS = "runs-on-peers"
    RESOURCE_REQUESTED = "resource-requested"
    VOLUMES_MOUNTED = "volumes-mounted"
    REMOVES_TAINTS = "removes-taints"
    NEEDED_BY_EVERY_POD = "needed-by-every-pod"


class BelongingSign(Struct, frozen=True):
    """One sign; `names` are the peers, the resources or the taints that it is about."""

    kind: SignKind
    names: tuple[str, ...] = ()


def list_signs(
    index: ClusterIndex,
    impact: Impact,
    providers: ProviderIndex,
    missing_drivers: tuple[MissingDriver, ...],
    group: CoverageGroup,
    nodes: frozenset[str],
) -> tuple[BelongingSign, ...]:
    """What shows that a DaemonSet belongs on nodes from which a taint keeps it out.

    1. Its own nodeSelector or affinity names them.
    2. One of its pods runs on another node with the same taint.
    3. Pods wait for a resource that it provides; of a node of the control plane only where it has that resource, or had it.
    4. Pods mount its volumes there, or it removes a startup taint that is on the nodes.
    5. It is the network or the Service proxy of every pod.
    """
    found: list[BelongingSign] = []
    components = providers.recognize(group.daemonset)
    if targets_nodes(group.daemonset.spec.template.spec):
        found.append(BelongingSign(SignKind.SELECTS_NODES))
    taints = set(group.placement_after.untolerated_taints if group.placement_after else ())
    peers = sorted(
        name
        for other in impact.groups
        if other.key == group.key and other.forecast.has_pod and not other.is_assumed and taints & set(other.node.spec.taints)
        for name in other.nodes
    )
    if peers:
        found.append(BelongingSign(SignKind.RUNS_ON_PEERS, tuple(peers)))
    is_control_plane = {taint.key for taint in taints} & _CONTROL_PLANE_LABELS
    if not is_control_plane or any(_has_device(index, providers, group, name) for name in nodes):
        requested = [name for component in components for name in sorted(index.requested_resources) if component.advertises(name)]
        if requested:
            found.append(BelongingSign(SignKind.RESOURCE_REQUESTED, tuple(requested)))
    if any(group.daemonset in driver.daemonsets and nodes & set(driver.nodes) for driver in missing_drivers):
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


def _has_device(index: ClusterIndex, providers: ProviderIndex, group: CoverageGroup, node: str) -> bool:
    """Whether a node has, or had, what a DaemonSet advertises: what a plugin registered stays in Capacity."""
    capacity = index.get_node_state(node).status.capacity
    return any(component.advertises(name) for component in providers.recognize(group.daemonset) for name in capacity)
