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

from preflight.doctor.device_fault import Fault
from preflight.messages.lists import names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import device, facts_of, waiting


def check(context: Context) -> Iterator[Hit]:
    """One hit for each resource and reason."""
    for each in facts_of(context).faulty:
        if each.fault is Fault.SILENT:
            yield device(context, each, f"is missing on {names(each.nodes)}: {each.why}", *waiting(context, each.resource))


RULE = Rule(id="PF422", name="resource-not-advertised", severity=Severity.ERROR, check=check)
