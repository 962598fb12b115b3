"""A DaemonSet loses its pod on a node as soon as the change has settled.

Why it matters
    An untolerated NoExecute taint, or a node label that the DaemonSet asks for and that is gone, deletes running pods at once: no
    PodDisruptionBudget is asked and no eviction is refused. An update deletes the old pod also where no new one may be created.
    DESIRED shrinks together with READY, so no alert fires.
How to fix
    Tolerate exactly the taint (`operator: Equal`), or keep the label, before the change. Where the node is left out on purpose, say so
    with node affinity.
Example
    `preflight taint nodes gpu-1 maintenance=true:NoExecute`, and no toleration of it in the DaemonSet.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.coverage.reasons import find_timed_toleration
from preflight.messages.coverage import describe_lost_now
from preflight.model.reasons import LossCause
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, FixKind, Hit, Rule
from preflight.rules.coverage._consequence_notes import make_impact_note
from preflight.rules.merged_groups import MergedGroups, iter_new_groups, merge_groups


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason; a warning where only taints stand in the way that the cluster clears by itself."""
    for group in merge_groups(iter_new_groups(context, Outcome.LOST_NOW)):
        yield Hit(
            subject=group.subject,
            nodes=group.nodes,
            location=group.location,
            severity=Severity.WARNING if group.is_transient else None,
            message=describe_lost_now(group.nodes, _find_cause(context, group), group.reasons, find_timed_toleration(group.first_group)),
            label=group.label,
            notes=group.notes + make_impact_note(context, group),
            suggestion=group.suggestion,
            key=group.key,
        )


def _find_cause(context: Context, merged_groups: MergedGroups) -> LossCause:
    assert context.impact is not None
    change, group = context.impact.change, merged_groups.first_group
    if group.placement_after is None:
        return LossCause.UNOWNED if group.key in change.before.orphaned_daemonsets else LossCause.DELETED
    if not any(merged.forecast.had_pod for merged in merged_groups.groups):
        return LossCause.NOT_CREATED
    if not group.placement_after.may_stay:
        return LossCause.EVICTED
    return LossCause.UPDATED if group.key in change.updated_daemonsets else LossCause.ENDED


RULE = Rule(id="PF101", name="lost-now", severity=Severity.ERROR, needs_nodes=True, check=check, fix=FixKind.COVERAGE)
