"""A pod that a change has a DaemonSet create does not fit on its node.

Why it matters
    The DaemonSet controller creates the pod without asking whether the node takes it, and counts it as desired and current. The scheduler
    then finds no room, or a port of the node that another pod holds, and the pod stays Pending: what it should provide is missing there,
    and the apply reports success. It is an error where the change is about the DaemonSet; where it is about a node (a label, a taint that
    goes) and the DaemonSet gets a pod by the way, it is a warning. Pods of lower priority are no obstacle: see PF123.
How to fix
    Lower what the pod requests, make room on the node, take another port, or leave the node out with node affinity.
Example
    `preflight apply -f exporter.yaml` with `hostPort: 9100`, where another DaemonSet has a pod with this port on every node.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.pod_fit import describe_pending_pod
from preflight.model.fit_reasons import StaysPending
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.coverage._fit_facts import make_example, make_help
from preflight.rules.merged_groups import merge_groups


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and what is in the way, where it had no pod; PF101 says where it had one."""
    impact = context.impact
    assert impact is not None
    pending = (group for group in impact.iter_groups(Outcome.MISSING) if isinstance(group.fit, StaysPending))
    for group in merge_groups(pending):
        key, fit = group.first_group.key, group.first_group.fit
        example = make_example(impact, key, group.nodes, fit if isinstance(fit, StaysPending) else None)
        is_named = key in impact.change.daemonsets or key in impact.change.updated_daemonsets
        yield Hit(
            subject=group.subject,
            nodes=group.nodes,
            location=group.location,
            severity=None if is_named else Severity.WARNING,
            message=describe_pending_pod(group.nodes, example, is_new=group.first_group.before_daemonset is None),
            notes=make_help(example.obstacles),
            key=group.key,
        )


RULE = Rule(id="PF122", name="does-not-fit", severity=Severity.ERROR, needs_nodes=True, check=check)
