"""The kind of source of dbt projects."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_extractor.http.messages import Json
from scanner_extractor.probes import Probe
from scanner_extractor.results import (
    Progress,
    SourceResults,
)
from scanner_extractor.source_kind import (
    CATALOG,
    Connections,
    SourceKind,
    tested,
)
from scanner_extractor.systems.dbt.section import DBT_SECTION
from scanner_extractor.systems.dbt.settings import DbtSettings
from scanner_model.lazy_names import load
from scanner_model.maturity import live

_DBT = "scanner_extractor.systems.dbt.manifest"
_DBT_STREAMS = "scanner_extractor.repository.dbt_streams:read_streams"


def _read_dbt(settings: DbtSettings, connections: Connections, progress: Progress) -> SourceResults:
    document = _manifest(settings, connections)
    is_stream = document["adapter"] in load(f"{_DBT}:STREAM_ADAPTERS")
    read = load(_DBT_STREAMS if is_stream else f"{_DBT}:read_manifest")
    result: SourceResults = read(document, settings, progress)
    return result


def _check_dbt(settings: DbtSettings, connections: Connections) -> Iterator[Probe]:
    yield Probe("read its manifest", lambda: load(f"{_DBT}:summary")(_manifest(settings, connections)))


def _manifest(settings: DbtSettings, connections: Connections) -> Json:
    name, read = load(f"{_DBT}:DOCUMENT"), load(f"{_DBT}:load_manifest")
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
