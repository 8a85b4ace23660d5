"""Network transport: the connections of one source, with timeouts, retries, redirects, proxies and a size limit."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from http.client import IncompleteRead
from ipaddress import ip_address, ip_network
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import urljoin, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

import certifi
import urllib3
from urllib3 import HTTPHeaderDict, Retry
from urllib3.connectionpool import ConnectionPool
from urllib3.exceptions import InvalidHeader, MaxRetryError, ProxySchemeUnknown

from scanner_extractor.http.auth import Credentials, basic
from scanner_extractor.http.concurrency import Clock, Rate
from scanner_extractor.http.messages import Request, Response, read_address
from scanner_extractor.http.responses import FAILURES, BrokenOff, explain, is_final, request_location
from scanner_extractor.settings.cluster import HttpSettings, Tls
from scanner_model.errors import PayloadUnexpected
from scanner_model.names import SourceId
from scanner_model.redaction import mask_url

RETRIES = 3
LONGEST = 60.0
"""Maximum seconds to wait on a server's request."""

_PASSING = frozenset({408, 429, 500, 502, 503, 504})
_REDIRECTS = 5
_CHUNK = 64 * 1024
_PORTS = {"http": 80, "https": 443}
_HEADERS = {"User-Agent": "scanner", "Accept-Encoding": "gzip, deflate"}
_MOVED = frozenset({301, 302, 303, 307, 308})


class SourceRetry(Retry):
    """Retries of one source's requests, all of which are read-only, ksqlDB's POST too.

    Back-off of up to 1, 2, 4 seconds with full jitter; a pause that the server requests holds all threads. Errors that
    a retry cannot repair, such as an invalid certificate, are raised at once.
    """

    def __init__(self, *, rate: Rate, clock: Clock, **options: Any) -> None:  # noqa: ANN401  those of urllib3
        super().__init__(**options)
        self._rate, self._clock = rate, clock

    def new(self, **options: Any) -> Self:  # noqa: ANN401  those of urllib3
        """Return a copy with other counters."""
        return super().new(rate=self._rate, clock=self._clock, **options)

    def get_backoff_time(self) -> float:
        """Return the seconds to wait before the next try."""
        return self._clock.draw(0.0, 2.0 ** (len(self.history) - 1))

    def get_retry_after(self, response: urllib3.BaseHTTPResponse) -> float | None:
        """Return the seconds that the server requests to wait, capped; None where there is no request.

        `Retry-After` in seconds or as a date; `X-RateLimit-Reset` (relative seconds) with a 429.
        """
        seconds = self._seconds(response.headers.get("Retry-After"))
        if not seconds and response.status == 429:
            seconds = self._seconds(response.headers.get("X-RateLimit-Reset"))
        return min(seconds, LONGEST) or None

    def increment(
        self,
        method: str | None = None,
        url: str | None = None,
        response: urllib3.BaseHTTPResponse | None = None,
        error: Exception | None = None,
        _pool: ConnectionPool | None = None,
        _stacktrace: TracebackType | None = None,
    ) -> Self:
        """Return what is left after a failed try; raises *error* where it is final, MaxRetryError where nothing is."""
        if error and is_final(error):
            raise error
        spent = super().increment(method, url, response, error, _pool, _stacktrace)
        if response and (response.length_remaining is None or response.length_remaining > _CHUNK):
            response.close()  # urllib3 would read all of it, to reuse the connection
        return spent

    def sleep(self, response: urllib3.BaseHTTPResponse | None = None) -> None:
        """Wait for the turn of the next try."""
        if response and (seconds := self.get_retry_after(response)):
            self._rate.hold(seconds)
        else:
            self._clock.pause(self.get_backoff_time())
        self._rate.take()

    def _seconds(self, text: str | None) -> float:
        try:
            return self.parse_retry_after(text) if text else 0.0
        except (InvalidHeader, ValueError, OverflowError):  # an unreadable header requests nothing
            return 0.0


class HttpTransport:
    """Send requests of one source over the network; safe to call from many threads."""

    def __init__(self, settings: HttpSettings, clock: Clock) -> None:
        self._settings = settings
        self._rate = Rate(settings.requests_per_second, clock)
        self._retry = SourceRetry(
            rate=self._rate,
            clock=clock,
            total=RETRIES,
            allowed_methods=None,
            status_forcelist=_PASSING | settings.retry_also,
            raise_on_status=False,
            respect_retry_after_header=False,  # else a 413 is retried, too; `SourceRetry.sleep` waits all the same
        )
        self._credentials = Credentials(settings.auth, self._post_form, clock.now)
        if not settings.tls.verify:
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        self._hosts: dict[tuple[str, bool], _Host] = {}
        self._lock = threading.Lock()

    @property
    def requests(self) -> int:
        """Count the requests sent, retries, redirects and requests for tokens included."""
        return self._rate.taken

    @property
    def tokens(self) -> frozenset[str]:
        """Return the OAuth tokens that were fetched."""
        return self._credentials.tokens

    def close(self) -> None:
        """Close the connections."""
        for host in self._hosts.values():
            host.manager.clear()

    def __call__(self, request: Request) -> Response:
        """Return the answer after retries and redirects; raises SourceUnreachable where there is none.

        An answer with a status that is worth a retry is given when every retry had it too. Raises PayloadUnexpected
        for a response that is too large, truncated or not compressed as declared.
        """
        for _ in range(_REDIRECTS + 1):
            is_ours = _same_origin(self._settings.url, request.url)
            answer = (
                self._send(request, self._settings.headers, self._credentials) if is_ours else self._send(request, {})
            )
            target = answer.headers.get("location", "")
            if answer.status not in _MOVED or not target or not self._settings.follows_redirects:
                return answer
            request = _redirected(request, answer.status, target)
        raise PayloadUnexpected(
            f"redirected more than {_REDIRECTS} times",
            where=request_location(request),
            hint="check the `url` of this source",
        )

    def _post_form(self, url: str, headers: Mapping[str, str], form: str) -> Response:
        request = Request(source=SourceId(""), method="POST", url=url, body=form)
        return self._send(request, {"Content-Type": "application/x-www-form-urlencoded", **headers})

    def _send(self, request: Request, headers: Mapping[str, str], credentials: Credentials | None = None) -> Response:
        """Send with *headers* and *credentials*; raises the error that explains why there is no response."""
        try:
            message = HTTPHeaderDict(_HEADERS, Accept=request.accept)
            if request.body:
                message["Content-Type"] = request.content
            message.update(headers)
            if credentials:
                credentials.sign(message)
            answer = self._send_until_complete(request, message)
            if answer.status == 401 and credentials and credentials.renew(message):
                answer = self._send_until_complete(request, message)
            return answer
        except FAILURES as error:
            tries = RETRIES + 1 if isinstance(error, MaxRetryError) else 1
            raise explain(error, where=request_location(request), tries=tries, settings=self._settings) from error

    def _send_until_complete(self, request: Request, headers: HTTPHeaderDict) -> Response:
        """Send until the body is whole: urllib3 retries connections and statuses, but no response that has begun."""
        host = self._host(request.url)
        self._rate.take()
        resend = self._retry
        while True:
            with host.send(request, headers, self._retry) as response:
                try:
                    body = _body(response, self._settings.max_bytes, request)
                    names = {name.lower(): value for name, value in response.headers.itermerged()}
                    return Response(status=response.status, headers=names, body=body)
                except FAILURES as error:
                    resend = resend.increment(request.method, request.url, error=error)
            resend.sleep()

    def _host(self, url: str) -> _Host:
        """Return the connections to the host of *url*; the client certificate is shown to the source's own only."""
        parts = urlsplit(url)
        key = (f"{parts.scheme}://{parts.netloc}", _same_origin(self._settings.url, url))
        with self._lock:
            if key not in self._hosts:
                self._hosts[key] = _Host.open(key[0], self._settings, is_trusted=key[1])
            return self._hosts[key]


class _Host(NamedTuple):
    """The connections to one host, in *pool*; a proxy *takes_addresses* instead of paths where it is no tunnel."""

    manager: urllib3.PoolManager
    pool: urllib3.HTTPConnectionPool
    takes_addresses: bool

    @classmethod
    def open(cls, url: str, settings: HttpSettings, *, is_trusted: bool) -> _Host:
        """Prepare connections to the host of *url*, by the proxy that the environment names for it."""
        options: dict[str, Any] = {
            "maxsize": settings.concurrency,
            "block": True,
            "timeout": urllib3.Timeout(connect=settings.connect_timeout, read=settings.read_timeout),
            **_tls_options(settings.tls, is_trusted=is_trusted),
        }
        proxy = _proxy_of(url)
        manager = _proxy_manager(proxy, options) if proxy else urllib3.PoolManager(**options)
        return cls(manager, manager.connection_from_url(url), bool(proxy) and url.startswith("http://"))

    def send(self, request: Request, headers: HTTPHeaderDict, retry: Retry) -> urllib3.BaseHTTPResponse:
        """Send *request* and return the response, whose body is not read yet.

        Path and query stay exactly as they are: a subject may be called `..`, which would be resolved elsewhere.
        """
        parts = urlsplit(request.url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return self.pool.urlopen(
            request.method,
            f"{parts.scheme}://{parts.netloc}{path}" if self.takes_addresses else path,
            body=None if request.method == "GET" else request.body.encode(),
            headers=headers,
            retries=retry,
            redirect=False,
            assert_same_host=False,
            preload_content=False,
            decode_content=False,
        )


def _tls_options(tls: Tls, *, is_trusted: bool) -> dict[str, Any]:
    options: dict[str, Any] = {"cert_reqs": "CERT_NONE"}
    if tls.verify:
        named = tls.ca or os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
        bundle = Path(named or certifi.where())
        options = {"cert_reqs": "CERT_REQUIRED", "ca_cert_dir" if bundle.is_dir() else "ca_certs": str(bundle)}
    if tls.certificate and is_trusted:
        options |= {"cert_file": str(tls.certificate), "key_file": str(tls.key or tls.certificate)}
    return options


def _proxy_manager(proxy: str, options: Mapping[str, Any]) -> urllib3.ProxyManager:
    address = None
    with suppress(ValueError):
        address = read_address(proxy if "://" in proxy else f"http://{proxy}")
    if address is None:
        raise ProxySchemeUnknown(None)
    login = {"Proxy-Authorization": basic(address.auth.user, address.auth.password)} if address.auth else {}
    return urllib3.ProxyManager(address.url, proxy_headers=login, **options)


def _proxy_of(url: str) -> str:
    """Return the proxy that the environment names for the host of *url*; empty where it names none."""
    parts, proxies = urlsplit(url), getproxies()
    host = parts.hostname or ""
    is_inside = any(_contains(network, host) for network in proxies.get("no", "").split(","))
    if is_inside or proxy_bypass(f"{host}:{parts.port}" if parts.port else host):
        return ""
    return proxies.get(parts.scheme) or proxies.get("all", "")


def _contains(network: str, host: str) -> bool:
    """Return whether *host* is an address in *network* as NO_PROXY may name one: `10.0.0.0/8`."""
    try:
        return ip_address(host) in ip_network(network.strip(), strict=False)
    except ValueError:
        return False


def _body(response: urllib3.BaseHTTPResponse, most: int, request: Request) -> bytes:
    """Read and inflate the body; it is given up at the first byte too many, so a bomb never goes off."""
    parts, size = [], 0
    try:
        for part in response.stream(_CHUNK, decode_content=True):
            parts.append(part)
            size += len(part)
            if size > most:
                raise PayloadUnexpected(
                    f"the response is larger than {most} bytes",
                    where=request_location(request),
                    hint="raise `max_bytes` of this source",
                )
    except urllib3.exceptions.ProtocolError as error:
        raise _broken_off(size, error.__cause__) from error
    return b"".join(parts)


def _broken_off(received_size: int, cause: BaseException | None) -> BrokenOff:
    """Report how much came: beside the *received_size* bytes there is what was read of a piece that is not whole."""
    match cause:
        case urllib3.exceptions.IncompleteRead(partial=received, expected=missing):
            return BrokenOff(received, received + missing)
        case IncompleteRead(partial=bytes(part)):
            return BrokenOff(received_size + len(part))
        case _:
            return BrokenOff(received_size)


def _redirected(request: Request, status: int, target: str) -> Request:
    try:
        parts = urlsplit(urljoin(request.url, target))
        host, port = parts.hostname or "", parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    if parts.scheme not in _PORTS or not host:
        raise PayloadUnexpected(
            f"redirected to {mask_url(target)!r}, which is not a web address",
            where=request_location(request),
            hint="check the `url` of this source",
        )
    netloc = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    url = urlunsplit((parts.scheme, netloc, parts.path, parts.query, ""))
    return replace(request, url=url, method="GET", body="") if status == 303 else replace(request, url=url)


def _same_origin(home: str, url: str) -> bool:
    """Check whether *url* may get the credentials of *home*: same host and port, and no step down from https."""
    if url.startswith(f"{home}/"):
        return True
    ours, theirs = _origin(home), _origin(url)
    upgraded = ours[0] == "http" and theirs == ("https", ours[1], 443) and ours[2] == 80
    return ours == theirs or upgraded


def _origin(url: str) -> tuple[str, str, int]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 0)
