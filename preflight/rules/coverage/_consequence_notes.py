"""What the rules about consequences share: which ones, a hit from one, and the line that a finding about coverage adds."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from preflight.dependents.model import Consequence
from preflight.messages.consequences import MAX_LISTED, BrokenNodes, describe_doubtful_network, describe_impact, describe_need
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, make_subject_of
from preflight.rules.merged_groups import MergedGroups


def iter_consequences(context: Context, *kinds: str) -> Iterator[Consequence]:
    """The consequences of losing components of these kinds on which somebody depends, in order."""
    for consequence in context.get_consequences():
        if consequence.component.kind.id in kinds and consequence.dependents and not consequence.is_existing_and_transient:
            yield consequence


def make_broken_nodes(consequence: Consequence) -> BrokenNodes:
    """A consequence as its messages need it: of its nodes, those where a dependent workload can be."""
    return BrokenNodes(
        nodes=consequence.dependent_nodes,
        outcome=consequence.outcome,
        seconds=consequence.seconds,
        names=consequence.lost_names,
        workloads=tuple(dependent.subject for dependent in consequence.dependents),
    )


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
        nodes=consequence.dependent_nodes,
        location=ManifestLocation(consequence.daemonset.origin, evidence[0].path if evidence else ()),
        severity=None if consequence.is_lost and is_broken else lower_severity,
        message=message,
        notes=notes,
        key=_make_key(consequence),
        workloads=tuple(dependent.subject for dependent in consequence.dependents),
        related_locations=tuple(
            (describe_need(dependent.subject, dependent.needs), ManifestLocation(dependent.origin, dependent.path))
            for dependent in consequence.dependents[:MAX_LISTED]
            if dependent.path
        ),
    )


def _make_key(consequence: Consequence) -> tuple[str, ...]:
    """The component and what it provides by its own manifest, what becomes of its pods, and the labels that it waits for."""
    component = consequence.component
    return (
        component.kind.id,
        *(*component.resources, *component.drivers, *component.networks, *component.taints),
        consequence.outcome.value,
        *((f"after:{consequence.seconds}",) if consequence.seconds else ()),
        *(("transient",) if consequence.is_transient else ()),
        *((consequence.network_doubt.value,) if consequence.network_doubt else ()),
        *(f"label:{label}:{consequence.producer}" for label in consequence.labels),
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
    text = describe_impact(
        replace(make_broken_nodes(first), nodes=first.nodes),
        first.component.kind.id,
        first.component.symptom if first.network_doubt is None else describe_doubtful_network(first.other_networks),
        finding_nodes=merged_groups.nodes,
        others=[other.component.kind.title for other in others],
    )
    return (("impact", text),)
