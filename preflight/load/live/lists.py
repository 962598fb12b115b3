"""The lists that show what a query asks of a cluster. Nothing is asked here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from preflight.load.live.planner import ClusterQuery, NamespacedName, get_name
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
    list_operator_resources,
)
from preflight.model.apps import DaemonSet
from preflight.model.meta import LabelSelector
from preflight.operators.resource import list_config_map_sources

if TYPE_CHECKING:
    from preflight.model.pod_scheduling import SchedulerPod

UNBOUND_PODS = ListQuery(PODS, fields="spec.nodeName=")
"""The pods that no node has yet."""

MAX_NODES_ASKED_ONE_BY_ONE = 1_000
"""Of more nodes than this, the pods are asked for in one list of all."""

_STATE_QUERIES = {EVENTS: ListQuery(EVENTS, fields="type=Warning")}


def plan_node_lists(cluster_query: ClusterQuery, named: Collection[str]) -> Iterator[ListQuery]:
    """The lists of nodes: those of `named`, and those that selectors choose; one of all nodes where many are named."""
    if cluster_query.all_nodes or len(named) > MAX_NODES_ASKED_ONE_BY_ONE:
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
    2. Of all nodes, the pods of named DaemonSets are asked for by the selectors of these; of one that does not exist yet, those that
       it adopts.
    """
    if cluster_query.all_nodes and cluster_query.daemonsets is not None:
        for daemonset in _list_pod_owners(cluster_query, daemonsets):
            yield from plan_pods_of(daemonset)
        return
    if cluster_query.all_nodes or len(nodes) > MAX_NODES_ASKED_ONE_BY_ONE:
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


def plan_operator_lists(cluster_query: ClusterQuery) -> Iterator[ListQuery]:
    """The lists of the custom resources, and of the ConfigMaps, that known operators read."""
    kinds = None if cluster_query.needs_operators else cluster_query.operator_kinds
    yield from (ListQuery(resource) for resource in list_operator_resources(kinds))
    for name, group in list_config_map_sources() if cluster_query.needs_operators else ():
        yield ListQuery(CONFIGS, fields=f"metadata.name={name}", needs_group=group)


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
    owners = _list_pod_owners(cluster_query, daemonsets)
    refused = {get_name(daemonset) for daemonset in owners if not set(unlisted).isdisjoint(plan_pods_of(daemonset))}
    return cluster_query.daemonsets - refused


def _list_pod_owners(cluster_query: ClusterQuery, daemonsets: Iterable[DaemonSet]) -> list[DaemonSet]:
    """The named DaemonSets that exist, and those of files that do not exist yet."""
    named = cluster_query.daemonsets or frozenset()
    existing = {get_name(daemonset): daemonset for daemonset in daemonsets if get_name(daemonset) in named}
    return [*existing.values(), *(daemonset for daemonset in cluster_query.applied_daemonsets if get_name(daemonset) not in existing)]


def plan_pods_of(daemonset: DaemonSet) -> Iterator[ListQuery]:
    """The pods that a DaemonSet selects."""
    if daemonset.spec.selector is not None:
        yield ListQuery(PODS, daemonset.metadata.namespace, labels=format_label_selector(daemonset.spec.selector))


def format_label_selector(selector: LabelSelector) -> str:
    """A selector of labels as the API takes it in a query; "" selects everything."""
    parts = [f"{key}={value}" for key, value in selector.matchLabels.items()]
    for expression in selector.matchExpressions:
        if expression.operator == "Exists":
            parts.append(expression.key)
        elif expression.operator == "DoesNotExist":
            parts.append(f"!{expression.key}")
        else:
            parts.append(f"{expression.key} {expression.operator.lower()} ({','.join(expression.values)})")
    return ",".join(parts)
