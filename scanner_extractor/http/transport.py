"""Network transport: the `requests.Session` of one source, with timeouts, retries, redirects and a size limit."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from http.client import HTTPException, HTTPResponse, IncompleteRead
from types import TracebackType
from typing import Any, Self
from urllib.parse import urljoin, urlsplit, urlunsplit

import urllib3
from requests import PreparedRequest, Session
from requests.adapters import HTTPAdapter
from urllib3 import Retry
from urllib3.connectionpool import ConnectionPool
from urllib3.exceptions import ConnectTimeoutError, InvalidHeader, MaxRetryError, NewConnectionError

from scanner_extractor.http.auth import Credentials
from scanner_extractor.http.concurrency import Clock, Outage, Rate
from scanner_extractor.http.messages import Request, Response
from scanner_extractor.http.responses import FAILURES, BrokenOff, explain, is_final, request_location
from scanner_extractor.settings.cluster import HttpSettings
from scanner_model.errors import PayloadUnexpected
from scanner_model.names import SourceId
from scanner_model.redaction import mask_url

RETRIES = 3
CONNECT_RETRIES = 2
"""Retries if no connection is made in time: each costs `connect_timeout`, while a refused connection costs nothing."""
LONGEST_OUTAGE = 10.0
"""Seconds without any answer after which requests of a source are not retried: each would wait as long again."""
LONGEST = 60.0
"""Maximum seconds to wait on a server's request."""

_PASSING = frozenset({408, 429, 500, 502, 503, 504})
_REDIRECTS = 5
_LONGEST_BODY = 10
"""Multiple of the read timeout after which a body that still arrives is given up."""
_CHUNK = 64 * 1024
_LARGE = 16 * 1024 * 1024
"""Bytes of a body beyond which the source's other large ones wait: together they would take all memory."""
_MOST_INTERIM = 20
"""Interim responses, such as 100 Continue, before the one to a request."""
_SCHEMES = ("http", "https")
_HEADERS = {"User-Agent": "scanner", "Accept-Encoding": "gzip, deflate"}
_MOVED = frozenset({301, 302, 303, 307, 308})


class SourceRetry(Retry):
    """Retries of one source's requests; all are read-only, ksqlDB's POST too.

    Back-off of up to 1, 2, 4 seconds with full jitter; a pause that the server requests holds all threads. Errors that
    a retry cannot repair, such as an invalid certificate, are raised at once, and any error in a long *outage*.
    """

    def __init__(
        self,
        *,
        rate: Rate,
        outage: Outage,
        clock: Clock,
        **options: Any,  # noqa: ANN401  those of urllib3
    ) -> None:
        super().__init__(**options)
        self._rate, self._outage, self._clock = rate, outage, clock

    def new(self, **options: Any) -> Self:  # noqa: ANN401  those of urllib3
        """Return a copy with other counters."""
        return super().new(rate=self._rate, outage=self._outage, clock=self._clock, **options)

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
        if error and (is_final(error) or self._outage.goes_on() > LONGEST_OUTAGE):
            raise error
        if error and _is_silent(error) and sum(_is_silent(past.error) for past in self.history) >= CONNECT_RETRIES:
            raise MaxRetryError(_pool, url, error) from error  # type: ignore[arg-type]  # urllib3 passes None
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


def _retries(spent: MaxRetryError) -> int:
    """Return the number of retries after which urllib3 gave up."""
    return CONNECT_RETRIES if _is_silent(spent.reason) else RETRIES


def _is_silent(error: Exception | None) -> bool:
    """Return whether a host did not answer in time; one that refuses does answer."""
    return isinstance(error, ConnectTimeoutError) and not isinstance(error, NewConnectionError)


class HttpTransport:
    """Send requests of one source over the network; safe to call from many threads."""

    def __init__(self, settings: HttpSettings, clock: Clock) -> None:
        self._settings = settings
        self._rate, self._outage = Rate(settings.requests_per_second, clock), Outage(clock)
        self._retry = SourceRetry(
            rate=self._rate,
            outage=self._outage,
            clock=clock,
            total=RETRIES,
            allowed_methods=None,
            status_forcelist=_PASSING | settings.retry_also,
            raise_on_status=False,
            respect_retry_after_header=False,  # else a 413 is retried, too; `SourceRetry.sleep` waits all the same
        )
        self._credentials = Credentials(settings.auth, self._post_form, clock.now)
        self._session = Session()
        for scheme in _SCHEMES:
            self._session.mount(f"{scheme}://", _Adapter(settings, self._retry))
        if not settings.tls.verify:
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        self._hosts: dict[tuple[str, str, bool], tuple[PreparedRequest, Mapping[str, Any]]] = {}
        self._lock = threading.Lock()
        self._large = threading.Lock()

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
        self._session.close()

    def __call__(self, request: Request) -> Response:
        """Return the answer after retries and redirects; raises SourceUnreachable if it is missing.

        An answer with a status that is worth a retry is given when every retry had it too. Raises PayloadUnexpected
        for a response that is too large, truncated or not compressed as declared.
        """
        for _ in range(_REDIRECTS + 1):
            is_ours = self._is_trusted(request.url)
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
            message, options = self._prepared(request, headers)
            if credentials:
                credentials.sign(message.headers)
            answer = self._send_until_complete(request, message, options)
            if answer.status == 401 and credentials and credentials.renew(message.headers):
                answer = self._send_until_complete(request, message, options)
            return answer
        except FAILURES as error:
            spent = next((link for link in (error, *error.args) if isinstance(link, MaxRetryError)), None)
            tries = 1 + (_retries(spent) if spent else 0)
            raise explain(error, where=request_location(request), tries=tries, settings=self._settings) from error

    def _send_until_complete(self, request: Request, message: PreparedRequest, options: Mapping[str, Any]) -> Response:
        """Send until the body is whole: urllib3 retries connections and statuses, but no response that has begun."""
        adapter = self._session.get_adapter(message.url or "")  # the session itself would read redirects to their end
        self._rate.take()
        resend = self._retry
        while True:
            with adapter.send(message, **options) as response:
                try:
                    body = self._body(response.raw, request)
                    self._outage.ends()
                    headers = dict(response.headers.lower_items())
                    return Response(status=response.status_code, headers=headers, body=body)
                except FAILURES as error:
                    resend = resend.increment(request.method, request.url, error=error)
            resend.sleep()

    def _body(self, response: urllib3.BaseHTTPResponse, request: Request) -> bytes:
        """Read and inflate the body, up to the size and time limits of one response."""
        parts, size = [], 0
        seconds = self._settings.read_timeout * _LONGEST_BODY
        end = time.monotonic() + seconds
        with ExitStack() as turn:
            try:
                for part in response.stream(_CHUNK, decode_content=True) if response.chunked else _pieces(response):
                    parts.append(part)
                    if size <= _LARGE < size + len(part):
                        since = time.monotonic()
                        turn.enter_context(self._large)
                        end += time.monotonic() - since
                    size += len(part)
                    if size > self._settings.max_bytes:
                        parts.clear()  # an error keeps what its frames hold
                        raise PayloadUnexpected(
                            f"the response is larger than {self._settings.max_bytes} bytes",
                            where=request_location(request),
                            hint="raise `max_bytes` of this source",
                        )
                    if time.monotonic() > end:
                        parts.clear()
                        raise PayloadUnexpected(
                            f"the response is not complete after {seconds:g} seconds",
                            where=request_location(request),
                            hint="raise `read_timeout` of this source, or check the server",
                        )
            except urllib3.exceptions.ProtocolError as error:
                raise _broken_off(size, error.__cause__) from error
            return b"".join(parts)

    def _prepared(self, request: Request, headers: Mapping[str, str]) -> tuple[PreparedRequest, Mapping[str, Any]]:
        """Return the message of *request*, and the options of its host.

        Path and query stay exactly as they are: a subject may be called `..`, which preparing a URL would resolve.
        """
        parts = urlsplit(request.url)
        root, options = self._host(f"{parts.scheme}://{parts.netloc}/", request.accept, self._is_trusted(request.url))
        message = root.copy()
        message.url = f"{root.url}{urlunsplit(('', '', parts.path, parts.query, '')).removeprefix('/')}"
        if request.method != "GET":
            message.method = request.method
            message.prepare_body(request.body.encode(), None)
        if request.body:
            headers = {"Content-Type": request.content, **headers}
        if headers:
            message.prepare_headers({**message.headers, **headers})
        return message, options

    def _host(self, url: str, accept: str, is_trusted: bool) -> tuple[PreparedRequest, Mapping[str, Any]]:
        """Return a GET of the root, and timeouts, proxies and TLS; read once, as this costs more than a request."""
        key = (url, accept, is_trusted)
        with self._lock:
            if key not in self._hosts:
                tls = self._settings.tls
                certificate = (str(tls.certificate), str(tls.key or tls.certificate)) if tls.certificate else None
                verify = str(tls.ca) if tls.ca and tls.verify else tls.verify
                root = PreparedRequest()
                root.prepare_method("GET")
                root.prepare_url(url, None)
                root.prepare_headers({**_HEADERS, "Accept": accept})
                options = self._session.merge_environment_settings(
                    root.url, {}, True, verify, certificate if is_trusted else None
                )
                timeout = (self._settings.connect_timeout, self._settings.read_timeout)
                self._hosts[key] = root, {**options, "timeout": timeout}
            return self._hosts[key]

    def _is_trusted(self, url: str) -> bool:
        """Return whether *url* may get the source's credentials: same host and port, and no step down from https."""
        home = self._settings.url
        return url.startswith(f"{home}/") or not self._session.should_strip_auth(home, url)  # type: ignore[no-untyped-call]


class _Adapter(HTTPAdapter):
    """Connections by host: requests would look them up, with proxies and TLS, for each message."""

    def __init__(self, settings: HttpSettings, retry: Retry) -> None:
        super().__init__(pool_maxsize=settings.concurrency, pool_block=True, max_retries=retry)
        self._pools: dict[tuple[str, bool], ConnectionPool] = {}

    def get_connection_with_tls_context(
        self,
        request: PreparedRequest,
        verify: bool | str | None,
        proxies: Mapping[str, str] | None = None,
        cert: tuple[str, str] | str | None = None,
    ) -> ConnectionPool:
        """Return the connections to the host of *request*; those with *cert* are separate."""
        key = (str(request.url).split("/", 3)[2], cert is not None)
        if key not in self._pools:
            pool: Any = super().get_connection_with_tls_context(request, verify, proxies, cert)
            connection = pool.ConnectionCls
            pool.ConnectionCls = type(connection.__name__, (connection,), {"response_class": _BoundedHead})
            self._pools[key] = pool
        return self._pools[key]


class _BoundedHead(HTTPResponse):
    """A response that gives up after many interim ones: the standard library waits for the last one for ever."""

    interim = 0

    def _read_status(self) -> tuple[str, int, str]:
        self.interim += 1
        if self.interim > _MOST_INTERIM:
            raise HTTPException(f"more than {_MOST_INTERIM} interim responses")
        status: tuple[str, int, str] = super()._read_status()  # type: ignore[misc]
        return status


def _pieces(response: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    """Yield the body as it arrives: `stream` would wait until each piece is full."""
    while part := response.read1(_CHUNK, decode_content=True):
        yield part


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
    if parts.scheme not in _SCHEMES or not host:
        raise PayloadUnexpected(
            f"redirected to {mask_url(target)!r}, which is not a web address",
            where=request_location(request),
            hint="check the `url` of this source",
        )
    netloc = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    url = urlunsplit((parts.scheme, netloc, parts.path, parts.query, ""))
    return replace(request, url=url, method="GET", body="") if status == 303 else replace(request, url=url)
