"""A node is cordoned.

Why it matters
    A cordoned node takes no new pods. That is intended during a maintenance, and often forgotten afterwards. Its idle devices count as
    free everywhere except in the scheduler.
How to fix
    Run `kubectl uncordon` when the maintenance is complete.
Example
    A GPU node that was cordoned for a driver update last month.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.doctor.nodes import describe_cordoned_node
from preflight.messages.kubectl_hints import make_describe_command
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_diagnosis, locate_node_field, make_check_notes


def check(context: Context) -> Iterator[Hit]:
    """One hit for each node; a note if no device is idle there, or if it was cordoned moments ago."""
    diagnosis = get_diagnosis(context)
    for cordoned in diagnosis.cordoned_nodes:
        name = cordoned.nodes[0]
        yield Hit(
            subject=Subject("Node", "", name),
            key=("unschedulable",),
            nodes=cordoned.nodes,
            location=locate_node_field(context, name, ("spec", "unschedulable")),
            severity=None if cordoned.free_resources and not cordoned.is_new else Severity.NOTE,
            message=describe_cordoned_node(cordoned, diagnosis.index.latest_time),
            notes=make_check_notes(make_describe_command("node", name)),
        )


RULE = Rule(id="PF431", name="node-cordoned", severity=Severity.WARNING, check=check)
