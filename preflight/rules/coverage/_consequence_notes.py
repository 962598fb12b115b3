"""What the rules about consequences share: when, where and who in words, and the line that a finding about coverage adds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from preflight.dependents.consequences import Consequence
from preflight.messages.lists import join_and, join_node_names
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, ManifestLocation, make_subject_of
from preflight.rules.merged_groups import MergedGroups

if TYPE_CHECKING:
    from preflight.dependents.workloads import Dependent

_MAX_LISTED = 4


def iter_consequences(context: Context, *kinds: str) -> Iterator[Consequence]:
    """The consequences of losing components of these kinds on which somebody depends, in order."""
    every = (consequence for consequence in context.get_consequences() if consequence.component.kind.id in kinds)
    return (each for each in every if each.dependents and not each.is_existing_and_transient)


def join_limited(items: Iterable[str], noun: str) -> str:
    """`a, b and c`: all up to four, else the first three and how many more."""
    every = list(items)
    return (
        join_and(every)
        if len(every) <= _MAX_LISTED
        else f"{', '.join(every[: _MAX_LISTED - 1])} and {len(every) - _MAX_LISTED + 1} more {noun}"
    )


def join_dependents(dependents: Sequence[Dependent]) -> str:
    """The workloads by kind and name: `Job research/train and Deployment web/shop`."""
    return join_limited((f"{dependent.subject.kind} {dependent.subject}" for dependent in dependents), "workloads")


def describe_time(consequence: Consequence) -> str:
    """When it breaks, to end a sentence with."""
    if consequence.outcome in (Outcome.LOST_ON_RECREATION, Outcome.ALREADY_FRAGILE):
        return "when its pods are re-created"
    return f"after {consequence.seconds} s" if consequence.seconds else "now"


def join_affected_nodes(consequence: Consequence) -> str:
    """The nodes on which it breaks."""
    return join_node_names(consequence.nodes)


def make_consequence_hit(
    consequence: Consequence, message: str, *, lower_severity: Severity, is_broken: bool = True, notes: tuple[tuple[str, str], ...] = ()
) -> Hit:
    """What a rule says of a consequence.

    1. An error where the change breaks it; `lower_severity` where it was so before, where the cluster mends it by itself, and where not
       `is_broken`.
    2. It stands at the field of the DaemonSet that shows what this provides; up to four dependents stand beside it, with what they need.
    """
    evidence = consequence.component.evidence
    return Hit(
        subject=make_subject_of(consequence.daemonset),
        nodes=consequence.nodes,
        location=ManifestLocation(consequence.daemonset.origin, evidence[0].path if evidence else ()),
        severity=None if consequence.is_lost and is_broken else lower_severity,
        message=message,
        notes=notes,
        related_locations=tuple(
            (
                f"{dependent.subject.kind} {dependent.subject} needs {join_limited(dependent.needs, 'of these')}",
                ManifestLocation(dependent.origin, dependent.path),
            )
            for dependent in consequence.dependents[:_MAX_LISTED]
            if dependent.path
        ),
    )


def make_impact_note(context: Context, merged_groups: MergedGroups) -> tuple[tuple[str, str], ...]:
    """The line of a finding about coverage that says what breaks: of the worst component, and what else the DaemonSet is."""
    nodes = set(merged_groups.nodes)
    found: dict[str, Consequence] = {}
    for consequence in context.get_consequences():
        if (
            consequence.key == merged_groups.first_group.key
            and consequence.outcome is merged_groups.first_group.outcome
            and nodes & set(consequence.nodes)
        ):
            found.setdefault(consequence.component.kind.id, consequence)
    if not found:
        return ()
    first, *others = found.values()
    hurt = nodes & set(first.nodes)
    on = f"on {join_node_names(sorted(hurt))}" if hurt < nodes else "on this node" if len(nodes) == 1 else "on these nodes"
    away = "missing" if first.outcome is Outcome.NEVER else "gone"
    also = f"; also {away}: {join_limited((other.component.kind.title for other in others), 'things')}" if others else ""
    return (("then", _describe_effect(first, on) + also),)


def _describe_effect(consequence: Consequence, node_text: str) -> str:
    """What breaks, in one sentence."""
    kind, gone, number = consequence.component.kind, consequence.lost_names, len(consequence.dependents)
    one, is_there = len(gone) == 1, consequence.outcome is not Outcome.NEVER
    workloads = "1 workload" if number == 1 else f"{number} workloads"
    if kind.id == "device-plugin" and gone:
        asked = f"; {workloads} {'asks' if number == 1 else 'ask'} for {'it' if one else 'them'}" if number else ""
        leave = (
            ("leaves Allocatable" if one else "leave Allocatable") if is_there else ("is not Allocatable" if one else "are not Allocatable")
        )
        return f"{join_limited(gone, 'resources')} {leave} {node_text}{asked}"
    if kind.id == "device-plugin":
        return f"its extended resources {'leave' if is_there else 'are not'} Allocatable {node_text}; which ones is not known"
    if kind.id == "csi-node-driver":
        used = f"; {workloads} {'uses' if number == 1 else 'use'} {'it' if one else 'them'}" if number else ""
        return f"mounts {'and unmounts ' if is_there else ''}of {join_limited(gone, 'drivers') or 'its volumes'} hang {node_text}{used}"
    if kind.id == "startup-taint-remover" and gone:
        return f"new nodes keep {join_limited(gone, 'taints')} and never become usable"
    return kind.symptom
