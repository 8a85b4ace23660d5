"""HTTP client of one source: path segments, hidden credentials, scanner's exceptions."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self
from urllib.parse import quote, urlencode

from scanner_extractor.http.auth import login_hint, own_secrets
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.http.messages import AS_IS, EncodedSegment, Json, Request, Response, Transport, read_address
from scanner_extractor.http.responses import accepted, read_json, request_location
from scanner_extractor.http.transport import HttpTransport
from scanner_extractor.settings.cluster import HttpSettings
from scanner_model.documents.json_input import load_json
from scanner_model.documents.json_positions import repeated_members
from scanner_model.errors import Problem, ScannerError
from scanner_model.names import SourceId
from scanner_model.redaction import hide_values, is_distinctive, mask_json

__all__ = ["Http", "Json", "Request", "Response", "Transport", "without_credentials"]

Params = Sequence[tuple[str, str | int]]

MOST_REPEATED = 20
"""Maximum problems of one response about members that it has twice."""
_HALVES = "a lone surrogate or NUL in {} of its texts, which was read as U+FFFD"
_HALVES_HINT = "neither files nor databases can store it; look for text truncated inside an emoji"


class Http:
    """HTTP client of one source; thread-safe.

    *exchange* replaces the network (a replay, a test). *wrap* wraps the network transport (a recorder). *clock*
    replaces time in tests.

    Every method raises SourceUnreachable (no response, or each retry failed), SourceRefused (401, 403), NotFound
    (404, 405, 410), SourceObjected (other 4xx) and PayloadUnexpected (a response that is not JSON). Secrets in JSON
    are masked; schema texts stay byte for byte.
    """

    def __init__(
        self,
        settings: HttpSettings,
        source: SourceId,
        *,
        exchange: Transport | None = None,
        wrap: Callable[[Transport], Transport] | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._settings = without_credentials(settings)
        self._source = source
        self._wire = HttpTransport(self._settings, clock or Clock())
        live = self._without_own_secrets(exchange or self._wire)
        self._is_live = exchange is None
        self._exchange = wrap(live) if wrap else live
        self._lock = threading.Lock()
        self._request_count = 0
        self._replaced: dict[str, int] = {}
        self._repeated: dict[str, tuple[Problem, ...]] = {}

    @property
    def requests(self) -> int:
        """Count the requests sent, retries included."""
        return self._wire.requests if self._is_live else self._request_count

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Return what of responses is not read as it was sent: texts that cannot be stored, members written twice."""
        with self._lock:
            replaced, repeated = sorted(self._replaced.items()), sorted(self._repeated.items())
        return (
            *(Problem(f"{self._source} {where}", _HALVES.format(count), _HALVES_HINT) for where, count in replaced),
            *(problem for _, problems in repeated for problem in problems),
        )

    def get(self, *segments: str | int, params: Params = (), accept: str = "application/json") -> Json:
        """Return the JSON at a path; each segment is one step of it, encoded unless it is an EncodedSegment."""
        return self._send(self._request("GET", segments, params, accept))

    def post(self, *segments: str | int, body: Json, params: Params = (), accept: str = "application/json") -> Json:
        """Send *body* as JSON and return the JSON response; requests are retried, so they must be read-only."""
        request = self._request("POST", segments, params, accept)
        return self._send(replace(request, body=json.dumps(body, ensure_ascii=False)))

    def send(
        self,
        method: str,
        *segments: str | int,
        params: Params = (),
        body: Json = None,
        content: str = "application/json",
    ) -> Json:
        """Send a request that may be repeated with the same effect; return the JSON response, None for an empty one."""
        request = replace(self._request(method, segments, params, "application/json"), content=content)
        if body is not None:
            request = replace(request, body=json.dumps(body, ensure_ascii=False))
        answer = accepted(request, self._answer(request), login=login_hint(self._settings.auth))
        return read_json(request, answer).value if answer.body.strip() else None

    def raw(self, *segments: str | int, params: Params = (), accept: str = AS_IS) -> bytes:
        """Return the body at a path as it is: a text, an archive; it need not be JSON."""
        request = self._request("GET", segments, params, accept)
        return accepted(request, self._answer(request), login=login_hint(self._settings.auth)).body

    def close(self) -> None:
        """Close the connections."""
        self._wire.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _request(self, method: str, segments: Sequence[str | int], params: Params, accept: str) -> Request:
        path = "".join("/" + _encoded(segment) for segment in segments)
        query = "?" + urlencode(params, quote_via=quote, safe="") if params else ""
        url = self._settings.url + path + query
        return Request(source=self._source, method=method, url=url, accept=accept)

    def _send(self, request: Request) -> Json:
        answer = self._answer(request)
        loaded = read_json(request, answer, login=login_hint(self._settings.auth))
        where = request_location(request)
        with self._lock:
            if loaded.replaced:
                self._replaced[where] = loaded.replaced
            if loaded.repeats:
                self._repeated[where] = _repeated(answer.body, f"{self._source} {where}")
        return loaded.value

    def _answer(self, request: Request) -> Response:
        with self._lock:
            self._request_count += 1
        return self._exchange(request)

    def _without_own_secrets(self, live: Transport) -> Transport:
        """Mask our own credentials in responses of *live*, before they are recorded: some servers echo requests.

        In a successful response only those that are unlike any name of a topic or field.
        """
        names = self._settings.secret_names

        def send(request: Request) -> Response:
            try:
                answer = live(request)
            except ScannerError as error:
                error.what, error.where, error.hint = map(self._hidden, (error.what, error.where, error.hint))
                raise
            secrets = self._secrets(is_failure=answer.status >= 400)
            if not secrets and not names:
                return answer
            headers = {name: hide_values(value.encode(), secrets).decode() for name, value in answer.headers.items()}
            body = hide_values(answer.body, secrets)
            return replace(
                answer, headers=headers, body=_masked(body, names) if names and request.accept != AS_IS else body
            )

        return send

    def _secrets(self, *, is_failure: bool) -> frozenset[str]:
        secrets = own_secrets(self._settings) | self._wire.tokens
        return secrets if is_failure else frozenset(filter(is_distinctive, secrets))

    def _hidden(self, text: str) -> str:
        return hide_values(text.encode("utf-8", "surrogatepass"), self._secrets(is_failure=True)).decode(
            errors="replace"
        )


def without_credentials(settings: HttpSettings) -> HttpSettings:
    """Move user and password out of the URL into `auth`, unless it is set."""
    address = read_address(settings.url)
    return replace(settings, url=address.url, auth=settings.auth or address.auth)


def _repeated(body: bytes, where: str) -> tuple[Problem, ...]:
    """Return problems for the members that a response has twice, up to MOST_REPEATED."""
    problems = repeated_members(body.decode("utf-8-sig"), where)
    more = len(problems) - MOST_REPEATED
    rest = (Problem(where, f"{more} more members are written twice"),) if more > 0 else ()
    return (*problems[:MOST_REPEATED], *rest)


def _encoded(segment: str | int) -> str:
    """Percent-encode a whole segment; dots too where they would mean this or the parent directory."""
    if isinstance(segment, EncodedSegment | int):
        return str(segment)
    return segment.replace(".", "%2E") if segment in (".", "..") else quote(segment, safe="")


def _masked(body: bytes, names: frozenset[str]) -> bytes:
    """Return JSON with the values under *names* hidden; any other body as it is."""
    try:
        value = load_json(body).value
        masked = mask_json(value, names)
    except (ValueError, RecursionError):
        return body
    return body if masked == value else json.dumps(masked, ensure_ascii=False).encode("utf-8", "surrogatepass")
