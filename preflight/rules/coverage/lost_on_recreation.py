"""A DaemonSet keeps its pod today and loses it at the next re-creation.

Why it matters
    A NoSchedule taint does not touch running pods, so everything looks fine. Days later an image update, a deleted pod or a node that
    restarts re-creates them, and they never come back: DESIRED shrinks together with READY, `rollout status` says success, no pod is
    Pending and no event tells why.
How to fix
    Tolerate exactly the taint (`operator: Equal`) before the taint is set, or leave the node out on purpose with node affinity.
Example
    `preflight taint nodes -l pool=rdma dedicated=rdma:NoSchedule`, and no toleration of it in the RDMA device plugin.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.lists import listed, names
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.coverage._consequence_notes import then
from preflight.rules.merged_groups import UNOWNED, Merged, merged, news


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason; a warning where only taints stand in the way that the cluster clears by itself."""
    for each in merged(news(context, Outcome.LOST_ON_RECREATION)):
        reason = each.reason or UNOWNED
        yield Hit(
            subject=each.subject,
            nodes=each.nodes,
            place=each.place,
            severity=Severity.WARNING if each.passing else None,
            message=f"loses {names(each.nodes)} {_when(context, each)}: {reason}",
            label=each.label,
            notes=each.notes + then(context, each),
            suggestion=each.suggestion,
        )


def _when(context: Context, each: Merged) -> str:
    assert context.impact is not None
    if all(name in context.impact.change.delayed for name in each.nodes):
        return "once its nodes are replaced"
    own = each.first.after is not None and each.first.after.untolerated
    producers = "" if own else listed(dict.fromkeys(fall.producer for fall in each.first.falls))
    return f"when the pods of {producers} are re-created" if producers else "when its pods are re-created"


RULE = Rule(id="PF102", name="lost-on-recreation", severity=Severity.ERROR, needs_nodes=True, check=check)
