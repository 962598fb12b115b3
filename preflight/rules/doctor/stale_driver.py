"""A node reports that a CSI driver is registered, but the driver has no pod there.

Why it matters
    The scheduler reads CSINode: it sends pods with volumes of this driver to the node, where they hang in ContainerCreating. A driver that
    ended without deregistering leaves its socket and its registration behind.
How to fix
    Get the node pod of the driver running again, or restart the kubelet of a node that should not have the driver.
Example
    A node that lost a driver through a changed label, and whose CSINode still lists it.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.doctor.resources import describe_stale_driver
from preflight.messages.kubectl_hints import make_get_command, make_node_pods_command
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.doctor._gap_hits import get_diagnosis, make_check_notes


def check(context: Context) -> Iterator[Hit]:
    """One hit for each driver."""
    for driver in get_diagnosis(context).stale_drivers:
        daemonset, first = driver.daemonsets[0], driver.nodes[0]
        yield Hit(
            subject=make_subject_of(daemonset),
            key=(driver.driver,),
            nodes=driver.nodes,
            location=ManifestLocation(daemonset.origin),
            message=describe_stale_driver(driver),
            notes=make_check_notes(
                make_get_command("csinode", first, output="yaml"), make_node_pods_command(first, daemonset.metadata.namespace)
            ),
        )


RULE = Rule(id="PF426", name="stale-driver", severity=Severity.WARNING, check=check)
