"""The API server over HTTP, as a test asks it: JSON in and out, many requests at once."""

from __future__ import annotations

import http.client
import json
import queue
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from socket import SHUT_RDWR
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlsplit

Object = dict[str, Any]
Objects = list[Object]
T = TypeVar("T")
R = TypeVar("R")

AT_ONCE = 16
DISCOVERY = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
METADATA = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"


class ApiError(Exception):
    """The API server refused."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class Resource(NamedTuple):
    """Where the objects of a kind are."""

    base: str
    plural: str
    kind: str
    namespaced: bool
    verbs: frozenset[str]

    def path(self, namespace: str | None = None, name: str = "") -> str:
        """The path of an object, or of all of a namespace, or of all."""
        within = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return f"{self.base}{within}/{self.plural}" + (f"/{name}" if name else "")


class Api:
    """One API server, asked as one user."""

    def __init__(self, server: str, ca: Path, token: str) -> None:
        self.address = urlsplit(server).netloc
        self.ca = ca
        self.token = token
        self.idle: queue.SimpleQueue[http.client.HTTPSConnection] = queue.SimpleQueue()
        self.known: list[Resource] = []

    def idle_connection(self) -> tuple[http.client.HTTPSConnection, bool]:
        """A connection that nobody uses, and whether it is a new one."""
        try:
            return self.idle.get_nowait(), False
        except queue.Empty:
            return self.connection(), True

    def close(self) -> None:
        """Close the connections that nobody uses."""
        while not self.idle.empty():
            self.idle.get().close()

    @cached_property
    def trusted(self) -> ssl.SSLContext:
        """Who is trusted; the server writes its certificate when it starts."""
        return ssl.create_default_context(cafile=str(self.ca))

    def connection(self) -> http.client.HTTPSConnection:
        """A new connection."""
        return http.client.HTTPSConnection(self.address, context=self.trusted, timeout=60)

    def ask(self, method: str, path: str, body: object = None, content: str = "application/json", accept: str = "application/json") -> Any:
        """One request and its answer; connections are used again. Raises ApiError."""
        data = None if body is None else json.dumps(body)
        headers = {"Authorization": f"Bearer {self.token}", "Accept": accept, "Content-Type": content}
        while True:
            connection, fresh = self.idle_connection()
            try:
                connection.request(method, path, data, headers)
                answer = connection.getresponse()
                text = answer.read()
            except BaseException as error:
                connection.close()
                if fresh or not isinstance(error, (http.client.HTTPException, ConnectionError, ssl.SSLError)):
                    raise
            else:
                self.idle.put(connection)
                break
        if answer.status >= 400:
            try:
                says = json.loads(text)["message"]
            except (ValueError, KeyError, TypeError):
                says = text.decode(errors="replace")
            raise ApiError(answer.status, f"{method} {path}: {says}")
        return json.loads(text) if text.startswith((b"{", b"[")) else text.decode()

    def all_at_once(self, do: Callable[[T], R], what: Iterable[T]) -> list[R]:
        """What `do` answers for each of these, several at a time; the first error is raised."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            return list(pool.map(do, what))

    def resources(self, again: bool = False) -> list[Resource]:
        """Every resource that the server has, in its preferred order."""
        if again or not self.known:
            self.known = [found for root in ("/api", "/apis") for found in discovered(root, self.ask("GET", root, accept=DISCOVERY))]
        return self.known

    def resource(self, name: str, version: str = "") -> Resource:
        """The resource of that kind or plural, of an apiVersion where one is given."""
        base = f"/api/{version}" if version and "/" not in version else f"/apis/{version}"
        for again in (False, True):
            for each in self.resources(again):
                if name in (each.kind, each.plural) and (not version or each.base == base):
                    return each
        raise KeyError(f"the server has no {name} {version}".rstrip())

    def watch(self, resource: Resource, version: str, seconds: float) -> Iterator[Object]:
        """What happens to the metadata of these objects after a resourceVersion; an empty object whenever it is quiet for a moment."""
        connection = self.connection()
        connection.connect()
        socket = connection.sock
        assert socket is not None
        path = f"{resource.path()}?watch=1&resourceVersion={version}&timeoutSeconds={int(seconds) + 5}"
        connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}", "Accept": METADATA})
        answer = connection.getresponse()
        if answer.status != 200:
            raise ApiError(answer.status, answer.read().decode(errors="replace"))
        found: queue.SimpleQueue[Object] = queue.SimpleQueue()

        def read() -> None:
            with suppress(OSError, ValueError):  # what a connection says that is closed below
                for line in answer:
                    found.put(json.loads(line))

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        try:
            while reader.is_alive() or not found.empty():
                try:
                    yield found.get(timeout=0.1)
                except queue.Empty:
                    yield {}
        finally:
            with suppress(OSError):
                socket.shutdown(SHUT_RDWR)
            reader.join()
            connection.close()


def discovered(root: str, found: Any) -> Iterator[Resource]:
    """The resources of an aggregated discovery document."""
    for group in found["items"]:
        name = group["metadata"].get("name")
        for version in group["versions"]:
            for resource in version["resources"]:
                kind = resource["responseKind"]["kind"]
                base = "/".join([root, *([name] if name else []), version["version"]])
                yield Resource(base, resource["resource"], kind, resource["scope"] == "Namespaced", frozenset(resource["verbs"]))
