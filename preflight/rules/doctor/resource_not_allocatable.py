"""A node has an extended resource, and can allocate none of it, or not all.

Why it matters
    The devices are in the machine, dashboards that read Capacity count them, and no pod can have one. A plugin that goes takes its resource
    out of Allocatable at once; Capacity follows minutes later, and reads 0 from then on. A device that the plugin holds for unhealthy stays
    in Capacity alone.
How to fix
    Where the plugin has no pod on the node, bring that back first. Where it runs, its log says which devices it holds for unhealthy;
    a restart of the plugin's pod registers it anew.
Example
    `rdma/hca: 2` in Capacity and 0 in Allocatable, since the device plugin does not tolerate the taint of the node.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.device_fault import Fault
from preflight.messages.lists import names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import device, facts_of, waiting


def check(context: Context) -> Iterator[Hit]:
    """One hit for each resource and reason; a warning where some of it can be allocated."""
    for each in facts_of(context).faulty:
        if each.fault in (Fault.NOT_ALLOCATABLE, Fault.UNHEALTHY):
            has = f"is in Capacity ({each.amount}) and not in Allocatable" if each.amount else "reads 0 in Capacity and Allocatable"
            if each.fault is Fault.UNHEALTHY:
                has = f"has only {each.amount} in Allocatable"
            milder = Severity.WARNING if each.fault is Fault.UNHEALTHY else None
            message = f"{has} on {names(each.nodes)}: {each.why}"
            yield device(context, each, message, *waiting(context, each.resource), severity=milder)


RULE = Rule(id="PF420", name="resource-not-allocatable", severity=Severity.ERROR, check=check)
