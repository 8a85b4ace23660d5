"""Transport for AWS services through boto3; a replay or a test can replace it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from scanner_extractor.http.messages import Request, Response, Transport
from scanner_extractor.settings.cluster import HttpSettings
from scanner_model.documents.json_input import load_json, load_text
from scanner_model.errors import InputInvalid, PayloadUnexpected, SourceRefused, SourceUnreachable

Client = Any
"""A client of boto3, which makes its classes as it runs; or what belongs to one."""

_REFUSALS = frozenset(
    {
        "AccessDenied",
        "AccessDeniedException",
        "ExpiredToken",
        "ExpiredTokenException",
        "IncompleteSignature",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationToken",
        "NotAuthorized",
        "SignatureDoesNotMatch",
        "UnauthorizedException",
        "UnauthorizedSSOTokenError",
        "UnrecognizedClientException",
    }
)
_BUSY = frozenset({"Throttling", "ThrottlingException", "RequestLimitExceeded", "OperationTimeoutException"})
_PROXY = "check `endpoint_url`, and the proxy in between"
_MISSING = frozenset({"EntityNotFoundException", "ResourceNotFoundException"})


@dataclass(frozen=True, slots=True, kw_only=True)
class AwsService:
    """An AWS service: boto3's *name*, its location, the setting that configures it, the page with its permissions."""

    name: str
    region: str
    profile: str
    endpoint_url: str
    member: str
    page: str


def aws_transport(service: AwsService, http: HttpSettings, connect: Callable[[], Client] | None = None) -> Transport:
    """Return a transport for requests whose path ends in the operation's name and whose body is its input.

    The client is created with the first request, by *connect* or from the settings. Throttling and failures of the
    server are retried by botocore in its adaptive mode. Raises InputInvalid for a missing profile, region or
    package, SourceRefused for credentials and rights, SourceUnreachable where the service does not respond.
    """
    lock = threading.Lock()
    clients: list[Client] = []

    def client() -> Client:
        with lock:  # sessions must not be made by several threads; clients may be used by all
            if not clients:
                clients.append(connect() if connect else _connect(service, http))
            return clients[0]

    def send(request: Request) -> Response:
        operation = request.url.rpartition("/")[2]
        return _call(client, operation, load_text(request.body or "{}"), service)

    return send


def _call(client: Callable[[], Client], operation: str, body: dict[str, Any], service: AwsService) -> Response:
    where, boto = f"{service.name}:{operation}", _boto(service)
    try:
        method = getattr(client(), boto.xform_name(operation), None)
        if method is None:
            what = f"the installed boto3 does not know {operation}"
            raise InputInvalid(what, where=service.name, hint="pip install --upgrade 'kafka-lineage-scanner[aws]'")
        answer = method(**body)
    except boto.ClientError as error:
        return _error_response(error.response, where, _rights(service))
    except boto.BotoCoreError as error:
        raise boto.scanner_error(error, where, service.member, _rights(service)) from error
    except (boto.ResponseParserError, AttributeError, TypeError, ValueError) as error:
        # What botocore's parser ends with where a member has another type than its model says.
        raise PayloadUnexpected(
            f"the response is not as documented ({type(error).__name__})", where=where, hint=_PROXY
        ) from error
    content = {name: value for name, value in answer.items() if name != "ResponseMetadata"}
    return Response(status=200, body=json.dumps(content, default=str).encode())


def _boto(service: AwsService) -> ModuleType:
    """Import the module that needs boto3; raises InputInvalid where that is not installed."""
    try:
        from scanner_extractor.http import boto  # noqa: PLC0415 - boto3 may be missing
    except ImportError as error:
        raise _not_installed(service) from error
    return boto


def _connect(service: AwsService, http: HttpSettings) -> Client:
    boto = _boto(service)
    client = boto.create_client(service.name, service.region, service.profile, service.endpoint_url, http)
    return watched(client)


def watched(client: Client) -> Client:
    """Let *client* raise PayloadUnexpected for a response that is not JSON, which botocore reads as empty.

    Otherwise a proxy's login page would look like an empty source, and everything would be marked deleted.
    """
    client.meta.events.register("after-call", _object)
    return client


def _object(model: Client, http_response: Client, **_: object) -> None:
    if http_response.raw is None or http_response.status_code >= 300:
        return
    try:
        is_object = isinstance(load_json(http_response.content or b"{}").value, dict)
    except (ValueError, RecursionError):
        is_object = False
    if not is_object:
        where = f"{model.service_model.service_name}:{model.name}"
        raise PayloadUnexpected("the response is not from AWS", where=where, hint=_PROXY)


def _error_response(response: dict[str, Any], where: str, rights: str) -> Response:
    """Convert an AWS error, which nearly always has status 400, to the matching HTTP status."""
    details = response.get("Error", {})
    code, message = str(details.get("Code", "")), str(details.get("Message", ""))
    if code in _REFUSALS:
        raise SourceRefused(f"access denied ({code}): {message}", where=where, hint=rights)
    status = int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 400))
    if code in _BUSY:
        raise SourceUnreachable(f"too many requests ({code})", where=where, hint="lower `concurrency` of this source")
    body = json.dumps({"message": f"{code}: {message}"}).encode()
    return Response(status=404 if code in _MISSING else max(status, 400), body=body)


def _not_installed(service: AwsService) -> InputInvalid:
    what = "boto3 is not installed, which is required for AWS"
    return InputInvalid(what, where=service.name, hint="install it: pip install 'kafka-lineage-scanner[aws]'")


def _rights(service: AwsService) -> str:
    return f"check the credentials (environment, `profile`, role) and the rights in {service.page}"
