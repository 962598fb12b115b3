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

from preflight.coverage.reasons import timed
from preflight.messages.lists import names
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.coverage._consequence_notes import then
from preflight.rules.merged_groups import UNOWNED, Merged, merged, news


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason; a warning where only taints stand in the way that the cluster clears by itself."""
    for each in merged(news(context, Outcome.LOST_NOW)):
        yield Hit(
            subject=each.subject,
            nodes=each.nodes,
            place=each.place,
            severity=Severity.WARNING if each.passing else None,
            message=f"loses {names(each.nodes)} {_how(context, each)}",
            label=each.label,
            notes=each.notes + then(context, each),
            suggestion=each.suggestion,
        )


def _how(context: Context, each: Merged) -> str:
    assert context.impact is not None
    change, group = context.impact.change, each.first
    if group.after is None and group.key in change.before.orphaned:
        return f"now: the pod ends, and {UNOWNED}"
    if group.after is None:
        return "now: the DaemonSet is deleted, and its pods with it"
    if not group.after.may_stay:
        return f"now: {each.reason}"
    seconds = group.after.evict_after
    if seconds and seconds != float("inf"):
        on = " and ".join(map(str, timed(group.daemonset.spec.template.spec, group)))
        return f"after {int(seconds)} s: tolerates {on} for {int(seconds)} s only, then no pod is created: {each.reason}"
    if group.key in change.updated:
        return f"now: its update deletes the pod and creates none: {each.reason}"
    return f"now: the pod ends and none is created: {each.reason}"


RULE = Rule(id="PF101", name="lost-now", severity=Severity.ERROR, needs_nodes=True, check=check)
