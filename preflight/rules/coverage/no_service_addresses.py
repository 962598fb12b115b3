"""Service addresses are no longer updated on nodes that lose kube-proxy or its replacement.

Why it matters
    The existing rules stay, so Service addresses work at first. With every pod that moves, more connections from this node go to addresses
    that no longer exist. A node that restarts has no Service addresses at all.
How to fix
    The Service proxy must run on every node that has pods: let it tolerate everything, as kube-proxy does by default.
Example
    An upgrade that narrows the tolerations of kube-proxy from a wildcard to the taint of the control plane.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.consequences import describe_missing_service_addresses
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.coverage._consequence_notes import iter_consequences, make_broken_nodes, make_consequence_hit


def check(context: Context) -> Iterator[Hit]:
    """One hit for each proxy of Services, and time at which it goes."""
    for consequence in iter_consequences(context, "kube-proxy"):
        yield make_consequence_hit(
            consequence, describe_missing_service_addresses(make_broken_nodes(consequence)), lower_severity=Severity.WARNING
        )


RULE = Rule(id="PF113", name="no-service-addresses", severity=Severity.ERROR, needs_nodes=True, check=check, is_consequence=True)
