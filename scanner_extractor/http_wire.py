"""The network itself: one pooled session a source, its time limits, retries, redirects and answer size."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from http.cookiejar import DefaultCookiePolicy
from typing import Any
from urllib.parse import urljoin, urlsplit, urlunsplit

import urllib3
from requests import PreparedRequest, Response, Session
from requests import Request as Message
from requests.adapters import HTTPAdapter

from scanner_extractor.exchange import Answer, Request
from scanner_extractor.http_auth import Credentials
from scanner_extractor.http_errors import place
from scanner_extractor.http_failures import FAILURES, BrokenOff, explain, is_final
from scanner_extractor.http_retry import asked_wait, back_off, first_try, is_spent, tries
from scanner_extractor.rate import Clock, Rate
from scanner_extractor.secrets import mask_url
from scanner_extractor.settings import HttpSettings
from scanner_model.errors import PayloadUnexpected
from scanner_model.names import SourceId

_REDIRECTS = 5
_CHUNK = 64 * 1024
_PORTS = {"http": 80, "https": 443}
_MOVED = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Send:
    """One message on its way: what is sent where, and whether that place may see our credentials."""

    request: Request
    headers: Mapping[str, str]
    trusted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Host:
    """What every request to one host shares: a prepared message without path, proxies and TLS."""

    message: PreparedRequest
    options: Mapping[str, Any]

    def url(self, wanted: str) -> str:
        """Give scheme and host as prepared (a host in its ASCII form), path and query as wanted.

        Preparing a URL resolves `..` and decodes what needs no encoding, and a subject may be called `..`.
        """
        host, rest = urlsplit(self.message.url or wanted), urlsplit(wanted)
        return urlunsplit((host.scheme, host.netloc, rest.path or "/", rest.query, ""))


class Wire:
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

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def __call__(self, request: Request) -> Answer:
        """Give the answer after retries and redirects; raises SourceUnreachable where there is none.

        An answer with a status that is worth a retry is given when every retry had it too. Raises PayloadUnexpected
        for an answer that is too large, breaks off or is not compressed as it says.
        """
        for _ in range(_REDIRECTS + 1):
            answer = self._authorised(request)
            target = answer.headers.get("location", "")
            if answer.status not in _MOVED or not target:
                return answer
            request = _redirected(request, answer.status, target)
        raise PayloadUnexpected(
            f"redirected more than {_REDIRECTS} times", where=place(request), hint="check the `url` of this source"
        )

    def _authorised(self, request: Request) -> Answer:
        if not _same_place(self._settings.url, request.url):
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

    def _post_form(self, url: str, headers: Mapping[str, str], form: str) -> Answer:
        request = Request(source=SourceId(""), method="POST", url=url, body=form)
        form_headers = {**_plain_headers(request), "Content-Type": "application/x-www-form-urlencoded", **headers}
        return self._patiently(
            _Send(request=request, headers=form_headers, trusted=_same_place(self._settings.url, url))
        )

    def _patiently(self, send: _Send) -> Answer:
        """Send until an answer is not worth a retry, or none is left."""
        retry = first_try()
        while True:
            asked = 0.0
            try:
                answer = self._once(send)
                if is_spent(retry) or not retry.is_retry(send.request.method, answer.status):
                    return answer
                asked = asked_wait(answer.status, answer.headers)
            except FAILURES as error:
                if is_spent(retry) or is_final(error):
                    where = place(send.request)
                    raise explain(error, where=where, tries=tries(retry), settings=self._settings) from error
            self._wait(asked, back_off(retry, self._clock))
            retry = retry.increment()

    def _wait(self, asked: float, back_off: float) -> None:
        if asked:
            self._rate.hold(asked)  # the server means all of our threads
        else:
            self._clock.pause(back_off)

    def _once(self, send: _Send) -> Answer:
        self._rate.take()
        with self._lock:
            self._sent += 1
        with self._opened(send) as response:
            body = _body(response, self._settings.max_bytes, place(send.request))
            headers = {name.lower(): value for name, value in response.headers.items()}
            return Answer(status=response.status_code, headers=headers, body=body)

    def _opened(self, send: _Send) -> Response:
        request = send.request
        host = self._host(request.url, send.trusted)
        message = host.message.copy()
        message.method, message.url = request.method, host.url(request.url)
        message.prepare_headers(send.headers)
        message.prepare_body(request.body.encode() if request.body else None, None)
        timeout = (self._settings.connect_timeout, self._settings.read_timeout)
        return self._session.send(message, allow_redirects=False, timeout=timeout, **host.options)

    def _host(self, url: str, trusted: bool) -> _Host:
        """Give what is the same for every request to the host of *url*; made once, as it costs more than a request."""
        parts = urlsplit(url)
        key = (parts.scheme, parts.netloc, trusted)
        if key not in self._hosts:
            tls = self._settings.tls
            certificate = (str(tls.certificate), str(tls.key or tls.certificate)) if tls.certificate else None
            verify = str(tls.ca) if tls.ca and tls.verify else tls.verify
            message = Message("GET", urlunsplit((*key[:2], "", "", "")), auth=_nobody).prepare()
            options = self._session.merge_environment_settings(
                message.url or url, {}, True, verify, certificate if trusted else None
            )
            self._hosts[key] = _Host(message=message, options=options)
        return self._hosts[key]


class _Plain(Session):
    """A session that follows no redirect, nor prepares to: that would read a body of any size."""

    def get_redirect_target(self, resp: Response) -> str | None:  # noqa: ARG002  the base class hands it in
        """Give no target, whatever the answer says."""
        return None


def _session(settings: HttpSettings) -> Session:
    session = _Plain()
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    for scheme in _PORTS:
        session.mount(f"{scheme}://", HTTPAdapter(pool_maxsize=settings.concurrency, pool_block=True))
    if not settings.tls.verify:
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    return session


def _nobody(message: PreparedRequest) -> PreparedRequest:
    """Add no credentials: without an `auth` of its own a message takes those of its URL."""
    return message


def _plain_headers(request: Request) -> dict[str, str]:
    kind = {"Content-Type": "application/json"} if request.body else {}
    return {"User-Agent": "scanner", "Accept": request.accept, "Accept-Encoding": "gzip, deflate", **kind}


def _body(response: Response, most: int, where: str) -> bytes:
    """Read and inflate the body; it is given up at the first byte too many, so a bomb never goes off."""
    parts, size = [], 0
    try:
        for part in response.raw.stream(_CHUNK, decode_content=True):
            parts.append(part)
            size += len(part)
            if size > most:
                raise PayloadUnexpected(
                    f"the answer is larger than {most} bytes", where=where, hint="raise `max_bytes` of this source"
                )
    except urllib3.exceptions.ProtocolError as error:
        raise BrokenOff(size) from error
    return b"".join(parts)


def _redirected(request: Request, status: int, target: str) -> Request:
    try:
        parts = urlsplit(urljoin(request.url, target))
        host, port = parts.hostname or "", parts.port
    except ValueError:
        parts, host, port = urlsplit(""), "", None
    if parts.scheme not in _PORTS or not host:
        raise PayloadUnexpected(
            f"redirected to {mask_url(target)!r}, which is no web address",
            where=place(request),
            hint="check the `url` of this source",
        )
    netloc = (f"[{host}]" if ":" in host else host) + (f":{port}" if port else "")
    url = urlunsplit((parts.scheme, netloc, parts.path, parts.query, ""))
    return replace(request, url=url, method="GET", body="") if status == 303 else replace(request, url=url)


def _same_place(home: str, url: str) -> bool:
    """Say whether *url* may see the credentials meant for *home*: same host and port, and no step down from https."""
    ours, theirs = _origin(home), _origin(url)
    upgraded = ours[0] == "http" and theirs == ("https", ours[1], 443) and ours[2] == 80
    return ours == theirs or upgraded


def _origin(url: str) -> tuple[str, str, int]:
    parts = urlsplit(url)
    return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 0)
