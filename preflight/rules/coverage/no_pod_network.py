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
from preflight.rules.coverage._consequence_notes import hit, of_kinds, when, where, who


def check(context: Context) -> Iterator[Hit]:
    """One hit for each network of pods, and time at which it goes."""
    for each in of_kinds(context, "cni"):
        placed = f"{who(each.dependents)} can be placed there"
        if each.outcome is Outcome.NEVER:
            yield hit(each, f"is kept out of {where(each)}, so new pods get no network there: {placed}", milder=Severity.WARNING)
        else:
            yield hit(each, f"leaves new pods on {where(each)} without a network {when(each)}: {placed}", milder=Severity.WARNING)


RULE = Rule(id="PF112", name="no-pod-network", severity=Severity.ERROR, needs_nodes=True, check=check)
