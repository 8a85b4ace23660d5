"""Read files of Flink SQL."""

from __future__ import annotations

from collections.abc import Iterable

from scanner_extractor.job_files import FileText, file_outcome, file_problem, separate_failed, statement_problems
from scanner_extractor.results import Progress, Reading
from scanner_extractor.systems.flink.settings import SqlFilesSettings
from scanner_model.streaming_sql import SCRIPT, StreamingStatement


def read_sql_files(settings: SqlFilesSettings, texts: Iterable[FileText], progress: Progress) -> Reading:
    """Return each file as a statement of kind SCRIPT, named by its path from cluster.json, sorted by name.

    Catalog and database are those of the settings: settings inside a file are found by the SQL reader. Raises
    SourceUnreachable where no file can be read; an unreadable one is a problem, and its earlier facts are retained.
    """
    readable, failed = separate_failed(texts, settings.files.pattern, settings.source)
    statements = tuple(
        StreamingStatement(
            source=settings.source,
            name=file.name,
            statement=file.text,
            kind=SCRIPT,
            catalog_name=settings.catalog,
            database_name=settings.database,
        )
        for file in readable
    )
    progress(settings.source, len(statements), len(statements))
    return Reading(
        outcome=file_outcome(settings.source, "flink", len(statements), frozenset(file.name for file in failed)),
        facts=statements,
        problems=(
            *(file_problem(file, settings.source) for file in failed),
            *(
                problem
                for file in readable
                for problem in statement_problems(f"{settings.source} {file.name}:", file.text)
            ),
        ),
    )
