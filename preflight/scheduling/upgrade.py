"""What an upgrade of Kubernetes changes for the objects of a cluster, and the order in which its nodes are upgraded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from preflight.model.apps import DaemonSet
from preflight.model.batch import CronJob, Job, JobSpec
from preflight.model.core import Node
from preflight.model.meta import Origin
from preflight.model.policy import PodDisruptionBudget
from preflight.model.releases import Behavior, VersionRange, parse_version
from preflight.model.version_fields import FieldOwner, GatedField
from preflight.model.versions import ClusterVersions
from preflight.model.workloads import Workload, locate_pod_spec
from preflight.scheduling.budgets import has_empty_selector
from preflight.scheduling.ports import list_host_ports
from preflight.scheduling.update_strategy import uses_surge

_POOL_LABELS = (
    "karpenter.sh/nodepool",
    "eks.amazonaws.com/nodegroup",
    "cloud.google.com/gke-nodepool",
    "kubernetes.azure.com/agentpool",
    "node.kubernetes.io/instance-type",
)
_CONTROL_PLANE = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
_MAX_SKEW = 3


class ChangedBehavior(Struct, frozen=True):
    """A behavior that an upgrade brings to an object; `is_certain`: the version before does not have it."""

    owner: FieldOwner
    behavior: Behavior
    is_certain: bool


class KeptField(Struct, frozen=True):
    """A field of a manifest that the version before drops or may drop, and the version after keeps."""

    owner: FieldOwner
    field: GatedField


class NodeGroup(Struct, frozen=True):
    """Nodes that are upgraded together: the control plane, or one pool; `kubelets` are their minor versions, oldest first."""

    name: str
    nodes: tuple[str, ...]
    is_control_plane: bool
    kubelets: tuple[int, ...]


class Upgrade(Struct, frozen=True):
    """An upgrade: the versions before and after, what it changes, and the groups of nodes in their order."""

    before: ClusterVersions
    after: ClusterVersions
    behaviors: tuple[ChangedBehavior, ...] = ()
    fields: tuple[KeptField, ...] = ()
    groups: tuple[NodeGroup, ...] = ()

    @property
    def minors(self) -> tuple[int, ...]:
        """The minor versions of the control plane on the way, each of which has to be installed."""
        start, end = self.before.server, self.after.server
        return () if start is None or end is None else tuple(range(start.lowest.minor + 1, end.highest.minor + 1))

    @property
    def outdated_groups(self) -> tuple[NodeGroup, ...]:
        """The groups with kubelets that are too old for the control plane of the version after."""
        end = self.after.server
        if end is None:
            return ()
        return tuple(group for group in self.groups if group.kubelets and group.kubelets[0] < end.lowest.minor - _MAX_SKEW)


def compare_versions(
    owners: Iterable[FieldOwner],
    lost_fields: Mapping[Origin, tuple[GatedField, ...]],
    nodes: Mapping[str, Node],
    before: ClusterVersions,
    target: VersionRange,
) -> Upgrade:
    """What an upgrade to some versions changes; `lost_fields` are those of the objects that the version before drops or may drop.

    1. A behavior that the version after has, and the one before does not, or may not, for each object that it concerns.
    2. A field that is dropped now, or may be, and takes effect then.
    3. The control plane comes first, then each pool: nodes with the same labels of a provider, or the same instance type.
    """
    after = ClusterVersions(target, before.source, before.kubectl, before.gates)
    every = tuple(owners)
    gained = [
        (behavior, before.has(behavior) is False)
        for behavior in Behavior
        if behavior in _CONCERNS and before.has(behavior) is not True and after.has(behavior) is True
    ]
    behaviors = tuple(
        ChangedBehavior(owner, behavior, is_certain) for behavior, is_certain in gained for owner in every if _CONCERNS[behavior](owner)
    )
    return Upgrade(before, after, behaviors, tuple(_iter_kept_fields(every, lost_fields, after)), _group_nodes(nodes))


def _iter_kept_fields(
    owners: Iterable[FieldOwner], lost_fields: Mapping[Origin, tuple[GatedField, ...]], after: ClusterVersions
) -> Iterator[KeptField]:
    for owner in owners:
        yield from (KeptField(owner, field) for field in lost_fields.get(owner.origin, ()) if after.is_gate_on(field.gate))


def _group_nodes(nodes: Mapping[str, Node]) -> tuple[NodeGroup, ...]:
    found: dict[tuple[bool, str], list[Node]] = {}
    for node in nodes.values():
        if node.pool is None and not node.is_partial:
            labels = node.metadata.labels
            is_control_plane = any(key in labels for key in _CONTROL_PLANE)
            pool = next((labels[key] for key in _POOL_LABELS if key in labels), "")
            found.setdefault((not is_control_plane, "" if is_control_plane else pool), []).append(node)
    return tuple(_make_group(pool, is_worker=is_worker, members=members) for (is_worker, pool), members in sorted(found.items()))


def _make_group(pool: str, *, is_worker: bool, members: list[Node]) -> NodeGroup:
    versions = (parse_version(node.status.nodeInfo.kubeletVersion) for node in members)
    kubelets = sorted({found.lowest.minor for found in versions if found is not None})
    return NodeGroup(pool, tuple(sorted(node.name for node in members)), not is_worker, tuple(kubelets))


def _updates_by_deletion(owner: FieldOwner) -> bool:
    return isinstance(owner, DaemonSet) and owner.spec.updateStrategy.type != "OnDelete" and not uses_surge(owner.spec)


def _updates_by_surge(owner: FieldOwner) -> bool:
    return isinstance(owner, DaemonSet) and uses_surge(owner.spec)


def _is_empty_budget(owner: FieldOwner) -> bool:
    return isinstance(owner, PodDisruptionBudget) and has_empty_selector(owner)


def _has_failure_policy(owner: FieldOwner) -> bool:
    spec: JobSpec | None = None
    if isinstance(owner, Job):
        spec = owner.spec
    elif isinstance(owner, CronJob):
        spec = owner.spec.jobTemplate.spec
    return spec is not None and spec.podFailurePolicy is not None


def _has_sidecar_ports(owner: FieldOwner) -> bool:
    return isinstance(owner, Workload) and any(port.is_sidecar for port in list_host_ports(locate_pod_spec(owner)[0]))


_CONCERNS = {
    Behavior.COUNTS_UNAVAILABLE: _updates_by_deletion,
    Behavior.SURGE_REMOVES_UNWANTED: _updates_by_surge,
    Behavior.EMPTY_SELECTOR_GUARDS: _is_empty_budget,
    Behavior.AWAITS_POD_END: _has_failure_policy,
    Behavior.SIDECAR_PORTS: _has_sidecar_ports,
}
"""Which objects a behavior concerns; what is not here concerns every pod, or none that is written."""
