"""A node lacks a label that its peers carry and that somebody selects by.

Why it matters
    Nodes of one make are taken for alike, and the room on this one is seen by no pod that selects by the label: its devices count as free
    and are not. A label that a hand has set is gone once the node registers anew.
How to fix
    Set the label, and have it set for good: by the node pool, the kubelet's flags or a label producer. Where the node is meant to differ,
    give it another value of the label.
Example
    Eight GPUs on a node without `node_env: prod`, which replaced another one last week, and jobs that select by it and wait.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.kubectl_hints import make_label_column_command
from preflight.doctor.label_drift import LabelDrift
from preflight.doctor.stranded_capacity import format_resources
from preflight.kubectl.formatting import join_names
from preflight.messages.lists import format_other_nodes, join_node_names
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_cluster_facts, locate_node_field, make_check_notes


def check(context: Context) -> Iterator[Hit]:
    """One hit for each label and make of nodes: an error where pods wait that would be taken with it, a note where no device lies idle."""
    for label_drift in get_cluster_facts(context).label_drifts:
        first, *others = label_drift.nodes
        value = f"={label_drift.values[0]}" if len(label_drift.values) == 1 else ""
        yield Hit(
            subject=Subject("Node", "", first),
            nodes=label_drift.nodes,
            location=locate_node_field(context, first, ("metadata", "labels")),
            severity=Severity.ERROR if label_drift.waiting_pods else None if label_drift.idle_devices else Severity.NOTE,
            message=(
                f"lacks the label {label_drift.label}{value}{format_other_nodes(others, 'does')}, which "
                f"{len(label_drift.peers)} peers carry ({join_node_names(label_drift.peers)})"
            ),
            notes=(*_iter_notes(label_drift), *make_check_notes(make_label_column_command(label_drift.label))),
        )


def _iter_notes(drift: LabelDrift) -> Iterator[tuple[str, str]]:
    if drift.idle_devices:
        yield (
            "then",
            (
                f"{format_resources(drift.idle_devices)} there {'is' if sum(drift.idle_devices.values()) == 1 else 'are'} "
                f"seen by no pod that selects by it"
            ),
        )
    if drift.waiting_pods:
        yield "then", f"would be taken there with the label: {join_names('/'.join(key) for key in drift.waiting_pods)}"
    yield "note", f"selected by {join_names(drift.selecting_subjects)}"
    if drift.days_younger:
        yield "note", f"registered {drift.days_younger} days after the youngest peer: what a hand had set is gone then"
    yield "note", f"last set on a peer by {drift.set_by}" if drift.set_by else "who set it on the peers cannot be told: no managedFields"


RULE = Rule(id="PF433", name="label-drift", severity=Severity.WARNING, check=check)
