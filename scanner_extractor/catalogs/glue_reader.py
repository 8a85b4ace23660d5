"""From the JSON of AWS Glue's Data Catalog to facts: tables with their columns, formats and locations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from scanner_extractor.catalogs.hive_types import known_shape
from scanner_extractor.catalogs.payload import location_name, member, moment, objects, parameters, shown_location, text
from scanner_extractor.catalogs.shapes import Part, columns_of
from scanner_extractor.catalogs.spark_types import spark_shape
from scanner_extractor.exchange import Json
from scanner_extractor.settings_catalogs import CatalogSettings
from scanner_model.catalogs import CatalogTable
from scanner_model.paths import field_segment

_READ = frozenset(
    {"Name", "DatabaseName", "CatalogId", "Owner", "Description", "CreateTime", "UpdateTime", "LastAccessTime"}
    | {"StorageDescriptor", "PartitionKeys", "TableType", "Parameters"}
)
_READ_STORAGE = frozenset({"Columns", "Location", "SerdeInfo"})
_SPARK_SCHEMA = "spark.sql.sources.schema"
_FORMATS = ("iceberg", "delta", "hudi", "parquet", "orc", "avro", "json", "csv")
_TEXT_SERDES = ("LazySimpleSerDe", "TextInputFormat")


def glue_namespace(region: str, account: str) -> str:
    """Give the OpenLineage namespace of a catalog. Source: OpenLineage, naming, AWS Glue."""
    return f"arn:aws:glue:{region}:{account}"


def glue_name(database: str, table: str) -> str:
    """Give the OpenLineage name of a table."""
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
    place = location_name(location)
    return CatalogTable(
        source=settings.source,
        provider="glue",
        namespace=glue_namespace(region, settings.account or text(entry, "CatalogId")),
        name=glue_name(text(entry, "DatabaseName") or database, name),
        kind=text(entry, "TableType"),
        table_format=_format(own, storage, serde),
        location=shown_location(location),
        serde=text(serde, "SerializationLibrary"),
        owner=text(entry, "Owner"),
        description=text(entry, "Description"),
        created=moment(entry.get("CreateTime")),
        updated=moment(entry.get("UpdateTime")),
        parameters=_kept(entry, storage, own),
        partition_keys=tuple(text(key, "Name") for key in objects(entry, "PartitionKeys")),
        symlinks=(place,) if place else (),
        columns=tuple(columns_of(_parts(entry, storage, own))),
    )


def _kept(entry: dict[str, Json], storage: dict[str, Json], own: dict[str, Json]) -> tuple[tuple[str, str], ...]:
    """Keep the table's parameters, and what else is told of it and of its storage."""
    told = {name: value for name, value in own.items() if not name.startswith(_SPARK_SCHEMA)}
    rest = {name: value for name, value in entry.items() if name not in _READ}
    stored = {f"StorageDescriptor.{name}": value for name, value in storage.items() if name not in _READ_STORAGE}
    return parameters(told | rest | stored | {"SerdeInfo.Parameters": _object(storage, "SerdeInfo").get("Parameters")})


def _parts(entry: dict[str, Json], storage: dict[str, Json], own: dict[str, Json]) -> Iterator[Part]:
    """Give the columns, those that it is partitioned by last; Spark's own schema where Spark keeps one there."""
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
    whole = text(own, _SPARK_SCHEMA)
    count = text(own, f"{_SPARK_SCHEMA}.numParts")
    if whole or not count.isdecimal() or len(count) > 4:
        return whole
    return "".join(text(own, f"{_SPARK_SCHEMA}.part.{number}") for number in range(int(count)))


def _format(own: dict[str, Json], storage: dict[str, Json], serde: dict[str, Json]) -> str:
    """Give the first word that tells: the table's kind, Spark's provider, the crawler's class, the SerDe."""
    for name in ("table_type", "spark.sql.sources.provider", "classification"):
        if word := text(own, name).lower():
            return word
    classes = f"{text(serde, 'SerializationLibrary')} {text(storage, 'InputFormat')}"
    word = next((each for each in _FORMATS if each in classes.lower()), "")
    return word or ("text" if any(each in classes for each in _TEXT_SERDES) else "")


def _object(payload: Json, name: str) -> dict[str, Json]:
    value = member(payload, name)
    return value if isinstance(value, dict) else {}
