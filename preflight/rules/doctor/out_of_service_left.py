"""A node that is Ready still has the taint out-of-service.

Why it matters
    The taint declares that a node is shut down. While a node has it, the attach-detach controller detaches the volumes of pods that end
    without checking whether they are still mounted: a pod on another node may then write to the same volume. With NoExecute no pod that
    does not tolerate it stays on the node, and with NoSchedule none is scheduled there. Nothing removes the taint automatically.
How to fix
    Run `kubectl taint nodes NODE node.kubernetes.io/out-of-service-` once the node is back for good.
Example
    A node that lost its power, whose pods were freed by the taint, and that was switched on again.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.doctor.stuck_pods import describe_misplaced_taint, describe_taint_removal
from preflight.messages.hygiene import DETACHED_VOLUMES
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_diagnosis, locate_node_field


def check(context: Context) -> Iterator[Hit]:
    """One hit for all such nodes."""
    nodes = get_diagnosis(context).misplaced_taints
    if nodes:
        yield Hit(
            subject=Subject("Node", "", nodes[0]),
            nodes=nodes,
            location=locate_node_field(context, nodes[0], ("spec", "taints")),
            message=describe_misplaced_taint(nodes),
            notes=(("impact", DETACHED_VOLUMES), ("help", describe_taint_removal(nodes))),
        )


RULE = Rule(id="PF436", name="out-of-service-left", severity=Severity.ERROR, check=check)
