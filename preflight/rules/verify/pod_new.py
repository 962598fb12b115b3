"""A DaemonSet has a pod on a node where it had none before.

Why it matters
    Usually this is intended: a label was set, a taint removed, a toleration added. It can also be a fault, if the node is reserved for
    other workloads or has another operating system.
How to fix
    Nothing, if it is intended. Otherwise keep the DaemonSet off the node with its nodeSelector or node affinity.
Example
    `preflight verify world.json.gz` after `kubectl taint nodes gpu-1 dedicated-`.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.verify import describe_pod_new
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet that was there before; nodes that are new themselves do not count."""
    since = context.comparison
    assert since is not None
    fresh = {node.name for node in since.nodes if node.is_new}
    for daemonset in since.daemonsets:
        nodes = tuple(sorted(daemonset.gained_nodes - fresh))
        if nodes and daemonset.daemonset_before is not None and daemonset.daemonset_now is not None:
            yield Hit(
                subject=make_subject_of(daemonset.daemonset_now),
                nodes=nodes,
                location=ManifestLocation(daemonset.daemonset_now.origin),
                message=describe_pod_new(nodes),
            )


RULE = Rule(id="PF406", name="pod-new", severity=Severity.NOTE, check=check)
