"""New pods get no network on nodes that lose their CNI.

Why it matters
    Pods that run keep their network, so everything looks fine. A new one stays in ContainerCreating with FailedCreatePodSandBox, and the
    scheduler goes on placing pods there until the node becomes NotReady, if it does.
How to fix
    The network of pods has to be wherever pods are: let it tolerate everything, as most networks do by default.
Example
    An update of the CNI's DaemonSet to a version whose tolerations are a list, on nodes with a taint of one's own.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.coverage._consequence_notes import (
    describe_time,
    iter_consequences,
    join_affected_nodes,
    join_dependents,
    make_consequence_hit,
)


def check(context: Context) -> Iterator[Hit]:
    """One hit for each network of pods, and time at which it goes."""
    for consequence in iter_consequences(context, "cni"):
        placed = f"{join_dependents(consequence.dependents)} can be placed there"
        if consequence.outcome is Outcome.NEVER:
            yield make_consequence_hit(
                consequence,
                f"is kept out of {join_affected_nodes(consequence)}, so new pods get no network there: {placed}",
                lower_severity=Severity.WARNING,
            )
        else:
            yield make_consequence_hit(
                consequence,
                f"leaves new pods on {join_affected_nodes(consequence)} without a network {describe_time(consequence)}: {placed}",
                lower_severity=Severity.WARNING,
            )


RULE = Rule(id="PF112", name="no-pod-network", severity=Severity.ERROR, needs_nodes=True, check=check, is_consequence=True)
