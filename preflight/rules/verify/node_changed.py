"""A node is gone or new, is not Ready or still cordoned, or has other labels or taints than before.

Why it matters
    A node that did not come back, or that nobody uncordoned, is what a maintenance most often leaves behind. A label that is gone takes the
    DaemonSets that select on it; a taint that stays keeps away what does not tolerate it. A node that registered anew has the labels and
    taints of its pool, and lacks what was set by hand.
How to fix
    `kubectl uncordon` what is done, set labels again that a hand had set, and remove taints that were meant for the maintenance only.
    Where the change itself was a taint or a label, this note says that it is there.
Example
    `preflight verify world.json.gz` after a drain that was followed by a reboot and by no uncordon.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.comparison.nodes import NodeComparison
from preflight.kubectl.formatting import join_names
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, ManifestLocation, Rule
from preflight.rules.verify._text import format_other_nodes

_NodesByChange = dict[tuple[Severity, str, str, str], list[NodeComparison]]


def check(context: Context) -> Iterator[Hit]:
    """One hit for each thing that is said, with all nodes of which it is.

    An error for nodes that are no longer Ready, a warning for those that are gone or cordoned, a note for new ones, labels and taints.
    """
    since = context.comparison
    assert since is not None
    found: _NodesByChange = {}
    for node in since.nodes:
        for severity, verb, what, path in _iter_changes(node):
            found.setdefault((severity, verb, what, path), []).append(node)
    for (severity, verb, what, path), nodes in found.items():
        first = nodes[0].node_now or nodes[0].node_before
        assert first is not None
        yield Hit(
            subject=Subject("Node", "", first.name),
            nodes=tuple(node.name for node in nodes),
            location=ManifestLocation(first.origin, tuple(path.split("."))) if path else ManifestLocation(first.origin),
            severity=severity,
            message=f"{verb} {what}{format_other_nodes([node.name for node in nodes[1:]], verb)}",
        )


def _iter_changes(node: NodeComparison) -> Iterator[tuple[Severity, str, str, str]]:
    """What is said of a node: how severely, the verb and the rest of the sentence, and the field."""
    if node.is_gone:
        yield Severity.WARNING, "is", "gone", ""
    elif node.is_new:
        yield Severity.NOTE, "is", "new", ""
    if node.is_not_ready:
        yield Severity.ERROR, "is", "not Ready, and was", "status.conditions"
    if node.is_cordoned:
        yield Severity.WARNING, "is", "cordoned, and was not", "spec.unschedulable"
    if node.changed_labels:
        yield Severity.NOTE, "has", f"other labels: {join_names(node.changed_labels)}", "metadata.labels"
    if node.changed_taints:
        yield Severity.NOTE, "has", f"other taints: {join_names(node.changed_taints)}", "spec.taints"


RULE = Rule(id="PF404", name="node-changed", severity=Severity.WARNING, check=check)
