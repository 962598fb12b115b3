"""A DaemonSet had a pod on a node before, and has none there now.

Why it matters
    This is what a change costs in silence: DESIRED falls together with READY, no pod is Pending, and `kubectl rollout status` says success.
    What the DaemonSet provided on the node is missing from now on. What was missing before already is not said.
How to fix
    Where a taint keeps it away, tolerate exactly that taint, or take the taint back. Where a label is gone, set it again. Where it should
    run and has no pod, `kubectl describe daemonset` shows creations that are refused, and a Pending pod's own events say what it waits for.
Example
    `preflight verify world.json.gz` after the update of a device plugin that does not tolerate the taint of its nodes.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.change.node_lifecycle import is_owned
from preflight.comparison.pods import PodsSince, Since
from preflight.messages.lists import names
from preflight.model.objects import POD_TEMPLATE_SPEC, Taint
from preflight.model.report import Severity, Suggestion
from preflight.rules.api import Context, Hit, Place, Rule, subject_of
from preflight.rules.merged_groups import exact_tolerations
from preflight.rules.verify._text import then
from preflight.scheduling.placement import Placement, place
from preflight.scheduling.tolerations import daemon_tolerations


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason; a warning for new nodes on which it should run."""
    since = context.since
    assert since is not None
    for each in since.daemonsets:
        if each.now is None:
            continue
        by_reason: dict[tuple[str, ...], list[str]] = {}
        for name, reasons in each.lost.items():
            by_reason.setdefault(reasons, []).append(name)
        for reasons, nodes in by_reason.items():
            yield _lost(since, each, reasons, nodes)
        if each.absent:
            yield Hit(
                subject=subject_of(each.now),
                nodes=tuple(sorted(each.absent)),
                place=Place(each.now.origin),
                severity=Severity.WARNING,
                message=f"has no pod on {names(sorted(each.absent))}, new since then, where it should run",
                notes=then(each, since.now),
            )


def _lost(since: Since, each: PodsSince, reasons: tuple[str, ...], nodes: list[str]) -> Hit:
    placements = [_placement(since, each, name) for name in nodes]
    taints = {taint: None for placement in placements if placement for taint in placement.untolerated if not is_owned(taint)}
    excluded = any(placement and placement.selected is False for placement in placements)
    why = f": {', '.join(reasons)}" if reasons else ""
    return Hit(
        subject=subject_of(each.daemonset),
        nodes=tuple(nodes),
        place=Place(each.daemonset.origin, _path(placements[0], excluded=excluded)),
        message=f"has no pod on {names(nodes)} any more{why}",
        notes=then(each, since.before),
        suggestion=None if excluded else _suggestion(taints),
    )


def _placement(since: Since, each: PodsSince, name: str) -> Placement | None:
    node = since.now.nodes.get(name)
    spec = each.daemonset.spec.template.spec
    return place(spec, daemon_tolerations(spec), node, since.now.comparison_operators) if node else None


def _path(placement: Placement | None, *, excluded: bool) -> tuple[str, ...]:
    if placement is None or placement.should_run is not False:
        return ()
    if not excluded:
        return (*POD_TEMPLATE_SPEC, "tolerations")
    return (*POD_TEMPLATE_SPEC, "nodeSelector" if placement.affinity.selector else "affinity")


def _suggestion(taints: dict[Taint, None]) -> Suggestion | None:
    return exact_tolerations(taints) if taints else None


RULE = Rule(id="PF401", name="pod-gone", severity=Severity.ERROR, check=check)
