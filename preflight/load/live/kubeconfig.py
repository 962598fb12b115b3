"""From a kubeconfig, or the pod that this runs in, to a server and the right to ask it, as kubectl finds them.

Source: client-go `tools/clientcmd/client_config.go` (ClientConfig, getContext, getCluster, getAuthInfo),
`tools/clientcmd/merged_client_builder.go` (the service account as a fallback), and `rest/url_utils.go`.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from msgspec import Struct

from preflight.errors import InputError
from preflight.load.live.access import credentials, in_cluster
from preflight.load.live.access.address import parse_server
from preflight.load.live.access.credential_plugin import CredentialPlugin
from preflight.load.live.access.credentials import ClientCertificate, Credentials, StaticCredentials, TokenFile
from preflight.load.live.access.files import load_kubeconfig
from preflight.load.live.access.model import Kubeconfig, User
from preflight.load.live.access.proxies import find_environment_proxy
from preflight.load.live.access.route import Route, describe_cluster, find_route, make_pool
from preflight.load.live.access.validation import list_cluster_problems, list_tls_problems, list_user_problems
from preflight.load.live.target import ClusterTarget
from preflight.messages import kubeconfig as messages

MAX_PARALLEL = 8
"""How many requests are under way at a time."""

_SHORTEST_SECRET = 4


class _Identity(Struct, frozen=True):
    """Who asks: `impersonated` are headers, `certificate` is that of the kubeconfig."""

    credentials: Credentials
    certificate: ClientCertificate | None = None
    impersonated: Sequence[tuple[str, str]] = ()


class ClusterAccess:
    """A server, and the right to ask it.

    1. `context` and `namespace` are the kubeconfig's (`in-cluster` where there is none). `host` is the address without user name, password,
       query and fragment, so that it may be shown; `authority` is its host and port.
    2. Credentials are only in memory. They are sent over https alone, but for a user name and password in the address.
    """

    def __init__(self, context: str, namespace: str, route: Route, identity: _Identity) -> None:
        self.context, self.namespace, self.host = context, namespace, route.address.shown
        self.accepted_encoding, self.authority = route.accepted_encoding, route.address.authority
        self._route, self._identity = route, identity
        self._secrets = {*credentials.list_secrets(route.address.basic_credentials), route.proxy.password if route.proxy else ""}
        self._renewing = threading.Lock()
        self._certificate = identity.certificate
        self._pool = make_pool(route, self._certificate, MAX_PARALLEL)

    @property
    def pool(self) -> Any:
        """A urllib3 connection pool that trusts what the kubeconfig trusts, and takes the way through its proxy."""
        return self._pool

    def build_headers(self) -> list[tuple[str, str]]:
        """The headers that say who asks; credentials that have expired are renewed. Errors: InputError if there are none."""
        with self._renewing:  # a plugin is run once, and not by each of the requests that are under way
            try:
                renewed = self._renew()
            except InputError as error:
                reason = messages.describe_no_credentials(str(error))
                raise InputError(messages.describe_unusable_context(self.context, reason)) from None
        authorization = self._route.address.basic_credentials or renewed
        headers = [*self._identity.impersonated, *([("Authorization", authorization)] if authorization else [])]
        return [(name, value.encode("utf-8", "surrogateescape").decode("latin-1")) for name, value in headers]

    def redact(self, text: str) -> str:
        """A text of the server, or of an error, without any credential that was sent to it."""
        for secret in tuple(self._secrets):
            text = text.replace(secret, "...") if len(secret) >= _SHORTEST_SECRET else text
        return text

    def close(self) -> None:
        """Close the connections."""
        self._pool.clear()

    def _renew(self) -> str:
        """The value of the header, after the pool has got the certificate of a plugin."""
        authorization = self._identity.credentials.get_authorization()
        certificate = self._identity.certificate or self._identity.credentials.get_certificate()
        if certificate != self._certificate:
            self._pool, self._certificate = make_pool(self._route, certificate, MAX_PARALLEL), certificate
        self._secrets.update(credentials.list_secrets(authorization))
        return authorization


def open_access(target: ClusterTarget) -> ClusterAccess:
    """The server and the credentials of a target.

    1. The context is that of the target, else the current one. Without any, the service account of the pod around is used.
    2. What kubectl refuses is refused. Beyond that: kubectl asks `localhost:8080` where a cluster has no server, and asks people for a user
       name where a user has no credentials.
    3. Whom the kubeconfig impersonates (`as`, `as-uid`, `as-groups`, `as-user-extra`) is impersonated. A user or groups of the target take
       the place of its own, and of nothing else.
    4. Nothing is written, neither credentials to the disk nor renewed ones to the kubeconfig.

    Errors: InputError that names the file or the context, and never shows a credential.
    """
    with contextlib.suppress(ValueError):  # in a thread it is not allowed
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # a job's time limit ends a run as Ctrl-C does
    config = load_kubeconfig(target.kubeconfig, os.environ)
    name = target.context or config.current_context
    if not name and in_cluster.is_in_cluster(os.environ):
        _load_client()
        return _open_in_cluster(target)
    if not name or name not in config.contexts:
        raise InputError(_explain_no_context(config, target, name))
    _load_client()
    try:
        return _open_context(config, name, target)
    except InputError as error:
        raise InputError(messages.describe_unusable_context(name, str(error))) from None


def _load_client() -> None:
    """Refuses to go on where the Kubernetes client is not installed: it is an extra, since files are judged without it."""
    if find_spec("kubernetes") is None or find_spec("urllib3") is None:
        raise InputError(messages.NO_CLIENT)
    import urllib3

    urllib3.disable_warnings()  # of insecure-skip-tls-verify, which the kubeconfig asks for


def _explain_no_context(config: Kubeconfig, target: ClusterTarget, name: str) -> str:
    if config.is_missing:
        return messages.describe_missing_kubeconfig(config.paths) if target.context else messages.NO_CLUSTER
    if not name:
        return messages.describe_no_current_context(config.paths)
    return messages.describe_unknown_context(config.paths, name, config.contexts)


def _open_in_cluster(target: ClusterTarget) -> ClusterAccess:
    address = parse_server(in_cluster.get_server(os.environ))
    if address is None:
        raise InputError(messages.describe_invalid_server("in-cluster"))
    route = Route(address, find_environment_proxy(address, os.environ), in_cluster.read_authority(), in_cluster.FOLDER)
    identity = _Identity(TokenFile(in_cluster.get_token_path(), ""), None, _impersonate(target, User()))
    return ClusterAccess("in-cluster", in_cluster.read_namespace(os.environ), route, identity)


def _open_context(config: Kubeconfig, name: str, target: ClusterTarget) -> ClusterAccess:
    context = config.contexts[name]
    cluster = config.clusters.get(context.cluster)
    if cluster is None:
        raise InputError(messages.describe_unknown_cluster(context.cluster))
    user = config.users.get(context.user, User())
    problems = [*list_cluster_problems(context.cluster, cluster), *list_user_problems(context.user, user)]
    if problems:
        raise InputError(messages.join_problems(problems))
    route = find_route(cluster, context.cluster)
    if route.address.scheme == "https" and (problems := [*list_tls_problems(context.cluster, cluster)]):
        raise InputError(messages.join_problems(problems))
    impersonated = _impersonate(target, user)
    if route.address.scheme != "https":
        identity = _Identity(StaticCredentials(""), None, impersonated)
    elif context.user not in config.users:
        raise InputError(messages.describe_unknown_user(context.user))
    else:
        identity = _identify(user, context.user, describe_cluster(cluster, route), impersonated)
    namespace = context.namespace
    if not namespace:
        namespace = in_cluster.read_namespace(os.environ) if in_cluster.is_in_cluster(os.environ) else "default"
    return ClusterAccess(name, namespace, route, identity)


def _identify(user: User, name: str, cluster: Mapping[str, Any], impersonated: Sequence[tuple[str, str]]) -> _Identity:
    """Who a user is.

    1. A token or a password comes first, then an ID token. Either may stand next to a certificate.
    2. A plugin is run only if there is none of these.
    """
    found: Credentials | None = credentials.make_static_credentials(user)
    certificate = credentials.read_client_certificate(user, f"user {name}")
    if user.auth_provider is not None:
        credentials.check_provider(user.auth_provider)
        found = found or credentials.make_provider_credentials(user.auth_provider)
    if found is None and certificate is None:
        if user.exec is None:
            raise InputError(messages.describe_anonymous_user(name))
        return _Identity(CredentialPlugin(user.exec, cluster), None, impersonated)
    return _Identity(found or StaticCredentials(""), certificate, impersonated)


def _impersonate(target: ClusterTarget, user: User) -> list[tuple[str, str]]:
    if target.groups and not (target.user or user.impersonated):
        raise InputError(messages.GROUP_WITHOUT_USER)
    return credentials.make_impersonation_headers(user, target.user, target.groups)
