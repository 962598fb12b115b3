"""What the rules on a diagnosis share: the diagnosis, and the notes on the impact and on the command that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from preflight.doctor.coverage_gaps import CoverageGap, CoverageReason, GapKind, GapReason
from preflight.doctor.devices import FaultyResource
from preflight.doctor.diagnose import Diagnosis
from preflight.doctor.pod_health import (
    CrashLoop,
    FailedContainer,
    NotStarted,
    RunningInitContainer,
    StartingPod,
    StatedReason,
    WaitingContainer,
    WrongPlatform,
)
from preflight.messages.doctor.resources import describe_faulty_resource, describe_waiting_requests
from preflight.messages.kubectl_hints import make_describe_command, make_get_command, make_node_pods_command
from preflight.model.reasons import SelectsNoNode
from preflight.model.report import CoverageEffect, Outcome, Severity, Subject, TolerationSuggestion
from preflight.rules.api import Context, FieldPath, Hit, ManifestLocation, make_subject_of
from preflight.rules.doctor._keys import HitKey, KeyCandidate, distinguish_keys
from preflight.rules.reason_keys import make_reason_key

HitNotes = tuple[tuple[str, str], ...]


def get_diagnosis(context: Context) -> Diagnosis:
    """The diagnosis: rules of this folder are asked only where there is one."""
    assert context.diagnosis is not None
    return context.diagnosis


def iter_gaps(context: Context, *kinds: GapKind) -> Iterator[tuple[CoverageGap, HitKey]]:
    """The gaps of some kinds, in order, each with the key of its finding."""
    gaps = [gap for gap in get_diagnosis(context).gaps if gap.kind in kinds]
    names = ((gap.nodes or gap.pod_names or ("",))[0] for gap in gaps)
    candidates = [KeyCandidate(gap.daemonset.key, _make_gap_key(gap), name) for gap, name in zip(gaps, names, strict=True)]
    return zip(gaps, distinguish_keys(candidates), strict=True)


def _make_gap_key(gap: CoverageGap) -> HitKey:
    return (gap.kind.value, *_make_reason_key(gap.reason))


def _make_reason_key(reason: GapReason | None) -> HitKey:
    match reason:
        case CoverageReason(reasons):
            return make_reason_key(reasons)
        case CrashLoop(container, _, last_reason, exit_code):
            return ("crash-loop", container, last_reason, "" if exit_code is None else str(exit_code))
        case FailedContainer(container, code, _):
            return ("failed-container", container, str(code))
        case WaitingContainer(container, state, _):
            return ("waiting-container", container, state)
        case WrongPlatform(container, _, platform):
            return ("wrong-platform", container, platform)
        case RunningInitContainer(container):
            return ("running-init-container", container)
        case StartingPod(state):
            return ("starting-pod", state)
        case NotStarted():
            return ("not-started",)
        case SelectsNoNode(_, labels):
            return ("selects-no-node", *labels)
        case StatedReason() | None:
            return ()


def make_check_notes(*commands: str) -> HitNotes:
    """The notes with commands; one that could not be written safely is left out."""
    return tuple(("check", command) for command in commands if command)


def make_gap_hit(
    gap: CoverageGap,
    key: HitKey,
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
        key=key,
        nodes=gap.nodes,
        location=ManifestLocation(gap.daemonset.origin, path),
        severity=None if gap.is_critical and not gap.is_doubtful else lower_severity,
        message=message,
        label=label,
        notes=(*((("impact", gap.component.symptom),) if gap.component else ()), *notes, *make_check_notes(*commands)),
        suggestion=fix,
        effect=CoverageEffect(Outcome.NEVER, gap.reason.reasons) if isinstance(gap.reason, CoverageReason) else None,
    )


def make_daemonset_command(gap: CoverageGap) -> str:
    """The command that shows a DaemonSet."""
    return make_describe_command("ds", gap.daemonset.metadata.name, gap.daemonset.metadata.namespace)


def make_pod_command(gap: CoverageGap) -> str:
    """The command that shows the first pod of a gap; "" where it has none."""
    return make_describe_command("pod", gap.pod_names[0], gap.daemonset.metadata.namespace) if gap.pod_names else ""


def make_list_command(gap: CoverageGap) -> str:
    """The command that lists the pods of a DaemonSet with their nodes."""
    return make_get_command("pods", namespace=gap.daemonset.metadata.namespace, output="wide")


def make_waiting_note(context: Context, resource: str) -> HitNotes:
    """The note that says which pods wait for a resource; nothing where none does."""
    keys = get_diagnosis(context).index.requested_resources.get(resource, ())
    return (("impact", describe_waiting_requests(keys)),) if keys else ()


def locate_node_field(context: Context, name: str, path: FieldPath = ()) -> ManifestLocation:
    """A field of a node."""
    return ManifestLocation(get_diagnosis(context).index.cluster.nodes[name].origin, path)


def iter_faulty_resources(context: Context) -> Iterator[tuple[FaultyResource, HitKey]]:
    """The faulty resources, in order, each with the key of its finding."""
    found = get_diagnosis(context).faulty_resources
    candidates = [KeyCandidate(faulty.resource, _make_fault_key(faulty), faulty.nodes[0]) for faulty in found]
    return zip(found, distinguish_keys(candidates), strict=True)


def _make_fault_key(faulty: FaultyResource) -> HitKey:
    return (faulty.fault.value, faulty.reason.cause.value, *(str(daemonset.key) for daemonset in faulty.reason.daemonsets))


def make_device_hit(
    context: Context,
    faulty: FaultyResource,
    key: HitKey,
    *notes: tuple[str, str],
    path: FieldPath = (),
    severity: Severity | None = None,
) -> Hit:
    """What a rule says of an extended resource on some nodes; `path` leads on from `status.allocatable` of the first."""
    first = faulty.nodes[0]
    namespace = faulty.providers[0].metadata.namespace if faulty.providers else ""
    return Hit(
        subject=Subject("Resource", "", faulty.resource),
        key=key,
        nodes=faulty.nodes,
        location=locate_node_field(context, first, ("status", "allocatable", *path)),
        severity=severity,
        message=describe_faulty_resource(faulty),
        notes=(*notes, *make_check_notes(make_describe_command("node", first), make_node_pods_command(first, namespace))),
    )
