"""Nodes stop offering an extended resource, and the pods that request it stay Pending.

Why it matters
    Without its device plugin the kubelet removes a resource from Allocatable at once; Capacity still shows it for minutes. New pods that
    request the resource wait with `Insufficient`, which looks like a full cluster. Running pods keep their devices, so the problem shows
    late. It is a warning if the resources of the plugin are unknown, because neither its settings nor its image show them. It is also a
    warning if a live cluster was read only for the nodes of the change: another node may have the resource.
How to fix
    Keep the device plugin on these nodes: tolerate exactly the taint (`operator: Equal`) before anything re-creates its pods.
Example
    A device plugin that loses the only nodes that a Job may run on, and `limits: {rdma/hca: 1}` in the Job.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.consequences import (
    RUNNING_PODS_KEEP_DEVICES,
    describe_alternative,
    describe_lost_resources,
    describe_unlisted_nodes,
)
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.coverage._consequence_notes import iter_consequences, make_broken_nodes, make_consequence_hit


def check(context: Context) -> Iterator[Hit]:
    """One hit for each device plugin, and time at which it goes."""
    for consequence in iter_consequences(context, "device-plugin"):
        waiting = [dependent.subject for dependent in consequence.dependents if dependent.can_run_elsewhere is False]
        unknown = [dependent.subject for dependent in consequence.dependents if dependent.can_run_elsewhere is None]
        moving = [dependent.subject for dependent in consequence.dependents if dependent.can_run_elsewhere]
        is_known = bool(consequence.component.resources)
        notes: tuple[tuple[str, str], ...] = ()
        if unknown:
            notes += (("note", describe_unlisted_nodes(unknown, consequence.lost_names)),)
        if (waiting or unknown) and moving:
            notes += (("note", describe_alternative(moving, consequence.lost_names)),)
        if consequence.outcome is not Outcome.NEVER:
            notes += (("note", RUNNING_PODS_KEEP_DEVICES),)
        is_certain = is_known and bool(waiting)
        message = describe_lost_resources(
            make_broken_nodes(consequence),
            waiting or unknown,
            is_certain=is_certain,
            is_known=is_known,
            producer=consequence.producer,
            labels=consequence.labels,
        )
        yield make_consequence_hit(consequence, message, lower_severity=Severity.WARNING, is_broken=is_certain, notes=notes)


RULE = Rule(id="PF110", name="resource-leaves", severity=Severity.ERROR, needs_nodes=True, check=check, is_consequence=True)
