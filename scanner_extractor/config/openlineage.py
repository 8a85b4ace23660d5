"""The `openlineage` of cluster.json, validated and parsed: where events go, as openlineage-python names it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from scanner_extractor.http.messages import Json
from scanner_extractor.http.urls import read_address
from scanner_extractor.settings.cluster import OpenLineageSettings
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath

_PATHS = frozenset({"caCertPath", "ca_cert_path", "clientCertPath", "client_cert_path", "clientKeyPath"})
_WRITTEN = "log_file_path"
_OVER_HTTP = frozenset({"http", "async_http"})


def openlineage_settings(item: Json, base: Path) -> OpenLineageSettings:
    """Build the settings; files beside the cluster.json, in the directory *base*, get their whole paths."""
    return OpenLineageSettings(transport=_placed(item["transport"], base))


def openlineage_errors(document: Json, shown: Callable[[JsonPath], str]) -> Iterator[ErrorMessage]:
    """Report which addresses of a document of any form are none; *shown* gives values without secrets."""
    item = document.get("openlineage") if isinstance(document, dict) else None
    transport = item.get("transport") if isinstance(item, dict) else None
    for path, each in _transports(transport, ("openlineage", "transport")):
        url = each.get("url")
        if each.get("type") in _OVER_HTTP and isinstance(url, str) and not _is_address(url):
            where = (*path, "url")
            yield where, f"{shown(where)} is not a web address", "write http://host:port or https://host:port"


def _transports(value: Json, path: JsonPath) -> Iterator[tuple[JsonPath, dict[str, Json]]]:
    """Return a transport and those inside it."""
    if not isinstance(value, dict):
        return
    yield path, value
    inside = value.get("transports")
    listed = inside.items() if isinstance(inside, dict) else enumerate(inside if isinstance(inside, list) else ())
    for name, each in listed:
        yield from _transports(each, (*path, "transports", name))
    yield from _transports(value.get("transport"), (*path, "transport"))


def _is_address(url: str) -> bool:
    try:
        read_address(url)
    except ValueError:
        return False
    return True


def _placed(value: Json, base: Path) -> Json:
    match value:
        case dict():
            return {name: _member(name, each, base) for name, each in value.items()}
        case list():
            return [_placed(each, base) for each in value]
        case _:
            return value


def _member(name: str, value: Json, base: Path) -> Json:
    """Return a member; what is written need not be there yet, what is read has to be, else it may be no path."""
    if not isinstance(value, str) or "://" in value:
        return _placed(value, base)
    is_read = name in _PATHS or name.endswith(".location")
    return str(base / value) if name == _WRITTEN or (is_read and value and (base / value).exists()) else value
