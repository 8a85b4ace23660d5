"""Read BigQuery's tables, and their lineage from Google's Data Lineage API."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scanner_extractor.catalogs.collector import CatalogCollector, Endpoint, Name
from scanner_extractor.catalogs.column_types import DEEPEST, Part, Shape, columns_of
from scanner_extractor.catalogs.json_fields import (
    instant,
    items,
    listed,
    location_name,
    mask_location,
    member,
    objects,
    parameters,
    text,
)
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Json
from scanner_extractor.http.pagination import by_token
from scanner_extractor.registries.result import canonical
from scanner_extractor.scan.results import CatalogResult, Progress
from scanner_extractor.settings.catalogs import CatalogSettings, Lineage
from scanner_model.catalogs import CatalogTable
from scanner_model.columns import ELEMENT, field_segment
from scanner_model.errors import NotFound, ScannerError
from scanner_model.names import SourceId

NAMESPACE = "bigquery"
"""OpenLineage's namespace of every BigQuery table. Source: OpenLineage, naming."""

_READ = frozenset(
    {"kind", "etag", "id", "selfLink", "tableReference", "type", "schema", "description", "creationTime", "location"}
    | {"lastModifiedTime", "timePartitioning", "rangePartitioning", "friendlyName", "numLongTermBytes"}
    | {"numTimeTravelPhysicalBytes", "numCurrentPhysicalBytes"}
)


def read_reference(entry: dict[str, Json]) -> tuple[str, str, str] | None:
    """Return project, dataset and table of an entry of a list; None where one is missing."""
    names = tuple(text(member(entry, "tableReference"), name) for name in ("projectId", "datasetId", "tableId"))
    return (names[0], names[1], names[2]) if all(names) else None


def table_name(project: str, dataset: str, table: str) -> str:
    """Return the OpenLineage name of a table."""
    return f"{project}.{dataset}.{table}"


def read_table(payload: Json, name: str, source: SourceId) -> CatalogTable:
    """Read a table as returned by `tables.get`; numbers and times come as text."""
    entry = payload if isinstance(payload, dict) else {}
    external = member(entry, "externalDataConfiguration")
    lake = member(entry, "biglakeConfiguration")
    location = text(lake, "storageUri") or next(
        (uri for uri in items(external, "sourceUris") if isinstance(uri, str)), ""
    )
    identity = location_name(location.split("*", 1)[0]) if location else None
    return CatalogTable(
        source=source,
        provider="google",
        namespace=NAMESPACE,
        name=name,
        kind=text(entry, "type"),
        table_format=(text(lake, "tableFormat") or text(external, "sourceFormat")).lower(),
        location=mask_location(location),
        description=text(entry, "description"),
        created=instant(entry.get("creationTime")),
        updated=instant(entry.get("lastModifiedTime")),
        parameters=parameters(entry | {"dataLocation": entry.get("location")}, _READ),
        partition_keys=_partition_keys(entry),
        symlinks=(identity,) if identity else (),
        columns=tuple(columns_of(_parts(objects(member(entry, "schema"), "fields"), 1))),
    )


def endpoint_of(reference: Json) -> Endpoint | None:
    """Name the dataset, or the column, that a link refers to; None where there is no name."""
    name = dataset_of(text(reference, "fullyQualifiedName"))
    steps = [step for step in items(reference, "field") if isinstance(step, str) and step]
    path = tuple(field_segment(step) for dotted in steps for step in dotted.split("."))
    return Endpoint(name, path or None) if name else None


def dataset_of(qualified: str) -> Name | None:
    """Return a fully qualified name as OpenLineage names the dataset; None for an empty one.

    Source: Google, fully qualified names: `system:parts`, a part with a dot in backticks.
    """
    system, _, rest = qualified.partition(":")
    if not rest:
        return None
    parts = _split(rest)
    match system:
        case "bigquery":
            return NAMESPACE, ".".join(parts)
        case "kafka" if len(parts) > 1:
            return f"kafka://{'.'.join(parts[:-1])}", parts[-1]
        case "pubsub":
            return "pubsub", ":".join([*rest.split(":")[:-1], *_split(rest.rpartition(":")[2])])
        case "path" | "gcs":
            return location_name(rest if "://" in rest else f"gs://{'/'.join(parts)}") or (system, rest)
        case _:
            return system, rest


def _split(text_: str) -> list[str]:
    """Split at the dots outside of backticks."""
    parts = [""]
    quoted = False
    for letter in text_:
        if letter == "`":
            quoted = not quoted
        elif letter == "." and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _parts(fields: list[dict[str, Json]], depth: int) -> tuple[Part, ...]:
    return tuple(_part(field, depth) for field in fields if text(field, "name"))


def _part(field: dict[str, Json], depth: int) -> Part:
    mode = text(field, "mode").upper()
    shape = _shape(field, depth)
    if mode == "REPEATED":
        shape = Shape(word="ARRAY", parts=(Part(segment=ELEMENT, shape=shape, nullable=False),))
    return Part(
        segment=field_segment(text(field, "name")),
        shape=shape,
        nullable=mode not in ("REQUIRED", "REPEATED"),
        doc=text(field, "description") or None,
        tags=tuple(tag for tag in items(member(field, "policyTags"), "names") if isinstance(tag, str)),
    )


def _shape(field: dict[str, Json], depth: int) -> Shape:
    kind = text(field, "type")
    numbers = [text(field, name) for name in ("precision", "scale", "maxLength") if text(field, name)]
    inner = _parts(objects(field, "fields"), depth + 1) if depth < DEEPEST else ()
    return Shape(word=kind, logical=f"{kind}({','.join(numbers)})" if numbers else None, parts=inner)


def _partition_keys(entry: dict[str, Json]) -> tuple[str, ...]:
    fields = (text(member(entry, name), "field") for name in ("timePartitioning", "rangePartitioning"))
    return tuple(name for name in fields if name)


_API = ("datalineage", "v1", "projects")
_PAGE = 100
"""Maximum page size of links; the default is ten."""
_MOST = 10_000

TableKey = tuple[str, str, str]
"""Project, location and OpenLineage name of a table."""
_Where = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Link:
    """A link by its resource name, and where it is kept."""

    where: _Where
    name: str
    origin: Endpoint
    target: Endpoint


@dataclass(frozen=True, slots=True)
class _ColumnLink:
    """A link between columns, what makes it, and how."""

    origin: Endpoint
    target: Endpoint
    processes: tuple[str, ...]
    dependency: str


class GoogleLineage:
    """Reads links of tables concurrently, and the processes behind them."""

    def __init__(self, collector: CatalogCollector) -> None:
        self._collector = collector
        self._links: dict[str, _Link] = {}
        self._columns: list[_ColumnLink] = []

    def read_links(self, tables: list[TableKey], *, columns: bool) -> None:
        """Add the links of *tables*, and those of their columns where requested."""
        for links in self._collector.lineage(tables, lambda table: table[2], self._of_table):
            self._links |= {link.name: link for link in links}
        if columns:
            for column_links in self._collector.lineage(tables, lambda table: table[2], self._of_columns):
                self._columns += column_links
        self._finish()

    def _of_table(self, table: TableKey) -> list[_Link]:
        """Fetch the links to a table and from it."""
        project, location, name = table
        where, links = (project, location), []
        for end in ("target", "source"):
            body = {end: {"fullyQualifiedName": f"bigquery:{name}"}}
            for link in self._pages(where, "searchLinks", "links", body):
                origin, target = endpoint_of(link.get("source")), endpoint_of(link.get("target"))
                if origin and target:
                    links.append(_Link(where, text(link, "name"), origin, target))
        return links

    def _of_columns(self, table: TableKey) -> list[_ColumnLink]:
        """Fetch the links to a table's columns and from them; the response is a list of parts."""
        project, location, name = table
        links: list[_ColumnLink] = []
        for direction in ("UPSTREAM", "DOWNSTREAM"):
            body = {
                "locations": [location],
                "rootCriteria": {
                    "entities": {"entities": [{"fullyQualifiedName": f"bigquery:{name}", "field": ["*"]}]}
                },
                "direction": direction,
                "limits": {"maxDepth": 1, "maxResults": _MOST, "maxProcessPerLink": 1},
            }
            method = f"{location}:searchLineageStreaming"
            answer = self._collector.http.post(*_API, project, "locations", method, body=body)
            for part in answer if isinstance(answer, list) else [answer]:
                links += [link for entry in listed(part, "links") if (link := _column_link(entry))]
        return links

    def _finish(self) -> None:
        """Add the links, each with its processes by display name; unnamed where not reported."""
        processes = self._processes()
        process_names = {process for column_link in processes.values() for process in column_link}
        names = self._names(
            process_names | {process for column_link in self._columns for process in column_link.processes}
        )
        for name in sorted(self._links):
            link = self._links[name]
            for process in sorted(processes.get(name, ())) or [""]:
                self._collector.link(link.origin, link.target, names.get(process, ""))
        for column_link in self._columns:
            for process in column_link.processes or ("",):
                self._collector.link(
                    column_link.origin, column_link.target, names.get(process, ""), column_link.dependency
                )

    def _processes(self) -> dict[str, set[str]]:
        """Return the processes of each link, a hundred links at once."""
        batches: list[tuple[_Where, list[str]]] = []
        for where in sorted({lineage_link.where for lineage_link in self._links.values()}):
            names = sorted(name for name, lineage_link in self._links.items() if lineage_link.where == where and name)
            batches += [(where, names[start : start + _PAGE]) for start in range(0, len(names), _PAGE)]
        by_link: dict[str, set[str]] = {}
        for batch, answer in zip(batches, self._collector.run_all(batches, self._batch), strict=True):
            if isinstance(answer, ScannerError):
                self._collector.report_problem(f"{len(batch[1])} links", "their processes could not be read", answer)
                continue
            for entry in answer:
                for link in objects(entry, "links"):
                    by_link.setdefault(text(link, "link"), set()).add(text(entry, "process"))
        return by_link

    def _batch(self, batch: tuple[_Where, list[str]]) -> list[dict[str, Json]]:
        where, names = batch
        return self._pages(where, "batchSearchLinkProcesses", "processLinks", {"links": names})

    def _names(self, processes: set[str]) -> dict[str, str]:
        """Fetch the display name of each process; without one its id is used."""
        process_ids = sorted(processes - {""})
        answers = self._collector.run_all(
            process_ids, lambda name: text(self._collector.http.get(*_API[:2], *name.split("/")), "displayName")
        )
        return {
            name: name.rpartition("/")[2] if isinstance(shown, ScannerError) or not shown else shown
            for name, shown in zip(process_ids, answers, strict=True)
        }

    def _pages(self, where: _Where, method: str, what: str, body: dict[str, Json]) -> list[dict[str, Json]]:
        project, location = where

        def page(token: str) -> tuple[list[dict[str, Json]], str]:
            more = {"pageToken": token} if token else {}
            query = {**body, "pageSize": _PAGE, **more}
            answer = self._collector.http.post(*_API, project, "locations", f"{location}:{method}", body=query)
            return listed(answer, what), text(answer, "nextPageToken")

        return list(by_token(page, key=canonical))


def _process(entry: dict[str, Json]) -> str:
    """Return the resource name of a link's process, which may stand there alone or with all that is known of it."""
    process = member(entry, "process")
    return process if isinstance(process, str) else text(process, "name")


def _column_link(entry: dict[str, Json]) -> _ColumnLink | None:
    origin, target = endpoint_of(entry.get("source")), endpoint_of(entry.get("target"))
    if not origin or not target or not origin.path or not target.path:
        return None
    kinds = sorted({text(item, "dependencyType") for item in objects(entry, "dependencyInfo")} - {""})
    processes = tuple(sorted({_process(item) for item in objects(entry, "processes")} - {""}))
    return _ColumnLink(origin, target, processes, ",".join(kinds))


_BIGQUERY = ("bigquery", "v2", "projects")
_TABLES_PER_PAGE = 1000


@dataclass(frozen=True, slots=True)
class _Table:
    """A table as it is listed, and where its dataset lies."""

    project: str
    dataset: str
    table: str
    location: str

    @property
    def name(self) -> str:
        return table_name(self.project, self.dataset, self.table)


def read_google(settings: CatalogSettings, http: Http, progress: Progress) -> CatalogResult:
    """Read the tables of the datasets that the settings choose, and their lineage as configured.

    *http* speaks to Google through `google_exchange`. Raises ScannerError where no dataset's tables can be listed;
    other failures give a partial result. Source: BigQuery API v2, Data Lineage API v1.
    """
    collector = CatalogCollector(settings, http, progress)
    tables = _listed(collector)
    _described(collector, tables)
    if settings.lineage is not Lineage.NONE:
        names = [(table.project, settings.location or table.location, table.name) for table in tables]
        GoogleLineage(collector).read_links(names, columns=settings.lineage is Lineage.COLUMNS)
    return collector.reading()


def list_datasets(settings: CatalogSettings, http: Http, project: str) -> list[tuple[str, str]]:
    """List the datasets of *project* that the settings choose, each with its location in lower case."""
    entries = _entries(http, (project, "datasets"), "datasets")
    datasets = [
        (text(member(entry, "datasetReference"), "datasetId"), text(entry, "location").lower()) for entry in entries
    ]
    return sorted((name, location) for name, location in datasets if name and settings.wanted.schema(name))


def _listed(collector: CatalogCollector) -> list[_Table]:
    settings, http = collector.settings, collector.http
    projects = collector.lists(
        settings.wanted.catalogs, lambda project: list_datasets(settings, http, project), "datasets"
    )
    datasets = {
        f"{project}.{name}": (project, name, location) for project, tables in projects for name, location in tables
    }
    tables = collector.lists(list(datasets), lambda key: _tables(collector, *datasets[key]), "tables")
    return [table for _, listed in tables for table in listed]


def _tables(collector: CatalogCollector, project: str, dataset: str, location: str) -> list[_Table]:
    entries = _entries(collector.http, (project, "datasets", dataset, "tables"), "tables")
    references = (read_reference(entry) for entry in collector.paged_entries(entries))
    wanted = collector.settings.wanted
    return [
        _Table(project, dataset, reference[2], location)
        for reference in references
        if reference and wanted.table(reference[2])
    ]


def _described(collector: CatalogCollector, tables: list[_Table]) -> None:
    """Fetch each table, as a list has no columns; one that was deleted since is left out."""

    def fetch(table: _Table) -> Json:
        return collector.http.get(*_BIGQUERY, table.project, "datasets", table.dataset, "tables", table.table)

    for table, answer in zip(tables, collector.run_all(tables, fetch), strict=True):
        if isinstance(answer, NotFound):
            continue
        if isinstance(answer, ScannerError) or not read_reference(answer):
            collector.unread.append(table.name)
            error = answer if isinstance(answer, ScannerError) else ScannerError("the response is not a table")
            collector.report_problem(table.name, "it could not be read", error)
        else:
            collector.keep([read_table(answer, table.name, collector.settings.source)])


def _entries(http: Http, path: tuple[str, ...], what: str) -> Iterator[dict[str, Json]]:
    """List everything of a list, page by page; its member is absent where it is empty."""

    def page(token: str) -> tuple[list[dict[str, Json]], str]:
        more = (("pageToken", token),) if token else ()
        answer = http.get(*_BIGQUERY, *path, params=(("maxResults", _TABLES_PER_PAGE), *more))
        return listed(answer, what), text(answer, "nextPageToken")

    return by_token(
        page, key=lambda entry: canonical(member(entry, "tableReference") or member(entry, "datasetReference"))
    )
