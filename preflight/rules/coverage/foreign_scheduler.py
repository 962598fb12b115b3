"""A change hands the pods of a DaemonSet to another scheduler.

Why it matters
    The DaemonSet controller creates a pod for each node and counts it, but the scheduler named in the template binds the pod. If no such
    scheduler runs, every new pod stays Pending: an update stops after `maxUnavailable` nodes, and these nodes then have no pod.
How to fix
    Remove `schedulerName`, unless the scheduler is known to run and to support the pods of DaemonSets.
Example
    `preflight patch ds agent -p '{"spec":{"template":{"spec":{"schedulerName":"nosuch"}}}}'`
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.coverage import describe_foreign_scheduler
from preflight.model.core import POD_TEMPLATE_SPEC
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.workload_fields import iter_daemonsets_with_new_pods, iter_starting_groups

_DEFAULT_SCHEDULERS = ("", "default-scheduler")


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet that gets new pods of another scheduler than before: a note for a new one. Not in lint."""
    if context.is_lint:
        return
    for daemonset in iter_daemonsets_with_new_pods(context):
        name = daemonset.spec.template.spec.schedulerName
        before = context.world.daemonsets.get(daemonset.key)
        if name in _DEFAULT_SCHEDULERS or (before is not None and before.spec.template.spec.schedulerName == name):
            continue
        nodes = tuple(sorted(node for group in iter_starting_groups(context, daemonset) for node in group.node_names))
        if nodes:
            yield Hit(
                subject=make_subject_of(daemonset),
                nodes=nodes,
                location=ManifestLocation(daemonset.origin, (*POD_TEMPLATE_SPEC, "schedulerName")),
                severity=Severity.NOTE if before is None else None,
                message=describe_foreign_scheduler(nodes, name),
                key=(name,),
            )


RULE = Rule(id="PF120", name="foreign-scheduler", severity=Severity.WARNING, needs_nodes=True, check=check)
