"""Asks Google's Data Lineage API: the links of tables and of their columns, and the processes behind them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scanner_extractor.catalogs.collector import CatalogCollector, Place
from scanner_extractor.catalogs.google_reader import place_of, read_reference, read_table, table_name
from scanner_extractor.catalogs.json_fields import listed, member, objects, text
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Json
from scanner_extractor.http.pagination import by_token
from scanner_extractor.registries.result import canonical
from scanner_extractor.scan.results import CatalogResult, Progress
from scanner_extractor.settings.catalogs import CatalogSettings, Lineage
from scanner_model.errors import NotFound, ScannerError

_API = ("datalineage", "v1", "projects")
_PAGE = 100
"""The most links that are given at once; without it there are ten."""
_MOST = 10_000

Asked = tuple[str, str, str]
"""Project, location and OpenLineage name of a table."""
_Where = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Link:
    """A link by its resource name, and where it is kept."""

    where: _Where
    name: str
    origin: Place
    target: Place


@dataclass(frozen=True, slots=True)
class _ColumnLink:
    """A link between columns, what makes it, and how."""

    origin: Place
    target: Place
    processes: tuple[str, ...]
    dependency: str


class GoogleLineage:
    """Asks for the links of tables, which are asked side by side, and for what makes them."""

    def __init__(self, gathering: CatalogCollector) -> None:
        self._gathering = gathering
        self._links: dict[str, _Link] = {}
        self._columns: list[_ColumnLink] = []

    def ask(self, tables: list[Asked], *, columns: bool) -> None:
        """Keep the links of *tables*, and those of their columns where these are wanted."""
        for found in self._gathering.lineage(tables, lambda each: each[2], self._of_table):
            self._links |= {link.name: link for link in found}
        if columns:
            for told in self._gathering.lineage(tables, lambda each: each[2], self._of_columns):
                self._columns += told
        self._finish()

    def _of_table(self, asked: Asked) -> list[_Link]:
        """Query for the links that lead to a table and from it."""
        project, location, name = asked
        where, found = (project, location), []
        for end in ("target", "source"):
            body = {end: {"fullyQualifiedName": f"bigquery:{name}"}}
            for link in self._pages(where, "searchLinks", "links", body):
                origin, target = place_of(link.get("source")), place_of(link.get("target"))
                if origin and target:
                    found.append(_Link(where, text(link, "name"), origin, target))
        return found

    def _of_columns(self, asked: Asked) -> list[_ColumnLink]:
        """Query for the links that lead to a table's columns and from them; the answer is a list of parts."""
        project, location, name = asked
        found: list[_ColumnLink] = []
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
            told = self._gathering.http.post(*_API, project, "locations", method, body=body)
            for part in told if isinstance(told, list) else [told]:
                found += [link for entry in listed(part, "links") if (link := _column_link(entry))]
        return found

    def _finish(self) -> None:
        """Keep the links, each with its processes by the names that people gave them; unnamed where nobody tells."""
        processes = self._processes()
        told = {process for each in processes.values() for process in each}
        names = self._names(told | {process for each in self._columns for process in each.processes})
        for name in sorted(self._links):
            link = self._links[name]
            for process in sorted(processes.get(name, ())) or [""]:
                self._gathering.link(link.origin, link.target, names.get(process, ""))
        for each in self._columns:
            for process in each.processes or ("",):
                self._gathering.link(each.origin, each.target, names.get(process, ""), each.dependency)

    def _processes(self) -> dict[str, set[str]]:
        """Return the processes of each link, a hundred links at once."""
        batches: list[tuple[_Where, list[str]]] = []
        for where in sorted({each.where for each in self._links.values()}):
            names = sorted(name for name, each in self._links.items() if each.where == where and name)
            batches += [(where, names[start : start + _PAGE]) for start in range(0, len(names), _PAGE)]
        found: dict[str, set[str]] = {}
        for batch, told in zip(batches, self._gathering.each(batches, self._batch), strict=True):
            if isinstance(told, ScannerError):
                self._gathering.complain(f"{len(batch[1])} links", "what makes them could not be read", told)
                continue
            for entry in told:
                for link in objects(entry, "links"):
                    found.setdefault(text(link, "link"), set()).add(text(entry, "process"))
        return found

    def _batch(self, batch: tuple[_Where, list[str]]) -> list[dict[str, Json]]:
        where, names = batch
        return self._pages(where, "batchSearchLinkProcesses", "processLinks", {"links": names})

    def _names(self, processes: set[str]) -> dict[str, str]:
        """Query each process for its display name; one that does not tell goes by its id."""
        listed_ = sorted(processes - {""})
        told = self._gathering.each(
            listed_, lambda name: text(self._gathering.http.get(*_API[:2], *name.split("/")), "displayName")
        )
        return {
            name: name.rpartition("/")[2] if isinstance(shown, ScannerError) or not shown else shown
            for name, shown in zip(listed_, told, strict=True)
        }

    def _pages(self, where: _Where, method: str, what: str, body: dict[str, Json]) -> list[dict[str, Json]]:
        project, location = where

        def page(token: str) -> tuple[list[dict[str, Json]], str]:
            more = {"pageToken": token} if token else {}
            asked = {**body, "pageSize": _PAGE, **more}
            told = self._gathering.http.post(*_API, project, "locations", f"{location}:{method}", body=asked)
            return listed(told, what), text(told, "nextPageToken")

        return list(by_token(page, key=canonical))


def _process(entry: dict[str, Json]) -> str:
    """Return the resource name of a link's process, which may stand there alone or with all that is known of it."""
    told = member(entry, "process")
    return told if isinstance(told, str) else text(told, "name")


def _column_link(entry: dict[str, Json]) -> _ColumnLink | None:
    origin, target = place_of(entry.get("source")), place_of(entry.get("target"))
    if not origin or not target or not origin.path or not target.path:
        return None
    kinds = sorted({text(each, "dependencyType") for each in objects(entry, "dependencyInfo")} - {""})
    made = tuple(sorted({_process(each) for each in objects(entry, "processes")} - {""}))
    return _ColumnLink(origin, target, made, ",".join(kinds))


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
    """Read the tables of the datasets that the settings choose, and their lineage as far as they say.

    *http* speaks to Google through `google_exchange`. Raises ScannerError where no dataset's tables can be listed;
    anything less gives what could be read, PARTIAL. Source: BigQuery API v2, Data Lineage API v1.
    """
    gathering = CatalogCollector(settings, http, progress)
    tables = _listed(gathering)
    _described(gathering, tables)
    if settings.lineage is not Lineage.NONE:
        asked = [(each.project, settings.location or each.location, each.name) for each in tables]
        GoogleLineage(gathering).ask(asked, columns=settings.lineage is Lineage.COLUMNS)
    return gathering.reading()


def list_datasets(settings: CatalogSettings, http: Http, project: str) -> list[tuple[str, str]]:
    """List the datasets of *project* that the settings choose, each with its location in lower case."""
    entries = _entries(http, (project, "datasets"), "datasets")
    found = [(text(member(each, "datasetReference"), "datasetId"), text(each, "location").lower()) for each in entries]
    return sorted((name, location) for name, location in found if name and settings.wanted.schema(name))


def _listed(gathering: CatalogCollector) -> list[_Table]:
    settings, http = gathering.settings, gathering.http
    projects = gathering.lists(
        settings.wanted.catalogs, lambda project: list_datasets(settings, http, project), "datasets"
    )
    datasets = {
        f"{project}.{name}": (project, name, location) for project, found in projects for name, location in found
    }
    tables = gathering.lists(list(datasets), lambda key: _tables(gathering, *datasets[key]), "tables")
    return [table for _, found in tables for table in found]


def _tables(gathering: CatalogCollector, project: str, dataset: str, location: str) -> list[_Table]:
    entries = _entries(gathering.http, (project, "datasets", dataset, "tables"), "tables")
    references = (read_reference(entry) for entry in gathering.seen(entries))
    wanted = gathering.settings.wanted
    return [_Table(project, dataset, each[2], location) for each in references if each and wanted.table(each[2])]


def _described(gathering: CatalogCollector, tables: list[_Table]) -> None:
    """Query for each table, as a list tells no columns; one that is gone since is left out."""

    def ask(each: _Table) -> Json:
        return gathering.http.get(*_BIGQUERY, each.project, "datasets", each.dataset, "tables", each.table)

    for each, told in zip(tables, gathering.each(tables, ask), strict=True):
        if isinstance(told, NotFound):
            continue
        if isinstance(told, ScannerError) or not read_reference(told):
            gathering.unread.append(each.name)
            error = told if isinstance(told, ScannerError) else ScannerError("the answer is not a table")
            gathering.complain(each.name, "it could not be read", error)
        else:
            gathering.keep([read_table(told, each.name, gathering.settings.source)])


def _entries(http: Http, path: tuple[str, ...], what: str) -> Iterator[dict[str, Json]]:
    """List everything of a list, page by page; its member is absent where it is empty."""

    def page(token: str) -> tuple[list[dict[str, Json]], str]:
        more = (("pageToken", token),) if token else ()
        told = http.get(*_BIGQUERY, *path, params=(("maxResults", _TABLES_PER_PAGE), *more))
        return listed(told, what), text(told, "nextPageToken")

    return by_token(
        page, key=lambda entry: canonical(member(entry, "tableReference") or member(entry, "datasetReference"))
    )
