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

from preflight.doctor.kubectl_hints import make_describe_command
from preflight.doctor.stranded_capacity import format_resources
from preflight.doctor.timestamps import format_since
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_cluster_facts, locate_node_field, make_check_notes


def check(context: Context) -> Iterator[Hit]:
    """One hit for each node; a note where no device lies idle there, or where somebody has just begun to work on it."""
    facts = get_cluster_facts(context)
    for nodes in facts.idle_cordoned:
        name = nodes.nodes[0]
        begun = format_since(nodes.since, facts.latest_time)
        yield Hit(
            subject=Subject("Node", "", name),
            nodes=nodes.nodes,
            location=locate_node_field(context, name, ("spec", "unschedulable")),
            severity=None if nodes.free_resources and not nodes.is_new else Severity.NOTE,
            message=f"is cordoned{f' {begun}' if begun else ''}"
            + (f", with {format_resources(nodes.free_resources)} that nobody uses" if nodes.free_resources else ""),
            notes=make_check_notes(make_describe_command("node", name)),
        )


RULE = Rule(id="PF431", name="node-cordoned", severity=Severity.WARNING, check=check)
