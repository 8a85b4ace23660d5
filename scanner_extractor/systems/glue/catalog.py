"""Read AWS Glue's Data Catalog: tables with their columns, formats and locations."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from scanner_extractor.catalogs import CatalogType, lists
from scanner_extractor.catalogs.collector import CatalogCollector
from scanner_extractor.catalogs.column_types import (
    Part,
    columns_of,
    known_shape,
    location_name,
    mask_location,
    moment,
    parameters,
    spark_shape,
)
from scanner_extractor.catalogs.members import DATABASES, TABLES
from scanner_extractor.config.aws import AWS_MEMBERS, aws_place, aws_url, transport_to_aws
from scanner_extractor.config.sections import object_of, text
from scanner_extractor.http.aws import Client
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Json, Transport
from scanner_extractor.http.pagination import by_token
from scanner_extractor.results import Progress, Reading
from scanner_extractor.settings.sources import CatalogSettings
from scanner_model.catalogs import CatalogTable
from scanner_model.columns import field_segment
from scanner_model.maturity import validated
from scanner_model.payload import Payload

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


def read_table(entry: Payload, database: str, settings: CatalogSettings) -> CatalogTable:
    """Read a table as GetTables lists it; raises PayloadUnexpected."""
    storage, own = entry.object("StorageDescriptor"), entry.object("Parameters")
    serde, options = storage.object("SerdeInfo"), settings.options
    location = storage.text("Location")
    identity = location_name(location)
    return CatalogTable(
        source=settings.source,
        provider="glue",
        namespace=glue_namespace(options.get("region", ""), options.get("account") or entry.text("CatalogId")),
        name=glue_name(entry.text("DatabaseName") or database, entry.need("Name").text()),
        kind=entry.text("TableType"),
        table_format=_format(own, storage, serde),
        location=mask_location(location),
        serde=serde.text("SerializationLibrary"),
        owner=entry.text("Owner"),
        description=entry.text("Description"),
        created=moment(entry, "CreateTime"),
        updated=moment(entry, "UpdateTime"),
        parameters=_table_parameters(entry, storage, own),
        partition_keys=tuple(key.need("Name").text() for key in entry.list("PartitionKeys")),
        symlinks=(identity,) if identity else (),
        columns=tuple(columns_of(_parts(entry, storage, own))),
    )


def _table_parameters(entry: Payload, storage: Payload, own: Payload) -> tuple[tuple[str, str], ...]:
    """Return the table's parameters, and other members of it and of its storage."""
    stated = {name: value for name, value in own.members().items() if not name.startswith(_SPARK_SCHEMA)}
    rest = {name: value for name, value in entry.members().items() if name not in _READ}
    members = storage.members().items()
    stored = {f"StorageDescriptor.{name}": value for name, value in members if name not in _READ_STORAGE}
    serde = storage.object("SerdeInfo").object("Parameters").members()
    return parameters(stated | rest | stored | {"SerdeInfo.Parameters": serde})


def _parts(entry: Payload, storage: Payload, own: Payload) -> Iterator[Part]:
    """Return the columns, those that it is partitioned by last; Spark's own schema where Spark keeps one there."""
    if shape := spark_shape(_spark_schema(own)):
        yield from shape.parts
        return
    for column in (*storage.list("Columns"), *entry.list("PartitionKeys")):
        segment, stated = field_segment(column.need("Name").text()), column.object("Parameters")
        # An Iceberg table keeps in Glue the columns that it had once, too.
        if stated.text("iceberg.field.current") != "false":
            doc = column.text("Comment") or None
            nullable = stated.text("iceberg.field.optional") != "false"
            yield Part(segment=segment, shape=known_shape(column.text("Type")), nullable=nullable, doc=doc)


def _spark_schema(own: Payload) -> str:
    """Join the schema that Spark cuts into parts, as Glue takes no long parameter; empty if absent."""
    schema = own.text(_SPARK_SCHEMA)
    count = own.text(f"{_SPARK_SCHEMA}.numParts")
    if schema or not count.isdecimal() or len(count) > 4:
        return schema
    return "".join(own.text(f"{_SPARK_SCHEMA}.part.{number}") for number in range(int(count)))


def _format(own: Payload, storage: Payload, serde: Payload) -> str:
    """Return the format, from the first of: table kind, Spark's provider, crawler's class, SerDe."""
    if word := own.text("table_type", "spark.sql.sources.provider", "classification"):
        return word.lower()
    classes = f"{serde.text('SerializationLibrary')} {storage.text('InputFormat')}"
    word = next((candidate for candidate in _FORMATS if candidate in classes.lower()), "")
    return word or ("text" if any(candidate in classes for candidate in _TEXT_SERDES) else "")


PAGE = 100
"""Maximum page size of Glue."""


def read_glue_catalog(settings: CatalogSettings, http: Http, progress: Progress) -> Reading:
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
    page = "docs/sources/catalogs.md"
    return transport_to_aws("glue", settings.options, settings.http, member="catalogs", page=page, connect=connect)


def list_databases(settings: CatalogSettings, http: Http) -> list[str]:
    """List the databases that the settings choose."""
    entries = _entries(settings, http, "GetDatabases", "DatabaseList", {})
    return sorted(name for entry in entries if settings.wanted.schema(name := entry.need("Name").text()))


def _tables(collector: CatalogCollector, database: str) -> list[CatalogTable]:
    settings = collector.settings
    entries = _entries(settings, collector.http, "GetTables", "TableList", {"DatabaseName": database})

    def read(entry: Payload) -> CatalogTable | None:
        is_wanted = settings.wanted.table(entry.need("Name").text())
        return read_table(entry, database, settings) if is_wanted else None

    def name(entry: Payload) -> str:
        table = entry.shown("Name")
        return glue_name(entry.shown("DatabaseName") or database, table) if table else ""

    return [table for table in collector.unread.read(collector.paged_entries(entries), read, name) if table]


def _entries(
    settings: CatalogSettings, http: Http, operation: str, member: str, body: dict[str, Json]
) -> Iterator[Payload]:
    """List everything that an operation gives, page by page."""
    catalog = {"CatalogId": settings.options["account"]} if "account" in settings.options else {}

    def page(token: str) -> tuple[list[Payload], str]:
        more = {"NextToken": token} if token else {}
        answer = Payload(http.post(operation, body={**body, **catalog, "MaxResults": PAGE, **more}))
        return answer.entries(member), answer.text("NextToken")

    return by_token(page, key=lambda entry: entry.shown("Name"))


CATALOG = CatalogType(
    read=read_glue_catalog,
    check=lists("databases", list_databases),
    transport=glue_catalog_transport,
    schema=object_of(
        "AWS Glue",
        "The Data Catalog of a region.",
        {
            **AWS_MEMBERS,
            "account": text(
                "Account",
                "AWS account of the catalog; that of the credentials by default.",
                "123456789012",
                pattern="^[0-9]{12}$",
            ),
            "databases": DATABASES,
            "tables": TABLES,
        },
        required=["region"],
    ),
    address=lambda options: aws_url("glue", options),
    place=lambda options, _: aws_place(options, options.get("account", "")),
    proofs=(validated("AWS Glue Data Catalog", "moto 5.2.5", "tests/lab/test_lab_catalogs.py"),),
)
