"""Read Confluent's Flink services page by page; partial results are retained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Json
from scanner_extractor.http.pagination import by_number, by_token
from scanner_extractor.scan.results import JobsResult, Progress
from scanner_extractor.settings.flink import FlinkSettings
from scanner_model.errors import NotFound, PayloadUnexpected, Problem, ScannerError
from scanner_model.names import TopicName
from scanner_model.redaction import mask_statement, mask_text
from scanner_model.scan import SourceResult, SourceStatus
from scanner_model.streaming_sql import FlinkStatement

MATERIALIZED_TABLE = "MATERIALIZED_TABLE"
"""The kind of a materialised table, which is listed apart from the statements."""

_CATALOG, _DATABASE = "sql.current-catalog", "sql.current-database"
_HIDDEN = "user.confluent.io/hidden"


def read_page(payload: Json) -> tuple[list[dict[str, Any]], str]:
    """Read a page of a list: its items, and the token of the next page or empty; raises PayloadUnexpected."""
    match payload:
        case {"data": list(items)}:
            return _objects(items), _token(_text(_object(payload, "metadata"), "next"))
        case _:
            raise PayloadUnexpected("the response is not a list of Confluent Cloud's", hint="check the `url`")


def read_items(payload: Json) -> list[dict[str, Any]]:
    """Read a page of Confluent Manager for Apache Flink; raises PayloadUnexpected."""
    match payload:
        case {"items": list(items)}:
            return _objects(items)
        case {"items": None} | {"pageable": dict()}:
            return []
        case _:
            raise PayloadUnexpected("the response is not a list of statements", hint="check the `url`")


def statement_name(payload: Mapping[str, Json]) -> str:
    """Return the name of a statement, empty where it has none; the Platform has it in `metadata`."""
    return _text(payload, "name") or _text(_object(payload, "metadata"), "name")


def table_name(payload: Mapping[str, Json]) -> str:
    """Return cluster and name of a materialised table: no statement's name has a slash, and clusters share names."""
    name, cluster = _text(payload, "name"), _text(_object(payload, "spec"), "kafka_cluster_id")
    return "/".join(filter(None, (cluster, name))) if name else ""


def read_statement(payload: Mapping[str, Json], settings: FlinkSettings) -> FlinkStatement:
    """Read a statement, secrets hidden, phase and kind as received; raises PayloadUnexpected without name or text.

    *topics_read* are the keys of `latest_offsets`; without any, the engine has not reported them.
    """
    spec, status, metadata = (_object(payload, member) for member in ("spec", "status", "metadata"))
    properties, traits = _object(spec, "properties"), _object(status, "traits")
    return FlinkStatement(
        source=settings.source,
        name=_named(statement_name(payload)),
        statement=mask_statement(_sql(_text(spec, "statement"), statement_name(payload))),
        kind=_text(traits, "sql_kind", "sqlKind"),
        state=_text(status, "phase"),
        detail=mask_text(_text(status, "detail")),
        catalog_name=_text(properties, _CATALOG),
        database_name=_text(properties, _DATABASE),
        compute_pool=_pool(spec),
        region=settings.region,
        principal=_text(spec, "principal"),
        uid=_text(metadata, "uid"),
        created=_text(metadata, "created_at", "creationTimestamp"),
        hidden=_text(_object(metadata, "labels"), _HIDDEN) == "true",
        topics_read=_topics(status),
    )


def read_table(payload: Mapping[str, Json], settings: FlinkSettings) -> FlinkStatement:
    """Read a materialised table as the statement that made it; raises PayloadUnexpected without name or query.

    Unqualified names in it resolve through its session's options, else through its own environment and cluster.
    """
    spec, status, metadata = (_object(payload, member) for member in ("spec", "status", "metadata"))
    options = _object(spec, "session_options")
    return FlinkStatement(
        source=settings.source,
        name=_named(table_name(payload)),
        statement=mask_statement(_sql(_creation(payload, spec, status), table_name(payload))),
        kind=MATERIALIZED_TABLE,
        state=_text(status, "phase"),
        detail=mask_text(_text(status, "detail")),
        catalog_name=_text(options, _CATALOG) or _text(payload, "environment_id") or settings.environment,
        database_name=_text(options, _DATABASE) or _text(spec, "kafka_cluster_id"),
        compute_pool=_pool(spec),
        region=settings.region,
        principal=_text(spec, "principal"),
        uid=_text(metadata, "uid"),
        created=_text(metadata, "created_at"),
        topics_read=_topics(status),
    )


def _creation(payload: Mapping[str, Json], spec: Mapping[str, Json], status: Mapping[str, Json]) -> str:
    query, name = _text(spec, "query"), _text(payload, "name").replace("`", "``")
    built = f"CREATE MATERIALIZED TABLE `{name}` AS {query}" if query else ""
    return _text(status, "creation_statement") or built


def _token(following: str) -> str:
    """Return the token in the URL of the next page; its host is ignored."""
    try:
        query = urlsplit(following.encode("ascii").decode("ascii")).query
    except ValueError:
        raise PayloadUnexpected("the address of the next page is none", hint="report it to its operator") from None
    return next(iter(parse_qs(query).get("page_token", ())), "")


def _pool(spec: Mapping[str, Json]) -> str:
    """Return the compute pool; older answers have an object, the Platform a name."""
    name = _text(spec, "compute_pool_id", "computePoolName", "compute_pool")
    return name or _text(_object(spec, "compute_pool"), "id")


def _topics(status: Mapping[str, Json]) -> tuple[TopicName, ...] | None:
    offsets = _object(status, "latest_offsets")
    return tuple(map(TopicName, sorted(offsets))) if offsets else None


def _named(name: str) -> str:
    if not name:
        raise PayloadUnexpected("it has no name")
    return name


def _sql(text: str, name: str) -> str:
    if not text:
        raise PayloadUnexpected(f"{name!r} has no text")
    return text


def _object(value: Mapping[str, Json], member: str) -> Mapping[str, Json]:
    inner = value.get(member)
    return inner if isinstance(inner, dict) else {}


def _objects(items: list[Json]) -> list[dict[str, Any]]:
    return [item for item in items if isinstance(item, dict)]


def _text(value: Mapping[str, Json], *members: str) -> str:
    """Return the first of *members* that has a text; a boolean is written as JSON."""
    values = (value.get(member) for member in members)
    texts = (str(item).lower() if isinstance(item, bool) else item for item in values)
    return next((item for item in texts if isinstance(item, str) and item), "")


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
    complete: bool = True

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

    def broken_off(self, noun: str, error: ScannerError) -> None:
        """Record that a list of *noun* was incomplete: objects that it did not name are not deleted."""
        self.complete = False
        self.reasons.append(f"{noun} could not all be listed")
        what = f"{noun} could not all be listed: {error.what}"
        self.problems.append(Problem(str(self.settings.source), what, error.hint))

    def reading(self, http: Http) -> JobsResult:
        """Return all of it, sorted by name."""
        got, losses = len(self.statements), [f"{len(self.unread)} could not be read"] if self.unread else []
        self.progress(self.settings.source, got, got)
        outcome = SourceResult(
            source=self.settings.source,
            kind="flink",
            status=SourceStatus.PARTIAL if self.problems else SourceStatus.READ,
            received=got,
            requested=got + len(self.unread),
            reason="; ".join((*self.reasons, *losses)),
            requests=http.requests,
            # With a name in it, a partial answer counts as a list of everything else.
            unread=frozenset(self.unread) if self.complete else frozenset(),
        )
        statements = tuple(self.statements[name] for name in sorted(self.statements))
        return JobsResult(outcome=outcome, statements=statements, problems=tuple(self.problems))

    def _failed(self, name: str, error: PayloadUnexpected) -> None:
        self.unread.add(name)
        if not name:  # what cannot be named cannot be kept apart from what is gone
            self.complete = False
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


def list_cloud_statements(settings: FlinkSettings, http: Http, kind: str) -> Iterator[Item]:
    """List `statements` or `materialized-tables`, 100 per page; raises ScannerError.

    Names are unique within a list, except for tables, which are unique within a cluster.
    """

    def page(token: str) -> tuple[list[Item], str]:
        params: list[tuple[str, str | int]] = [("page_size", PAGE)]
        items, following = read_page(
            http.get(*_path(settings), kind, params=params + ([("page_token", token)] if token else []))
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
