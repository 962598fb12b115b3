"""What the rules on pods without a node share: the pods that wait for the same, and how a finding on them is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from preflight.doctor.owners import find_origin
from preflight.doctor.pending.causes import PodWait, WaitCause, WaitGroup
from preflight.doctor.pending.schedulers import get_scheduler
from preflight.messages.doctor.pending import describe_other_owners
from preflight.messages.kubectl_hints import make_describe_command, make_get_command
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation
from preflight.rules.doctor._gap_hits import HitNotes, get_diagnosis, make_check_notes
from preflight.rules.doctor._keys import HitKey, KeyCandidate, distinguish_keys


def iter_wait_groups(context: Context, *causes: WaitCause) -> Iterator[tuple[WaitGroup, HitKey]]:
    """The pods that wait for some causes, alike ones together, each group with the key of its finding."""
    groups = get_diagnosis(context).group_waits(*causes)
    candidates = [
        KeyCandidate(group.first_wait.owner, _make_wait_key(group.first_wait), min("/".join(pod.key) for pod in group.pods))
        for group in groups
    ]
    return zip(groups, distinguish_keys(candidates), strict=True)


def _make_wait_key(wait: PodWait) -> HitKey:
    match wait.cause:
        case WaitCause.ON_HOLD:
            assert wait.hold is not None
            return (wait.cause.value, wait.hold.component, wait.hold.reason.value if wait.hold.reason is not None else "")
        case WaitCause.GATED:
            return (wait.cause.value, *wait.gates)
        case WaitCause.KNOWN_BUG:
            assert wait.bug_match is not None
            return (wait.cause.value, wait.bug_match.bug.id)
        case _:
            return (wait.cause.value, get_scheduler(wait.pod))


def make_wait_hit(
    context: Context,
    group: WaitGroup,
    key: HitKey,
    lower_severity: Severity,
    message: str,
    *notes: tuple[str, str],
    commands: Iterable[str] = (),
) -> Hit:
    """What a rule says of pods that wait: as severe as the rule for a DaemonSet without which workloads break, else `lower_severity`."""
    diagnosis, subject = get_diagnosis(context), group.first_wait.owner
    daemonset = diagnosis.providers.find_daemonset(subject) if subject.kind == "DaemonSet" else None
    component = diagnosis.providers.get_worst_component(daemonset) if daemonset is not None else None
    pod = group.first_wait.pod.metadata
    return Hit(
        subject=subject,
        key=key,
        nodes=group.nodes,
        location=ManifestLocation(daemonset.origin if daemonset is not None else find_origin(diagnosis.index.cluster, subject)),
        severity=None if component is not None and component.kind.critical else lower_severity,
        message=message,
        notes=(
            *((("impact", component.symptom),) if component is not None else ()),
            *notes,
            *_make_other_owners_note(group),
            *make_check_notes(make_describe_command("pod", pod.name, pod.namespace), *commands),
        ),
    )


def _make_other_owners_note(group: WaitGroup) -> HitNotes:
    return (("note", describe_other_owners(group)),) if len(group.owners) > 1 else ()


def make_wait_list_command(group: WaitGroup) -> str:
    """The command that lists the pods of the namespace of the first."""
    return make_get_command("pods", namespace=group.first_wait.pod.metadata.namespace, output="wide")
