"""The pages of one list of the API, each of which must be one, up to the end of the list."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from preflight.errors import InputError
from preflight.load.live.connection import ApiConnection, HttpStatusError, RequestFailedError
from preflight.load.live.resources import NODES, PODS, ListQuery
from preflight.messages.live import (
    describe_deep_item,
    describe_endless_list,
    describe_failed_list,
    describe_list_timeout,
    describe_list_without_items,
    describe_no_list,
    describe_unreadable_list,
)

_PAGE = "500"
_GONE = 410
_NOT_CACHED = frozenset({400, _GONE, 504})
"""A version that the server does not take, no longer has, or does not have yet."""
_RESTARTS = 3
_TIMEOUTS_PER_LIST = 20
_EMPTY_PAGES = 10
_MAX_DEPTH = 500
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z)|[][{}]', re.DOTALL)


class Page(NamedTuple):
    """A page of a list: its text, its items as text, and the `resourceVersion` of the list."""

    text: bytes
    items: Sequence[Raw]
    version: str = ""


class BadItem(NamedTuple):
    """An item that cannot be read: its position in the page, its name and why; "" for both where it is no object with a name."""

    position: int
    name: str = ""
    reason: str = ""


class _Metadata(Struct, frozen=True, rename={"token": "continue", "version": "resourceVersion"}):
    token: str = ""
    version: str = ""


class _Head(Struct, frozen=True):
    kind: str = ""
    metadata: _Metadata = _Metadata()


class _Envelope(_Head, frozen=True):
    items: list[Raw] | UnsetType | None = UNSET


class _ItemMetadata(Struct, frozen=True):
    namespace: str = ""
    name: str = ""


class _Item(Struct, frozen=True):
    metadata: _ItemMetadata = _ItemMetadata()


def fetch_pages(connection: ApiConnection, query: ListQuery, api_version: str = "", version: str = "") -> list[Page]:
    """The pages of a list, at a version of its group ("": the usual one).

    1. What a field selects (the pods of a node, one object) is little, and may come from the server's watch cache
       (`resourceVersion=0`, and later lists no older than `version`): there it has an index, where etcd is read from end to end by servers
       before 1.31. It may be seconds old, and so may be any list that was asked for just now.
    2. All other lists are consistent, in pages of 500. From the cache they would come in one piece: it takes no notice of `limit`
       before 1.34. Where the server no longer knows how a list goes on (410), it is asked for again from the start, three times; then in
       one piece.
    3. Where the server cannot serve that version (its cache lags behind), the list is asked for like any other.
    4. A list ends: a token or a first item that comes again, and pages without items, are an error. So is a list that takes 20 times as
       long as one request may.

    Errors: HttpStatusError where the server refuses a page; InputError where a page is no list, or the list does not end.
    Source: kubernetes `staging/src/k8s.io/apiserver/pkg/storage/cacher/delegator.go`, ShouldDelegateList.
    """
    deadline = time.monotonic() + _TIMEOUTS_PER_LIST * connection.timeout
    path = query.resource.list_path(query.namespace, api_version)
    try:
        if query.fields and query.resource in (PODS, NODES):
            cached = {"resourceVersion": version or "0", "resourceVersionMatch": "NotOlderThan" if version else ""}
            try:
                return _fetch_all(connection, query, path, cached, deadline)
            except HttpStatusError as error:
                if error.status not in _NOT_CACHED:
                    raise
        if query.limit:
            return _fetch_all(connection, query, path, {"limit": str(query.limit)}, deadline, most=1)
        return _fetch_consistently(connection, query, path, deadline)
    except RequestFailedError as error:
        raise InputError(f"{connection.server}: {describe_failed_list(query.resource.plural, error.reason)}") from None


def _fetch_consistently(connection: ApiConnection, query: ListQuery, path: str, deadline: float) -> list[Page]:
    for limit in (*[_PAGE] * _RESTARTS, ""):
        try:
            return _fetch_all(connection, query, path, {"limit": limit}, deadline)
        except HttpStatusError as error:
            if error.status != _GONE or not limit:
                raise
    raise AssertionError("unreachable")


def find_bad_item(page: Page, explain_unread: Callable[[int], str]) -> BadItem | None:
    """The first item that is no object with a name, or that cannot be read (`explain_unread`: why, "" where it can); None where all can."""
    for index, raw in enumerate(page.items):
        name = _read_name(raw)
        if name is None or not name[1]:
            return BadItem(index)
        if reason := explain_unread(index):
            return BadItem(index, "/".join(filter(None, name)), reason)
    return None


def _fetch_all(
    connection: ApiConnection, query: ListQuery, path: str, words: Mapping[str, str], deadline: float, most: int = 0
) -> list[Page]:
    """The pages that a list has, `most` of them at most, 0 for all."""
    words = {"fieldSelector": query.fields, "labelSelector": query.labels, **words}
    words = {name: value for name, value in words.items() if value}
    plural = query.resource.plural
    pages: list[Page] = []
    seen: set[object] = set()
    token, empty = "", 0
    while True:
        text = connection.get(path, {**words, "continue": token} if token else words)
        envelope = _decode_envelope(connection, query, text)
        page = Page(text, envelope.items or (), envelope.metadata.version)
        pages.append(page)
        token = envelope.metadata.token
        if not token or len(pages) == most:
            return pages
        first = (_read_name(page.items[0]) or bytes(page.items[0])) if page.items else None
        empty += first is None
        if token in seen or first in seen or empty > _EMPTY_PAGES:
            raise InputError(f"{connection.server}: {describe_endless_list(plural)}")
        seen |= {token, first} - {None}
        if time.monotonic() > deadline:
            raise InputError(f"{connection.server}: {describe_list_timeout(plural, _TIMEOUTS_PER_LIST * connection.timeout)}")


def _decode_envelope(connection: ApiConnection, query: ListQuery, text: bytes) -> _Envelope:
    plural, kind = query.resource.plural, f"{query.resource.kind}List"
    try:
        envelope = msgspec.json.decode(text, type=_Envelope)
    except RecursionError:
        raise InputError(f"{connection.server}: {describe_deep_item(plural, _find_deep_item(text))}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError):
        message = describe_unreadable_list(plural) if _read_kind(text) == kind else describe_no_list(plural)
        raise InputError(f"{connection.server}: {message}") from None
    if envelope.kind != kind:
        raise InputError(f"{connection.server}: {describe_no_list(plural)}")
    if envelope.items is UNSET:
        raise InputError(f"{connection.server}: {describe_list_without_items(plural)}")
    return envelope


def _read_kind(text: bytes) -> str:
    """The kind of what is no list, or whose items are none; "" where it is not even an object."""
    try:
        return msgspec.json.decode(text, type=_Head).kind
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return ""


def _read_name(raw: Raw) -> tuple[str, str] | None:
    """Namespace and name of an item; None where it is no object of the API."""
    try:
        metadata = msgspec.json.decode(raw, type=_Item).metadata
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return metadata.namespace, metadata.name


def _find_deep_item(text: bytes) -> int:
    """The index of the first item that is nested too deeply."""
    depth = index = 0
    for match in _TOKEN.finditer(text):
        if match[0] in (b"{", b"["):
            depth += 1
            index += depth == 3
            if depth > _MAX_DEPTH:
                return index - 1
        elif match[0] in (b"}", b"]"):
            depth -= 1
            if depth == 1:
                index = 0
    return index - 1
