"""A connection to an API server: one GET at a time, tried again where that helps, and every failure in words."""

from __future__ import annotations

import re
import ssl
import threading
import time
from collections.abc import Mapping
from queue import Empty, SimpleQueue
from typing import Any
from urllib.parse import quote

import msgspec

from preflight.errors import InputError
from preflight.inert_text import make_inert
from preflight.load.live.kubeconfig import ClusterAccess, open_access
from preflight.load.live.target import ClusterTarget
from preflight.messages.live import (
    BROKEN_CONNECTION,
    ENDED_TLS,
    NO_TLS,
    TOO_LARGE,
    UNKNOWN_HOST,
    WRONG_CREDENTIALS_FORM,
    describe_repeated_timeout,
    describe_silent_proxy,
    describe_status,
    describe_timeout,
    describe_tls_failure,
    describe_tls_refusal,
    describe_unauthorized,
    describe_unreachable,
    describe_untrusted_certificate,
)
from preflight.version import __version__

_TRIES = 4
_AGAIN = frozenset({429, 500, 502, 503, 504})
_LONGEST_WAIT = 8.0
_SILENT = 3
_MOST = 1 << 30
_PIECE = 1 << 18
_GRACE = 0.25
"""Seconds that a request may be late, so that its own timeouts come first: they leave no thread behind."""


class HttpStatusError(Exception):
    """The server's answer is not 200: its status code, and its message in one line."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class RequestFailedError(InputError):
    """One request has no answer: `reason`, without the server."""

    def __init__(self, server: str, reason: str) -> None:
        super().__init__(f"{server}: {reason}")
        self.reason = reason


class ApiConnection:
    """An API server that answers GET requests.

    `server` is its address without user names and passwords; `requests` and `received` count what was asked and the bytes that came.
    `timeout` is how many seconds one request may take.
    """

    def __init__(self, target: ClusterTarget) -> None:
        """Read the kubeconfig. Errors: InputError where it does not lead to a server."""
        self._access: ClusterAccess = open_access(target)
        self.context, self.namespace, self.server = self._access.context, self._access.namespace, self._access.host
        self.requests = self.received = self._silent = 0
        self.timeout = target.timeout
        self._counting = threading.Lock()

    def close(self) -> None:
        """Let go of the connections."""
        self._access.close()

    def get(self, path: str, query: Mapping[str, str] | None = None, accept: str = "application/json") -> bytes:
        """The body of the answer to one GET; `accept` are the media types that the caller reads.

        1. Too many requests (429), a fault of the server (5xx) and a connection that breaks are tried again, up to four times in all, after
           half a second doubling, or when the server says so, up to 8 seconds.
        2. One request may take its time in all, however slowly the answer drips. A server that is not done then is not asked that again,
           and after three such requests nothing more.

        Errors: HttpStatusError with the server's message for any status but 200; RequestFailedError where this request has no answer, any
        other InputError where none can have one.
        """
        words = "&".join(f"{quote(name)}={quote(value, safe='')}" for name, value in (query or {}).items())
        url = f"{self._access.host.rstrip('/')}{path}{'?' if words else ''}{words}"
        if self._silent >= _SILENT:
            raise RequestFailedError(self.server, describe_repeated_timeout(self.timeout, _SILENT))
        wait = 0.5
        for attempt in range(1, _TRIES + 1):
            last = attempt == _TRIES
            try:
                status, headers, body = self._request_in_time(url, accept)
            except _ConnectionFailure as error:
                self._silent += error.is_timeout
                if last or not error.can_retry:
                    is_of_server = not (error.can_retry or error.is_timeout)
                    raise InputError(f"{self.server}: {error}") if is_of_server else RequestFailedError(self.server, str(error)) from None
                time.sleep(min(wait, _LONGEST_WAIT))
            else:
                if status == 200:
                    return body
                if status == 401:
                    raise InputError(f"{self.server}: {describe_unauthorized(self.context)}")
                if last or status not in _AGAIN:
                    raise HttpStatusError(status, self._access.redact(_describe_status(status, body)))
                time.sleep(min(_parse_retry_after(headers.get("Retry-After", "")) or wait, _LONGEST_WAIT))
            wait *= 2
        raise AssertionError("unreachable")

    def _request_in_time(self, url: str, accept: str) -> tuple[int, Mapping[str, str], bytes]:
        """One request, in a thread of its own: neither the resolver nor headers that drip know of a deadline."""
        import urllib3

        headers = urllib3.HTTPHeaderDict(
            {"Accept": accept, "Accept-Encoding": self._access.accepted_encoding, "Host": self._access.authority}
        )
        headers.add("User-Agent", f"preflight/{__version__}")
        for name, value in self._access.build_headers():
            headers.add(name, value)
        answers: SimpleQueue[tuple[int, Mapping[str, str], bytes] | Exception] = SimpleQueue()

        def request() -> None:
            try:
                answers.put(self._request_once(url, headers))
            except Exception as error:
                answers.put(error)

        threading.Thread(target=request, daemon=True).start()
        try:
            answer = answers.get(timeout=self.timeout + _GRACE)
        except Empty:
            raise _ConnectionFailure(describe_timeout(self.timeout), can_retry=False, is_timeout=True) from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _request_once(self, url: str, headers: Any) -> tuple[int, Mapping[str, str], bytes]:
        import urllib3

        deadline = time.monotonic() + self.timeout
        timeout = urllib3.Timeout(connect=min(10.0, self.timeout), read=self.timeout)
        try:
            answer = self._access.pool.request(
                "GET", url, headers=headers, timeout=timeout, retries=False, redirect=False, preload_content=False
            )
            try:
                body = self._read_body(answer, deadline)
            except BaseException:
                answer.close()
                raise
            answer.release_conn()
        except urllib3.exceptions.HTTPError as error:
            raise _to_failure(error, self.timeout) from None
        except OSError as error:
            raise _ConnectionFailure(describe_unreachable(_describe_error(error)), can_retry=False) from None
        except ValueError:  # of http.client, whose message quotes the header
            raise _ConnectionFailure(WRONG_CREDENTIALS_FORM, can_retry=False) from None
        with self._counting:
            self.requests += 1
            self.received += len(body)
        return int(answer.status), answer.headers, body

    def _read_body(self, answer: Any, deadline: float) -> bytes:
        pieces, size = [], 0
        while piece := answer.read1(_PIECE, decode_content=True):  # what there is: a server that dribbles does not put off the end
            pieces.append(piece)
            size += len(piece)
            if size > _MOST:
                raise _ConnectionFailure(TOO_LARGE, can_retry=False)
            if time.monotonic() > deadline:
                raise _ConnectionFailure(describe_timeout(self.timeout), can_retry=False, is_timeout=True)
        return b"".join(pieces)


class _ConnectionFailure(Exception):
    """No answer was had; `can_retry` where asking again may help, `is_timeout` where the server said nothing in time."""

    def __init__(self, message: str, *, can_retry: bool, is_timeout: bool = False) -> None:
        super().__init__(message)
        self.can_retry, self.is_timeout = can_retry, is_timeout


def _to_failure(error: Exception, timeout: float) -> _ConnectionFailure:
    from urllib3 import exceptions

    if isinstance(error, exceptions.NameResolutionError):
        return _ConnectionFailure(UNKNOWN_HOST, can_retry=False)
    if isinstance(error, exceptions.NewConnectionError):
        return _ConnectionFailure(describe_unreachable(_describe_error(error)), can_retry=False)
    if isinstance(error, exceptions.TimeoutError):
        return _ConnectionFailure(describe_timeout(timeout), can_retry=False, is_timeout=True)
    if isinstance(error, exceptions.SSLError):
        return _ConnectionFailure(_describe_tls_error(error), can_retry=False)
    if isinstance(error, exceptions.ProxyError):
        return _ConnectionFailure(describe_silent_proxy(_describe_error(error)), can_retry=False)
    return _ConnectionFailure(BROKEN_CONNECTION, can_retry=True)


def _find_innermost(error: BaseException) -> BaseException:
    while error.__cause__ or error.__context__:
        inner = error.__cause__ or error.__context__
        assert inner is not None
        error = inner
    return error


def _describe_error(error: BaseException) -> str:
    """The innermost reason, without addresses of objects and what stands around it."""
    error = _find_innermost(error)
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    text = re.sub(r"^\[[A-Z_:0-9 ]*\]\s*|\s*\(_ssl\.c:\d+\)$", "", text).partition("\n")[0]
    return make_inert(re.sub(r"<[^<>]* at 0x[0-9a-fA-F]+>:?\s*", "", text)) or type(error).__name__


def _describe_tls_error(error: BaseException) -> str:
    """What is wrong: the certificate of the server, the one that was shown to it, or that it speaks no TLS."""
    inner = _find_innermost(error)
    code = str(getattr(inner, "reason", "") or "")
    if isinstance(inner, ssl.SSLCertVerificationError):
        return describe_untrusted_certificate(_describe_error(inner))
    if "ALERT" in code:
        return describe_tls_refusal(code.partition("ALERT_")[2].lower().replace("_", " "))
    if code in ("WRONG_VERSION_NUMBER", "HTTP_REQUEST"):
        return NO_TLS
    if isinstance(inner, ssl.SSLEOFError):
        return ENDED_TLS
    return describe_tls_failure(_describe_error(inner))


class _StatusBody(msgspec.Struct):
    message: str = ""


def _describe_status(status: int, body: bytes) -> str:
    """The message of a Status object, else what the code means, in one line."""
    try:
        text = " ".join(msgspec.json.decode(body, type=_StatusBody).message.split())[:500]
    except msgspec.MsgspecError:
        text = ""
    return make_inert(text) or describe_status(status)


def _parse_retry_after(text: str) -> float:
    """What Retry-After says, 0 where it is absent or a date."""
    return float(text) if re.fullmatch(r"[0-9]{1,4}", text) else 0.0
