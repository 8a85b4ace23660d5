"""Reads AWS Glue's Data Catalog: the tables of its databases."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from scanner_extractor.aws_exchange import AwsService, Client, aws_exchange
from scanner_extractor.catalogs.gathering import Gathering
from scanner_extractor.catalogs.glue_reader import read_databases, read_table
from scanner_extractor.catalogs.payload import listed, text
from scanner_extractor.exchange import Exchange, Json
from scanner_extractor.http import Http
from scanner_extractor.paging import by_token
from scanner_extractor.readings import CatalogReading, Progress
from scanner_extractor.settings_catalogs import CatalogSettings
from scanner_model.catalogs import CatalogTable
from scanner_model.errors import InputInvalid

PAGE = 100
"""The most entries that Glue gives at once."""


def read_glue_catalog(settings: CatalogSettings, http: Http, progress: Progress) -> CatalogReading:
    """Read the tables of the databases that the settings choose; Glue tells no lineage.

    *http* speaks to Glue through `glue_catalog_exchange`. Raises ScannerError where no database's tables can be listed;
    anything less gives what could be read, PARTIAL. Source: AWS Glue API, Data Catalog.
    """
    gathering = Gathering(settings, http, progress)
    for _, tables in gathering.lists(list_databases(settings, http), lambda name: _tables(gathering, name), "tables"):
        gathering.keep(tables)
    return gathering.reading()


def glue_catalog_exchange(settings: CatalogSettings, connect: Callable[[], Client] | None = None) -> Exchange:
    """Give an exchange as `aws_exchange` does, for Glue's catalog."""
    return aws_exchange(aws_service(settings, "glue", "docs/sources/glue_catalog.md"), settings.http, connect)


def aws_service(settings: CatalogSettings, name: str, page: str) -> AwsService:
    """Say which service of AWS holds a catalog; raises InputInvalid where the settings do not tell where it is."""
    if not settings.aws:
        raise InputInvalid(f"a catalog of type {settings.type} needs a region", where=str(settings.source))
    return AwsService(
        name=name,
        region=settings.aws.region,
        profile=settings.aws.profile,
        endpoint_url=settings.aws.endpoint_url,
        member="catalogs",
        page=page,
    )


def list_databases(settings: CatalogSettings, http: Http) -> list[str]:
    """List the databases that the settings choose."""
    entries = _entries(settings, http, "GetDatabases", "DatabaseList", {})
    return sorted(name for name in read_databases(entries) if settings.wanted.schema(name))


def _tables(gathering: Gathering, database: str) -> list[CatalogTable]:
    settings = gathering.settings
    entries = _entries(settings, gathering.http, "GetTables", "TableList", {"DatabaseName": database})
    wanted = (entry for entry in gathering.seen(entries) if settings.wanted.table(text(entry, "Name")))
    return [table for entry in wanted if (table := read_table(entry, database, settings))]


def _entries(
    settings: CatalogSettings, http: Http, operation: str, member: str, body: dict[str, Json]
) -> Iterator[dict[str, Json]]:
    """List everything that an operation gives, page by page."""
    catalog = {"CatalogId": settings.account} if settings.account else {}

    def page(token: str) -> tuple[list[dict[str, Json]], str]:
        more = {"NextToken": token} if token else {}
        told = http.post(operation, body={**body, **catalog, "MaxResults": PAGE, **more})
        return listed(told, member), text(told, "NextToken")

    return by_token(page, key=lambda entry: text(entry, "Name"))
