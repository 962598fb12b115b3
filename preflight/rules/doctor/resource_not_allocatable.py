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

from preflight.doctor.devices import ResourceFault
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import iter_faulty_resources, make_device_hit, make_waiting_note


def check(context: Context) -> Iterator[Hit]:
    """One hit for each resource and reason; a warning where some of it can be allocated."""
    for faulty, key in iter_faulty_resources(context):
        if faulty.fault in (ResourceFault.NOT_ALLOCATABLE, ResourceFault.UNHEALTHY):
            severity = Severity.WARNING if faulty.fault is ResourceFault.UNHEALTHY else None
            yield make_device_hit(context, faulty, key, *make_waiting_note(context, faulty.resource), severity=severity)


RULE = Rule(id="PF420", name="resource-not-allocatable", severity=Severity.ERROR, check=check)
