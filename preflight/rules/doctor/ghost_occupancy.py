"""Pods hold devices though nothing of them runs.

Why it matters
    The scheduler counts what a bound pod asks for, whether it runs, waits for an image, or hangs in Terminating on a node that is dead. The
    devices are free in the machine and taken in the books, and pods wait for them.
How to fix
    Mend what the pod waits for, or delete it. On a node that does not come back, delete the node: its pods are then collected.
Example
    Three pods in Terminating on a GPU node whose kubelet stopped, each with a GPU.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.kubectl_hints import describe
from preflight.messages.lists import names
from preflight.model.objects import Origin
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, Place, Rule
from preflight.rules.doctor._gap_hits import facts_of, shows, waiting


def check(context: Context) -> Iterator[Hit]:
    """One hit for each resource: an error where pods wait for it."""
    facts = facts_of(context)
    for each in facts.ghosts:
        first = each.pods[0]
        node = next((facts.world.nodes[name] for name in each.nodes if name in facts.world.nodes), None)
        waits = waiting(context, each.resource)
        pods = "1 pod holds" if len(each.pods) == 1 else f"{len(each.pods)} pods hold"
        yield Hit(
            subject=Subject("Resource", "", each.resource),
            nodes=each.nodes,
            place=Place(node.origin if node is not None else Origin("<none>")),
            severity=Severity.ERROR if waits else None,
            message=f"is held on {names(each.nodes)} though nothing runs: {pods} {each.amount}",
            notes=(*(("note", text) for text in each.words[:4]), *waits, *shows(describe("pod", first[1], first[0]))),
        )


RULE = Rule(id="PF434", name="ghost-occupancy", severity=Severity.WARNING, check=check)
