"""Which nodes lack which DaemonSet today, and why: by the pods that are there, never by a counter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from preflight.change.node_lifecycle import is_controller_owned
from preflight.coverage.model import CoverageGroup
from preflight.coverage.node_targeting import targets_nodes
from preflight.coverage.reasons import list_outcome_reasons
from preflight.doctor.pod_health import PodTrouble, UnhealthyPod, check_pod, get_target_node, is_listed_pod_ready
from preflight.messages.coverage import describe_reasons
from preflight.messages.lists import join_and, join_node_names
from preflight.model.objects import CoveragePod, DaemonSet, ObjectKey, Taint, find_controller
from preflight.model.report import Outcome

if TYPE_CHECKING:
    from preflight.components import Component
    from preflight.doctor.context import ClusterFacts

_KINDS_ON_EVERY_NODE = frozenset(("cni", "kube-proxy"))
_SELECTED_TEXT = "its own nodeSelector or affinity names these nodes"
_CONTROL_PLANE_LABELS = frozenset(("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"))
_VIRTUAL_NODE_LABELS = (("type", "virtual-kubelet"), ("eks.amazonaws.com/compute-type", "fargate"))


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


_GAP_KINDS = {
    PodTrouble.PENDING: GapKind.PENDING,
    PodTrouble.WAITING: GapKind.WAITING,
    PodTrouble.NOT_STARTED: GapKind.WAITING,
    PodTrouble.INITIALIZING: GapKind.WAITING,
    PodTrouble.CRASHING: GapKind.CRASHING,
    PodTrouble.FAILED: GapKind.CRASHING,
    PodTrouble.NOT_READY: GapKind.NOT_READY,
    PodTrouble.TERMINATING: GapKind.TERMINATING,
}


class CoverageGap(Struct, frozen=True):
    """One DaemonSet that does not work on some nodes, for one reason.

    1. `reason` is the reason in words, "" where nothing says it; `signs` are what says that it belongs there, where that is a question.
    2. `component` is the worst thing that it is, None where nothing is known. `pod_names` are names of the pods meant, in order of the
       nodes.
    3. `since` is when the oldest of them was created. `taints` are what keeps it out.
    4. `pending_pods` are the pods themselves that no scheduler has bound.
    5. `is_doubtful`: the DaemonSet may be left out there on purpose: it selects these nodes among others that it runs on.
    """

    daemonset: DaemonSet
    kind: GapKind
    nodes: tuple[str, ...]
    reason: str = ""
    pod_names: tuple[str, ...] = ()
    since: str = ""
    signs: tuple[str, ...] = ()
    taints: tuple[Taint, ...] = ()
    component: Component | None = None
    pending_pods: tuple[UnhealthyPod, ...] = ()
    is_doubtful: bool = False

    @property
    def is_critical(self) -> bool:
        """Whether workloads break without it."""
        return self.component is not None and self.component.kind.critical


class DaemonSetPodHealth(Struct, frozen=True):
    """The pods of one DaemonSet: what is wrong with those that do not simply run, by the node that they are on or are for.

    `working_nodes` are the nodes with a pod that runs and is Ready, `nodes_in_transit` those where one comes or goes, `other_nodes` those
    with one that is not Ready yet.
    """

    unhealthy_pods: Mapping[str, tuple[UnhealthyPod, ...]]
    working_nodes: frozenset[str]
    nodes_in_transit: frozenset[str]
    other_nodes: frozenset[str] = frozenset()


class _PodsByHealth(NamedTuple):
    unhealthy_pods: defaultdict[str, list[UnhealthyPod]]
    working_nodes: set[str]
    nodes_in_transit: set[str]
    other_nodes: set[str]


def collect_pod_health(facts: ClusterFacts) -> Mapping[tuple[str, str], DaemonSetPodHealth]:
    """The pods of every DaemonSet that has any."""
    world = facts.world
    uids = {(key.namespace, key.name): daemonset.metadata.uid for key, daemonset in world.daemonsets.items()}
    owners: dict[tuple[str, bytes], tuple[str, str] | None] = {}
    found: defaultdict[tuple[str, str], _PodsByHealth] = defaultdict(lambda: _PodsByHealth(defaultdict(list), set(), set(), set()))
    running = world.pods_by_key or {}
    for pod in world.pods:
        of = (pod.metadata.namespace, bytes(pod.metadata.ownerReferences))
        if of not in owners:
            owners[of] = _get_owner(pod, uids)
        key = owners[of]
        if key is None:
            continue
        fine = pod.spec.nodeName and not pod.metadata.deletionTimestamp and pod.status.phase == "Running"
        if fine and is_listed_pod_ready(pod.status.phase, bytes(pod.status.conditions)):
            found[key].working_nodes.add(pod.spec.nodeName)
            continue
        try:
            whole = running[pod.metadata.namespace, pod.metadata.name]
        except KeyError:
            continue
        node = whole.spec.nodeName or get_target_node(whole)
        (found[key].other_nodes if fine else found[key].nodes_in_transit).add(node)
        trouble = check_pod(facts.get_stated_pod(whole), facts.latest_time, is_kubelet_silent=node in facts.not_ready_nodes)
        if trouble is not None:
            found[key].unhealthy_pods[node].append(trouble)
    return {
        key: DaemonSetPodHealth(
            {node: tuple(unhealthy_pod) for node, unhealthy_pod in one.unhealthy_pods.items()},
            *map(frozenset, (one.working_nodes, one.nodes_in_transit, one.other_nodes)),
        )
        for key, one in found.items()
    }


def find_gaps(facts: ClusterFacts) -> tuple[CoverageGap, ...]:
    """Every gap, the worst components first.

    1. A node that is not Ready is left out: all its pods are as it is. So is a virtual one, where no DaemonSet has a pod.
    2. A DaemonSet that should run and has no pod, none on its way: what refused it, where an event of the DaemonSet says so.
    3. One that a taint alone keeps out, where something says that it belongs there and nothing else provides the same: see `_list_signs`.
       Not of nodes that an autoscaler is about to remove, nor of those of Windows where it names no nodes: its image is one for Linux.
    4. Pods that are there and do not work; of two on one node the one that works counts.
    """
    found: list[CoverageGap] = []
    impact = facts.impact
    if impact is None:
        return ()
    for group in impact.groups:
        if group.outcome in (Outcome.MISSING, Outcome.NEVER, Outcome.LOOP) and facts.world.are_pods_listed(
            group.key.namespace, group.key.name
        ):
            found += _iter_absent_gaps(facts, group)
    for key, daemonset in facts.world.daemonsets.items():
        own = facts.daemonset_pod_health.get((key.namespace, key.name))
        if own is not None and facts.world.are_pods_listed(*key[:2]):
            found += _iter_unhealthy_gaps(facts, daemonset, own)
    return tuple(sorted(_merge_gaps(found), key=_make_sort_key))


def _iter_absent_gaps(facts: ClusterFacts, group: CoverageGroup) -> Iterator[CoverageGap]:
    daemonset = group.daemonset
    own = facts.daemonset_pod_health.get((group.key.namespace, group.key.name))
    moving = own.nodes_in_transit if own else frozenset()
    nodes = {
        name
        for name in group.nodes
        if not (name in facts.not_ready_nodes or name in moving or facts.is_new_node(name) or _is_virtual(facts, name))
    }
    if not nodes:
        return
    component = facts.get_worst_component(daemonset)
    shown = tuple(sorted(nodes))
    if group.outcome is Outcome.LOOP:
        yield CoverageGap(daemonset, GapKind.LOOP, shown, "; ".join(describe_reasons(list_outcome_reasons(group))), component=component)
        return
    if group.outcome is Outcome.MISSING:
        refused = facts.events.get_events("DaemonSet", group.key.namespace, group.key.name, "FailedCreate")
        if refused:
            yield CoverageGap(
                daemonset, GapKind.REFUSED, shown, _extract_refusal(refused[0].message), since=refused[0].last_seen, component=component
            )
        else:
            yield CoverageGap(daemonset, GapKind.MISSING, shown, component=component)
        return
    taints = group.placement_after.untolerated_taints if group.placement_after else ()
    if not taints or all(is_controller_owned(taint) for taint in taints):
        return
    rest = nodes - facts.nodes_being_removed
    if not targets_nodes(daemonset.spec.template.spec):
        rest = {name for name in rest if not _is_windows(facts, name)}
    for each in facts.component_cache.recognize(daemonset):
        rest = rest - facts.remaining_providers.find_other_nodes(group.key, each, recreated=False)
    signs = _list_signs(facts, group, frozenset(rest))
    if rest and signs:
        yield CoverageGap(
            daemonset,
            GapKind.KEPT_OUT,
            tuple(sorted(rest)),
            "; ".join(describe_reasons(list_outcome_reasons(group))),
            signs=tuple(signs),
            taints=taints,
            component=component,
            is_doubtful=signs == [_SELECTED_TEXT] and bool(own and own.working_nodes),
        )


def _list_signs(facts: ClusterFacts, group: CoverageGroup, nodes: frozenset[str]) -> list[str]:
    """What says that a DaemonSet belongs on nodes that a taint keeps it from.

    1. Its own nodeSelector or affinity names them.
    2. A pod of it runs on another node with the same taint.
    3. Pods wait for a resource that it provides; of a node of the control plane only where it has that resource, or had it.
    4. Pods mount its volumes there, or it removes a startup taint that is there.
    5. It is the network or the Service proxy of every pod.
    """
    spec, found = group.daemonset.spec.template.spec, []
    if targets_nodes(spec):
        found.append(_SELECTED_TEXT)
    taints = set(group.placement_after.untolerated_taints if group.placement_after else ())
    assert facts.impact is not None
    peers = [
        name
        for other in facts.impact.groups
        if other.key == group.key and other.forecast.has_pod and not other.is_assumed and taints & set(other.node.spec.taints)
        for name in other.nodes
    ]
    if peers:
        found.append(f"a pod of it still runs on {join_node_names(sorted(peers))} with the same taint")
    is_control = {taint.key for taint in taints} & _CONTROL_PLANE_LABELS and not any(_has_device(facts, group, name) for name in nodes)
    wanted = (
        []
        if is_control
        else [name for each in facts.component_cache.recognize(group.daemonset) for name in facts.list_wanted_resources(each)]
    )
    if wanted:
        found.append(f"pods wait for {join_and(wanted)}")
    if any(group.daemonset in missing_driver.daemonsets and nodes & set(missing_driver.nodes) for missing_driver in facts.missing_drivers):
        found.append("pods mount its volumes there")
    keys = {
        key for each in facts.component_cache.recognize(group.daemonset) if each.kind.id == "startup-taint-remover" for key in each.taints
    }
    startup = sorted({taint.key for taint in group.node.spec.taints if taint.key in keys})
    if startup:
        found.append(f"it is what removes {join_and(startup)}")
    if any(component.kind.id in _KINDS_ON_EVERY_NODE for component in facts.component_cache.recognize(group.daemonset)) and nodes:
        found.append("every pod on a node needs it")
    return found


def _iter_unhealthy_gaps(facts: ClusterFacts, daemonset: DaemonSet, pod_health: DaemonSetPodHealth) -> Iterator[CoverageGap]:
    by_reason: defaultdict[tuple[GapKind, str], list[tuple[str, UnhealthyPod]]] = defaultdict(list)
    for node, troubles in pod_health.unhealthy_pods.items():
        if node in facts.not_ready_nodes or node in facts.removed_nodes:
            continue
        for trouble in troubles[:1]:
            if node not in pod_health.working_nodes or trouble.trouble in (PodTrouble.PENDING, PodTrouble.TERMINATING):
                by_reason[_GAP_KINDS[trouble.trouble], _drop_restart_count(trouble)].append((node, trouble))
    for (kind, reason), places in by_reason.items():
        places.sort(key=lambda place: place[0])
        yield CoverageGap(
            daemonset,
            kind,
            tuple(node for node, _ in places if node),
            reason,
            pod_names=tuple(pod.pod.metadata.name for _, pod in places),
            since=min(_get_start_time(each) for _, each in places),
            component=facts.get_worst_component(daemonset),
            pending_pods=tuple(each for _, each in places if kind is GapKind.PENDING),
        )


def _get_start_time(unhealthy_pod: UnhealthyPod) -> str:
    return unhealthy_pod.pod.metadata.deletionTimestamp or unhealthy_pod.pod.metadata.creationTimestamp


def _drop_restart_count(unhealthy_pod: UnhealthyPod) -> str:
    """The reason, without the number of restarts: pods that crash alike are one gap."""
    if unhealthy_pod.trouble is PodTrouble.NOT_STARTED:
        return "the kubelet has not begun to start it"
    head, restarts, tail = (
        unhealthy_pod.reason.partition(": ")
        if unhealthy_pod.trouble is PodTrouble.CRASHING and "again and again" in unhealthy_pod.reason
        else (unhealthy_pod.reason, "", "")
    )
    last = tail.partition(", ")[2]
    return f"{head}, {last}" if restarts and last else head


def _merge_gaps(gaps: Iterable[CoverageGap]) -> Iterator[CoverageGap]:
    """Gaps of one DaemonSet, kind and reason as one."""
    alike: dict[tuple[ObjectKey, GapKind, str], list[CoverageGap]] = {}
    for gap in gaps:
        alike.setdefault((gap.daemonset.key, gap.kind, gap.reason), []).append(gap)
    for same in alike.values():
        first = same[0]
        nodes = tuple(sorted({name for gap in same for name in gap.nodes}))
        yield CoverageGap(
            first.daemonset,
            first.kind,
            nodes,
            first.reason,
            tuple(name for gap in same for name in gap.pod_names),
            min((gap.since for gap in same if gap.since), default=""),
            tuple(dict.fromkeys(sign for gap in same for sign in gap.signs)),
            tuple(dict.fromkeys(taint for gap in same for taint in gap.taints)),
            first.component,
            tuple(pending_pod for gap in same for pending_pod in gap.pending_pods),
            all(gap.is_doubtful for gap in same),
        )


def _make_sort_key(gap: CoverageGap) -> tuple[int, int, str, str, str]:
    rank = gap.component.kind.rank if gap.component else 99
    return rank, -len(gap.nodes), str(gap.daemonset.key), gap.kind.value, gap.reason


def _get_owner(pod: CoveragePod, uids: Mapping[tuple[str, str], str]) -> tuple[str, str] | None:
    owner = find_controller(pod)
    key = (pod.metadata.namespace, owner.name) if owner and owner.kind == "DaemonSet" else ("", "")
    uid = uids.get(key)
    return key if owner is not None and uid is not None and (not uid or not owner.uid or uid == owner.uid) else None


def _extract_refusal(message: str) -> str:
    """Why a creation was refused, without what the controller says around it."""
    text = " ".join(message.split())
    return text.removeprefix("Error creating: ")


def _has_device(facts: ClusterFacts, group: CoverageGroup, node: str) -> bool:
    """Whether a node has, or had, what a DaemonSet advertises: what the plugin registered stays in Capacity."""
    capacity = facts.get_node_state(node).status.capacity
    return any(component.advertises(name) for component in facts.component_cache.recognize(group.daemonset) for name in capacity)


def _is_windows(facts: ClusterFacts, name: str) -> bool:
    return facts.world.nodes[name].metadata.labels.get("kubernetes.io/os") == "windows"


def _is_virtual(facts: ClusterFacts, name: str) -> bool:
    labels = facts.world.nodes[name].metadata.labels
    return any(labels.get(key) == value for key, value in _VIRTUAL_NODE_LABELS)
