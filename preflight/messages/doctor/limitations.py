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
from preflight.messages.lists import join_node_names

_MAX_NAMES = 3


def describe_limitation(limitation: Limitation) -> str:
    """What is unknown, and why."""
    match limitation:
        case MissingRuntimeState():
            return "conditions, waiting containers and events: the snapshot was made without them: make a new one"
        case MissingEvents(why):
            return f"what refused or holds pods: events were not given ({why or 'add the output of kubectl get events -A -o json'})"
        case MissingCsiNodes(why):
            return f"which CSI drivers are registered on nodes: CSINodes: {why or 'not given'}"
        case UnlistedPods(namespaces):
            return f"pods of other namespaces than {', '.join(namespaces)}" if namespaces else "pods: none was given"
        case NodesBeingRemoved(nodes):
            verb, them = ("lacks", "it") if len(nodes) == 1 else ("lack", "them")
            return f"what {join_node_names(nodes)} {verb}: an autoscaler is about to remove {them}"
        case UnknownPlacement(daemonsets, were_given):
            others = " and others" if len(daemonsets) > _MAX_NAMES else ""
            given = "" if were_given else ": not given, though pods are of it"
            return f"where {', '.join(daemonsets[:_MAX_NAMES])}{others} should run{given}"
        case NoDaemonSets():
            return "which components nodes lack: no DaemonSet was given"
        case UnknownReadiness(nodes):
            return f"whether {join_node_names(nodes)} {'is' if len(nodes) == 1 else 'are'} Ready: no condition says so"
