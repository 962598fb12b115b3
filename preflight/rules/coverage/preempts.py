"""A change makes a DaemonSet create a pod that starts only if pods of lower priority are evicted.

Why it matters
    If a pod does not fit on its node, the scheduler evicts pods of lower priority from the node: as few as it needs, and pods that are
    protected by a PodDisruptionBudget last, but it does evict them if it has to. The DaemonSet is fine; the evicted pods have to find
    another node.
How to fix
    Nothing, if this is intended. Otherwise free capacity first, or lower the requests or the priority class of the pod.
Example
    `preflight apply -f csi.yaml` with `priorityClassName: system-node-critical` where the requests of ordinary pods fill the node.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.pod_fit import describe_preemption
from preflight.model.fit_reasons import FitVerdict
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.coverage._fit_facts import make_example


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet. Not in lint."""
    impact = context.impact
    assert impact is not None
    for key, fits in sorted(impact.pod_fits.items()):
        nodes = tuple(sorted(name for name, fit in fits.items() if fit.verdict is FitVerdict.PREEMPTS))
        daemonset = impact.change.after.daemonsets.get(key)
        if nodes and daemonset is not None:
            victims = sorted({victim for name in nodes for victim in fits[name].victims})
            yield Hit(
                subject=make_subject_of(daemonset),
                nodes=nodes,
                location=ManifestLocation(daemonset.origin),
                message=describe_preemption(nodes, victims, make_example(impact, key, nodes)),
                key=("preemption",),
            )


RULE = Rule(id="PF123", name="preempts", severity=Severity.WARNING, needs_nodes=True, check=check)
