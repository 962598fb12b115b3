"""The pod of a DaemonSet is on its node and does not start: it waits for an image, a mount or its kubelet, or is not Ready.

Why it matters
    The pod exists, so it counts as current, but what it provides does not work on the node.
How to fix
    For an image: check its name, the registry, the pull secret. An image that is not made for the operating system or the architecture of
    the node needs a nodeSelector, or images for both. For ContainerCreating: `kubectl describe pod` shows the mount or the
    network that fails. If the kubelet has not started it at all, check the kubelet of the node.
Example
    A driver DaemonSet with a tag that was never pushed: ImagePullBackOff on the nodes that the update has reached.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.coverage_gaps import CoverageGap, GapKind
from preflight.doctor.diagnose import Diagnosis
from preflight.doctor.pod_health import WrongPlatform
from preflight.messages.doctor.gaps import describe_event, describe_platform_fix, describe_pod_not_starting, describe_update
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_diagnosis, iter_gaps, make_gap_hit, make_list_command, make_pod_command


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason: an error where workloads break without it, else a warning."""
    diagnosis = get_diagnosis(context)
    for gap, key in iter_gaps(context, GapKind.WAITING, GapKind.NOT_READY):
        yield make_gap_hit(
            gap,
            key,
            Severity.WARNING,
            describe_pod_not_starting(gap, diagnosis.index.latest_time),
            *_iter_fixes(gap),
            *(("note", text) for text in _iter_notes(diagnosis, gap)),
            commands=(make_pod_command(gap), make_list_command(gap)),
        )


def _iter_fixes(gap: CoverageGap) -> Iterator[tuple[str, str]]:
    """Where the pods could be kept off nodes that their image is not for."""
    reason = gap.reason
    if isinstance(reason, WrongPlatform) and reason.label and not reason.is_selected and len(reason.working_values) == 1:
        yield "help", describe_platform_fix(reason)


def _iter_notes(diagnosis: Diagnosis, gap: CoverageGap) -> Iterator[str]:
    """The latest event about the first pod that has one, and an update that is under way."""
    namespace = gap.daemonset.metadata.namespace
    events = (event for name in gap.pod_names for event in diagnosis.index.events.get_events("Pod", namespace, name))
    event, update = next(events, None), diagnosis.find_ongoing_update(gap.daemonset)
    if event is not None:
        yield describe_event(event)
    if update is not None:
        yield describe_update(update)


RULE = Rule(id="PF414", name="pod-not-starting", severity=Severity.ERROR, check=check)
