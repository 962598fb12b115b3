"""Labels that a node lacks beside its peers: nodes of one make, of which most carry a label that somebody selects by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from preflight.dependents.requirements import is_extended_resource, list_consumers
from preflight.doctor.pending.node_fit import compute_fit
from preflight.doctor.stranded_capacity import sum_free_resources
from preflight.doctor.timestamps import parse_time
from preflight.model.objects import Node, PodSpec
from preflight.scheduling.occupancy import Occupancy
from preflight.scheduling.quantities import QuantityError, parse_millis

if TYPE_CHECKING:
    from preflight.doctor.context import ClusterFacts
    from preflight.model.runtime_state import PodState

_NODE_SPECIFIC_LABELS = frozenset(
    (
        "kubernetes.io/hostname",
        "kubernetes.io/os",
        "kubernetes.io/arch",
        "beta.kubernetes.io/os",
        "beta.kubernetes.io/arch",
        "metadata.name",
    )
)
_INSTANCE_TYPE_LABELS = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
_CONTROL_PLANE_LABELS = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
_DAY = 86400.0
_MIN_CLASS_SIZE = 3


class LabelDrift(Struct, frozen=True):
    """Nodes that lack a label which most of their peers carry.

    1. `values` are those of the `peers`, which are of the same make. `selecting_subjects` are the workloads and pods that select by it.
    2. `waiting_pods` are pods without a node that the nodes would take, were it not for the label. `idle_devices` are devices on the nodes
       that nobody uses. `days_younger` is by how many days the youngest of the nodes is younger than the youngest peer, 0 where it is not
       or not known.
    3. `set_by` is who set it last on a peer, and when; "" where nobody says.
    """

    label: str
    values: tuple[str, ...]
    nodes: tuple[str, ...]
    peers: tuple[str, ...]
    selecting_subjects: tuple[str, ...]
    waiting_pods: tuple[tuple[str, str], ...] = ()
    idle_devices: Mapping[str, int] = {}
    days_younger: int = 0
    set_by: str = ""


def find_label_drifts(facts: ClusterFacts) -> tuple[LabelDrift, ...]:
    """Every label that a few nodes lack.

    1. Nodes are of one make where instance type, operating system, processors, memory (to a tenth) and extended resources are the same.
    2. At least three of a make; those that lack the label are no more than a third of them, and have no other value of it.
    3. Somebody selects by it: a template or a pod that waits, with a value that the peers have.
    4. And something shows that it is missed: a pod waits that a node would take with it, devices lie idle on such a node, or it
       registered a day or more after all its peers. Else a split into labelled nodes and others may be meant.
    """
    asked = _collect_label_selections(facts)
    if not asked:
        return ()
    makes: dict[object, list[Node]] = {}
    for node in facts.world.nodes.values():
        if node.pool is None and not node.is_partial:
            makes.setdefault(_make_hardware_key(facts, node), []).append(node)
    found: list[LabelDrift] = []
    for nodes in makes.values():
        if len(nodes) >= _MIN_CLASS_SIZE:
            for label, askers in sorted(asked.items()):
                found += _find_drift(facts, label, askers, nodes)
    return tuple(found)


_LabelSelections = list[tuple[str, frozenset[str], Any]]


def _find_drift(facts: ClusterFacts, label: str, selections: _LabelSelections, nodes: list[Node]) -> Iterator[LabelDrift]:
    peers = [node for node in nodes if label in node.metadata.labels]
    lacking = [node for node in nodes if label not in node.metadata.labels]
    if not lacking or 3 * len(lacking) > len(nodes):
        return
    values = {node.metadata.labels[label] for node in peers}
    who = [(name, wanted, pod) for name, wanted, pod in selections if not wanted or wanted & values]
    if not who or len(values) == len(peers) > 1:
        return
    value = next((value for _, wanted, _ in who for value in sorted(wanted & values)), min(values))
    waiting = tuple(sorted({pod.key for _, _, pod in who if pod is not None and _can_take_with_label(facts, pod, lacking, label, value)}))
    idle = sum_free_resources(facts, [node.name for node in lacking])
    younger = _count_days_younger(facts, lacking, peers)
    if waiting or (idle and _are_devices_idle(lacking, idle)) or younger:
        yield LabelDrift(
            label,
            tuple(sorted(values)),
            tuple(sorted(node.name for node in lacking)),
            tuple(sorted(node.name for node in peers)),
            tuple(dict.fromkeys(name for name, _, _ in who)),
            waiting,
            idle,
            younger,
            _describe_label_setter(facts, label, peers),
        )


def _can_take_with_label(facts: ClusterFacts, pod: PodState, nodes: list[Node], label: str, value: str) -> bool:
    """Whether one of the nodes may take a pod once it has the label, and does not without it."""
    rooms = {node.name: facts.occupancy.nodes[node.name] for node in nodes}
    labelled = {
        name: replace(
            room, node=replace(room.node, metadata=replace(room.node.metadata, labels={**room.node.metadata.labels, label: value}))
        )
        for name, room in rooms.items()
    }
    before = compute_fit(facts, pod, Occupancy(rooms, facts.occupancy.anti_affinities, facts.occupancy.uncertainties))
    after = compute_fit(facts, pod, Occupancy(labelled, facts.occupancy.anti_affinities, facts.occupancy.uncertainties))
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


def _count_days_younger(facts: ClusterFacts, lacking_nodes: list[Node], peers: list[Node]) -> int:
    born = [[parse_time(facts.get_node_state(node.name).metadata.creationTimestamp) for node in each] for each in (lacking_nodes, peers)]
    known = [[time for time in each if time is not None] for each in born]
    if [len(each) for each in known] != [len(lacking_nodes), len(peers)]:
        return 0
    return max(0, int((min(known[0]) - max(known[1])) // _DAY))


def _describe_label_setter(facts: ClusterFacts, label: str, peers: list[Node]) -> str:
    found = [fields for fields in (facts.get_node_state(node.name).find_label_manager(label) for node in peers) if fields is not None]
    latest = max(found, key=lambda each: each.time, default=None)
    return f"{latest.manager or 'somebody'}{f' at {latest.time}' if latest.time else ''}" if latest is not None else ""


def _make_hardware_key(facts: ClusterFacts, node: Node) -> object:
    """What tells nodes of one make from others."""
    labels, state = node.metadata.labels, facts.get_node_state(node.name)
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


def _collect_label_selections(facts: ClusterFacts) -> dict[str, _LabelSelections]:
    """The labels that somebody selects by: who, the values that he takes (none: any), and the pod where one waits."""
    found: dict[str, _LabelSelections] = {}
    for consumer in list_consumers(facts.world):
        for label, values in _iter_selected_labels(consumer.spec):
            found.setdefault(label, []).append((f"{consumer.subject.kind} {consumer.subject}", values, None))
    for pod in facts.waiting_pods:
        for label, values in _iter_selected_labels(pod.spec):
            found.setdefault(label, []).append((f"Pod {'/'.join(pod.key)}", values, pod))
    return found


def _iter_selected_labels(spec: PodSpec) -> Iterator[tuple[str, frozenset[str]]]:
    yield from ((key, frozenset((value,))) for key, value in spec.nodeSelector.items() if key not in _NODE_SPECIFIC_LABELS)
    affinity = spec.affinity.nodeAffinity if spec.affinity else None
    required = affinity.requiredDuringSchedulingIgnoredDuringExecution if affinity else None
    for term in required.nodeSelectorTerms if required else ():
        for expression in term.matchExpressions:
            if expression.key not in _NODE_SPECIFIC_LABELS and expression.operator in ("In", "Exists"):
                yield expression.key, frozenset(expression.values)
