"""Who may send requests: the token, the Host header, requests of web pages; and the headers of every response."""

from __future__ import annotations

import base64
import binascii
import hmac
import ipaddress
import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scanner_server.options import ServerOptions
from scanner_server.problems import problem

OPEN_PATHS = frozenset(("/health", "/ready"))
"""Paths that need no token: they say nothing of the dictionary's content."""

_LONGEST_HEAD = 32 * 1024
"""Bytes of all headers; uvicorn's own limit is one for heads that arrive in pieces."""

_CHALLENGE = {"WWW-Authenticate": 'Basic realm="scanner", charset="UTF-8", Bearer realm="scanner"'}
_HOST = re.compile(r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<name>[^:\[\]/?#@\s]+))(?::[0-9]{0,5})?")

_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; connect-src 'self';"
        " img-src 'self' data: blob:; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}


class Guard:
    """Refuses requests that are not allowed, before anything of them is read; adds headers to every response.

    No response has CORS headers, so no other site's page can read one.
    """

    def __init__(self, app: ASGIApp, options: ServerOptions) -> None:
        self._app, self._options = app, options
        self._token = options.token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(raw=message["headers"])
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        headers = Headers(scope=scope)
        refused = unclear_length(scope["http_version"], headers) or self.refusal(
            scope["method"], scope["path"], headers
        )
        await (refused or self._app)(scope, receive, with_headers)

    def refusal(self, method: str, path: str, headers: Headers) -> Response | None:
        """Return the response that refuses a request; None where it is allowed."""
        if sum(len(name) + len(value) for name, value in headers.raw) > _LONGEST_HEAD:
            return problem(431, "the head is too long", headers={"Connection": "close"})
        hosts = headers.getlist("host")
        if len(hosts) > 1:
            return problem(400, "the header host is sent twice")
        if not self._token and hosts and not is_own_host(hosts[0], self._options.hosts | {self._options.host}):
            hint = "use an address or localhost, name it with --allow-host, or set a token"
            return problem(403, f"the host {hosts[0][:100]!r} is not allowed", where="Host", hint=hint)
        if method not in ("GET", "HEAD") and _is_from_page(headers):
            return problem(403, "requests of other sites' pages are not accepted")
        if self._token and path not in OPEN_PATHS and not self._has_token(headers.get("authorization", "")):
            hint = "send Authorization: Bearer TOKEN"
            return problem(401, "the token is missing or wrong", hint=hint, headers=_CHALLENGE)
        return None

    def _has_token(self, authorization: str) -> bool:
        scheme, _, sent = authorization.partition(" ")
        token = sent.strip().encode("utf-8", "replace")
        if scheme.lower() == "basic":
            try:
                token = base64.b64decode(token, validate=True).partition(b":")[2]
            except (ValueError, binascii.Error):
                return False
        return scheme.lower() in ("basic", "bearer") and hmac.compare_digest(token, self._token)


def unclear_length(http_version: str, headers: Headers) -> Response | None:
    """Return the response to a request whose end another server could read differently; None for any other one."""
    if "transfer-encoding" in headers and ("content-length" in headers or http_version == "1.0"):
        what = "Transfer-Encoding with a Content-Length, or in HTTP/1.0, has no clear end"
        return problem(400, what, headers={"Connection": "close"})
    return None


def is_own_host(host: str, names: frozenset[str]) -> bool:
    """Return whether *host*, with or without a port, is an address, `localhost` or one of *names*.

    A foreign name may resolve to this machine (DNS rebinding); an address cannot.
    """
    match = _HOST.fullmatch(host)
    if not match:
        return False
    name = (match["v6"] or match["name"]).lower().removesuffix(".")
    if name == "localhost" or name in names:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_from_page(headers: Headers) -> bool:
    """Return whether a page of another site sent the request, as browsers say."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site.lower() not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != headers.get("host")
