"""A DaemonSet had a pod on a node before, and has none there now.

Why it matters
    This is the silent effect of a change: DESIRED drops together with READY, no pod is Pending, and `kubectl rollout status` reports
    success. The node now lacks what the DaemonSet provides. Pods that were already missing before are not reported.
How to fix
    If a taint keeps it off, add a toleration for exactly that taint, or remove the taint. If a label was removed, set it again. If it
    should run and has no pod, `kubectl describe daemonset` shows refused creations, and the events of a Pending pod show what it waits for.
Example
    `preflight verify world.json.gz` after the update of a device plugin that does not tolerate the taint of its nodes.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.change.node_lifecycle import is_controller_owned
from preflight.comparison.pods import ClusterComparison, DaemonSetComparison
from preflight.messages.verify import describe_pod_gone, describe_uncovered_nodes
from preflight.model.core import POD_TEMPLATE_SPEC, Taint
from preflight.model.reasons import Reason
from preflight.model.report import CoverageEffect, Outcome, Severity, TolerationSuggestion
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.merged_groups import suggest_exact_tolerations
from preflight.rules.reason_keys import make_reason_key
from preflight.rules.verify._text import make_impact_note
from preflight.scheduling.placement import Placement, evaluate_placement
from preflight.scheduling.tolerations import add_implicit_tolerations


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason; a warning for new nodes on which it should run."""
    since = context.comparison
    assert since is not None
    for daemonset in since.daemonsets:
        if daemonset.daemonset_now is None:
            continue
        by_reason: dict[tuple[Reason, ...], list[str]] = {}
        for name, reasons in daemonset.lost_nodes.items():
            by_reason.setdefault(reasons, []).append(name)
        for reasons, nodes in by_reason.items():
            yield _make_loss_hit(since, daemonset, reasons, nodes)
        if daemonset.uncovered_new_nodes:
            uncovered = tuple(sorted(daemonset.uncovered_new_nodes))
            yield Hit(
                subject=make_subject_of(daemonset.daemonset_now),
                nodes=uncovered,
                location=ManifestLocation(daemonset.daemonset_now.origin),
                severity=Severity.WARNING,
                message=describe_uncovered_nodes(uncovered),
                key=("new-nodes",),
                notes=make_impact_note(daemonset, since.world_now),
            )


def _make_loss_hit(
    cluster_comparison: ClusterComparison, daemonset_comparison: DaemonSetComparison, reasons: tuple[Reason, ...], nodes: list[str]
) -> Hit:
    placements = [_compute_placement(cluster_comparison, daemonset_comparison, name) for name in nodes]
    taints = {
        taint: None for placement in placements if placement for taint in placement.untolerated_taints if not is_controller_owned(taint)
    }
    excluded = any(placement and placement.is_selected is False for placement in placements)
    return Hit(
        subject=make_subject_of(daemonset_comparison.daemonset),
        nodes=tuple(nodes),
        location=ManifestLocation(daemonset_comparison.daemonset.origin, _get_field_path(placements[0], excluded=excluded)),
        message=describe_pod_gone(nodes, reasons),
        key=make_reason_key(reasons),
        effect=CoverageEffect(Outcome.LOST_NOW, reasons, is_past=True),
        notes=make_impact_note(daemonset_comparison, cluster_comparison.world_before),
        suggestion=None if excluded else _make_suggestion(taints),
    )


def _compute_placement(cluster_comparison: ClusterComparison, daemonset_comparison: DaemonSetComparison, name: str) -> Placement | None:
    node = cluster_comparison.world_now.nodes.get(name)
    spec = daemonset_comparison.daemonset.spec.template.spec
    return (
        evaluate_placement(spec, add_implicit_tolerations(spec), node, cluster_comparison.world_now.comparison_operators) if node else None
    )


def _get_field_path(placement: Placement | None, *, excluded: bool) -> tuple[str, ...]:
    if placement is None or placement.should_run is not False:
        return ()
    if not excluded:
        return (*POD_TEMPLATE_SPEC, "tolerations")
    return (*POD_TEMPLATE_SPEC, "nodeSelector" if placement.affinity.selector_mismatches else "affinity")


def _make_suggestion(taints: dict[Taint, None]) -> TolerationSuggestion | None:
    return suggest_exact_tolerations(taints) if taints else None


RULE = Rule(id="PF401", name="pod-gone", severity=Severity.ERROR, check=check)
