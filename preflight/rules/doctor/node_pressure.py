"""A node that is Ready runs out of disk, memory or process ids.

Why it matters
    The kubelet ends pods and refuses new ones: under disk or process pressure every pod that is not critical, those of DaemonSets too. They
    run for now, and one that is re-created fails again and again until the pressure is over.
How to fix
    Free what the message names: images and logs on the disk, pods that grow. Do not update DaemonSets on the node before that.
Example
    A node whose image disk is full since the morning: its log agent runs, and the next update leaves it without one.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.kubectl_hints import make_describe_command
from preflight.doctor.timestamps import format_since
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_cluster_facts, locate_node_field, make_check_notes

_PRESSURE_CONDITIONS = ("DiskPressure", "MemoryPressure", "PIDPressure")


def check(context: Context) -> Iterator[Hit]:
    """One hit for each node that is Ready and says so."""
    facts = get_cluster_facts(context)
    for name, node in sorted(facts.world.nodes.items()):
        if node.pool is not None or name in facts.not_ready_nodes:
            continue
        bad = [
            condition
            for condition in facts.get_node_state(name).status.conditions
            if condition.type in _PRESSURE_CONDITIONS and condition.is_bad
        ]
        for each in bad:
            begun, said = format_since(each.lastTransitionTime, facts.latest_time), " ".join(each.message.split())
            yield Hit(
                subject=Subject("Node", "", name),
                nodes=(name,),
                location=locate_node_field(context, name, ("status", "conditions")),
                message=f"has {each.type}{f' {begun}' if begun else ''}{f': {said}' if said else ''}",
                notes=make_check_notes(make_describe_command("node", name)),
            )


RULE = Rule(id="PF435", name="node-pressure", severity=Severity.WARNING, check=check)
