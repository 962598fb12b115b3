"""What of a cluster a change needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from preflight.kubectl.commands import (
    ApplyFiles,
    Chosen,
    Command,
    DeleteDaemonSets,
    DeleteFiles,
    DeleteNamespaces,
    DeletePods,
    Patch,
    RestartRollout,
    SetImage,
)
from preflight.kubectl.resource_args import NODE
from preflight.model.objects import DaemonSet, Namespace, Node

Named = tuple[str, str]
"""A namespace and a name."""


class Asked(Struct, frozen=True):
    """What of a cluster is asked for, beside all DaemonSets.

    1. `nodes` are names, `selectors` are kubectl's selectors of nodes, and `node_of` pods whose nodes are meant; the pods are then those
       of these nodes. `every_node` for all nodes.
    2. With all nodes, `daemonsets` are those whose pods are asked for; None for the pods of everybody.
    3. `budgets`: PodDisruptionBudgets. `owners`: what controls pods and is no DaemonSet. `around`: what admission makes of new pods:
       namespaces, RuntimeClasses, quotas. `dependents`: what may depend on a DaemonSet. `configs`: the ConfigMaps that say what
       DaemonSets provide. `state`: what says how things are: events and CSINodes.
    """

    nodes: frozenset[str] = frozenset()
    selectors: tuple[str, ...] = ()
    node_of: tuple[Named, ...] = ()
    every_node: bool = False
    daemonsets: frozenset[Named] | None = None
    budgets: bool = False
    owners: bool = False
    around: bool = False
    dependents: bool = False
    configs: bool = False
    state: bool = False


EVERYTHING = Asked(every_node=True, budgets=True, around=True, dependents=True, configs=True)
"""The whole cluster, as far as anything is read of it."""

WHOLE = replace(EVERYTHING, owners=True, state=True)
"""What a snapshot is of: whatever is asked of it later, a drain and what is broken today included."""

COMPARED = Asked(every_node=True, around=True, configs=True)
"""What is compared with a snapshot: nodes, DaemonSets and their pods; and what tells one cluster from another."""

TODAY = replace(EVERYTHING, state=True)
"""What is broken today: all of it, and what says how things are."""

EVICTIONS = Asked(every_node=True, budgets=True, owners=True)
"""Where pods have to go: a replacement may land on any node, and a budget or a Job has pods on any."""

ROOM = Asked(every_node=True, around=True)
"""Where a pod fits: nodes, all pods, and what admission makes of new ones."""

COVERED = Asked(every_node=True, configs=True)
"""Which DaemonSet is on which nodes, and what it provides there."""

DAEMONSETS = Asked(configs=True)
"""What DaemonSets are: no node and no pod."""


def asked(commands: Sequence[Command], namespace: str, read: Callable[[str], Sequence[object]]) -> Asked:
    """What command lines need, together.

    1. A change of nodes needs these nodes and their pods. One of named DaemonSets needs all nodes and the pods of these DaemonSets; one
       of DaemonSets that a selector chooses, all pods.
    2. Files are read to see which nodes and DaemonSets they hold (`read`). `namespace` is the one of the context.
    3. A command that may evict ordinary pods needs all nodes, all pods, budgets, and what controls pods.
    4. Where some of the lines need nodes and some DaemonSets, everything is needed.
    """
    found = [_of(command, namespace, read) for command in commands]
    budgets, owners = any(each.budgets for each in found), any(each.owners for each in found)
    around = any(each.around for each in found)
    every_node = [each for each in found if each.every_node]
    if not every_node:
        return Asked(
            frozenset().union(*(each.nodes for each in found)),
            tuple(dict.fromkeys(selector for each in found for selector in each.selectors)),
            tuple(dict.fromkeys(pod for each in found for pod in each.node_of)),
            around=around,
        )
    named = [each.daemonsets for each in every_node if each.daemonsets is not None]
    only = len(named) == len(found)
    daemonsets = frozenset().union(*named) if only else None
    return Asked(every_node=True, daemonsets=daemonsets, budgets=budgets, owners=owners, around=around)


def _of(command: Command, namespace: str, read: Callable[[str], Sequence[object]]) -> Asked:
    if command.evicts:
        return EVICTIONS
    if isinstance(command, Patch):
        chosen = command.chosen
        if command.resource == NODE:
            return Asked(frozenset(chosen.names))
        return Asked(every_node=True, daemonsets=_named(chosen, namespace), around=True)
    if isinstance(command, SetImage | RestartRollout):
        return Asked(every_node=True, daemonsets=_named(command.daemonsets, namespace), around=True)
    if isinstance(command, DeleteDaemonSets):
        return Asked(every_node=True, daemonsets=_named(command.daemonsets, namespace))
    if isinstance(command, DeleteNamespaces):
        return Asked(every_node=True)
    if isinstance(command, ApplyFiles | DeleteFiles):
        objects = [each for file in command.files for each in read(file)]
        if isinstance(command, DeleteFiles) and any(isinstance(each, Namespace) for each in objects):
            return Asked(every_node=True)
        return _of_files(objects, command.namespace or namespace, around=isinstance(command, ApplyFiles))
    if isinstance(command, DeletePods):
        chosen = command.pods
        if command.on:
            return Asked(frozenset({command.on}))
        if chosen.names:
            return Asked(node_of=tuple((chosen.namespace or namespace, name) for name in chosen.names))
        return Asked(every_node=True)
    nodes: Chosen = getattr(command, "nodes")  # noqa: B009 (all others have nodes)
    if nodes.selector is not None:
        return Asked(selectors=(str(nodes.selector),))
    return Asked(every_node=True) if nodes.all else Asked(frozenset(nodes.names))


def _named(chosen: Chosen, namespace: str) -> frozenset[Named] | None:
    """The DaemonSets that are chosen by name; None where a selector chooses."""
    return frozenset((chosen.namespace or namespace, name) for name in chosen.names) if chosen.names else None


def _of_files(objects: Sequence[object], namespace: str, *, around: bool) -> Asked:
    """What the objects of files need: a template of a pool may touch any node."""
    nodes = [each for each in objects if isinstance(each, Node)]
    daemonsets = [each for each in objects if isinstance(each, DaemonSet)]
    if nodes and not daemonsets and all(each.pool is None for each in nodes):
        return Asked(frozenset(each.name for each in nodes))
    named = frozenset((each.metadata.namespace or namespace, each.metadata.name) for each in daemonsets)
    return Asked(every_node=True, daemonsets=None if nodes else named, around=around)
