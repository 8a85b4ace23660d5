"""Catalogs of tables: the table of their types, each imported when it is used; other packages add types as plug-ins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from scanner_extractor.probes import Probe
from scanner_extractor.results import CatalogResult
from scanner_extractor.settings.sources import CatalogSettings
from scanner_extractor.source_types import SourceType, SourceTypes
from scanner_model import plugins
from scanner_model.lazy_names import deferred, load
from scanner_model.maturity import Proof, live, validated

if TYPE_CHECKING:
    from scanner_extractor.http.client import Http

__all__ = ["CATALOGS", "CatalogType"]

CatalogType = SourceType[CatalogSettings, CatalogResult]


def _lists(what: str, listing: str) -> Callable[[CatalogSettings, Http], Iterator[Probe]]:
    """Return the check of a catalog: it counts *what* holds tables, as the function *listing* lists it."""

    def check(settings: CatalogSettings, http: Http) -> Iterator[Probe]:
        yield Probe(f"list {what}", lambda: f"{len(load(f'{__name__}.{listing}')(settings, http))} {what}")

    return check


def _type(read: str, what: str, listing: str, *proofs: Proof, transport: str = "") -> CatalogType:
    """Return a type by the names of its functions in modules here; without *transport* it is read over plain HTTP."""
    reader, check = deferred(f"{__name__}.{read}"), _lists(what, listing)
    if not transport:
        return CatalogType(read=reader, check=check, proofs=proofs)
    return CatalogType(read=reader, check=check, transport=deferred(f"{__name__}.{transport}"), proofs=proofs)


_LAB = "tests/lab/test_lab_catalogs.py"


CATALOGS: SourceTypes[CatalogSettings, CatalogResult] = SourceTypes(
    {
        "unity": _type(
            "unity:read_unity",
            "schemas",
            "unity:list_schemas",
            Proof("Databricks Unity Catalog"),
        ),
        "glue": _type(
            "glue:read_glue_catalog",
            "databases",
            "glue:list_databases",
            validated("AWS Glue Data Catalog", "moto 5.2.5", _LAB),
            transport="glue:glue_catalog_transport",
        ),
        "clickhouse": _type(
            "clickhouse:read_clickhouse",
            "databases",
            "clickhouse:list_clickhouse_databases",
            live("ClickHouse", "26.9 (chdb)", "docs/sources/engines.md"),
        ),
        "iceberg": _type(
            "iceberg:read_iceberg",
            "namespaces",
            "iceberg:list_namespaces",
            live("Iceberg REST catalog", "1.10.1, 1.11.0", _LAB),
        ),
        "druid": _type("olap:read_druid", "supervisors", "olap:list_druid_supervisors", Proof("Apache Druid")),
        "pinot": _type("olap:read_pinot", "tables", "olap:list_pinot_tables", Proof("Apache Pinot")),
        "google": _type(
            "google:read_google",
            "datasets",
            "google:list_all_datasets",
            Proof("Google BigQuery and Data Lineage API"),
            transport="google_transport:google_api_transport",
        ),
        "datazone": _type(
            "datazone:read_datazone",
            "assets",
            "datazone:catalog_assets",
            validated("Amazon DataZone", "botocore's service model", "docs/sources/catalogs.md"),
            transport="datazone:datazone_transport",
        ),
    },
    plugins.CATALOGS,
)
"""The types of catalog by the name that cluster.json gives them."""
