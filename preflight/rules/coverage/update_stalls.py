"""An update of a DaemonSet stops before it is through.

Why it matters
    Without maxSurge an update stops as soon as maxUnavailable nodes have no available pod. Nodes whose kubelet is silent use that up, for
    their old pod hangs in Terminating; so do pods that are missing or do not become Ready. With maxSurge the new pod starts beside the old
    one, and where both want the same port of the node, or a device of which it has one, the new one stays Pending for ever. Part of the
    nodes then runs the old template, some may have lost their pod, and nobody is told. Which nodes are left is chance, how many is not. It
    is an error where the update stops for certain; a warning where that depends on new pods, on nodes that are not Ready or in place of
    pods that are not or are missing. A note says what an update that goes through leaves hanging, that it does not begin where no node
    should run it and its limit is a percentage, and that with minReadySeconds a surge may stand still. Everywhere else new pods are taken
    to become Ready: a bad image is not seen, nor other pods or a ReadWriteOnce volume that leave a surge no room.
How to fix
    Mend or remove the nodes that are silent or not Ready first, or raise maxUnavailable. Use maxUnavailable instead of maxSurge for a
    DaemonSet that takes ports or devices of the node.
Example
    `preflight set image ds/node-exporter exporter=exporter:2` with `hostNetwork: true`, a containerPort, and maxSurge 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from preflight.coverage.model import Group, Impact
from preflight.messages.lists import listed, names
from preflight.model.objects import DaemonSet, ObjectKey
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Place, Rule, subject_of
from preflight.scheduling.rollout import surges

if TYPE_CHECKING:
    from preflight.coverage.rollout.simulation import Rollout
    from preflight.scheduling.rollout_simulation import Course

_ROLLING = ("spec", "updateStrategy", "rollingUpdate")


def check(context: Context) -> Iterator[Hit]:
    """One hit at most for each DaemonSet that the change updates: one under way before stops without it too."""
    impact = context.impact
    assert impact is not None
    change = impact.change
    for key, rollout in sorted(impact.rollouts.items()):
        daemonset = change.after.daemonsets[key]
        is_own = key in change.updated or change.before.daemonsets.get(key) is not daemonset
        if daemonset.spec.updateStrategy.type == "OnDelete" or not is_own:
            continue
        taken = _taken(impact, key, rollout)
        if taken:
            yield _side_by_side(daemonset, rollout, taken)
        elif rollout.exact and rollout.likely.waiting and not rollout.likely.budget:
            yield _of_nothing(daemonset, rollout)
        elif rollout.worst.budget and rollout.worst.stops:
            yield _used_up(impact, daemonset, rollout)
        else:
            yield from _mild(daemonset, rollout)


def _state(rollout: Rollout, course: Course) -> tuple[tuple[str, str], ...]:
    from preflight.rules.coverage._rollout_hits import state  # no part of a run without an update

    return (("then", state(rollout, course)),) if rollout.exact else ()


def _taken(impact: Impact, key: ObjectKey, rollout: Rollout) -> tuple[str, ...]:
    """The nodes where a new pod cannot start beside the old one."""
    if rollout.exact:
        ends = rollout.ends(rollout.likely)
        found = [name for cell, end in ends if end.waits and end.holds and cell.part.crowded for name in cell.nodes]
    elif rollout.in_the_way.ports:
        groups: list[Group] = [group for group in impact.groups if group.key == key and group.after and group.after.should_run]
        found = [name for group in groups if group.verdict.before for name in group.nodes]
    else:
        found = []
    return tuple(sorted(found))


def _side_by_side(daemonset: DaemonSet, rollout: Rollout, nodes: tuple[str, ...]) -> Hit:
    ports = rollout.in_the_way.ports
    lacking = sorted({each for resources, short in rollout.in_the_way.resources.items() if short.intersection(nodes) for each in resources})
    if ports:
        why, what = f", which holds port{'s' * (len(ports) > 1)} {listed(ports)} of the node", "takes ports of the node"
    else:
        why, what = f", and there is too little {listed(lacking)} for both", "takes most of what its nodes have"
    surge = daemonset.spec.updateStrategy.rollingUpdate.maxSurge
    return Hit(
        subject=subject_of(daemonset),
        nodes=nodes,
        place=Place(daemonset.origin, (*_ROLLING, "maxSurge")),
        message=f"cannot finish its update on {names(nodes)}: maxSurge {surge} starts each new pod beside the old one{why}",
        label="the new pods stay Pending",
        notes=(*_state(rollout, rollout.likely), ("help", f"set maxSurge to 0 and maxUnavailable to 1 for a DaemonSet that {what}")),
    )


def _used_up(impact: Impact, daemonset: DaemonSet, rollout: Rollout) -> Hit:
    """The budget is used up by nodes that end without an available pod."""
    from preflight.rules.coverage._rollout_hits import causes

    certain = rollout.exact and rollout.likely.stops
    course = rollout.likely if certain else rollout.worst
    nodes = tuple(sorted(rollout.holders(course)))
    limit = "maxSurge" if course.surge else "maxUnavailable"
    lack = "no available new pod" if course.surge else "no available pod"
    where = "at the start" if course.reached[1] == 0 else "in the middle"
    needed = course.held + course.bad + 1
    pods = impact.known.health.unready(daemonset.key)
    who = f"{names(nodes)} {'has' if len(nodes) == 1 else 'have'}"
    return Hit(
        subject=subject_of(daemonset),
        nodes=nodes,
        place=Place(daemonset.origin, (*_ROLLING, limit)),
        severity=None if certain else Severity.WARNING,
        message=f"{'stops' if certain else 'may stop'} {where} of its update: {who} {lack}, and {limit} allows {course.budget}",
        notes=(
            *_state(rollout, course),
            *(("note", text) for text in causes(rollout, course, pods)),
            ("help", f"mend these nodes or pods first, or raise {limit} to {needed}"),
        ),
    )


def _of_nothing(daemonset: DaemonSet, rollout: Rollout) -> Hit:
    rolling = daemonset.spec.updateStrategy.rollingUpdate
    limit = "maxSurge" if surges(daemonset.spec) else "maxUnavailable"
    return Hit(
        subject=subject_of(daemonset),
        place=Place(daemonset.origin, (*_ROLLING, limit)),
        severity=Severity.NOTE,
        message=f"does not begin its update: no node should run it, and {limit} {getattr(rolling, limit)} of none is 0",
        notes=_state(rollout, rollout.likely),
    )


def _mild(daemonset: DaemonSet, rollout: Rollout) -> Iterator[Hit]:
    """What an update that goes through leaves behind."""
    hanging = sorted(name for cell, end in rollout.ends(rollout.likely) if end.reached.hangs and end.most for name in cell.nodes)
    if hanging:
        yield Hit(
            subject=subject_of(daemonset),
            nodes=tuple(hanging),
            place=Place(daemonset.origin, ("spec", "updateStrategy")),
            severity=Severity.NOTE,
            message=f"leaves a pod in Terminating on {names(hanging)}: no kubelet answers there",
            notes=_state(rollout, rollout.likely),
        )
    elif surges(daemonset.spec) and daemonset.spec.minReadySeconds > 0 and rollout.likely.waiting:
        yield Hit(
            subject=subject_of(daemonset),
            place=Place(daemonset.origin, ("spec", "minReadySeconds")),
            severity=Severity.NOTE,
            message="may stand still during its update until something happens to one of its pods: with maxSurge and minReadySeconds the "
            "controller can miss that a new pod has become available",
        )


RULE = Rule(id="PF105", name="update-stalls", severity=Severity.ERROR, needs_nodes=True, check=check)
