"""Reads files of Flink SQL: each is one script, whatever stands in it."""

from __future__ import annotations

from collections.abc import Iterable

from scanner_extractor.readings import JobsReading, Progress
from scanner_extractor.settings_flink import SqlFilesSettings
from scanner_extractor.sources.file_texts import FileText, file_outcome, file_problem, sorted_out
from scanner_model.flink import SCRIPT, FlinkStatement


def read_sql_files(settings: SqlFilesSettings, texts: Iterable[FileText], progress: Progress) -> JobsReading:
    """Give each file as a statement of kind SCRIPT, named by its path from cluster.json, sorted by name.

    Catalog and database are those of the settings: what a file itself sets, the reader of its SQL finds. Raises
    SourceUnreachable where no file can be read; one that cannot is a problem, and what it said before stays.
    """
    found, failed = sorted_out(texts, settings.files.pattern, settings.source)
    statements = tuple(
        FlinkStatement(
            source=settings.source,
            name=each.name,
            statement=each.text,
            kind=SCRIPT,
            catalog_name=settings.catalog,
            database_name=settings.database,
        )
        for each in found
    )
    progress(settings.source, len(statements), len(statements))
    return JobsReading(
        outcome=file_outcome(settings.source, "flink", len(statements), frozenset(each.name for each in failed)),
        statements=statements,
        problems=tuple(file_problem(each, settings.source) for each in failed),
    )
