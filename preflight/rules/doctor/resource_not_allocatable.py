"""A node has an extended resource, but can allocate none of it, or only a part.

Why it matters
    The devices are in the machine, and dashboards that read Capacity count them, but no pod can use them. When a plugin ends, its resource
    leaves Allocatable at once; Capacity follows minutes later, and is 0 from then on. A device that the plugin reports as unhealthy stays
    only in Capacity.
How to fix
    If the plugin has no pod on the node, get that running first. If it runs, its log shows which devices it reports as unhealthy; after a
    restart of its pod, the plugin registers again.
Example
    `rdma/hca: 2` in Capacity and 0 in Allocatable, because the device plugin does not tolerate the taint of the node.
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
