"""An API server for tests: lists of objects, selectors, pages, and whatever can go wrong with them."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from preflight.kubectl.label_selector import parse_selector

TLS = Path(__file__).parents[2] / "data/tls"
"""Certificates of a server on loopback, of a user `good`, and of the authorities that signed them."""

_TRUST = {"certificate-authority": str(TLS / "ca.crt")}

TOKEN = "s3cr3t-t0ken-of-nobody"

KINDS = {
    "nodes": ("v1", "Node"),
    "pods": ("v1", "Pod"),
    "configmaps": ("v1", "ConfigMap"),
    "namespaces": ("v1", "Namespace"),
    "persistentvolumeclaims": ("v1", "PersistentVolumeClaim"),
    "persistentvolumes": ("v1", "PersistentVolume"),
    "daemonsets": ("apps/v1", "DaemonSet"),
    "deployments": ("apps/v1", "Deployment"),
    "replicasets": ("apps/v1", "ReplicaSet"),
    "statefulsets": ("apps/v1", "StatefulSet"),
    "jobs": ("batch/v1", "Job"),
    "cronjobs": ("batch/v1", "CronJob"),
    "jobsets": ("jobset.x-k8s.io/v1alpha2", "JobSet"),
    "poddisruptionbudgets": ("policy/v1", "PodDisruptionBudget"),
    "resourcequotas": ("v1", "ResourceQuota"),
    "runtimeclasses": ("node.k8s.io/v1", "RuntimeClass"),
    "storageclasses": ("storage.k8s.io/v1", "StorageClass"),
}

Fault = Callable[["Asked"], "tuple[int, bytes] | str | None"]
"""What goes wrong with a request: a status and a body, `half` of an answer, `nothing` at all, or None for no fault."""


class Asked:
    """One request: the method, the resource, the namespace ("" for all), and the parts of the query."""

    def __init__(self, method: str, path: str, headers: Mapping[str, str]) -> None:
        split = urlsplit(path)
        parts = split.path.strip("/").split("/")
        self.method, self.path, self.headers = method, split.path, headers
        self.query = {name: values[0] for name, values in parse_qs(split.query, keep_blank_values=True).items()}
        self.resource = parts[-1]
        self.namespace = parts[parts.index("namespaces") + 1] if "namespaces" in parts[:-1] else ""

    def __str__(self) -> str:
        words = ",".join(f"{name}={value}" for name, value in sorted(self.query.items()) if name in ("fieldSelector", "labelSelector"))
        return f"{self.resource}{f' -n {self.namespace}' if self.namespace else ''}{f' {words}' if words else ''}"


class ApiServer:
    """Objects, served as an API server lists them; `asked` is what was asked, in any order, and `fault` what goes wrong."""

    def __init__(self, objects: Sequence[Mapping[str, Any]], fault: Fault | None = None, page: int = 500) -> None:
        self.objects, self.fault, self.page = objects, fault, page
        self.asked: list[Asked] = []
        self.version: dict[str, Any] = {"major": "1", "minor": "37", "gitVersion": "v1.37.2"}
        self.metrics = ""
        self.url = ""
        self.stopped = threading.Event()

    def questions(self) -> list[str]:
        """What was asked for, in words, sorted."""
        return sorted(str(asked) for asked in self.asked if asked.resource != "version")

    def answer(self, asked: Asked) -> tuple[int, bytes]:
        """The status and the body."""
        if asked.resource == "version":
            return 200, json.dumps(self.version).encode()
        if asked.resource == "metrics":
            return 200, self.metrics.encode()
        if asked.resource not in KINDS:
            return status(404, "the server could not find the requested resource")
        version, kind = KINDS[asked.resource]
        found = [item for item in self.objects if item["kind"] == kind and _is_wanted(item, asked)]
        start = int(asked.query.get("continue", "0"))
        size = min(int(asked.query.get("limit", "100000")), self.page if "limit" in asked.query else 100000)
        rest = start + size < len(found)
        metadata = {"resourceVersion": "1", **({"continue": str(start + size)} if rest else {})}
        items = [
            {name: value for name, value in each.items() if name not in ("apiVersion", "kind")} for each in found[start : start + size]
        ]
        return 200, json.dumps({"kind": f"{kind}List", "apiVersion": version, "metadata": metadata, "items": items}).encode()


def status(code: int, message: str) -> tuple[int, bytes]:
    """A Status object of the API."""
    return code, json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "code": code}).encode()


def _is_wanted(each: Mapping[str, Any], asked: Asked) -> bool:
    metadata = each["metadata"]
    if asked.namespace and metadata.get("namespace") != asked.namespace:
        return False
    for part in filter(None, asked.query.get("fieldSelector", "").split(",")):
        path, _, value = part.partition("=")
        there: Any = each
        for name in path.split("."):
            there = there.get(name, "") if there else ""
        if there != value:
            return False
    labels = metadata.get("labels", {})
    return parse_selector(asked.query.get("labelSelector", "")).selects(labels)


@contextmanager
def serving(server: ApiServer, folder: Path, tls: ssl.SSLContext | None = None) -> Iterator[Path]:
    """The server on a free port of this machine, by https if there is a TLS context; the answer is a kubeconfig that leads to it."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked = Asked("GET", self.path, dict(self.headers))
            server.asked.append(asked)
            wrong = server.fault(asked) if server.fault else None
            if wrong == "nothing":
                server.stopped.wait(20)
                self.close_connection = True
                return
            code, body = server.answer(asked) if wrong is None or isinstance(wrong, str) else wrong
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if wrong == "half" else body)
            if wrong == "half":
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            del format, args

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    if tls is not None:
        http.socket = tls.wrap_socket(http.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=http.serve_forever, args=(0.02,))
    thread.start()
    server.url = f"{'http' if tls is None else 'https'}://127.0.0.1:{http.server_port}"
    try:
        yield kubeconfig(folder / "kubeconfig", server.url)
    finally:
        server.stopped.set()
        http.shutdown()
        thread.join()
        http.server_close()


def tls_of_server() -> ssl.SSLContext:
    """TLS of a server on loopback that takes the certificate of a user, too."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "server.crt", TLS / "server.key")
    context.load_verify_locations(TLS / "ca.crt")
    context.verify_mode = ssl.CERT_OPTIONAL
    return context


def kubeconfig(path: Path, server: str, user: Mapping[str, Any] | None = None, namespace: str = "") -> Path:
    """A kubeconfig with the one context `test`."""
    context = {"cluster": "c", "user": "u", **({"namespace": namespace} if namespace else {})}
    data = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "test",
        "contexts": [{"name": "test", "context": context}],
        "clusters": [{"name": "c", "cluster": {"server": server, **(_TRUST if server.startswith("https:") else {})}}],
        "users": [{"name": "u", "user": user if user is not None else {"token": TOKEN}}],
    }
    path.write_text(json.dumps(data))
    return path
