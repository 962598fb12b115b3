"""What a change means for workloads other than DaemonSets, as far as their templates tell, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from preflight.messages.lists import join_limited, join_node_names
from preflight.model.report import Subject

_ADD_PODS = "add the output of `kubectl get pods -A -o json`"


def describe_no_node_left(nodes: Sequence[str], *, may_lose_pods: bool) -> str:
    """PF313: `nodes` took its pods before the change."""
    pods = "its pods there have to leave, and new pods stay Pending" if may_lose_pods else "new pods stay Pending, running pods stay"
    return f"can be scheduled on no node after the change (before: {join_node_names(nodes)}): {pods}"


def describe_unknown_pods(nodes: Sequence[str], workloads: Iterable[Subject]) -> str:
    """That a change removes pods from nodes, that no pods are in the input, and which workloads may have some there."""
    owners = f"{_list_workloads(workloads)} may have pods there"
    return f"unknown: the pods on {join_node_names(nodes)}, which have to leave ({owners}); {_ADD_PODS}"


def note_possible_pods(nodes: Sequence[str], workloads: Iterable[Subject]) -> str:
    """That pods of workloads may be on nodes where a change removes none."""
    return f"{_list_workloads(workloads)} may have pods on {join_node_names(nodes)}: running pods stay, only new pods are affected"


def _list_workloads(workloads: Iterable[Subject]) -> str:
    return join_limited((f"{workload.kind} {workload}" for workload in workloads), "workloads")
