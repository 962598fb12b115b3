"""New pods get no network on nodes that lose their CNI.

Why it matters
    Running pods keep their network, so everything looks fine. A new pod stays in ContainerCreating with FailedCreatePodSandBox, and the
    scheduler continues to place pods on the node until it becomes NotReady, if it does. It is a warning for a network plugin that is not
    known by name if another network stays on the node, or if it writes no configuration: then it may be an additional plugin.
How to fix
    The pod network must run on every node that has pods: let it tolerate everything, as most networks do by default.
Example
    An update of the DaemonSet of a CNI to a version with a fixed list of tolerations, on nodes with a custom taint.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.consequences import describe_missing_network, describe_possible_network
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.coverage._consequence_notes import iter_consequences, make_broken_nodes, make_consequence_hit


def check(context: Context) -> Iterator[Hit]:
    """One hit for each network of pods, and time at which it goes."""
    for consequence in iter_consequences(context, "cni", "secondary-cni"):
        broken, is_certain = make_broken_nodes(consequence), consequence.network_doubt is None
        message = describe_missing_network(broken) if is_certain else describe_possible_network(broken, consequence.other_networks)
        yield make_consequence_hit(consequence, message, is_broken=is_certain, lower_severity=Severity.WARNING)


RULE = Rule(id="PF112", name="no-pod-network", severity=Severity.ERROR, needs_nodes=True, check=check, is_consequence=True)
