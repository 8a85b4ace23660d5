"""Read topics materialised as tables by Tableflow, with their names in catalogs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from scanner_extractor.http.client import Http
from scanner_extractor.http.pagination import PartialList
from scanner_extractor.results import Progress, Reading, answered
from scanner_extractor.systems.confluent_cloud.pagination import cloud_list
from scanner_extractor.systems.confluent_cloud.settings import TableflowSettings
from scanner_model.catalogs import Materialization
from scanner_model.errors import NotFound, Problem, ScannerError
from scanner_model.names import TopicName
from scanner_model.payload import Payload, Unread

DELTA = "DELTA"
ICEBERG = "ICEBERG"

_FORMATS = {"Unity": (DELTA,), "AwsGlue": (ICEBERG,), "Snowflake": (ICEBERG,)}
"""Which of a topic's formats a kind of catalog takes; another kind may have any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Integration:
    """A catalog that tables are synced to; *config* depends on its kind."""

    id: str
    kind: str
    state: str
    config: Payload


def read_integrations(listed: Iterable[Payload]) -> dict[str, Integration]:
    """Read `GET /tableflow/v1/catalog-integrations`, by id; raises PayloadUnexpected."""
    integrations = (
        Integration(
            id=entry.need("id").text(),
            kind=entry.need("spec").object("config").text("kind"),
            state=entry.object("status").text("phase"),
            config=entry.need("spec").object("config"),
        )
        for entry in listed
    )
    return {entry.id: entry for entry in integrations}


def read_tables(
    listed: Iterable[Payload], integrations: Mapping[str, Integration], settings: TableflowSettings, unread: Unread
) -> tuple[Materialization, ...]:
    """Read `GET /tableflow/v1/tableflow-topics`: a table per format and per catalog that it is synced to, sorted.

    A catalog counts only where the topic's own `catalog_sync_statuses` name it: an integration alone does not prove
    that this topic is synced.
    """
    topics = unread.read(listed, lambda entry: list(_Topic(entry, settings).tables(integrations)), lambda _: "")
    unique = {(table.topic, table.table_format, table.catalog): table for tables in topics for table in tables}
    return tuple(unique[key] for key in sorted(unique))


@dataclass(frozen=True, slots=True)
class _Topic:
    entry: Payload
    settings: TableflowSettings

    def tables(self, integrations: Mapping[str, Integration]) -> Iterator[Materialization]:
        """Yield the tables of one topic; raises PayloadUnexpected where it has no name."""
        status = self.entry.object("status")
        formats = sorted(set(self._spec.texts("table_formats"))) or [""]
        for table_format in formats:
            yield self._table(table_format, "", "", self._own_name(), self._state(table_format))
        for sync in status.list("catalog_sync_statuses"):
            identity = sync.text("catalog_integration_id")
            at = integrations.get(identity) or Integration(
                id=identity, kind=sync.text("catalog_type"), state="", config=Payload({})
            )
            state = (sync.text("sync_status", "phase") or at.state, sync.text("error_message"))
            for table_format in [
                candidate for candidate in formats if candidate in _FORMATS.get(at.kind, formats)
            ] or formats[:1]:
                yield self._table(table_format, identity, at.kind, self._name_in(at), state)

    @property
    def _spec(self) -> Payload:
        return self.entry.need("spec")

    @property
    def _name(self) -> str:
        return self._spec.text("display_name", "topic_name") or self.entry.need("topic_name").text()

    @property
    def _location(self) -> str:
        return self._spec.object("storage").text("table_path")

    def _table(
        self, table_format: str, catalog: str, kind: str, name: tuple[str, str], state: tuple[str, str]
    ) -> Materialization:
        return Materialization(
            source=self.settings.source,
            topic=TopicName(self._name),
            table_format=table_format,
            catalog=catalog,
            catalog_kind=kind,
            namespace=name[0],
            name=name[1],
            location=self._location,
            state=state[0],
            write_mode=self.entry.object("status").text("write_mode"),
            storage=self._spec.object("storage").text("kind"),
            suspended=self._spec.flag("suspended"),
            detail=state[1],
        )

    def _state(self, table_format: str) -> tuple[str, str]:
        """Return the topic's phase and error; a format may fail while the topic runs."""
        status = self.entry.object("status")
        for failure in status.list("failing_table_formats"):
            if failure.text("table_format") == table_format:
                return "FAILED", failure.text("error_message")
        return status.text("phase"), status.text("error_message")

    def _own_name(self) -> tuple[str, str]:
        """Name a table by its location, as OpenLineage does; by Confluent's ids where the location is not reported."""
        scheme, _, rest = self._location.partition("://")
        store, _, path = rest.partition("/")
        if scheme and store:
            return f"{scheme}://{store}", path.strip("/") or "/"
        return f"tableflow://{self.settings.environment}", f"{self.settings.cluster}.{self._name}"

    def _name_in(self, at: Integration) -> tuple[str, str]:
        """Name the table as OpenLineage names those of a kind of catalog; an unknown kind is named by location, too."""
        config, cluster = at.config, self.settings.cluster
        match at.kind:
            case "Unity":
                catalog = config.text("catalog_name")
                schema = config.text("custom_schema") or cluster
                host = _host(config.text("workspace_endpoint"))
                return f"unitycatalog://{host}", ".".join(filter(None, (catalog, schema, self._name.replace(".", "_"))))
            case "AwsGlue":
                database = config.text("custom_database") or cluster
                region = self._spec.object("storage").text("bucket_region")
                return f"arn:aws:glue:{region}:{self.settings.aws_account}", f"table/{database}/{self._name}"
            case "Snowflake":
                account = _host(config.text("endpoint")).removesuffix(".snowflakecomputing.com")
                space = config.text("custom_namespace") or cluster
                return f"snowflake://{account}", ".".join(filter(None, (config.text("warehouse"), space, self._name)))
            case _:
                return f"tableflow://{at.id or at.kind or self.settings.environment}", f"{cluster}.{self._name}"


def _host(url: str) -> str:
    try:
        parts = urlsplit(url if "://" in url else f"https://{url}")
        return (parts.hostname or "") + (f":{parts.port}" if parts.port not in (None, 443) else "")
    except ValueError:
        return ""


_KEY = "Tableflow needs a Tableflow key, or a Cloud key: see docs/sources/confluent_cloud.md"


def read_tableflow(settings: TableflowSettings, http: Http, progress: Progress) -> Reading:
    """Read the tables of topics, 100 per request, and the catalogs that they are synced to.

    `GET /tableflow/v1/tableflow-topics` and `…/catalog-integrations`. Raises ScannerError where the topics are not
    listed; without the integrations, catalogs are named by their ids, and the result is partial.
    """
    listed = tableflow_topics(settings, http, on_page=lambda: progress(settings.source, 0, None))
    progress(settings.source, len(listed.items), None)
    unread = Unread(settings.source)
    integrations, lacking = _integrations(settings, http)
    problems = [_problem(settings, "topics", error) for error in (listed.error,) if error]
    problems += [_problem(settings, "catalog integrations", error) for error in (lacking,) if error]
    tables = read_tables(listed.items, integrations, settings, unread)
    problems += unread.problems
    progress(settings.source, len(tables), len(tables))
    return Reading(
        outcome=answered(
            settings.source,
            "tableflow",
            len(tables),
            reasons=[problem.what for problem in problems],
            hint=problems[0].hint if problems else "",
            requests=http.requests,
        ),
        facts=tables,
        problems=tuple(problems),
    )


def tableflow_topics(
    settings: TableflowSettings, http: Http, *, on_page: Callable[[], None] = lambda: None
) -> PartialList[Payload]:
    """List the topics that are materialised as tables; *on_page* is called before each page. Raises ScannerError."""
    return cloud_list(http, "tableflow", "v1", "tableflow-topics", params=_where(settings), on_page=on_page)


def _integrations(settings: TableflowSettings, http: Http) -> tuple[dict[str, Integration], ScannerError | None]:
    try:
        listed = cloud_list(http, "tableflow", "v1", "catalog-integrations", params=_where(settings))
        return read_integrations(listed.items), listed.error
    except NotFound:  # none was ever made
        return {}, None
    except ScannerError as error:
        return {}, error


def _where(settings: TableflowSettings) -> list[tuple[str, str | int]]:
    return [("environment", settings.environment), ("spec.kafka_cluster", settings.cluster)]


def _problem(settings: TableflowSettings, noun: str, error: ScannerError) -> Problem:
    return Problem(str(settings.source), f"{noun} could not all be read: {error.what}", error.hint or _KEY)
