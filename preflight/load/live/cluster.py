"""A cluster, asked for what a change needs of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from preflight.errors import InputError
from preflight.inert_text import make_inert
from preflight.load.collector import ObjectCollector
from preflight.load.live import lists
from preflight.load.live.connection import ApiConnection, HttpStatusError
from preflight.load.live.feature_gates import detect_comparison_operators
from preflight.load.live.fetch import LIVE_SOURCE, ListClient, QueryResult, fetch_map
from preflight.load.live.late_owners import plan_late_owner_lists
from preflight.load.live.node_search import NodeSearch, SearchStep
from preflight.load.live.peers import may_have_old_pods, plan_peer_lists
from preflight.load.live.planner import ClusterQuery, NamespacedName
from preflight.load.live.resources import DAEMONSETS, NODES, PODS, ApiResource, ListQuery
from preflight.load.live.survey import ClusterSurvey
from preflight.load.live.target import ClusterTarget
from preflight.messages.live import (
    describe_no_daemonset,
    describe_progress,
)
from preflight.model.apps import DaemonSet, Deployment
from preflight.model.core import CoveragePod, Node
from preflight.model.meta import Metadata
from preflight.model.policy import PodDisruptionBudget
from preflight.model.world import ClusterListing

if TYPE_CHECKING:
    from preflight.evictions.replacement_placement import MissingNodes
    from preflight.model.pod_scheduling import SchedulerPod


class LiveCluster:
    """A cluster that is asked; to be closed at the end, for its connections are open until then.

    `connection` knows its context and server, and what the asking came to.
    """

    def __init__(self, target: ClusterTarget) -> None:
        """Read the kubeconfig; nothing is asked yet. Errors: InputError where it does not lead to a server."""
        self.connection = ApiConnection(target)
        self._collector = ObjectCollector()
        self._client = ListClient(self.connection, self._show_progress)
        self._survey = ClusterSurvey()
        self._pods: dict[NamespacedName, CoveragePod] = {}
        self._other_pods: tuple[CoveragePod, ...] = ()
        self._pods_version = ""
        self._known: set[tuple[str, str, str]] = set()
        self._replica_set_lists: set[ListQuery] = set()
        self._search: NodeSearch | None = None
        self._listed_resources: set[ApiResource] = set()
        self._namespaces: tuple[str, ...] = (self.connection.namespace,)
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
        2. Where pods may have to go from nodes, what shares a budget or an owner with them is asked for too. Where the replacements find
           room is another question: `collect_missing`.
        3. Where the right to list a kind in all namespaces is missing, those of the context and of the command lines are tried. Lists are
           of different moments: an owner that a pod names and that was not listed before is asked for once more.
        4. Without the right to list nodes, those that the change names are partly known. Without the one to list pods, they are assumed.

        Errors: InputError where no DaemonSet can be had, or the server cannot be asked.
        """
        self._collector, self._other_pods = collector, tuple(collector.pods)
        self._client = ListClient(
            self.connection,
            self._show_progress,
            wants_whole_pods=collector.wants_whole_pods,
            wants_pod_texts=collector.pod_texts is not None,
            wants_state=collector.runtime_state is not None,
        )
        self._namespaces = tuple(dict.fromkeys((self.connection.namespace, *cluster_query.namespaces)))
        named = frozenset(cluster_query.nodes)
        if cluster_query.pods_with_node:
            self._run_queries(lists.plan_named_pods(cluster_query.pods_with_node))
            named |= {pod.spec.nodeName for pod in self._pods.values() if pod.spec.nodeName}
        version = _read_version(fetch_map(self.connection, "/version"))
        kinds = lists.plan_kinds(cluster_query)
        self._listed_resources.update(kinds)
        self._run_queries(
            [
                ListQuery(DAEMONSETS),
                *lists.plan_node_lists(cluster_query, named),
                *(ListQuery(resource) for resource in kinds),
                *lists.plan_state_lists(cluster_query),
                *lists.plan_operator_lists(cluster_query),
            ]
        )
        daemonsets = list(self._iter_daemonsets())
        missing = self._survey.missing
        if not daemonsets and "DaemonSet" in missing:
            raise InputError(f"{self.connection.server}: {describe_no_daemonset(missing['DaemonSet'])}")
        nodes = self._list_node_names() | named
        if cluster_query.evicts_from_nodes and len(nodes) > lists.MAX_NODES_ASKED_ONE_BY_ONE:
            cluster_query = replace(cluster_query, all_nodes=True)
            self._run_queries([ListQuery(NODES)])
        is_misnamed = "Node" not in missing and (not named <= self._list_node_names() or bool(cluster_query.selectors and not nodes))
        if is_misnamed and not cluster_query.all_nodes:
            self._run_queries([ListQuery(NODES)])  # so that the refusal can say which node was meant
        has_old_pods = cluster_query.evicts_from_nodes and any(map(may_have_old_pods, daemonsets))
        if has_old_pods:
            self._run_queries([ListQuery(NODES)])
        self._search = None if cluster_query.all_nodes else NodeSearch()
        self._evicts_from_nodes = cluster_query.evicts_from_nodes
        self._collect_pods(cluster_query, nodes, daemonsets)
        collector.survey = ClusterListing(
            context=self.connection.context,
            server=self.connection.server,
            version=version,
            namespace=self.connection.namespace,
            live=True,
            daemonsets=lists.select_listed_daemonsets(cluster_query, daemonsets, self._survey.unlisted),
            pod_nodes=nodes if cluster_query.evicts_from_nodes else None,
            nodes=False,
            comparison_operators=detect_comparison_operators(daemonsets, version, self._read_metrics),
        )
        self._update_listing(SearchStep((), has_all_nodes=bool(cluster_query.all_nodes or has_old_pods or is_misnamed)))
        more = [*lists.plan_dependent_lists(self._listed_resources)] if cluster_query.needs_dependents else []
        self._run_queries([*more, *(lists.plan_config_lists(self._iter_daemonsets()) if cluster_query.needs_configs else ())])

    def collect_dependents(self) -> None:
        """Put what may depend on DaemonSets beside it, and the ConfigMaps that say what they provide.

        Where pods have to go, all nodes are asked for as well: what keeps providing it, and where pods may go, is a question of all nodes.
        """
        nodes = [ListQuery(NODES)] if self._evicts_from_nodes and not self._get_listing().nodes else []
        dependents = lists.plan_dependent_lists(self._listed_resources)
        self._run_queries([*nodes, *dependents, *lists.plan_config_lists(self._iter_daemonsets())])
        if nodes:
            self._update_listing(SearchStep((), has_all_nodes=True))

    def collect_missing(self, missing: MissingNodes) -> bool:
        """Ask for some of the nodes and pods that are missing; False where nothing more can be had."""
        step = self._search.plan_step(missing, self._get_listing()) if self._search is not None else None
        if step is None:
            return False
        self._run_queries(step.queries, self._pods_version)
        if step.has_all_pods:
            self._run_queries([*self._plan_replica_sets()])
        self._update_listing(step)
        return True

    def _collect_pods(self, cluster_query: ClusterQuery, nodes: frozenset[str], daemonsets: Sequence[DaemonSet]) -> None:
        """Pods, and what controls those that may have to go."""
        pod_lists = list(lists.plan_pod_lists(cluster_query, nodes, daemonsets))
        for result in self._run_queries([query for query in pod_lists if query == lists.UNBOUND_PODS]):
            self._pods_version = result.version
        self._run_queries([query for query in pod_lists if query != lists.UNBOUND_PODS], self._pods_version)
        complete = self._survey.complete - self._survey.missing.keys()
        self._run_queries([*plan_late_owner_lists(self._pods.values(), self._collector.objects, complete)])
        if cluster_query.needs_owners:
            self._run_queries([*self._plan_replica_sets()])
        if cluster_query.evicts_from_nodes:
            known = {daemonset.key[:2]: daemonset for daemonset in daemonsets}
            budgets = [item for item in self._collector.objects if isinstance(item, PodDisruptionBudget)]
            owners = [item for item in self._collector.objects if isinstance(item, Deployment)]
            self._run_queries(plan_peer_lists(self._list_whole_pods().values(), nodes, budgets, owners, known))
            self._run_queries([*self._plan_replica_sets()])

    def _plan_replica_sets(self) -> Iterator[ListQuery]:
        """The lists of ReplicaSets that no known Deployment has, without those that were asked for already."""
        for query in lists.plan_replica_set_lists(self._list_whole_pods(), self._list_deployments()):
            if query not in self._replica_set_lists:
                self._replica_set_lists.add(query)
                yield query

    def _get_listing(self) -> ClusterListing:
        assert self._collector.survey is not None
        return self._collector.survey

    def _update_listing(self, step: SearchStep) -> None:
        """What is known of the whole, after more was asked for."""
        listing, missing, collector = self._get_listing(), self._survey.missing, self._collector
        collector.pods[:] = [*self._other_pods, *self._pods.values()]
        collector.survey = replace(
            listing,
            listed=self._survey.listed,
            pod_nodes=None if step.has_all_pods or listing.pod_nodes is None else listing.pod_nodes.union(step.listed_nodes),
            nodes=(step.has_all_nodes or listing.nodes) and "Node" not in missing,
            missing=missing,
            forbidden=self._survey.forbidden,
            partly_listed=self._survey.partly_listed,
            complete=frozenset(self._survey.complete - missing.keys()),
        )

    def _list_node_names(self) -> frozenset[str]:
        return frozenset(node.name for node in self._collector.objects if isinstance(node, Node) and node.origin.file == LIVE_SOURCE)

    def collect_all_pods(self) -> None:
        """Put every other pod beside those of named DaemonSets; without the right to list them all, what is known stays as it is."""
        for answer in self._client.run_queries([ListQuery(PODS)]):
            if answer.error:
                return
            self._add_result(answer)
        self._collector.pods[:] = [*self._other_pods, *self._pods.values()]
        self._collector.survey = replace(self._get_listing(), listed=None, daemonsets=None)

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

    def _run_queries(self, queries: Sequence[ListQuery], version: str = "") -> list[QueryResult]:
        """Ask, and take what comes; where a kind may not be listed in all namespaces, it is tried once in the known ones."""
        refused: list[ListQuery] = []
        answers = self._client.run_queries(queries, version)
        for answer in answers:
            query = answer.query
            if self._survey.add_answer(query, answer.failure, answer.error, is_whole_kind=lists.is_unrestricted(query)):
                refused.append(query)
            self._add_result(answer)
        for query in refused:
            parts = [replace(query, namespace=namespace) for namespace in self._namespaces]
            parted = self._client.run_queries(parts)
            self._survey.add_namespace_answers(query, [(answer.query.namespace, answer.error) for answer in parted])
            for answer in parted:
                self._add_result(answer)
        return answers

    def _add_result(self, query_result: QueryResult) -> None:
        collected, collector = query_result.collected, self._collector
        for item in collected.objects:
            metadata: Metadata = getattr(item, "metadata")  # noqa: B009 (every object has it, their base does not say so)
            key = (type(item).__name__, metadata.namespace, metadata.name)
            if key not in self._known:
                self._known.add(key)
                collector.objects.append(item)
        for resource in collected.operator_resources:
            identity = (f"{resource.kind}.{resource.group}", resource.namespace, resource.name)
            if identity not in self._known:
                self._known.add(identity)
                collector.operator_resources.append(resource)
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
            sys.stderr.write(f"\r\x1b[K{make_inert(words)[:78]}")
            sys.stderr.flush()


def _read_version(answer: Mapping[str, Any]) -> str:
    """The version that a server answers at /version, `1.37+` where it gives no release; "" where it gives none."""
    minor = answer.get("minor")
    return str(answer.get("gitVersion") or (f"{answer.get('major')}.{minor}" if minor else ""))
