"""A node lacks a label that its peers have and that workloads select on.

Why it matters
    Nodes of the same type are expected to be alike, but pods that select on the label cannot use this one. If they ask for devices, those
    of the node count as free and stay idle. If a DaemonSet selects on it, the node lacks what that provides. Labels that were set by hand
    are lost when the node re-registers.
How to fix
    Set the label, and make it permanent: in the node pool, in the kubelet's flags or with a label producer. If the node is intended to
    differ, give it another value of the label.
Example
    Eight GPUs on a node without `node_env: prod`, which replaced another node last week, and waiting jobs that select on the label.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.label_drift import LabelDrift
from preflight.messages.doctor.nodes import (
    describe_idle_devices,
    describe_label_drift,
    describe_label_manager,
    describe_selecting_subjects,
    describe_takeable_pods,
    describe_younger_nodes,
)
from preflight.messages.kubectl_hints import make_label_column_command
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_diagnosis, locate_node_field, make_check_notes


def check(context: Context) -> Iterator[Hit]:
    """One hit for each label and make of nodes: an error where pods wait that would be taken with it, a note where nothing breaks."""
    for drift in get_diagnosis(context).label_drifts:
        first = drift.nodes[0]
        yield Hit(
            subject=Subject("Node", "", first),
            key=(drift.label,),
            nodes=drift.nodes,
            location=locate_node_field(context, first, ("metadata", "labels")),
            severity=Severity.ERROR if drift.waiting_pods else None if drift.is_critical else Severity.NOTE,
            message=describe_label_drift(drift),
            notes=(*_iter_notes(drift), *make_check_notes(make_label_column_command(drift.label))),
        )


def _iter_notes(drift: LabelDrift) -> Iterator[tuple[str, str]]:
    if drift.idle_devices:
        yield "impact", describe_idle_devices(drift)
    yield from (("impact", symptom) for symptom in dict.fromkeys(found.component.kind.symptom for found in drift.lost_providers))
    if drift.waiting_pods:
        yield "impact", describe_takeable_pods(drift)
    yield "note", describe_selecting_subjects(drift)
    if drift.days_younger:
        yield "note", describe_younger_nodes(drift)
    yield "note", describe_label_manager(drift.label_manager)


RULE = Rule(id="PF433", name="label-drift", severity=Severity.WARNING, check=check)
