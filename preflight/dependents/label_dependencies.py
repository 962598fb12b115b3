"""DaemonSets that do not run on a node because a label is missing, and the label is missing because a taint keeps its producer out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from preflight.coverage.model import CoverageGroup, Impact
from preflight.model.core import Node
from preflight.model.meta import ObjectKey
from preflight.model.report import Outcome
from preflight.scheduling.placement import Placement

_MATCHING_OPERATORS = frozenset(("In", "Exists", "Gt", "Lt"))


class LabelDependency(Struct, frozen=True):
    """A DaemonSet on nodes that it would be on, as far as labels go, if a producer of labels were there.

    `labels` are the keys that it selects on and the nodes lack; `producer` is the DaemonSet that sets them.
    """

    group: CoverageGroup
    nodes: frozenset[str]
    producer: ObjectKey
    labels: tuple[str, ...]


def find_label_dependencies(impact: Impact, producers: Iterable[CoverageGroup]) -> Iterator[LabelDependency]:
    """What waits for the labels of producers that a taint keeps out, each DaemonSet on each node once.

    1. Its nodeSelector, and one term of its affinity, fail by labels alone that the node lacks and the producer is known to set.
    2. It tolerates the taints of the node: else the taint alone would keep it out.
    3. Which value the label would have is not known; nor whether the node has what the label tells of.
    """
    taken: set[tuple[ObjectKey, str]] = set()
    for producer in producers:
        sets = [component for component in impact.component_cache.recognize(producer.daemonset) if component.labels]
        if not sets:
            continue
        for group in impact.iter_groups(Outcome.EXCLUDED):
            nodes = frozenset(name for name in group.nodes & producer.nodes if (group.key, name) not in taken)
            if not nodes or group.placement_after is None or group.placement_after.untolerated_taints or group.key == producer.key:
                continue
            labels = _list_missing_labels(group.placement_after, group.node)
            if labels and all(any(component.sets_label(label) for component in sets) for label in labels):
                taken.update((group.key, name) for name in nodes)
                yield LabelDependency(group, nodes, producer.key, labels)


def _list_missing_labels(placement: Placement, node: Node) -> tuple[str, ...]:
    """The labels whose absence alone leaves a node out; () where something else does too."""
    affinity = placement.affinity
    if placement.other_node or affinity.has_no_terms:
        return ()
    keys = [entry.key for entry in affinity.selector_mismatches]
    if affinity.term_mismatches:
        terms = (term for term in affinity.term_mismatches if term.expressions and not term.fields and not term.errors)
        calling = next((term for term in terms if all(expression.operator in _MATCHING_OPERATORS for expression in term.expressions)), None)
        if calling is None:
            return ()
        keys += [requirement.key for requirement in calling.expressions]
    return tuple(dict.fromkeys(keys)) if not any(key in node.metadata.labels for key in keys) else ()
