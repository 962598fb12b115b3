"""Addresses of servers and proxies, read as Go reads them; what may be shown of one."""

from __future__ import annotations

import re
from base64 import b64encode
from urllib.parse import quote, unquote

from msgspec import Struct

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_USER = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*")
_HOST = re.compile(
    r"([A-Za-z0-9\-._~!$&'()*+,;=<>\"\x80-\U0010ffff]|%[89A-Fa-f][0-9A-Fa-f])*|\[[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*(%25[A-Za-z0-9\-._~%]+)?\]"
)
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_PATH = "/:@$&+,;="
"""What is not escaped in a path, besides letters, digits and `-._~`."""

_PORTS = {"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}


class Address(Struct, frozen=True):
    """A URL. `host` has no brackets, `port` is "" where none is given, and `user` is None where there is no user name."""

    scheme: str
    host: str
    port: str = ""
    path: str = ""
    user: str | None = None
    password: str = ""

    @property
    def authority(self) -> str:
        """Host and port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}" if self.port else host

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"{self.scheme}://{self.authority}"

    @property
    def shown(self) -> str:
        """What may be shown: no user name, password, query or fragment."""
        return f"{self.origin}{self.path}".rstrip("/")

    @property
    def effective_port(self) -> str:
        """The port, or that of the scheme."""
        return self.port or _PORTS.get(self.scheme, "")

    @property
    def basic_credentials(self) -> str:
        """The value of an Authorization header for the user name and password; "" where there are none."""
        if self.user is None:
            return ""
        return f"Basic {b64encode(f'{self.user}:{self.password}'.encode('utf-8', 'surrogateescape')).decode()}"


def parse_url(text: str) -> Address | None:
    """A URL as Go parses it, None where it is none.

    1. Control characters, blanks in the host, a broken escape, and a port that is no number make it none.
    2. Without `//` after the scheme it has no host. The scheme is in lower case afterwards, and the path escaped as client-go sends it.

    Source: Go `net/url` (Parse, parseAuthority, parseHost).
    """
    if _CONTROL.search(text):
        return None
    rest = text.partition("#")[0]
    match = _SCHEME.fullmatch(rest)
    scheme, rest = (match[1].lower(), match[2]) if match else ("", rest)
    rest = rest.partition("?")[0]
    if not rest.startswith("//"):
        is_first_segment_wrong = not match and ":" in rest.partition("/")[0]
        return None if is_first_segment_wrong or rest.startswith(":") else Address(scheme, "", path=rest)
    authority, slash, path = rest[2:].partition("/")
    userinfo, at, host = authority.rpartition("@")
    if _BROKEN_ESCAPE.search(path) or _BROKEN_ESCAPE.search(userinfo) or not _USER.fullmatch(userinfo):
        return None
    name, port = _split_port(host)
    if port is None or not _HOST.fullmatch(name):
        return None
    user, _, password = userinfo.partition(":")
    name = name.removeprefix("[").removesuffix("]")
    return Address(scheme, unquote(name), port, quote(unquote(slash + path), safe=_PATH), unquote(user) if at else None, unquote(password))


def parse_server(text: str) -> Address | None:
    """The address of a server: a URL, or a host with or without a port, which is asked by http; None where it is neither.

    Source: client-go `rest/url_utils.go` (DefaultServerURL); `ClientConfig` calls it before it knows of any certificate.
    """
    address = parse_url(text)
    if address is not None and address.scheme and address.host:
        return address
    address = parse_url(f"http://{text}")
    return address if address is not None and address.host and address.path in ("", "/") else None


def _split_port(host: str) -> tuple[str, str | None]:
    """The host, and the port: None where it is no number."""
    end = host.rfind("]") if host.startswith("[") else -1
    name, colon, port = host[end + 1 :].rpartition(":")
    if end >= 0:
        return (host[: end + 1], None) if name or (not colon and port) else (host[: end + 1], _check_port(port if colon else ""))
    return (name, _check_port(port)) if colon else (host, "")


def _check_port(port: str) -> str | None:
    return port if not port or (port.isascii() and port.isdecimal()) else None
