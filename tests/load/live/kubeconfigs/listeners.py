"""Servers and proxies on loopback that write down what arrives, whoever asks."""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import threading
from base64 import b64decode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.load.live.api_server import tls_of_server

TIMEOUT = 5
"""Seconds of a request, which kubectl tells the server too."""

KEPT = ("Authorization", "Accept-Encoding")


class Listeners:
    """An API server by https and one by http, and a proxy of each kind that leads every name to them.

    `asked` is what the servers were asked; of the proxies, whom they were to connect to.
    """

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self._closing: list[ThreadingHTTPServer] = []
        self.https = self._serve(_Api, is_tls=True)
        self.http = self._serve(_Api)
        self.proxy = self._serve(_Proxy)
        self.tls_proxy = self._serve(_Proxy, is_tls=True)
        self._socks = socket.create_server(("127.0.0.1", 0))
        self.socks = self._socks.getsockname()[1]
        threading.Thread(target=self._serve_socks, daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        for server in self._closing:
            server.shutdown()
            server.server_close()
        self._socks.close()

    def connect(self, port: str) -> socket.socket:
        """The server that a proxy leads to: whatever the name, that of http for port 80, else that of https or of the port itself."""
        ports = {"80": self.http, "443": self.https, "6443": self.https}
        return socket.create_connection(("127.0.0.1", ports.get(port, int(port))))

    def _serve(self, handler: type[BaseHTTPRequestHandler], *, is_tls: bool = False) -> int:
        server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (handler,), {"listeners": self}))
        server.daemon_threads = True
        if is_tls:
            context = tls_of_server()
            context.sni_callback = _remember_name
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        self._closing.append(server)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return server.server_port

    def _serve_socks(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._socks.accept()
                threading.Thread(target=self._tunnel_socks, args=(client,), daemon=True).start()

    def _tunnel_socks(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), client, client.makefile("rb") as read:
            methods = read.read(read.read(2)[1])
            user = ""
            if 2 in methods:
                client.sendall(b"\x05\x02")
                read.read(1)
                user = ":".join(read.read(read.read(1)[0]).decode() for _ in range(2))
                client.sendall(b"\x01\x00")
            else:
                client.sendall(b"\x05\x00")
            kind = read.read(4)[3]
            host = read.read(read.read(1)[0]).decode() if kind == 3 else socket.inet_ntoa(read.read(4))
            port = str(int.from_bytes(read.read(2), "big"))
            self.asked.append({"proxy": "socks5", "connect": f"{host}:{port}", **({"user": user} if user else {})})
            with self.connect(port) as server:
                client.sendall(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
                pump(client, server)


def _remember_name(connection: ssl.SSLObject | ssl.SSLSocket, name: str | None, context: ssl.SSLContext) -> None:
    del context
    connection.__dict__["asked_name"] = name or ""


class _Handler(BaseHTTPRequestHandler):
    listeners: Listeners
    protocol_version = "HTTP/1.1"

    def handle(self) -> None:
        with contextlib.suppress(OSError):  # a handshake that one side breaks off, too
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        del format, args


class _Api(_Handler):
    def do_GET(self) -> None:
        scheme = "https" if isinstance(self.connection, ssl.SSLSocket) else "http"
        asked = {"server": scheme, "path": self.path.removesuffix(f"?timeout={TIMEOUT}s"), "host": self.headers["Host"]}
        asked |= {name: readable(self.headers[name]) for name in KEPT if self.headers.get(name, "identity") != "identity"}
        impersonated = sorted(f"{name.lower()}: {value}" for name, value in self.headers.items() if name.lower().startswith("impersonate-"))
        if impersonated:
            asked["impersonated"] = impersonated
        if isinstance(self.connection, ssl.SSLSocket):
            asked["name"] = self.connection.__dict__.get("asked_name", "")
            subject: Any = (self.connection.getpeercert() or {}).get("subject", ())
            names = dict(part[0] for part in subject)
            if names:
                asked["certificate"] = names["commonName"]
        self.listeners.asked.append(asked)
        body = b"{}"
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class _Proxy(_Handler):
    def do_CONNECT(self) -> None:
        self._remember(self.path)
        with self.listeners.connect(self.path.rpartition(":")[2]) as server:
            self.send_response(200)
            self.end_headers()
            pump(self.connection, server)
        self.close_connection = True

    def do_GET(self) -> None:
        self._remember(self.path.partition("://")[2].partition("/")[0])
        with self.listeners.connect("80") as server:
            headers = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items() if not name.startswith("Proxy"))
            path = "/" + self.path.partition("://")[2].partition("/")[2]
            server.sendall(f"GET {path} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n".encode())
            while piece := server.recv(65536):
                self.wfile.write(piece)
        self.close_connection = True

    def _remember(self, to: str) -> None:
        kind = "https" if isinstance(self.connection, ssl.SSLSocket) else "http"
        user = readable(self.headers.get("Proxy-Authorization", ""))
        self.listeners.asked.append({"proxy": kind, "connect": to, **({"user": user} if user else {})})


def readable(header: str) -> str:
    """A header, with a user name and password as they are."""
    kind, _, value = header.partition(" ")
    if kind == "Basic":
        return f"Basic {b64decode(value).decode()}"
    return header.encode("latin-1").decode("utf-8", "replace").rstrip()


def pump(one: socket.socket, other: socket.socket) -> None:
    """Send what comes from either side to the other, until one has enough."""
    while True:
        is_waiting = isinstance(one, ssl.SSLSocket) and one.pending()  # what TLS has read ahead, no select sees
        ready = [one] if is_waiting else select.select([one, other], [], [], 20)[0]
        if not ready:
            return
        for side in ready:
            piece = side.recv(65536)
            if not piece:
                return
            (other if side is one else one).sendall(piece)


@contextlib.contextmanager
def listening() -> Iterator[Listeners]:
    """Listeners until the end of the block."""
    listeners = Listeners()
    try:
        yield listeners
    finally:
        listeners.close()
