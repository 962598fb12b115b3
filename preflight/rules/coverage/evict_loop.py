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

from preflight.coverage.reasons import find_first_evicting_taints
from preflight.messages.lists import join_and, join_node_names
from preflight.model.objects import POD_TEMPLATE_SPEC
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, FixKind, Hit, ManifestLocation, Rule
from preflight.rules.merged_groups import MergedGroups, iter_new_groups, merge_groups
from preflight.scheduling.tolerations import tolerates


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and period."""
    for group in merge_groups(iter_new_groups(context, Outcome.LOOP)):
        period = group.first_group.forecast.loop_seconds or 0
        pace = f"every {period} s" if period else "without a pause"
        taints = find_first_evicting_taints(group.first_group.daemonset.spec.template.spec, group.first_group)
        place = _locate_seconds(group)
        yield Hit(
            subject=group.subject,
            nodes=group.nodes,
            location=place,
            toleration_location=ManifestLocation(place.origin, place.path[:-1]),
            message=f"is deleted and re-created {pace} on {join_node_names(group.nodes)}: tolerates {join_and(taints)} for {period} s only",
            label="these seconds make it loop",
            notes=(("help", "remove tolerationSeconds to stay on the node, or the toleration to leave it"),),
        )


def _locate_seconds(merged_groups: MergedGroups) -> ManifestLocation:
    """The toleration whose seconds decide."""
    daemonset = merged_groups.first_group.daemonset
    for taint in find_first_evicting_taints(daemonset.spec.template.spec, merged_groups.first_group):
        for number, toleration in enumerate(daemonset.spec.template.spec.tolerations):
            if tolerates(toleration, taint, None):
                return ManifestLocation(daemonset.origin, (*POD_TEMPLATE_SPEC, "tolerations", number, "tolerationSeconds"))
    return merged_groups.location


RULE = Rule(id="PF103", name="evict-loop", severity=Severity.ERROR, needs_nodes=True, check=check, fix=FixKind.SECONDS)
