"""Read BigQuery's tables, and their lineage from Google's Data Lineage API."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scanner_extractor.catalogs import CatalogType, lists
from scanner_extractor.catalogs.collector import CatalogCollector, Endpoint, Name
from scanner_extractor.catalogs.column_types import (
    DEEPEST,
    Part,
    Shape,
    columns_of,
    location_name,
    mask_location,
    moment,
    parameters,
)
from scanner_extractor.catalogs.members import LINEAGE, TABLES
from scanner_extractor.config.sections import HTTP_MEMBERS, name_list, nonempty, object_of, text
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Json
from scanner_extractor.http.pagination import by_token
from scanner_extractor.results import Progress, Reading
from scanner_extractor.settings.sources import CatalogSettings, Lineage
from scanner_extractor.systems.google.transport import ENDPOINTS, google_api_transport
from scanner_model.catalogs import CatalogTable
from scanner_model.columns import ELEMENT, field_segment
from scanner_model.errors import NotFound, ScannerError
from scanner_model.maturity import validated
from scanner_model.names import SourceId
from scanner_model.payload import Payload, canonical

NAMESPACE = "bigquery"
"""OpenLineage's namespace of every BigQuery table. Source: OpenLineage, naming."""

_READ = frozenset(
    {"kind", "etag", "id", "selfLink", "tableReference", "type", "schema", "description", "creationTime", "location"}
    | {"lastModifiedTime", "timePartitioning", "rangePartitioning", "friendlyName", "numLongTermBytes"}
    | {"numTimeTravelPhysicalBytes", "numCurrentPhysicalBytes"}
)


def read_reference(entry: Payload) -> tuple[str, str, str]:
    """Return project, dataset and table of a table; raises PayloadUnexpected where one is missing."""
    reference = entry.need("tableReference")
    project, dataset, table = (reference.need(name).text() for name in ("projectId", "datasetId", "tableId"))
    return project, dataset, table


def table_name(project: str, dataset: str, table: str) -> str:
    """Return the OpenLineage name of a table."""
    return f"{project}.{dataset}.{table}"


def read_table(entry: Payload, name: str, source: SourceId) -> CatalogTable:
    """Read a table as returned by `tables.get`; numbers and times come as text. Raises PayloadUnexpected."""
    read_reference(entry)
    external, lake = entry.object("externalDataConfiguration"), entry.object("biglakeConfiguration")
    location = lake.text("storageUri") or next(iter(external.texts("sourceUris")), "")
    identity = location_name(location.split("*", 1)[0]) if location else None
    return CatalogTable(
        source=source,
        provider="google",
        namespace=NAMESPACE,
        name=name,
        kind=entry.text("type"),
        table_format=(lake.text("tableFormat") or external.text("sourceFormat")).lower(),
        location=mask_location(location),
        description=entry.text("description"),
        created=moment(entry, "creationTime"),
        updated=moment(entry, "lastModifiedTime"),
        parameters=parameters({**entry.members(), "dataLocation": entry.text("location")}, _READ),
        partition_keys=_partition_keys(entry),
        symlinks=(identity,) if identity else (),
        columns=tuple(columns_of(_parts(entry.object("schema").list("fields"), 1))),
    )


def endpoint_of(reference: Payload) -> Endpoint | None:
    """Name the dataset, or the column, that a link refers to; None where there is no name."""
    name = dataset_of(reference.text("fullyQualifiedName"))
    path = tuple(field_segment(step) for dotted in reference.texts("field") if dotted for step in dotted.split("."))
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


def _parts(fields: list[Payload], depth: int) -> tuple[Part, ...]:
    return tuple(_part(field, depth) for field in fields)


def _part(field: Payload, depth: int) -> Part:
    mode = field.text("mode").upper()
    shape = _shape(field, depth)
    if mode == "REPEATED":
        shape = Shape(word="ARRAY", parts=(Part(segment=ELEMENT, shape=shape, nullable=False),))
    return Part(
        segment=field_segment(field.need("name").text()),
        shape=shape,
        nullable=mode not in ("REQUIRED", "REPEATED"),
        doc=field.text("description") or None,
        tags=field.object("policyTags").texts("names"),
    )


def _shape(field: Payload, depth: int) -> Shape:
    kind = field.text("type")
    numbers = [number for name in ("precision", "scale", "maxLength") if (number := field.text(name))]
    inner = _parts(field.list("fields"), depth + 1) if depth < DEEPEST else ()
    return Shape(word=kind, logical=f"{kind}({','.join(numbers)})" if numbers else None, parts=inner)


def _partition_keys(entry: Payload) -> tuple[str, ...]:
    fields = (entry.object(name).text("field") for name in ("timePartitioning", "rangePartitioning"))
    return tuple(filter(None, fields))


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
                origin, target = endpoint_of(link.object("source")), endpoint_of(link.object("target"))
                if origin and target:
                    links.append(_Link(where, link.text("name"), origin, target))
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
            answer = Payload(self._collector.http.post(*_API, project, "locations", method, body=body))
            for part in answer.list() if isinstance(answer.value, list) else [answer]:
                links += [link for entry in part.list("links") if (link := _column_link(entry))]
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
                for link in entry.list("links"):
                    by_link.setdefault(link.text("link"), set()).add(entry.text("process"))
        return by_link

    def _batch(self, batch: tuple[_Where, list[str]]) -> list[Payload]:
        where, names = batch
        return self._pages(where, "batchSearchLinkProcesses", "processLinks", {"links": names})

    def _names(self, processes: set[str]) -> dict[str, str]:
        """Fetch the display name of each process; without one its id is used."""
        process_ids = sorted(processes - {""})
        answers = self._collector.run_all(
            process_ids, lambda name: Payload(self._collector.http.get(*_API[:2], *name.split("/"))).text("displayName")
        )
        return {
            name: name.rpartition("/")[2] if isinstance(shown, ScannerError) or not shown else shown
            for name, shown in zip(process_ids, answers, strict=True)
        }

    def _pages(self, where: _Where, method: str, what: str, body: dict[str, Json]) -> list[Payload]:
        project, location = where

        def page(token: str) -> tuple[list[Payload], str]:
            more = {"pageToken": token} if token else {}
            query = {**body, "pageSize": _PAGE, **more}
            path = (*_API, project, "locations", f"{location}:{method}")
            answer = Payload(self._collector.http.post(*path, body=query))
            return answer.list(what), answer.text("nextPageToken")  # where there is no link, the answer is empty

        return list(by_token(page, key=lambda entry: canonical(entry.value)))


def _process(entry: Payload) -> str:
    """Return the resource name of a link's process, which may stand there alone or with all that is known of it."""
    process = entry.member("process")
    return process.value if isinstance(process.value, str) else entry.object("process").text("name")


def _column_link(entry: Payload) -> _ColumnLink | None:
    origin, target = endpoint_of(entry.object("source")), endpoint_of(entry.object("target"))
    if not origin or not target or not origin.path or not target.path:
        return None
    kinds = sorted({item.text("dependencyType") for item in entry.list("dependencyInfo")} - {""})
    processes = tuple(sorted({_process(item) for item in entry.list("processes")} - {""}))
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


def read_google(settings: CatalogSettings, http: Http, progress: Progress) -> Reading:
    """Read the tables of the datasets that the settings choose, and their lineage as configured.

    *http* speaks to Google through `google_exchange`. Raises ScannerError where no dataset's tables can be listed;
    other failures give a partial result. Source: BigQuery API v2, Data Lineage API v1.
    """
    collector = CatalogCollector(settings, http, progress)
    tables = _listed(collector)
    _fetch_all(collector, tables)
    if settings.lineage is not Lineage.NONE:
        names = [(table.project, settings.options.get("location") or table.location, table.name) for table in tables]
        GoogleLineage(collector).read_links(names, columns=settings.lineage is Lineage.COLUMNS)
    return collector.reading()


def list_all_datasets(settings: CatalogSettings, http: Http) -> list[tuple[str, str]]:
    """List the datasets of every project."""
    return [dataset for project in settings.wanted.catalogs for dataset in list_datasets(settings, http, project)]


def list_datasets(settings: CatalogSettings, http: Http, project: str) -> list[tuple[str, str]]:
    """List the datasets of *project* that the settings choose, each with its location in lower case."""
    entries = _entries(http, (project, "datasets"), "datasets")
    datasets = [
        (entry.need("datasetReference").need("datasetId").text(), entry.text("location").lower()) for entry in entries
    ]
    return sorted((name, location) for name, location in datasets if settings.wanted.schema(name))


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
    references = collector.unread.read(collector.paged_entries(entries), read_reference, lambda _: "")
    wanted = collector.settings.wanted
    return [_Table(project, dataset, table, location) for _, _, table in references if wanted.table(table)]


def _fetch_all(collector: CatalogCollector, tables: list[_Table]) -> None:
    """Fetch each table, as a list has no columns; one that was deleted since is left out."""

    def fetch(table: _Table) -> CatalogTable:
        answer = collector.http.get(*_BIGQUERY, table.project, "datasets", table.dataset, "tables", table.table)
        return read_table(Payload(answer), table.name, collector.settings.source)

    for table, answer in zip(tables, collector.run_all(tables, fetch), strict=True):
        if isinstance(answer, NotFound):
            continue
        if isinstance(answer, ScannerError):
            collector.unread.add(table.name, answer)
        else:
            collector.keep([answer])


def _entries(http: Http, path: tuple[str, ...], what: str) -> Iterator[Payload]:
    """List everything of a list, page by page; its member is absent where it is empty, its kind never."""

    def page(token: str) -> tuple[list[Payload], str]:
        more = (("pageToken", token),) if token else ()
        answer = Payload(http.get(*_BIGQUERY, *path, params=(("maxResults", _TABLES_PER_PAGE), *more)))
        return answer.entries(what, beside=("kind",)), answer.text("nextPageToken")

    return by_token(page, key=_identity)


def _identity(entry: Payload) -> str:
    members = entry.value if isinstance(entry.value, dict) else {}
    return canonical(members.get("tableReference") or members.get("datasetReference"))


CATALOG = CatalogType(
    read=read_google,
    check=lists("datasets", list_all_datasets),
    transport=google_api_transport,
    schema=object_of(
        "Google",
        "The datasets of projects.",
        {
            "auth": HTTP_MEMBERS["auth"],
            "projects": name_list("Projects", "Projects to read; required, no patterns.", "acme-analytics"),
            "datasets": name_list("Datasets", "Names or patterns of datasets; all by default.", "sales*"),
            "tables": TABLES,
            "lineage": LINEAGE,
            "location": nonempty("Location", "Location of the lineage; by default that of each dataset.", "eu"),
            "endpoints": object_of(
                "Endpoints",
                f"Other addresses, by service: {', '.join(ENDPOINTS)}.",
                {
                    name: text("Address", f"Address instead of {public}.", format="web address")
                    for name, public in ENDPOINTS.items()
                },
            ),
        },
        required=["projects"],
    ),
    address=lambda _: "https://googleapis.com",
    place=lambda options, _: ",".join(sorted(set(options["projects"]))),
    proofs=(
        validated(
            "Google BigQuery and Data Lineage API",
            "the API documents of google-api-python-client 2.202.0",
            "tests/vendor/test_google.py",
        ),
    ),
)
