"""Parse the JSON of BigQuery and of the Data Lineage API: tables with columns, links."""

from __future__ import annotations

from scanner_extractor.catalogs.collector import Endpoint, Name
from scanner_extractor.catalogs.column_types import DEEPEST, Part, Shape, columns_of
from scanner_extractor.catalogs.json_fields import (
    instant,
    items,
    location_name,
    mask_location,
    member,
    objects,
    parameters,
    text,
)
from scanner_extractor.http.messages import Json
from scanner_model.catalogs import CatalogTable
from scanner_model.column_path import ELEMENT, field_segment
from scanner_model.names import SourceId

NAMESPACE = "bigquery"
"""OpenLineage's namespace of every BigQuery table. Source: OpenLineage, naming."""

_READ = frozenset(
    {"kind", "etag", "id", "selfLink", "tableReference", "type", "schema", "description", "creationTime", "location"}
    | {"lastModifiedTime", "timePartitioning", "rangePartitioning", "friendlyName", "numLongTermBytes"}
    | {"numTimeTravelPhysicalBytes", "numCurrentPhysicalBytes"}
)


def read_reference(entry: dict[str, Json]) -> tuple[str, str, str] | None:
    """Return project, dataset and table of an entry of a list; None where one is missing."""
    names = tuple(text(member(entry, "tableReference"), name) for name in ("projectId", "datasetId", "tableId"))
    return (names[0], names[1], names[2]) if all(names) else None


def table_name(project: str, dataset: str, table: str) -> str:
    """Return the OpenLineage name of a table."""
    return f"{project}.{dataset}.{table}"


def read_table(payload: Json, name: str, source: SourceId) -> CatalogTable:
    """Read a table as returned by `tables.get`; numbers and times come as text."""
    entry = payload if isinstance(payload, dict) else {}
    external = member(entry, "externalDataConfiguration")
    lake = member(entry, "biglakeConfiguration")
    location = text(lake, "storageUri") or next(
        (uri for uri in items(external, "sourceUris") if isinstance(uri, str)), ""
    )
    place = location_name(location.split("*", 1)[0]) if location else None
    return CatalogTable(
        source=source,
        provider="google",
        namespace=NAMESPACE,
        name=name,
        kind=text(entry, "type"),
        table_format=(text(lake, "tableFormat") or text(external, "sourceFormat")).lower(),
        location=mask_location(location),
        description=text(entry, "description"),
        created=instant(entry.get("creationTime")),
        updated=instant(entry.get("lastModifiedTime")),
        parameters=parameters(entry | {"dataLocation": entry.get("location")}, _READ),
        partition_keys=_partition_keys(entry),
        symlinks=(place,) if place else (),
        columns=tuple(columns_of(_parts(objects(member(entry, "schema"), "fields"), 1))),
    )


def endpoint_of(reference: Json) -> Endpoint | None:
    """Name the dataset, or the column, that a link refers to; None where there is no name."""
    name = dataset_of(text(reference, "fullyQualifiedName"))
    steps = [step for step in items(reference, "field") if isinstance(step, str) and step]
    path = tuple(field_segment(step) for dotted in steps for step in dotted.split("."))
    return Endpoint(name, path or None) if name else None


def dataset_of(qualified: str) -> Name | None:
    """Return a fully qualified name as OpenLineage names the dataset; None for an empty one.

    Source: Google, fully qualified names: `system:parts`, a part with a dot in backticks.
    """
    system, _, rest = qualified.partition(":")
    if not rest:
        return None
    parts = _split(rest)
    match system:
        case "bigquery":
            return NAMESPACE, ".".join(parts)
        case "kafka" if len(parts) > 1:
            return f"kafka://{'.'.join(parts[:-1])}", parts[-1]
        case "pubsub":
            return "pubsub", ":".join([*rest.split(":")[:-1], *_split(rest.rpartition(":")[2])])
        case "path" | "gcs":
            return location_name(rest if "://" in rest else f"gs://{'/'.join(parts)}") or (system, rest)
        case _:
            return system, rest


def _split(text_: str) -> list[str]:
    """Split at the dots outside of backticks."""
    parts = [""]
    quoted = False
    for letter in text_:
        if letter == "`":
            quoted = not quoted
        elif letter == "." and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _parts(fields: list[dict[str, Json]], depth: int) -> tuple[Part, ...]:
    return tuple(_part(field, depth) for field in fields if text(field, "name"))


def _part(field: dict[str, Json], depth: int) -> Part:
    mode = text(field, "mode").upper()
    shape = _shape(field, depth)
    if mode == "REPEATED":
        shape = Shape(word="ARRAY", parts=(Part(segment=ELEMENT, shape=shape, nullable=False),))
    return Part(
        segment=field_segment(text(field, "name")),
        shape=shape,
        nullable=mode not in ("REQUIRED", "REPEATED"),
        doc=text(field, "description") or None,
        tags=tuple(tag for tag in items(member(field, "policyTags"), "names") if isinstance(tag, str)),
    )


def _shape(field: dict[str, Json], depth: int) -> Shape:
    kind = text(field, "type")
    numbers = [text(field, name) for name in ("precision", "scale", "maxLength") if text(field, name)]
    inner = _parts(objects(field, "fields"), depth + 1) if depth < DEEPEST else ()
    return Shape(word=kind, logical=f"{kind}({','.join(numbers)})" if numbers else None, parts=inner)


def _partition_keys(entry: dict[str, Json]) -> tuple[str, ...]:
    fields = (text(member(entry, name), "field") for name in ("timePartitioning", "rangePartitioning"))
    return tuple(name for name in fields if name)
