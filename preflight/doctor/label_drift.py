"""Labels that a node lacks beside its peers: nodes of one make, of which most carry a label that somebody selects by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from preflight.dependents.requirements import is_extended_resource
from preflight.doctor.daemonset_health import PodHealthByDaemonSet
from preflight.doctor.index import ClusterIndex
from preflight.doctor.label_selections import LabelSelection, collect_label_selections
from preflight.doctor.pending.node_fit import compute_fit
from preflight.doctor.providers import Provider, ProviderIndex
from preflight.doctor.stranded_capacity import sum_free_resources
from preflight.model.core import Node
from preflight.model.report import Subject
from preflight.model.runtime_state import ManagedFields, PodState
from preflight.model.timestamps import parse_time
from preflight.scheduling.occupancy import Occupancy
from preflight.scheduling.quantities import QuantityError, parse_millis

_INSTANCE_TYPE_LABELS = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
_CONTROL_PLANE_LABELS = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
_DAY = 86400.0
_MIN_CLASS_SIZE = 3


class LabelDrift(Struct, frozen=True):
    """Nodes that lack a label which most of their peers carry.

    1. `values` are those of the `peers`, which are of the same make. `selecting_subjects` are the workloads and pods that select by it.
    2. `waiting_pods` are pods without a node that the nodes would take, were it not for the label. `idle_devices` are devices on the nodes
       that nobody uses, and that are asked for by who selects by the label. `days_younger` is by how many days the youngest of the nodes
       is younger than the youngest peer, 0 where it is not or not known.
    3. `label_manager` is the entry of managedFields that says who set it last on a peer; None where no entry does.
    4. `lost_providers` are the DaemonSets that the nodes lack for want of the label, with what they provide on the peers; the worst to lose
       first.
    """

    label: str
    values: tuple[str, ...]
    nodes: tuple[str, ...]
    peers: tuple[str, ...]
    selecting_subjects: tuple[Subject, ...]
    waiting_pods: tuple[tuple[str, str], ...] = ()
    idle_devices: Mapping[str, int] = {}
    days_younger: int = 0
    label_manager: ManagedFields | None = None
    lost_providers: tuple[Provider, ...] = ()

    @property
    def is_critical(self) -> bool:
        """Whether workloads break on the nodes: a device idles that they ask for, or they lack a DaemonSet without which pods fail."""
        return bool(self.idle_devices) or any(provider.component.kind.critical for provider in self.lost_providers)


def find_label_drifts(index: ClusterIndex, providers: ProviderIndex, pod_health: PodHealthByDaemonSet) -> tuple[LabelDrift, ...]:
    """Every label that a few nodes lack.

    1. Nodes are of one make where instance type, operating system, processors, memory (to a tenth) and extended resources are the same.
    2. At least three of a make; those that lack the label are no more than a third of them, and have no other value of it.
    3. Somebody selects by it: a template or a pod that waits, with a value that the peers have.
    4. And something shows that it is missed: a pod waits that a node would take with it, devices lie idle on such a node that somebody
       asks for who selects by it, a DaemonSet of a known kind works on most peers and not there, or the node registered a day or more after
       all its peers. Else a split into labelled nodes and others may be meant.
    """
    selections_by_label = collect_label_selections(index)
    if not selections_by_label:
        return ()
    makes: dict[object, list[Node]] = {}
    for node in index.existing_nodes.values():
        if not node.is_partial:
            makes.setdefault(_make_hardware_key(index, node), []).append(node)
    found: list[LabelDrift] = []
    for nodes in makes.values():
        if len(nodes) >= _MIN_CLASS_SIZE:
            for label, selections in sorted(selections_by_label.items()):
                found += _find_drift(index, providers, pod_health, label, selections, nodes)
    return tuple(found)


def _find_drift(
    index: ClusterIndex,
    providers: ProviderIndex,
    pod_health: PodHealthByDaemonSet,
    label: str,
    selections: list[LabelSelection],
    nodes: list[Node],
) -> Iterator[LabelDrift]:
    peers = [node for node in nodes if label in node.metadata.labels]
    lacking = [node for node in nodes if label not in node.metadata.labels]
    if not lacking or 3 * len(lacking) > len(nodes):
        return
    values = {node.metadata.labels[label] for node in peers}
    matching = [selection for selection in selections if not selection.values or selection.values & values]
    if not matching or len(values) == len(peers) > 1:
        return
    value = next((value for selection in matching for value in sorted(selection.values & values)), min(values))
    pods = [selection.pod for selection in matching if selection.pod is not None]
    waiting = tuple(sorted({pod.key for pod in pods if _can_take_with_label(index, pod, lacking, label, value)}))
    wanted = frozenset().union(*(selection.resources for selection in matching))
    free = sum_free_resources(index, [node.name for node in lacking])
    idle_devices = {name: amount for name, amount in free.items() if name in wanted}
    days_younger = _count_days_younger(index, lacking, peers)
    lost = tuple(_iter_lost_providers(providers, pod_health, matching, lacking, peers))
    if waiting or (idle_devices and _are_devices_idle(lacking, free)) or days_younger or lost:
        yield LabelDrift(
            label,
            tuple(sorted(values)),
            tuple(sorted(node.name for node in lacking)),
            tuple(sorted(node.name for node in peers)),
            tuple(dict.fromkeys(selection.subject for selection in matching)),
            waiting,
            idle_devices,
            days_younger,
            _find_label_manager(index, label, peers),
            lost,
        )


def _iter_lost_providers(
    providers: ProviderIndex,
    pod_health: PodHealthByDaemonSet,
    selections: list[LabelSelection],
    lacking_nodes: list[Node],
    peers: list[Node],
) -> Iterator[Provider]:
    """What the DaemonSets provide that select by the label, and work on two thirds of the peers at least and on none of the nodes.

    Not what another DaemonSet of that kind may provide there.
    """
    lacking, having = ({node.name for node in nodes} for nodes in (lacking_nodes, peers))
    found = []
    for selection in selections:
        daemonset = providers.find_daemonset(selection.subject) if selection.is_daemon else None
        component = providers.get_worst_component(daemonset) if daemonset is not None else None
        if daemonset is not None and component is not None:
            health = pod_health.get((daemonset.metadata.namespace, daemonset.metadata.name))
            working = health.working_nodes if health is not None else frozenset()
            lost = Provider(daemonset, component)
            others = (other for other in providers.list_providers(component.kind.id) if other != lost)
            is_gone = 3 * len(having & working) >= 2 * len(having) and not working & lacking
            if is_gone and not any(_works_on(other, pod_health, lacking) for other in others):
                found.append(lost)
    yield from sorted(found, key=lambda provider: (provider.component.kind.rank, provider.key))


def _works_on(provider: Provider, pod_health: PodHealthByDaemonSet, nodes: set[str]) -> bool:
    """Whether the pods of a DaemonSet work on all of some nodes."""
    return provider.key in pod_health and nodes <= pod_health[provider.key].working_nodes


def _can_take_with_label(index: ClusterIndex, pod: PodState, nodes: list[Node], label: str, value: str) -> bool:
    """Whether one of the nodes may take a pod once it has the label, and does not without it."""
    present = {node.name: index.occupancy.nodes[node.name] for node in nodes}
    labelled = {
        name: replace(
            occupancy,
            node=replace(
                occupancy.node, metadata=replace(occupancy.node.metadata, labels={**occupancy.node.metadata.labels, label: value})
            ),
        )
        for name, occupancy in present.items()
    }
    before = compute_fit(index, pod, Occupancy(present, index.occupancy.anti_affinities, index.occupancy.uncertainties))
    after = compute_fit(index, pod, Occupancy(labelled, index.occupancy.anti_affinities, index.occupancy.uncertainties))
    return any(old.fits is False and new.fits is not False for old, new in zip(before.nodes, after.nodes, strict=True))


def _are_devices_idle(nodes: list[Node], idle: Mapping[str, int]) -> bool:
    """Whether nobody uses any of the devices of the nodes."""
    total: dict[str, int] = {}
    for node in nodes:
        for resource, quantity in node.status.allocatable.items():
            if is_extended_resource(resource):
                total[resource] = total.get(resource, 0) + _parse_whole(quantity)
    return total == dict(idle)


def _parse_whole(quantity: str | int | float) -> int:
    try:
        return parse_millis(quantity) // 1000
    except QuantityError:
        return 0


def _count_days_younger(index: ClusterIndex, lacking_nodes: list[Node], peers: list[Node]) -> int:
    lacking_times, peer_times = _list_creation_times(index, lacking_nodes), _list_creation_times(index, peers)
    if (len(lacking_times), len(peer_times)) != (len(lacking_nodes), len(peers)):
        return 0
    return max(0, int((min(lacking_times) - max(peer_times)) // _DAY))


def _list_creation_times(index: ClusterIndex, nodes: list[Node]) -> list[float]:
    times = (parse_time(index.get_node_state(node.name).metadata.creationTimestamp) for node in nodes)
    return [time for time in times if time is not None]


def _find_label_manager(index: ClusterIndex, label: str, peers: list[Node]) -> ManagedFields | None:
    found = [fields for fields in (index.get_node_state(node.name).find_label_manager(label) for node in peers) if fields is not None]
    return max(found, key=lambda fields: fields.time, default=None)


def _make_hardware_key(index: ClusterIndex, node: Node) -> object:
    """What tells nodes of one make from others."""
    labels, state = node.metadata.labels, index.get_node_state(node.name)
    capacity = state.status.capacity or node.status.allocatable
    devices = {name: str(quantity) for name, quantity in capacity.items() if is_extended_resource(name)}
    return (
        next((labels[key] for key in _INSTANCE_TYPE_LABELS if key in labels), ""),
        labels.get("kubernetes.io/os", ""),
        any(key in labels for key in _CONTROL_PLANE_LABELS),
        str(capacity.get("cpu", "")),
        _round_quantity(capacity.get("memory", 0)),
        tuple(sorted(devices.items())),
    )


def _round_quantity(quantity: str | int | float) -> str:
    """A quantity to a tenth: nodes of one make differ a little in memory."""
    return f"{_parse_whole(quantity):.1e}"
