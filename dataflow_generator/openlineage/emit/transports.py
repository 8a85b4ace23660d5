"""Settings of transports as openlineage-python takes them; no network, and nothing of the library."""

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
"""A transport's settings as openlineage-python takes them: `{"type": "http", "url": …}`."""

_NOBODY = {"type": "openlineage.client.transport.http.TokenProvider"}
"""Credentials that are none."""


def http_transport(url: str, token: str = "") -> Transport:
    """Return the settings for *url*, which may name the endpoint, too; *token* is sent as a Bearer's."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputInvalid(f"{clean_text(url)!r} is no http address", where="--url", hint="as in http://host:5000")
    endpoint = {"endpoint": parts.path.strip("/")} if parts.path.strip("/") else {}
    auth = {"type": "api_key", "apiKey": token} if token else _NOBODY
    # Of a dictionary the library would fill in what its configuration holds: another server's credentials.
    own = {"auth": MappingProxyType(auth), "custom_headers": MappingProxyType({})}
    return {"type": "http", "url": f"{parts.scheme}://{parts.netloc}", **endpoint, **own}


def file_transport(file: Path) -> Transport:
    """Return the settings for lines that are added to *file*."""
    return {"type": "file", "log_file_path": str(file), "append": True}


def copied(settings: Json) -> Json:
    """Return *settings* again: the library takes members out of what it is handed."""
    match settings:
        case dict():
            return {name: copied(each) for name, each in settings.items()}
        case list() | tuple():
            return [copied(each) for each in settings]
        case _:
            return settings
