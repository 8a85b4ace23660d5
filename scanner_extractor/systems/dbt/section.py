"""The `dbt` of cluster.json."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scanner_extractor.config.interpolation import named_files
from scanner_extractor.config.sections import (
    Items,
    ParseContext,
    Section,
    ValidationContext,
    name_or_path,
    nonempty,
    repeated_sources,
)
from scanner_extractor.http.messages import Json
from scanner_extractor.probes import Probe
from scanner_extractor.results import Progress, Reading
from scanner_extractor.settings.sources import FileSettings
from scanner_extractor.source_kind import (
    CATALOG,
    Connections,
    SourceKind,
    tested,
)
from scanner_extractor.systems.dbt.settings import DbtSettings
from scanner_model.documents.schema_errors import ErrorMessage
from scanner_model.lazy_names import load
from scanner_model.maturity import live

MANIFEST = "manifest.json"
_NAMESPACE = re.compile(r"[a-z][a-z0-9+.-]*(?:://[^\s@?#]+)?")

_DBT: Json = {
    "title": "dbt project",
    "description": "A dbt project, read from its manifest.",
    "type": "object",
    "required": ["path"],
    "properties": {
        "name": nonempty("Name", "Name of the source. Keep it when the file moves.", "analytics"),
        "path": nonempty(
            "Manifest",
            "manifest.json or its directory. A catalog.json next to it is read as well.",
            "dbt/target/manifest.json",
        ),
        "namespace": nonempty(
            "Warehouse",
            "OpenLineage namespace of the warehouse, for example postgres://dw:5432. Models of dbt-confluent and "
            "dbt-flink-adapter are topics of the cluster and need none.",
            "postgres://dw:5432",
            "snowflake://acme-eu1",
            "bigquery",
        ),
    },
    "additionalProperties": False,
}


def parse_dbt(item: Json, context: ParseContext) -> DbtSettings:
    """Return the settings of one project."""
    files = FileSettings(
        pattern=item["path"],
        base=context.base,
        files=named_files(item["path"], context.base, MANIFEST),
        secret_names=context.secret_names,
    )
    return DbtSettings(files=files, namespace=item.get("namespace", "").rstrip("/"), name=item.get("name", ""))


def validate_dbt(items: Items, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield paths without a manifest or with several, invalid namespaces, and projects declared twice."""
    for path, item in items:
        pattern, where = item.get("path"), (*path, "path")
        if context.present and isinstance(pattern, str):
            count = len(named_files(pattern, context.directory, MANIFEST))
            if count != 1:
                what = f"{context.shown(where)} is {count or 'no'} files"
                yield where, what, "name one manifest.json, relative to this file"
        namespace = item.get("namespace")
        if isinstance(namespace, str) and namespace and not _NAMESPACE.fullmatch(namespace):
            where = (*path, "namespace")
            yield where, f"{context.shown(where)} is not a namespace", "write scheme://host:port, or bigquery"
    yield from repeated_sources(items, name_or_path)


DBT_SECTION = Section(
    member="dbt",
    listing={
        "title": "dbt projects",
        "description": "dbt projects.",
        "examples": [[{"path": "dbt/target/manifest.json", "namespace": "postgres://dw:5432"}]],
    },
    schema=_DBT,
    parse=parse_dbt,
    validate=validate_dbt,
    over_http=False,
)


_READER = "scanner_extractor.systems.dbt.manifest"
_DBT_STREAMS = "scanner_extractor.repository.dbt_streams:read_streams"


def _read_dbt(settings: DbtSettings, connections: Connections, progress: Progress) -> Reading:
    document = _manifest(settings, connections)
    is_stream = document["adapter"] in load(f"{_READER}:STREAM_ADAPTERS")
    read = load(_DBT_STREAMS if is_stream else f"{_READER}:read_manifest")
    result: Reading = read(document, settings, progress)
    return result


def _check_dbt(settings: DbtSettings, connections: Connections) -> Iterator[Probe]:
    yield Probe("read its manifest", lambda: load(f"{_READER}:summary")(_manifest(settings, connections)))


def _manifest(settings: DbtSettings, connections: Connections) -> Json:
    name, read = load(f"{_READER}:DOCUMENT"), load(f"{_READER}:load_manifest")
    return connections.document(settings.source, name, lambda: read(settings))


DBT = SourceKind(
    name="dbt",
    phase=CATALOG,
    section=DBT_SECTION,
    settings=DbtSettings,
    read=_read_dbt,
    check=_check_dbt,
    proofs=tested(live("dbt", "1.6.19, 1.7.20, 1.12.0", "docs/sources/dbt.md")),
)
