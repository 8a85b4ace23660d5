"""Proxies that the environment names: who is queried, with which address, and who sees which credentials."""

from __future__ import annotations

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.settings.cluster import BearerAuth, HttpSettings
from scanner_model.errors import SourceUnreachable
from scanner_model.names import SourceId


@pytest.fixture
def proxy(serve, reply, monkeypatch):
    """Name a proxy for every host, and give what it is queried."""
    asked = []
    url = serve(lambda request: asked.append(request) or reply(body=b"[1]"))
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name.lower(), url.replace("//", "//user:word@"))
        monkeypatch.setenv(name, url.replace("//", "//user:word@"))
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "inside.example")
    return asked


def ask(url):
    settings = HttpSettings(url=url, auth=BearerAuth(token="t0ken"))
    with Http(settings, SourceId("s"), clock=Clock(pause=lambda _: None)) as http:
        return http.get("subjects", "..", "a/b", params=[("at", "x y")])


def test_a_proxy_is_requested_the_whole_address_exactly_as_it_is(proxy):
    """A proxy sends a request on by its address; a subject called `..` must not become a step up on the way."""
    answer = ask("http://registry.example:8081/api")

    assert answer == [1]
    assert [request.target for request in proxy] == ["http://registry.example:8081/api/subjects/%2E%2E/a%2Fb?at=x%20y"]


def test_the_proxy_gets_its_own_credentials_beside_those_of_the_source(proxy):
    """Both are distinguished by their headers."""
    ask("http://registry.example")

    headers = proxy[0].headers
    assert (headers["proxy-authorization"], headers["authorization"]) == ("Basic dXNlcjp3b3Jk", "Bearer t0ken")


def test_a_host_that_needs_no_proxy_is_queried_itself(proxy):
    """NO_PROXY names it; that the name is unknown here shows who was queried."""
    with pytest.raises(SourceUnreachable):
        ask("http://inside.example")

    assert proxy == []


@pytest.mark.parametrize("network", ["192.0.2.0/24", "localhost, 192.0.2.7", "*"])
def test_an_address_in_a_network_that_needs_no_proxy_is_queried_itself(proxy, monkeypatch, network):
    """NO_PROXY names networks, too."""
    monkeypatch.setenv("no_proxy", network)
    settings = HttpSettings(url="http://192.0.2.7:1", connect_timeout=0.01)
    clock = Clock(pause=lambda _: None)

    with pytest.raises(SourceUnreachable), Http(settings, SourceId("s"), clock=clock) as http:
        http.get("x")
    assert proxy == []


def test_a_proxy_may_be_named_without_a_scheme(serve, reply, monkeypatch):
    """`HTTP_PROXY=proxy:3128` is what curl takes as well."""
    monkeypatch.setenv("http_proxy", serve(lambda request: reply(body=b"[2]")).removeprefix("http://"))
    monkeypatch.delenv("no_proxy", raising=False)

    assert ask("http://registry.example") == [2]


@pytest.mark.parametrize("address", ["socks5://proxy:1080", "ftp://proxy", "http://"])
def test_a_proxy_that_cannot_be_used_is_reported(monkeypatch, address):
    """The environment is the user's to repair, not the source."""
    monkeypatch.setenv("http_proxy", address)
    monkeypatch.delenv("no_proxy", raising=False)

    with pytest.raises(SourceUnreachable, match="the address of the proxy cannot be used"):
        ask("http://registry.example")
