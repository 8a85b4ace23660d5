"""Convert a response to JSON, or an error of the connection or the server to the exception for it."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass

import requests
import urllib3

from scanner_extractor.http.messages import Json, Request, Response
from scanner_extractor.settings.cluster import HttpSettings
from scanner_model.documents.json_input import Loaded, TooLarge, load_json
from scanner_model.errors import (
    NotFound,
    PayloadUnexpected,
    ScannerError,
    ServerFailed,
    SourceObjected,
    SourceRefused,
    SourceUnreachable,
)
from scanner_model.redaction import mask_json, mask_text, mask_url

FAILURES = (OSError, urllib3.exceptions.HTTPError, ValueError)
"""Exceptions of sending a request and reading its response; `requests.RequestException` is an OSError."""

_PASSING = (
    urllib3.exceptions.ProtocolError,
    urllib3.exceptions.TimeoutError,
    urllib3.exceptions.ProxyError,
)
_CA_HINT = "give the CA that signed it as `tls.ca`"
_PROXY_HINT = "check HTTPS_PROXY, HTTP_PROXY and NO_PROXY"
_UNKNOWN_FAILURE = ("the connection failed", "check `url` and the network")


class BrokenOff(urllib3.exceptions.ProtocolError):
    """Raised when a response is truncated: fewer bytes than announced, or a broken chunk.

    *received* counts what came over the network; *announced* is the Content-Length, None where the answer has none.
    """

    def __init__(self, received: int, announced: int | None = None) -> None:
        super().__init__(f"truncated after {received} bytes")
        self.received = received
        self.announced = announced


def is_final(error: Exception) -> bool:
    """Return whether a retry is useless, as after an invalid certificate or URL."""
    if isinstance(error, urllib3.exceptions.SSLError):
        return not any(isinstance(cause, ssl.SSLEOFError) for cause in _causes(error))
    return not isinstance(error, _PASSING)


def explain(
    error: Exception, *, where: str, tries: int, settings: HttpSettings
) -> SourceUnreachable | PayloadUnexpected:
    """Return the error for the user: the reason without class names, and the number of tries."""
    often = f", tried {tries} times" if tries > 1 else ""
    for cause in _causes(error):
        match cause:
            case BrokenOff(received=received, announced=announced):
                total = "" if announced is None else f" of {announced}"
                return PayloadUnexpected(
                    f"the response was truncated after {received}{total} bytes{often}",
                    where=where,
                    hint="try again later, or check the proxy in between",
                )
            case urllib3.exceptions.DecodeError():
                return PayloadUnexpected(
                    "the response is not compressed as its Content-Encoding states",
                    where=where,
                    hint="check the proxy in between",
                )
    reason, hint = next(
        (explanation for cause in _causes(error) if (explanation := _reason(cause, settings))), _UNKNOWN_FAILURE
    )
    if hint != _PROXY_HINT and any(isinstance(cause, urllib3.exceptions.ProxyError) for cause in _causes(error)):
        reason, hint = f"the proxy in between cannot be reached: {reason}", _PROXY_HINT
    return SourceUnreachable(reason + often, where=where, hint=hint)


def _reason(cause: BaseException, settings: HttpSettings) -> tuple[str, str] | None:
    """Return reason and hint of one exception in the chain of causes; None where it has none."""
    return _tls_reason(cause) or _timeout_reason(cause, settings) or _connection_reason(cause)


def _tls_reason(cause: BaseException) -> tuple[str, str] | None:
    match cause:
        case ssl.SSLCertVerificationError(verify_message=why):
            return f"its certificate is not trusted: {why}", _CA_HINT
        case ssl.SSLEOFError():
            return "it closed the connection during the TLS handshake", "does it require a client certificate (`tls`)?"
        case ssl.SSLError(reason="WRONG_VERSION_NUMBER" | "HTTP_REQUEST" | "RECORD_LAYER_FAILURE"):
            return "it does not speak TLS on this port", "write http:// in `url`, or another port"
        case ssl.SSLError():
            why = str(cause.reason or "handshake failed").replace("_", " ").lower()
            return f"TLS failed: {why}", "check `tls.ca`, `tls.certificate` and `tls.key`"
        case _:
            return None


def _timeout_reason(cause: BaseException, settings: HttpSettings) -> tuple[str, str] | None:
    match cause:
        case socket.gaierror() | urllib3.exceptions.NameResolutionError():
            return "its host name is not known", "check the host in `url`"
        case urllib3.exceptions.ConnectTimeoutError() if not _refusals(cause):
            return f"no connection within {settings.connect_timeout:g} seconds", "check `url` and the network"
        case urllib3.exceptions.ReadTimeoutError():
            return f"no response within {settings.read_timeout:g} seconds", "raise `read_timeout`, or try again later"
        case _:
            return None


def _connection_reason(cause: BaseException) -> tuple[str, str] | None:
    match cause:
        case ConnectionRefusedError():
            return "connection refused", "is it running, and is the port in `url` right?"
        case ConnectionError() | urllib3.exceptions.ProtocolError():
            return "it closed the connection without a response", "does it speak https:// on this port?"
        case urllib3.exceptions.ProxyError():
            return "the proxy did not let the request through", _PROXY_HINT
        case urllib3.exceptions.ProxySchemeUnknown() | requests.exceptions.InvalidProxyURL():
            return "the address of the proxy cannot be used", _PROXY_HINT
        case requests.exceptions.InvalidSchema():  # a SOCKS proxy: addresses of sources are checked before
            return "the address of the proxy cannot be used", _PROXY_HINT
        case urllib3.exceptions.LocationValueError() | ValueError():
            return "its URL or a header cannot be sent", "check `url` and `headers`"
        case urllib3.exceptions.HTTPError():
            return None
        case OSError(errno=number, strerror=str(why)) if number is not None:
            return f"the connection failed: {why.lower()}", "check `url`, the files of `tls` and the network"
        case _:
            return None


def _refusals(cause: BaseException) -> bool:
    return any(isinstance(deeper, ConnectionRefusedError | socket.gaierror) for deeper in _causes(cause))


def _causes(error: BaseException) -> Iterator[BaseException]:
    """List *error* and its causes, innermost first, because the operating system's reason is most precise."""
    chain: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        link = waiting.pop()
        if link is None or any(link is earlier for earlier in chain):
            continue
        chain.append(link)
        inner = [getattr(link, "reason", None), getattr(link, "original_error", None), *link.args]
        waiting += [deeper for deeper in inner if isinstance(deeper, BaseException)]
        waiting += [link.__context__, link.__cause__]
    yield from reversed(chain)


_EXCERPT = 80
_REASON = 300
_MISSING = frozenset({404, 405, 410})
_TEMPORARY = frozenset({408, 425, 429})
_MESSAGE_MEMBERS = ("message", "error_description", "detail", "reason", "error", "title")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerMessage:
    """A parsed error body: JSON (None where it is not), error code (or 0), message (or empty)."""

    body: Json = None
    code: int = 0
    message: str = ""


def request_location(request: Request) -> str:
    """Return the location of a request for errors: method and URL, secrets masked."""
    return f"{request.method} {mask_url(request.url)}"


def read_json(request: Request, answer: Response, *, login: str = "") -> Loaded:
    """Parse the JSON of a successful response, secrets masked; schema texts stay byte for byte.

    Raises what `accepted` does, and PayloadUnexpected for a body that is not JSON, or is too large or too deep.
    """
    return _decoded(request, accepted(request, answer, login=login))


def accepted(request: Request, answer: Response, *, login: str = "") -> Response:
    """Return a successful response, or raise the exception for its status; *login* is the hint for a 401.

    Raises SourceRefused (401, 403, 407), NotFound (404, 405, 410), SourceUnreachable (408, 425, 429, 5xx),
    SourceObjected (other 4xx) and PayloadUnexpected (an unexpected status).
    """
    if answer.status >= 400:
        raise _failure(request, answer, login)
    if not 200 <= answer.status < 300:
        raise PayloadUnexpected(
            f"answered with status {answer.status}",
            where=request_location(request),
            hint="check the `url` of this source",
        )
    return answer


def server_message(body: bytes, content_type: str = "") -> ServerMessage:
    """Parse an error body: an object in several shapes, a JSON string, plain text, HTML or nothing."""
    try:
        value = mask_json(load_json(body).value)
    except (ValueError, RecursionError):
        is_text = content_type.lower().startswith("text/plain")
        return ServerMessage(
            message=_excerpt(body[: 4 * _REASON].decode("utf-8", "replace"), _REASON) if is_text else ""
        )
    return ServerMessage(body=value, code=_code(value), message=_excerpt(_message(value), _REASON))


def _failure(request: Request, answer: Response, login: str) -> ScannerError:
    message = server_message(answer.body, answer.headers.get("content-type", ""))
    where, status = request_location(request), answer.status
    what = f"{_STATUS.get(status, 'answered')} (status {status})" + (f": {message.message}" if message.message else "")
    if status in _HINTS:
        return SourceRefused(what, where=where, hint=(login if status == 401 else "") or _HINTS[status])
    if status >= 500 or status in _TEMPORARY:
        failed = ServerFailed if status == 500 else SourceUnreachable
        return failed(what, where=where, hint="try again later")
    kind = NotFound if status in _MISSING else SourceObjected
    hint = _PATH_HINT if status == 404 and message.code in (0, 404) and _NO_PATH.match(message.message) else ""
    return kind(what, where=where, hint=hint, status=status, code=message.code, body=message.body)


def _decoded(request: Request, answer: Response) -> Loaded:
    try:
        loaded = load_json(answer.body)
        # As captures are masked, too, a replay reads what a live scan does.
        return loaded._replace(value=mask_json(loaded.value))
    except TooLarge as error:
        raise PayloadUnexpected(
            f"the response is too large: {error}", where=request_location(request), hint=_LARGE_HINT
        ) from error
    except UnicodeDecodeError as error:
        raise _unreadable("the response is not UTF-8", request, answer) from error
    except RecursionError as error:
        raise _unreadable("the response is nested too deeply", request, answer) from error
    except ValueError as error:
        raise _unreadable(_why_not_json(answer), request, answer) from error


def _why_not_json(answer: Response) -> str:
    start = answer.body[:200].lstrip().lower()
    if not start:
        return "the response is empty"
    if start.startswith((b"<!doctype", b"<html")) or "html" in answer.headers.get("content-type", ""):
        return "the response is a web page, not JSON"
    return "the response is not JSON"


def _unreadable(what: str, request: Request, answer: Response) -> PayloadUnexpected:
    kind = answer.headers.get("content-type", "") or "none"
    start = _excerpt(answer.body[: 4 * _EXCERPT].decode("utf-8", "replace"), _EXCERPT)
    shown = f"; it starts with {start!r}" if start else ""
    return PayloadUnexpected(
        f"{what} (status {answer.status}, content type {mask_text(kind)[:_EXCERPT]}){shown}",
        where=request_location(request),
        hint="check that `url` is the address of the API itself, not of a login page or a proxy",
    )


def _excerpt(text: str, most: int) -> str:
    plain = "".join(letter if letter.isprintable() else " " for letter in mask_text(text))
    line = " ".join(plain.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _message(value: Json) -> str:
    match value:
        case str():
            return value
        case list() if value:
            return _message(value[0])
        case {"errors": [first, *_]}:
            return _message(first)
        case dict():
            return next((text for name in _MESSAGE_MEMBERS if (text := _message(value.get(name)))), "")
        case _:
            return ""


def _code(value: Json) -> int:
    match value:
        case {"error_code": code} | {"error": {"code": code}} | {"errors": [{"code": code}, *_]} | {"code": code}:
            return int(code) if isinstance(code, int | str) and str(code).isdecimal() else 0
        case _:
            return 0


_STATUS = {
    400: "the request was not understood",
    401: "credentials refused",
    403: "access denied",
    404: "not found",
    405: "not supported by this server",
    407: "the proxy requires credentials",
    408: "the server timed out",
    410: "gone",
    429: "too many requests",
    500: "the server failed",
    502: "the gateway failed",
    503: "the service is not available",
    504: "the gateway timed out",
}
_LARGE_HINT = "report it to the source's operator: no real response is this large"
_PATH_HINT = "check the path in `url`: it must be the base path of the API, often empty, without the API's own paths"
# Messages of web servers and frameworks for an unknown path; an API names what is missing, or has a code for it.
_NO_PATH = re.compile(r"$|((HTTP )?404:? ?)?(resource )?not found\b|could not find resource|no static resource", re.I)
_HINTS = {
    401: "check the credentials in `auth` of this source",
    403: "give this user the right to read it",
    407: "put user and password into the proxy's URL",
}
