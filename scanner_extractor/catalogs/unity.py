"""Reads Databricks Unity Catalog: the tables of its schemas, and their lineage."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from scanner_extractor.catalogs.gathering import Gathering, Name, Place
from scanner_extractor.catalogs.payload import listed, objects, text
from scanner_extractor.catalogs.unity_reader import (
    dataset,
    full_name,
    processes,
    read_names,
    read_table,
    unity_namespace,
)
from scanner_extractor.catalogs.unity_system import system_lineage
from scanner_extractor.exchange import Json
from scanner_extractor.http import Http, Params
from scanner_extractor.paging import by_token
from scanner_extractor.rate import Clock
from scanner_extractor.readings import CatalogReading, Progress
from scanner_extractor.settings_catalogs import CatalogSettings, Lineage
from scanner_model.catalogs import CatalogTable
from scanner_model.paths import field_segment

_CATALOG = ("api", "2.1", "unity-catalog")
_LINEAGE = ("api", "2.0", "lineage-tracking")
_OURS = frozenset({"system", "samples", "__databricks_internal"})
"""Catalogs that Databricks fills; read only where they are named."""
_VIEWS = "information_schema"
_GLOB = frozenset("*?[")

_Flow = tuple[Place, Place, str]
"""Where data come from, where they go, and what makes that."""


def read_unity(
    settings: CatalogSettings, http: Http, progress: Progress, *, clock: Clock | None = None
) -> CatalogReading:
    """Read the tables that the settings choose, and their lineage as far as they say.

    Raises ScannerError where no schema's tables can be listed; anything less gives what could be read, PARTIAL.
    Source: Databricks REST API, Unity Catalog 2.1 and lineage tracking 2.0.
    """
    scan = _Scan(Gathering(settings, http, progress), unity_namespace(settings.http.url))
    scan.tables()
    if settings.lineage is not Lineage.NONE:
        if settings.warehouse:
            system_lineage(scan.gathering, scan.namespace, clock or Clock())
        else:
            scan.lineage()
    return scan.gathering.reading()


def list_catalogs(settings: CatalogSettings, http: Http) -> list[str]:
    """List the catalogs that the settings choose; names are taken as they are, patterns and silence are looked up."""
    patterns = settings.wanted.catalogs
    if patterns and not any(_GLOB & set(pattern) for pattern in patterns):
        return list(patterns)
    names = read_names(_pages(http, "catalogs"))
    return sorted(name for name in names if settings.wanted.catalog(name) and (patterns or name not in _OURS))


def list_schemas(settings: CatalogSettings, http: Http) -> list[tuple[str, str]]:
    """List the schemas that the settings choose, each with its catalog; raises ScannerError for any that is denied."""
    return [
        (catalog, schema) for catalog in list_catalogs(settings, http) for schema in _schemas(settings, http, catalog)
    ]


class _Scan:
    """Asks one metastore."""

    def __init__(self, gathering: Gathering, namespace: str) -> None:
        self.gathering = gathering
        self.namespace = namespace
        self._settings, self._http = gathering.settings, gathering.http

    def tables(self) -> None:
        """List catalogs, schemas and tables; one that may not be listed costs itself."""
        catalogs = list_catalogs(self._settings, self._http)
        schemas = [
            (catalog, schema)
            for catalog, names in self.gathering.lists(
                catalogs, lambda name: _schemas(self._settings, self._http, name), "schemas"
            )
            for schema in names
        ]
        keys = {f"{catalog}.{schema}": (catalog, schema) for catalog, schema in schemas}
        for _, found in self.gathering.lists(list(keys), lambda key: self._tables(*keys[key]), "tables"):
            self.gathering.keep(found)

    def lineage(self) -> None:
        """Ask each table for its neighbours, and each of its columns where columns are wanted."""
        tables = [self.gathering.tables[key] for key in sorted(self.gathering.tables)]
        found = self.gathering.lineage(tables, lambda table: table.name, self._neighbours)
        if self._settings.lineage is Lineage.COLUMNS:
            columns = [(table, column.path[0]) for table in tables for column in table.columns if len(column.path) == 1]
            found += self.gathering.lineage(columns, lambda each: f"{each[0].name}.{each[1]}", self._column_neighbours)
        for flows in found:
            for origin, target, process in flows:
                self.gathering.link(origin, target, process)

    def _tables(self, catalog: str, schema: str) -> list[CatalogTable]:
        entries = _pages(
            self._http, "tables", ("catalog_name", catalog), ("schema_name", schema), ("include_browse", "true")
        )
        wanted = (entry for entry in self.gathering.seen(entries) if self._settings.wanted.table(text(entry, "name")))
        found = (read_table(entry, self.namespace, self._settings.source) for entry in wanted)
        return [table for table in found if table]

    def _neighbours(self, table: CatalogTable) -> list[_Flow]:
        params = (("table_name", table.name), ("include_entity_lineage", "true"))
        told = self._http.get(*_LINEAGE, "table-lineage", params=params)
        here = Place((self.namespace, table.name))
        up = ((Place(name), here, process) for name, process in self._beside(objects(told, "upstreams")))
        down = ((here, Place(name), process) for name, process in self._beside(objects(told, "downstreams")))
        return [*up, *down]

    def _beside(self, entries: list[dict[str, Json]]) -> Iterator[tuple[Name, str]]:
        for entry in entries:
            if name := dataset(entry, self.namespace):
                yield from ((name, process) for process in processes(entry))

    def _column_neighbours(self, each: tuple[CatalogTable, str]) -> list[_Flow]:
        table, column = each
        params = (("table_name", table.name), ("column_name", column))
        told = self._http.get(*_LINEAGE, "column-lineage", params=params)
        here = Place((self.namespace, table.name), (column,))
        up = (self._column(entry) for entry in objects(told, "upstream_cols"))
        down = (self._column(entry) for entry in objects(told, "downstream_cols"))
        return [*((place, here, "") for place in up if place), *((here, place, "") for place in down if place)]

    def _column(self, entry: dict[str, Json]) -> Place | None:
        name = full_name(entry | {"name": entry.get("table_name")})
        column = text(entry, "name")
        return Place((self.namespace, name), (field_segment(column),)) if name and column else None


def _schemas(settings: CatalogSettings, http: Http, catalog: str) -> list[str]:
    names = read_names(_pages(http, "schemas", ("catalog_name", catalog)))
    return sorted(name for name in names if settings.wanted.schema(name) and name != _VIEWS)


def _pages(http: Http, what: str, *params: tuple[str, str]) -> Iterator[dict[str, Json]]:
    return by_token(partial(_page, http, what, params), key=lambda entry: text(entry, "name"))


def _page(http: Http, what: str, params: Params, token: str) -> tuple[list[dict[str, Json]], str]:
    more = (("page_token", token),) if token else ()
    page = http.get(*_CATALOG, what, params=(*params, ("max_results", 0), *more))
    return listed(page, what), text(page, "next_page_token")
