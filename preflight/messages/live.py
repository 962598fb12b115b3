"""What the asking of a live cluster says to people: what is wrong with the way to it, and what it does not give."""

from __future__ import annotations

from preflight.messages.kubeconfig import make_inert

# The connection

WRONG_CREDENTIALS_FORM = "the credentials hold a character that no request can carry"
TOO_LARGE = "one answer is larger than 1 GiB"
UNKNOWN_HOST = "there is no such host"
ENDED_TLS = "the server ends the handshake of TLS: it may speak none, or not accept the client certificate"
NO_TLS = "the server speaks no TLS: is its address one of http?"
BROKEN_CONNECTION = "the connection broke off in the middle of the answer"


def describe_unreachable(reason: str) -> str:
    """That a server cannot be reached."""
    return f"cannot be reached: {reason}"


def describe_untrusted_certificate(reason: str) -> str:
    """That the certificate of a server is not trusted."""
    return f"its certificate is not trusted: {reason}"


def describe_tls_refusal(alert: str) -> str:
    """That a server ends the handshake of TLS, in its words."""
    return f"the server refuses the client certificate, or the connection: {alert}"


def describe_tls_failure(reason: str) -> str:
    """That the handshake of TLS fails."""
    return f"no TLS connection: {reason}"


def describe_silent_proxy(reason: str) -> str:
    """That a proxy gives no answer."""
    return f"the proxy does not answer: {reason}"


def describe_timeout(seconds: float) -> str:
    """That a server says nothing in time."""
    return f"no answer within {seconds:g} seconds (--request-timeout)"


def describe_repeated_timeout(seconds: float, times: int) -> str:
    """That a server has said nothing in time several times."""
    return f"{describe_timeout(seconds)}, {times} times"


def describe_unauthorized(context: str) -> str:
    """That the credentials of a context are not accepted."""
    return f"401 Unauthorized: the credentials of context {make_inert(context)} are not accepted"


def describe_status(status: int) -> str:
    """That a server answers with a status that says no more."""
    return f"the server answers {status}"


# Lists

UNKNOWN_KIND = "the server does not know it"


def describe_missing_right(resource: str, namespace: str) -> str:
    """The right that is missing to list a resource; `namespace` is "" for all of them."""
    where = f" in namespace {namespace}" if namespace else ""
    return f"the right to list {resource}{where} is missing: `preflight rbac` prints the role"


def describe_server_fault(status: int, message: str) -> str:
    """That a server does not give a list, as it says."""
    return f"{describe_status(status)}: {message}"


def describe_one_namespace(namespace: str, reason: str) -> str:
    """That only the objects of one namespace are known, and why."""
    return f"only those of namespace {namespace}: {reason}"


def describe_unreadable_list(plural: str) -> str:
    """That a list cannot be read."""
    return f"the list of {plural} cannot be read"


def describe_endless_list(plural: str) -> str:
    """That a list comes to no end."""
    return f"the list of {plural} goes on and on at the same place"


def describe_no_list(plural: str) -> str:
    """That an answer is no list of the API."""
    return f"the answer is no list of {plural}: is it the API server of a cluster?"


def describe_no_daemonset(reason: str) -> str:
    """That no DaemonSet of a cluster can be had."""
    return f"no DaemonSet can be judged: {reason}"


def describe_progress(context: str, requests: int, plural: str) -> str:
    """What is asked just now."""
    return f"asking {make_inert(context)} ({requests} requests so far): {plural}"
