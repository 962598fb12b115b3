"""A device plugin runs on a node and advertises nothing there.

Why it matters
    The pod is Ready, the DaemonSet is complete, and the resource is not there: the plugin found no device, started before the driver, or
    did not register again after the kubelet had restarted.
How to fix
    Delete the pod of the plugin on this node: a new one registers anew. Where that does not help, look at its log and at the driver.
Example
    An RDMA device plugin that started before the driver had made /dev/infiniband.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.devices import ResourceFault
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import iter_faulty_resources, make_device_hit, make_waiting_note


def check(context: Context) -> Iterator[Hit]:
    """One hit for each resource and reason."""
    for faulty, key in iter_faulty_resources(context):
        if faulty.fault is ResourceFault.NOT_ADVERTISED:
            yield make_device_hit(context, faulty, key, *make_waiting_note(context, faulty.resource))


RULE = Rule(id="PF422", name="resource-not-advertised", severity=Severity.ERROR, check=check)
