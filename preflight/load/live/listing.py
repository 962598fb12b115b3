"""Lists of the API, page by page, several at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from preflight.errors import InputError
from preflight.load.gathered import Gathered
from preflight.load.listed import take_list
from preflight.load.live.connection import Connection, Refused
from preflight.load.live.kubeconfig import PARALLEL
from preflight.load.live.resources import DAEMONSETS, NODES, Resource
from preflight.model.objects import Origin

LIVE = "<cluster>"
"""Where the objects of a cluster are from, in the place of a file."""

_PAGE = "500"
_GONE = 410
_RESTARTS = 3


class Query(msgspec.Struct, frozen=True):
    """One list to ask for: a resource, a namespace ("" for all), and selectors as the API takes them."""

    resource: Resource
    namespace: str = ""
    fields: str = ""
    labels: str = ""


class Answer(msgspec.Struct):
    """What came of a query: what it lists, or why nothing could be had."""

    query: Query
    found: Gathered
    status: int = 200
    why: str = ""


def ask(connection: Connection, queries: Sequence[Query], pages: Iterator[int], done: Callable[[Query], None]) -> list[Answer]:
    """The answers to queries, in their order; `pages` numbers the pages, and `done` is told of each query.

    1. A list is asked for in pages of 500. Where the server no longer knows how a list goes on (410), it is asked for anew, three times;
       then in one piece.
    2. What the server refuses (403, 404, or a fault of its own after all tries) is an answer with the reason; so is what cannot be read
       of anything but nodes and DaemonSets.

    Errors: InputError where not even these can be asked for: 401, no connection, nothing that is JSON.
    """
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(PARALLEL)
    try:
        waiting = [pool.submit(_pages, connection, query) for query in queries]
        return [_answer(connection, query, future.result, pages, done) for query, future in zip(queries, waiting, strict=True)]
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _answer(
    connection: Connection, query: Query, result: Callable[[], list[bytes]], pages: Iterator[int], done: Callable[[Query], None]
) -> Answer:
    try:
        return _taken(connection, query, result(), pages)
    except Refused as error:
        return Answer(query, Gathered(), error.status, _why(query, error))
    except InputError as error:
        if query.resource in (NODES, DAEMONSETS):
            raise
        return Answer(query, Gathered(), 0, str(error))
    finally:
        done(query)


class _Metadata(msgspec.Struct, frozen=True, rename={"token": "continue"}):
    token: str = ""


class _Envelope(msgspec.Struct, frozen=True):
    kind: str = ""
    metadata: _Metadata = _Metadata()


def _pages(connection: Connection, query: Query) -> list[bytes]:
    for limit in (*[_PAGE] * _RESTARTS, ""):
        try:
            return _all_pages(connection, query, limit)
        except Refused as error:
            if error.status != _GONE or not limit:
                raise
    raise AssertionError("unreachable")


def _all_pages(connection: Connection, query: Query, limit: str) -> list[bytes]:
    words = {"fieldSelector": query.fields, "labelSelector": query.labels, "limit": limit}
    words = {name: value for name, value in words.items() if value}
    pages: list[bytes] = []
    token = ""
    while True:
        page = connection.get(query.resource.path(query.namespace), {**words, "continue": token} if token else words)
        token = _envelope(connection, query, page).metadata.token
        pages.append(page)
        if not token:
            return pages


def _envelope(connection: Connection, query: Query, page: bytes) -> _Envelope:
    try:
        envelope = msgspec.json.decode(page, type=_Envelope)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        envelope = _Envelope()
    if envelope.kind != f"{query.resource.kind}List":
        raise InputError(f"{connection.server}: the answer is no list of {query.resource.plural}: is it the API server of a cluster?")
    return envelope


def _taken(connection: Connection, query: Query, texts: Sequence[bytes], pages: Iterator[int]) -> Answer:
    found = Gathered()
    for text, page in zip(texts, pages, strict=False):
        try:
            is_read = take_list(found, memoryview(text), Origin(LIVE, page), has_template_text=False, is_page=True)
        except (msgspec.MsgspecError, RecursionError):
            is_read = False
        if not is_read:
            raise InputError(f"{connection.server}: the list of {query.resource.plural} cannot be read")
    return Answer(query, found)


def _why(query: Query, error: Refused) -> str:
    if error.status == 403:
        where = f" in namespace {query.namespace}" if query.namespace else ""
        return f"the right to list {query.resource.right}{where} is missing: `preflight rbac` prints the role"
    if error.status == 404:
        return "the server does not know it"
    return f"the server answers {error.status}: {error}"


def value_of(connection: Connection, path: str) -> Mapping[str, Any]:
    """What one path of the server says, as a map; {} where it says nothing that can be read."""
    try:
        data = msgspec.json.decode(connection.get(path))
    except (Refused, msgspec.MsgspecError):
        return {}
    return data if isinstance(data, dict) else {}
