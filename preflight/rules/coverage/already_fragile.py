"""A DaemonSet has a pod on a node where the pod would not be created again.

Why it matters
    This is a time bomb that is already set: the node has a NoSchedule taint that the DaemonSet does not tolerate, and the pod is older than
    the taint. The pod runs until an update, a deletion or an eviction removes it, and then it does not come back.
How to fix
    Tolerate exactly the taint (`operator: Equal`) before anything re-creates the pod, or exclude the node on purpose with node affinity.
Example
    A node with `dedicated=rdma:NoSchedule`, and a running pod of a DaemonSet that does not tolerate it.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.coverage import describe_fragile
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, FixKind, Hit, Rule
from preflight.rules.coverage._consequence_notes import make_impact_note
from preflight.rules.merged_groups import merge_groups


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason; a note where the change does not bring the re-creation nearer, or the taint passes."""
    impact = context.impact
    assert impact is not None
    near = impact.change.disrupted_nodes
    fragile = [group for group in impact.iter_groups(Outcome.ALREADY_FRAGILE) if group.is_touched]
    for soon in (True, False):
        for groups in merge_groups(group for group in fragile if bool(group.nodes & near) is soon):
            yield Hit(
                subject=groups.subject,
                nodes=groups.nodes,
                location=groups.location,
                severity=Severity.NOTE if groups.is_transient or groups.is_leaving or not (context.is_lint or soon) else None,
                message=describe_fragile(groups.nodes, groups.reasons),
                label=groups.label,
                notes=groups.notes + make_impact_note(context, groups),
                suggestion=groups.suggestion,
                key=(*groups.key, "disrupted") if soon else groups.key,
                effect=groups.effect,
            )


RULE = Rule(
    id="PF106", name="already-fragile", severity=Severity.WARNING, needs_nodes=True, check=check, fix=FixKind.COVERAGE, is_standing=True
)
