"""Read Confluent's Flink services page by page; partial results are retained."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import parse_qs, urlsplit

from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Json
from scanner_extractor.http.pagination import by_number, by_token
from scanner_extractor.results import Progress, Reading, answered
from scanner_extractor.systems.flink.settings import FlinkSettings
from scanner_model.errors import NotFound, PayloadUnexpected, Problem, ScannerError
from scanner_model.names import TopicName
from scanner_model.payload import Payload, Unread, canonical
from scanner_model.redaction import mask_statement, mask_text
from scanner_model.streaming_sql import StreamingStatement

MATERIALIZED_TABLE = "MATERIALIZED_TABLE"
"""The kind of a materialised table, which is listed apart from the statements."""

_CATALOG, _DATABASE = "sql.current-catalog", "sql.current-database"
_HIDDEN = "user.confluent.io/hidden"


def read_page(payload: Json) -> tuple[list[Payload], str]:
    """Read a page of a list: its items, and the token of the next page or empty; raises PayloadUnexpected."""
    page = Payload(payload)
    return page.entries("data"), _token(page.object("metadata").text("next"))


def read_items(payload: Json) -> list[Payload]:
    """Read a page of Confluent Manager for Apache Flink, which may have no items; raises PayloadUnexpected."""
    return Payload(payload).entries("items", beside=("items", "pageable"))


def statement_name(statement: Payload) -> str:
    """Return the name that a statement shows, empty where it has none; the Platform has it in `metadata`."""
    members = statement.value if isinstance(statement.value, dict) else {}
    return statement.shown("name") or Payload(members.get("metadata")).shown("name")


def table_name(table: Payload) -> str:
    """Return cluster and name of a materialised table: no statement's name has a slash, and clusters share names."""
    members = table.value if isinstance(table.value, dict) else {}
    name, cluster = table.shown("name"), Payload(members.get("spec")).shown("kafka_cluster_id")
    return "/".join(filter(None, (cluster, name))) if name else ""


def read_statement(payload: Payload, settings: FlinkSettings) -> StreamingStatement:
    """Read a statement, secrets hidden, phase and kind as received; raises PayloadUnexpected without name or text.

    *topics_read* are the keys of `latest_offsets`; without any, the engine has not reported them.
    """
    spec, status, metadata = payload.need("spec"), payload.object("status"), payload.object("metadata")
    properties = spec.object("properties")
    return StreamingStatement(
        source=settings.source,
        name=payload.text("name") or payload.need("metadata").need("name").text(),
        statement=mask_statement(spec.need("statement").text()),
        kind=status.object("traits").text("sql_kind", "sqlKind"),
        state=status.text("phase"),
        detail=mask_text(status.text("detail")),
        catalog_name=properties.text(_CATALOG),
        database_name=properties.text(_DATABASE),
        compute_pool=_pool(spec),
        region=settings.region,
        principal=spec.text("principal"),
        uid=metadata.text("uid"),
        created=metadata.text("created_at", "creationTimestamp"),
        hidden=metadata.object("labels").member(_HIDDEN).value in (True, "true"),
        topics_read=_topics(status),
    )


def read_table(payload: Payload, settings: FlinkSettings) -> StreamingStatement:
    """Read a materialised table as the statement that made it; raises PayloadUnexpected without name or query.

    Unqualified names in it resolve through its session's options, else through its own environment and cluster.
    """
    payload.need("name").text()
    spec, status, metadata = payload.need("spec"), payload.object("status"), payload.object("metadata")
    options = spec.object("session_options")
    return StreamingStatement(
        source=settings.source,
        name=table_name(payload),
        statement=mask_statement(_creation(payload, spec, status)),
        kind=MATERIALIZED_TABLE,
        state=status.text("phase"),
        detail=mask_text(status.text("detail")),
        catalog_name=options.text(_CATALOG) or payload.text("environment_id") or settings.environment,
        database_name=options.text(_DATABASE) or spec.text("kafka_cluster_id"),
        compute_pool=_pool(spec),
        region=settings.region,
        principal=spec.text("principal"),
        uid=metadata.text("uid"),
        created=metadata.text("created_at"),
        topics_read=_topics(status),
    )


def _creation(payload: Payload, spec: Payload, status: Payload) -> str:
    if created := status.text("creation_statement"):
        return created
    name = payload.text("name").replace("`", "``")
    return f"CREATE MATERIALIZED TABLE `{name}` AS {spec.need('query').text()}"


def _token(following: str) -> str:
    """Return the token in the URL of the next page; its host is ignored."""
    try:
        query = urlsplit(following.encode("ascii").decode("ascii")).query
    except ValueError:
        raise PayloadUnexpected("the address of the next page is invalid", hint="report it to its operator") from None
    return next(iter(parse_qs(query).get("page_token", ())), "")


def _pool(spec: Payload) -> str:
    """Return the compute pool; older answers have an object, the Platform a name."""
    if isinstance(spec.member("compute_pool").value, dict):
        return spec.object("compute_pool").text("id")
    return spec.text("compute_pool_id", "computePoolName", "compute_pool")


def _topics(status: Payload) -> tuple[TopicName, ...] | None:
    return tuple(map(TopicName, sorted(status.object("latest_offsets").members()))) or None


@dataclass(slots=True)
class FlinkListing:
    """Objects read from one service, and those that could not be; *reasons* say what is missing.

    *complete*: no list broke off.
    """

    settings: FlinkSettings
    progress: Progress
    statements: dict[str, StreamingStatement] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    complete: bool = True
    unread: Unread = field(init=False)

    def __post_init__(self) -> None:
        """Begin with nothing unread."""
        self.unread = Unread(self.settings.source)

    def take(
        self,
        items: Iterable[Payload],
        read: Callable[[Payload, FlinkSettings], StreamingStatement],
        name: Callable[[Payload], str],
    ) -> None:
        """Read *items* one by one; raises what listing them raises, and retains earlier items."""
        for statement in self.unread.read(items, lambda item: read(item, self.settings), name):
            self.statements[statement.name] = statement
            self.progress(self.settings.source, len(self.statements), None)

    def broken_off(self, noun: str, error: ScannerError) -> None:
        """Record that a list of *noun* was incomplete: objects that it did not name are not deleted."""
        self.complete = False
        self.reasons.append(f"{noun} could not all be listed")
        what = f"{noun} could not all be listed: {error.what}"
        self.unread.problems.append(Problem(str(self.settings.source), what, error.hint))

    def reading(self, http: Http) -> Reading:
        """Return all of it, sorted by name."""
        got, losses = len(self.statements), [f"{len(self.unread)} could not be read"] if self.unread else []
        self.progress(self.settings.source, got, got)
        reasons = (*self.reasons, *losses)
        outcome = answered(
            self.settings.source,
            "flink",
            got,
            reasons=reasons,
            missing=len(self.unread),
            requests=http.requests,
            # With a name in it, a partial answer counts as a list of everything else.
            unread=self.unread.known if self.complete else frozenset(),
        )
        statements = tuple(self.statements[name] for name in sorted(self.statements))
        return Reading(outcome=outcome, facts=statements, problems=tuple(self.unread.problems))


PAGE = 100
"""Items of a page, at most; without it the service gives 10."""


def read_flink_cloud(settings: FlinkSettings, http: Http, progress: Progress) -> Reading:
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
    """Return how many statements the first page lists, for `scanner doctor`; raises ScannerError."""
    items, following = read_page(http.get(*_path(settings), "statements", params=[("page_size", PAGE)]))
    return f"{len(items)}{' and more' if following else ''} statements"


def list_cloud_statements(settings: FlinkSettings, http: Http, kind: str) -> Iterator[Payload]:
    """List `statements` or `materialized-tables`, 100 per page; raises ScannerError.

    Names are unique within a list, except for tables, which are unique within a cluster.
    """

    def page(token: str) -> tuple[list[Payload], str]:
        params: list[tuple[str, str | int]] = [("page_size", PAGE)]
        more: list[tuple[str, str | int]] = [("page_token", token)] if token else []
        return read_page(http.get(*_path(settings), kind, params=params + more))

    return by_token(page, key=_identity)


def _identity(item: Payload) -> str:
    return table_name(item) or canonical(item.value)


def _path(settings: FlinkSettings) -> tuple[str, ...]:
    return "sql", "v1", "organizations", settings.organization, "environments", settings.environment


def read_flink_cmf(settings: FlinkSettings, http: Http, progress: Progress) -> Reading:
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


def list_cmf_statements(settings: FlinkSettings, http: Http) -> Iterator[Payload]:
    """List the statements, 100 per page; raises ScannerError."""
    return by_number(
        lambda number: _page(settings, http, number), key=lambda item: statement_name(item) or canonical(item.value)
    )


def count_cmf_statements(settings: FlinkSettings, http: Http) -> str:
    """Return how many statements the first page lists, for `scanner doctor`; raises ScannerError."""
    return f"{len(_page(settings, http, 0))} statements on the first page"


def _page(settings: FlinkSettings, http: Http, number: int) -> list[Payload]:
    path = ("cmf", "api", "v1", "environments", settings.environment, "statements")
    return read_items(http.get(*path, params=[("page", number), ("size", PAGE)]))
