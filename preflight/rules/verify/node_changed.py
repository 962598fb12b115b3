"""A node is missing, new, not Ready or still cordoned, or has different labels or taints than before.

Why it matters
    After a maintenance, the most frequent leftover is a node that did not come back or was not uncordoned. DaemonSets that select on a
    removed label lose their pods; a leftover taint keeps off pods that do not tolerate it. A node that re-registered has the labels and
    taints of its pool, without those that were set by hand.
How to fix
    Run `kubectl uncordon` for nodes whose maintenance is complete, set labels again that were set by hand, and remove taints that were
    intended for the maintenance only. If the change itself was a taint or a label, this note confirms it.
Example
    `preflight verify world.json.gz` after a drain and a reboot, without `kubectl uncordon`.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.comparison.nodes import NodeComparison
from preflight.messages.verify import describe_node_change
from preflight.model.comparison_reasons import NodeChange, NodeChangeKind
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, FieldPath, Hit, ManifestLocation, Rule
from preflight.rules.verify._keys import make_change_key

_SEVERITIES = {
    NodeChangeKind.GONE: Severity.WARNING,
    NodeChangeKind.NEW: Severity.NOTE,
    NodeChangeKind.NOT_READY: Severity.ERROR,
    NodeChangeKind.CORDONED: Severity.WARNING,
    NodeChangeKind.LABELS: Severity.NOTE,
    NodeChangeKind.TAINTS: Severity.NOTE,
}
_PATHS: dict[NodeChangeKind, FieldPath] = {
    NodeChangeKind.NOT_READY: ("status", "conditions"),
    NodeChangeKind.CORDONED: ("spec", "unschedulable"),
    NodeChangeKind.LABELS: ("metadata", "labels"),
    NodeChangeKind.TAINTS: ("spec", "taints"),
}


def check(context: Context) -> Iterator[Hit]:
    """One hit for each thing that is said, with all nodes of which it is.

    An error for nodes that are no longer Ready, a warning for removed or cordoned ones, a note for new ones, labels and taints.
    """
    since = context.comparison
    assert since is not None
    found: dict[tuple[str, ...], list[tuple[NodeChange, NodeComparison]]] = {}
    for node in since.nodes:
        for change in _iter_changes(node):
            found.setdefault(make_change_key(change), []).append((change, node))
    for changes in found.values():
        change, node = changes[0]
        nodes = tuple(node.name for _, node in changes)
        first = node.node_now or node.node_before
        assert first is not None
        yield Hit(
            subject=Subject("Node", "", first.name),
            nodes=nodes,
            location=ManifestLocation(first.origin, _PATHS.get(change.kind, ())),
            severity=_SEVERITIES[change.kind],
            message=describe_node_change(change, nodes[1:]),
            key=make_change_key(change),
        )


def _iter_changes(node: NodeComparison) -> Iterator[NodeChange]:
    """What became of a node."""
    if node.is_gone:
        yield NodeChange(NodeChangeKind.GONE)
    elif node.is_new:
        yield NodeChange(NodeChangeKind.NEW)
    if node.is_not_ready:
        yield NodeChange(NodeChangeKind.NOT_READY)
    if node.is_cordoned:
        yield NodeChange(NodeChangeKind.CORDONED)
    if node.changed_labels:
        yield NodeChange(NodeChangeKind.LABELS, labels=node.changed_labels)
    if node.changed_taints:
        yield NodeChange(NodeChangeKind.TAINTS, taints=node.changed_taints)


RULE = Rule(id="PF404", name="node-changed", severity=Severity.WARNING, check=check)
