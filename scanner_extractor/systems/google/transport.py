"""Transport for Google's services, each at its own address, with Google's default credentials."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

from scanner_extractor.http.concurrency import Clock
from scanner_extractor.http.messages import Request, Response, Transport
from scanner_extractor.http.transport import HttpTransport
from scanner_extractor.settings.cluster import BearerAuth
from scanner_extractor.settings.sources import CatalogSettings
from scanner_model.errors import InputInvalid, SourceRefused, SourceUnreachable
from scanner_model.redaction import mask_text

SCOPE = "https://www.googleapis.com/auth/cloud-platform"

ENDPOINTS = {"bigquery": "https://bigquery.googleapis.com", "datalineage": "https://datalineage.googleapis.com"}
"""Google's public endpoints by service."""

Token = Callable[[], str]
"""Returns a valid access token; raises SourceRefused without one."""

_RIGHTS = "log in with `gcloud auth application-default login`, or use a service account: docs/sources/catalogs.md"


def google_api_transport(settings: CatalogSettings, token: Token | None = None) -> Transport:
    """Return an exchange for requests whose path begins with a service: `/bigquery/v2/…`, `/datalineage/v1/…`.

    Each goes to that service's address. Without `auth` in the settings *token* gives the credentials, else those that
    google-auth finds. Raises InputInvalid where google-auth is not installed.
    """
    wires: dict[tuple[str, str], HttpTransport] = {}
    lock = threading.Lock()
    addresses = ENDPOINTS | settings.options.get("endpoints", {})
    fresh = token or (default_token() if settings.http.auth is None else None)

    def wire(address: str, credential: str) -> HttpTransport:
        with lock:
            if (address, credential) not in wires:
                auth = BearerAuth(token=credential) if credential else settings.http.auth
                wires[address, credential] = HttpTransport(replace(settings.http, url=address, auth=auth), Clock())
            return wires[address, credential]

    def send(request: Request) -> Response:
        parts = urlsplit(request.url)
        service = parts.path.split("/")[1]
        address = addresses[service]
        # A colon before a method's name is taken for what it is only where it is not encoded.
        path = parts.path if service == "bigquery" else parts.path.removeprefix(f"/{service}").replace("%3A", ":")
        url = address.rstrip("/") + path + (f"?{parts.query}" if parts.query else "")
        return wire(address, fresh() if fresh else "")(replace(request, url=url))

    return send


def default_token(find: Callable[[], Any] | None = None) -> Token:
    """Return what gives a token of the credentials that google-auth finds: environment, gcloud's, the machine's.

    They are found with the first request, by *find* where it is given. Raises InputInvalid where google-auth is not
    installed.
    """
    lock = threading.Lock()
    credentials: list[Any] = []

    def token() -> str:
        google = _google()
        try:
            with lock:
                if not credentials:
                    credentials.append(find() if find else google.default_credentials(SCOPE))
                return str(google.access_token(credentials[0]))
        except google.TransportError as error:
            raise SourceUnreachable(mask_text(str(error)), where="google-auth", hint="is there a network?") from error
        except google.GoogleAuthError as error:
            raise SourceRefused(mask_text(str(error)), where="google-auth", hint=_RIGHTS) from error

    return token


def _google() -> ModuleType:
    """Import the module that needs google-auth; raises InputInvalid where that is not installed."""
    try:
        from scanner_extractor.systems.google import credentials as google_credentials  # noqa: PLC0415 - google-auth may be missing
    except ImportError as error:
        hint = "install it: pip install 'kafka-lineage-scanner[google]', or give `auth` with a bearer token"
        raise InputInvalid("google-auth is not installed", where="google", hint=hint) from error
    return google_credentials
