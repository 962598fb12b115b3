"""Which nodes lack which DaemonSet today, and why: by the pods that are there, never by a counter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from preflight.change.node_lifecycle import is_owned
from preflight.coverage.model import Group
from preflight.coverage.node_targeting import names_nodes
from preflight.coverage.reasons import why
from preflight.doctor.pod_health import Ailing, Trouble, ailing, bound_for, says_ready
from preflight.messages.lists import listed, names
from preflight.model.objects import DaemonSet, ListedPod, ObjectKey, Taint, controller
from preflight.model.report import Outcome

if TYPE_CHECKING:
    from preflight.components import Component
    from preflight.doctor.context import Diagnosis

_EVERYWHERE = frozenset(("cni", "kube-proxy"))
_NAMED = "its own nodeSelector or affinity names these nodes"
_CONTROL = frozenset(("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"))
_VIRTUAL = (("type", "virtual-kubelet"), ("eks.amazonaws.com/compute-type", "fargate"))


class GapKind(Enum):
    """How a DaemonSet is missing from a node."""

    MISSING = "missing"
    REFUSED = "refused"
    KEPT_OUT = "kept-out"
    LOOP = "loop"
    PENDING = "pending"
    WAITING = "waiting"
    CRASHING = "crashing"
    NOT_READY = "not-ready"
    TERMINATING = "terminating"


_OF = {
    Trouble.PENDING: GapKind.PENDING,
    Trouble.WAITING: GapKind.WAITING,
    Trouble.UNTOUCHED: GapKind.WAITING,
    Trouble.INITIALIZING: GapKind.WAITING,
    Trouble.CRASHING: GapKind.CRASHING,
    Trouble.FAILED: GapKind.CRASHING,
    Trouble.NOT_READY: GapKind.NOT_READY,
    Trouble.TERMINATING: GapKind.TERMINATING,
}


class Gap(Struct, frozen=True):
    """One DaemonSet that does not work on some nodes, for one reason.

    1. `why` is the reason in words, "" where nothing says it; `signs` are what says that it belongs there, where that is a question.
    2. `component` is the worst thing that it is, None where nothing is known. `pods` are names of the pods meant, in order of the nodes.
    3. `since` is when the oldest of them was created. `taints` are what keeps it out.
    4. `pending` are the pods themselves that no scheduler has bound.
    5. `doubtful`: the DaemonSet may be left out there on purpose: it selects these nodes among others that it runs on.
    """

    daemonset: DaemonSet
    kind: GapKind
    nodes: tuple[str, ...]
    why: str = ""
    pods: tuple[str, ...] = ()
    since: str = ""
    signs: tuple[str, ...] = ()
    taints: tuple[Taint, ...] = ()
    component: Component | None = None
    pending: tuple[Ailing, ...] = ()
    doubtful: bool = False

    @property
    def is_critical(self) -> bool:
        """Whether workloads break without it."""
        return self.component is not None and self.component.kind.critical


class OwnPods(Struct, frozen=True):
    """The pods of one DaemonSet: what is wrong with those that do not simply run, by the node that they are on or are for.

    `working` are the nodes with a pod that runs and is Ready, `moving` those where one comes or goes, `others` those with one that is not
    Ready yet.
    """

    ailing: Mapping[str, tuple[Ailing, ...]]
    working: frozenset[str]
    moving: frozenset[str]
    others: frozenset[str] = frozenset()


class _Sorted(NamedTuple):
    ailing: defaultdict[str, list[Ailing]]
    working: set[str]
    moving: set[str]
    others: set[str]


def own_pods(facts: Diagnosis) -> Mapping[tuple[str, str], OwnPods]:
    """The pods of every DaemonSet that has any."""
    world = facts.world
    uids = {(key.namespace, key.name): daemonset.metadata.uid for key, daemonset in world.daemonsets.items()}
    owners: dict[tuple[str, bytes], tuple[str, str] | None] = {}
    found: defaultdict[tuple[str, str], _Sorted] = defaultdict(lambda: _Sorted(defaultdict(list), set(), set(), set()))
    running = world.running or {}
    for pod in world.pods:
        of = (pod.metadata.namespace, bytes(pod.metadata.ownerReferences))
        if of not in owners:
            owners[of] = _owner(pod, uids)
        key = owners[of]
        if key is None:
            continue
        fine = pod.spec.nodeName and not pod.metadata.deletionTimestamp and pod.status.phase == "Running"
        if fine and says_ready(pod.status.phase, bytes(pod.status.conditions)):
            found[key].working.add(pod.spec.nodeName)
            continue
        try:
            whole = running[pod.metadata.namespace, pod.metadata.name]
        except KeyError:
            continue
        node = whole.spec.nodeName or bound_for(whole)
        (found[key].others if fine else found[key].moving).add(node)
        trouble = ailing(facts.stated(whole), facts.at, silent=node in facts.down)
        if trouble is not None:
            found[key].ailing[node].append(trouble)
    return {
        key: OwnPods({node: tuple(each) for node, each in one.ailing.items()}, *map(frozenset, (one.working, one.moving, one.others)))
        for key, one in found.items()
    }


def gaps(facts: Diagnosis) -> tuple[Gap, ...]:
    """Every gap, the worst components first.

    1. A node that is not Ready is left out: all its pods are as it is. So is a virtual one, where no DaemonSet has a pod.
    2. A DaemonSet that should run and has no pod, none on its way: what refused it, where an event of the DaemonSet says so.
    3. One that a taint alone keeps out, where something says that it belongs there and nothing else provides the same: see `_signs`. Not of
       nodes that an autoscaler is about to remove, nor of those of Windows where it names no nodes: its image is one for Linux.
    4. Pods that are there and do not work; of two on one node the one that works counts.
    """
    found: list[Gap] = []
    impact = facts.impact
    if impact is None:
        return ()
    for group in impact.groups:
        if group.outcome in (Outcome.MISSING, Outcome.NEVER, Outcome.LOOP) and facts.world.pods_known(group.key.namespace, group.key.name):
            found += _absent(facts, group)
    for key, daemonset in facts.world.daemonsets.items():
        own = facts.own_pods.get((key.namespace, key.name))
        if own is not None and facts.world.pods_known(*key[:2]):
            found += _ailing(facts, daemonset, own)
    return tuple(sorted(_merged(found), key=_order))


def _absent(facts: Diagnosis, group: Group) -> Iterator[Gap]:
    daemonset = group.daemonset
    own = facts.own_pods.get((group.key.namespace, group.key.name))
    moving = own.moving if own else frozenset()
    nodes = {name for name in group.nodes if not (name in facts.down or name in moving or facts.is_new(name) or _is_virtual(facts, name))}
    if not nodes:
        return
    component = facts.worst(daemonset)
    shown = tuple(sorted(nodes))
    if group.outcome is Outcome.LOOP:
        yield Gap(daemonset, GapKind.LOOP, shown, "; ".join(why(group)), component=component)
        return
    if group.outcome is Outcome.MISSING:
        refused = facts.events.of("DaemonSet", group.key.namespace, group.key.name, "FailedCreate")
        if refused:
            yield Gap(daemonset, GapKind.REFUSED, shown, _refusal(refused[0].message), since=refused[0].last, component=component)
        else:
            yield Gap(daemonset, GapKind.MISSING, shown, component=component)
        return
    taints = group.after.untolerated if group.after else ()
    if not taints or all(is_owned(taint) for taint in taints):
        return
    rest = nodes - facts.leaving
    if not names_nodes(daemonset.spec.template.spec):
        rest = {name for name in rest if not _is_windows(facts, name)}
    for each in facts.recognised.of(daemonset):
        rest = rest - facts.provided.others(group.key, each, recreated=False)
    signs = _signs(facts, group, frozenset(rest))
    if rest and signs:
        yield Gap(
            daemonset,
            GapKind.KEPT_OUT,
            tuple(sorted(rest)),
            "; ".join(why(group)),
            signs=tuple(signs),
            taints=taints,
            component=component,
            doubtful=signs == [_NAMED] and bool(own and own.working),
        )


def _signs(facts: Diagnosis, group: Group, nodes: frozenset[str]) -> list[str]:
    """What says that a DaemonSet belongs on nodes that a taint keeps it from.

    1. Its own nodeSelector or affinity names them.
    2. A pod of it runs on another node with the same taint.
    3. Pods wait for a resource that it provides; of a node of the control plane only where it has that resource, or had it.
    4. Pods mount its volumes there, or it removes a startup taint that is there.
    5. It is the network or the Service proxy of every pod.
    """
    spec, found = group.daemonset.spec.template.spec, []
    if names_nodes(spec):
        found.append(_NAMED)
    taints = set(group.after.untolerated if group.after else ())
    assert facts.impact is not None
    peers = [
        name
        for other in facts.impact.groups
        if other.key == group.key and other.verdict.now and not other.assumed and taints & set(other.node.spec.taints)
        for name in other.nodes
    ]
    if peers:
        found.append(f"a pod of it still runs on {names(sorted(peers))} with the same taint")
    is_control = {taint.key for taint in taints} & _CONTROL and not any(_has_device(facts, group, name) for name in nodes)
    wanted = [] if is_control else [name for each in facts.recognised.of(group.daemonset) for name in facts.wanted(each)]
    if wanted:
        found.append(f"pods wait for {listed(wanted)}")
    if any(group.daemonset in each.daemonsets and nodes & set(each.nodes) for each in facts.unmounted):
        found.append("pods mount its volumes there")
    keys = {key for each in facts.recognised.of(group.daemonset) if each.kind.id == "startup-taint-remover" for key in each.taints}
    startup = sorted({taint.key for taint in group.node.spec.taints if taint.key in keys})
    if startup:
        found.append(f"it is what removes {listed(startup)}")
    if any(component.kind.id in _EVERYWHERE for component in facts.recognised.of(group.daemonset)) and nodes:
        found.append("every pod on a node needs it")
    return found


def _ailing(facts: Diagnosis, daemonset: DaemonSet, own: OwnPods) -> Iterator[Gap]:
    by_reason: defaultdict[tuple[GapKind, str], list[tuple[str, Ailing]]] = defaultdict(list)
    for node, troubles in own.ailing.items():
        if node in facts.down or node in facts.removed:
            continue
        for each in troubles[:1]:
            if node not in own.working or each.trouble in (Trouble.PENDING, Trouble.TERMINATING):
                by_reason[_OF[each.trouble], _general(each)].append((node, each))
    for (kind, reason), places in by_reason.items():
        places.sort(key=lambda place: place[0])
        yield Gap(
            daemonset,
            kind,
            tuple(node for node, _ in places if node),
            reason,
            pods=tuple(each.pod.metadata.name for _, each in places),
            since=min(_begun(each) for _, each in places),
            component=facts.worst(daemonset),
            pending=tuple(each for _, each in places if kind is GapKind.PENDING),
        )


def _begun(each: Ailing) -> str:
    return each.pod.metadata.deletionTimestamp or each.pod.metadata.creationTimestamp


def _general(each: Ailing) -> str:
    """The reason, without the number of restarts: pods that crash alike are one gap."""
    if each.trouble is Trouble.UNTOUCHED:
        return "the kubelet has not begun to start it"
    head, restarts, tail = (
        each.why.partition(": ") if each.trouble is Trouble.CRASHING and "again and again" in each.why else (each.why, "", "")
    )
    last = tail.partition(", ")[2]
    return f"{head}, {last}" if restarts and last else head


def _merged(found: Iterable[Gap]) -> Iterator[Gap]:
    """Gaps of one DaemonSet, kind and reason as one."""
    alike: dict[tuple[ObjectKey, GapKind, str], list[Gap]] = {}
    for gap in found:
        alike.setdefault((gap.daemonset.key, gap.kind, gap.why), []).append(gap)
    for same in alike.values():
        first = same[0]
        nodes = tuple(sorted({name for gap in same for name in gap.nodes}))
        yield Gap(
            first.daemonset,
            first.kind,
            nodes,
            first.why,
            tuple(name for gap in same for name in gap.pods),
            min((gap.since for gap in same if gap.since), default=""),
            tuple(dict.fromkeys(sign for gap in same for sign in gap.signs)),
            tuple(dict.fromkeys(taint for gap in same for taint in gap.taints)),
            first.component,
            tuple(each for gap in same for each in gap.pending),
            all(gap.doubtful for gap in same),
        )


def _order(gap: Gap) -> tuple[int, int, str, str, str]:
    rank = gap.component.kind.rank if gap.component else 99
    return rank, -len(gap.nodes), str(gap.daemonset.key), gap.kind.value, gap.why


def _owner(pod: ListedPod, uids: Mapping[tuple[str, str], str]) -> tuple[str, str] | None:
    owner = controller(pod)
    key = (pod.metadata.namespace, owner.name) if owner and owner.kind == "DaemonSet" else ("", "")
    uid = uids.get(key)
    return key if owner is not None and uid is not None and (not uid or not owner.uid or uid == owner.uid) else None


def _refusal(message: str) -> str:
    """Why a creation was refused, without what the controller says around it."""
    text = " ".join(message.split())
    return text.removeprefix("Error creating: ")


def _has_device(facts: Diagnosis, group: Group, node: str) -> bool:
    """Whether a node has, or had, what a DaemonSet advertises: what the plugin registered stays in Capacity."""
    capacity = facts.node_state(node).status.capacity
    return any(each.advertises(name) for each in facts.recognised.of(group.daemonset) for name in capacity)


def _is_windows(facts: Diagnosis, name: str) -> bool:
    return facts.world.nodes[name].metadata.labels.get("kubernetes.io/os") == "windows"


def _is_virtual(facts: Diagnosis, name: str) -> bool:
    labels = facts.world.nodes[name].metadata.labels
    return any(labels.get(key) == value for key, value in _VIRTUAL)
