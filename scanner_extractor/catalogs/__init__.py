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
        yield Probe(f"list {what}", lambda: f"{len(load(f'{_SYSTEMS}.{listing}')(settings, http))} {what}")

    return check


def _type(read: str, what: str, listing: str, *proofs: Proof, transport: str = "") -> CatalogType:
    """Return a type by the names of its functions in modules here; without *transport* it is read over plain HTTP."""
    reader, check = deferred(f"{_SYSTEMS}.{read}"), _lists(what, listing)
    if not transport:
        return CatalogType(read=reader, check=check, proofs=proofs)
    return CatalogType(read=reader, check=check, transport=deferred(f"{_SYSTEMS}.{transport}"), proofs=proofs)


_SYSTEMS = "scanner_extractor.systems"
_MOTO = "tests/conformance/test_moto.py"


CATALOGS: SourceTypes[CatalogSettings, CatalogResult] = SourceTypes(
    {
        "unity": _type(
            "unity.catalog:read_unity",
            "schemas",
            "unity.catalog:list_schemas",
            Proof("Databricks Unity Catalog"),
        ),
        "glue": _type(
            "glue.catalog:read_glue_catalog",
            "databases",
            "glue.catalog:list_databases",
            validated("AWS Glue Data Catalog", "moto 5.2", _MOTO),
            transport="glue.catalog:glue_catalog_transport",
        ),
        "clickhouse": _type(
            "clickhouse.catalog:read_clickhouse",
            "databases",
            "clickhouse.catalog:list_clickhouse_databases",
            live("ClickHouse", "26.9 (chdb)", "docs/sources/engines.md"),
        ),
        "iceberg": _type(
            "iceberg.catalog:read_iceberg",
            "namespaces",
            "iceberg.catalog:list_namespaces",
            live("Iceberg REST catalog", "1.10.1", "docs/sources/catalogs.md"),
        ),
        "druid": _type(
            "druid.catalog:read_druid", "supervisors", "druid.catalog:list_druid_supervisors", Proof("Apache Druid")
        ),
        "pinot": _type("druid.catalog:read_pinot", "tables", "druid.catalog:list_pinot_tables", Proof("Apache Pinot")),
        "google": _type(
            "google.catalog:read_google",
            "datasets",
            "google.catalog:list_all_datasets",
            Proof("Google BigQuery and Data Lineage API"),
            transport="google.transport:google_api_transport",
        ),
        "datazone": _type(
            "datazone.catalog:read_datazone",
            "assets",
            "datazone.catalog:catalog_assets",
            validated("Amazon DataZone", "botocore's service model", "docs/sources/catalogs.md"),
            transport="datazone.catalog:datazone_transport",
        ),
    },
    plugins.CATALOGS,
)
"""The types of catalog by the name that cluster.json gives them."""
