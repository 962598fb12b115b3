"""What the rules on pods without a node share: how many of them, of which workloads, since when, and where that stands."""

from __future__ import annotations

from collections.abc import Iterable

from preflight.doctor.kubectl_hints import make_describe_command, make_get_command
from preflight.doctor.owners import find_origin
from preflight.doctor.pending.causes import WaitGroup
from preflight.doctor.timestamps import format_since
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation
from preflight.rules.doctor._gap_hits import HitNotes, get_cluster_facts, make_check_notes

_MAX_OWNERS = 6


def describe_waiting_count(group: WaitGroup) -> str:
    """`has 3 pods that wait`, of the workload that the finding is about; `waits` of a pod by itself."""
    subject, number = group.owners[0]
    if subject.kind == "Pod":
        return "waits"
    return "has a pod that waits" if number == 1 else f"has {number} pods that wait"


def format_wait_start(context: Context, group: WaitGroup) -> str:
    """` since 2026-01-31T12:00:00Z (3 days)`, "" where that is not known."""
    text = format_since(group.since, get_cluster_facts(context).latest_time)
    return f" {text}" if text else ""


def make_other_owners_note(group: WaitGroup) -> HitNotes:
    """The other workloads whose pods wait for the same."""
    others = group.owners[1:]
    if not others:
        return ()
    words = [f"{subject.kind} {subject}{f' ({number} pods)' if number > 1 else ''}" for subject, number in others[:_MAX_OWNERS]]
    more = f" and {len(others) - _MAX_OWNERS} more" if len(others) > _MAX_OWNERS else ""
    return (("note", f"for the same waits {', '.join(words)}{more}"),)


def make_wait_hit(
    context: Context, group: WaitGroup, lower_severity: Severity, message: str, *notes: tuple[str, str], commands: Iterable[str] = ()
) -> Hit:
    """What a rule says of pods that wait: as severe as the rule for a DaemonSet without which workloads break, else `lower_severity`."""
    facts, subject = get_cluster_facts(context), group.first_wait.owner
    daemonset = None
    if subject.kind == "DaemonSet":
        found = (each for key, each in facts.world.daemonsets.items() if key[:2] == (subject.namespace, subject.name))
        daemonset = next(found, None)
    component = facts.get_worst_component(daemonset) if daemonset is not None else None
    pod = group.first_wait.pod.metadata
    return Hit(
        subject=subject,
        nodes=group.nodes,
        location=ManifestLocation(daemonset.origin if daemonset is not None else find_origin(facts, subject)),
        severity=None if component is not None and component.kind.critical else lower_severity,
        message=message,
        notes=(
            *((("then", component.kind.symptom),) if component is not None else ()),
            *notes,
            *make_other_owners_note(group),
            *make_check_notes(make_describe_command("pod", pod.name, pod.namespace), *commands),
        ),
    )


def make_wait_list_command(group: WaitGroup) -> str:
    """The command that lists the pods of the namespace of the first."""
    return make_get_command("pods", namespace=group.first_wait.pod.metadata.namespace, output="wide")
