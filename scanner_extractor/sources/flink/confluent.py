"""Read Confluent's Flink services page by page; partial results are retained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Json
from scanner_extractor.http.pagination import by_number, by_token
from scanner_extractor.scan.results import JobsResult, Progress
from scanner_extractor.settings.flink import FlinkSettings
from scanner_extractor.sources.flink.confluent_reader import (
    read_items,
    read_page,
    read_statement,
    read_table,
    statement_name,
    table_name,
)
from scanner_model.errors import NotFound, PayloadUnexpected, ScannerError
from scanner_model.flink import FlinkStatement
from scanner_model.problems import Problem
from scanner_model.scan import SourceResult, SourceStatus

Item = Mapping[str, Json]


@dataclass(slots=True)
class FlinkListing:
    """Objects read from one service; *unread* names objects that could not be read, *reasons* say what is missing."""

    settings: FlinkSettings
    progress: Progress
    statements: dict[str, FlinkStatement] = field(default_factory=dict)
    unread: set[str] = field(default_factory=set)
    reasons: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    whole: bool = True

    def take(
        self, items: Iterable[Item], read: Callable[[Item, FlinkSettings], FlinkStatement], name: Callable[[Item], str]
    ) -> None:
        """Read *items* one by one; raises what listing them raises, and retains earlier items."""
        for item in items:
            try:
                statement = read(item, self.settings)
                self.statements[statement.name] = statement
            except PayloadUnexpected as error:
                self._failed(name(item), error)
            self.progress(self.settings.source, len(self.statements), None)

    def broken_off(self, things: str, error: ScannerError) -> None:
        """Record that a list of *things* was incomplete: objects that it did not name are not deleted."""
        self.whole = False
        self.reasons.append(f"{things} could not all be listed")
        what = f"{things} could not all be listed: {error.what}"
        self.problems.append(Problem(str(self.settings.source), what, error.hint))

    def reading(self, http: Http) -> JobsResult:
        """Return all of it, sorted by name."""
        got, losses = len(self.statements), [f"{len(self.unread)} could not be read"] if self.unread else []
        self.progress(self.settings.source, got, got)
        outcome = SourceResult(
            source=self.settings.source,
            kind="flink",
            answer=SourceStatus.PARTIAL if self.problems else SourceStatus.READ,
            got=got,
            asked=got + len(self.unread),
            reason="; ".join((*self.reasons, *losses)),
            requests=http.requests,
            # With a name in it, a partial answer counts as a list of everything else.
            unread=frozenset(self.unread) if self.whole else frozenset(),
        )
        statements = tuple(self.statements[name] for name in sorted(self.statements))
        return JobsResult(outcome=outcome, statements=statements, problems=tuple(self.problems))

    def _failed(self, name: str, error: PayloadUnexpected) -> None:
        self.unread.add(name)
        if not name:  # what cannot be named cannot be kept apart from what is gone
            self.whole = False
        self.problems.append(Problem(f"{self.settings.source} {name}".rstrip(), error.what, error.hint))


PAGE = 100
"""Items of a page, at most; without it the service gives 10."""


def read_flink_cloud(settings: FlinkSettings, http: Http, progress: Progress) -> JobsResult:
    """Read every statement, of all compute pools and in every phase, and every materialised table.

    `GET …/statements` and `GET …/materialized-tables`, 100 per page. Raises ScannerError where no statement is listed;
    a list that breaks off, or a region without such tables, costs no more than that.
    """
    listing = FlinkListing(settings, progress)
    try:
        listing.take(list_cloud_statements(settings, http, "statements"), read_statement, statement_name)
    except ScannerError as error:
        if not listing.statements:
            raise
        listing.broken_off("statements", error)
    try:
        listing.take(list_cloud_statements(settings, http, "materialized-tables"), read_table, table_name)
    except NotFound:  # not offered there
        pass
    except ScannerError as error:
        listing.broken_off("materialised tables", error)
    return listing.reading(http)


def count_cloud_statements(settings: FlinkSettings, http: Http) -> str:
    """Return how many statements the first page lists, for `scanner check`; raises ScannerError."""
    items, following = read_page(http.get(*_path(settings), "statements", params=[("page_size", PAGE)]))
    return f"{len(items)}{' and more' if following else ''} statements"


def list_cloud_statements(settings: FlinkSettings, http: Http, things: str) -> Iterator[Item]:
    """List `statements` or `materialized-tables`, 100 per page; raises ScannerError.

    Names are unique within a list, except for tables, which are unique within a cluster.
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


def read_flink_cmf(settings: FlinkSettings, http: Http, progress: Progress) -> JobsResult:
    """Read every statement of an environment (`GET /cmf/api/v1/environments/{name}/statements`), 100 per page.

    Raises ScannerError where none is listed; a list that breaks off gives what was read.
    """
    listing = FlinkListing(settings, progress)
    try:
        listing.take(list_cmf_statements(settings, http), read_statement, statement_name)
    except ScannerError as error:
        if not listing.statements:
            raise
        listing.broken_off("statements", error)
    return listing.reading(http)


def list_cmf_statements(settings: FlinkSettings, http: Http) -> Iterator[Item]:
    """List the statements, 100 per page; raises ScannerError."""
    return by_number(lambda number: _page(settings, http, number), key=lambda item: statement_name(item) or repr(item))


def count_cmf_statements(settings: FlinkSettings, http: Http) -> str:
    """Return how many statements the first page lists, for `scanner check`; raises ScannerError."""
    return f"{len(_page(settings, http, 0))} statements on the first page"


def _page(settings: FlinkSettings, http: Http, number: int) -> list[Item]:
    path = ("cmf", "api", "v1", "environments", settings.environment, "statements")
    return list(read_items(http.get(*path, params=[("page", number), ("size", PAGE)])))
