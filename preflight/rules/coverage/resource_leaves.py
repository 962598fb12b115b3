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
from preflight.rules.coverage._consequence_notes import few, hit, of_kinds, when, where, who


def check(context: Context) -> Iterator[Hit]:
    """One hit for each device plugin, and time at which it goes."""
    for each in of_kinds(context, "device-plugin"):
        waiting = [dependent for dependent in each.dependents if not dependent.elsewhere]
        moving = [dependent for dependent in each.dependents if dependent.elsewhere]
        is_known = bool(each.component.resources)
        notes: tuple[tuple[str, str], ...] = ()
        if waiting and moving:
            notes += (("note", f"{who(moving)} can run on other nodes with {few(each.gone, 'resources')}"),)
        if each.outcome is not Outcome.NEVER:
            notes += (("note", "pods that run keep their devices until they end"),)
        yield hit(
            each,
            _message(each, who(waiting or moving), len(waiting), is_known=is_known),
            milder=Severity.WARNING,
            is_broken=bool(waiting) and is_known,
            notes=notes,
        )


def _message(each: Consequence, workloads: str, waiting: int, *, is_known: bool) -> str:
    gone = few(each.gone, "resources")
    if not waiting:
        fate = f"{workloads} can then only run elsewhere"
    elif is_known:
        fate = f"{workloads} then {'stays' if waiting == 1 else 'stay'} Pending"
    else:
        fate = f"{workloads} may then stay Pending"
    if each.outcome is Outcome.NEVER:
        are = "is" if len(each.gone) == 1 else "are"
        there = f"{gone} {are} not there" if is_known else f"{gone} may not be there"
        if each.producer:
            label = few(each.labels, "labels")
            out = f"waits on {where(each)} for the label {label}, which {each.producer} sets, and a taint keeps that out"
            return f"{out}; {there}: {fate.replace(' then', '')}"
        return f"is kept out of {where(each)}, so {there}: {fate.replace(' then', '')}"
    if not is_known:
        return f"takes its resources off {where(each)} {when(each)}, perhaps {gone}: {fate}"
    return f"takes {gone} off {where(each)} {when(each)}: {fate}"


RULE = Rule(id="PF110", name="resource-leaves", severity=Severity.ERROR, needs_nodes=True, check=check)
