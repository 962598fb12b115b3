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

from preflight.doctor.kubectl_hints import describe
from preflight.doctor.timestamps import since
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import facts_of, node_place, shows

_PRESSURES = ("DiskPressure", "MemoryPressure", "PIDPressure")


def check(context: Context) -> Iterator[Hit]:
    """One hit for each node that is Ready and says so."""
    facts = facts_of(context)
    for name, node in sorted(facts.world.nodes.items()):
        if node.pool is not None or name in facts.down:
            continue
        bad = [each for each in facts.node_state(name).status.conditions if each.type in _PRESSURES and each.is_bad]
        for each in bad:
            begun, said = since(each.lastTransitionTime, facts.at), " ".join(each.message.split())
            yield Hit(
                subject=Subject("Node", "", name),
                nodes=(name,),
                place=node_place(context, name, ("status", "conditions")),
                message=f"has {each.type}{f' {begun}' if begun else ''}{f': {said}' if said else ''}",
                notes=shows(describe("node", name)),
            )


RULE = Rule(id="PF435", name="node-pressure", severity=Severity.WARNING, check=check)
