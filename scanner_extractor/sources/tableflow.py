"""Asks Confluent Cloud which topics are kept as tables, and which catalogs know these tables."""

from __future__ import annotations

from collections.abc import Callable

from scanner_extractor.exchange import Json
from scanner_extractor.http import Http
from scanner_extractor.paging import Listed
from scanner_extractor.readings import CatalogReading, Progress
from scanner_extractor.settings_cloud import TableflowSettings
from scanner_extractor.sources.cloud_lists import cloud_list
from scanner_extractor.sources.tableflow_reader import read_integrations, read_tables
from scanner_model.errors import NotFound, ScannerError
from scanner_model.problems import Problem
from scanner_model.scan import Answer, Outcome

_KEY = "Tableflow wants a Tableflow key, or a Cloud key: see docs/sources/tableflow.md"


def read_tableflow(settings: TableflowSettings, http: Http, progress: Progress) -> CatalogReading:
    """Read the tables of topics, 100 a request, and the catalogs that they are made known to.

    `GET /tableflow/v1/tableflow-topics` and `…/catalog-integrations`. Raises ScannerError where the topics are not
    listed; without the integrations, catalogs are named by their ids, and the answer is partial.
    """
    listed = tableflow_topics(settings, http, told=lambda: progress(settings.source, 0, None))
    progress(settings.source, len(listed.items), None)
    catalogs, lacking = _integrations(settings, http)
    problems = [_problem(settings, "topics", error) for error in (listed.error,) if error]
    problems += [_problem(settings, "catalog integrations", error) for error in (catalogs.error, lacking) if error]
    tables = read_tables(listed.items, read_integrations(catalogs.items), settings)
    progress(settings.source, len(tables), len(tables))
    return CatalogReading(
        outcome=Outcome(
            source=settings.source,
            kind="tableflow",
            answer=Answer.PARTIAL if problems else Answer.READ,
            got=len(tables),
            asked=len(tables),
            reason="; ".join(problem.what for problem in problems),
            hint=problems[0].hint if problems else "",
            requests=http.requests,
        ),
        materializations=tables,
        problems=tuple(problems),
    )


def tableflow_topics(
    settings: TableflowSettings, http: Http, *, told: Callable[[], None] = lambda: None
) -> Listed[Json]:
    """List the topics that are kept as tables; *told* is called before each page. Raises ScannerError."""
    return cloud_list(http, "tableflow", "v1", "tableflow-topics", params=_where(settings), told=told)


def _integrations(settings: TableflowSettings, http: Http) -> tuple[Listed[Json], ScannerError | None]:
    try:
        return cloud_list(http, "tableflow", "v1", "catalog-integrations", params=_where(settings)), None
    except NotFound:  # none was ever made
        return Listed(()), None
    except ScannerError as error:
        return Listed(()), error


def _where(settings: TableflowSettings) -> list[tuple[str, str | int]]:
    return [("environment", settings.environment), ("spec.kafka_cluster", settings.cluster)]


def _problem(settings: TableflowSettings, things: str, error: ScannerError) -> Problem:
    return Problem(str(settings.source), f"{things} could not all be read: {error.what}", error.hint or _KEY)
