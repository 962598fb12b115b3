"""What a change means for workloads other than DaemonSets, as far as their templates tell, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from preflight.messages.lists import join_and, join_limited, join_node_names
from preflight.messages.uncertainty import describe_uncertainty
from preflight.model.meta import ObjectKey
from preflight.model.report import Subject
from preflight.model.uncertainty import Uncertainty

_ADD_PODS = "add the output of `kubectl get pods -A -o json`"


def describe_no_node_left(nodes: Sequence[str], *, replaced_pod: str, may_lose_pods: bool) -> str:
    """PF313: `nodes` took its pods before the change; of `replaced_pod` the volumes are there alone."""
    before = f"(before: {join_node_names(nodes)})"
    pods = "its pods there have to leave, and new pods stay Pending" if may_lose_pods else "new pods stay Pending, running pods stay"
    if replaced_pod:
        return f"has no node for a new {replaced_pod} after the change {before}: it stays Pending, also because of its volumes"
    return f"can be scheduled on no node after the change {before}: {pods}"


def describe_fading_nodes(nodes: Sequence[str], labellers: Iterable[ObjectKey]) -> str:
    """PF313: that its last nodes lose the labels that it needs once the pods of their labellers are re-created."""
    where = f"{join_and(labellers)} no longer runs on {join_node_names(nodes)}"
    return f"can be scheduled on no node once {where}: labels that it needs are removed there, and new pods stay Pending"


def describe_no_certain_node(nodes: Sequence[str], doubts: Iterable[Uncertainty]) -> str:
    """PF313: that no node surely takes its pods after the change, and why one still may."""
    unknown = join_and(describe_uncertainty(doubt) for doubt in doubts)
    return f"may be schedulable on no node after the change (before: {join_node_names(nodes)}): unknown: {unknown}"


def describe_unknown_pods(nodes: Sequence[str], workloads: Iterable[Subject]) -> str:
    """That a change removes pods from nodes, that no pods are in the input, and which workloads may have some there."""
    owners = f"{_list_workloads(workloads)} may have pods there"
    return f"unknown: the pods on {join_node_names(nodes)}, which have to leave ({owners}); {_ADD_PODS}"


def note_possible_pods(nodes: Sequence[str], workloads: Iterable[Subject]) -> str:
    """That pods of workloads may be on nodes where a change removes none."""
    return f"{_list_workloads(workloads)} may have pods on {join_node_names(nodes)}: running pods stay, only new pods are affected"


def _list_workloads(workloads: Iterable[Subject]) -> str:
    return join_limited((f"{workload.kind} {workload}" for workload in workloads), "workloads")
