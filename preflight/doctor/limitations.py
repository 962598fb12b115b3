"""What a diagnosis cannot tell, and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from preflight.messages.lists import names
from preflight.model.objects import controller
from preflight.model.report import Outcome

if TYPE_CHECKING:
    from preflight.doctor.context import Diagnosis


def unknown(facts: Diagnosis) -> list[str]:
    """Sentences: kinds that may not be listed or were not given, nodes that say nothing, DaemonSets that may belong anywhere."""
    world, found = facts.world, []
    if world.survey is not None and not world.survey.live and not world.survey.at:
        found.append("conditions, waiting containers and events: the snapshot was made without them: make a new one")
    elif not facts.knows_events:
        why = world.missing.get("Event", "add the output of kubectl get events -A -o json")
        found.append(f"what refused or holds pods: events were not given ({why})")
    if not facts.knows("CSINode") and facts.drivers:
        why = world.missing.get("CSINode", "not given")
        found.append(f"which CSI drivers are registered on nodes: CSINodes: {why}")
    if world.listed is not None:
        found.append("pods of other namespaces than " + ", ".join(sorted(world.listed)) if world.listed else "pods: none was given")
    if world.survey is None:
        found += _not_given(facts)
    if facts.leaving:
        verb, them = ("lacks", "it") if len(facts.leaving) == 1 else ("lack", "them")
        found.append(f"what {names(sorted(facts.leaving))} {verb}: an autoscaler is about to remove {them}")
    if facts.impact is not None:
        keys = sorted({str(group.key) for group in facts.impact.groups if group.outcome is Outcome.UNKNOWN})
        if keys:
            found.append(f"where {', '.join(keys[:3])}{' and others' if len(keys) > 3 else ''} should run")
    return found


def _not_given(facts: Diagnosis) -> Iterator[str]:
    """What a list that somebody put together lacks, and that nobody could see in the answer."""
    world = facts.world
    given = {key[:2] for key in world.daemonsets}
    owners = {(pod.metadata.namespace, owner.name) for pod in world.pods if (owner := controller(pod)) and owner.kind == "DaemonSet"}
    absent = sorted("/".join(key) for key in owners - given)
    if absent:
        yield f"where {', '.join(absent[:3])}{' and others' if len(absent) > 3 else ''} should run: not given, though pods are of it"
    elif not given:
        yield "which components nodes lack: no DaemonSet was given"
    silent = sorted(name for name, node in world.nodes.items() if node.ready is None and node.pool is None)
    if silent:
        yield f"whether {names(silent)} {'is' if len(silent) == 1 else 'are'} Ready: no condition says so"
