"""Map exceptions of requests and urllib3 to scanner's exceptions."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator

import requests
import urllib3

from scanner_extractor.settings.cluster import HttpSettings
from scanner_model.errors import PayloadUnexpected, SourceUnreachable

FAILURES = (OSError, urllib3.exceptions.HTTPError, UnicodeError)
"""Exceptions of sending a request and reading its response; `requests.RequestException` is an OSError."""

_PASSING = (
    requests.ConnectionError,
    requests.Timeout,
    urllib3.exceptions.ProtocolError,
    urllib3.exceptions.TimeoutError,
    urllib3.exceptions.ProxyError,
)
_UNTRUSTED = (requests.exceptions.SSLError, urllib3.exceptions.SSLError)
_CA_HINT = "give the CA that signed it as `tls.ca`"
_PROXY_HINT = "check HTTPS_PROXY, HTTP_PROXY and NO_PROXY"
_UNEXPLAINED = ("the connection failed", "check `url` and the network")


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
    if isinstance(error, _UNTRUSTED):
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
        (explanation for cause in _causes(error) if (explanation := _reason(cause, settings))), _UNEXPLAINED
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
        case requests.ConnectTimeout() | urllib3.exceptions.ConnectTimeoutError() if not _refusals(cause):
            return f"no connection within {settings.connect_timeout:g} seconds", "check `url` and the network"
        case requests.ReadTimeout() | urllib3.exceptions.ReadTimeoutError():
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
        case requests.exceptions.InvalidURL() | requests.exceptions.InvalidSchema() | UnicodeError():
            return "its URL or a header cannot be sent", "check `url` and `headers`"
        case requests.RequestException() | urllib3.exceptions.HTTPError():
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
        if link is None or any(link is seen for seen in chain):
            continue
        chain.append(link)
        inner = [getattr(link, "reason", None), getattr(link, "original_error", None), *link.args]
        waiting += [deeper for deeper in inner if isinstance(deeper, BaseException)]
        waiting += [link.__context__, link.__cause__]
    yield from reversed(chain)
