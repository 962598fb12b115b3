"""DaemonSets wait for one another on a new node, so that none of them ever starts there.

Why it matters
    A node that registers carries startup taints and lacks the labels that DaemonSets set. Where one DaemonSet clears a taint that
    another does not tolerate, and that one clears a taint or sets a label that the first cannot do without, the node never gets either.
    Nothing shows it until a node is added, replaced or autoscaled.
How to fix
    Break the circle at one place: let one of them tolerate the taint that the other clears, or select on a label that is there from the
    start. A pod network and a Service proxy have to tolerate `node.kubernetes.io/not-ready` with NoSchedule.
Example
    A Service proxy that does not tolerate not-ready, and a pod network that reaches the API server through a Service address.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.coverage.component_cache import Recognised
from preflight.dependents.bootstrap_deadlocks import Wait, deadlocks
from preflight.model.objects import POD_TEMPLATE_SPEC, DaemonSet, Taint
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Place, Rule, subject_of
from preflight.rules.component_cache import recognised
from preflight.rules.merged_groups import exact_tolerations


def check(context: Context) -> Iterator[Hit]:
    """One hit for each circle; under a change only for those that the change closes."""
    world = context.world if context.impact is None else context.impact.change.after
    before: set[frozenset[object]] = set()
    if not context.lint:
        if context.world.daemonsets is world.daemonsets:
            return
        before = {frozenset(wait.waits for wait in circle) for circle in deadlocks(context.world, Recognised(context.world))}
    for circle in map(_from_a_taint, deadlocks(world, recognised(context))):
        if frozenset(wait.waits for wait in circle) not in before:
            first = world.daemonsets[circle[0].waits]
            missing = [Taint(*_taint(wait)) for wait in circle[:1] if wait.what == "taint"]
            yield Hit(
                subject=subject_of(first),
                place=_place(first, circle[0]),
                message=f"never starts on a new node: {', and '.join(_words(wait, number) for number, wait in enumerate(circle))}",
                related=tuple((_words(wait, 1), _place(world.daemonsets[wait.waits], wait)) for wait in circle[1:]),
                suggestion=exact_tolerations(missing) if missing else None,
            )


def _from_a_taint(circle: tuple[Wait, ...]) -> tuple[Wait, ...]:
    """The circle told from a wait that a toleration ends, where there is one."""
    start = next((number for number, wait in enumerate(circle) if wait.what == "taint"), 0)
    return circle[start:] + circle[:start]


def _taint(wait: Wait) -> tuple[str, str, str]:
    key, _, effect = wait.name.rpartition(":")
    return key, "", effect


def _words(wait: Wait, number: int) -> str:
    who = "it" if number == 0 else str(wait.waits)
    awaited = "itself" if wait.awaited == wait.waits else str(wait.awaited)
    if wait.what == "label":
        return f"{who} selects on {wait.name}, which {awaited} sets"
    if wait.what == "taint":
        return f"{who} does not tolerate {wait.name}, which {awaited} clears"
    return f"{who} reaches the API server through a Service address, which {awaited} provides"


def _place(daemonset: DaemonSet, wait: Wait) -> Place:
    fields = {
        "label": ("nodeSelector",) if wait.name in daemonset.spec.template.spec.nodeSelector else ("affinity",),
        "taint": ("tolerations",),
    }
    return Place(daemonset.origin, (*POD_TEMPLATE_SPEC, *fields.get(wait.what, ())))


RULE = Rule(id="PF119", name="bootstrap-deadlock", severity=Severity.WARNING, check=check)
