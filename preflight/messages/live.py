"""Messages about reading a live cluster: connection errors, and lists that it does not return."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.inert_text import make_inert
from preflight.messages.lists import join_names

# The connection

WRONG_CREDENTIALS_FORM = "the credentials contain a character that cannot be sent in a request"
TOO_LARGE = "one answer is larger than 1 GiB"
UNKNOWN_HOST = "no such host"
ENDED_TLS = "the server closed the TLS handshake: it may not use TLS, or may not accept the client certificate"
NO_TLS = "the server does not use TLS: is it an http address?"
BROKEN_CONNECTION = "the connection was lost in the middle of the response"


def describe_unreachable(reason: str) -> str:
    """That a server cannot be reached."""
    return f"cannot be reached: {reason}"


def describe_untrusted_certificate(reason: str) -> str:
    """That the certificate of a server is not trusted."""
    return f"its certificate is not trusted: {reason}"


def describe_tls_refusal(alert: str) -> str:
    """That a server closes the TLS handshake, in its words."""
    return f"the server refuses the client certificate or the connection: {alert}"


def describe_tls_failure(reason: str) -> str:
    """That the handshake of TLS fails."""
    return f"no TLS connection: {reason}"


def describe_silent_proxy(reason: str) -> str:
    """That a proxy does not respond."""
    return f"the proxy does not respond: {reason}"


def describe_timeout(seconds: float) -> str:
    """That a server does not respond in time."""
    return f"no response within {seconds:g} seconds (--request-timeout)"


def describe_repeated_timeout(seconds: float, times: int) -> str:
    """That a server has not responded in time several times."""
    return f"{describe_timeout(seconds)}, {times} times"


def describe_unauthorized(context: str) -> str:
    """That the credentials of a context are not accepted."""
    return f"401 Unauthorized: the credentials of context {make_inert(context)} are not accepted"


def describe_status(status: int) -> str:
    """That a server answers with a status and no message."""
    return f"the server answers {status}"


# Lists

NOT_SERVED = "the server does not serve them"


def describe_missing_right(resource: str, namespace: str) -> str:
    """The right that is missing to list a resource; `namespace` is "" for all of them."""
    where = f" in namespace {namespace}" if namespace else ""
    return f"no permission to list {resource}{where}: `preflight rbac` prints the role"


def describe_missing_operator_right(resource: str, namespace: str) -> str:
    """The right that is missing to list the custom resources of an operator; `namespace` is "" for all of them."""
    where = f" in namespace {namespace}" if namespace else ""
    return f"no permission to list {resource}{where}: `preflight rbac --operators` prints the role"


def describe_server_fault(status: int, message: str) -> str:
    """That a server does not give a list, as it says."""
    return f"{describe_status(status)}: {message}"


def describe_wrong_discovery(message: str) -> str:
    """That a server has a resource among those that it serves, and does not find its list."""
    return f"the server answers 404 for a resource that its discovery lists: {message}"


def describe_unknown_resource(message: str) -> str:
    """That a server does not find a list, and does not say either what it serves."""
    return f"the server answers 404, and its discovery (/apis) does not list what it serves: {message}"


def describe_namespaces(namespaces: Sequence[str], reason: str) -> str:
    """That only the objects of some namespaces are known, and why."""
    return f"only those in namespace{'s' if len(namespaces) > 1 else ''} {join_names(namespaces)}: {reason}"


def describe_unreadable_list(plural: str) -> str:
    """That a list cannot be read."""
    return f"the list of {plural} cannot be read"


def describe_failed_list(plural: str, reason: str) -> str:
    """That the request for a list fails."""
    return f"the list of {plural} cannot be read: {reason}"


def describe_endless_list(plural: str) -> str:
    """That a list does not end."""
    return f"the list of {plural} does not end: the server starts it again"


def describe_list_timeout(plural: str, seconds: float) -> str:
    """That a list takes too long, page after page."""
    return f"the list of {plural} is not complete after {seconds:g} seconds (20 times --request-timeout)"


def describe_list_without_items(plural: str) -> str:
    """That a list of the API has no field for its items."""
    return f"the list of {plural} cannot be read: it has no field `items`"


def describe_deep_item(plural: str, index: int) -> str:
    """That an item of a list is nested too deeply; `index` is counted from 0."""
    return f"the list of {plural} cannot be read: its item {index + 1} is nested too deeply"


WRONG_TYPES = "a field has a wrong type"


def describe_bad_item(plural: str, number: int, name: str, reason: str) -> str:
    """That an item of a list cannot be read; the first has the number 1."""
    if not reason:
        return f"item {number} of the list of {plural} is not an object with a name"
    return f"item {number} of the list of {plural} ({name}) cannot be read: {reason}"


def describe_no_discovery(path: str) -> str:
    """That an answer does not say which resources a server serves."""
    return f"the response to {path} does not list what the server serves: is it the API server of a cluster?"


def describe_no_list(plural: str) -> str:
    """That a response is not a list of the API."""
    return f"the response is not a list of {plural}: is it the API server of a cluster?"


def describe_no_daemonset(reason: str) -> str:
    """That the DaemonSets of a cluster cannot be read."""
    return f"no DaemonSet can be checked: {reason}"


def describe_progress(context: str, requests: int, plural: str) -> str:
    """The progress of the requests."""
    return f"reading {make_inert(context)} ({requests} requests so far): {plural}"
