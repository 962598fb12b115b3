"""Labels that a node lacks beside its peers: nodes of one make, of which most carry a label that somebody selects by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from preflight.dependents.requirements import consumers, is_extended
from preflight.doctor.pending.node_fit import fits
from preflight.doctor.stranded_capacity import free
from preflight.doctor.timestamps import moment
from preflight.model.objects import Node, PodSpec
from preflight.scheduling.occupancy import Occupancy
from preflight.scheduling.quantities import QuantityError, millis

if TYPE_CHECKING:
    from preflight.doctor.context import Diagnosis
    from preflight.model.runtime_state import StatedPod

_OWN = frozenset(
    (
        "kubernetes.io/hostname",
        "kubernetes.io/os",
        "kubernetes.io/arch",
        "beta.kubernetes.io/os",
        "beta.kubernetes.io/arch",
        "metadata.name",
    )
)
_TYPES = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
_ROLES = ("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master")
_DAY = 86400.0
_FEWEST = 3


class Drift(Struct, frozen=True):
    """Nodes that lack a label which most of their peers carry.

    1. `values` are those of the `peers`, which are of the same make. `asked` are the workloads and pods that select by it.
    2. `waiting` are pods without a node that the nodes would take, were it not for the label. `idle` are devices on the nodes that nobody
       uses. `younger` is by how many days the youngest of the nodes is younger than the youngest peer, 0 where it is not or not known.
    3. `set_by` is who set it last on a peer, and when; "" where nobody says.
    """

    label: str
    values: tuple[str, ...]
    nodes: tuple[str, ...]
    peers: tuple[str, ...]
    asked: tuple[str, ...]
    waiting: tuple[tuple[str, str], ...] = ()
    idle: Mapping[str, int] = {}
    younger: int = 0
    set_by: str = ""


def drifts(facts: Diagnosis) -> tuple[Drift, ...]:
    """Every label that a few nodes lack.

    1. Nodes are of one make where instance type, operating system, processors, memory (to a tenth) and extended resources are the same.
    2. At least three of a make; those that lack the label are no more than a third of them, and have no other value of it.
    3. Somebody selects by it: a template or a pod that waits, with a value that the peers have.
    4. And something shows that it is missed: a pod waits that a node would take with it, devices lie idle on such a node, or it
       registered a day or more after all its peers. Else a split into labelled nodes and others may be meant.
    """
    asked = _asked(facts)
    if not asked:
        return ()
    makes: dict[object, list[Node]] = {}
    for node in facts.world.nodes.values():
        if node.pool is None and not node.partial:
            makes.setdefault(_make(facts, node), []).append(node)
    found: list[Drift] = []
    for nodes in makes.values():
        if len(nodes) >= _FEWEST:
            for label, askers in sorted(asked.items()):
                found += _drift(facts, label, askers, nodes)
    return tuple(found)


_Askers = list[tuple[str, frozenset[str], Any]]


def _drift(facts: Diagnosis, label: str, askers: _Askers, nodes: list[Node]) -> Iterator[Drift]:
    peers = [node for node in nodes if label in node.metadata.labels]
    lacking = [node for node in nodes if label not in node.metadata.labels]
    if not lacking or 3 * len(lacking) > len(nodes):
        return
    values = {node.metadata.labels[label] for node in peers}
    who = [(name, wanted, pod) for name, wanted, pod in askers if not wanted or wanted & values]
    if not who or len(values) == len(peers) > 1:
        return
    value = next((value for _, wanted, _ in who for value in sorted(wanted & values)), min(values))
    waiting = tuple(sorted({pod.key for _, _, pod in who if pod is not None and _would_take(facts, pod, lacking, label, value)}))
    idle = free(facts, [node.name for node in lacking])
    younger = _younger(facts, lacking, peers)
    if waiting or (idle and _all_idle(lacking, idle)) or younger:
        yield Drift(
            label,
            tuple(sorted(values)),
            tuple(sorted(node.name for node in lacking)),
            tuple(sorted(node.name for node in peers)),
            tuple(dict.fromkeys(name for name, _, _ in who)),
            waiting,
            idle,
            younger,
            _set_by(facts, label, peers),
        )


def _would_take(facts: Diagnosis, pod: StatedPod, nodes: list[Node], label: str, value: str) -> bool:
    """Whether one of the nodes may take a pod once it has the label, and does not without it."""
    rooms = {node.name: facts.occupancy.rooms[node.name] for node in nodes}
    labelled = {
        name: replace(
            room, node=replace(room.node, metadata=replace(room.node.metadata, labels={**room.node.metadata.labels, label: value}))
        )
        for name, room in rooms.items()
    }
    before = fits(facts, pod, Occupancy(rooms, facts.occupancy.guards, facts.occupancy.doubts))
    after = fits(facts, pod, Occupancy(labelled, facts.occupancy.guards, facts.occupancy.doubts))
    return any(old.takes is False and new.takes is not False for old, new in zip(before.nodes, after.nodes, strict=True))


def _all_idle(nodes: list[Node], idle: Mapping[str, int]) -> bool:
    """Whether nobody uses any of the devices of the nodes."""
    total: dict[str, int] = {}
    for node in nodes:
        for resource, quantity in node.status.allocatable.items():
            if is_extended(resource):
                total[resource] = total.get(resource, 0) + _whole(quantity)
    return total == dict(idle)


def _whole(quantity: str | int | float) -> int:
    try:
        return millis(quantity) // 1000
    except QuantityError:
        return 0


def _younger(facts: Diagnosis, lacking: list[Node], peers: list[Node]) -> int:
    born = [[moment(facts.node_state(node.name).metadata.creationTimestamp) for node in each] for each in (lacking, peers)]
    known = [[time for time in each if time is not None] for each in born]
    if [len(each) for each in known] != [len(lacking), len(peers)]:
        return 0
    return max(0, int((min(known[0]) - max(known[1])) // _DAY))


def _set_by(facts: Diagnosis, label: str, peers: list[Node]) -> str:
    found = [each for each in (facts.node_state(node.name).set_by(label) for node in peers) if each is not None]
    latest = max(found, key=lambda each: each.time, default=None)
    return f"{latest.manager or 'somebody'}{f' at {latest.time}' if latest.time else ''}" if latest is not None else ""


def _make(facts: Diagnosis, node: Node) -> object:
    """What tells nodes of one make from others."""
    labels, state = node.metadata.labels, facts.node_state(node.name)
    capacity = state.status.capacity or node.status.allocatable
    devices = {name: str(quantity) for name, quantity in capacity.items() if is_extended(name)}
    return (
        next((labels[key] for key in _TYPES if key in labels), ""),
        labels.get("kubernetes.io/os", ""),
        any(key in labels for key in _ROLES),
        str(capacity.get("cpu", "")),
        _rough(capacity.get("memory", 0)),
        tuple(sorted(devices.items())),
    )


def _rough(quantity: str | int | float) -> str:
    """A quantity to a tenth: nodes of one make differ a little in memory."""
    return f"{_whole(quantity):.1e}"


def _asked(facts: Diagnosis) -> dict[str, _Askers]:
    """The labels that somebody selects by: who, the values that he takes (none: any), and the pod where one waits."""
    found: dict[str, _Askers] = {}
    for each in consumers(facts.world):
        for label, values in _selected(each.spec):
            found.setdefault(label, []).append((f"{each.subject.kind} {each.subject}", values, None))
    for pod in facts.waiting:
        for label, values in _selected(pod.spec):
            found.setdefault(label, []).append((f"Pod {'/'.join(pod.key)}", values, pod))
    return found


def _selected(spec: PodSpec) -> Iterator[tuple[str, frozenset[str]]]:
    yield from ((key, frozenset((value,))) for key, value in spec.nodeSelector.items() if key not in _OWN)
    affinity = spec.affinity.nodeAffinity if spec.affinity else None
    required = affinity.requiredDuringSchedulingIgnoredDuringExecution if affinity else None
    for term in required.nodeSelectorTerms if required else ():
        for each in term.matchExpressions:
            if each.key not in _OWN and each.operator in ("In", "Exists"):
                yield each.key, frozenset(each.values)
