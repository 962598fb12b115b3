"""A component that a node depends on has no system priority class, so the node may evict it.

Why it matters
    A node short of memory, disk or process ids evicts pods, and refuses new ones, but for those of a priority of 2,000,000,000 or more:
    only `system-node-critical` and `system-cluster-critical` have that. The same classes let the scheduler make room on a full node.
    A CSI driver that was evicted can't unmount the volumes of the pods that are evicted after it; without the DNS, the Service proxy or
    the network of the node nothing else there works, and it comes back only when the pressure has passed. For other components, and
    where a class of one's own ranks it at least among other pods, it is a note.
How to fix
    `priorityClassName: system-node-critical`. Some platforms want a ResourceQuota for it in a namespace other than kube-system.
Example
    A CSI node driver without `priorityClassName`.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages import hygiene as messages
from preflight.model.core import POD_TEMPLATE_SPEC
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.component_cache import get_component_cache
from preflight.rules.workload_fields import iter_linted_daemonsets

_SYSTEM_CLASSES = ("system-node-critical", "system-cluster-critical")
_KINDS_BY_PRIORITY = ("cni", "kube-proxy", "node-local-dns", "csi-node-driver")


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet that is a critical component and has no priority class of the system. Only in lint."""
    known = get_component_cache(context)
    for daemonset in iter_linted_daemonsets(context):
        name = daemonset.spec.template.spec.priorityClassName
        if name in _SYSTEM_CLASSES:
            continue
        kind = next((component.kind for component in known.recognize(daemonset) if component.kind.critical), None)
        if kind is not None:
            yield Hit(
                subject=make_subject_of(daemonset),
                key=(kind.id, name),
                location=ManifestLocation(daemonset.origin, (*POD_TEMPLATE_SPEC, "priorityClassName")),
                severity=None if kind.id in _KINDS_BY_PRIORITY and not name else Severity.NOTE,
                message=messages.describe_evictable_component(kind.title, name),
                notes=(("impact", kind.symptom), ("help", messages.SYSTEM_CLASS_HELP)),
            )


RULE = Rule(id="PF214", name="evictable-component", severity=Severity.WARNING, check=check)
