"""Kinds of source: Flink servers, and files of Flink SQL."""

from __future__ import annotations

from functools import partial

from scanner_extractor.job_files import file_probes
from scanner_extractor.results import (
    JobsResult,
    Progress,
)
from scanner_extractor.source_kind import (
    STREAMING,
    Connections,
    SourceKind,
    tested,
    typed_kind,
)
from scanner_extractor.systems.flink.client import FLINK_SOURCES
from scanner_extractor.systems.flink.section import FLINK_SECTION
from scanner_extractor.systems.flink.settings import FlinkSettings, SqlFilesSettings
from scanner_extractor.systems.flink.sql_files import read_sql_files
from scanner_model.maturity import live
from scanner_model.redaction import mask_statement


def _read_sql_files(settings: SqlFilesSettings, connections: Connections, progress: Progress) -> JobsResult:
    mask = partial(mask_statement, extra=settings.files.secret_names)
    return read_sql_files(settings, connections.texts(settings.files, settings.source, mask), progress)


SERVER = typed_kind("flink", STREAMING, FLINK_SECTION, FlinkSettings, FLINK_SOURCES)

SQL_FILES = SourceKind(
    name="flink",
    phase=STREAMING,
    section=FLINK_SECTION,
    settings=SqlFilesSettings,
    proofs=tested(live("Flink SQL files", "of Flink 2.3.0", "tests/lab/test_lab_ways.py")),
    read=_read_sql_files,
    check=lambda settings, _: file_probes(settings.files, settings.source),
)
