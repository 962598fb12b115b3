"""Lists of the API, page by page, several at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

import msgspec
from msgspec import Raw

from preflight.errors import InputError
from preflight.load.collector import ObjectCollector
from preflight.load.kinds import STATE_KINDS
from preflight.load.kubectl_list import take_list
from preflight.load.live.connection import ApiConnection, HttpStatusError
from preflight.load.live.discovery import Discovery, Served, ServedVersion
from preflight.load.live.kubeconfig import MAX_PARALLEL
from preflight.load.live.pages import BadItem, Page, fetch_pages, find_bad_item
from preflight.load.live.resources import DAEMONSETS, NODES, ListQuery
from preflight.load.live.survey import FORBIDDEN_STATUS, ListFailure, explain_refusal
from preflight.messages.live import NOT_SERVED, WRONG_TYPES, describe_bad_item, describe_unreadable_list
from preflight.model.meta import Origin

LIVE_SOURCE = "<cluster>"
"""Where the objects of a cluster are from, in the place of a file."""


class QueryResult(msgspec.Struct):
    """What came of a query: what it lists, and why that is nothing, or not all."""

    query: ListQuery
    collected: ObjectCollector
    failure: ListFailure | None = None
    error: str = ""
    version: str = ""
    """The `resourceVersion` of the list."""


class ListClient:
    """The lists of one API server; `on_answer` is told of each query that was answered.

    `wants_whole_pods` and `wants_state`: see `Gathered`.
    """

    def __init__(
        self,
        connection: ApiConnection,
        on_answer: Callable[[ListQuery], None],
        *,
        wants_whole_pods: bool = False,
        wants_pod_texts: bool = False,
        wants_state: bool = False,
    ) -> None:
        self._connection, self._done = connection, on_answer
        self._discovery = Discovery(connection)
        self._wants_whole_pods, self._wants_pod_texts, self._wants_state = wants_whole_pods, wants_pod_texts, wants_state
        self._pages = count()

    def run_queries(self, queries: Sequence[ListQuery], version: str = "") -> list[QueryResult]:
        """The answers to queries, in their order; those from the server's cache are no older than `version`, that of another list.

        1. What the server says that it serves decides whether there is a list, and at which version: see `Discovery`. A custom resource
           that it does not serve has no objects; of any other, nothing is known.
        2. What the server refuses (403, 404, or a fault of its own after all tries) is an answer with the reason; so is what cannot be
           read of anything but nodes and DaemonSets, and a list of which one item is no object with a name.

        Errors: InputError where not even these can be asked for: 401, no connection, nothing that is JSON.
        """
        from concurrent.futures import ThreadPoolExecutor

        served = [self._find_version(query) for query in queries]
        pool = ThreadPoolExecutor(MAX_PARALLEL)
        try:
            waiting = [
                None if found.served is Served.NO else pool.submit(fetch_pages, self._connection, query, found.version, version)
                for query, found in zip(queries, served, strict=True)
            ]
            return [
                self._collect_result(query, found, future.result) if future is not None else self._explain_absence(query)
                for query, found, future in zip(queries, served, waiting, strict=True)
            ]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _find_version(self, query: ListQuery) -> ServedVersion:
        if query.needs_group and not self._discovery.has_group(query.needs_group):
            return ServedVersion(Served.NO)
        return self._discovery.find_version(query.resource)

    def _explain_absence(self, query: ListQuery) -> QueryResult:
        """The answer for a resource that the server does not serve."""
        if query.resource.is_custom or query.needs_group:
            return QueryResult(query, self._make_collector())
        return QueryResult(query, ObjectCollector(), ListFailure.NOT_SERVED, NOT_SERVED)

    def _collect_result(self, query: ListQuery, served: ServedVersion, result: Callable[[], list[Page]]) -> QueryResult:
        try:
            return self._collect_pages(query, result())
        except HttpStatusError as error:
            failure = ListFailure.FORBIDDEN if error.status == FORBIDDEN_STATUS else ListFailure.FAULT
            return QueryResult(query, ObjectCollector(), failure, explain_refusal(query, served.served, error.status, str(error)))
        except InputError as error:
            if query.resource in (NODES, DAEMONSETS):
                raise
            return QueryResult(query, ObjectCollector(), ListFailure.FAULT, str(error))
        finally:
            self._done(query)

    def _make_collector(self) -> ObjectCollector:
        return ObjectCollector(
            wants_whole_pods=self._wants_whole_pods, wants_pod_texts=self._wants_pod_texts, wants_state=self._wants_state
        )

    def _collect_pages(self, query: ListQuery, pages: Sequence[Page]) -> QueryResult:
        """The items of all pages; one that cannot be read makes the list a part, and the first such is named."""
        found = self._make_collector()
        result = QueryResult(query, found, version=pages[-1].version)
        count = 0
        for page in pages:
            bad = self._take_page(found, query, page)
            if bad is not None and result.failure is None:
                error = describe_bad_item(query.resource.plural, count + bad.position + 1, bad.name, bad.reason)
                result.failure, result.error = ListFailure.FAULT, error
            count += len(page.items)
        found.problems.clear()  # the first of them is the reason now
        return result

    def _take_page(self, found: ObjectCollector, query: ListQuery, page: Page) -> BadItem | None:
        if found.runtime_state is not None and query.resource.kind in STATE_KINDS:
            unread = found.runtime_state.take_page(query.resource.kind, page.text)
            return find_bad_item(page, lambda index: "" if index != unread else WRONG_TYPES)
        objects, pods, resources = len(found.objects), len(found.pods), len(found.operator_resources)
        self._take_text(found, query, page.text)
        if query.resource.is_operators:
            count = len(found.operator_resources) - resources
        else:
            count = _count_read_objects(found, objects) + _count_read_pods(found, pods)
        if count == len(page.items):
            return None
        return find_bad_item(page, lambda index: self._explain_unread(query, page.items[index]))

    def _take_text(self, found: ObjectCollector, query: ListQuery, text: bytes) -> None:
        origin = Origin(LIVE_SOURCE, next(self._pages))  # no two objects of a cluster have one origin
        try:
            is_read = take_list(found, memoryview(text), origin, has_template_text=False, is_page=True)
        except (msgspec.MsgspecError, RecursionError):
            is_read = False
        if not is_read:
            raise InputError(f"{self._connection.server}: {describe_unreadable_list(query.resource.plural)}")

    def _explain_unread(self, query: ListQuery, item: Raw) -> str:
        """Why one item cannot be read; "" where it can."""
        resource, alone = query.resource, self._make_collector()
        version = f"{resource.group}/{resource.version}" if resource.group else resource.version
        head = f'{{"kind":"{resource.kind}List","apiVersion":"{version}","items":['.encode()
        self._take_text(alone, query, head + bytes(item) + b"]}")
        if alone.problems:
            return alone.problems[0].message
        refused = [refusal.reason for value in alone.objects for refusal in value.refusals]
        if not refused and _count_read_pods(alone, 0) < len(alone.pods):
            refused = [WRONG_TYPES]
        return refused[0] if refused else ""


def _count_read_objects(collector: ObjectCollector, start: int) -> int:
    """How many objects from an index on are read without a field that no API server would have taken."""
    return sum(not value.refusals for value in collector.objects[start:])


def _count_read_pods(collector: ObjectCollector, start: int) -> int:
    """How many pods from an index on are read as far as they are wanted."""
    pods = collector.pods[start:]
    if not collector.wants_whole_pods:
        return len(pods)
    return sum((pod.metadata.namespace, pod.metadata.name) in collector.whole_pods for pod in pods)


def fetch_plain_items(connection: ApiConnection, query: ListQuery) -> list[dict[str, Any]]:
    """What a query lists, as plain data, each with its kind.

    Errors: InputError with the reason where the server refuses it, or its answer cannot be read.
    """
    served = Discovery(connection).find_version(query.resource)
    if served.served is Served.NO:
        raise InputError(f"{connection.server}: {query.resource.plural}: {NOT_SERVED}")
    try:
        found = [msgspec.json.decode(item) for page in fetch_pages(connection, query, served.version) for item in page.items]
    except HttpStatusError as error:
        why = explain_refusal(query, served.served, error.status, str(error))
        raise InputError(f"{connection.server}: {query.resource.plural}: {why}") from None
    except msgspec.MsgspecError:
        raise InputError(f"{connection.server}: {describe_unreadable_list(query.resource.plural)}") from None
    return [{**item, "kind": query.resource.kind} for item in found if isinstance(item, dict)]


def fetch_map(connection: ApiConnection, path: str) -> Mapping[str, Any]:
    """What one path of the server says, as a map; {} where it says nothing that can be read."""
    try:
        data = msgspec.json.decode(connection.get(path))
    except (HttpStatusError, msgspec.MsgspecError):
        return {}
    return data if isinstance(data, dict) else {}
