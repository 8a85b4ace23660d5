"""Catalogs of tables: the table of their types; other packages add types as plug-ins."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from scanner_extractor.catalogs.clickhouse import list_clickhouse_databases, read_clickhouse
from scanner_extractor.catalogs.collector import CatalogCollector
from scanner_extractor.catalogs.datazone import datazone_transport, list_assets, read_datazone
from scanner_extractor.catalogs.glue import glue_catalog_transport, list_databases, read_glue_catalog
from scanner_extractor.catalogs.google import list_datasets, read_google
from scanner_extractor.catalogs.google_transport import google_api_transport
from scanner_extractor.catalogs.iceberg import list_namespaces, read_iceberg
from scanner_extractor.catalogs.olap import count_supervisors, list_pinot_tables, read_druid, read_pinot
from scanner_extractor.catalogs.unity import list_schemas, read_unity
from scanner_extractor.http.client import Http
from scanner_extractor.probes import Probe
from scanner_extractor.results import CatalogResult, no_progress
from scanner_extractor.settings.sources import CatalogSettings
from scanner_extractor.source_types import SourceType, SourceTypes
from scanner_model import plugins

__all__ = ["CATALOGS", "CatalogType"]

CatalogType = SourceType[CatalogSettings, CatalogResult]


def _lists(
    what: str, count: Callable[[CatalogSettings, Http], int]
) -> Callable[[CatalogSettings, Http], Iterator[Probe]]:
    """Return the check of a catalog: it lists *what* holds tables, and counts it."""

    def check(settings: CatalogSettings, http: Http) -> Iterator[Probe]:
        yield Probe(f"list {what}", lambda: f"{count(settings, http)} {what}")

    return check


def _google_datasets(settings: CatalogSettings, http: Http) -> int:
    return sum(len(list_datasets(settings, http, project)) for project in settings.wanted.catalogs)


CATALOGS: SourceTypes[CatalogSettings, CatalogResult] = SourceTypes(
    {
        "unity": CatalogType(
            read=read_unity, check=_lists("schemas", lambda settings, http: len(list_schemas(settings, http)))
        ),
        "glue": CatalogType(
            read=read_glue_catalog,
            check=_lists("databases", lambda settings, http: len(list_databases(settings, http))),
            transport=glue_catalog_transport,
        ),
        "clickhouse": CatalogType(
            read=read_clickhouse,
            check=_lists("databases", lambda settings, http: len(list_clickhouse_databases(settings, http))),
        ),
        "iceberg": CatalogType(
            read=read_iceberg,
            check=_lists("namespaces", lambda settings, http: len(list_namespaces(settings, http))),
        ),
        "druid": CatalogType(read=read_druid, check=_lists("supervisors", lambda _, http: count_supervisors(http))),
        "pinot": CatalogType(
            read=read_pinot, check=_lists("tables", lambda settings, http: len(list_pinot_tables(settings, http)))
        ),
        "google": CatalogType(
            read=read_google, check=_lists("datasets", _google_datasets), transport=google_api_transport
        ),
        "datazone": CatalogType(
            read=read_datazone,
            check=_lists(
                "assets", lambda settings, http: len(list_assets(CatalogCollector(settings, http, no_progress)))
            ),
            transport=datazone_transport,
        ),
    },
    plugins.CATALOGS,
)
"""The types of catalog by the name that cluster.json gives them."""
