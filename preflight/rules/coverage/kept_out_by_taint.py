"""Only a taint keeps a DaemonSet off a node, and the DaemonSet has no pod there.

Why it matters
    This is how a NoSchedule taint ends: no pod is left, nothing is Pending, and DESIRED counts only the nodes whose taints are
    tolerated. Only the owner of the DaemonSet knows whether it belongs on the node. It is a warning if there is evidence that it belongs
    there, or if workloads break without its kind (a network, a volume driver, a device plugin, ...). It is an error if both are true, and
    the evidence is strong: its nodeSelector or affinity requires a label that sets these nodes apart, or its toleration differs from the
    taint only in value or effect (`present` instead of `true`), and no other DaemonSet provides the same there. Such nodes never offer the
    device, volume or network that they were bought for. A taint that the cluster removes by itself is never an error.
How to fix
    Tolerate exactly the taint (`operator: Equal`), or exclude the node on purpose with node affinity.
Example
    A device plugin with `nodeSelector: {rdma: "true"}`, and a node with that label and an untolerated taint.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from preflight.coverage.model import CoverageGroup, Impact
from preflight.messages.coverage import describe_kept_out, describe_signs
from preflight.model.reasons import CoverageSign
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, FixKind, Hit, Rule
from preflight.rules.coverage._belonging import is_missed, list_critical, list_signs
from preflight.rules.coverage._consequence_notes import make_impact_note
from preflight.rules.merged_groups import MergedGroups, iter_new_groups, merge_groups


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason."""
    impact = context.impact
    assert impact is not None
    for groups in merge_groups(_iter_kept_out_groups(context)):
        peers = _list_peer_nodes(impact, groups)
        signs = list_signs(impact, groups, peers)
        severity = _get_severity(impact, groups, signs)
        if groups.first_group.outcome is Outcome.UNKNOWN and severity is not Severity.ERROR:
            continue
        yield Hit(
            subject=groups.subject,
            nodes=groups.nodes,
            location=groups.location,
            severity=severity,
            message=describe_kept_out(groups.nodes, groups.taints, groups.reasons),
            label=groups.label,
            notes=(
                *((("note", describe_signs(signs, peers)),) if signs else ()),
                *groups.notes,
                *make_impact_note(context, groups),
            ),
            suggestion=groups.suggestion,
            key=groups.key,
            effect=groups.effect,
        )


def _iter_kept_out_groups(context: Context) -> Iterator[CoverageGroup]:
    """The groups that a taint alone keeps out; also those that it surely does after a change, and that may have a pod today."""
    for group in iter_new_groups(context, Outcome.NEVER):
        if context.is_lint or group.is_touched:
            yield group
    for group in iter_new_groups(context, Outcome.UNKNOWN):
        after = group.placement_after
        if group.is_touched and after is not None and after.is_selected and after.untolerated_taints and not context.is_lint:
            yield group


def _get_severity(impact: Impact, merged_groups: MergedGroups, signs: Sequence[CoverageSign]) -> Severity | None:
    if merged_groups.is_transient or merged_groups.is_leaving:
        return Severity.NOTE
    if is_missed(impact, merged_groups, signs):
        return Severity.ERROR
    return None if signs or list_critical(impact, merged_groups) else Severity.NOTE


def _list_peer_nodes(impact: Impact, merged_groups: MergedGroups) -> list[str]:
    """The nodes with one of the taints where the DaemonSet still has a pod."""
    peers = (group for group in impact.groups if group.key == merged_groups.first_group.key and _runs_on_peer(group, merged_groups))
    return sorted(name for group in peers for name in group.nodes)


def _runs_on_peer(group: CoverageGroup, merged_groups: MergedGroups) -> bool:
    return group.forecast.has_pod and not group.is_assumed and bool(set(group.node.spec.taints) & set(merged_groups.taints))


RULE = Rule(id="PF108", name="kept-out-by-taint", severity=Severity.WARNING, needs_nodes=True, check=check, fix=FixKind.COVERAGE)
