"""A node can allocate an extended resource, but has no pod that provides it.

Why it matters
    The scheduler sends pods to the node, where the kubelet fails them with UnexpectedAdmissionError, or they start without a device.
    Nothing monitors the health of the devices. A restart of the kubelet removes the resource.
How to fix
    Get the pod of the device plugin running on the node again. If the status of the node was patched by hand, revert that.
Example
    `nvidia.com/gpu: 8` in Allocatable of a node from which the device plugin was evicted while its kubelet did not respond.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.devices import ResourceFault
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import iter_faulty_resources, make_device_hit


def check(context: Context) -> Iterator[Hit]:
    """One hit for each resource and reason."""
    for faulty, key in iter_faulty_resources(context):
        if faulty.fault is ResourceFault.NO_PROVIDER:
            yield make_device_hit(context, faulty, key, path=(faulty.resource,))


RULE = Rule(id="PF421", name="ghost-resource", severity=Severity.WARNING, check=check)
