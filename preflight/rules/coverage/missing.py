"""A DaemonSet should run on a node and has no pod there.

Why it matters
    The pods were listed, and this one is not among them: its creation is refused (quota, Pod Security, a webhook), it is being deleted
    or has failed, or it is not bound to its node yet. What the DaemonSet provides is missing there today.
How to fix
    `kubectl describe daemonset` shows refused creations; a Pending pod's own events say what it waits for.
Example
    A list of pods without the pod of `kube-system/rdma-device-plugin` on a node that it selects and whose taints it tolerates.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.lists import names
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, Place, Rule
from preflight.rules.merged_groups import merged


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet; a note under a change, unless it drains, reboots or replaces the node.

    PF105 says what an update leaves without a pod.
    """
    impact = context.impact
    assert impact is not None
    near = impact.change.acted
    absent = [group for group in impact.with_outcome(Outcome.MISSING) if group.touched and not group.verdict.before]
    for soon in (True, False):
        for each in merged(group for group in absent if bool(group.nodes & near) is soon):
            yield Hit(
                subject=each.subject,
                nodes=each.nodes,
                place=Place(each.first.daemonset.origin),
                severity=None if context.lint or soon else Severity.NOTE,
                message=f"has no pod on {names(each.nodes)}, where it should run",
            )


RULE = Rule(id="PF107", name="missing", severity=Severity.WARNING, needs_nodes=True, check=check)
