"""A node is cordoned.

Why it matters
    It is well, and takes no new pod. That is as it should be during a maintenance; afterwards it is what is most often forgotten. Devices
    that lie idle there count as free everywhere but in the scheduler.
How to fix
    `kubectl uncordon` what is done.
Example
    A GPU node that was cordoned for a driver update last month.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.kubectl_hints import describe
from preflight.doctor.stranded_capacity import said
from preflight.doctor.timestamps import since
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import facts_of, node_place, shows


def check(context: Context) -> Iterator[Hit]:
    """One hit for each node; a note where no device lies idle there, or where somebody has just begun to work on it."""
    facts = facts_of(context)
    for each in facts.cordoned:
        name = each.nodes[0]
        begun = since(each.since, facts.at)
        yield Hit(
            subject=Subject("Node", "", name),
            nodes=each.nodes,
            place=node_place(context, name, ("spec", "unschedulable")),
            severity=None if each.free and not each.is_new else Severity.NOTE,
            message=f"is cordoned{f' {begun}' if begun else ''}{f', with {said(each.free)} that nobody uses' if each.free else ''}",
            notes=shows(describe("node", name)),
        )


RULE = Rule(id="PF431", name="node-cordoned", severity=Severity.WARNING, check=check)
