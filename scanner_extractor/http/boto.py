"""Clients and errors of boto3, an optional library: imported by `aws` only, when the first request is sent."""

from __future__ import annotations

from typing import Any

import boto3
from botocore import exceptions, xform_name
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from scanner_extractor.settings.cluster import HttpSettings
from scanner_model.errors import InputInvalid, ScannerError, SourceRefused, SourceUnreachable

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
    return session.client(name, endpoint_url=endpoint_url or None, config=config, verify=verify)


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
