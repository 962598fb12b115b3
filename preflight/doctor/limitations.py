"""What a diagnosis cannot tell, and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from preflight.messages.lists import join_node_names
from preflight.model.objects import find_controller
from preflight.model.report import Outcome

if TYPE_CHECKING:
    from preflight.doctor.context import ClusterFacts


def list_limitations(facts: ClusterFacts) -> list[str]:
    """Sentences: kinds that may not be listed or were not given, nodes that say nothing, DaemonSets that may belong anywhere."""
    world, found = facts.world, []
    if world.listing is not None and not world.listing.live and not world.listing.at:
        found.append("conditions, waiting containers and events: the snapshot was made without them: make a new one")
    elif not facts.has_events:
        why = world.missing_kinds.get("Event", "add the output of kubectl get events -A -o json")
        found.append(f"what refused or holds pods: events were not given ({why})")
    if not facts.is_kind_known("CSINode") and facts.csi_drivers:
        why = world.missing_kinds.get("CSINode", "not given")
        found.append(f"which CSI drivers are registered on nodes: CSINodes: {why}")
    if world.listed_namespaces is not None:
        found.append(
            "pods of other namespaces than " + ", ".join(sorted(world.listed_namespaces))
            if world.listed_namespaces
            else "pods: none was given"
        )
    if world.listing is None:
        found += _iter_missing_inputs(facts)
    if facts.nodes_being_removed:
        verb, them = ("lacks", "it") if len(facts.nodes_being_removed) == 1 else ("lack", "them")
        found.append(f"what {join_node_names(sorted(facts.nodes_being_removed))} {verb}: an autoscaler is about to remove {them}")
    if facts.impact is not None:
        keys = sorted({str(group.key) for group in facts.impact.groups if group.outcome is Outcome.UNKNOWN})
        if keys:
            found.append(f"where {', '.join(keys[:3])}{' and others' if len(keys) > 3 else ''} should run")
    return found


def _iter_missing_inputs(facts: ClusterFacts) -> Iterator[str]:
    """What a list that somebody put together lacks, and that nobody could see in the answer."""
    world = facts.world
    given = {key[:2] for key in world.daemonsets}
    owners = {(pod.metadata.namespace, owner.name) for pod in world.pods if (owner := find_controller(pod)) and owner.kind == "DaemonSet"}
    absent = sorted("/".join(key) for key in owners - given)
    if absent:
        yield f"where {', '.join(absent[:3])}{' and others' if len(absent) > 3 else ''} should run: not given, though pods are of it"
    elif not given:
        yield "which components nodes lack: no DaemonSet was given"
    silent = sorted(name for name, node in world.nodes.items() if node.is_ready is None and node.pool is None)
    if silent:
        yield f"whether {join_node_names(silent)} {'is' if len(silent) == 1 else 'are'} Ready: no condition says so"
