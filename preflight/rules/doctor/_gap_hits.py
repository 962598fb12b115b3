"""What the rules on the state of a cluster share: what they are given, and the lines that say what follows and which command shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from preflight.doctor.context import Diagnosis
from preflight.doctor.coverage_gaps import Gap, GapKind
from preflight.doctor.devices import Faulty
from preflight.doctor.kubectl_hints import describe, get, pods_on
from preflight.doctor.timestamps import since
from preflight.kubectl.formatting import listed
from preflight.model.report import Severity, Subject, Suggestion
from preflight.rules.api import Context, Hit, Path, Place, subject_of

Notes = tuple[tuple[str, str], ...]


def facts_of(context: Context) -> Diagnosis:
    """The facts: rules of this folder are asked only where there are some."""
    assert context.today is not None
    return context.today


def gaps(context: Context, *kinds: GapKind) -> Iterator[Gap]:
    """The gaps of some kinds, in order."""
    return (gap for gap in facts_of(context).gaps if gap.kind in kinds)


def shows(*commands: str) -> Notes:
    """The lines with commands; one that could not be written safely is left out."""
    return tuple(("see", command) for command in commands if command)


def begun(context: Context, gap: Gap) -> str:
    """` since 2026-01-31T12:00:00Z (3 days)`, "" where that is not known."""
    text = since(gap.since, facts_of(context).at)
    return f" {text}" if text else ""


def hit(
    gap: Gap,
    milder: Severity,
    message: str,
    *notes: tuple[str, str],
    path: Path = (),
    label: str = "",
    commands: Iterable[str] = (),
    fix: Suggestion | None = None,
) -> Hit:
    """What a rule says of a gap: as severe as the rule where workloads break without the component, else `milder`."""
    return Hit(
        subject=subject_of(gap.daemonset),
        nodes=gap.nodes,
        place=Place(gap.daemonset.origin, path),
        severity=None if gap.is_critical and not gap.doubtful else milder,
        message=message,
        label=label,
        notes=(*((("then", gap.component.kind.symptom),) if gap.component else ()), *notes, *shows(*commands)),
        suggestion=fix,
    )


def own(gap: Gap) -> tuple[str, str]:
    """The commands that show a DaemonSet, and one of its pods that is meant."""
    namespace = gap.daemonset.metadata.namespace
    return describe("ds", gap.daemonset.metadata.name, namespace), describe("pod", gap.pods[0], namespace) if gap.pods else ""


def listing(gap: Gap) -> str:
    """The command that lists the pods of a DaemonSet with their nodes."""
    return get("pods", namespace=gap.daemonset.metadata.namespace, output="wide")


def waiting(context: Context, resource: str) -> Notes:
    """The line that says which pods wait for a resource; nothing where none does."""
    keys = ["/".join(key) for key in facts_of(context).asked_for.get(resource, ())]
    return (
        (("then", f"{len(keys)} pod{'s' if len(keys) != 1 else ''} wait{'s' if len(keys) == 1 else ''} for it: {listed(keys)}"),)
        if keys
        else ()
    )


def node_place(context: Context, name: str, path: Path = ()) -> Place:
    """A field of a node."""
    return Place(facts_of(context).world.nodes[name].origin, path)


def device(context: Context, each: Faulty, message: str, *notes: tuple[str, str], path: Path = (), severity: Severity | None = None) -> Hit:
    """What a rule says of an extended resource on some nodes; `path` leads on from `status.allocatable` of the first."""
    first = each.nodes[0]
    namespace = each.providers[0].metadata.namespace if each.providers else ""
    return Hit(
        subject=Subject("Resource", "", each.resource),
        nodes=each.nodes,
        place=node_place(context, first, ("status", "allocatable", *path)),
        severity=severity,
        message=message,
        notes=(*notes, *shows(describe("node", first), pods_on(first, namespace))),
    )
