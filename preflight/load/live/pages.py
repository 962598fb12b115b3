"""The pages of one list of the API, each of which must be one, up to the end of the list."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from preflight.errors import InputError
from preflight.load.live.connection import ApiConnection, HttpStatusError, RequestFailedError
from preflight.load.live.resources import ListQuery
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
_RESTARTS = 3
_TIMEOUTS_PER_LIST = 20
_EMPTY_PAGES = 10
_MAX_DEPTH = 500
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[][{}]')


class Page(NamedTuple):
    """A page of a list: its text, and its items as text."""

    text: bytes
    items: Sequence[Raw]


class BadItem(NamedTuple):
    """An item that cannot be read: its position in the page, its name and why; "" for both where it is no object with a name."""

    position: int
    name: str = ""
    reason: str = ""


class _Metadata(Struct, frozen=True, rename={"token": "continue"}):
    token: str = ""


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


def fetch_pages(connection: ApiConnection, query: ListQuery, version: str = "") -> list[Page]:
    """All pages of a list, at a version of its group ("": the usual one).

    1. A page has 500 items. Where the server no longer knows how a list goes on (410), it is asked for again from the start, three times;
       then in one piece.
    2. A list ends: a token or a first item that comes again, and pages without items, are an error. So is a list that takes 20 times as
       long as one request may.

    Errors: HttpStatusError where the server refuses a page; InputError where a page is no list, or the list does not end.
    """
    deadline = time.monotonic() + _TIMEOUTS_PER_LIST * connection.timeout
    for limit in (*[_PAGE] * _RESTARTS, ""):
        try:
            return _fetch_all(connection, query, version, limit, deadline)
        except HttpStatusError as error:
            if error.status != _GONE or not limit:
                raise
        except RequestFailedError as error:
            raise InputError(f"{connection.server}: {describe_failed_list(query.resource.plural, error.reason)}") from None
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


def _fetch_all(connection: ApiConnection, query: ListQuery, version: str, limit: str, deadline: float) -> list[Page]:
    words = {"fieldSelector": query.fields, "labelSelector": query.labels, "limit": limit}
    words = {name: value for name, value in words.items() if value}
    plural, path = query.resource.plural, query.resource.list_path(query.namespace, version)
    pages: list[Page] = []
    seen: set[object] = set()
    token, empty = "", 0
    while True:
        text = connection.get(path, {**words, "continue": token} if token else words)
        envelope = _decode_envelope(connection, query, text)
        page = Page(text, envelope.items or ())
        pages.append(page)
        token = envelope.metadata.token
        if not token:
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
