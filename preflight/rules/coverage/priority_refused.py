"""The cluster may refuse pods of a system priority class in this namespace.

Why it matters
    GKE accepts pods with `system-node-critical` or `system-cluster-critical` only in namespaces with a ResourceQuota whose scope has these
    classes; kube-system has one. In other namespaces the pods are refused ("insufficient quota to match these scopes"). The update of a
    DaemonSet then deletes a pod, creates none, and stands still: a node without the component, and no pod that shows it.
How to fix
    Create a ResourceQuota in the namespace whose `scopeSelector` has `scopeName: PriorityClass` and the class, before the change; or use a
    PriorityClass of your own with a high value.
Example
    `priorityClassName: system-node-critical` in the namespace storage of a GKE cluster.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.hygiene import QUOTA_HELP, describe_refused_class
from preflight.model.core import POD_TEMPLATE_SPEC
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.priority_quota import has_accepted_class, may_refuse_class
from preflight.rules.workload_fields import iter_daemonsets_with_new_pods


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet with such a class that gets new pods; in lint for all."""
    after = context.impact.change.after if context.impact is not None else context.world
    for daemonset in iter_daemonsets_with_new_pods(context):
        name, namespace = daemonset.spec.template.spec.priorityClassName, daemonset.metadata.namespace
        if may_refuse_class(after, namespace, name) and not has_accepted_class(context.world, context.impact, namespace, name):
            yield Hit(
                subject=make_subject_of(daemonset),
                location=ManifestLocation(daemonset.origin, (*POD_TEMPLATE_SPEC, "priorityClassName")),
                message=describe_refused_class(namespace, name),
                notes=(("help", QUOTA_HELP),),
                key=(name,),
            )


RULE = Rule(id="PF124", name="priority-refused", severity=Severity.WARNING, check=check)
