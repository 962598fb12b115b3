"""The nodes that a command chooses from a world, and the partly known ones that the world lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec
from msgspec import Struct

from preflight.errors import InputError, UsageError
from preflight.kubectl.commands import TargetObjects
from preflight.kubectl.label_selector import LabelQuery
from preflight.messages import change as messages
from preflight.messages.load import describe_ambiguity
from preflight.messages.suggestions import suggest
from preflight.model.core import Node
from preflight.model.meta import Metadata, Origin
from preflight.model.world import ClusterState
from preflight.scheduling.name_validation import validate_dns_subdomain

_COMMAND_LINE = Origin("<command line>")
_ALL = "(all nodes)"


class NodeTargets(Struct, frozen=True):
    """The world that a command meets, with its nodes in order of their names, and what is to be said of them."""

    world: ClusterState
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    unknowns: tuple[str, ...] = ()

    @property
    def nodes(self) -> Iterable[Node]:
        """The chosen nodes."""
        return (self.world.nodes[name] for name in self.names)

    def with_nodes(self, nodes: Mapping[str, Node]) -> ClusterState:
        """The world with these nodes in place of those of the same name; all others stay the same objects."""
        changed = {name: node for name, node in nodes.items() if self.world.nodes.get(name) is not node}
        return msgspec.structs.replace(self.world, nodes={**self.world.nodes, **changed}) if changed else self.world


def resolve_node_targets(world: ClusterState, targets: TargetObjects) -> NodeTargets:
    """Find the nodes of a command.

    1. A name that the world lacks, a selector that selects nothing, and `--all` without nodes become one partly known node each, with a
       note. It states the labels that the selector needs; a label that the selector rules out is absent from it.
    2. A partly known node of which nobody knows whether the selector selects it is chosen too, with a note.
    3. A name that stands twice in the input is not judged.
    4. Where all nodes are known (a live cluster, a snapshot of all its nodes), there are no others: a name that no node has is refused in
       kubectl's words, and so is a selector that selects nothing.
    5. kubectl reaches nodes that are there, and no pool: where such nodes are given, a selector and `--all` choose among them alone.
       Else the templates of pools stand for their nodes, as far as a selector surely selects them.

    Errors: UsageError for a name that no node has or can have, and for a selector that selects nothing where all nodes are known;
    InputError for a selector that no node can match.
    """
    if targets.selector is not None:
        return _resolve_selector(world, targets.selector)
    if targets.all:
        if world.nodes:
            return NodeTargets(world, _list_reachable(world))
        if has_all_nodes(world):
            raise UsageError(messages.NO_NODE_IN_CLUSTER)
        return _add_partial_nodes(world, (), {_ALL: _make_partial_node(_ALL)}, messages.ALL_NODES_PARTLY_KNOWN)
    return _resolve_names(world, targets.names)


def change_nodes(targets: NodeTargets, change: Callable[[Node], Node]) -> dict[str, Node]:
    """What a change makes of each chosen node, by name.

    Errors: a refusal of one of several nodes names it, and refuses the command.
    """
    after: dict[str, Node] = {}
    for node in targets.nodes:
        try:
            after[node.name] = change(node)
        except UsageError as error:
            if len(targets.names) == 1 or node.name in str(error):
                raise
            raise UsageError(f"node {node.name}: {error}") from None
    return after


def _resolve_names(world: ClusterState, names: tuple[str, ...]) -> NodeTargets:
    missing = [name for name in names if name not in world.nodes]
    ambiguous = {ambiguity.key.name: describe_ambiguity(ambiguity) for ambiguity in world.ambiguities if ambiguity.kind == "Node"}
    unknown = tuple(ambiguous[name] for name in missing if name in ambiguous)
    missing = [name for name in missing if name not in ambiguous]
    for name in missing:
        problems = validate_dns_subdomain(name)
        if problems:
            raise UsageError(f'nodes "{name}" not found: {"; ".join(problems)}')
    found = tuple(sorted(name for name in names if name in world.nodes))
    if not missing:
        return NodeTargets(world, found, (), unknown)
    if has_all_nodes(world):
        raise UsageError(f'nodes "{missing[0]}" not found{suggest(missing[0], _list_reachable(world))}')
    note = messages.format_missing_nodes(missing, len(world.nodes))
    return _add_partial_nodes(world, found, {name: _make_partial_node(name) for name in missing}, note, tuple(unknown))


def _resolve_selector(world: ClusterState, selector: LabelQuery) -> NodeTargets:
    answers = {name: selector.selects_node(world.nodes[name]) for name in _list_reachable(world)}
    chosen = tuple(name for name, answer in answers.items() if answer or (answer is None and world.nodes[name].pool is None))
    if not chosen and has_all_nodes(world):
        labels = {label for node in world.nodes.values() for label in node.metadata.labels.items()}
        raise UsageError(messages.describe_no_match(selector, labels))
    if not chosen:
        stated = selector.implied_labels()
        if stated is None:
            raise InputError(messages.describe_impossible_selector(selector))
        name = f"({selector})"
        note = messages.format_no_match(selector, len(answers), has_nodes=bool(world.nodes))
        return _add_partial_nodes(world, (), {name: _make_partial_node(name, *stated)}, note)
    maybe = [name for name in chosen if answers[name] is None]
    if not maybe:
        return NodeTargets(world, chosen)
    note = messages.format_uncertain_match(maybe, selector)
    return NodeTargets(world, chosen, (note,))


def lists_all_nodes(world: ClusterState) -> bool:
    """Whether the input is a listing of a cluster with all its nodes: one that is not in it does not exist, or did not then."""
    return world.listing is not None and world.listing.nodes and "Node" not in world.missing_kinds


def has_all_nodes(world: ClusterState) -> bool:
    """Whether a node that is named and not given does not exist: all are listed, or the cluster itself was asked for those that are named.

    Nodes of plain files are never all of them.
    """
    return lists_all_nodes(world) or (world.listing is not None and world.listing.live and "Node" not in world.missing_kinds)


def _list_reachable(world: ClusterState) -> tuple[str, ...]:
    """The nodes that kubectl reaches: those that are there, or where none is given, the templates of pools in their stead."""
    return tuple(name for name, node in world.nodes.items() if node.pool is None) or tuple(world.nodes)


def _make_partial_node(name: str, labels: dict[str, str] | None = None, absent: frozenset[str] = frozenset()) -> Node:
    return Node(metadata=Metadata(name=name, labels=labels or {}), is_partial=True, absent_labels=absent, origin=_COMMAND_LINE)


def _add_partial_nodes(
    world: ClusterState, found: tuple[str, ...], nodes: dict[str, Node], note: str, unknown: tuple[str, ...] = ()
) -> NodeTargets:
    everything = dict(sorted({**world.nodes, **nodes}.items()))
    return NodeTargets(msgspec.structs.replace(world, nodes=everything), tuple(sorted((*found, *nodes))), (note,), unknown)
