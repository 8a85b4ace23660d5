"""Read AWS Glue's Data Catalog: tables with their columns, formats and locations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from scanner_extractor.catalogs.collector import CatalogCollector
from scanner_extractor.catalogs.column_types import Part, columns_of, known_shape, spark_shape
from scanner_extractor.catalogs.json_fields import (
    listed,
    location_name,
    mask_location,
    member,
    moment,
    objects,
    parameters,
    text,
)
from scanner_extractor.http.aws import AwsService, Client, aws_transport
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Json, Transport
from scanner_extractor.http.pagination import by_token
from scanner_extractor.scan.results import CatalogResult, Progress
from scanner_extractor.settings.catalogs import CatalogSettings
from scanner_model.catalogs import CatalogTable
from scanner_model.columns import field_segment
from scanner_model.errors import InputInvalid

_READ = frozenset(
    {"Name", "DatabaseName", "CatalogId", "Owner", "Description", "CreateTime", "UpdateTime", "LastAccessTime"}
    | {"StorageDescriptor", "PartitionKeys", "TableType", "Parameters", "VersionId"}
)
"""What is read, and a number that every change of the table raises."""
_READ_STORAGE = frozenset({"Columns", "Location", "SerdeInfo"})
_SPARK_SCHEMA = "spark.sql.sources.schema"
_FORMATS = ("iceberg", "delta", "hudi", "parquet", "orc", "avro", "json", "csv")
_TEXT_SERDES = ("LazySimpleSerDe", "TextInputFormat")


def glue_namespace(region: str, account: str) -> str:
    """Return the OpenLineage namespace of a catalog. Source: OpenLineage, naming, AWS Glue."""
    return f"arn:aws:glue:{region}:{account}"


def glue_name(database: str, table: str) -> str:
    """Return the OpenLineage name of a table."""
    return f"table/{database}/{table}"


def read_databases(entries: Iterable[dict[str, Json]]) -> list[str]:
    """List the names of databases."""
    return [name for entry in entries if (name := text(entry, "Name"))]


def read_table(entry: dict[str, Json], database: str, settings: CatalogSettings) -> CatalogTable | None:
    """Read a table as GetTables lists it; None for an entry without a name."""
    name = text(entry, "Name")
    if not name:
        return None
    region = settings.aws.region if settings.aws else ""
    storage, own = _object(entry, "StorageDescriptor"), _object(entry, "Parameters")
    serde = _object(storage, "SerdeInfo")
    location = text(storage, "Location")
    identity = location_name(location)
    return CatalogTable(
        source=settings.source,
        provider="glue",
        namespace=glue_namespace(region, settings.account or text(entry, "CatalogId")),
        name=glue_name(text(entry, "DatabaseName") or database, name),
        kind=text(entry, "TableType"),
        table_format=_format(own, storage, serde),
        location=mask_location(location),
        serde=text(serde, "SerializationLibrary"),
        owner=text(entry, "Owner"),
        description=text(entry, "Description"),
        created=moment(entry.get("CreateTime")),
        updated=moment(entry.get("UpdateTime")),
        parameters=_table_parameters(entry, storage, own),
        partition_keys=tuple(text(key, "Name") for key in objects(entry, "PartitionKeys")),
        symlinks=(identity,) if identity else (),
        columns=tuple(columns_of(_parts(entry, storage, own))),
    )


def _table_parameters(
    entry: dict[str, Json], storage: dict[str, Json], own: dict[str, Json]
) -> tuple[tuple[str, str], ...]:
    """Return the table's parameters, and other members of it and of its storage."""
    stated = {name: value for name, value in own.items() if not name.startswith(_SPARK_SCHEMA)}
    rest = {name: value for name, value in entry.items() if name not in _READ}
    stored = {f"StorageDescriptor.{name}": value for name, value in storage.items() if name not in _READ_STORAGE}
    return parameters(
        stated | rest | stored | {"SerdeInfo.Parameters": _object(storage, "SerdeInfo").get("Parameters")}
    )


def _parts(entry: dict[str, Json], storage: dict[str, Json], own: dict[str, Json]) -> Iterator[Part]:
    """Return the columns, those that it is partitioned by last; Spark's own schema where Spark keeps one there."""
    if shape := spark_shape(_spark_schema(own)):
        yield from shape.parts
        return
    for column in (*objects(storage, "Columns"), *objects(entry, "PartitionKeys")):
        # An Iceberg table keeps in Glue the columns that it had once, too.
        name, former = text(column, "Name"), _object(column, "Parameters").get("iceberg.field.current") == "false"
        if name and not former:
            doc = text(column, "Comment") or None
            nullable = _object(column, "Parameters").get("iceberg.field.optional") != "false"
            shape = known_shape(text(column, "Type"))
            yield Part(segment=field_segment(name), shape=shape, nullable=nullable, doc=doc)


def _spark_schema(own: Mapping[str, Json]) -> str:
    """Join the schema that Spark cuts into parts, as Glue takes no long parameter; empty where there is none."""
    schema = text(own, _SPARK_SCHEMA)
    count = text(own, f"{_SPARK_SCHEMA}.numParts")
    if schema or not count.isdecimal() or len(count) > 4:
        return schema
    return "".join(text(own, f"{_SPARK_SCHEMA}.part.{number}") for number in range(int(count)))


def _format(own: dict[str, Json], storage: dict[str, Json], serde: dict[str, Json]) -> str:
    """Return the format, from the first of: table kind, Spark's provider, crawler's class, SerDe."""
    for name in ("table_type", "spark.sql.sources.provider", "classification"):
        if word := text(own, name).lower():
            return word
    classes = f"{text(serde, 'SerializationLibrary')} {text(storage, 'InputFormat')}"
    word = next((candidate for candidate in _FORMATS if candidate in classes.lower()), "")
    return word or ("text" if any(candidate in classes for candidate in _TEXT_SERDES) else "")


def _object(payload: Json, name: str) -> dict[str, Json]:
    value = member(payload, name)
    return value if isinstance(value, dict) else {}


PAGE = 100
"""Maximum page size of Glue."""


def read_glue_catalog(settings: CatalogSettings, http: Http, progress: Progress) -> CatalogResult:
    """Read the tables of the databases that the settings choose; Glue has no lineage.

    *http* speaks to Glue through `glue_catalog_exchange`. Raises ScannerError where no database's tables can be listed;
    other failures give a partial result. Source: AWS Glue API, Data Catalog.
    """
    collector = CatalogCollector(settings, http, progress)
    for _, tables in collector.lists(list_databases(settings, http), lambda name: _tables(collector, name), "tables"):
        collector.keep(tables)
    return collector.reading()


def glue_catalog_transport(settings: CatalogSettings, connect: Callable[[], Client] | None = None) -> Transport:
    """Return an exchange as `aws_exchange` does, for Glue's catalog."""
    return aws_transport(aws_service(settings, "glue", "docs/sources/glue_catalog.md"), settings.http, connect)


def aws_service(settings: CatalogSettings, name: str, page: str) -> AwsService:
    """Return the AWS service of a catalog; raises InputInvalid where the settings do not locate it."""
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


def _tables(collector: CatalogCollector, database: str) -> list[CatalogTable]:
    settings = collector.settings
    entries = _entries(settings, collector.http, "GetTables", "TableList", {"DatabaseName": database})
    matching = (entry for entry in collector.paged_entries(entries) if settings.wanted.table(text(entry, "Name")))
    return [table for entry in matching if (table := read_table(entry, database, settings))]


def _entries(
    settings: CatalogSettings, http: Http, operation: str, member: str, body: dict[str, Json]
) -> Iterator[dict[str, Json]]:
    """List everything that an operation gives, page by page."""
    catalog = {"CatalogId": settings.account} if settings.account else {}

    def page(token: str) -> tuple[list[dict[str, Json]], str]:
        more = {"NextToken": token} if token else {}
        answer = http.post(operation, body={**body, **catalog, "MaxResults": PAGE, **more})
        return listed(answer, member), text(answer, "NextToken")

    return by_token(page, key=lambda entry: text(entry, "Name"))
