"""A node keeps a startup taint that should have been removed long ago.

Why it matters
    The node is Ready, costs money, and takes only pods that tolerate the taint. An autoscaler may add one such node after another, or
    refuse to remove them.
How to fix
    Get the remover's pod running on the node: it may not tolerate another taint there. If nothing removes the taint, remove it from the
    node pool; `kubectl taint node NODE KEY-` helps existing nodes. network-unavailable returns automatically as long as the condition
    NetworkUnavailable is set: fix the routes of the cloud or the network plugin.
Example
    `ebs.csi.aws.com/agent-not-ready` on a node for an hour, because the driver's pod does not tolerate the taint of the pool.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.doctor.nodes import describe_leftover_taint
from preflight.messages.kubectl_hints import make_describe_command, make_node_pods_command
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_diagnosis, locate_node_field, make_check_notes


def check(context: Context) -> Iterator[Hit]:
    """One hit for each taint and reason."""
    for taint in get_diagnosis(context).leftover_taints:
        first = taint.nodes[0]
        yield Hit(
            subject=Subject("Node", "", first),
            key=(taint.taint_key, taint.cause.value),
            nodes=taint.nodes,
            location=locate_node_field(context, first, ("spec", "taints")),
            message=describe_leftover_taint(taint),
            notes=make_check_notes(make_describe_command("node", first), make_node_pods_command(first)),
        )


RULE = Rule(id="PF432", name="startup-taint-left", severity=Severity.ERROR, check=check)
