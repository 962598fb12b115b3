"""A node is not Ready.

Why it matters
    It takes no pod, and what it has counts all the same: dashboards that sum up Allocatable count its devices as free. Its pods are as the
    cluster last knew them; of its DaemonSets nothing else is said here.
How to fix
    Look at the kubelet of the node, its disk and its network. A node that will not come back is better deleted: its pods are then
    collected, and what they held is free.
Example
    A GPU node whose kubelet stopped two days ago, with eight devices that count as free.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.kubectl_hints import describe, pods_on
from preflight.doctor.stranded_capacity import said
from preflight.doctor.timestamps import since
from preflight.kubectl.formatting import listed
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import facts_of, node_place, shows
from preflight.rules.verify._text import so


def check(context: Context) -> Iterator[Hit]:
    """One hit for the nodes that give the same reason."""
    facts = facts_of(context)
    for each in facts.not_ready:
        first, *others = each.nodes
        begun = since(each.since, facts.at)
        yield Hit(
            subject=Subject("Node", "", first),
            nodes=each.nodes,
            place=node_place(context, first, ("status", "conditions")),
            message=f"is not Ready{f' {begun}' if begun else ''}{so(others, 'is')}{f': {each.why}' if each.why else ''}",
            notes=(
                *((("then", f"{said(each.free)} count as free and cannot be had"),) if each.free else ()),
                *((("note", f"cordoned: {listed(each.cordoned)}"),) if each.cordoned else ()),
                *shows(describe("node", first), pods_on(first)),
            ),
        )


RULE = Rule(id="PF430", name="node-not-ready", severity=Severity.ERROR, check=check)
