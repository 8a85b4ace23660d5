"""A schema registry: one JSON document on a web server lists every version of every subject.

`GET /index.json` returns `[{"subject": "shop/orders/value", "version": 1, "id": "7", "format": "CSV_HEADER",
"schema": "id:long,name:text"}]`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Json
from scanner_extractor.probes import Probe
from scanner_extractor.registries import RegistryType
from scanner_extractor.results import Progress, RegistryResult
from scanner_extractor.settings.cluster import RegistrySettings
from scanner_model.errors import PayloadUnexpected
from scanner_model.names import SubjectName
from scanner_model.scan import SourceResult, SourceStatus
from scanner_model.schemas import Registry, SchemaVersion

SCHEMA = {
    "type": "object",
    "properties": {"index": {"type": "string", "minLength": 1}, "prefix": {"type": "string"}},
    "required": ["index"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """Path of the index, and which subjects to read: those whose name starts with *prefix*."""

    index: tuple[str, ...]
    prefix: str = ""


def parse_options(options: dict[str, str]) -> IndexOptions:
    """Convert the `options` of cluster.json, which SCHEMA has found valid."""
    return IndexOptions(index=tuple(options["index"].strip("/").split("/")), prefix=options.get("prefix", ""))


def read_index(settings: RegistrySettings, http: Http, progress: Progress) -> RegistryResult:
    """Read every version; raises ScannerError where the index cannot be read."""
    versions = tuple(sorted(_versions(settings, http), key=lambda version: (version.subject, version.version)))
    progress(settings.source, len(versions), len(versions))
    return RegistryResult(
        registry=Registry(source=settings.source, kind=settings.type, url=settings.http.url),
        outcome=SourceResult(
            source=settings.source,
            kind="schema_registry",
            status=SourceStatus.READ,
            received=len(versions),
            requested=len(versions),
            requests=http.requests,
        ),
        versions=versions,
    )


def check_index(settings: RegistrySettings, http: Http) -> Iterator[Probe]:
    """Try to read the index."""
    yield Probe("read the index", lambda: f"{len(list(_versions(settings, http)))} versions")


def _versions(settings: RegistrySettings, http: Http) -> Iterator[SchemaVersion]:
    index = http.get(*settings.options.index)
    for row in index if isinstance(index, list) else [index]:
        version = _version(settings, row)
        if version.subject.startswith(settings.options.prefix):
            yield version


def _version(settings: RegistrySettings, row: Json) -> SchemaVersion:
    match row:
        case {
            "subject": str(subject),
            "version": int(version),
            "id": str(id_),
            "format": str(format_),
            "schema": str(text),
        }:
            return SchemaVersion(
                source=settings.source,
                subject=SubjectName(subject),
                version=version,
                schema_id=id_,
                format=format_.upper(),
                text=text,
            )
        case _:
            raise PayloadUnexpected("an entry of the index is not a schema version", hint="check `options.index`")


INDEX_REGISTRY = RegistryType(read=read_index, check=check_index, schema=SCHEMA, parse=parse_options)
