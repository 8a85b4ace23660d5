"""Asks Confluent Manager for Apache Flink (Confluent Platform) for the statements of one environment."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_extractor.http import Http
from scanner_extractor.paging import by_number
from scanner_extractor.readings import JobsReading, Progress
from scanner_extractor.settings_flink import FlinkSettings
from scanner_extractor.sources.flink_cloud_reader import read_items, read_statement, statement_name
from scanner_extractor.sources.flink_listing import FlinkListing, Item
from scanner_model.errors import ScannerError

PAGE = 100


def read_flink_cmf(settings: FlinkSettings, http: Http, progress: Progress) -> JobsReading:
    """Read every statement of an environment (`GET /cmf/api/v1/environments/{name}/statements`), 100 a page.

    Raises ScannerError where none is listed; a list that breaks off keeps what it told.
    """
    listing = FlinkListing(settings, progress)
    try:
        listing.take(listed(settings, http), read_statement, statement_name)
    except ScannerError as error:
        if not listing.statements:
            raise
        listing.broken_off("statements", error)
    return listing.reading(http)


def listed(settings: FlinkSettings, http: Http) -> Iterator[Item]:
    """List the statements, 100 a page; raises ScannerError."""
    return by_number(lambda number: _page(settings, http, number), key=lambda item: statement_name(item) or repr(item))


def counted_statements(settings: FlinkSettings, http: Http) -> str:
    """Say how many statements the first page lists, for `scanner check`; raises ScannerError."""
    return f"{len(_page(settings, http, 0))} statements on the first page"


def _page(settings: FlinkSettings, http: Http, number: int) -> list[Item]:
    path = ("cmf", "api", "v1", "environments", settings.environment, "statements")
    return list(read_items(http.get(*path, params=[("page", number), ("size", PAGE)])))
