"""A node can allocate an extended resource, and no pod is there that provides it.

Why it matters
    The scheduler sends pods to the node, and the kubelet fails them with UnexpectedAdmissionError, or they start without a device. Nobody
    watches the health of the devices. A restart of the kubelet takes the resource away.
How to fix
    Bring the pod of the device plugin back to the node. Where a hand has patched the status of the node, take that back.
Example
    `nvidia.com/gpu: 8` in Allocatable of a node from which the device plugin was evicted while its kubelet hung.
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
