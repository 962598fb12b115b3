"""Pods get no answer from the node-local DNS on nodes that lose it, or no replica of the cluster DNS is left.

Why it matters
    Pods query an address of their own node. Without the DaemonSet that listens on this address every DNS lookup times out, on this node
    only, while the cluster DNS is healthy. A DNS behind a Service is different: pods query any of its replicas, so it is reported only if
    no replica is left.
How to fix
    Node-local DNS must run on every node that has pods: let it tolerate everything.
Example
    An update that narrows the tolerations of a node-local DNS, and apps on nodes with their own taint.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.consequences import describe_missing_cluster_dns, describe_missing_dns
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.coverage._consequence_notes import iter_consequences, make_broken_nodes, make_consequence_hit


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DNS of the nodes, and time at which it goes."""
    for consequence in iter_consequences(context, "cluster-dns"):
        message = describe_missing_cluster_dns(make_broken_nodes(consequence))
        yield make_consequence_hit(consequence, message, lower_severity=Severity.WARNING)
    for consequence in iter_consequences(context, "node-local-dns"):
        yield make_consequence_hit(consequence, describe_missing_dns(make_broken_nodes(consequence)), lower_severity=Severity.WARNING)


RULE = Rule(id="PF114", name="no-node-dns", severity=Severity.ERROR, needs_nodes=True, check=check, is_consequence=True)
