"""Whether the way to a server leads through a proxy, and through which.

Source: `golang.org/x/net/http/httpproxy/proxy.go`, which kubectl uses by way of Go's net/http, and client-go
`tools/clientcmd/helpers.go` (parseProxyURL).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from preflight.load.live.access.address import Address, parse_url

PROXY_SCHEMES = ("http", "https", "socks5")
"""The schemes that `proxy-url` may have."""


def parse_proxy_url(text: str) -> Address | None:
    """The proxy of a kubeconfig, None where kubectl refuses it."""
    address = parse_url(text)
    return address if address is not None and address.scheme in PROXY_SCHEMES else None


def find_environment_proxy(server: Address, environment: Mapping[str, str]) -> Address | None:
    """The proxy that the environment names for a server, None for the direct way.

    1. It is HTTPS_PROXY or HTTP_PROXY, by the scheme of the server; the name in capitals comes first, and an empty value counts as none.
       ALL_PROXY is not read. A value without a scheme has that of http; one that is no address is not read.
    2. `localhost` and addresses of loopback are asked directly. So is what NO_PROXY lists.
    """
    names = ("HTTPS_PROXY", "https_proxy") if server.scheme == "https" else ("HTTP_PROXY", "http_proxy")
    text = _read_first(environment, names)
    if not text or server.host == "localhost" or _is_exempt(server, _read_first(environment, ("NO_PROXY", "no_proxy"))):
        return None
    address = parse_url(text)
    if address is None or not address.scheme or not address.host:
        return parse_url(f"http://{text}") or address
    return address


def _read_first(environment: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((environment[name] for name in names if environment.get(name)), "")


def _is_exempt(server: Address, no_proxy: str) -> bool:
    """Whether a server is asked directly in spite of a proxy.

    An entry of NO_PROXY is
    1. `*`: every server;
    2. addresses as `10.0.0.0/8`, of a server that is given by its address;
    3. an address, with or without a port;
    4. a domain, with or without a port: itself and all below it; with a dot or `*.` in front only all below it.
    """
    host = server.host.lower().strip()
    ip = _parse_ip(host)
    if ip is not None and _unmap(ip).is_loopback:
        return True
    entries = [entry.strip().lower() for entry in no_proxy.split(",")]
    if "*" in entries:
        return True
    return any(_matches(entry, host, ip, server.effective_port) for entry in entries if entry)


def _matches(entry: str, host: str, ip: IPv4Address | IPv6Address | None, port: str) -> bool:
    if "/" in entry:
        try:
            network = ip_network(entry, strict=False)
        except ValueError:
            pass
        else:
            return ip is not None and _unmap(ip) in network
    for name, wanted_port in _split_entry(entry):
        if wanted_port not in ("", port):
            return False
        exempt = _parse_ip(name)
        if exempt is not None:
            return ip is not None and _unmap(ip) == _unmap(exempt)
        domain = name.removeprefix("*") if name.startswith("*.") else name
        if ip is not None or not domain:
            return False
        return host.endswith(domain) if domain.startswith(".") else host == domain or host.endswith(f".{domain}")
    return False


def _split_entry(entry: str) -> Iterator[tuple[str, str]]:
    """The host and port of an entry as Go splits them; nothing where the host is empty."""
    host, colon, port = entry.rpartition(":")
    is_bracketed = entry.startswith("[")
    if colon and (host.endswith("]") if is_bracketed else ":" not in host):
        name = host.removeprefix("[").removesuffix("]")
        if name:
            yield name, port
    else:
        yield entry, ""


def _parse_ip(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


def _unmap(ip: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """An IPv4 address that is written as one of IPv6 is that address."""
    mapped = ip.ipv4_mapped if isinstance(ip, IPv6Address) else None
    return mapped or ip
