"""A DaemonSet has a pod on a node where it had none before.

Why it matters
    Mostly this is what somebody wanted: a label was set, a taint removed, a toleration added. It can be a fault too, where the node is
    meant for others, or of another operating system.
How to fix
    Nothing, where it was meant. Else keep the DaemonSet away by its nodeSelector or node affinity.
Example
    `preflight verify world.json.gz` after `kubectl taint nodes gpu-1 dedicated-`.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.lists import names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Place, Rule, subject_of


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet that was there before; nodes that are new themselves do not count."""
    since = context.since
    assert since is not None
    fresh = {node.name for node in since.nodes if node.is_new}
    for each in since.daemonsets:
        nodes = tuple(sorted(each.gained - fresh))
        if nodes and each.before is not None and each.now is not None:
            yield Hit(
                subject=subject_of(each.now),
                nodes=nodes,
                place=Place(each.now.origin),
                message=f"has a pod on {names(nodes)}, where it had none",
            )


RULE = Rule(id="PF406", name="pod-new", severity=Severity.NOTE, check=check)
