"""What the rules on the state of a cluster share: what they are given, and the lines that say what follows and which command shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from preflight.doctor.context import ClusterFacts
from preflight.doctor.coverage_gaps import CoverageGap, GapKind
from preflight.doctor.devices import FaultyResource
from preflight.doctor.kubectl_hints import make_describe_command, make_get_command, make_node_pods_command
from preflight.doctor.timestamps import format_since
from preflight.kubectl.formatting import join_names
from preflight.model.report import Severity, Subject, TolerationSuggestion
from preflight.rules.api import Context, FieldPath, Hit, ManifestLocation, make_subject_of

HitNotes = tuple[tuple[str, str], ...]


def get_cluster_facts(context: Context) -> ClusterFacts:
    """The facts: rules of this folder are asked only where there are some."""
    assert context.cluster_facts is not None
    return context.cluster_facts


def iter_gaps(context: Context, *kinds: GapKind) -> Iterator[CoverageGap]:
    """The gaps of some kinds, in order."""
    return (gap for gap in get_cluster_facts(context).gaps if gap.kind in kinds)


def make_check_notes(*commands: str) -> HitNotes:
    """The lines with commands; one that could not be written safely is left out."""
    return tuple(("see", command) for command in commands if command)


def format_gap_start(context: Context, gap: CoverageGap) -> str:
    """` since 2026-01-31T12:00:00Z (3 days)`, "" where that is not known."""
    text = format_since(gap.since, get_cluster_facts(context).latest_time)
    return f" {text}" if text else ""


def make_gap_hit(
    gap: CoverageGap,
    lower_severity: Severity,
    message: str,
    *notes: tuple[str, str],
    path: FieldPath = (),
    label: str = "",
    commands: Iterable[str] = (),
    fix: TolerationSuggestion | None = None,
) -> Hit:
    """What a rule says of a gap: as severe as the rule where workloads break without the component, else `lower_severity`."""
    return Hit(
        subject=make_subject_of(gap.daemonset),
        nodes=gap.nodes,
        location=ManifestLocation(gap.daemonset.origin, path),
        severity=None if gap.is_critical and not gap.is_doubtful else lower_severity,
        message=message,
        label=label,
        notes=(*((("then", gap.component.kind.symptom),) if gap.component else ()), *notes, *make_check_notes(*commands)),
        suggestion=fix,
    )


def make_gap_commands(gap: CoverageGap) -> tuple[str, str]:
    """The commands that show a DaemonSet, and one of its pods that is meant."""
    namespace = gap.daemonset.metadata.namespace
    return make_describe_command("ds", gap.daemonset.metadata.name, namespace), make_describe_command(
        "pod", gap.pod_names[0], namespace
    ) if gap.pod_names else ""


def make_list_command(gap: CoverageGap) -> str:
    """The command that lists the pods of a DaemonSet with their nodes."""
    return make_get_command("pods", namespace=gap.daemonset.metadata.namespace, output="wide")


def make_waiting_note(context: Context, resource: str) -> HitNotes:
    """The line that says which pods wait for a resource; nothing where none does."""
    keys = ["/".join(key) for key in get_cluster_facts(context).requested_resources.get(resource, ())]
    return (
        (("then", f"{len(keys)} pod{'s' if len(keys) != 1 else ''} wait{'s' if len(keys) == 1 else ''} for it: {join_names(keys)}"),)
        if keys
        else ()
    )


def locate_node_field(context: Context, name: str, path: FieldPath = ()) -> ManifestLocation:
    """A field of a node."""
    return ManifestLocation(get_cluster_facts(context).world.nodes[name].origin, path)


def make_device_hit(
    context: Context,
    faulty_resource: FaultyResource,
    message: str,
    *notes: tuple[str, str],
    path: FieldPath = (),
    severity: Severity | None = None,
) -> Hit:
    """What a rule says of an extended resource on some nodes; `path` leads on from `status.allocatable` of the first."""
    first = faulty_resource.nodes[0]
    namespace = faulty_resource.providers[0].metadata.namespace if faulty_resource.providers else ""
    return Hit(
        subject=Subject("Resource", "", faulty_resource.resource),
        nodes=faulty_resource.nodes,
        location=locate_node_field(context, first, ("status", "allocatable", *path)),
        severity=severity,
        message=message,
        notes=(*notes, *make_check_notes(make_describe_command("node", first), make_node_pods_command(first, namespace))),
    )
