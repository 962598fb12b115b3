"""What of a cluster a change needs: `lists` knows the lists that show it. Nothing is asked here."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from preflight.kubectl.commands import (
    ApplyFiles,
    Command,
    DeleteCustomResources,
    DeleteDaemonSets,
    DeleteFiles,
    DeleteNamespaces,
    DeletePods,
    FileArgument,
    PatchObjects,
    RestartRollout,
    SetImage,
    TargetObjects,
    may_evict_from,
)
from preflight.kubectl.resource_args import NODE
from preflight.load.live.named_namespaces import list_named_namespaces
from preflight.model.apps import DaemonSet
from preflight.model.core import Namespace, Node
from preflight.model.declaration import OperatorResource
from preflight.operators.resource import CustomKind, find_custom_kind, list_related_kinds

NamespacedName = tuple[str, str]
"""A namespace and a name."""


class ClusterQuery(Struct, frozen=True):
    """What of a cluster is asked for, beside all DaemonSets.

    1. `nodes` are names, `selectors` are kubectl's selectors of nodes, and `pods_with_node` pods whose nodes are meant; the pods are then
       those of these nodes. `all_nodes` for all nodes.
    2. With all nodes, `daemonsets` are those whose pods are asked for; None for the pods of everybody. `applied_daemonsets` are those
       of files: one that does not exist yet adopts the pods that its selector matches.
    3. `needs_budgets`: PodDisruptionBudgets. `needs_owners`: what controls pods and is no DaemonSet; with nodes that are named, pods may
       have to go from these (`evicts_from_nodes`). `needs_admission`: what admission
       makes of new pods: namespaces, RuntimeClasses, quotas. `needs_dependents`: what may depend on a DaemonSet. `needs_configs`: the
       ConfigMaps that say what DaemonSets provide. `needs_state`: what says how things are: events and CSINodes. `needs_operators`: the
       custom resources of known operators; without it, those of `operator_kinds`.
    4. `namespaces` are those that the command lines name: what may not be listed in all namespaces is tried there.
    """

    nodes: frozenset[str] = frozenset()
    selectors: tuple[str, ...] = ()
    pods_with_node: tuple[NamespacedName, ...] = ()
    all_nodes: bool = False
    daemonsets: frozenset[NamespacedName] | None = None
    applied_daemonsets: tuple[DaemonSet, ...] = ()
    needs_budgets: bool = False
    needs_owners: bool = False
    needs_admission: bool = False
    needs_dependents: bool = False
    needs_configs: bool = False
    needs_state: bool = False
    needs_operators: bool = False
    operator_kinds: tuple[CustomKind, ...] = ()
    namespaces: tuple[str, ...] = ()

    @property
    def evicts_from_nodes(self) -> bool:
        """Whether pods may have to go from nodes that are named: what shares a budget or an owner with them is asked for, no other pod."""
        return self.needs_owners and not self.all_nodes


FOR_FULL_CHECK = ClusterQuery(
    all_nodes=True, needs_budgets=True, needs_admission=True, needs_dependents=True, needs_configs=True, needs_operators=True
)
"""The whole cluster, as far as anything is read of it."""

FOR_SNAPSHOT = replace(FOR_FULL_CHECK, needs_owners=True, needs_state=True)
"""What a snapshot is of: whatever is asked of it later, a drain and what is broken today included."""

FOR_COMPARISON = ClusterQuery(all_nodes=True, needs_admission=True, needs_configs=True)
"""What is compared with a snapshot: nodes, DaemonSets and their pods; and what tells one cluster from another."""

FOR_DOCTOR = replace(FOR_FULL_CHECK, needs_state=True, needs_operators=False)
"""What is broken today: all of it, and what says how things are."""

FOR_CAPACITY = ClusterQuery(all_nodes=True, needs_admission=True)
"""Where a pod fits: nodes, all pods, and what admission makes of new ones."""

FOR_COVERAGE = ClusterQuery(all_nodes=True, needs_configs=True)
"""Which DaemonSet is on which nodes, and what it provides there."""

FOR_DAEMONSETS = ClusterQuery(needs_configs=True)
"""What DaemonSets are: no node and no pod."""


def plan_cluster_query(commands: Sequence[Command], namespace: str, read_file: Callable[[FileArgument], Sequence[object]]) -> ClusterQuery:
    """What command lines need, together.

    1. A change of nodes needs these nodes and their pods. One of named DaemonSets needs all nodes and the pods of these DaemonSets; one
       of DaemonSets that a selector chooses, all pods.
    2. Files are read to see which nodes and DaemonSets they hold (`read_file`). `namespace` is the one of the context.
    3. A command that may evict ordinary pods needs budgets and what controls pods too; one that deletes pods needs the
       pods of their nodes. Where the replacements of these pods find room is asked once it is known which pods go (`node_search`).
    4. Where some of the lines need nodes and some DaemonSets, everything is needed.
    """
    return replace(_merge_queries(commands, namespace, read_file), namespaces=list_named_namespaces(commands))


def _merge_queries(commands: Sequence[Command], namespace: str, read_file: Callable[[FileArgument], Sequence[object]]) -> ClusterQuery:
    found = [_plan_command(command, namespace, read_file) for command in commands]
    budgets, owners = any(query.needs_budgets for query in found), any(query.needs_owners for query in found)
    around = any(query.needs_admission for query in found)
    kinds = tuple(dict.fromkeys(kind for query in found for kind in query.operator_kinds))
    every_node = [query for query in found if query.all_nodes]
    if not every_node:
        return ClusterQuery(
            frozenset().union(*(query.nodes for query in found)),
            tuple(dict.fromkeys(selector for query in found for selector in query.selectors)),
            tuple(dict.fromkeys(pod for query in found for pod in query.pods_with_node)),
            needs_budgets=budgets,
            needs_owners=owners,
            needs_admission=around,
            operator_kinds=kinds,
        )
    named = [query.daemonsets for query in every_node if query.daemonsets is not None]
    only = len(named) == len(found)
    daemonsets = frozenset().union(*named) if only else None
    return ClusterQuery(
        all_nodes=True,
        daemonsets=daemonsets,
        applied_daemonsets=tuple(daemonset for query in found for daemonset in query.applied_daemonsets),
        needs_budgets=budgets,
        needs_owners=owners,
        needs_admission=around,
        operator_kinds=kinds,
    )


def _plan_command(command: Command, namespace: str, read_file: Callable[[FileArgument], Sequence[object]]) -> ClusterQuery:
    if isinstance(command, PatchObjects):
        chosen = command.targets
        if command.resource == NODE:
            evicts = command.may_evict
            return ClusterQuery(frozenset(chosen.names), needs_budgets=evicts, needs_owners=evicts)
        if (custom := find_custom_kind(command.resource)) is not None:
            return ClusterQuery(all_nodes=True, needs_admission=True, operator_kinds=list_related_kinds(*custom))
        return ClusterQuery(all_nodes=True, daemonsets=_list_named(chosen, namespace), needs_admission=True)
    if isinstance(command, SetImage | RestartRollout):
        return ClusterQuery(all_nodes=True, daemonsets=_list_named(command.daemonsets, namespace), needs_admission=True)
    if isinstance(command, DeleteDaemonSets):
        return ClusterQuery(all_nodes=True, daemonsets=_list_named(command.daemonsets, namespace))
    if isinstance(command, DeleteNamespaces):
        return ClusterQuery(all_nodes=True)
    if isinstance(command, DeleteCustomResources) and (custom := find_custom_kind(command.resource)) is not None:
        return ClusterQuery(all_nodes=True, operator_kinds=list_related_kinds(*custom))
    if isinstance(command, ApplyFiles | DeleteFiles):
        objects = [item for argument in command.iter_arguments() for item in read_file(argument)]
        if isinstance(command, DeleteFiles) and any(isinstance(item, Namespace) for item in objects):
            return ClusterQuery(all_nodes=True)
        return _plan_files(command, objects, command.namespace or namespace)
    if isinstance(command, DeletePods):
        chosen = command.pods
        if command.node:
            return ClusterQuery(frozenset({command.node}))
        if chosen.names:
            return ClusterQuery(pods_with_node=tuple((chosen.namespace or namespace, name) for name in chosen.names))
        return ClusterQuery(all_nodes=True)
    nodes: TargetObjects = getattr(command, "nodes")  # noqa: B009 (all others have nodes)
    evicts = command.may_evict
    if nodes.selector is not None:
        return ClusterQuery(selectors=(str(nodes.selector),), needs_budgets=evicts, needs_owners=evicts)
    return ClusterQuery(frozenset(nodes.names), all_nodes=nodes.all, needs_budgets=evicts, needs_owners=evicts)


def _list_named(chosen: TargetObjects, namespace: str) -> frozenset[NamespacedName] | None:
    """The DaemonSets that are chosen by name; None where a selector chooses."""
    return frozenset((chosen.namespace or namespace, name) for name in chosen.names) if chosen.names else None


def _plan_files(command: ApplyFiles | DeleteFiles, objects: Sequence[object], namespace: str) -> ClusterQuery:
    """What the objects of files need: a template of a pool may touch any node."""
    nodes = [item for item in objects if isinstance(item, Node)]
    daemonsets = [item for item in objects if isinstance(item, DaemonSet) and item.declaration is None]
    resources = [item for item in objects if isinstance(item, OperatorResource)]
    if resources:
        kinds = dict.fromkeys(kind for item in resources for kind in list_related_kinds(item.kind, item.group))
        return ClusterQuery(all_nodes=True, needs_admission=isinstance(command, ApplyFiles), operator_kinds=tuple(kinds))
    evicts = any(node.pool is None and may_evict_from(command, node.spec.taints) for node in nodes)
    if nodes and not daemonsets and all(node.pool is None for node in nodes):
        return ClusterQuery(frozenset(node.name for node in nodes), needs_budgets=evicts, needs_owners=evicts)
    applied = tuple(_with_namespace(daemonset, namespace) for daemonset in daemonsets)
    named = frozenset(get_name(daemonset) for daemonset in applied)
    return ClusterQuery(
        all_nodes=True,
        daemonsets=None if nodes else named,
        applied_daemonsets=applied,
        needs_budgets=evicts,
        needs_owners=evicts,
        needs_admission=isinstance(command, ApplyFiles),
    )


def _with_namespace(daemonset: DaemonSet, namespace: str) -> DaemonSet:
    metadata = daemonset.metadata
    return daemonset if metadata.namespace else replace(daemonset, metadata=replace(metadata, namespace=namespace))


def get_name(daemonset: DaemonSet) -> NamespacedName:
    """The namespace and name of a DaemonSet."""
    return daemonset.metadata.namespace, daemonset.metadata.name
