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

from preflight.doctor.kubectl_hints import make_describe_command
from preflight.messages.lists import join_node_names
from preflight.model.objects import Origin
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, ManifestLocation, Rule
from preflight.rules.doctor._gap_hits import get_cluster_facts, make_check_notes, make_waiting_note


def check(context: Context) -> Iterator[Hit]:
    """One hit for each resource: an error where pods wait for it."""
    facts = get_cluster_facts(context)
    for stale_allocation in facts.stale_allocations:
        first = stale_allocation.pods[0]
        node = next((facts.world.nodes[name] for name in stale_allocation.nodes if name in facts.world.nodes), None)
        waits = make_waiting_note(context, stale_allocation.resource)
        pods = "1 pod holds" if len(stale_allocation.pods) == 1 else f"{len(stale_allocation.pods)} pods hold"
        yield Hit(
            subject=Subject("Resource", "", stale_allocation.resource),
            nodes=stale_allocation.nodes,
            location=ManifestLocation(node.origin if node is not None else Origin("<none>")),
            severity=Severity.ERROR if waits else None,
            message=f"is held on {join_node_names(stale_allocation.nodes)} though nothing runs: {pods} {stale_allocation.amount}",
            notes=(
                *(("note", text) for text in stale_allocation.reasons[:4]),
                *waits,
                *make_check_notes(make_describe_command("pod", first[1], first[0])),
            ),
        )


RULE = Rule(id="PF434", name="ghost-occupancy", severity=Severity.WARNING, check=check)
