"""A cluster, asked for what a change needs of it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from preflight.errors import InputError
from preflight.load.collector import Gathered
from preflight.load.live.connection import Connection, Refused
from preflight.load.live.listing import LIVE, Answer, Lists, Query, value_of
from preflight.load.live.requirements import Asked, Named
from preflight.load.live.resources import (
    AROUND,
    BUDGETS,
    CONFIGS,
    DAEMONSETS,
    DEPENDENTS,
    EVENTS,
    NODES,
    OWNERS,
    PODS,
    REPLICASETS,
    STATE,
    Resource,
)
from preflight.load.live.target import Target
from preflight.model.objects import DaemonSet, Deployment, LabelSelector, ListedPod, Metadata, Node
from preflight.model.world import Survey

if TYPE_CHECKING:
    from preflight.model.pod_scheduling import ScheduledPod

_BY_NODE = 300
"""Of more nodes than this, the pods are asked for in one list of all."""

_UNBOUND = "spec.nodeName="

_STATE_QUERY = {EVENTS: Query(EVENTS, fields="type=Warning")}

_GATE = "TaintTolerationComparisonOperators"
_ENABLED = re.compile(rb'^kubernetes_feature_enabled\{name="' + _GATE.encode() + rb'",[^}]*\} ([01])', re.MULTILINE)
_GATED_FROM = (1, 35)


class Cluster:
    """A cluster that is asked; to be closed at the end, for credentials may lie in files until then.

    `connection` knows its context and server, and what the asking came to.
    """

    def __init__(self, target: Target) -> None:
        """Read the kubeconfig; nothing is asked yet. Errors: InputError where it does not lead to a server."""
        self.connection = Connection(target)
        self._gathered = Gathered()
        self._lists = Lists(self.connection, self._progress)
        self._missing: dict[str, str] = {}
        self._pods: dict[Named, ListedPod] = {}
        self._known: set[tuple[str, str, str]] = set()
        self._listed: frozenset[str] | None = None
        self._unlisted: set[Query] = set()
        self._complete: set[str] = set()
        self._asked: set[Resource] = set()
        self._version: Mapping[str, Any] = {}
        self._shows_progress = target.shows_progress

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *error: object) -> None:
        self._tell("")
        self.connection.close()

    def survey(self, asked: Asked, gathered: Gathered) -> None:
        """Put what is asked for into `gathered`, and what is known of the whole.

        1. Nodes and DaemonSets come first; the pods of nodes are asked for node by node, since a server finds those without reading all,
           and before them those that no node has yet: one that is bound meanwhile is then in one list or in both. Those of named
           DaemonSets are asked for by their selectors.
        2. Where the right to list a kind in all namespaces is missing, that of the context is tried.
        3. Without the right to list nodes, those that the change names are partly known. Without the one to list pods, they are assumed.

        Errors: InputError where no DaemonSet can be had, or the server cannot be asked.
        """
        self._gathered = gathered
        self._lists = Lists(
            self.connection, self._progress, wants_whole_pods=gathered.wants_whole_pods, wants_state=gathered.observed is not None
        )
        named = frozenset(asked.nodes)
        if asked.node_of:
            named |= self._nodes_of(asked.node_of)
        self._version = value_of(self.connection, "/version")
        queries = [Query(DAEMONSETS), *self._node_queries(asked, named)]
        also = ((BUDGETS,) if asked.budgets else ()) + (AROUND if asked.around else ()) + (OWNERS if asked.owners else ())
        queries += [Query(each) for each in also]
        if asked.state:
            queries += [_STATE_QUERY.get(each, Query(each)) for each in STATE]
        self._asked.update(also)
        self._take(queries)
        daemonsets = self._daemonsets()
        if not daemonsets and "DaemonSet" in self._missing:
            raise InputError(f"{self.connection.server}: no DaemonSet can be judged: {self._missing['DaemonSet']}")
        pods = [*self._pod_queries(asked, named, daemonsets)]
        self._take([each for each in pods if each.fields == _UNBOUND])
        self._take([each for each in pods if each.fields != _UNBOUND])
        if asked.owners:
            self._take([*self._replica_set_queries()])
        gathered.pods += self._pods.values()
        gathered.survey = Survey(
            context=self.connection.context,
            server=self.connection.server,
            version=str(self._version.get("gitVersion") or ""),
            namespace=self.connection.namespace,
            live=True,
            listed=self._listed,
            daemonsets=self._of_daemonsets(asked, daemonsets),
            nodes=asked.every_node and "Node" not in self._missing,
            missing=self._missing,
            complete=frozenset(self._complete - self._missing.keys()),
            comparison_operators=self._gate(daemonsets),
        )
        more = [*self._dependent_queries()] if asked.dependents else []
        self._take([*more, *(self._config_queries() if asked.configs else ())])

    def dependents(self) -> None:
        """Put what may depend on DaemonSets beside it, and the ConfigMaps that say what they provide."""
        self._take([*self._dependent_queries(), *self._config_queries()])

    def _dependent_queries(self) -> Iterator[Query]:
        return (Query(each) for each in DEPENDENTS if each not in self._asked)

    def _replica_set_queries(self) -> Iterator[Query]:
        """The namespaces where a pod is of a ReplicaSet that is of no Deployment that is known."""
        deployments = {(each.metadata.namespace, each.metadata.name) for each in self._gathered.objects if type(each) is Deployment}
        namespaces = set()
        observed = self._gathered.observed
        running: Mapping[Named, ScheduledPod] = self._gathered.running if observed is None else observed.pods
        for namespace, name in running:
            pod = running[namespace, name]
            owner, hash = pod.controller, pod.metadata.labels.get("pod-template-hash", "")
            if owner is not None and owner.kind == "ReplicaSet":
                above, _, tail = owner.name.rpartition("-")
                if tail != hash or (namespace, above) not in deployments:
                    namespaces.add(namespace)
        return (Query(REPLICASETS, namespace) for namespace in sorted(namespaces))

    def _config_queries(self) -> Iterator[Query]:
        from preflight.components import config_names

        names = {(each.metadata.namespace, name) for each in self._daemonsets() for name in config_names(each)}
        return (Query(CONFIGS, namespace, fields=f"metadata.name={name}") for namespace, name in sorted(names))

    def _daemonsets(self) -> list[DaemonSet]:
        return [each for each in self._gathered.objects if isinstance(each, DaemonSet) and each.origin.file == LIVE]

    def _nodes_of(self, pods: Iterable[Named]) -> frozenset[str]:
        queries = [Query(PODS, namespace, fields=f"metadata.name={name}") for namespace, name in pods]
        self._take(queries)
        return frozenset(pod.spec.nodeName for pod in self._pods.values() if pod.spec.nodeName)

    def _node_queries(self, asked: Asked, named: frozenset[str]) -> Iterator[Query]:
        if asked.every_node or len(named) > _BY_NODE:
            yield Query(NODES)
            return
        for name in sorted(named):
            yield Query(NODES, fields=f"metadata.name={name}")
        for selector in asked.selectors:
            yield Query(NODES, labels=selector)

    def _pod_queries(self, asked: Asked, named: frozenset[str], daemonsets: Sequence[DaemonSet]) -> Iterator[Query]:
        if asked.every_node and asked.daemonsets is not None:
            for each in daemonsets:
                if _key(each) in asked.daemonsets:
                    yield from _pods_of(each)
            return
        nodes = {each.name for each in self._gathered.objects if isinstance(each, Node) and each.origin.file == LIVE} | named
        if asked.every_node or len(nodes) > _BY_NODE:
            yield Query(PODS)
            return
        for name in sorted(nodes):
            yield Query(PODS, fields=f"spec.nodeName={name}")
        if nodes:
            yield Query(PODS, fields=_UNBOUND)

    def _of_daemonsets(self, asked: Asked, daemonsets: Sequence[DaemonSet]) -> frozenset[Named] | None:
        """Those of the named DaemonSets whose pods were had, where only theirs were asked for."""
        if not asked.every_node or asked.daemonsets is None:
            return None
        refused = {_key(each) for each in daemonsets if self._unlisted.intersection(_pods_of(each))}
        return asked.daemonsets - refused

    def _take(self, queries: Sequence[Query]) -> None:
        """Ask, and take what comes; where a kind may not be listed in all namespaces, that of the context is tried once."""
        refused: list[Query] = []
        for answer in self._lists.ask(queries):
            query = answer.query
            if answer.status == 403 and query.resource.is_namespaced and not query.namespace:
                refused.append(query)
                self._missing[query.resource.kind] = answer.why
            elif answer.why:
                if not (answer.status == 404 and query.resource not in (NODES, DAEMONSETS, PODS)):
                    self._missing[query.resource.kind] = answer.why
                    self._not_listed(query)
                elif _is_whole(query):
                    self._complete.add(query.resource.kind)
            else:
                self._add(answer)
                if _is_whole(query):
                    self._complete.add(query.resource.kind)
        own = self.connection.namespace
        nearer = [Query(each.resource, own, each.fields, each.labels) for each in refused]
        for answer in self._lists.ask(nearer):
            if not answer.why:
                self._add(answer)
                kind, only = answer.query.resource.kind, f"only those of namespace {own}: "
                self._missing[kind] = only + self._missing[kind].removeprefix(only)
            self._not_listed(answer.query, () if answer.why else (own,))

    def _not_listed(self, query: Query, but: Iterable[str] = ()) -> None:
        if query.resource is PODS:
            self._listed = frozenset(but) if self._listed is None else self._listed.intersection(but)
            self._unlisted.add(query)

    def _add(self, answer: Answer) -> None:
        self._gathered.problems += answer.found.problems
        for each in answer.found.objects:
            metadata: Metadata = getattr(each, "metadata")  # noqa: B009 (every object has it, their base does not say so)
            key = (type(each).__name__, metadata.namespace, metadata.name)
            if key not in self._known:
                self._known.add(key)
                self._gathered.objects.append(each)
        self._gathered.running.update(answer.found.running)
        if self._gathered.observed is not None and answer.found.observed is not None:
            self._gathered.observed.merge(answer.found.observed)
        self._pods.update({(pod.metadata.namespace, pod.metadata.name): pod for pod in answer.found.pods})

    def _progress(self, query: Query) -> None:
        self._tell(f"asking {self.connection.context} ({self.connection.requests} requests so far): {query.resource.plural}")

    def _tell(self, words: str) -> None:
        """Write over the line on standard error that says what is going on; "" clears it."""
        if self._shows_progress:
            sys.stderr.write(f"\r\x1b[K{words[:78]}")
            sys.stderr.flush()

    def _gate(self, daemonsets: Sequence[DaemonSet]) -> bool | None:
        """Whether Lt and Gt of tolerations are on: asked only where one is used. A server before 1.35 does not know them."""
        if not any(each.operator in ("Lt", "Gt") for daemonset in daemonsets for each in daemonset.spec.template.spec.tolerations):
            return None
        version = _numbers(self._version)
        if version and version < _GATED_FROM:
            return False
        try:
            found = _ENABLED.search(self.connection.get("/metrics"))
        except (Refused, InputError):
            found = None
        return found[1] == b"1" if found else None


def _is_whole(query: Query) -> bool:
    """Whether it asks for every object of a kind that anything is read of."""
    return query == _STATE_QUERY.get(query.resource, Query(query.resource))


def _numbers(version: Mapping[str, Any]) -> tuple[int, int] | None:
    """Major and minor, `37+` being 37; None where the server does not say."""
    found = re.fullmatch(r"([0-9]+)\.([0-9]+)\D*", f"{version.get('major')}.{version.get('minor')}")
    return (int(found[1]), int(found[2])) if found else None


def _key(daemonset: DaemonSet) -> Named:
    return daemonset.metadata.namespace, daemonset.metadata.name


def _pods_of(daemonset: DaemonSet) -> Iterator[Query]:
    if daemonset.spec.selector is not None:
        yield Query(PODS, daemonset.metadata.namespace, labels=_labels(daemonset.spec.selector))


def _labels(selector: LabelSelector) -> str:
    """A selector of labels as the API takes it in a query."""
    parts = [f"{key}={value}" for key, value in selector.matchLabels.items()]
    for each in selector.matchExpressions:
        if each.operator == "Exists":
            parts.append(each.key)
        elif each.operator == "DoesNotExist":
            parts.append(f"!{each.key}")
        else:
            parts.append(f"{each.key} {each.operator.lower()} ({','.join(each.values)})")
    return ",".join(parts)
