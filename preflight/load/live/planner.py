"""What of a cluster a change needs, and the lists that show it. Nothing is asked here."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from preflight.kubectl.commands import (
    ApplyFiles,
    Command,
    DeleteDaemonSets,
    DeleteFiles,
    DeleteNamespaces,
    DeletePods,
    PatchObjects,
    RestartRollout,
    SetImage,
    TargetObjects,
)
from preflight.kubectl.resource_args import NODE
from preflight.load.live.named_namespaces import list_named_namespaces
from preflight.load.live.resources import (
    ADMISSION,
    BUDGETS,
    CONFIGS,
    DEPENDENTS,
    EVENTS,
    NODES,
    OWNERS,
    PODS,
    REPLICASETS,
    STATE_RESOURCES,
    ApiResource,
    ListQuery,
)
from preflight.model.apps import DaemonSet
from preflight.model.core import Namespace, Node
from preflight.model.meta import LabelSelector

if TYPE_CHECKING:
    from preflight.model.pod_scheduling import SchedulerPod

NamespacedName = tuple[str, str]
"""A namespace and a name."""

UNBOUND_PODS = ListQuery(PODS, fields="spec.nodeName=")
"""The pods that no node has yet."""

_MAX_NODES_ASKED_ONE_BY_ONE = 300
"""Of more nodes than this, the pods are asked for in one list of all."""

_STATE_QUERIES = {EVENTS: ListQuery(EVENTS, fields="type=Warning")}


class ClusterQuery(Struct, frozen=True):
    """What of a cluster is asked for, beside all DaemonSets.

    1. `nodes` are names, `selectors` are kubectl's selectors of nodes, and `pods_with_node` pods whose nodes are meant; the pods are then
       those of these nodes. `all_nodes` for all nodes.
    2. With all nodes, `daemonsets` are those whose pods are asked for; None for the pods of everybody.
    3. `needs_budgets`: PodDisruptionBudgets. `needs_owners`: what controls pods and is no DaemonSet. `needs_admission`: what admission
       makes of new pods: namespaces, RuntimeClasses, quotas. `needs_dependents`: what may depend on a DaemonSet. `needs_configs`: the
       ConfigMaps that say what DaemonSets provide. `needs_state`: what says how things are: events and CSINodes.
    4. `namespaces` are those that the command lines name: what may not be listed in all namespaces is tried there.
    """

    nodes: frozenset[str] = frozenset()
    selectors: tuple[str, ...] = ()
    pods_with_node: tuple[NamespacedName, ...] = ()
    all_nodes: bool = False
    daemonsets: frozenset[NamespacedName] | None = None
    needs_budgets: bool = False
    needs_owners: bool = False
    needs_admission: bool = False
    needs_dependents: bool = False
    needs_configs: bool = False
    needs_state: bool = False
    namespaces: tuple[str, ...] = ()


FOR_FULL_CHECK = ClusterQuery(all_nodes=True, needs_budgets=True, needs_admission=True, needs_dependents=True, needs_configs=True)
"""The whole cluster, as far as anything is read of it."""

FOR_SNAPSHOT = replace(FOR_FULL_CHECK, needs_owners=True, needs_state=True)
"""What a snapshot is of: whatever is asked of it later, a drain and what is broken today included."""

FOR_COMPARISON = ClusterQuery(all_nodes=True, needs_admission=True, needs_configs=True)
"""What is compared with a snapshot: nodes, DaemonSets and their pods; and what tells one cluster from another."""

FOR_DOCTOR = replace(FOR_FULL_CHECK, needs_state=True)
"""What is broken today: all of it, and what says how things are."""

FOR_EVICTIONS = ClusterQuery(all_nodes=True, needs_budgets=True, needs_owners=True)
"""Where pods have to go: a replacement may land on any node, and a budget or a Job has pods on any."""

FOR_CAPACITY = ClusterQuery(all_nodes=True, needs_admission=True)
"""Where a pod fits: nodes, all pods, and what admission makes of new ones."""

FOR_COVERAGE = ClusterQuery(all_nodes=True, needs_configs=True)
"""Which DaemonSet is on which nodes, and what it provides there."""

FOR_DAEMONSETS = ClusterQuery(needs_configs=True)
"""What DaemonSets are: no node and no pod."""


def plan_cluster_query(commands: Sequence[Command], namespace: str, read_file: Callable[[str], Sequence[object]]) -> ClusterQuery:
    """What command lines need, together.

    1. A change of nodes needs these nodes and their pods. One of named DaemonSets needs all nodes and the pods of these DaemonSets; one
       of DaemonSets that a selector chooses, all pods.
    2. Files are read to see which nodes and DaemonSets they hold (`read_file`). `namespace` is the one of the context.
    3. A command that may evict ordinary pods needs all nodes, all pods, budgets, and what controls pods.
    4. Where some of the lines need nodes and some DaemonSets, everything is needed.
    """
    return replace(_merge_queries(commands, namespace, read_file), namespaces=list_named_namespaces(commands))


def _merge_queries(commands: Sequence[Command], namespace: str, read_file: Callable[[str], Sequence[object]]) -> ClusterQuery:
    found = [_plan_command(command, namespace, read_file) for command in commands]
    budgets, owners = any(query.needs_budgets for query in found), any(query.needs_owners for query in found)
    around = any(query.needs_admission for query in found)
    every_node = [query for query in found if query.all_nodes]
    if not every_node:
        return ClusterQuery(
            frozenset().union(*(query.nodes for query in found)),
            tuple(dict.fromkeys(selector for query in found for selector in query.selectors)),
            tuple(dict.fromkeys(pod for query in found for pod in query.pods_with_node)),
            needs_admission=around,
        )
    named = [query.daemonsets for query in every_node if query.daemonsets is not None]
    only = len(named) == len(found)
    daemonsets = frozenset().union(*named) if only else None
    return ClusterQuery(all_nodes=True, daemonsets=daemonsets, needs_budgets=budgets, needs_owners=owners, needs_admission=around)


def _plan_command(command: Command, namespace: str, read_file: Callable[[str], Sequence[object]]) -> ClusterQuery:
    if command.may_evict:
        return FOR_EVICTIONS
    if isinstance(command, PatchObjects):
        chosen = command.targets
        if command.resource == NODE:
            return ClusterQuery(frozenset(chosen.names))
        return ClusterQuery(all_nodes=True, daemonsets=_list_named(chosen, namespace), needs_admission=True)
    if isinstance(command, SetImage | RestartRollout):
        return ClusterQuery(all_nodes=True, daemonsets=_list_named(command.daemonsets, namespace), needs_admission=True)
    if isinstance(command, DeleteDaemonSets):
        return ClusterQuery(all_nodes=True, daemonsets=_list_named(command.daemonsets, namespace))
    if isinstance(command, DeleteNamespaces):
        return ClusterQuery(all_nodes=True)
    if isinstance(command, ApplyFiles | DeleteFiles):
        objects = [item for file in command.files for item in read_file(file)]
        if isinstance(command, DeleteFiles) and any(isinstance(item, Namespace) for item in objects):
            return ClusterQuery(all_nodes=True)
        return _plan_files(objects, command.namespace or namespace, needs_admission=isinstance(command, ApplyFiles))
    if isinstance(command, DeletePods):
        chosen = command.pods
        if command.node:
            return ClusterQuery(frozenset({command.node}))
        if chosen.names:
            return ClusterQuery(pods_with_node=tuple((chosen.namespace or namespace, name) for name in chosen.names))
        return ClusterQuery(all_nodes=True)
    nodes: TargetObjects = getattr(command, "nodes")  # noqa: B009 (all others have nodes)
    if nodes.selector is not None:
        return ClusterQuery(selectors=(str(nodes.selector),))
    return ClusterQuery(all_nodes=True) if nodes.all else ClusterQuery(frozenset(nodes.names))


def _list_named(chosen: TargetObjects, namespace: str) -> frozenset[NamespacedName] | None:
    """The DaemonSets that are chosen by name; None where a selector chooses."""
    return frozenset((chosen.namespace or namespace, name) for name in chosen.names) if chosen.names else None


def _plan_files(objects: Sequence[object], namespace: str, *, needs_admission: bool) -> ClusterQuery:
    """What the objects of files need: a template of a pool may touch any node."""
    nodes = [item for item in objects if isinstance(item, Node)]
    daemonsets = [item for item in objects if isinstance(item, DaemonSet)]
    if nodes and not daemonsets and all(node.pool is None for node in nodes):
        return ClusterQuery(frozenset(node.name for node in nodes))
    named = frozenset((daemonset.metadata.namespace or namespace, daemonset.metadata.name) for daemonset in daemonsets)
    return ClusterQuery(all_nodes=True, daemonsets=None if nodes else named, needs_admission=needs_admission)


def plan_node_lists(cluster_query: ClusterQuery, named: Collection[str]) -> Iterator[ListQuery]:
    """The lists of nodes: those of `named`, and those that selectors choose; one of all nodes where many are named."""
    if cluster_query.all_nodes or len(named) > _MAX_NODES_ASKED_ONE_BY_ONE:
        yield ListQuery(NODES)
        return
    for name in sorted(named):
        yield ListQuery(NODES, fields=f"metadata.name={name}")
    for selector in cluster_query.selectors:
        yield ListQuery(NODES, labels=selector)


def plan_kinds(cluster_query: ClusterQuery) -> tuple[ApiResource, ...]:
    """The kinds beside nodes, DaemonSets and pods of which every object is asked for."""
    return (
        ((BUDGETS,) if cluster_query.needs_budgets else ())
        + (ADMISSION if cluster_query.needs_admission else ())
        + (OWNERS if cluster_query.needs_owners else ())
    )


def plan_state_lists(cluster_query: ClusterQuery) -> list[ListQuery]:
    """The lists of what says how things are."""
    return [_STATE_QUERIES.get(resource, ListQuery(resource)) for resource in STATE_RESOURCES] if cluster_query.needs_state else []


def plan_pod_lists(cluster_query: ClusterQuery, nodes: Collection[str], daemonsets: Sequence[DaemonSet]) -> Iterator[ListQuery]:
    """The lists of pods: those of `nodes` (the known and the named ones) node by node, or all of them.

    1. A server finds the pods of a node without reading all. The pods that no node has yet are asked for too: `UNBOUND_PODS`.
    2. Of all nodes, the pods of named DaemonSets are asked for by the selectors of these.
    """
    if cluster_query.all_nodes and cluster_query.daemonsets is not None:
        for daemonset in daemonsets:
            if _get_name(daemonset) in cluster_query.daemonsets:
                yield from _plan_pods_of(daemonset)
        return
    if cluster_query.all_nodes or len(nodes) > _MAX_NODES_ASKED_ONE_BY_ONE:
        yield ListQuery(PODS)
        return
    for name in sorted(nodes):
        yield ListQuery(PODS, fields=f"spec.nodeName={name}")
    if nodes:
        yield UNBOUND_PODS


def plan_named_pods(pods: Iterable[NamespacedName]) -> list[ListQuery]:
    """The lists that show single pods."""
    return [ListQuery(PODS, namespace, fields=f"metadata.name={name}") for namespace, name in pods]


def plan_dependent_lists(listed: Collection[ApiResource]) -> Iterator[ListQuery]:
    """The lists of what may depend on a DaemonSet, without the kinds that are listed already."""
    return (ListQuery(resource) for resource in DEPENDENTS if resource not in listed)


def plan_replica_set_lists(pods: Mapping[NamespacedName, SchedulerPod], deployments: Collection[NamespacedName]) -> Iterator[ListQuery]:
    """The ReplicaSets of the namespaces where a pod is of a ReplicaSet that is of no known Deployment."""
    namespaces = set()
    for namespace, name in pods:
        pod = pods[namespace, name]
        owner, hash = pod.controller, pod.metadata.labels.get("pod-template-hash", "")
        if owner is not None and owner.kind == "ReplicaSet":
            above, _, tail = owner.name.rpartition("-")
            if tail != hash or (namespace, above) not in deployments:
                namespaces.add(namespace)
    return (ListQuery(REPLICASETS, namespace) for namespace in sorted(namespaces))


def plan_config_lists(daemonsets: Iterable[DaemonSet]) -> Iterator[ListQuery]:
    """The ConfigMaps that say what DaemonSets provide."""
    from preflight.components import list_config_names

    names = {(daemonset.metadata.namespace, name) for daemonset in daemonsets for name in list_config_names(daemonset)}
    return (ListQuery(CONFIGS, namespace, fields=f"metadata.name={name}") for namespace, name in sorted(names))


def is_unrestricted(query: ListQuery) -> bool:
    """Whether it asks for every object of a kind that anything is read of."""
    return query == _STATE_QUERIES.get(query.resource, ListQuery(query.resource))


def select_listed_daemonsets(
    cluster_query: ClusterQuery, daemonsets: Iterable[DaemonSet], unlisted: Collection[ListQuery]
) -> frozenset[NamespacedName] | None:
    """The named DaemonSets whose pods were had, where only theirs were asked for; `unlisted` are the lists that were refused."""
    if not cluster_query.all_nodes or cluster_query.daemonsets is None:
        return None
    refused = {_get_name(daemonset) for daemonset in daemonsets if not set(unlisted).isdisjoint(_plan_pods_of(daemonset))}
    return cluster_query.daemonsets - refused


def _get_name(daemonset: DaemonSet) -> NamespacedName:
    return daemonset.metadata.namespace, daemonset.metadata.name


def _plan_pods_of(daemonset: DaemonSet) -> Iterator[ListQuery]:
    if daemonset.spec.selector is not None:
        yield ListQuery(PODS, daemonset.metadata.namespace, labels=_format_label_selector(daemonset.spec.selector))


def _format_label_selector(selector: LabelSelector) -> str:
    """A selector of labels as the API takes it in a query."""
    parts = [f"{key}={value}" for key, value in selector.matchLabels.items()]
    for expression in selector.matchExpressions:
        if expression.operator == "Exists":
            parts.append(expression.key)
        elif expression.operator == "DoesNotExist":
            parts.append(f"!{expression.key}")
        else:
            parts.append(f"{expression.key} {expression.operator.lower()} ({','.join(expression.values)})")
    return ",".join(parts)
