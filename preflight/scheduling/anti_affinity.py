"""Whether the anti-affinity of pods that are there may keep a new pod from a node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from preflight.model.core import Node
from preflight.model.pod_scheduling import PodAffinityTerm
from preflight.model.uncertainty import Uncertainty, UncertaintyKind
from preflight.scheduling.affinity import UNKNOWN, get_label, matches_labels
from preflight.scheduling.occupancy import Occupancy, PodAntiAffinity


def find_anti_affinities(occupancy: Occupancy, labels: Mapping[str, str] | None, namespace: str) -> tuple[PodAntiAffinity, ...]:
    """The pods whose required anti-affinity may select a new pod.

    1. A term selects by labels, in the namespaces that it names and those that its namespaceSelector may select; with neither, in that of
       its own pod. A selector that is absent selects nothing, an empty one everything.
    2. `labels` None and `namespace` "" are not known, and may be any; the labels of namespaces never are.

    Source: `pkg/scheduler/framework/types.go`, AffinityTerm.Matches.
    """
    return tuple(guard for guard in occupancy.anti_affinities if _may_select(guard.term, guard.key[0], labels, namespace))


def iter_topology_uncertainties(anti_affinities: tuple[PodAntiAffinity, ...], node: Node, occupancy: Occupancy) -> Iterator[Uncertainty]:
    """The pods among `anti_affinities` that share the topology domain of a node, or may: the scheduler would refuse it.

    Two nodes are in one domain where both have the topology label with the same value. A pod on a node that is not known may be in any.

    Source: `pkg/scheduler/framework/plugins/interpodaffinity/filtering.go`, satisfyExistingPodsAntiAffinity.
    """
    for guard in anti_affinities:
        here = get_label(node, guard.term.topologyKey)
        room = occupancy.nodes.get(guard.node)
        there = get_label(room.node, guard.term.topologyKey) if room else UNKNOWN
        if here is not None and there is not None and (here is UNKNOWN or there is UNKNOWN or here == there):
            yield Uncertainty(UncertaintyKind.NEIGHBORS, "/".join(guard.key))


def _may_select(term: PodAffinityTerm, own_namespace: str, labels: Mapping[str, str] | None, namespace: str) -> bool:
    if term.labelSelector is None:
        return False
    if labels is not None and not matches_labels(term.labelSelector.matchLabels, term.labelSelector.matchExpressions, labels):
        return False
    if not namespace or term.namespaceSelector is not None:
        return True
    return namespace in (term.namespaces or (own_namespace,))
