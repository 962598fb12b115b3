"""A DaemonSet has a pod on a node where it would not be created again.

Why it matters
    This is the time bomb, already set: a NoSchedule taint is on the node, the pod is from before it. The next update, deletion or
    restart of the node ends it for good.
How to fix
    Tolerate exactly the taint (`operator: Equal`) before anything re-creates the pod, or leave the node out on purpose with node affinity.
Example
    A node with `dedicated=rdma:NoSchedule`, and a running pod of a DaemonSet that does not tolerate it.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.lists import names
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.coverage._consequence_notes import then
from preflight.rules.merged_groups import UNOWNED, merged


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason; a note where the change does not bring the re-creation nearer, or the taint passes."""
    impact = context.impact
    assert impact is not None
    near = impact.change.acted
    fragile = [group for group in impact.with_outcome(Outcome.ALREADY_FRAGILE) if group.touched]
    for soon in (True, False):
        for each in merged(group for group in fragile if bool(group.nodes & near) is soon):
            yield Hit(
                subject=each.subject,
                nodes=each.nodes,
                place=each.place,
                severity=Severity.NOTE if each.passing or not (context.lint or soon) else None,
                message=f"has a pod on {names(each.nodes)} that does not come back once it ends: {each.reason or UNOWNED}",
                label=each.label,
                notes=each.notes + then(context, each),
                suggestion=each.suggestion,
            )


RULE = Rule(id="PF106", name="already-fragile", severity=Severity.WARNING, needs_nodes=True, check=check)
