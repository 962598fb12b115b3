"""What a real API server says: a watch on its pods, in a thread of its own, that fills a Memory; and a dump of a cluster."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Collection
from http.client import HTTPException
from socket import SHUT_RDWR
from types import TracebackType
from typing import Self

import msgspec

from tests.cluster.api import Api
from tests.truth.watching import SOON, Event, Memory, Pair, PodList

_EVENT = msgspec.json.Decoder(Event)
_LIST = msgspec.json.Decoder(PodList)


class _Raws(msgspec.Struct):
    items: list[msgspec.Raw]


_RAWS = msgspec.json.Decoder(_Raws)
_DUMPED = (
    (b"v1", b"Node", "/api/v1/nodes"),
    (b"apps/v1", b"DaemonSet", "/apis/apps/v1/daemonsets"),
    (b"v1", b"Pod", "/api/v1/pods"),
    (b"scheduling.k8s.io/v1", b"PriorityClass", "/apis/scheduling.k8s.io/v1/priorityclasses"),
)


def dump(api: Api) -> bytes:
    """The nodes, DaemonSets, pods and PriorityClasses of all namespaces, as kubectl prints them, in one line."""
    connection = api.connection()
    items: list[bytes] = []
    for version, kind, path in _DUMPED:
        connection.request("GET", path, headers={"Authorization": f"Bearer {api.token}"})
        found = _RAWS.decode(connection.getresponse().read()).items
        items += (b'{"apiVersion":"%b","kind":"%b",%b' % (version, kind, bytes(raw)[1:]) for raw in found)
    connection.close()
    return b'{"apiVersion":"v1","kind":"List","items":[%b]}' % b",".join(items)


class ListeningError(Exception):
    """The watch ended, or the cluster did not come to rest."""


class Listening:
    """What happens to pods, from `with` until its end."""

    def __init__(self, api: Api) -> None:
        self.memory = Memory()
        self._api = api
        self._over = False

    def __enter__(self) -> Self:
        listed = _LIST.decode(msgspec.json.encode(self._api.ask("GET", "/api/v1/pods")))
        self.memory.listed(listed.items)
        self._version = listed.metadata.resourceVersion
        self._connect()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._over = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(SHUT_RDWR)
        self._thread.join()

    def _connect(self) -> None:
        self._connection = self._api.connection()
        self._connection.timeout = None
        self._connection.connect()
        assert self._connection.sock is not None
        self._socket = self._connection.sock

    def _listen(self) -> None:
        """Hear events; the server ends a watch that is slow, and goes on with the next one where that ended."""
        while not self._over:
            with contextlib.suppress(OSError, ValueError, HTTPException):
                path = f"/api/v1/pods?watch=1&timeoutSeconds=86400&resourceVersion={self._version}"
                self._connection.request("GET", path, headers={"Authorization": f"Bearer {self._api.token}"})
                for line in self._connection.getresponse():
                    event = _EVENT.decode(line)
                    if event.type == "ERROR":
                        return  # the server does not remember so far back
                    self.memory.heard(event)
                    self._version = event.object.metadata.resourceVersion
            self._connection.close()
            if not self._over:
                self._connect()

    def settle(
        self, slow: Collection[str], least: float = SOON, aside: Collection[Pair] = (), limit: float = 180
    ) -> tuple[frozenset[Pair], frozenset[Pair]]:
        """Wait until every pair was quiet for its time or came and went twice: those that come and go, and those that never settled.

        `slow` are the nodes with a NoExecute taint; `least` is how long to wait at any rate; pairs in `aside` are in neither answer. The
        second is empty unless `limit` seconds went by. Raises ListeningError where the watch has ended.
        """
        start = time.monotonic()
        while True:
            if not self._thread.is_alive():
                raise ListeningError("the watch on pods has ended")
            loops, rest = self.memory.moving(slow, aside)
            now = time.monotonic()
            if now - start >= least and (not rest or now - start > limit):
                return loops, rest
            time.sleep(0.1)
