"""Network transport: one pooled session per source, with timeouts, retries, redirects and a size limit."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from http.client import IncompleteRead
from typing import Any
from urllib.parse import urljoin, urlsplit, urlunsplit

import urllib3
from requests import PreparedRequest, Session
from requests import Request as Message
from requests.adapters import HTTPAdapter
from urllib3 import Retry
from urllib3.exceptions import InvalidHeader

from scanner_extractor.http.auth import Credentials
from scanner_extractor.http.concurrency import Clock, Rate
from scanner_extractor.http.messages import Request, Response
from scanner_extractor.http.responses import FAILURES, BrokenOff, explain, is_final, request_location
from scanner_extractor.settings.cluster import HttpSettings
from scanner_model.errors import PayloadUnexpected
from scanner_model.names import SourceId
from scanner_model.redaction import mask_url

RETRIES = 3
LONGEST = 60.0
"""Maximum seconds to wait on a server's request."""

_WORTH_IT = frozenset({408, 429, 500, 502, 503, 504})


def first_try(also: frozenset[int] = frozenset()) -> Retry:
    """Return the retry budget of a new request; all our requests are read-only, ksqlDB's POST too.

    *also* are further statuses to retry with this source.
    """
    return Retry(total=RETRIES, allowed_methods=None, status_forcelist=_WORTH_IT | also, raise_on_status=False)


def tries(retry: Retry) -> int:
    """Count the times that the request was sent."""
    return len(retry.history) + 1


def is_spent(retry: Retry) -> bool:
    """Return whether no retry is left."""
    return tries(retry) > RETRIES


def back_off(retry: Retry, clock: Clock) -> float:
    """Return the seconds to wait before the next try: up to 1, 2, 4, so that clients do not march in step."""
    return clock.draw(0.0, 2.0 ** len(retry.history))


def requested_wait(status: int, headers: Mapping[str, str]) -> float:
    """Return the seconds that the server requests to wait, capped; 0 where there is no request.

    `Retry-After` in seconds or as a date; `X-RateLimit-Reset` (relative seconds) with a 429.
    """
    seconds = _seconds(headers.get("retry-after", ""))
    if not seconds and status == 429:
        seconds = _seconds(headers.get("x-ratelimit-reset", ""))
    return min(seconds, LONGEST)


def _seconds(text: str) -> float:
    try:
        return Retry().parse_retry_after(text) if text else 0.0
    except (InvalidHeader, ValueError, OverflowError):  # an unreadable header requests nothing
        return 0.0


_REDIRECTS = 5
_CHUNK = 64 * 1024
_PORTS = {"http": 80, "https": 443}
_MOVED = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Send:
    """A message to send, and whether its target may receive our credentials."""

    request: Request
    headers: Mapping[str, str]
    trusted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Host:
    """What every request to one host shares: a prepared message without path, its connections, and how to name it.

    *start* stands before the path: scheme and host where a proxy is to pass a plain request on, else nothing.
    """

    message: PreparedRequest
    pool: urllib3.HTTPConnectionPool
    start: str


class HttpTransport:
    """Send requests of one source over the network; safe to call from many threads."""

    def __init__(self, settings: HttpSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._rate = Rate(settings.requests_per_second, clock)
        self._credentials = Credentials(settings.auth, self._post_form, clock.now)
        self._session = _session(settings)
        self._hosts: dict[tuple[str, str, bool], _Host] = {}
        self._lock = threading.Lock()
        self._sent = 0

    @property
    def requests(self) -> int:
        """Count the requests sent, retries, redirects and requests for tokens included."""
        return self._sent

    @property
    def tokens(self) -> frozenset[str]:
        """Return the OAuth tokens that were fetched."""
        return self._credentials.tokens

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def __call__(self, request: Request) -> Response:
        """Return the answer after retries and redirects; raises SourceUnreachable where there is none.

        An answer with a status that is worth a retry is given when every retry had it too. Raises PayloadUnexpected
        for a response that is too large, truncated or not compressed as declared.
        """
        for _ in range(_REDIRECTS + 1):
            answer = self._authorised(request)
            target = answer.headers.get("location", "")
            if answer.status not in _MOVED or not target:
                return answer
            request = _redirected(request, answer.status, target)
        raise PayloadUnexpected(
            f"redirected more than {_REDIRECTS} times",
            where=request_location(request),
            hint="check the `url` of this source",
        )

    def _authorised(self, request: Request) -> Response:
        if not _same_origin(self._settings.url, request.url):
            return self._patiently(_Send(request=request, headers=_plain_headers(request), trusted=False))
        header = self._credentials.header()
        answer = self._patiently(self._trusted(request, header))
        if answer.status == 401 and self._credentials.renew(header):
            answer = self._patiently(self._trusted(request, self._credentials.header()))
        return answer

    def _trusted(self, request: Request, authorization: str) -> _Send:
        login = {"Authorization": authorization} if authorization else {}
        headers = {**_plain_headers(request), **self._settings.headers, **login}
        return _Send(request=request, headers=headers, trusted=True)

    def _post_form(self, url: str, headers: Mapping[str, str], form: str) -> Response:
        request = Request(source=SourceId(""), method="POST", url=url, body=form)
        form_headers = {**_plain_headers(request), "Content-Type": "application/x-www-form-urlencoded", **headers}
        return self._patiently(
            _Send(request=request, headers=form_headers, trusted=_same_origin(self._settings.url, url))
        )

    def _patiently(self, send: _Send) -> Response:
        """Send until an answer is not worth a retry, or none is left."""
        retry = first_try(self._settings.retry_also)
        while True:
            requested_delay = 0.0
            try:
                answer = self._once(send)
                if is_spent(retry) or not retry.is_retry(send.request.method, answer.status):
                    return answer
                requested_delay = requested_wait(answer.status, answer.headers)
            except FAILURES as error:
                if is_spent(retry) or is_final(error):
                    where = request_location(send.request)
                    raise explain(error, where=where, tries=tries(retry), settings=self._settings) from error
            self._wait(requested_delay, back_off(retry, self._clock))
            retry = retry.increment()

    def _wait(self, requested_delay: float, back_off: float) -> None:
        if requested_delay:
            self._rate.hold(requested_delay)  # applies to all threads
        else:
            self._clock.pause(back_off)

    def _once(self, send: _Send) -> Response:
        self._rate.take()
        with self._lock:
            self._sent += 1
        with self._opened(send) as response:
            body = _body(response, self._settings.max_bytes, send.request)
            headers = {name.lower(): value for name, value in response.headers.items()}
            return Response(status=response.status, headers=headers, body=body)

    def _opened(self, send: _Send) -> urllib3.BaseHTTPResponse:
        request = send.request
        host = self._host(request.url, send.trusted)
        message = host.message.copy()
        message.method = request.method
        message.prepare_headers(send.headers)
        message.prepare_body(request.body.encode() if request.body else None, None)
        return host.pool.urlopen(
            request.method,
            host.start + _path(request.url),
            body=message.body,
            headers=message.headers,
            retries=False,
            redirect=False,
            assert_same_host=False,
            timeout=urllib3.Timeout(connect=self._settings.connect_timeout, read=self._settings.read_timeout),
            preload_content=False,
        )

    def _host(self, url: str, trusted: bool) -> _Host:
        """Return what every request to the host of *url* shares; created once, as it costs more than a request."""
        parts = urlsplit(url)
        key = (parts.scheme, parts.netloc, trusted)
        with self._lock:
            if key not in self._hosts:
                self._hosts[key] = self._reach(urlunsplit((*key[:2], "/", "", "")), trusted)
            return self._hosts[key]

    def _reach(self, root: str, trusted: bool) -> _Host:
        tls = self._settings.tls
        certificate = (str(tls.certificate), str(tls.key or tls.certificate)) if tls.certificate and trusted else None
        verify = str(tls.ca) if tls.ca and tls.verify else tls.verify
        message = Message("GET", root, auth=_no_auth).prepare()
        options = self._session.merge_environment_settings(message.url or root, {}, True, verify, certificate)
        adapter = self._session.get_adapter(message.url or root)
        assert isinstance(adapter, _Pools)
        pool = adapter.pool(message, options)
        return _Host(
            message=message, pool=pool, start=adapter.request_url(message, options["proxies"]).removesuffix("/")
        )


class _Pools(HTTPAdapter):
    """Requests' way to a host (proxies, certificates), without what it does for each message again."""

    def pool(self, message: PreparedRequest, options: Mapping[str, Any]) -> urllib3.HTTPConnectionPool:
        """Return the connections to the host of *message*; raises OSError where a file of certificates is not there."""
        verify, certificate = options["verify"], options["cert"]
        pool = self.get_connection_with_tls_context(message, verify, proxies=options["proxies"], cert=certificate)
        self.cert_verify(pool, message.url, verify, certificate)  # type: ignore[no-untyped-call]
        assert isinstance(pool, urllib3.HTTPConnectionPool)
        return pool


def _session(settings: HttpSettings) -> Session:
    session = Session()
    for scheme in _PORTS:
        session.mount(f"{scheme}://", _Pools(pool_maxsize=settings.concurrency, pool_block=True))
    if not settings.tls.verify:
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    return session


def _path(url: str) -> str:
    """Return path and query exactly as they are: a subject may be called `..`, which preparing a URL would resolve."""
    parts = urlsplit(url)
    return urlunsplit(("", "", parts.path or "/", parts.query, ""))


def _no_auth(message: PreparedRequest) -> PreparedRequest:
    """Add no credentials: without an `auth` of its own a message takes those of its URL."""
    return message


def _plain_headers(request: Request) -> dict[str, str]:
    kind = {"Content-Type": "application/json"} if request.body else {}
    return {"User-Agent": "scanner", "Accept": request.accept, "Accept-Encoding": "gzip, deflate", **kind}


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


def _broken_off(given: int, cause: BaseException | None) -> BrokenOff:
    """Report how much came: beside the *given* bytes there is what was read of a piece that is not whole."""
    match cause:
        case urllib3.exceptions.IncompleteRead(partial=received, expected=missing):
            return BrokenOff(received, received + missing)
        case IncompleteRead(partial=bytes(part)):
            return BrokenOff(given + len(part))
        case _:
            return BrokenOff(given)


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
