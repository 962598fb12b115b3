"""Texts about what a diagnosis cannot determine."""

from __future__ import annotations

from preflight.doctor.limitations import (
    Limitation,
    MissingCsiNodes,
    MissingEvents,
    MissingRuntimeState,
    NoDaemonSets,
    NodesBeingRemoved,
    UnknownPlacement,
    UnknownReadiness,
    UnlistedPods,
)
from preflight.messages.doctor.gaps import ADD_EVENTS
from preflight.messages.lists import join_node_names

_MAX_NAMES = 3
_ADD_PODS = "add the output of `kubectl get pods -A -o json`"
_ADD_DAEMONSETS = "add the output of `kubectl get daemonsets -A -o json`"
_ADD_CSI_NODES = "add the output of `kubectl get csinodes -o json`"


def describe_limitation(limitation: Limitation) -> str:
    """What is unknown, and why."""
    match limitation:
        case MissingRuntimeState():
            return (
                "conditions, waiting containers and events (the snapshot was taken without them: take a new one with `preflight snapshot`)"
            )
        case MissingEvents(why):
            return f"what refuses or blocks pods (no events in the input: {why or ADD_EVENTS})"
        case MissingCsiNodes(why):
            return f"which CSI drivers are registered on nodes (no CSINodes in the input: {why or _ADD_CSI_NODES})"
        case UnlistedPods(namespaces):
            return f"pods of namespaces other than {', '.join(namespaces)}" if namespaces else f"pods (none in the input: {_ADD_PODS})"
        case NodesBeingRemoved(nodes):
            verb, them = ("lacks", "it") if len(nodes) == 1 else ("lack", "them")
            return f"what {join_node_names(nodes)} {verb} (an autoscaler is about to remove {them})"
        case UnknownPlacement(daemonsets, were_given):
            others = " and others" if len(daemonsets) > _MAX_NAMES else ""
            given = "" if were_given else f" (its pods are in the input, the DaemonSet is not: {_ADD_DAEMONSETS})"
            return f"where {', '.join(daemonsets[:_MAX_NAMES])}{others} should run{given}"
        case NoDaemonSets():
            return f"which components nodes lack (no DaemonSets in the input: {_ADD_DAEMONSETS})"
        case UnknownReadiness(nodes):
            return f"whether {join_node_names(nodes)} {'is' if len(nodes) == 1 else 'are'} Ready (no condition in the input)"
