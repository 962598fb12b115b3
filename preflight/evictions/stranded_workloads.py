"""Workloads whose next pod finds no node after a change: running pods stay, and nothing takes their place once they go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from preflight.change.model import Change, PodEnding
from preflight.coverage.label_cascade import remove_labels
from preflight.coverage.model import Impact
from preflight.evictions.next_pods import NextPod, list_next_pods
from preflight.evictions.node_takers import LostNodes, NodeTakers
from preflight.model.core import Node, PodSpec
from preflight.model.meta import ObjectKey, Origin
from preflight.model.report import Subject
from preflight.model.uncertainty import Uncertainty
from preflight.model.world import ClusterState
from preflight.scheduling.affinity import collect_label_keys


class StrandedWorkload(Struct, frozen=True):
    """A workload whose next pod finds no node after a change, and found one before.

    1. `nodes` took its pods before; `origin` is where it stands, None where only its pods were given.
    2. `replaced_pod` is the pod whose volumes keep its successor to these nodes; "" where no pod of it finds a node.
    3. `may_lose_pods`: the change lets its pods go from one of them, if it has any there.
    4. `doubts` are why a node may take it all the same; () where it is certain that none does.
    5. `labellers` are the DaemonSets whose labels it needs, and that take them away once their pods are re-created; () where the change
       itself costs it the nodes.
    """

    subject: Subject
    origin: Origin | None
    nodes: tuple[str, ...]
    replaced_pod: str = ""
    may_lose_pods: bool = False
    doubts: tuple[Uncertainty, ...] = ()
    labellers: tuple[ObjectKey, ...] = ()


def list_stranded_workloads(impact: Impact) -> tuple[StrandedWorkload, ...]:
    """The workloads that a change leaves without a node for their next pod, each once: at once, or once a labeller is re-created.

    1. A workload that had no node before is none of them: that is not this change's doing.
    2. One that asks for no node of its own may have any: it counts only where the cluster's nodes are known, as far as that can be told.
    """
    change = impact.change
    if not _are_nodes_listed(change.before):
        return ()
    found = {stranded.subject: stranded for stranded in _iter_stranded(change, change.after.nodes, {})}
    if impact.fading_labels:
        later = _iter_stranded(change, remove_labels(change.after.nodes, impact.fading_labels), impact.fading_labels)
        found = {**{stranded.subject: stranded for stranded in later}, **found}
    return tuple(found.values())


def list_unplaced_pods(impact: Impact) -> tuple[PodSpec, ...]:
    """The next pods that none of the nodes takes that a live cluster was asked for, where that is not every node; each kind once."""
    change = impact.change
    if _are_nodes_listed(change.before):
        return ()
    takers = NodeTakers(change.before.nodes, change.after.nodes, change.after.comparison_operators)
    pods = list_next_pods(change.before, takers.differing) if takers.differing else ()
    return tuple(pod.spec for pod in pods if takers.find_lost_nodes(pod) is not None)


def _are_nodes_listed(world: ClusterState) -> bool:
    return world.listing is None or world.listing.nodes


def _iter_stranded(
    change: Change, after: Mapping[str, Node], fading_labels: Mapping[str, Mapping[str, ObjectKey]]
) -> Iterator[StrandedWorkload]:
    """Each workload that has no node once the nodes are as they are in `after`; a certain one in place of a doubtful one."""
    takers = NodeTakers(change.before.nodes, after, change.after.comparison_operators)
    if not takers.differing:
        return
    found: dict[Subject, StrandedWorkload] = {}
    knows_all = _knows_all_nodes(change.before, takers.differing)
    for pod in list_next_pods(change.before, takers.differing):
        known = found.get(pod.subject)
        if (known is None or known.doubts) and (knows_all or pod.names_nodes):
            lost = takers.find_lost_nodes(pod)
            if lost is not None and (known is None or not lost.doubts):
                labellers = _find_labellers(pod, lost, fading_labels) if fading_labels else ()
                found[pod.subject] = _make_stranded(change, pod, lost, labellers)
    yield from found.values()


def _find_labellers(pod: NextPod, lost: LostNodes, fading_labels: Mapping[str, Mapping[str, ObjectKey]]) -> tuple[ObjectKey, ...]:
    """The DaemonSets whose labels a pod selects on, and loses on its last nodes."""
    selected = collect_label_keys(pod.spec)[0]
    fading = (item for name in lost.nodes for item in fading_labels.get(name, {}).items())
    return tuple(sorted({labeller for label, labeller in fading if label in selected}))


def _knows_all_nodes(world: ClusterState, differing: frozenset[str]) -> bool:
    """Whether the nodes are those of a whole cluster: pods of all namespaces say so, and nodes that are not changed."""
    return world.listed_namespaces is None or any(name not in differing for name in world.nodes)


def _make_stranded(change: Change, pod: NextPod, lost: LostNodes, labellers: tuple[ObjectKey, ...]) -> StrandedWorkload:
    may_lose_pods = _may_lose_pods(change, pod, lost.nodes)
    return StrandedWorkload(pod.subject, pod.origin, lost.nodes, pod.replaced_pod, may_lose_pods, lost.doubts, labellers)


def _may_lose_pods(change: Change, pod: NextPod, nodes: tuple[str, ...]) -> bool:
    """Whether the change lets pods go from one of the nodes."""
    is_emptied = change.drain_flags is not None or change.pod_ending is not PodEnding.NOT_ASKED
    if not is_emptied and not any(taint.effect == "NoExecute" for taint in change.taints):
        return False
    from preflight.evictions.workload_exposure import may_leave  # most changes let no pod go

    return any(may_leave(change, pod.spec.tolerations, name) for name in nodes)
