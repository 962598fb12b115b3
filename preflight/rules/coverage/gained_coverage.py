"""A DaemonSet starts on a node where it had no pod.

Why it matters
    Removing a taint or adding a label can create pods. Mostly that is what was wanted; it is a fault where the pod does not belong,
    such as a Linux image on a Windows node, or an agent on a serverless node.
How to fix
    Nothing, where it is wanted. Else leave the node out with node affinity or a nodeSelector.
Example
    `preflight taint nodes win-1 os=windows:NoSchedule-` while some DaemonSets have no `kubernetes.io/os` selector.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.coverage import describe_gained
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule
from preflight.rules.merged_groups import merge_groups


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet."""
    assert context.impact is not None
    if context.is_lint:
        return
    for group in merge_groups(context.impact.iter_groups(Outcome.GAINED)):
        yield Hit(
            subject=group.subject,
            nodes=group.nodes,
            location=ManifestLocation(group.first_group.daemonset.origin),
            message=describe_gained(group.nodes, is_new=group.first_group.before_daemonset is None),
            key=group.key,
        )


RULE = Rule(id="PF104", name="gained-coverage", severity=Severity.NOTE, needs_nodes=True, check=check)
