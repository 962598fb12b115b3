"""What the rules about consequences share: when, where and who in words, and the line that a finding about coverage adds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from preflight.dependents.consequences import Consequence
from preflight.messages.lists import listed, names
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, Place, subject_of
from preflight.rules.merged_groups import Merged

if TYPE_CHECKING:
    from preflight.dependents.workloads import Dependent

_FEW = 4


def of_kinds(context: Context, *kinds: str) -> Iterator[Consequence]:
    """The consequences of losing components of these kinds on which somebody depends, in order."""
    every = (each for each in context.consequences() if each.component.kind.id in kinds)
    return (each for each in every if each.dependents and not each.is_old_and_passes)


def few(items: Iterable[str], more: str) -> str:
    """`a, b and c`: all up to four, else the first three and how many more."""
    every = list(items)
    return listed(every) if len(every) <= _FEW else f"{', '.join(every[: _FEW - 1])} and {len(every) - _FEW + 1} more {more}"


def who(dependents: Sequence[Dependent]) -> str:
    """The workloads by kind and name: `Job research/train and Deployment web/shop`."""
    return few((f"{each.subject.kind} {each.subject}" for each in dependents), "workloads")


def when(consequence: Consequence) -> str:
    """When it breaks, to end a sentence with."""
    if consequence.outcome in (Outcome.LOST_ON_RECREATION, Outcome.ALREADY_FRAGILE):
        return "when its pods are re-created"
    return f"after {consequence.seconds} s" if consequence.seconds else "now"


def where(consequence: Consequence) -> str:
    """The nodes on which it breaks."""
    return names(consequence.nodes)


def hit(
    consequence: Consequence, message: str, *, milder: Severity, is_broken: bool = True, notes: tuple[tuple[str, str], ...] = ()
) -> Hit:
    """What a rule says of a consequence.

    1. An error where the change breaks it; `milder` where it was so before, where the cluster mends it by itself, and where not
       `is_broken`.
    2. It stands at the field of the DaemonSet that shows what this provides; up to four dependents stand beside it, with what they need.
    """
    evidence = consequence.component.evidence
    return Hit(
        subject=subject_of(consequence.daemonset),
        nodes=consequence.nodes,
        place=Place(consequence.daemonset.origin, evidence[0].path if evidence else ()),
        severity=None if consequence.is_lost and is_broken else milder,
        message=message,
        notes=notes,
        related=tuple(
            (f"{each.subject.kind} {each.subject} needs {few(each.needs, 'of these')}", Place(each.origin, each.path))
            for each in consequence.dependents[:_FEW]
            if each.path
        ),
    )


def then(context: Context, each: Merged) -> tuple[tuple[str, str], ...]:
    """The line of a finding about coverage that says what breaks: of the worst component, and what else the DaemonSet is."""
    nodes = set(each.nodes)
    found: dict[str, Consequence] = {}
    for consequence in context.consequences():
        if consequence.key == each.first.key and consequence.outcome is each.first.outcome and nodes & set(consequence.nodes):
            found.setdefault(consequence.component.kind.id, consequence)
    if not found:
        return ()
    first, *others = found.values()
    hurt = nodes & set(first.nodes)
    on = f"on {names(sorted(hurt))}" if hurt < nodes else "on this node" if len(nodes) == 1 else "on these nodes"
    away = "missing" if first.outcome is Outcome.NEVER else "gone"
    also = f"; also {away}: {few((other.component.kind.title for other in others), 'things')}" if others else ""
    return (("then", _what(first, on) + also),)


def _what(consequence: Consequence, on: str) -> str:
    """What breaks, in one sentence."""
    kind, gone, number = consequence.component.kind, consequence.gone, len(consequence.dependents)
    one, is_there = len(gone) == 1, consequence.outcome is not Outcome.NEVER
    workloads = "1 workload" if number == 1 else f"{number} workloads"
    if kind.id == "device-plugin" and gone:
        asked = f"; {workloads} {'asks' if number == 1 else 'ask'} for {'it' if one else 'them'}" if number else ""
        leave = (
            ("leaves Allocatable" if one else "leave Allocatable") if is_there else ("is not Allocatable" if one else "are not Allocatable")
        )
        return f"{few(gone, 'resources')} {leave} {on}{asked}"
    if kind.id == "device-plugin":
        return f"its extended resources {'leave' if is_there else 'are not'} Allocatable {on}; which ones is not known"
    if kind.id == "csi-node-driver":
        used = f"; {workloads} {'uses' if number == 1 else 'use'} {'it' if one else 'them'}" if number else ""
        return f"mounts {'and unmounts ' if is_there else ''}of {few(gone, 'drivers') or 'its volumes'} hang {on}{used}"
    if kind.id == "startup-taint-remover" and gone:
        return f"new nodes keep {few(gone, 'taints')} and never become usable"
    return kind.symptom
