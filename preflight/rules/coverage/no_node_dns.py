"""Pods get no answer from the DNS of their node, which has lost it.

Why it matters
    Pods ask an address of their own node. Without the DaemonSet that listens there every look-up of a name times out, on this node alone,
    while the DNS of the cluster is well.
How to fix
    The DNS of the node has to be wherever pods are: let it tolerate everything.
Example
    An update that narrows the tolerations of a node-local DNS, and apps on nodes with a taint of their own.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.consequences import describe_missing_dns
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.coverage._consequence_notes import iter_consequences, make_broken_nodes, make_consequence_hit


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DNS of the nodes, and time at which it goes."""
    for consequence in iter_consequences(context, "node-local-dns"):
        yield make_consequence_hit(consequence, describe_missing_dns(make_broken_nodes(consequence)), lower_severity=Severity.WARNING)


RULE = Rule(id="PF114", name="no-node-dns", severity=Severity.ERROR, needs_nodes=True, check=check, is_consequence=True)
