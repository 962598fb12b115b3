"""Why no node takes a pod: the nodes of a cluster in classes, each with all that its nodes have against the pod."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from preflight.coverage.reasons import requirement_text
from preflight.doctor.pending.node_fit import DOUBTS, amount, fits
from preflight.doctor.pod_health import bound_for, extended
from preflight.messages.lists import listed, names
from preflight.scheduling.affinity import AffinityMatch
from preflight.scheduling.anti_affinity import guards_against
from preflight.scheduling.filters import NODE_AFFINITY, TAINT_TOLERATION, Reason, Shortage
from preflight.scheduling.fit import Fit
from preflight.scheduling.node_fit import NodeFit
from preflight.scheduling.occupancy import Occupancy

if TYPE_CHECKING:
    from preflight.doctor.context import Diagnosis
    from preflight.model.runtime_state import StatedPod

_MOST = 6
_ELSEWHERE = "it is for another node"
_CORDON = "node.kubernetes.io/unschedulable"


class Class(Struct, frozen=True):
    """Nodes that say the same of a pod: `why` in words; `takes` as in NodeFit."""

    nodes: tuple[str, ...]
    why: str
    takes: bool | None


class Account(Struct, frozen=True):
    """Our own account of where a pod fits.

    1. `classes` are the nodes in classes, those that come nearest to taking it first; `takers` those that take it for certain.
    2. Pods with equal `likeness` have the same account, word for word.
    """

    fit: Fit
    classes: tuple[Class, ...]
    takers: tuple[str, ...]
    likeness: str

    @property
    def short(self) -> tuple[str, ...]:
        """The resources of which some node has too little for it, where a node that lacks nothing else counts alone."""
        refused = [node.reasons for node in self.fit.nodes if node.reasons]
        nearest = [reasons for reasons in refused if all(reason.shortage for reason in reasons)] or refused
        return tuple(dict.fromkeys(reason.shortage.resource for reasons in nearest for reason in reasons if reason.shortage))


def account(facts: Diagnosis, pod: StatedPod) -> Account:
    """Our own account of a pod that waits.

    1. Pods that are alike are looked at once: in all that the filters read, and in their labels where others may not want such pods near.
    2. Of a pod of a DaemonSet only its own node is looked at: no other ever takes it.
    """
    labels = tuple(sorted(pod.metadata.labels.items())) if facts.occupancy.guards else ()
    key = (pod.metadata.namespace, labels, msgspec.json.encode(pod.spec))
    if key not in facts.pending.accounts:
        found = fits(facts, pod, _rooms(facts.occupancy, pod))
        classes = _classes(found, wants_device=bool(extended(pod.spec)))
        likeness = "\n".join(f"{' '.join(each.nodes)}: {each.why}" for each in classes)
        facts.pending.accounts[key] = Account(found, classes, found.takers, likeness)
    return facts.pending.accounts[key]


def _rooms(occupancy: Occupancy, pod: StatedPod) -> Occupancy:
    """The nodes that a pod is for, with those of the pods that may not want it near them."""
    node = bound_for(pod)
    if node not in occupancy.rooms:
        return occupancy
    guards = guards_against(occupancy, pod.metadata.labels, pod.metadata.namespace)
    names = sorted({node, *(guard.node for guard in guards)} & occupancy.rooms.keys())
    return Occupancy({name: occupancy.rooms[name] for name in names}, guards, occupancy.doubts)


def lines(classes: Sequence[Class]) -> Iterator[str]:
    """A line for each class of nodes, `gpu-1, gpu-2: too little ...`; of many classes those that come nearest."""
    for each in classes[:_MOST]:
        yield f"{names(each.nodes)}: {each.why}"
    rest = [name for each in classes[_MOST:] for name in each.nodes]
    if rest:
        yield f"{names(rest)}: other reasons"


def _classes(found: Fit, *, wants_device: bool) -> tuple[Class, ...]:
    pod_doubts = [DOUBTS.get(each.what, each.what) for each in found.doubts]
    alike: defaultdict[tuple[int, int, tuple[str, ...]], list[NodeFit]] = defaultdict(list)
    for node in found.nodes:
        kinds = tuple(dict.fromkeys(_kind(reason) for reason in node.reasons))
        doubts = [DOUBTS.get(each.what, each.what) for each in node.doubts] if node.takes is None else []
        alike[_distance(node, wants_device=wants_device), len(kinds), (*kinds, *doubts)].append(node)
    return tuple(
        Class(tuple(node.node for node in nodes), _why(nodes, pod_doubts), nodes[0].takes)
        for (_, _, _), nodes in sorted(alike.items(), key=lambda item: (item[0][0], item[0][1], -len(item[1]), item[1][0].node))
    )


def _distance(node: NodeFit, *, wants_device: bool) -> int:
    """How far a node is from taking the pod: 0 where it does, 1 where it may.

    A node with the device that the pod wants and room for it is 2: only a label or a taint keeps it. One that lacks only room is 3, any
    other 4: without a wish for a device most nodes are of another zone or pool.
    """
    if node.takes is not False:
        return 0 if node.takes else 1
    plugins = {reason.plugin for reason in node.reasons}
    if wants_device and plugins <= {NODE_AFFINITY, TAINT_TOLERATION}:
        return 2
    return 3 if all(reason.shortage for reason in node.reasons) else 4


def _kind(reason: Reason) -> str:
    """What makes two nodes say the same: of a resource that is there how much of it there is counts, not how much of it is taken."""
    if reason.shortage is not None:
        return f"{reason.shortage.resource}/{_shape(reason.shortage)}"
    return _text(reason)


def _shape(short: Shortage) -> str:
    if not short.allocatable:
        return "none"
    return f"{short.allocatable}" if short.wanted > short.allocatable else "taken"


def _why(nodes: list[NodeFit], pod_doubts: Iterable[str]) -> str:
    first = nodes[0]
    if first.takes:
        return "takes the pod" if len(nodes) == 1 else "take the pod"
    if first.reasons:
        shortages = defaultdict(list)
        for node in nodes:
            for reason in node.reasons:
                if reason.shortage is not None:
                    shortages[reason.shortage.resource].append(reason.shortage)
        texts = [_short(shortages[each.shortage.resource]) if each.shortage else _text(each) for each in first.reasons]
        return _ELSEWHERE if _ELSEWHERE in texts else listed(dict.fromkeys(texts))
    doubts = dict.fromkeys((*(DOUBTS.get(each.what, each.what) for each in first.doubts), *pod_doubts))
    return f"not known ({listed(doubts)})"


def _short(shortages: list[Shortage]) -> str:
    short = shortages[0]
    what = "room for one more pod" if short.resource == "pods" else short.resource
    if not short.allocatable:
        return f"no {what}"
    wanted = amount(short.resource, short.wanted)
    if short.wanted > short.allocatable:
        return f"never enough {what} (asks for {wanted}, a node has {amount(short.resource, short.allocatable)})"
    free = max(max(0, each.allocatable - each.used) for each in shortages)
    if short.resource == "pods":
        return f"no room for one more pod (all {short.allocatable} are there)"
    most = "at most " if len(shortages) > 1 and free else ""
    return f"too little {what} left (asks for {wanted}, {most}{amount(short.resource, free) if free else 'none'} free)"


def _text(reason: Reason) -> str:
    if reason.taints:
        said = [taint for taint in reason.taints if taint.key != _CORDON]  # of a cordon its own filter speaks too
        return f"does not tolerate {listed(said or reason.taints)}"
    if reason.affinity is not None and (found := _unmatched(reason.affinity)):
        return found
    if reason.plugin == NODE_AFFINITY and "plugin(s)" in reason.text:
        return _ELSEWHERE
    return reason.text.removeprefix("node(s) ").replace("were unschedulable", "cordoned")


def _unmatched(match: AffinityMatch) -> str:
    found = [
        f"label {each.key}={each.wanted} is asked for{f', it has {each.found}' if each.found is not None else ' and is not there'}"
        for each in match.selector
    ]
    failed = [[requirement_text(each) for each in (*term.expressions, *term.fields)] for term in match.terms]
    asked = [listed(each) for each in failed if each]
    if asked:
        found.append(f"its affinity asks for {'; or '.join(dict.fromkeys(asked))}")
    return listed(found)
