"""A DaemonSet's pod is evicted and created again, for ever.

Why it matters
    The DaemonSet controller does not look at `tolerationSeconds`: it creates a pod wherever the NoExecute taint is tolerated, taint
    eviction deletes it after the seconds, and so on. The advice "tolerate NoExecute for 300 seconds", right for a Deployment, restarts
    a DaemonSet every 300 seconds on every node that carries the taint. With 0 or less there is no pause at all.
How to fix
    Remove `tolerationSeconds` where the pod is to stay on the node; remove the toleration where it is to go.
Example
    A toleration `{key: maintenance, operator: Exists, effect: NoExecute, tolerationSeconds: 300}` and a node with that taint.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.coverage.reasons import timed
from preflight.messages.lists import listed, names
from preflight.model.objects import POD_TEMPLATE_SPEC
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, Place, Rule
from preflight.rules.merged_groups import Merged, merged, news
from preflight.scheduling.tolerations import tolerates


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and period."""
    for each in merged(news(context, Outcome.LOOP)):
        period = each.first.verdict.period or 0
        pace = f"every {period} s" if period else "without a pause"
        taints = timed(each.first.daemonset.spec.template.spec, each.first)
        place = _place(each)
        yield Hit(
            subject=each.subject,
            nodes=each.nodes,
            place=place,
            toleration=Place(place.origin, place.path[:-1]),
            message=f"is deleted and re-created {pace} on {names(each.nodes)}: tolerates {listed(taints)} for {period} s only",
            label="these seconds make it loop",
            notes=(("help", "remove tolerationSeconds to stay on the node, or the toleration to leave it"),),
        )


def _place(each: Merged) -> Place:
    """The toleration whose seconds decide."""
    daemonset = each.first.daemonset
    for taint in timed(daemonset.spec.template.spec, each.first):
        for number, toleration in enumerate(daemonset.spec.template.spec.tolerations):
            if tolerates(toleration, taint, None):
                return Place(daemonset.origin, (*POD_TEMPLATE_SPEC, "tolerations", number, "tolerationSeconds"))
    return each.place


RULE = Rule(id="PF103", name="evict-loop", severity=Severity.ERROR, needs_nodes=True, check=check)
