"""What breaks in consequence: each component that a DaemonSet takes with it from its nodes, and who depends on it there."""

from __future__ import annotations

from collections import defaultdict

from preflight.change.node_lifecycle import is_leaving_taint
from preflight.coverage.model import CoverageGroup, Impact
from preflight.dependents.model import Consequence, get_eviction_seconds, is_transient_group
from preflight.model.report import Outcome


def find_consequences(impact: Impact) -> tuple[Consequence, ...]:
    """What breaks in consequence of a change, or of what is there where nothing is changed; in order of the groups, worst component first.

    1. A DaemonSet takes each of its components from the nodes that it loses, now or on re-creation. A loop without a pause is a loss; one
       with a pause is none, for the pod is back within seconds and what it provides with it.
    2. A time bomb that was there before, and a DaemonSet that a taint keeps out: without a change, and where the change is what the
       coverage rules speak of (a drain, reboot or replacement; a DaemonSet that is newly kept out).
    3. A node where another DaemonSet provides the same, and stays, has no consequence.
    4. A device plugin that waits for the label of such a DaemonSet is kept out by it, where somebody can get its resources nowhere else.
    5. Where taints alone stand in the way which say that the node is about to be removed, nothing needs to come back.
    6. Who depends on it: templates that ask for its resources or mount its volumes, and for the network of pods, Service addresses and
       DNS all of those, on nodes that their pods may run on. Listed pods are not looked at.

    Source: semantics 9 and 12 (`docs/semantics.md`).
    """
    merged: defaultdict[tuple[object, ...], list[CoverageGroup]] = defaultdict(list)
    for group in impact.groups:
        if _has_consequences(impact, group):
            merged[group.key, group.outcome, get_eviction_seconds(group), is_transient_group(group)].append(group)
    known = [groups for groups in merged.values() if impact.component_cache.recognize(groups[0].daemonset)]
    if not known:
        return ()
    from preflight.dependents.lost_components import ConsequenceFinder  # no part of a run that loses nothing known

    losses = ConsequenceFinder(impact)
    found = [consequence for groups in known for consequence in losses.iter_consequences(groups)]
    return (*found, *losses.iter_label_consequences([group for groups in known for group in groups if group.outcome is Outcome.NEVER]))


def _has_consequences(impact: Impact, group: CoverageGroup) -> bool:
    change, outcome = impact.change, group.outcome
    if outcome is not Outcome.LOST_NOW and _is_leaving(group):
        return False
    is_new = not change.command or group.outcome_before is not outcome
    if outcome in (Outcome.LOST_NOW, Outcome.LOST_ON_RECREATION):
        return is_new
    if outcome is Outcome.LOOP:
        return is_new and group.forecast.loop_seconds == 0
    if outcome is Outcome.ALREADY_FRAGILE:
        return not change.command or (group.is_touched and bool(group.nodes & change.disrupted_nodes))
    return outcome is Outcome.NEVER and (not change.command or (group.is_touched and is_new))


def _is_leaving(group: CoverageGroup) -> bool:
    after = group.placement_after
    taints = after.untolerated_taints if after is not None and after.is_selected is not False else ()
    return bool(taints) and all(map(is_leaving_taint, taints))
