"""What the rules on pods without a node share: how many of them, of which workloads, since when, and where that stands."""

from __future__ import annotations

from collections.abc import Iterable

from preflight.doctor.kubectl_hints import describe, get
from preflight.doctor.owners import origin_of
from preflight.doctor.pending.causes import Group
from preflight.doctor.timestamps import since
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Place
from preflight.rules.doctor._gap_hits import Notes, facts_of, shows

_MOST_OWNERS = 6


def pods(group: Group) -> str:
    """`has 3 pods that wait`, of the workload that the finding is about; `waits` of a pod by itself."""
    subject, number = group.owners[0]
    if subject.kind == "Pod":
        return "waits"
    return "has a pod that waits" if number == 1 else f"has {number} pods that wait"


def begun(context: Context, group: Group) -> str:
    """` since 2026-01-31T12:00:00Z (3 days)`, "" where that is not known."""
    text = since(group.since, facts_of(context).at)
    return f" {text}" if text else ""


def also(group: Group) -> Notes:
    """The other workloads whose pods wait for the same."""
    others = group.owners[1:]
    if not others:
        return ()
    words = [f"{subject.kind} {subject}{f' ({number} pods)' if number > 1 else ''}" for subject, number in others[:_MOST_OWNERS]]
    more = f" and {len(others) - _MOST_OWNERS} more" if len(others) > _MOST_OWNERS else ""
    return (("note", f"for the same waits {', '.join(words)}{more}"),)


def hit(context: Context, group: Group, milder: Severity, message: str, *notes: tuple[str, str], commands: Iterable[str] = ()) -> Hit:
    """What a rule says of pods that wait: as severe as the rule for a DaemonSet without which workloads break, else `milder`."""
    facts, subject = facts_of(context), group.first.owner
    daemonset = None
    if subject.kind == "DaemonSet":
        found = (each for key, each in facts.world.daemonsets.items() if key[:2] == (subject.namespace, subject.name))
        daemonset = next(found, None)
    component = facts.worst(daemonset) if daemonset is not None else None
    pod = group.first.pod.metadata
    return Hit(
        subject=subject,
        nodes=group.nodes,
        place=Place(daemonset.origin if daemonset is not None else origin_of(facts, subject)),
        severity=None if component is not None and component.kind.critical else milder,
        message=message,
        notes=(
            *((("then", component.kind.symptom),) if component is not None else ()),
            *notes,
            *also(group),
            *shows(describe("pod", pod.name, pod.namespace), *commands),
        ),
    )


def listing(group: Group) -> str:
    """The command that lists the pods of the namespace of the first."""
    return get("pods", namespace=group.first.pod.metadata.namespace, output="wide")
