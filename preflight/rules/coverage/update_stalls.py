"""An update of a DaemonSet stops before it is complete.

Why it matters
    Without maxSurge an update stops when maxUnavailable nodes have no available pod. Nodes whose kubelet does not respond count, because
    their old pod hangs in Terminating. So do nodes whose pod is missing or does not become Ready. With maxSurge the new pod starts next to
    the old one. If both need the same port of the node, or the only device of the node, the new pod stays Pending. Some nodes then run the
    old template, some may have lost their pod, and nothing reports it. The finding says how many nodes are left; which ones is unknown. It
    is an error if the update stops for certain. It is a warning if this depends on new pods on nodes that are not Ready, or on the
    replacements of pods that are missing or not Ready. It is a note if a complete update leaves pods that hang in Terminating, if an update
    does not start because no node should run the DaemonSet and its limit is a percentage, and if a surge may stall because of
    minReadySeconds. In all other cases preflight assumes that new pods become Ready: it does not detect a bad image, or other pods or a
    ReadWriteOnce volume that leave a surge no capacity.
How to fix
    Fix or remove the nodes that do not respond or are not Ready first, or raise maxUnavailable. Use maxUnavailable instead of maxSurge for
    a DaemonSet that uses ports or devices of the node.
Example
    `preflight set image ds/node-exporter exporter=exporter:2` with `hostNetwork: true`, a containerPort, and maxSurge 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from preflight.coverage.model import CoverageGroup, Impact
from preflight.messages.rollout import (
    MAKE_PODS_FIT,
    MAY_STAND_STILL,
    NEW_PODS_STAY_PENDING,
    describe_conflict,
    describe_conflict_help,
    describe_hanging,
    describe_result,
    describe_used_budget,
    describe_used_budget_help,
    describe_zero_budget,
    explain_update_version,
    get_limit,
)
from preflight.model.apps import DaemonSet
from preflight.model.meta import ObjectKey
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.scheduling.update_strategy import uses_surge

if TYPE_CHECKING:
    from preflight.coverage.rollout.daemonset_rollout import Rollout
    from preflight.scheduling.rollout_simulation import UpdateForecast

_ROLLING_UPDATE_PATH = ("spec", "updateStrategy", "rollingUpdate")


def check(context: Context) -> Iterator[Hit]:
    """One hit at most for each DaemonSet that the change updates: one under way before stops without it too."""
    impact = context.impact
    assert impact is not None
    change = impact.change
    for key, rollout in sorted(impact.rollouts.items()):
        daemonset = change.after.daemonsets[key]
        is_own = key in change.updated_daemonsets or change.before.daemonsets.get(key) is not daemonset
        if daemonset.spec.updateStrategy.type == "OnDelete" or not is_own:
            continue
        taken = _find_conflicting_nodes(impact, key, rollout)
        if taken:
            yield _make_conflict_hit(daemonset, rollout, taken)
        elif rollout.is_exact and rollout.likely_course.waiting_nodes and not rollout.likely_course.budget:
            yield _make_zero_budget_hit(daemonset, rollout)
        elif rollout.worst_course.budget and any(course.may_stop for course in (rollout.worst_course, *rollout.other_courses)):
            yield _make_budget_hit(impact, daemonset, rollout)
        else:
            yield from _iter_mild_hits(daemonset, rollout)


def _make_state_notes(rollout: Rollout, course: UpdateForecast) -> tuple[tuple[str, str], ...]:
    from preflight.rules.coverage._rollout_hits import summarize_result  # no part of a run without an update

    return (("impact", describe_result(summarize_result(rollout, course))),) if rollout.is_exact else ()


def _find_conflicting_nodes(impact: Impact, key: ObjectKey, rollout: Rollout) -> tuple[str, ...]:
    """The nodes where a new pod cannot start beside the old one."""
    if rollout.is_exact:
        ends = rollout.iter_ends(rollout.likely_course)
        found = [name for cell, end in ends if end.waits and end.holds and cell.part.is_crowded for name in cell.nodes]
    elif rollout.surge_conflicts.ports:
        groups: list[CoverageGroup] = [
            group for group in impact.groups if group.key == key and group.placement_after and group.placement_after.should_run
        ]
        found = [name for group in groups if group.forecast.had_pod for name in group.nodes]
    else:
        found = []
    return tuple(sorted(found))


def _make_conflict_hit(daemonset: DaemonSet, rollout: Rollout, nodes: tuple[str, ...]) -> Hit:
    ports = rollout.surge_conflicts.ports
    lacking = sorted(
        {resource for resources, short in rollout.surge_conflicts.resources.items() if short.intersection(nodes) for resource in resources}
    )
    surge = daemonset.spec.updateStrategy.rollingUpdate.maxSurge
    return Hit(
        subject=make_subject_of(daemonset),
        nodes=nodes,
        location=ManifestLocation(daemonset.origin, (*_ROLLING_UPDATE_PATH, "maxSurge")),
        message=describe_conflict(nodes, surge, ports, lacking),
        label=NEW_PODS_STAY_PENDING,
        key=("surge-conflict", *(f"port:{port}" for port in ports), *((f"resource:{name}" for name in lacking) if not ports else ())),
        notes=(
            *_make_state_notes(rollout, rollout.likely_course),
            ("help", describe_conflict_help(ports)),
        ),
    )


def _make_budget_hit(impact: Impact, daemonset: DaemonSet, rollout: Rollout) -> Hit:
    """The budget is used up by nodes that end without an available pod."""
    from preflight.rules.coverage._rollout_hits import explain_blocking_nodes

    certain = rollout.is_exact and rollout.likely_course.may_stop and all(course.may_stop for course in rollout.other_courses)
    course = rollout.likely_course if certain else rollout.worst_course
    if not course.may_stop:
        course = next(course for course in rollout.other_courses if course.may_stop)
    nodes = tuple(sorted(rollout.find_blocking_nodes(course)))
    needed = course.blocked_nodes + course.failing_nodes + 1
    from preflight.scheduling.rollout_simulation import NewPodOutcome  # no part of a run without an update

    is_unfit = any(end.holds and cell.part.new_pod is NewPodOutcome.PENDING for cell, end in rollout.iter_ends(course))
    pods = impact.shared_analysis.health.get_unready_pods(daemonset.key)
    return Hit(
        subject=make_subject_of(daemonset),
        nodes=nodes,
        location=ManifestLocation(daemonset.origin, (*_ROLLING_UPDATE_PATH, get_limit(has_surge=course.is_surge))),
        key=("used-budget",),
        severity=None if certain else Severity.WARNING,
        message=describe_used_budget(
            nodes, course.budget, is_certain=certain, is_at_start=course.reached_range[1] == 0, has_surge=course.is_surge
        ),
        notes=(
            *_make_state_notes(rollout, course),
            *(("note", text) for text in explain_blocking_nodes(rollout, course, pods)),
            *((("note", explain_update_version(has_surge=course.is_surge)),) if rollout.other_courses else ()),
            ("help", MAKE_PODS_FIT if is_unfit else describe_used_budget_help(needed, has_surge=course.is_surge)),
        ),
    )


def _make_zero_budget_hit(daemonset: DaemonSet, rollout: Rollout) -> Hit:
    rolling = daemonset.spec.updateStrategy.rollingUpdate
    has_surge = uses_surge(daemonset.spec)
    limit = rolling.maxSurge if has_surge else rolling.maxUnavailable
    return Hit(
        subject=make_subject_of(daemonset),
        location=ManifestLocation(daemonset.origin, (*_ROLLING_UPDATE_PATH, get_limit(has_surge=has_surge))),
        severity=Severity.NOTE,
        key=("zero-budget",),
        message=describe_zero_budget(limit, has_surge=has_surge),
        notes=_make_state_notes(rollout, rollout.likely_course),
    )


def _iter_mild_hits(daemonset: DaemonSet, rollout: Rollout) -> Iterator[Hit]:
    """What an update that goes through leaves behind."""
    hanging = sorted(
        name for cell, end in rollout.iter_ends(rollout.likely_course) if end.reached.hangs and end.most for name in cell.nodes
    )
    if hanging:
        yield Hit(
            subject=make_subject_of(daemonset),
            nodes=tuple(hanging),
            location=ManifestLocation(daemonset.origin, ("spec", "updateStrategy")),
            severity=Severity.NOTE,
            key=("hanging-pods",),
            message=describe_hanging(hanging),
            notes=_make_state_notes(rollout, rollout.likely_course),
        )
    elif uses_surge(daemonset.spec) and daemonset.spec.minReadySeconds > 0 and rollout.likely_course.waiting_nodes:
        yield Hit(
            subject=make_subject_of(daemonset),
            location=ManifestLocation(daemonset.origin, ("spec", "minReadySeconds")),
            severity=Severity.NOTE,
            key=("min-ready-seconds",),
            message=MAY_STAND_STILL,
        )


RULE = Rule(id="PF105", name="update-stalls", severity=Severity.ERROR, needs_nodes=True, check=check)
