"""A DaemonSet should run on a node and has no pod there.

Why it matters
    The pods are in the input, and the pod of this node is not among them. Its creation is refused (quota, Pod Security, a webhook), it is
    being deleted, it has failed, or it is not bound to its node yet. Whatever the DaemonSet provides is missing on the node today.
How to fix
    `kubectl describe daemonset` shows refused creations; the events of a Pending pod show what it waits for.
Example
    A list of pods without the pod of `kube-system/rdma-device-plugin` on a node that it selects and whose taints it tolerates.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.coverage import describe_missing
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule
from preflight.rules.merged_groups import merge_groups


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet; a note under a change, unless it drains, reboots or replaces the node.

    PF105 says what an update leaves without a pod, PF122 where a new one does not fit. A pod that is deleted by hand and hangs is
    one that is missing.
    """
    impact = context.impact
    assert impact is not None
    near, deleted = impact.change.disrupted_nodes, impact.change.deleted_pod_nodes
    missing = (group for group in impact.iter_groups(Outcome.MISSING) if group.is_touched and not group.fit)
    absent = [group for group in missing if not group.forecast.had_pod or group.key in deleted]
    for soon in (True, False):
        for groups in merge_groups(group for group in absent if bool(group.nodes & near) is soon):
            yield Hit(
                subject=groups.subject,
                nodes=groups.nodes,
                location=ManifestLocation(groups.first_group.daemonset.origin),
                severity=None if context.is_lint or soon else Severity.NOTE,
                message=describe_missing(groups.nodes),
                key=(*groups.key, "disrupted") if soon else groups.key,
                effect=groups.effect,
            )


RULE = Rule(id="PF107", name="missing", severity=Severity.WARNING, needs_nodes=True, check=check, is_standing=True)
