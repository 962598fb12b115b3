"""A cluster, asked for what a change needs of it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from preflight.errors import InputError
from preflight.load.collector import ObjectCollector
from preflight.load.live.connection import ApiConnection, HttpStatusError
from preflight.load.live.listing import LIVE_SOURCE, ListClient, ListQuery, QueryResult, fetch_map
from preflight.load.live.requirements import ClusterQuery, NamespacedName
from preflight.load.live.resources import (
    ADMISSION,
    BUDGETS,
    CONFIGS,
    DAEMONSETS,
    DEPENDENTS,
    EVENTS,
    NODES,
    OWNERS,
    PODS,
    REPLICASETS,
    STATE_RESOURCES,
    ApiResource,
)
from preflight.load.live.target import ClusterTarget
from preflight.model.objects import CoveragePod, DaemonSet, Deployment, LabelSelector, Metadata, Node
from preflight.model.world import ClusterListing

if TYPE_CHECKING:
    from preflight.model.pod_scheduling import SchedulerPod

_BY_NODE = 300
"""Of more nodes than this, the pods are asked for in one list of all."""

_UNBOUND = "spec.nodeName="

_STATE_QUERY = {EVENTS: ListQuery(EVENTS, fields="type=Warning")}

_GATE = "TaintTolerationComparisonOperators"
_ENABLED = re.compile(rb'^kubernetes_feature_enabled\{name="' + _GATE.encode() + rb'",[^}]*\} ([01])', re.MULTILINE)
_GATED_FROM = (1, 35)


class LiveCluster:
    """A cluster that is asked; to be closed at the end, for credentials may lie in files until then.

    `connection` knows its context and server, and what the asking came to.
    """

    def __init__(self, target: ClusterTarget) -> None:
        """Read the kubeconfig; nothing is asked yet. Errors: InputError where it does not lead to a server."""
        self.connection = ApiConnection(target)
        self._gathered = ObjectCollector()
        self._lists = ListClient(self.connection, self._show_progress)
        self._missing: dict[str, str] = {}
        self._pods: dict[NamespacedName, CoveragePod] = {}
        self._known: set[tuple[str, str, str]] = set()
        self._listed: frozenset[str] | None = None
        self._unlisted: set[ListQuery] = set()
        self._complete: set[str] = set()
        self._asked: set[ApiResource] = set()
        self._version: Mapping[str, Any] = {}
        self._shows_progress = target.shows_progress

    def __enter__(self) -> LiveCluster:
        return self

    def __exit__(self, *error: object) -> None:
        self._write_status("")
        self.connection.close()

    def collect(self, cluster_query: ClusterQuery, collector: ObjectCollector) -> None:
        """Put what is asked for into `collector`, and what is known of the whole.

        1. Nodes and DaemonSets come first; the pods of nodes are asked for node by node, since a server finds those without reading all,
           and before them those that no node has yet: one that is bound meanwhile is then in one list or in both. Those of named
           DaemonSets are asked for by their selectors.
        2. Where the right to list a kind in all namespaces is missing, that of the context is tried.
        3. Without the right to list nodes, those that the change names are partly known. Without the one to list pods, they are assumed.

        Errors: InputError where no DaemonSet can be had, or the server cannot be asked.
        """
        self._gathered = collector
        self._lists = ListClient(
            self.connection,
            self._show_progress,
            wants_whole_pods=collector.wants_whole_pods,
            wants_state=collector.runtime_state is not None,
        )
        named = frozenset(cluster_query.nodes)
        if cluster_query.pods_with_node:
            named |= self._find_nodes_of(cluster_query.pods_with_node)
        self._version = fetch_map(self.connection, "/version")
        queries = [ListQuery(DAEMONSETS), *self._iter_node_queries(cluster_query, named)]
        also = (
            ((BUDGETS,) if cluster_query.needs_budgets else ())
            + (ADMISSION if cluster_query.needs_admission else ())
            + (OWNERS if cluster_query.needs_owners else ())
        )
        queries += [ListQuery(resource) for resource in also]
        if cluster_query.needs_state:
            queries += [_STATE_QUERY.get(each, ListQuery(each)) for each in STATE_RESOURCES]
        self._asked.update(also)
        self._run_queries(queries)
        daemonsets = self._list_daemonsets()
        if not daemonsets and "DaemonSet" in self._missing:
            raise InputError(f"{self.connection.server}: no DaemonSet can be judged: {self._missing['DaemonSet']}")
        pods = [*self._iter_pod_queries(cluster_query, named, daemonsets)]
        self._run_queries([pod for pod in pods if pod.fields == _UNBOUND])
        self._run_queries([query for query in pods if query.fields != _UNBOUND])
        if cluster_query.needs_owners:
            self._run_queries([*self._iter_replica_set_queries()])
        collector.pods += self._pods.values()
        collector.survey = ClusterListing(
            context=self.connection.context,
            server=self.connection.server,
            version=str(self._version.get("gitVersion") or ""),
            namespace=self.connection.namespace,
            live=True,
            listed=self._listed,
            daemonsets=self._select_daemonsets(cluster_query, daemonsets),
            nodes=cluster_query.all_nodes and "Node" not in self._missing,
            missing=self._missing,
            complete=frozenset(self._complete - self._missing.keys()),
            comparison_operators=self._detect_feature_gate(daemonsets),
        )
        more = [*self._iter_dependent_queries()] if cluster_query.needs_dependents else []
        self._run_queries([*more, *(self._iter_config_queries() if cluster_query.needs_configs else ())])

    def collect_dependents(self) -> None:
        """Put what may depend on DaemonSets beside it, and the ConfigMaps that say what they provide."""
        self._run_queries([*self._iter_dependent_queries(), *self._iter_config_queries()])

    def _iter_dependent_queries(self) -> Iterator[ListQuery]:
        return (ListQuery(resource) for resource in DEPENDENTS if resource not in self._asked)

    def _iter_replica_set_queries(self) -> Iterator[ListQuery]:
        """The namespaces where a pod is of a ReplicaSet that is of no Deployment that is known."""
        deployments = {
            (deployment.metadata.namespace, deployment.metadata.name)
            for deployment in self._gathered.objects
            if type(deployment) is Deployment
        }
        namespaces = set()
        observed = self._gathered.runtime_state
        running: Mapping[NamespacedName, SchedulerPod] = self._gathered.whole_pods if observed is None else observed.pods
        for namespace, name in running:
            pod = running[namespace, name]
            owner, hash = pod.controller, pod.metadata.labels.get("pod-template-hash", "")
            if owner is not None and owner.kind == "ReplicaSet":
                above, _, tail = owner.name.rpartition("-")
                if tail != hash or (namespace, above) not in deployments:
                    namespaces.add(namespace)
        return (ListQuery(REPLICASETS, namespace) for namespace in sorted(namespaces))

    def _iter_config_queries(self) -> Iterator[ListQuery]:
        from preflight.components import list_config_names

        names = {(daemonset.metadata.namespace, name) for daemonset in self._list_daemonsets() for name in list_config_names(daemonset)}
        return (ListQuery(CONFIGS, namespace, fields=f"metadata.name={name}") for namespace, name in sorted(names))

    def _list_daemonsets(self) -> list[DaemonSet]:
        return [
            daemonset for daemonset in self._gathered.objects if isinstance(daemonset, DaemonSet) and daemonset.origin.file == LIVE_SOURCE
        ]

    def _find_nodes_of(self, pods: Iterable[NamespacedName]) -> frozenset[str]:
        queries = [ListQuery(PODS, namespace, fields=f"metadata.name={name}") for namespace, name in pods]
        self._run_queries(queries)
        return frozenset(pod.spec.nodeName for pod in self._pods.values() if pod.spec.nodeName)

    def _iter_node_queries(self, cluster_query: ClusterQuery, named: frozenset[str]) -> Iterator[ListQuery]:
        if cluster_query.all_nodes or len(named) > _BY_NODE:
            yield ListQuery(NODES)
            return
        for name in sorted(named):
            yield ListQuery(NODES, fields=f"metadata.name={name}")
        for selector in cluster_query.selectors:
            yield ListQuery(NODES, labels=selector)

    def _iter_pod_queries(self, cluster_query: ClusterQuery, named: frozenset[str], daemonsets: Sequence[DaemonSet]) -> Iterator[ListQuery]:
        if cluster_query.all_nodes and cluster_query.daemonsets is not None:
            for daemonset in daemonsets:
                if _get_key(daemonset) in cluster_query.daemonsets:
                    yield from _iter_pod_queries_of(daemonset)
            return
        nodes = {node.name for node in self._gathered.objects if isinstance(node, Node) and node.origin.file == LIVE_SOURCE} | named
        if cluster_query.all_nodes or len(nodes) > _BY_NODE:
            yield ListQuery(PODS)
            return
        for name in sorted(nodes):
            yield ListQuery(PODS, fields=f"spec.nodeName={name}")
        if nodes:
            yield ListQuery(PODS, fields=_UNBOUND)

    def _select_daemonsets(self, cluster_query: ClusterQuery, daemonsets: Sequence[DaemonSet]) -> frozenset[NamespacedName] | None:
        """Those of the named DaemonSets whose pods were had, where only theirs were asked for."""
        if not cluster_query.all_nodes or cluster_query.daemonsets is None:
            return None
        refused = {_get_key(daemonset) for daemonset in daemonsets if self._unlisted.intersection(_iter_pod_queries_of(daemonset))}
        return cluster_query.daemonsets - refused

    def _run_queries(self, queries: Sequence[ListQuery]) -> None:
        """Ask, and take what comes; where a kind may not be listed in all namespaces, that of the context is tried once."""
        refused: list[ListQuery] = []
        for answer in self._lists.run_queries(queries):
            query = answer.query
            if answer.status == 403 and query.resource.is_namespaced and not query.namespace:
                refused.append(query)
                self._missing[query.resource.kind] = answer.error
            elif answer.error:
                if not (answer.status == 404 and query.resource not in (NODES, DAEMONSETS, PODS)):
                    self._missing[query.resource.kind] = answer.error
                    self._add_unlisted(query)
                elif _is_unrestricted(query):
                    self._complete.add(query.resource.kind)
            else:
                self._add_result(answer)
                if _is_unrestricted(query):
                    self._complete.add(query.resource.kind)
        own = self.connection.namespace
        nearer = [ListQuery(each.resource, own, each.fields, each.labels) for each in refused]
        for answer in self._lists.run_queries(nearer):
            if not answer.error:
                self._add_result(answer)
                kind, only = answer.query.resource.kind, f"only those of namespace {own}: "
                self._missing[kind] = only + self._missing[kind].removeprefix(only)
            self._add_unlisted(answer.query, () if answer.error else (own,))

    def _add_unlisted(self, query: ListQuery, exceptions: Iterable[str] = ()) -> None:
        if query.resource is PODS:
            self._listed = frozenset(exceptions) if self._listed is None else self._listed.intersection(exceptions)
            self._unlisted.add(query)

    def _add_result(self, query_result: QueryResult) -> None:
        self._gathered.problems += query_result.collected.problems
        for each in query_result.collected.objects:
            metadata: Metadata = getattr(each, "metadata")  # noqa: B009 (every object has it, their base does not say so)
            key = (type(each).__name__, metadata.namespace, metadata.name)
            if key not in self._known:
                self._known.add(key)
                self._gathered.objects.append(each)
        self._gathered.whole_pods.update(query_result.collected.whole_pods)
        if self._gathered.runtime_state is not None and query_result.collected.runtime_state is not None:
            self._gathered.runtime_state.merge(query_result.collected.runtime_state)
        self._pods.update({(pod.metadata.namespace, pod.metadata.name): pod for pod in query_result.collected.pods})

    def _show_progress(self, query: ListQuery) -> None:
        self._write_status(f"asking {self.connection.context} ({self.connection.requests} requests so far): {query.resource.plural}")

    def _write_status(self, words: str) -> None:
        """Write over the line on standard error that says what is going on; "" clears it."""
        if self._shows_progress:
            sys.stderr.write(f"\r\x1b[K{words[:78]}")
            sys.stderr.flush()

    def _detect_feature_gate(self, daemonsets: Sequence[DaemonSet]) -> bool | None:
        """Whether Lt and Gt of tolerations are on: asked only where one is used. A server before 1.35 does not know them."""
        if not any(
            toleration.operator in ("Lt", "Gt") for daemonset in daemonsets for toleration in daemonset.spec.template.spec.tolerations
        ):
            return None
        version = _parse_version(self._version)
        if version and version < _GATED_FROM:
            return False
        try:
            found = _ENABLED.search(self.connection.get("/metrics"))
        except (HttpStatusError, InputError):
            found = None
        return found[1] == b"1" if found else None


def _is_unrestricted(query: ListQuery) -> bool:
    """Whether it asks for every object of a kind that anything is read of."""
    return query == _STATE_QUERY.get(query.resource, ListQuery(query.resource))


def _parse_version(version: Mapping[str, Any]) -> tuple[int, int] | None:
    """Major and minor, `37+` being 37; None where the server does not say."""
    found = re.fullmatch(r"([0-9]+)\.([0-9]+)\D*", f"{version.get('major')}.{version.get('minor')}")
    return (int(found[1]), int(found[2])) if found else None


def _get_key(daemonset: DaemonSet) -> NamespacedName:
    return daemonset.metadata.namespace, daemonset.metadata.name


def _iter_pod_queries_of(daemonset: DaemonSet) -> Iterator[ListQuery]:
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
