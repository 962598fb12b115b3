"""A change makes a DaemonSet create a pod that does not fit on its node.

Why it matters
    The DaemonSet controller creates the pod without checking whether it fits on the node, and counts it as desired and current. The
    scheduler then finds too little capacity, or a port of the node that another pod uses, and the pod stays Pending. Whatever the pod
    provides is missing on the node, although the apply reports success. It is an error if the change is about the DaemonSet. It is a
    warning if the change is about a node (a label, or a removed taint) and the DaemonSet gets a pod as a side effect. Pods of lower
    priority are not an obstacle: see PF123.
How to fix
    Lower the requests of the pod, free capacity on the node, use another port, or exclude the node with node affinity.
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
