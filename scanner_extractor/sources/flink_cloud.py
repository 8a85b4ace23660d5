"""Asks Confluent Cloud for the Flink statements and materialised tables of one environment in one region."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_extractor.http import Http
from scanner_extractor.paging import by_token
from scanner_extractor.readings import JobsReading, Progress
from scanner_extractor.settings_flink import FlinkSettings
from scanner_extractor.sources.flink_cloud_reader import (
    read_page,
    read_statement,
    read_table,
    statement_name,
    table_name,
)
from scanner_extractor.sources.flink_listing import FlinkListing, Item
from scanner_model.errors import NotFound, ScannerError

PAGE = 100
"""Items of a page, at most; without it the service gives 10."""


def read_flink_cloud(settings: FlinkSettings, http: Http, progress: Progress) -> JobsReading:
    """Read every statement, of all compute pools and in every phase, and every materialised table.

    `GET …/statements` and `GET …/materialized-tables`, 100 a page. Raises ScannerError where no statement is listed;
    a list that breaks off, or a region without such tables, costs no more than that.
    """
    listing = FlinkListing(settings, progress)
    try:
        listing.take(listed(settings, http, "statements"), read_statement, statement_name)
    except ScannerError as error:
        if not listing.statements:
            raise
        listing.broken_off("statements", error)
    try:
        listing.take(listed(settings, http, "materialized-tables"), read_table, table_name)
    except NotFound:  # not offered there
        pass
    except ScannerError as error:
        listing.broken_off("materialised tables", error)
    return listing.reading(http)


def counted_statements(settings: FlinkSettings, http: Http) -> str:
    """Say how many statements the first page lists, for `scanner check`; raises ScannerError."""
    items, following = read_page(http.get(*_path(settings), "statements", params=[("page_size", PAGE)]))
    return f"{len(items)}{' and more' if following else ''} statements"


def listed(settings: FlinkSettings, http: Http, things: str) -> Iterator[Item]:
    """List `statements` or `materialized-tables`, 100 a page; raises ScannerError.

    Within one list each has a name of its own but for tables, which are one a cluster.
    """

    def page(token: str) -> tuple[list[Item], str]:
        params: list[tuple[str, str | int]] = [("page_size", PAGE)]
        items, following = read_page(
            http.get(*_path(settings), things, params=params + ([("page_token", token)] if token else []))
        )
        return list(items), following

    return by_token(page, key=_identity)


def _identity(item: Item) -> str:
    return table_name(item) or repr(item)


def _path(settings: FlinkSettings) -> tuple[str, ...]:
    return "sql", "v1", "organizations", settings.organization, "environments", settings.environment
