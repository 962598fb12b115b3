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

from preflight.doctor.kubectl_hints import nodes_with
from preflight.doctor.label_drift import Drift
from preflight.doctor.stranded_capacity import said
from preflight.kubectl.formatting import listed
from preflight.messages.lists import names
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import facts_of, node_place, shows
from preflight.rules.verify._text import so


def check(context: Context) -> Iterator[Hit]:
    """One hit for each label and make of nodes: an error where pods wait that would be taken with it, a note where no device lies idle."""
    for each in facts_of(context).drifts:
        first, *others = each.nodes
        value = f"={each.values[0]}" if len(each.values) == 1 else ""
        yield Hit(
            subject=Subject("Node", "", first),
            nodes=each.nodes,
            place=node_place(context, first, ("metadata", "labels")),
            severity=Severity.ERROR if each.waiting else None if each.idle else Severity.NOTE,
            message=f"lacks the label {each.label}{value}{so(others, 'does')}, which {len(each.peers)} peers carry ({names(each.peers)})",
            notes=(*_notes(each), *shows(nodes_with(each.label))),
        )


def _notes(each: Drift) -> Iterator[tuple[str, str]]:
    if each.idle:
        yield "then", f"{said(each.idle)} there {'is' if sum(each.idle.values()) == 1 else 'are'} seen by no pod that selects by it"
    if each.waiting:
        yield "then", f"would be taken there with the label: {listed('/'.join(key) for key in each.waiting)}"
    yield "note", f"selected by {listed(each.asked)}"
    if each.younger:
        yield "note", f"registered {each.younger} days after the youngest peer: what a hand had set is gone then"
    yield "note", f"last set on a peer by {each.set_by}" if each.set_by else "who set it on the peers cannot be told: no managedFields"


RULE = Rule(id="PF433", name="label-drift", severity=Severity.WARNING, check=check)
