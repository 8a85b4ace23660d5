"""Clients and errors of boto3, an optional library: imported by `aws` only, when the first request is sent."""

from __future__ import annotations

from typing import Any

import boto3
from botocore import exceptions, xform_name
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError
from urllib3.exceptions import HTTPError, ReadTimeoutError

from scanner_extractor.settings.cluster import HttpSettings
from scanner_model.documents.json_input import TooLarge, load_json
from scanner_model.errors import InputInvalid, PayloadUnexpected, ScannerError, SourceRefused, SourceUnreachable

__all__ = ["BotoCoreError", "ClientError", "ResponseParserError", "create_client", "scanner_error", "xform_name"]

_ATTEMPTS = 5


def create_client(name: str, region: str, profile: str, endpoint_url: str, http: HttpSettings) -> Any:  # noqa: ANN401
    """Return boto3's client of the service *name*; an empty *profile* or *endpoint_url* is the default one.

    Raises BotoCoreError for a missing profile or region.
    """
    config = Config(
        retries={"mode": "adaptive", "total_max_attempts": _ATTEMPTS},
        max_pool_connections=http.concurrency,
        connect_timeout=http.connect_timeout,
        read_timeout=http.read_timeout,
        user_agent_extra="scanner",
    )
    verify = str(http.tls.ca) if http.tls.ca and http.tls.verify else http.tls.verify or False
    session = boto3.Session(profile_name=profile or None, region_name=region)
    client = session.client(name, endpoint_url=endpoint_url or None, config=config, verify=verify)
    client._endpoint.http_session = BoundedSession(client._endpoint.http_session, http.max_bytes)
    return client


class BoundedSession:
    """Sends as a session of botocore does, which itself reads an answer of any length; errors are those of botocore.

    Raises PayloadUnexpected for an answer of more than *most* bytes, values or levels.
    """

    def __init__(self, session: Any, most: int) -> None:  # noqa: ANN401 - botocore has no types
        self._session, self._most = session, most

    def send(self, request: Any) -> Any:  # noqa: ANN401 - botocore has no types
        """Send *request* and read the answer, unless the caller reads it in pieces."""
        if request.stream_output:
            return self._session.send(request)
        request.stream_output = True
        try:
            response = self._session.send(request)
        finally:
            request.stream_output = False
        response._content = self._content(request, response)
        return response

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def _content(self, request: Any, response: Any) -> bytes:  # noqa: ANN401 - botocore has no types
        pieces, size = [], 0
        where = str(request.url).partition("?")[0]
        try:
            for piece in response.raw.stream():
                size += len(piece)
                if size > self._most:
                    response.raw.close()
                    what = f"the response is larger than {self._most} bytes"
                    raise PayloadUnexpected(what, where=where, hint="raise `max_bytes` of this source")
                pieces.append(piece)
        except ReadTimeoutError as error:
            raise exceptions.ReadTimeoutError(endpoint_url=request.url, error=error) from error
        except HTTPError as error:
            raise exceptions.ConnectionClosedError(error=error, request=request, endpoint_url=request.url) from error
        content = b"".join(pieces)
        try:
            load_json(content or b"{}")
        except (TooLarge, RecursionError) as error:
            what = f"the response is too large: {error}"
            raise PayloadUnexpected(what, where=where, hint="check `endpoint_url`, and the proxy in between") from error
        except ValueError:
            pass  # an error of a proxy: the caller reports it by its status
        return content


def scanner_error(error: BotoCoreError, where: str, member: str, rights: str) -> ScannerError:
    """Return what *error* means for users; *member* is the setting that configures the service, *rights* a hint."""
    match error:
        case (
            exceptions.ProfileNotFound()
            | exceptions.NoRegionError()
            | exceptions.InvalidRegionError()
            | exceptions.ParamValidationError()
        ):
            return InputInvalid(str(error), where=where, hint=f"check `{member}` of this source")
        case (
            exceptions.NoCredentialsError()
            | exceptions.PartialCredentialsError()
            | exceptions.CredentialRetrievalError()
        ):
            return SourceRefused(str(error), where=where, hint=rights)
        case exceptions.TokenRetrievalError() | exceptions.SSOError() | exceptions.RefreshWithMFAUnsupportedError():
            return SourceRefused(str(error), where=where, hint="log in again, as in `aws sso login`")
        case _:
            hint = "check `region` and `endpoint_url`, and the network"
            return SourceUnreachable(str(error), where=where, hint=hint)
