"""Reads Google's BigQuery: the tables of its datasets, and what the Data Lineage API tells of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from scanner_extractor.catalogs.gathering import Gathering
from scanner_extractor.catalogs.google_lineage import GoogleLineage
from scanner_extractor.catalogs.google_reader import read_reference, read_table, table_name
from scanner_extractor.catalogs.payload import listed, member, text
from scanner_extractor.exchange import Json
from scanner_extractor.http import Http
from scanner_extractor.paging import by_token
from scanner_extractor.readings import CatalogReading, Progress
from scanner_extractor.registries.rows import canonical
from scanner_extractor.settings_catalogs import CatalogSettings, Lineage
from scanner_model.errors import NotFound, ScannerError

_API = ("bigquery", "v2", "projects")
_PAGE = 1000


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


def read_google(settings: CatalogSettings, http: Http, progress: Progress) -> CatalogReading:
    """Read the tables of the datasets that the settings choose, and their lineage as far as they say.

    *http* speaks to Google through `google_exchange`. Raises ScannerError where no dataset's tables can be listed;
    anything less gives what could be read, PARTIAL. Source: BigQuery API v2, Data Lineage API v1.
    """
    gathering = Gathering(settings, http, progress)
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


def _listed(gathering: Gathering) -> list[_Table]:
    settings, http = gathering.settings, gathering.http
    projects = gathering.lists(
        settings.wanted.catalogs, lambda project: list_datasets(settings, http, project), "datasets"
    )
    datasets = {
        f"{project}.{name}": (project, name, location) for project, found in projects for name, location in found
    }
    tables = gathering.lists(list(datasets), lambda key: _tables(gathering, *datasets[key]), "tables")
    return [table for _, found in tables for table in found]


def _tables(gathering: Gathering, project: str, dataset: str, location: str) -> list[_Table]:
    entries = _entries(gathering.http, (project, "datasets", dataset, "tables"), "tables")
    references = (read_reference(entry) for entry in gathering.seen(entries))
    wanted = gathering.settings.wanted
    return [_Table(project, dataset, each[2], location) for each in references if each and wanted.table(each[2])]


def _described(gathering: Gathering, tables: list[_Table]) -> None:
    """Ask for each table, as a list tells no columns; one that is gone since is left out."""

    def ask(each: _Table) -> Json:
        return gathering.http.get(*_API, each.project, "datasets", each.dataset, "tables", each.table)

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
        told = http.get(*_API, *path, params=(("maxResults", _PAGE), *more))
        return listed(told, what), text(told, "nextPageToken")

    return by_token(
        page, key=lambda entry: canonical(member(entry, "tableReference") or member(entry, "datasetReference"))
    )
