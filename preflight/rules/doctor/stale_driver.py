"""A node says that a CSI driver is registered, and the driver has no pod there.

Why it matters
    The scheduler reads CSINode: it sends pods with volumes of this driver to the node, where they hang in ContainerCreating. A driver that
    went without saying so leaves its socket and its registration behind.
How to fix
    Bring the node pod of the driver back, or restart the kubelet of a node that is not to have it.
Example
    A node from which a driver was taken by a label that changed, and whose CSINode still lists it.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.kubectl_hints import get, pods_on
from preflight.messages.lists import names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Place, Rule, subject_of
from preflight.rules.doctor._gap_hits import facts_of, shows


def check(context: Context) -> Iterator[Hit]:
    """One hit for each driver."""
    for each in facts_of(context).stale:
        daemonset = each.daemonsets[0]
        yield Hit(
            subject=subject_of(daemonset),
            nodes=each.nodes,
            place=Place(daemonset.origin),
            message=f"has no pod on {names(each.nodes)}, where the CSINode still lists {each.driver}",
            notes=shows(get("csinode", each.nodes[0], output="yaml"), pods_on(each.nodes[0], daemonset.metadata.namespace)),
        )


RULE = Rule(id="PF426", name="stale-driver", severity=Severity.WARNING, check=check)
