"""The way to a server: its address, a proxy, and what proves that it is the server.

Source: client-go `rest/transport.go`, `transport/cache.go` (which proxy), `rest/exec.go` (what a plugin is told).
"""

from __future__ import annotations

import os
import ssl
from base64 import b64encode
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any
from urllib.parse import quote

from msgspec import Struct

from preflight.errors import InputError
from preflight.load.live.access.address import Address, parse_server
from preflight.load.live.access.credentials import ClientCertificate, read_data
from preflight.load.live.access.model import Cluster
from preflight.load.live.access.proxies import find_environment_proxy, parse_proxy_url
from preflight.load.live.access.tls import load_client_certificate, make_tls_context
from preflight.messages import kubeconfig as messages

_EXEC_EXTENSION = "client.authentication.k8s.io/exec"
_ANY_HOST = "https://kubernetes.default"
"""What the client compares with its `no_proxy`: whether there is a proxy is known already. Requests have the whole address."""


class Route(Struct, frozen=True):
    """The way to a server: `authority` are the certificates that are trusted, None for those of the system."""

    address: Address
    proxy: Address | None = None
    authority: bytes | None = None
    authority_name: str = ""
    is_insecure: bool = False
    tls_server_name: str = ""
    accepted_encoding: str = "gzip"


def find_route(cluster: Cluster, name: str) -> Route:
    """The way to a cluster of this name.

    1. `proxy-url` leads to every server; a proxy of the environment only to those that it is meant for.
    2. An address without a scheme is asked by http.

    Errors: InputError.
    """
    address = parse_server(cluster.server)
    if address is None or address.scheme not in ("http", "https"):
        raise InputError(messages.describe_invalid_server(name))
    proxy = parse_proxy_url(cluster.proxy_url) if cluster.proxy_url else find_environment_proxy(address, os.environ)
    if proxy is not None and not _can_use_proxy(proxy):
        raise InputError(messages.describe_unusable_proxy(proxy.shown))
    data, path = cluster.certificate_authority_data, cluster.certificate_authority
    return Route(
        address=address,
        proxy=proxy,
        authority=read_data(data, path, "certificate-authority") if data or path else None,
        authority_name=path or messages.name_data("certificate-authority-data", f"cluster {name}"),
        is_insecure=cluster.insecure_skip_tls_verify,
        tls_server_name=cluster.tls_server_name,
        accepted_encoding="identity" if cluster.disable_compression else "gzip",
    )


def _can_use_proxy(proxy: Address) -> bool:
    return proxy.scheme in ("http", "https") or (_is_socks(proxy) and find_spec("socks") is not None)


def describe_cluster(cluster: Cluster, route: Route) -> Mapping[str, Any]:
    """What a plugin is told of the cluster. Source: client-go `rest/exec.go` (ConfigToExecCluster)."""
    config = next((named.extension for named in cluster.extensions if named.name == _EXEC_EXTENSION), None)
    known = {
        "server": cluster.server,
        "tls-server-name": cluster.tls_server_name,
        "insecure-skip-tls-verify": cluster.insecure_skip_tls_verify,
        "certificate-authority-data": b64encode(route.authority).decode() if route.authority else "",
        "proxy-url": cluster.proxy_url,
        "disable-compression": cluster.disable_compression,
    }
    return {**{field: value for field, value in known.items() if value}, "config": config}


def make_pool(route: Route, certificate: ClientCertificate | None, size: int) -> Any:
    """The official client's pool of connections on this way, which show the certificate to the server.

    1. Which proxy is taken, and what is trusted, is what the route says: the client reads neither the environment nor any file. It takes a
       key from a path alone, so that its pool is given the TLS context instead.
    2. As in Go, a proxy that is reached by https is trusted as the server is.

    Errors: InputError that blames a certificate.
    """
    from kubernetes.client.configuration import Configuration
    from kubernetes.client.rest import RESTClientObject

    is_https = route.address.scheme == "https"
    context: ssl.SSLContext | None = None
    if is_https:
        context = make_tls_context(route.authority, route.authority_name, is_insecure=route.is_insecure)
        if certificate is not None:
            load_client_certificate(context, certificate)
    proxy = route.proxy
    is_authorized = proxy is not None and proxy.user is not None and not _is_socks(proxy)
    configuration = Configuration(
        host=_ANY_HOST,
        proxy=_build_proxy_url(proxy) if proxy is not None else "",  # None would be that of the environment
        no_proxy="",
        proxy_headers={"Proxy-Authorization": proxy.basic_credentials} if proxy is not None and is_authorized else None,
        proxy_ssl_context=context,
        verify_ssl=not (is_https and route.is_insecure),
        tls_server_name=route.tls_server_name if is_https else None,
        connection_pool_maxsize=size,
    )
    pool = RESTClientObject(configuration).pool_manager
    if context is not None:
        pool.connection_pool_kw["ssl_context"] = context
    return pool


def _is_socks(proxy: Address) -> bool:
    return proxy.scheme in ("socks5", "socks5h")


def _build_proxy_url(proxy: Address) -> str:
    """The address of a proxy; one of socks is told who asks in it, and looks up the server itself."""
    if not _is_socks(proxy):
        return proxy.origin
    user = "" if proxy.user is None else f"{_escape(proxy.user)}:{_escape(proxy.password)}@"
    return f"socks5h://{user}{proxy.authority}"


def _escape(text: str) -> str:
    return quote(text, safe="", errors="surrogateescape")
