"""Where the replacements of pods find room: which nodes and pods are asked for next, a few at first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.load.live.lists import format_label_selector
from preflight.load.live.resources import NODES, PODS, ListQuery
from preflight.model.meta import LabelSelector
from preflight.scheduling.affinity import validate_requirement

if TYPE_CHECKING:
    from preflight.evictions.replacement_placement import MissingNodes
    from preflight.model.core import PodSpec
    from preflight.model.world import ClusterListing

_NODE_STEPS = (32, 256)
"""How many nodes are asked for at a time, where replacements find no room on the known ones; then all of them."""

_POD_STEPS = (16, 64, 220)
"""Of how many nodes the pods are asked for at a time; then those of all nodes."""

_MAX_SELECTIONS = 8
"""Of more kinds of nodes that replacements select, none is asked for by itself."""


class SearchStep(Struct, frozen=True):
    """What is asked for next; `listed_nodes` are those whose pods it lists. `has_all_nodes`, `has_all_pods`: it lists all of them."""

    queries: tuple[ListQuery, ...]
    listed_nodes: tuple[str, ...] = ()
    has_all_nodes: bool = False
    has_all_pods: bool = False


class NodeSearch:
    """What was asked for so far, so that every step goes further than the one before."""

    def __init__(self) -> None:
        self._node_steps, self._pod_steps = list(_NODE_STEPS), list(_POD_STEPS)
        self._has_asked_all_nodes = self._has_ended = False

    def plan_step(self, missing: MissingNodes, listing: ClusterListing) -> SearchStep | None:
        """What is asked for next; None where nothing more can be had.

        1. The pods of nodes that may take a replacement come first, then further nodes: a few at first, in the end all of them.
        2. Where no node is found so, everything is asked for: that a pod fits nowhere, and what the scheduler says then, is known of all
           nodes only.
        """
        can_list_pods = listing.listed is None
        if missing.undecided and can_list_pods and self._pod_steps:
            names = tuple(sorted(missing.undecided)[: self._pod_steps.pop(0)])
            return SearchStep(tuple(plan_pods_on(names)), names)
        if not (listing.nodes or self._has_asked_all_nodes) and (missing.needs_all_nodes or not (missing.undecided and can_list_pods)):
            if self._node_steps and not missing.needs_all_nodes:
                specs = (*(pod.spec for pod in missing.pods), *missing.next_pods)
                return SearchStep(tuple(plan_candidate_lists(specs, self._node_steps.pop(0))))
            self._has_asked_all_nodes = True
            return SearchStep((ListQuery(NODES),), has_all_nodes=True)
        if self._has_ended or not can_list_pods:
            return None
        self._has_ended = True
        nodes = () if listing.nodes else (ListQuery(NODES),)
        return SearchStep((ListQuery(PODS), *nodes), has_all_nodes=True, has_all_pods=True)


def plan_candidate_lists(specs: Iterable[PodSpec], limit: int) -> Iterator[ListQuery]:
    """Some nodes that new pods may land on: those that each kind of them selects, as far as the server can select so."""
    selections = dict.fromkeys(map(_select_nodes, specs))
    for labels in selections if len(selections) <= _MAX_SELECTIONS else ("",):
        yield ListQuery(NODES, labels=labels, limit=limit)


def plan_pods_on(nodes: Iterable[str]) -> Iterator[ListQuery]:
    """The pods of nodes, node by node: a server finds those without reading all."""
    return (ListQuery(PODS, fields=f"spec.nodeName={name}") for name in sorted(nodes))


def _select_nodes(spec: PodSpec) -> str:
    """The labels without which no node takes a pod; of several terms of its affinity any may do, so that none of them is among these."""
    affinity = spec.affinity.nodeAffinity if spec.affinity else None
    required = affinity.requiredDuringSchedulingIgnoredDuringExecution if affinity else None
    terms = required.nodeSelectorTerms if required else ()
    expressions = terms[0].matchExpressions if len(terms) == 1 else ()
    usable = (
        expression
        for expression in expressions
        if expression.operator in ("In", "NotIn", "Exists", "DoesNotExist") and not validate_requirement(expression, "")
    )
    return format_label_selector(LabelSelector(spec.nodeSelector, tuple(usable)))
