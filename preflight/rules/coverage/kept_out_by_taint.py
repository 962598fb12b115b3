"""A taint alone keeps a DaemonSet from a node, and no pod is there.

Why it matters
    This is the end of the story that a NoSchedule taint begins: the pods are gone, nothing is Pending, and DESIRED counts only the nodes
    that tolerate the taint. Whether the DaemonSet belongs on the node only its owner knows. Where something says so, and where it is of a
    kind that workloads break without (a network, a volume driver, a device plugin, ...), this is a warning.
How to fix
    Tolerate exactly the taint (`operator: Equal`), or leave the node out on purpose with node affinity.
Example
    A device plugin with `nodeSelector: {rdma: "true"}`, and a node with that label and an untolerated taint.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.coverage.model import Group, Impact
from preflight.coverage.node_targeting import names_nodes
from preflight.messages.lists import listed, names
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.coverage._consequence_notes import then
from preflight.rules.merged_groups import Merged, merged, news


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason."""
    impact = context.impact
    assert impact is not None
    for each in merged(group for group in news(context, Outcome.NEVER) if context.lint or group.touched):
        belongs = _belongs(impact, each)
        is_critical = any(component.kind.critical for component in impact.recognised.of(each.first.daemonset))
        yield Hit(
            subject=each.subject,
            nodes=each.nodes,
            place=each.place,
            severity=None if (belongs or is_critical) and not each.passing else Severity.NOTE,
            message=f"is kept out of {names(each.nodes)} by {'taints' if len(each.taints) > 1 else 'a taint'} alone: {each.reason}",
            label=each.label,
            notes=((("note", f"it belongs there: {listed(belongs)}"),) if belongs else ()) + each.notes + then(context, each),
            suggestion=each.suggestion,
        )


def _belongs(impact: Impact, each: Merged) -> list[str]:
    """What says that the DaemonSet belongs on these nodes."""
    spec = each.first.daemonset.spec.template.spec
    signs = []
    if names_nodes(spec):
        signs.append("its own nodeSelector or affinity names these nodes")
    peers = [group for group in impact.groups if group.key == each.first.key and _runs_beside(group, each)]
    if peers:
        signs.append(f"a pod of it still runs on {names(sorted(name for group in peers for name in group.nodes))} with the same taint")
    if spec.priorityClassName == "system-node-critical":
        signs.append("its priority class is system-node-critical")
    return signs


def _runs_beside(group: Group, each: Merged) -> bool:
    return group.verdict.now and not group.assumed and bool(set(group.node.spec.taints) & set(each.taints))


RULE = Rule(id="PF108", name="kept-out-by-taint", severity=Severity.WARNING, needs_nodes=True, check=check)
