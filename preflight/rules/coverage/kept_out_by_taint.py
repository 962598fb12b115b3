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

from collections.abc import Iterator, Sequence

from preflight.coverage.model import CoverageGroup, Impact
from preflight.coverage.node_targeting import targets_nodes
from preflight.messages.coverage import describe_kept_out, describe_signs
from preflight.model.reasons import CoverageSign
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, FixKind, Hit, Rule
from preflight.rules.coverage._consequence_notes import make_impact_note
from preflight.rules.merged_groups import MergedGroups, iter_new_groups, merge_groups


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason."""
    impact = context.impact
    assert impact is not None
    for groups in merge_groups(group for group in iter_new_groups(context, Outcome.NEVER) if context.is_lint or group.is_touched):
        peers = _list_peer_nodes(impact, groups)
        signs = _list_signs(groups, peers)
        is_critical = any(component.kind.critical for component in impact.component_cache.recognize(groups.first_group.daemonset))
        yield Hit(
            subject=groups.subject,
            nodes=groups.nodes,
            location=groups.location,
            severity=None if (signs or is_critical) and not groups.is_transient else Severity.NOTE,
            message=describe_kept_out(groups.nodes, groups.taints, groups.reasons),
            label=groups.label,
            notes=(
                *((("note", describe_signs(signs, peers)),) if signs else ()),
                *groups.notes,
                *make_impact_note(context, groups),
            ),
            suggestion=groups.suggestion,
            key=groups.key,
        )


def _list_signs(merged_groups: MergedGroups, peer_nodes: Sequence[str]) -> list[CoverageSign]:
    """What shows that the DaemonSet belongs on these nodes."""
    spec = merged_groups.first_group.daemonset.spec.template.spec
    shown = {
        CoverageSign.TARGETS_NODES: targets_nodes(spec),
        CoverageSign.RUNS_ON_PEERS: bool(peer_nodes),
        CoverageSign.NODE_CRITICAL: spec.priorityClassName == "system-node-critical",
    }
    return [sign for sign, is_shown in shown.items() if is_shown]


def _list_peer_nodes(impact: Impact, merged_groups: MergedGroups) -> list[str]:
    """The nodes with one of the taints where the DaemonSet still has a pod."""
    peers = (group for group in impact.groups if group.key == merged_groups.first_group.key and _runs_on_peer(group, merged_groups))
    return sorted(name for group in peers for name in group.nodes)


def _runs_on_peer(group: CoverageGroup, merged_groups: MergedGroups) -> bool:
    return group.forecast.has_pod and not group.is_assumed and bool(set(group.node.spec.taints) & set(merged_groups.taints))


RULE = Rule(id="PF108", name="kept-out-by-taint", severity=Severity.WARNING, needs_nodes=True, check=check, fix=FixKind.COVERAGE)
