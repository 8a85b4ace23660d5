"""Transport settings in the form of openlineage-python, without network or the library."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from dataflow_generator.openlineage.redaction import clean_text
from scanner_model.errors import InputInvalid

Json = Any
Transport = Mapping[str, Json]
"""The settings of a transport for openlineage-python: `{"type": "http", "url": …}`."""

_NO_AUTH = {"type": "openlineage.client.transport.http.TokenProvider"}
"""No credentials."""


def http_transport(url: str, token: str = "") -> Transport:
    """Return the settings for *url*, which may include the endpoint; *token* is sent as a bearer token."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputInvalid(f"{clean_text(url)!r} is not an http address", where="--url", hint="as in http://host:5000")
    endpoint = {"endpoint": parts.path.strip("/")} if parts.path.strip("/") else {}
    auth = {"type": "api_key", "apiKey": token} if token else _NO_AUTH
    # The library would merge a dict with its own configuration, which may have credentials of another server.
    own = {"auth": MappingProxyType(auth), "custom_headers": MappingProxyType({})}
    return {"type": "http", "url": f"{parts.scheme}://{parts.netloc}", **endpoint, **own}


def file_transport(file: Path) -> Transport:
    """Return the settings of a transport that appends lines to *file*."""
    return {"type": "file", "log_file_path": str(file), "append": True}


def copied(settings: Json) -> Json:
    """Return a deep copy of *settings*, because the library removes members from its argument."""
    match settings:
        case dict():
            return {name: copied(setting) for name, setting in settings.items()}
        case list() | tuple():
            return [copied(setting) for setting in settings]
        case _:
            return settings
