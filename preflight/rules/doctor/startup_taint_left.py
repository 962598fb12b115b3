"""A node keeps a startup taint that something should have removed long ago.

Why it matters
    The node is Ready, costs money, and takes no pod but those that tolerate the taint. An autoscaler may add one such node after another,
    or refuse to take them away.
How to fix
    Bring the remover's pod to the node: it may not tolerate another taint there. Where nothing removes the taint, take it out of the node
    pool; `kubectl taint node NODE KEY-` helps the nodes that are there. network-unavailable comes back by itself for as long as the
    condition NetworkUnavailable says so: mend the routes of the cloud or the network plugin.
Example
    `ebs.csi.aws.com/agent-not-ready` on a node for an hour, since the driver's pod does not tolerate the taint of the pool.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.kubectl_hints import describe, pods_on
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import facts_of, node_place, shows
from preflight.rules.verify._text import so


def check(context: Context) -> Iterator[Hit]:
    """One hit for each taint and reason."""
    for each in facts_of(context).startup_taints:
        first, *others = each.nodes
        yield Hit(
            subject=Subject("Node", "", first),
            nodes=each.nodes,
            place=node_place(context, first, ("spec", "taints")),
            message=f"has the startup taint {each.key} still{so(others, 'has')}: {each.why}",
            notes=shows(describe("node", first), pods_on(first)),
        )


RULE = Rule(id="PF432", name="startup-taint-left", severity=Severity.ERROR, check=check)
