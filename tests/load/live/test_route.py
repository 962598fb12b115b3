"""The official client as the transport: it goes the way that a route says, and no way of its own."""

from __future__ import annotations

import ssl
from typing import Any

import pytest

from preflight.load.live.access.address import Address
from preflight.load.live.access.route import Route, make_pool

HTTPS = Address("https", "api.test", "6443")
HTTP = Address("http", "api.test", "8080")
PROXY = Address("http", "proxy.test", "3128")


def pool(route: Route) -> Any:
    return make_pool(route, None, 8)


@pytest.fixture(params=["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])
def _other_proxy(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(request.param, "http://other.test:1")


@pytest.mark.usefixtures("_other_proxy")
@pytest.mark.parametrize("address", [HTTPS, HTTP])
def test_a_direct_way_stays_direct_whatever_the_environment_says(address: Address) -> None:
    assert pool(Route(address)).proxy is None


@pytest.mark.usefixtures("_other_proxy")
@pytest.mark.parametrize("address", [HTTPS, HTTP])
def test_a_proxy_is_that_of_the_route(address: Address) -> None:
    assert pool(Route(address, PROXY)).proxy.host == "proxy.test"


@pytest.mark.parametrize("name", ["NO_PROXY", "no_proxy"])
@pytest.mark.parametrize("value", ["*", "api.test", "kubernetes.default"])
def test_what_is_exempt_is_decided_already(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    assert pool(Route(HTTPS, PROXY)).proxy.host == "proxy.test"


@pytest.mark.parametrize("host", ["1:2", "::zz", "a\u2100b", ""])
def test_a_host_that_is_none_is_found_out_by_asking(host: str) -> None:
    assert pool(Route(Address("https", host), PROXY)).proxy.host == "proxy.test"


@pytest.mark.parametrize("proxy", [None, PROXY, Address("https", "proxy.test"), Address("socks5", "proxy.test")])
def test_nothing_is_trusted_beside_the_context(proxy: Address | None) -> None:
    keywords = pool(Route(HTTPS, proxy)).connection_pool_kw
    assert isinstance(keywords["ssl_context"], ssl.SSLContext)
    assert [keywords.get(name) for name in ("ca_certs", "ca_cert_data", "ca_cert_dir", "cert_file", "key_file")] == [None] * 5
    assert keywords["cert_reqs"] == ssl.CERT_REQUIRED


def test_a_proxy_by_https_is_trusted_as_the_server_is() -> None:
    keywords = pool(Route(HTTPS, Address("https", "proxy.test"))).connection_pool_kw
    assert keywords["_proxy_config"].ssl_context is keywords["ssl_context"]


@pytest.mark.parametrize("scheme", ["socks5", "socks5h"])
@pytest.mark.parametrize(
    ("user", "password"), [("me", "secret"), ("me", ""), ("a:b", "c@d/e?f#g"), ("50%", "%41 +"), ("\u00e9", "\u20ac"), (None, "")]
)
def test_a_proxy_of_socks_finds_the_server_and_is_told_who_asks(scheme: str, user: str | None, password: str) -> None:
    options = pool(Route(HTTPS, Address(scheme, "proxy.test", "1081", user=user, password=password))).connection_pool_kw["_socks_options"]
    assert (options["proxy_host"], options["proxy_port"], options["rdns"]) == ("proxy.test", 1081, True)
    assert (options["username"], options["password"]) == (user, None if user is None else password)


def test_an_insecure_server_is_not_verified() -> None:
    assert pool(Route(HTTPS, is_insecure=True)).connection_pool_kw["cert_reqs"] == ssl.CERT_NONE
