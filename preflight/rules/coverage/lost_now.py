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

from preflight.coverage.reasons import find_first_evicting_taints
from preflight.messages.lists import join_node_names
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, FixKind, Hit, Rule
from preflight.rules.coverage._consequence_notes import make_impact_note
from preflight.rules.merged_groups import UNOWNED_TEXT, MergedGroups, iter_new_groups, merge_groups


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason; a warning where only taints stand in the way that the cluster clears by itself."""
    for group in merge_groups(iter_new_groups(context, Outcome.LOST_NOW)):
        yield Hit(
            subject=group.subject,
            nodes=group.nodes,
            location=group.location,
            severity=Severity.WARNING if group.is_transient else None,
            message=f"loses {join_node_names(group.nodes)} {_explain_loss(context, group)}",
            label=group.label,
            notes=group.notes + make_impact_note(context, group),
            suggestion=group.suggestion,
        )


def _explain_loss(context: Context, merged_groups: MergedGroups) -> str:
    assert context.impact is not None
    change, group = context.impact.change, merged_groups.first_group
    if group.placement_after is None and group.key in change.before.orphaned_daemonsets:
        return f"now: the pod ends, and {UNOWNED_TEXT}"
    if group.placement_after is None:
        return "now: the DaemonSet is deleted, and its pods with it"
    if not group.placement_after.may_stay:
        return f"now: {merged_groups.reason}"
    seconds = group.placement_after.eviction_delay
    if seconds and seconds != float("inf"):
        on = " and ".join(map(str, find_first_evicting_taints(group.daemonset.spec.template.spec, group)))
        return f"after {int(seconds)} s: tolerates {on} for {int(seconds)} s only, then no pod is created: {merged_groups.reason}"
    if group.key in change.updated_daemonsets:
        return f"now: its update deletes the pod and creates none: {merged_groups.reason}"
    return f"now: the pod ends and none is created: {merged_groups.reason}"


RULE = Rule(id="PF101", name="lost-now", severity=Severity.ERROR, needs_nodes=True, check=check, fix=FixKind.COVERAGE)
