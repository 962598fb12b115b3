"""A cluster, asked for what a change needs of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from preflight.errors import InputError
from preflight.load.collector import ObjectCollector
from preflight.load.live import planner
from preflight.load.live.connection import ApiConnection, HttpStatusError
from preflight.load.live.feature_gates import detect_comparison_operators
from preflight.load.live.fetch import LIVE_SOURCE, ListClient, QueryResult, fetch_map
from preflight.load.live.planner import ClusterQuery, NamespacedName
from preflight.load.live.resources import DAEMONSETS, PODS, ApiResource, ListQuery
from preflight.load.live.survey import ClusterSurvey
from preflight.load.live.target import ClusterTarget
from preflight.messages.live import (
    describe_no_daemonset,
    describe_progress,
)
from preflight.model.apps import DaemonSet, Deployment
from preflight.model.core import CoveragePod, Node
from preflight.model.meta import Metadata
from preflight.model.world import ClusterListing

if TYPE_CHECKING:
    from preflight.model.pod_scheduling import SchedulerPod


class LiveCluster:
    """A cluster that is asked; to be closed at the end, for credentials may lie in files until then.

    `connection` knows its context and server, and what the asking came to.
    """

    def __init__(self, target: ClusterTarget) -> None:
        """Read the kubeconfig; nothing is asked yet. Errors: InputError where it does not lead to a server."""
        self.connection = ApiConnection(target)
        self._collector = ObjectCollector()
        self._client = ListClient(self.connection, self._show_progress)
        self._survey = ClusterSurvey()
        self._pods: dict[NamespacedName, CoveragePod] = {}
        self._known: set[tuple[str, str, str]] = set()
        self._listed_resources: set[ApiResource] = set()
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
        self._collector = collector
        self._client = ListClient(
            self.connection,
            self._show_progress,
            wants_whole_pods=collector.wants_whole_pods,
            wants_pod_texts=collector.pod_texts is not None,
            wants_state=collector.runtime_state is not None,
        )
        named = frozenset(cluster_query.nodes)
        if cluster_query.pods_with_node:
            self._run_queries(planner.plan_named_pods(cluster_query.pods_with_node))
            named |= {pod.spec.nodeName for pod in self._pods.values() if pod.spec.nodeName}
        version = fetch_map(self.connection, "/version")
        kinds = planner.plan_kinds(cluster_query)
        self._listed_resources.update(kinds)
        self._run_queries(
            [
                ListQuery(DAEMONSETS),
                *planner.plan_node_lists(cluster_query, named),
                *(ListQuery(resource) for resource in kinds),
                *planner.plan_state_lists(cluster_query),
            ]
        )
        daemonsets = list(self._iter_daemonsets())
        missing = self._survey.missing
        if not daemonsets and "DaemonSet" in missing:
            raise InputError(f"{self.connection.server}: {describe_no_daemonset(missing['DaemonSet'])}")
        nodes = {node.name for node in collector.objects if isinstance(node, Node) and node.origin.file == LIVE_SOURCE} | named
        pod_lists = list(planner.plan_pod_lists(cluster_query, nodes, daemonsets))
        self._run_queries([query for query in pod_lists if query == planner.UNBOUND_PODS])
        self._run_queries([query for query in pod_lists if query != planner.UNBOUND_PODS])
        if cluster_query.needs_owners:
            self._run_queries([*planner.plan_replica_set_lists(self._list_whole_pods(), self._list_deployments())])
        collector.pods += self._pods.values()
        collector.survey = ClusterListing(
            context=self.connection.context,
            server=self.connection.server,
            version=str(version.get("gitVersion") or ""),
            namespace=self.connection.namespace,
            live=True,
            listed=self._survey.listed,
            daemonsets=planner.select_listed_daemonsets(cluster_query, daemonsets, self._survey.unlisted),
            nodes=cluster_query.all_nodes and "Node" not in missing,
            missing=missing,
            complete=frozenset(self._survey.complete - missing.keys()),
            comparison_operators=detect_comparison_operators(daemonsets, version, self._read_metrics),
        )
        more = [*planner.plan_dependent_lists(self._listed_resources)] if cluster_query.needs_dependents else []
        self._run_queries([*more, *(planner.plan_config_lists(self._iter_daemonsets()) if cluster_query.needs_configs else ())])

    def collect_dependents(self) -> None:
        """Put what may depend on DaemonSets beside it, and the ConfigMaps that say what they provide."""
        self._run_queries([*planner.plan_dependent_lists(self._listed_resources), *planner.plan_config_lists(self._iter_daemonsets())])

    def collect_all_pods(self) -> None:
        """Put every other pod beside those of named DaemonSets; without the right to list them all, what is known stays as it is."""
        survey, known = self._collector.survey, set(self._pods)
        for answer in self._client.run_queries([ListQuery(PODS)]):
            if answer.error or survey is None:
                return
            self._add_result(answer)
        assert survey is not None
        self._collector.pods += (pod for key, pod in self._pods.items() if key not in known)
        self._collector.survey = msgspec.structs.replace(survey, listed=None, daemonsets=None)

    def _list_whole_pods(self) -> Mapping[NamespacedName, SchedulerPod]:
        state = self._collector.runtime_state
        return self._collector.whole_pods if state is None else state.pods

    def _list_deployments(self) -> set[NamespacedName]:
        return {
            (deployment.metadata.namespace, deployment.metadata.name)
            for deployment in self._collector.objects
            if type(deployment) is Deployment
        }

    def _iter_daemonsets(self) -> Iterator[DaemonSet]:
        return (
            daemonset for daemonset in self._collector.objects if isinstance(daemonset, DaemonSet) and daemonset.origin.file == LIVE_SOURCE
        )

    def _run_queries(self, queries: Sequence[ListQuery]) -> None:
        """Ask, and take what comes; where a kind may not be listed in all namespaces, that of the context is tried once."""
        refused: list[ListQuery] = []
        for answer in self._client.run_queries(queries):
            query = answer.query
            if self._survey.add_answer(query, answer.status, answer.error, is_whole_kind=planner.is_unrestricted(query)):
                refused.append(query)
            if not answer.error:
                self._add_result(answer)
        own = self.connection.namespace
        for answer in self._client.run_queries([ListQuery(query.resource, own, query.fields, query.labels) for query in refused]):
            self._survey.add_namespace_answer(answer.query, answer.error)
            if not answer.error:
                self._add_result(answer)

    def _add_result(self, query_result: QueryResult) -> None:
        collected, collector = query_result.collected, self._collector
        collector.problems += collected.problems
        for item in collected.objects:
            metadata: Metadata = getattr(item, "metadata")  # noqa: B009 (every object has it, their base does not say so)
            key = (type(item).__name__, metadata.namespace, metadata.name)
            if key not in self._known:
                self._known.add(key)
                collector.objects.append(item)
        collector.whole_pods.update(collected.whole_pods)
        if collector.pod_texts is not None and collected.pod_texts is not None:
            collector.pod_texts.update(collected.pod_texts)
        if collector.runtime_state is not None and collected.runtime_state is not None:
            collector.runtime_state.merge(collected.runtime_state)
        self._pods.update({(pod.metadata.namespace, pod.metadata.name): pod for pod in collected.pods})

    def _read_metrics(self) -> bytes:
        try:
            return self.connection.get("/metrics")
        except (HttpStatusError, InputError):
            return b""

    def _show_progress(self, query: ListQuery) -> None:
        self._write_status(describe_progress(self.connection.context, self.connection.requests, query.resource.plural))

    def _write_status(self, words: str) -> None:
        """Write over the line on standard error that says what is going on; "" clears it."""
        if self._shows_progress:
            sys.stderr.write(f"\r\x1b[K{words[:78]}")
            sys.stderr.flush()
