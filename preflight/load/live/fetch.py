"""Lists of the API, page by page, several at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any

import msgspec

from preflight.errors import InputError
from preflight.load.collector import ObjectCollector
from preflight.load.kinds import STATE_KINDS
from preflight.load.kubectl_list import take_list
from preflight.load.live.connection import ApiConnection, HttpStatusError
from preflight.load.live.kubeconfig import MAX_PARALLEL
from preflight.load.live.resources import DAEMONSETS, NODES, PODS, ListQuery
from preflight.load.live.survey import explain_refusal
from preflight.messages.live import (
    describe_endless_list,
    describe_no_list,
    describe_unreadable_list,
)
from preflight.model.meta import Origin

LIVE_SOURCE = "<cluster>"
"""Where the objects of a cluster are from, in the place of a file."""

_PAGE = "500"
_GONE = 410
_NOT_CACHED = frozenset({400, _GONE, 504})
"""A version that the server does not take, no longer has, or does not have yet."""
_RESTARTS = 3


class QueryResult(msgspec.Struct):
    """What came of a query: what it lists, or why nothing could be had."""

    query: ListQuery
    collected: ObjectCollector
    status: int = 200
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
        self._wants_whole_pods, self._wants_pod_texts, self._wants_state = wants_whole_pods, wants_pod_texts, wants_state
        self._pages = count()

    def run_queries(self, queries: Sequence[ListQuery], version: str = "") -> list[QueryResult]:
        """The answers to queries, in their order; those from the server's cache are no older than `version`, that of another list.

        1. A list is asked for in pages of 500. Where the server no longer knows how a list goes on (410), it is asked for anew, three
           times; then in one piece.
        2. What the server refuses (403, 404, or a fault of its own after all tries) is an answer with the reason; so is what cannot be
           read of anything but nodes and DaemonSets.

        Errors: InputError where not even these can be asked for: 401, no connection, nothing that is JSON.
        """
        from concurrent.futures import ThreadPoolExecutor

        pool = ThreadPoolExecutor(MAX_PARALLEL)
        try:
            waiting = [pool.submit(_fetch_pages, self._connection, query, version) for query in queries]
            return [self._collect_result(query, future.result) for query, future in zip(queries, waiting, strict=True)]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _collect_result(self, query: ListQuery, result: Callable[[], _Pages]) -> QueryResult:
        try:
            pages = result()
            return QueryResult(query, self._collect_pages(query, pages.texts), version=pages.version)
        except HttpStatusError as error:
            return QueryResult(query, ObjectCollector(), error.status, explain_refusal(query, error.status, str(error)))
        except InputError as error:
            if query.resource in (NODES, DAEMONSETS):
                raise
            return QueryResult(query, ObjectCollector(), 0, str(error))
        finally:
            self._done(query)

    def _collect_pages(self, query: ListQuery, texts: Sequence[bytes]) -> ObjectCollector:
        found = ObjectCollector(
            wants_whole_pods=self._wants_whole_pods, wants_pod_texts=self._wants_pod_texts, wants_state=self._wants_state
        )
        if found.runtime_state is not None and query.resource.kind in STATE_KINDS:
            for text in texts:
                found.runtime_state.take_page(query.resource.kind, text)
            return found
        for text in texts:
            origin = Origin(LIVE_SOURCE, next(self._pages))  # no two objects of a cluster have one origin
            try:
                is_read = take_list(found, memoryview(text), origin, has_template_text=False, is_page=True)
            except (msgspec.MsgspecError, RecursionError):
                is_read = False
            if not is_read:
                raise InputError(f"{self._connection.server}: {describe_unreadable_list(query.resource.plural)}")
        return found


def fetch_plain_items(connection: ApiConnection, query: ListQuery) -> list[dict[str, Any]]:
    """What a query lists, as plain data, each with its kind.

    Errors: InputError with the reason where the server refuses it, or its answer cannot be read.
    """
    try:
        texts = _fetch_pages(connection, query).texts
        found = [item for text in texts for item in msgspec.json.decode(text).get("items") or ()]
    except HttpStatusError as error:
        raise InputError(f"{connection.server}: {query.resource.plural}: {explain_refusal(query, error.status, str(error))}") from None
    except msgspec.MsgspecError:
        raise InputError(f"{connection.server}: {describe_unreadable_list(query.resource.plural)}") from None
    return [{**item, "kind": query.resource.kind} for item in found if isinstance(item, dict)]


class _PageMetadata(msgspec.Struct, frozen=True, rename={"token": "continue", "version": "resourceVersion"}):
    token: str = ""
    version: str = ""


class _PageEnvelope(msgspec.Struct, frozen=True):
    kind: str = ""
    metadata: _PageMetadata = _PageMetadata()


class _Pages(msgspec.Struct, frozen=True):
    """The pages of a list, and its version."""

    texts: list[bytes]
    version: str


def _fetch_pages(connection: ApiConnection, query: ListQuery, version: str = "") -> _Pages:
    """The pages of a list.

    1. What a field selects (the pods of a node, one object) is little, and may come from the server's watch cache
       (`resourceVersion=0`, and later lists no older than the first): there it has an index, where etcd is read from end to end by servers
       before 1.31. It may be seconds old, and so may be any list that was asked for just now.
    2. All other lists are consistent, page by page. From the cache they would come in one piece: it takes no notice of `limit` before 1.34.
    3. Where the server cannot serve that version (its cache lags behind), the list is asked for like any other.

    Source: kubernetes `staging/src/k8s.io/apiserver/pkg/storage/cacher/delegator.go`, ShouldDelegateList.
    """
    if query.fields and query.resource in (PODS, NODES):
        cached = {"resourceVersion": version or "0", "resourceVersionMatch": "NotOlderThan" if version else ""}
        try:
            return _fetch_all_pages(connection, query, cached)
        except HttpStatusError as error:
            if error.status not in _NOT_CACHED:
                raise
    if query.limit:
        return _fetch_all_pages(connection, query, {"limit": str(query.limit)}, most=1)
    for limit in (*[_PAGE] * _RESTARTS, ""):
        try:
            return _fetch_all_pages(connection, query, {"limit": limit})
        except HttpStatusError as error:
            if error.status != _GONE or not limit:
                raise
    raise AssertionError("unreachable")


def _fetch_all_pages(connection: ApiConnection, query: ListQuery, words: Mapping[str, str], most: int = 0) -> _Pages:
    """The pages that a list has, `most` of them at most, 0 for all."""
    words = {"fieldSelector": query.fields, "labelSelector": query.labels, **words}
    words = {name: value for name, value in words.items() if value}
    pages: list[bytes] = []
    token = ""
    while True:
        page = connection.get(query.resource.list_path(query.namespace), {**words, "continue": token} if token else words)
        metadata = _decode_envelope(connection, query, page).metadata
        before, token = token, metadata.token
        pages.append(page)
        if not token or len(pages) == most:
            return _Pages(pages, metadata.version)
        if token == before:
            raise InputError(f"{connection.server}: {describe_endless_list(query.resource.plural)}")


def _decode_envelope(connection: ApiConnection, query: ListQuery, page: bytes) -> _PageEnvelope:
    try:
        envelope = msgspec.json.decode(page, type=_PageEnvelope)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        envelope = _PageEnvelope()
    if envelope.kind != f"{query.resource.kind}List":
        raise InputError(f"{connection.server}: {describe_no_list(query.resource.plural)}")
    return envelope


def fetch_map(connection: ApiConnection, path: str) -> Mapping[str, Any]:
    """What one path of the server says, as a map; {} where it says nothing that can be read."""
    try:
        data = msgspec.json.decode(connection.get(path))
    except (HttpStatusError, msgspec.MsgspecError):
        return {}
    return data if isinstance(data, dict) else {}
