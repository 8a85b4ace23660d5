"""Kinds of source: ksqlDB servers, and files of their statements."""

from __future__ import annotations

from scanner_extractor.repository.source_kind import repository_kind
from scanner_extractor.results import (
    KsqlResult,
    Progress,
)
from scanner_extractor.source_kind import (
    STREAMING,
    BrokerUse,
    Connections,
    SourceKind,
    http_check,
    tested,
)
from scanner_extractor.source_types import SourceType
from scanner_extractor.systems.ksqldb.section import KSQLDB_SECTION
from scanner_extractor.systems.ksqldb.settings import KsqlSettings
from scanner_model.lazy_names import deferred, load
from scanner_model.maturity import live


def _read_ksqldb(settings: KsqlSettings, connections: Connections, progress: Progress) -> KsqlResult:
    with connections.http(settings.http, settings.source) as http:
        result: KsqlResult = load(_READ)(settings, http, progress, connections.earlier(settings.source))
        return result


_READ = "scanner_extractor.systems.ksqldb.client:read_ksqldb"

SERVER = SourceKind(
    name="ksqldb",
    phase=STREAMING,
    section=KSQLDB_SECTION,
    settings=KsqlSettings,
    proofs=tested(live("ksqlDB", "6.1.15, 8.3.1", "tests/conformance/test_ksqldb_recorded.py")),
    brokers=BrokerUse.NEEDED,
    read=_read_ksqldb,
    check=http_check(
        SourceType(read=deferred(_READ), check=deferred("scanner_extractor.systems.ksqldb.probes:ksqldb_probes"))
    ),
)

FILES = repository_kind(KSQLDB_SECTION)
