"""From the JSON of Databricks Unity Catalog to facts: tables with their columns, and the datasets of its lineage."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import urlsplit

from scanner_extractor.catalogs.gathering import Name
from scanner_extractor.catalogs.hive_types import known_shape
from scanner_extractor.catalogs.payload import instant, location_name, member, objects, parameters, shown_location, text
from scanner_extractor.catalogs.shapes import Part, Shape, columns_of
from scanner_extractor.catalogs.spark_types import spark_shape
from scanner_extractor.exchange import Json
from scanner_model.catalogs import CatalogTable
from scanner_model.names import SourceId
from scanner_model.paths import field_segment

_READ = frozenset(
    {"name", "full_name", "catalog_name", "schema_name", "columns", "table_type", "data_source_format", "comment"}
    | {"storage_location", "owner", "created_at", "updated_at", "properties"}
)
_PROCESSES: Mapping[str, tuple[str, ...]] = {
    "jobInfos": ("job_id", "job_run_id"),
    "pipelineInfos": ("pipeline_id", "update_id"),
    "notebookInfos": ("notebook_id",),
    "dashboardInfos": ("dashboard_id",),
    "dashboardV3Infos": ("dashboard_v3_id",),
    "sqlQueryInfos": ("query_id",),
    "externalMetadataInfos": ("name",),
}
"""The kinds of what makes a flow, each with the members of which the first told is its id; a query has one a run."""


def unity_namespace(url: str) -> str:
    """Give the OpenLineage namespace of the metastore behind a workspace. Source: OpenLineage, naming."""
    parts = urlsplit(url)
    port = f":{parts.port}" if parts.port and parts.port != 443 else ""
    return f"unitycatalog://{parts.hostname or ''}{port}"


def read_names(entries: Iterable[dict[str, Json]]) -> list[str]:
    """List the names of catalogs or schemas."""
    return [name for entry in entries if (name := text(entry, "name"))]


def read_table(entry: dict[str, Json], namespace: str, source: SourceId) -> CatalogTable | None:
    """Read a table as `GET /tables` lists it; None for an entry without its three names."""
    name = full_name(entry)
    if not name:
        return None
    location = text(entry, "storage_location")
    place = location_name(location)
    own = member(entry, "properties")
    columns = sorted(objects(entry, "columns"), key=_position)
    return CatalogTable(
        source=source,
        provider="unity",
        namespace=namespace,
        name=name,
        kind=text(entry, "table_type"),
        table_format=text(entry, "data_source_format").lower(),
        location=shown_location(location),
        owner=text(entry, "owner"),
        description=text(entry, "comment"),
        created=instant(entry.get("created_at")),
        updated=instant(entry.get("updated_at")),
        parameters=parameters(entry | (own if isinstance(own, dict) else {}), _READ),
        partition_keys=tuple(text(column, "name") for column in _partitions(columns)),
        symlinks=(place,) if place else (),
        columns=tuple(columns_of(part for column in columns if (part := _part(column)))),
    )


def full_name(entry: Json) -> str:
    """Give a table's three names with dots; empty where one is missing, as where we may not see it."""
    names = [text(entry, name) for name in ("catalog_name", "schema_name", "name")]
    return ".".join(names) if all(names) else ""


def dataset(entry: Json, namespace: str) -> Name | None:
    """Name the table or the files at one end of a flow; None where neither is told."""
    name = full_name(member(entry, "tableInfo"))
    return (namespace, name) if name else location_name(text(member(entry, "fileInfo"), "path"))


def processes(entry: Json) -> Iterator[str]:
    """Name what makes a flow, an empty name where nobody tells."""
    found = False
    for kind, ids in _PROCESSES.items():
        for told in objects(entry, kind):
            number = next((told[name] for name in ids if told.get(name) not in (None, "")), None)
            if number is not None:
                found = True
                yield f"{kind.removesuffix('Infos')} {number}"
    if not found:
        yield ""


def _position(column: dict[str, Json]) -> int:
    position = column.get("position")
    return position if isinstance(position, int) else 0


def _partitions(columns: list[dict[str, Json]]) -> list[dict[str, Json]]:
    partitioned = [column for column in columns if isinstance(column.get("partition_index"), int)]
    return sorted(partitioned, key=lambda column: int(column["partition_index"]))


def _part(column: dict[str, Json]) -> Part | None:
    name = text(column, "name")
    if not name:
        return None
    return Part(
        segment=field_segment(name),
        shape=_shape(column),
        nullable=column.get("nullable") is not False,
        doc=text(column, "comment") or None,
    )


def _shape(column: dict[str, Json]) -> Shape:
    """Read the type from its JSON, else from its text, else keep its name."""
    written = text(column, "type_text")
    return spark_shape(text(column, "type_json")) or known_shape(written or text(column, "type_name"))
