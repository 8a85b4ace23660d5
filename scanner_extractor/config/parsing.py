"""From a valid cluster.json to frozen settings; what belongs to no kind of source is parsed here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import regex

from scanner_extractor.config.http import WEB_ADDRESS, valid_address
from scanner_extractor.config.interpolation import named_files
from scanner_extractor.config.kafka import broker_list
from scanner_extractor.config.push import push_settings
from scanner_extractor.config.sections import ParseContext
from scanner_extractor.http.messages import Json
from scanner_extractor.scan.source_kinds import source_settings
from scanner_extractor.settings.cluster import OpenLineageSettings, Settings
from scanner_model.documents.pattern_limits import is_too_large
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath
from scanner_model.errors import InputInvalid, Problem
from scanner_model.names import ClusterName

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
    for path, entry in _transports(transport, ("openlineage", "transport")):
        kind, url = entry.get("type"), entry.get("url")
        if isinstance(kind, str) and kind in _OVER_HTTP and isinstance(url, str) and not valid_address(url):
            where = (*path, "url")
            yield where, f"{shown(where)} is not a web address", WEB_ADDRESS


def _transports(value: Json, path: JsonPath) -> Iterator[tuple[JsonPath, dict[str, Json]]]:
    """Return a transport and those inside it."""
    if not isinstance(value, dict):
        return
    yield path, value
    inside = value.get("transports")
    listed = inside.items() if isinstance(inside, dict) else enumerate(inside if isinstance(inside, list) else ())
    for name, transport in listed:
        yield from _transports(transport, (*path, "transports", name))
    yield from _transports(value.get("transport"), (*path, "transport"))


def _placed(value: Json, base: Path) -> Json:
    match value:
        case dict():
            return {name: _member(name, member, base) for name, member in value.items()}
        case list():
            return [_placed(item, base) for item in value]
        case _:
            return value


def _member(name: str, value: Json, base: Path) -> Json:
    """Return a member; what is written need not be there yet, what is read has to be, else it may be no path."""
    if not isinstance(value, str) or "://" in value:
        return _placed(value, base)
    is_read = name in _PATHS or name.endswith(".location")
    return str(base / value) if name == _WRITTEN or (is_read and value and (base / value).exists()) else value


def settings_of(document: Json, file: Path, warnings: tuple[Problem, ...]) -> Settings:
    """Build the settings of one cluster; relative paths are relative to *file*."""
    base, secret_names = file.parent, frozenset(name.lower() for name in document.get("secret_names", []))
    context = ParseContext(document=document, base=base, secret_names=secret_names)
    return Settings(
        cluster=ClusterName(document["cluster"]),
        brokers=broker_list(document.get("brokers", [])),
        aliases=tuple(("address", _alias(alias)) for alias in document.get("aliases", [])),
        file=file,
        openlineage=openlineage_settings(document["openlineage"], base) if "openlineage" in document else None,
        manual_input=_files(document.get("manual_input", []), base),
        secret_names=secret_names,
        warnings=warnings,
        push=tuple(push_settings(item, context) for item in document.get("push", ())),
        **source_settings(context),
    )


def _alias(text: str) -> str:
    """Return an alias back; raises InputInvalid where it begins with `regex:` and what follows is no expression."""
    if text.startswith("regex:") and is_too_large(text):
        raise InputInvalid(f"{text!r} repeats too much to be evaluated", where="aliases")
    try:
        regex.compile(text.removeprefix("regex:") if text.startswith("regex:") else "")
    except (regex.error, OverflowError, RecursionError) as error:
        raise InputInvalid(f"{text!r} is no regular expression: {error}", where="aliases") from error
    return text


def manual_files(pattern: str, base: Path) -> tuple[Path, ...]:
    """List the files that *pattern* means, sorted: a file, every *.json of a directory, or what a pattern matches."""
    return named_files(pattern, base, "*.json")


def _files(patterns: list[str], base: Path) -> tuple[Path, ...]:
    return tuple(sorted({path for pattern in patterns for path in manual_files(pattern, base)}))
