"""Read Databricks Unity Catalog: the tables of its schemas, and their lineage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from urllib.parse import urlsplit

from scanner_extractor.catalogs import CatalogType, lists
from scanner_extractor.catalogs.collector import CatalogCollector, Endpoint, Name
from scanner_extractor.catalogs.column_types import (
    Part,
    columns_of,
    known_shape,
    location_name,
    mask_location,
    moment,
    parameters,
    spark_shape,
)
from scanner_extractor.catalogs.members import CHOICES, LINEAGE, TABLES
from scanner_extractor.config.sections import count, nonempty, object_of, text
from scanner_extractor.http.client import Http, Params
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.http.pagination import MOST_PAGES, by_token
from scanner_extractor.results import Progress, Reading
from scanner_extractor.settings.sources import CatalogSettings, Lineage
from scanner_model.catalogs import CatalogTable
from scanner_model.columns import field_segment
from scanner_model.errors import NotFound, PayloadUnexpected, ScannerError, SourceRefused, SourceUnreachable
from scanner_model.maturity import validated
from scanner_model.names import SourceId
from scanner_model.payload import Payload

_API = ("api", "2.0", "sql", "statements")
_ENDS = ("source_table_full_name", "source_path", "target_table_full_name", "target_path")
_COLUMNS = ("source_column_name", "target_column_name")
_PROCESS = ("entity_type", "entity_id")
_WAITING = frozenset({"PENDING", "RUNNING"})
_POLLS = 600
_PAUSE = 2.0
"""Seconds between polls of a running statement."""

Row = dict[str, str]


def system_lineage(collector: CatalogCollector, namespace: str, clock: Clock) -> None:
    """Keep the flows of `system.access` that begin or end at a table that was read.

    Columns are queried where the settings request them. Failures are problems, and known flows are retained.
    """
    _poll_statement(collector, namespace, clock, "table_lineage", ())
    if collector.settings.lineage is Lineage.COLUMNS:
        _poll_statement(collector, namespace, clock, "column_lineage", _COLUMNS)


def _poll_statement(
    collector: CatalogCollector, namespace: str, clock: Clock, table: str, columns: tuple[str, ...]
) -> None:
    members = (*_ENDS, *columns, *_PROCESS)
    statement = (
        f"SELECT DISTINCT {', '.join(members)} FROM system.access.{table} "  # noqa: S608  of constants
        "WHERE event_date >= date_sub(current_date(), :days)"
    )
    try:
        for row in _rows(collector, clock, statement, members):
            _add_link(collector, namespace, row)
    except ScannerError as error:
        collector.without_lineage += 1
        collector.report_problem(f"system.access.{table}", "it could not be read", error)


def _add_link(collector: CatalogCollector, namespace: str, row: Row) -> None:
    origin, target = (_name(row, end, namespace) for end in ("source", "target"))
    if not origin or not target or not {origin, target} & collector.tables.keys():
        return
    process = " ".join(part.lower() if name == "entity_type" else part for name in _PROCESS if (part := row[name]))
    paths = [(field_segment(row[name]),) if row.get(name) else None for name in _COLUMNS]
    if all(paths) or not any(paths):
        collector.link(Endpoint(origin, paths[0]), Endpoint(target, paths[1]), process)


def _name(row: Row, end: str, namespace: str) -> Name | None:
    table = row[f"{end}_table_full_name"]
    return (namespace, table) if table else location_name(row[f"{end}_path"])


def _rows(collector: CatalogCollector, clock: Clock, statement: str, members: tuple[str, ...]) -> Iterator[Row]:
    days = {"name": "days", "value": str(collector.settings.options.get("lineage_days", LINEAGE_DAYS)), "type": "INT"}
    body = {
        "statement": statement,
        "warehouse_id": collector.settings.options["warehouse"],
        "parameters": [days],
        "wait_timeout": "30s",
        "on_wait_timeout": "CONTINUE",
        "disposition": "INLINE",
        "format": "JSON_ARRAY",
    }
    answer = _wait_for(collector, clock, Payload(collector.http.post(*_API, body=body)))
    names = [column.need("name").text() for column in answer.need("manifest").need("schema").list("columns")]
    chunk = answer.object("result")
    for _ in range(MOST_PAGES):
        for cells in chunk.list("data_array"):
            values = dict(zip(names, cells.value, strict=False)) if cells.list() else {}
            yield {name: str(values[name] or "") if name in values else "" for name in members}
        following = chunk.integer("next_chunk_index")
        if following is None:
            return
        collector.progress(collector.settings.source, len(collector.tables), None)
        statement_id = answer.need("statement_id").text()
        chunk = Payload(collector.http.get(*_API, statement_id, "result", "chunks", following))
        if chunk.integer("chunk_index") not in (None, following):
            raise PayloadUnexpected("the response is not the requested part of the result")
    raise PayloadUnexpected("the result has no end")


def _wait_for(collector: CatalogCollector, clock: Clock, answer: Payload) -> Payload:
    """Wait for the statement; raises SourceRefused where it failed, as nearly always for rights that are missing."""
    for _ in range(_POLLS):
        status = answer.need("status")
        state = status.text("state")
        if state == "SUCCEEDED":
            return answer
        if state not in _WAITING:
            what = status.object("error").text("message") or f"the statement is {state or 'in no state'}"
            raise SourceRefused(what, hint="grant SELECT on system.access, and USE on the warehouse")
        clock.pause(_PAUSE)
        collector.progress(collector.settings.source, len(collector.tables), None)
        answer = Payload(collector.http.get(*_API, answer.need("statement_id").text()))
    raise SourceUnreachable("the statement does not finish", hint="is the SQL warehouse running?")


_READ = frozenset(
    {"name", "full_name", "catalog_name", "schema_name", "columns", "table_type", "data_source_format", "comment"}
    | {"storage_location", "owner", "created_at", "updated_at", "properties"}
)
_NAMES = ("catalog_name", "schema_name", "name")
_PROCESSES: Mapping[str, tuple[str, ...]] = {
    "jobInfos": ("job_id", "job_run_id"),
    "pipelineInfos": ("pipeline_id", "update_id"),
    "notebookInfos": ("notebook_id",),
    "dashboardInfos": ("dashboard_id",),
    "dashboardV3Infos": ("dashboard_v3_id",),
    "sqlQueryInfos": ("query_id",),
    "externalMetadataInfos": ("name",),
}
"""The kinds of lineage processes, each with its id members, first present wins; a query has an id per run."""


def unity_namespace(url: str) -> str:
    """Return the OpenLineage namespace of the metastore behind a workspace. Source: OpenLineage, naming."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port and parts.port != 443 else ""
    return f"unitycatalog://{parts.hostname or ''}{port}"


def read_table(entry: Payload, namespace: str, source: SourceId) -> CatalogTable:
    """Read a table as `GET /tables` lists it; raises PayloadUnexpected for an entry without its three names."""
    location = entry.text("storage_location")
    identity = location_name(location)
    columns = sorted(entry.list("columns"), key=lambda column: column.integer("position") or 0)
    return CatalogTable(
        source=source,
        provider="unity",
        namespace=namespace,
        name=".".join(entry.need(name).text() for name in _NAMES),
        kind=entry.text("table_type"),
        table_format=entry.text("data_source_format").lower(),
        location=mask_location(location),
        owner=entry.text("owner"),
        description=entry.text("comment"),
        created=moment(entry, "created_at"),
        updated=moment(entry, "updated_at"),
        parameters=parameters({**entry.members(), **entry.object("properties").members()}, _READ),
        partition_keys=tuple(column.text("name") for column in _partitions(columns)),
        symlinks=(identity,) if identity else (),
        columns=tuple(columns_of(map(_part, columns))),
    )


def full_name(entry: Payload, *names: str) -> str:
    """Return a table's three names with dots; empty where one is missing, as where we may not see it."""
    parts = [entry.text(name) for name in names or _NAMES]
    return ".".join(parts) if all(parts) else ""


def dataset(entry: Payload, namespace: str) -> Name | None:
    """Name the table or the files at one end of a flow; None where neither is present."""
    name = full_name(entry.object("tableInfo"))
    return (namespace, name) if name else location_name(entry.object("fileInfo").text("path"))


def processes(entry: Payload) -> Iterator[str]:
    """Name what makes a flow, an empty name where not reported."""
    any_named = False
    for kind, ids in _PROCESSES.items():
        for process in entry.list(kind):
            numbers = (process.members().get(name) for name in ids)
            number = next((number for number in numbers if number not in (None, "")), None)
            if number is not None:
                any_named = True
                yield f"{kind.removesuffix('Infos')} {number}"
    if not any_named:
        yield ""


def _partitions(columns: list[Payload]) -> list[Payload]:
    numbered = [(number, column) for column in columns if (number := column.integer("partition_index")) is not None]
    return [column for _, column in sorted(numbered, key=lambda pair: pair[0])]


def _part(column: Payload) -> Part:
    """Read a column; its type from its JSON, else from its text, else its name."""
    type_text = column.text("type_text", "type_name")
    return Part(
        segment=field_segment(column.need("name").text()),
        shape=spark_shape(column.text("type_json")) or known_shape(type_text),
        nullable=column.flag("nullable", default=True),
        doc=column.text("comment") or None,
    )


_CATALOG = ("api", "2.1", "unity-catalog")
_LINEAGE = ("api", "2.0", "lineage-tracking")
LINEAGE_DAYS = 90
"""Days of lineage that are read from the system tables by default."""

_OURS = frozenset({"system", "samples", "__databricks_internal"})
"""Catalogs that Databricks fills; read only where they are named."""
_VIEWS = "information_schema"
_GLOB = frozenset("*?[")
_NO_TABLES = "the service leaves an empty list out, so that an answer without content looks like it: nothing is deleted"

_Flow = tuple[Endpoint, Endpoint, str]
"""Where data come from, where they go, and what makes that."""


def read_unity(settings: CatalogSettings, http: Http, progress: Progress, *, clock: Clock | None = None) -> Reading:
    """Read the tables that the settings choose, and their lineage as configured.

    Raises ScannerError where no schema's tables can be listed; other failures give a partial result.
    Source: Databricks REST API, Unity Catalog 2.1 and lineage tracking 2.0.
    """
    scan = _Scan(CatalogCollector(settings, http, progress), unity_namespace(settings.http.url))
    scan.tables()
    if settings.lineage is not Lineage.NONE:
        if "warehouse" in settings.options:
            system_lineage(scan.collector, scan.namespace, clock or Clock())
        else:
            scan.lineage()
    return scan.collector.reading()


def list_catalogs(settings: CatalogSettings, http: Http) -> list[str]:
    """List the catalogs that the settings choose.

    Names are taken as they are, patterns and an empty setting are looked up.
    """
    patterns = settings.wanted.catalogs
    if patterns and not any(_GLOB & set(pattern) for pattern in patterns):
        return list(patterns)
    names = [entry.need("name").text() for entry in _pages(http, "catalogs")]
    return sorted(name for name in names if settings.wanted.catalog(name) and (patterns or name not in _OURS))


def list_schemas(settings: CatalogSettings, http: Http) -> list[tuple[str, str]]:
    """List the schemas that the settings choose, each with its catalog; raises ScannerError for any that is denied."""
    return [
        (catalog, schema) for catalog in list_catalogs(settings, http) for schema in _schemas(settings, http, catalog)
    ]


class _Scan:
    """Reads one metastore."""

    def __init__(self, collector: CatalogCollector, namespace: str) -> None:
        self.collector = collector
        self.namespace = namespace
        self._settings, self._http = collector.settings, collector.http
        self._has_lineage = True

    def tables(self) -> None:
        """List catalogs, schemas and tables; one that may not be listed costs itself."""
        catalogs = list_catalogs(self._settings, self._http)
        schemas = [
            (catalog, schema)
            for catalog, names in self.collector.lists(
                catalogs, lambda name: _schemas(self._settings, self._http, name), "schemas"
            )
            for schema in names
        ]
        keys = {f"{catalog}.{schema}": (catalog, schema) for catalog, schema in schemas}
        lists = self.collector.lists(list(keys), lambda key: self._tables(*keys[key]), "tables")
        if lists and not any(entries for _, entries in lists):
            raise PayloadUnexpected("no schema lists any table", hint=_NO_TABLES)
        for _, entries in lists:
            tables = self.collector.unread.read(entries, self._read, _shown)
            self.collector.keep(table for table in tables if table)

    def lineage(self) -> None:
        """Fetch the neighbours of each table, and of each column where column lineage is requested."""
        tables = [self.collector.tables[key] for key in sorted(self.collector.tables)]
        flow_lists = self.collector.lineage(tables, lambda table: table.name, self._neighbours, self._offers_lineage)
        if self._settings.lineage is Lineage.COLUMNS and self._has_lineage:
            columns = [(table, column.path[0]) for table in tables for column in table.columns if len(column.path) == 1]
            flow_lists += self.collector.lineage(
                columns, lambda wanted_column: f"{wanted_column[0].name}.{wanted_column[1]}", self._column_neighbours
            )
        for flows in flow_lists:
            for origin, target, process in flows:
                self.collector.link(origin, target, process)

    def _offers_lineage(self) -> bool:
        """Return whether the server has the path for lineage: Unity Catalog OSS answers 404 whatever is asked."""
        try:
            self._http.get(*_LINEAGE, "table-lineage")
        except NotFound:
            self._has_lineage = False
        except ScannerError:
            pass  # the path exists, and the request lacks its table
        return self._has_lineage

    def _tables(self, catalog: str, schema: str) -> list[Payload]:
        params = (("catalog_name", catalog), ("schema_name", schema), ("include_browse", "true"))
        return list(self.collector.paged_entries(_pages(self._http, "tables", *params)))

    def _read(self, entry: Payload) -> CatalogTable | None:
        if not self._settings.wanted.table(entry.need("name").text()):
            return None
        return read_table(entry, self.namespace, self._settings.source)

    def _neighbours(self, table: CatalogTable) -> list[_Flow]:
        params = (("table_name", table.name), ("include_entity_lineage", "true"))
        answer = Payload(self._http.get(*_LINEAGE, "table-lineage", params=params))
        table_endpoint = Endpoint((self.namespace, table.name))
        up, down = (self._named_neighbours(answer.list(side)) for side in ("upstreams", "downstreams"))
        return [
            *((Endpoint(name), table_endpoint, process) for name, process in up),
            *((table_endpoint, Endpoint(name), process) for name, process in down),
        ]

    def _named_neighbours(self, entries: list[Payload]) -> Iterator[tuple[Name, str]]:
        for entry in entries:
            if name := dataset(entry, self.namespace):
                yield from ((name, process) for process in processes(entry))

    def _column_neighbours(self, target: tuple[CatalogTable, str]) -> list[_Flow]:
        table, column = target
        params = (("table_name", table.name), ("column_name", column))
        answer = Payload(self._http.get(*_LINEAGE, "column-lineage", params=params))
        column_endpoint = Endpoint((self.namespace, table.name), (column,))
        up, down = (map(self._column, answer.list(side)) for side in ("upstream_cols", "downstream_cols"))
        return [
            *((endpoint, column_endpoint, "") for endpoint in up if endpoint),
            *((column_endpoint, endpoint, "") for endpoint in down if endpoint),
        ]

    def _column(self, entry: Payload) -> Endpoint | None:
        name, column = full_name(entry, "catalog_name", "schema_name", "table_name"), entry.text("name")
        return Endpoint((self.namespace, name), (field_segment(column),)) if name and column else None


def _shown(entry: Payload) -> str:
    names = [entry.shown(name) for name in _NAMES]
    return ".".join(names) if all(names) else ""


def _schemas(settings: CatalogSettings, http: Http, catalog: str) -> list[str]:
    names = [entry.need("name").text() for entry in _pages(http, "schemas", ("catalog_name", catalog))]
    return sorted(name for name in names if settings.wanted.schema(name) and name != _VIEWS)


def _pages(http: Http, what: str, *params: tuple[str, str]) -> Iterator[Payload]:
    return by_token(partial(_page, http, what, params), key=lambda entry: entry.shown("name"))


def _page(http: Http, what: str, params: Params, token: str) -> tuple[list[Payload], str]:
    """Return a page of a list; an empty one has no list.

    Every catalog has a schema and every metastore a catalog, so that for these one page must have a list.
    """
    more = (("page_token", token),) if token else ()
    page = Payload(http.get(*_CATALOG, what, params=(*params, ("max_results", 0), *more)))
    following = page.text("next_page_token")
    return (page.list(what) if token or following or what == "tables" else page.entries(what)), following


CATALOG = CatalogType(
    read=read_unity,
    check=lists("schemas", list_schemas),
    schema=object_of(
        "Databricks",
        "Unity Catalog of a workspace.",
        {
            "url": text("Address", "The address of the Databricks workspace.", "https://adb-1.2.azuredatabricks.net"),
            "catalogs": CHOICES["catalogs"],
            "schemas": CHOICES["schemas"],
            "tables": TABLES,
            "lineage": LINEAGE,
            "warehouse": nonempty("Warehouse", "ID of a SQL warehouse to read all lineage from system.access."),
            "lineage_days": count("Days of lineage", "Days of lineage in the system tables.", 365, LINEAGE_DAYS),
        },
    ),
    limit=10.0,  # about what Databricks takes of lineage requests
    proofs=(
        validated(
            "Databricks Unity Catalog", "Unity Catalog OSS 0.6.0, without lineage", "tests/lab/test_lab_catalogs.py"
        ),
    ),
)
