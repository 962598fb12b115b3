"""An extended resource leaves nodes, and the pods that ask for it stay Pending.

Why it matters
    Without its device plugin the kubelet takes a resource out of Allocatable at once; Capacity still shows it for minutes. New pods that
    ask for it wait with `Insufficient`, which reads like a full cluster. Pods that run keep their devices, so it shows late. What is not
    known of a plugin is which resources it has, where neither its settings nor its image tell: then this is a warning.
How to fix
    Keep the device plugin on these nodes: tolerate exactly the taint (`operator: Equal`) before anything re-creates its pods.
Example
    A device plugin that loses the only nodes that a Job may run on, and `limits: {rdma/hca: 1}` in the Job.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.dependents.consequences import Consequence
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.coverage._consequence_notes import (
    describe_time,
    iter_consequences,
    join_affected_nodes,
    join_dependents,
    join_limited,
    make_consequence_hit,
)


def check(context: Context) -> Iterator[Hit]:
    """One hit for each device plugin, and time at which it goes."""
    for consequence in iter_consequences(context, "device-plugin"):
        waiting = [dependent for dependent in consequence.dependents if not dependent.can_run_elsewhere]
        moving = [dependent for dependent in consequence.dependents if dependent.can_run_elsewhere]
        is_known = bool(consequence.component.resources)
        notes: tuple[tuple[str, str], ...] = ()
        if waiting and moving:
            notes += (
                ("note", f"{join_dependents(moving)} can run on other nodes with {join_limited(consequence.lost_names, 'resources')}"),
            )
        if consequence.outcome is not Outcome.NEVER:
            notes += (("note", "pods that run keep their devices until they end"),)
        yield make_consequence_hit(
            consequence,
            _format_message(consequence, join_dependents(waiting or moving), len(waiting), is_known=is_known),
            lower_severity=Severity.WARNING,
            is_broken=bool(waiting) and is_known,
            notes=notes,
        )


def _format_message(consequence: Consequence, workloads: str, waiting: int, *, is_known: bool) -> str:
    gone = join_limited(consequence.lost_names, "resources")
    if not waiting:
        fate = f"{workloads} can then only run elsewhere"
    elif is_known:
        fate = f"{workloads} then {'stays' if waiting == 1 else 'stay'} Pending"
    else:
        fate = f"{workloads} may then stay Pending"
    if consequence.outcome is Outcome.NEVER:
        are = "is" if len(consequence.lost_names) == 1 else "are"
        there = f"{gone} {are} not there" if is_known else f"{gone} may not be there"
        if consequence.producer:
            label = join_limited(consequence.labels, "labels")
            out = (
                f"waits on {join_affected_nodes(consequence)} for the label {label}, which "
                f"{consequence.producer} sets, and a taint keeps that out"
            )
            return f"{out}; {there}: {fate.replace(' then', '')}"
        return f"is kept out of {join_affected_nodes(consequence)}, so {there}: {fate.replace(' then', '')}"
    if not is_known:
        return f"takes its resources off {join_affected_nodes(consequence)} {describe_time(consequence)}, perhaps {gone}: {fate}"
    return f"takes {gone} off {join_affected_nodes(consequence)} {describe_time(consequence)}: {fate}"


RULE = Rule(id="PF110", name="resource-leaves", severity=Severity.ERROR, needs_nodes=True, check=check, is_consequence=True)
