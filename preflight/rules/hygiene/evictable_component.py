"""A component that a node depends on has no system priority class, so the node may evict it.

Why it matters
    A node that is short of memory, disk or process IDs evicts pods and refuses new ones, except pods with a priority of 2,000,000,000 or
    more: only `system-node-critical` and `system-cluster-critical` have such a priority. The same classes let the scheduler preempt pods on
    a full node. If a CSI driver is evicted, the volumes of the pods that are evicted after it cannot be unmounted. Without the DNS, the
    Service proxy or the network of the node nothing else works there, and the component returns only when the pressure is over. It is a
    note for other components, and for a custom class, which at least ranks the component above pods of lower priority.
How to fix
    `priorityClassName: system-node-critical`. GKE requires a ResourceQuota for it in namespaces other than kube-system
    (PF124).
Example
    A CSI node driver without `priorityClassName`.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages import hygiene as messages
from preflight.model.apps import DaemonSet
from preflight.model.core import POD_TEMPLATE_SPEC
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.component_cache import get_component_cache
from preflight.rules.priority_quota import has_accepted_class, may_refuse_class
from preflight.rules.workload_fields import iter_linted_daemonsets

_SYSTEM_CLASSES = ("system-node-critical", "system-cluster-critical")
_KINDS_BY_PRIORITY = ("cni", "kube-proxy", "node-local-dns", "csi-node-driver")


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet that is a critical component and has no priority class of the system. Only in lint."""
    known = get_component_cache(context)
    for daemonset in iter_linted_daemonsets(context):
        name = daemonset.spec.template.spec.priorityClassName
        if name in _SYSTEM_CLASSES or daemonset.declaration is not None:  # an operator's own choice
            continue
        component = next((component for component in known.recognize(daemonset) if component.kind.critical), None)
        if component is not None:
            kind = component.kind
            yield Hit(
                subject=make_subject_of(daemonset),
                key=(kind.id, name),
                location=ManifestLocation(daemonset.origin, (*POD_TEMPLATE_SPEC, "priorityClassName")),
                severity=None if kind.id in _KINDS_BY_PRIORITY and not name else Severity.NOTE,
                message=messages.describe_evictable_component(kind.title, name),
                notes=(("impact", component.symptom), ("help", _make_help(context, daemonset))),
            )


def _make_help(context: Context, daemonset: DaemonSet) -> str:
    """What to set; not a class alone whose pods the cluster refuses in the namespace."""
    namespace = daemonset.metadata.namespace
    is_refused = may_refuse_class(context.world, namespace, _SYSTEM_CLASSES[0]) and not has_accepted_class(
        context.world, context.impact, namespace, _SYSTEM_CLASSES[0]
    )
    return messages.describe_class_with_quota(namespace) if is_refused else messages.SYSTEM_CLASS_HELP


RULE = Rule(id="PF214", name="evictable-component", severity=Severity.WARNING, check=check)
