"""A device plugin runs on a node and advertises nothing there.

Why it matters
    The pod is Ready, the DaemonSet is complete, but the resource is missing: the plugin found no device, started before the driver, or did
    not register again after a restart of the kubelet.
How to fix
    Delete the pod of the plugin on this node: the new pod registers again. If that does not help, check its log and the driver.
Example
    An RDMA device plugin that started before the driver had created /dev/infiniband.
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
