"""DaemonSets wait for one another on a new node, so none of them ever starts there.

Why it matters
    A new node registers with startup taints and without the labels that DaemonSets set. If one DaemonSet removes a taint that another one
    does not tolerate, and that other one removes a taint or sets a label that the first one needs, the node never gets either. Nothing
    shows this until a node is added, replaced or autoscaled.
How to fix
    Break the cycle in one place: let one of the DaemonSets tolerate the taint that the other one removes, or select on a label that the
    node has from the start. A pod network and a Service proxy must tolerate `node.kubernetes.io/not-ready` with NoSchedule.
Example
    A Service proxy that does not tolerate not-ready, and a pod network that reaches the API server through a Service address.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.coverage.component_cache import ComponentCache
from preflight.dependents.bootstrap_deadlocks import BootstrapWait, find_deadlocks
from preflight.messages.coverage import describe_deadlock, describe_wait
from preflight.model.apps import DaemonSet
from preflight.model.core import POD_TEMPLATE_SPEC
from preflight.model.reasons import BootstrapWaitCause
from preflight.model.report import Severity
from preflight.rules.api import Context, FixKind, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.component_cache import get_component_cache
from preflight.rules.merged_groups import suggest_exact_tolerations


def check(context: Context) -> Iterator[Hit]:
    """One hit for each circle; under a change only for those that the change closes."""
    world = context.world if context.impact is None else context.impact.change.after
    before: set[frozenset[object]] = set()
    if not context.is_lint:
        if context.world.daemonsets is world.daemonsets:
            return
        before = {frozenset(wait.waiting_key for wait in circle) for circle in find_deadlocks(context.world, ComponentCache(context.world))}
    for circle in map(_start_at_taint, find_deadlocks(world, get_component_cache(context))):
        if frozenset(wait.waiting_key for wait in circle) not in before:
            first = world.daemonsets[circle[0].waiting_key]
            taint = circle[0].taint
            yield Hit(
                subject=make_subject_of(first),
                location=_locate_wait(first, circle[0]),
                message=describe_deadlock([_describe_wait(wait, is_subject=wait is circle[0]) for wait in circle]),
                related_locations=tuple(
                    (_describe_wait(wait), _locate_wait(world.daemonsets[wait.waiting_key], wait)) for wait in circle[1:]
                ),
                suggestion=None if taint is None else suggest_exact_tolerations([taint]),
                key=tuple(f"{wait.cause.value}:{wait.taint or wait.label}:{wait.awaited_key}" for wait in circle),
            )


def _start_at_taint(cycle: tuple[BootstrapWait, ...]) -> tuple[BootstrapWait, ...]:
    """The circle told from a wait that a toleration ends, where there is one."""
    start = next((number for number, wait in enumerate(cycle) if wait.taint is not None), 0)
    return cycle[start:] + cycle[:start]


def _describe_wait(wait: BootstrapWait, *, is_subject: bool = False) -> str:
    name = wait.label if wait.taint is None else str(wait.taint)
    return describe_wait(wait.waiting_key, wait.awaited_key, wait.cause, name, is_subject=is_subject)


def _locate_wait(daemonset: DaemonSet, wait: BootstrapWait) -> ManifestLocation:
    fields = {
        BootstrapWaitCause.LABEL: ("nodeSelector",) if wait.label in daemonset.spec.template.spec.nodeSelector else ("affinity",),
        BootstrapWaitCause.TAINT: ("tolerations",),
        BootstrapWaitCause.CONTROLLED_TAINT: ("tolerations",),
    }
    return ManifestLocation(daemonset.origin, (*POD_TEMPLATE_SPEC, *fields.get(wait.cause, ())))


RULE = Rule(id="PF119", name="bootstrap-deadlock", severity=Severity.WARNING, check=check, fix=FixKind.ADDITION, is_consequence=True)
