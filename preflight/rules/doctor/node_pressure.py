"""A node that is Ready runs out of disk, memory or process ids.

Why it matters
    The kubelet ends pods and refuses new ones: under disk or process pressure it refuses every pod that is not critical, including those
    of DaemonSets. They run for now, but one that is re-created fails repeatedly until the pressure ends.
How to fix
    Free what the message names: images and logs on the disk, pods that grow. Do not update DaemonSets on the node before that.
Example
    A node whose image disk has been full since the morning: its log agent runs, and the next update leaves it without one.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.doctor.nodes import describe_node_pressure
from preflight.messages.kubectl_hints import make_describe_command
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_diagnosis, locate_node_field, make_check_notes

_PRESSURE_CONDITIONS = ("DiskPressure", "MemoryPressure", "PIDPressure")


def check(context: Context) -> Iterator[Hit]:
    """One hit for each node that is Ready and says so."""
    index = get_diagnosis(context).index
    for name in sorted(index.existing_nodes.keys() - index.not_ready_nodes):
        for condition in index.get_node_state(name).status.conditions:
            if condition.type in _PRESSURE_CONDITIONS and condition.is_bad:
                yield Hit(
                    subject=Subject("Node", "", name),
                    key=(condition.type,),
                    nodes=(name,),
                    location=locate_node_field(context, name, ("status", "conditions")),
                    message=describe_node_pressure(condition, index.latest_time),
                    notes=make_check_notes(make_describe_command("node", name)),
                )


RULE = Rule(id="PF435", name="node-pressure", severity=Severity.WARNING, check=check)
