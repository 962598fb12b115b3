"""Messages about a kubeconfig and its credentials. None of them contains a credential.

Names and paths come from files and are made inert: no terminal or CI system interprets them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from preflight.inert_text import make_inert
from preflight.messages.lists import join_names
from preflight.messages.suggestions import suggest

NO_CLUSTER = (
    "no --from, and no cluster to read: no kubeconfig found ($KUBECONFIG, ~/.kube/config). Give manifests, or the cluster state:\n"
    "  kubectl get nodes,ds,pods -A -o json | preflight ... --from -"
)
NO_CLIENT = (
    "a cluster cannot be read without the Kubernetes client, which is not installed: pip install 'kube-preflight[live]'.\n"
    "Or give the cluster state: kubectl get nodes,ds,pods -A -o json | preflight ... --from -"
)
GROUP_WITHOUT_USER = "--as-group needs --as"
INVALID_ID_TOKEN = "the id-token of auth-provider oidc is not a JSON Web Token"

_QUOTED = re.compile(r"'[^']*'|, not `.*", re.DOTALL)
_KINDS = {"str": "a string", "int": "a number", "float": "a number", "bool": "true or false", "object": "a mapping", "array": "a list"}
_PLUGIN_DOCS = "https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins"
_ADVICE = {
    "gcp": "use the credential plugin gke-gcloud-auth-plugin: "
    "https://cloud.google.com/blog/products/containers-kubernetes/kubectl-auth-changes-in-gke",
    "azure": "use the credential plugin https://github.com/Azure/kubelogin",
}


# Files


def describe_missing_kubeconfig(paths: str) -> str:
    """That no file of a kubeconfig exists."""
    return f"kubeconfig {make_inert(paths)} does not exist"


def describe_unreadable_kubeconfig(path: str, reason: str) -> str:
    """That a kubeconfig cannot be opened."""
    return f"kubeconfig {make_inert(path)} cannot be read: {reason}"


def describe_large_kubeconfig(path: str, mebibytes: int) -> str:
    """That a kubeconfig is too large."""
    return f"kubeconfig {make_inert(path)} is larger than {mebibytes} MiB"


def describe_undecodable_kubeconfig(path: str, line: int) -> str:
    """That a kubeconfig is not UTF-8."""
    return f"kubeconfig {make_inert(path)}:{line}: not UTF-8"


def describe_kubeconfig_syntax(path: str, line: int, column: int, problem: str) -> str:
    """That a kubeconfig is no YAML; what the problem quotes of the file is left out."""
    return f"kubeconfig {make_inert(path)}:{line}:{column}: {_QUOTED.sub('', problem)}"


def describe_kubeconfig_field(path: str, problem: str) -> str:
    """That a field has a value of another type, as msgspec says: Expected `str`, got `int` - at `$.users[0].user.token`."""
    wanted, _, place = problem.partition(" - at ")
    types = re.findall(r"`(\w+)", wanted)
    field = place.strip("`").removeprefix("$").removeprefix(".")
    shown = [_KINDS.get(name, name) for name in types]
    if len(shown) == 2:
        return f"kubeconfig {make_inert(path)}: {make_inert(field) or 'the file'} must be {shown[0]}, not {shown[1]}"
    return f"kubeconfig {make_inert(path)}: {make_inert(field) or 'the file'} has a value of another type"


def describe_other_kind(path: str, kind: str, version: str) -> str:
    """That a file is something else than a kubeconfig."""
    return f"{make_inert(path)} is not a kubeconfig: it is a {make_inert(kind)} of {make_inert(version)}, not a Config of v1"


def describe_repeated_name(path: str, part: str, name: str) -> str:
    """That two entries have one name."""
    which = f"named {make_inert(name)}" if name else "without a name"
    return f"kubeconfig {make_inert(path)}: {part} has two entries {which}"


def describe_invalid_base64(path: str, place: str) -> str:
    """That a field is not base64."""
    return f"kubeconfig {make_inert(path)}: {make_inert(place)} is not base64"


# The context


def describe_no_current_context(paths: str) -> str:
    """That a kubeconfig chooses no context."""
    return f"kubeconfig {make_inert(paths)} has no current context: choose one with --context"


def describe_unknown_context(paths: str, context: str, known_contexts: Collection[str]) -> str:
    """That a kubeconfig has no such context."""
    known = f" (it has {join_names([make_inert(name) for name in sorted(known_contexts)])})" if known_contexts else ""
    hint = make_inert(suggest(context, known_contexts)) or known
    return f"kubeconfig {make_inert(paths)} has no context {make_inert(context)}{hint}"


def describe_unusable_context(context: str, reason: str) -> str:
    """Why a context leads to no server."""
    return f"context {make_inert(context)}: {reason}"


def describe_no_credentials(reason: str) -> str:
    """That no credentials can be had."""
    return f"no credentials: {reason}"


def join_problems(problems: Iterable[str]) -> str:
    """All that is wrong."""
    return "; ".join(problems)


# The cluster


def describe_unknown_cluster(name: str) -> str:
    """That a context names a cluster that does not exist."""
    return f"there is no cluster {make_inert(name)}" if name else "it has no cluster"


def describe_no_server(cluster: str) -> str:
    """That a cluster has no address."""
    return f"cluster {make_inert(cluster)} has no server"


def describe_invalid_server(cluster: str) -> str:
    """That an address is none of a server; it may hold a credential and is not shown."""
    return f"the server of cluster {make_inert(cluster)} is not an address like https://HOST:PORT"


def describe_invalid_proxy(cluster: str) -> str:
    """That a proxy is none that kubectl accepts; its address may hold a password and is not shown."""
    return f"the proxy-url of cluster {make_inert(cluster)} is not an http, https or socks5 address"


def describe_unusable_proxy(address: str) -> str:
    """That a proxy uses a protocol that preflight does not support."""
    return f"the proxy {make_inert(address)} cannot be used: only http, https and socks5 are supported"


def describe_exclusive_fields(place: str, one: str, other: str) -> str:
    """Two fields of which kubectl takes one at most."""
    return f"{make_inert(place)} has {one} and {other}: give one of them"


def describe_no_authority(source: str) -> str:
    """That trusted certificates hold none."""
    return f"{make_inert(source)} holds no certificate"


# The user


def name_data(field: str, name: str) -> str:
    """A field of a cluster or a user that holds data."""
    return f"the {field} of {name}"


def describe_unknown_user(name: str) -> str:
    """That a context names a user that does not exist, or none."""
    return f"there is no user {make_inert(name)}" if name else "it has no user"


def describe_anonymous_user(name: str) -> str:
    """That a user has no credentials."""
    return f"user {make_inert(name)} has no token, certificate, password or credential plugin"


def describe_certificate_without_key(user: str) -> str:
    """A client certificate without a key."""
    return f"user {make_inert(user)} has a client certificate without client-key or client-key-data"


def describe_no_client_certificate(source: str) -> str:
    """That there is no certificate where one should be."""
    return f"{make_inert(source)} holds no certificate"


def describe_no_private_key(source: str) -> str:
    """That there is no key where one should be."""
    return f"{make_inert(source)} holds no private key"


def describe_unusable_certificate(source: str, key_source: str, reason: str) -> str:
    """That a client certificate or its key cannot be read."""
    return f"{make_inert(source)} cannot be used together with {make_inert(key_source)}: {reason}"


def describe_key_mismatch(source: str, key_source: str) -> str:
    """That a key is that of another certificate."""
    return f"{make_inert(key_source)} is not the key of {make_inert(source)}"


def describe_encrypted_key(source: str) -> str:
    """That a key is encrypted."""
    return f"{make_inert(source)} is encrypted: neither kubectl nor preflight asks for a password"


def describe_unreadable_file(field: str, path: str, reason: str) -> str:
    """That a file of a credential cannot be read."""
    return f"{field} {make_inert(path)} cannot be read: {reason}"


def describe_large_file(field: str, path: str, mebibytes: int) -> str:
    """That a file of a credential is too large."""
    return f"{field} {make_inert(path)} is larger than {mebibytes} MiB"


def describe_empty_token_file(path: str) -> str:
    """That a token file is empty."""
    return f"tokenFile {make_inert(path)} is empty"


def describe_impersonation_without_user(user: str) -> str:
    """Impersonation of everything but a user."""
    return f"user {make_inert(user)} has as-uid, as-groups or as-user-extra without as"


def describe_removed_provider(name: str) -> str:
    """That kubectl no longer has an auth-provider, and what it advises."""
    if name in _ADVICE:
        return f"the auth-provider {name} was removed from kubectl: {_ADVICE[name]}"
    return f"there is no auth-provider {make_inert(name)}: use a credential plugin ({_PLUGIN_DOCS})"


def describe_oidc_without(field: str) -> str:
    """A field that the provider oidc needs."""
    return f"auth-provider oidc needs {field}"


def describe_expired_id_token(*, can_renew: bool) -> str:
    """That an ID token is missing or has expired."""
    if can_renew:
        return "auth-provider oidc has no valid id-token: any kubectl command that reaches the cluster renews it"
    return "auth-provider oidc has no valid id-token and no refresh-token: log in again"
