"""The pod of a DaemonSet is evicted and re-created again and again.

Why it matters
    The DaemonSet controller ignores `tolerationSeconds`: it creates a pod on every node whose NoExecute taint is tolerated, taint eviction
    deletes the pod when the time is over, and the cycle repeats. The advice "tolerate NoExecute for 300 seconds", which is right for a
    Deployment, restarts a DaemonSet every 300 seconds on every node with the taint. With 0 or less there is no pause at all.
How to fix
    Remove `tolerationSeconds` if the pod should stay on the node; remove the toleration if the pod should leave.
Example
    A toleration `{key: maintenance, operator: Exists, effect: NoExecute, tolerationSeconds: 300}` and a node with that taint.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from preflight.coverage.reasons import find_loop
from preflight.messages.coverage import LOOP_HELP, LOOP_LABEL, describe_loop
from preflight.model.core import POD_TEMPLATE_SPEC, Taint
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, FixKind, Hit, ManifestLocation, Rule
from preflight.rules.merged_groups import MergedGroups, iter_new_groups, merge_groups
from preflight.rules.reason_keys import make_reason_key
from preflight.scheduling.tolerations import tolerates


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and period."""
    for group in merge_groups(iter_new_groups(context, Outcome.LOOP)):
        loop = find_loop(group.first_group)
        location = _locate_seconds(group, loop.taints)
        yield Hit(
            subject=group.subject,
            nodes=group.nodes,
            location=location,
            toleration_location=ManifestLocation(location.origin, location.path[:-1]),
            message=describe_loop(group.nodes, loop),
            label=LOOP_LABEL,
            notes=(("help", LOOP_HELP),),
            key=(*make_reason_key(map(find_loop, group.groups)), *group.key),
            effect=replace(group.effect, reasons=(), seconds=loop.seconds),
        )


def _locate_seconds(merged_groups: MergedGroups, taints: Iterable[Taint]) -> ManifestLocation:
    """The toleration whose seconds decide."""
    daemonset = merged_groups.first_group.daemonset
    for taint in taints:
        for number, toleration in enumerate(daemonset.spec.template.spec.tolerations):
            if tolerates(toleration, taint, None):
                return ManifestLocation(daemonset.origin, (*POD_TEMPLATE_SPEC, "tolerations", number, "tolerationSeconds"))
    return merged_groups.location


RULE = Rule(id="PF103", name="evict-loop", severity=Severity.ERROR, needs_nodes=True, check=check, fix=FixKind.SECONDS)
