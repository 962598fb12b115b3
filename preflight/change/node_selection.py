"""The nodes that a command chooses from a world, and the partly known ones that the world lacks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec
from msgspec import Struct

from preflight.errors import InputError, UsageError
from preflight.kubectl.commands import Chosen
from preflight.kubectl.formatting import counted, listed
from preflight.kubectl.label_selector import Selector
from preflight.model.objects import Metadata, Node, Origin
from preflight.model.world import World
from preflight.scheduling.name_validation import dns_subdomain_errors

_COMMAND_LINE = Origin("<command line>")
_ALL = "(all nodes)"


class Met(Struct, frozen=True):
    """The world that a command meets, with its nodes in order of their names, and what is to be said of them."""

    world: World
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def nodes(self) -> Iterable[Node]:
        """The chosen nodes."""
        return (self.world.nodes[name] for name in self.names)

    def with_nodes(self, nodes: Mapping[str, Node]) -> World:
        """The world with these nodes in place of those of the same name; all others stay the same objects."""
        changed = {name: node for name, node in nodes.items() if self.world.nodes.get(name) is not node}
        return msgspec.structs.replace(self.world, nodes={**self.world.nodes, **changed}) if changed else self.world


def meet(world: World, chosen: Chosen) -> Met:
    """Find the nodes of a command.

    1. A name that the world lacks, a selector that selects nothing, and `--all` without nodes become one partly known node each, with a
       note. It states the labels that the selector needs; a label that the selector rules out is absent from it.
    2. A partly known node of which nobody knows whether the selector selects it is chosen too, with a note.
    3. A name that stands twice in the input is not judged.
    4. What a live cluster does not show is not there: a name is refused, in kubectl's words, and a selector may select nothing.
    5. kubectl reaches nodes that are there, and no pool: where such nodes are given, a selector and `--all` choose among them alone.
       Else the templates of pools stand for their nodes, as far as a selector surely selects them.

    Errors: UsageError for a name that no node has or can have; InputError for a selector that no node can match.
    """
    if chosen.selector is not None:
        return _selected(world, chosen.selector)
    if chosen.all:
        if world.nodes:
            return Met(world, _reached(world))
        return _with_partial(world, (), {_ALL: _partial(_ALL)}, "no nodes are given: all of them are judged as one partly known node")
    return _named(world, chosen.names)


def changed(met: Met, change: Callable[[Node], Node]) -> dict[str, Node]:
    """What a change makes of each chosen node, by name.

    Errors: a refusal of one of several nodes names it, and refuses the command.
    """
    after: dict[str, Node] = {}
    for node in met.nodes:
        try:
            after[node.name] = change(node)
        except UsageError as error:
            if len(met.names) == 1 or node.name in str(error):
                raise
            raise UsageError(f"node {node.name}: {error}") from None
    return after


def _named(world: World, names: tuple[str, ...]) -> Met:
    missing = [name for name in names if name not in world.nodes]
    unknown = [sentence for name in missing for sentence in world.ambiguous if sentence.startswith(f"Node {name} is in ")]
    missing = [name for name in missing if not any(sentence.startswith(f"Node {name} is in ") for sentence in unknown)]
    for name in missing:
        problems = dns_subdomain_errors(name)
        if problems:
            raise UsageError(f'nodes "{name}" not found: {"; ".join(problems)}')
    found = tuple(sorted(name for name in names if name in world.nodes))
    if not missing:
        return Met(world, found, (), tuple(unknown))
    if _is_live(world):
        raise UsageError(f'nodes "{missing[0]}" not found')
    one = len(missing) == 1
    if world.nodes:
        given = f"not among the {counted(len(world.nodes), 'node')} given"
        note = f"{listed(missing)} {'is' if one else 'are'} {given}: judged as {'a partly known node' if one else 'partly known nodes'}"
    else:
        note = f"no nodes are given: {listed(missing)} {'is judged as a partly known node' if one else 'are judged as partly known nodes'}"
    return _with_partial(world, found, {name: _partial(name) for name in missing}, note, tuple(unknown))


def _selected(world: World, selector: Selector) -> Met:
    answers = {name: selector.selects_node(world.nodes[name]) for name in _reached(world)}
    chosen = tuple(name for name, answer in answers.items() if answer or (answer is None and world.nodes[name].pool is None))
    if not chosen and _is_live(world):
        return Met(world, (), (f"no node of the cluster matches {selector}",))
    if not chosen:
        stated = selector.stated()
        if stated is None:
            raise InputError(f"there is nothing to judge: no node can match {selector}")
        name = f"({selector})"
        note = f"none of the {counted(len(answers), 'node')} given matches {selector}" if world.nodes else "no nodes are given"
        return _with_partial(world, (), {name: _partial(name, *stated)}, f"{note}: judged as a partly known node")
    maybe = [name for name in chosen if answers[name] is None]
    if not maybe:
        return Met(world, chosen)
    note = f"nobody knows whether {listed(maybe)} {'matches' if len(maybe) == 1 else 'match'} {selector}: judged as if"
    return Met(world, chosen, (note,))


def _is_live(world: World) -> bool:
    """Whether the cluster itself said which nodes there are."""
    return world.survey is not None and world.survey.live and "Node" not in world.missing


def _reached(world: World) -> tuple[str, ...]:
    """The nodes that kubectl reaches: those that are there, or where none is given, the templates of pools in their stead."""
    return tuple(name for name, node in world.nodes.items() if node.pool is None) or tuple(world.nodes)


def _partial(name: str, labels: dict[str, str] | None = None, absent: frozenset[str] = frozenset()) -> Node:
    return Node(metadata=Metadata(name=name, labels=labels or {}), partial=True, absent=absent, origin=_COMMAND_LINE)


def _with_partial(world: World, found: tuple[str, ...], nodes: dict[str, Node], note: str, unknown: tuple[str, ...] = ()) -> Met:
    everything = dict(sorted({**world.nodes, **nodes}.items()))
    return Met(msgspec.structs.replace(world, nodes=everything), tuple(sorted((*found, *nodes))), (note,), unknown)
