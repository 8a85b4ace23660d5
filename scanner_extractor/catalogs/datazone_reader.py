"""From the JSON of AWS DataZone to facts: assets with their columns, and the datasets that its lineage names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from scanner_extractor.catalogs.gathering import Name
from scanner_extractor.catalogs.hive_types import known_shape
from scanner_extractor.catalogs.payload import (
    items,
    location_name,
    moment,
    objects,
    parameters,
    shown_location,
    text,
)
from scanner_extractor.catalogs.shapes import Part, columns_of
from scanner_extractor.exchange import Json
from scanner_extractor.settings_catalogs import CatalogSettings
from scanner_model.catalogs import CatalogTable
from scanner_model.paths import field_segment
from scanner_model.redaction import mask_json, mask_text

ASSET = "amazon.datazone.asset/"
_ARN = re.compile(r"(?P<namespace>arn:[\w-]+:[\w-]+:[\w-]*:\d*):(?P<name>.+)")
_REDSHIFT = re.compile(r"arn:[\w-]+:redshift:(?P<region>[\w-]*):\d*:(?:table|view)/(?P<cluster>[^/]+)/(?P<name>.+)")
_READ = frozenset(
    {"id", "name", "externalIdentifier", "typeIdentifier", "description", "createdAt", "owningProjectId", "formsOutput"}
    | {"firstRevisionCreatedAt", "readOnlyFormsOutput", "latestTimeSeriesDataPointFormsOutput"}
)
_FORMS = ("formsOutput", "readOnlyFormsOutput")
_NAMES = ("columnName", "name")
_TYPES = ("dataType", "columnType", "type")
_DOCS = ("description", "columnDescription", "comment")
_PLACES = ("s3Path", "storageLocation", "location")


def read_asset(told: Json, settings: CatalogSettings) -> CatalogTable | None:
    """Read an asset as GetAsset gives it; None for an answer without an id.

    Columns and location stand in the forms of the asset, whose content is JSON text.
    """
    identity = text(told, "id")
    if not isinstance(told, dict) or not identity:
        return None
    forms = list(_forms(told))
    namespace, name = dataset_of(text(told, "externalIdentifier") or ASSET + identity, settings.domain)
    location = _first(forms, _PLACES)
    place = location_name(location)
    return CatalogTable(
        source=settings.source,
        provider="datazone",
        namespace=namespace,
        name=name,
        kind=text(told, "typeIdentifier"),
        location=shown_location(location),
        owner=text(told, "owningProjectId"),
        description=text(told, "description"),
        created=moment(told.get("firstRevisionCreatedAt") or told.get("createdAt")),
        updated=moment(told.get("createdAt")),
        parameters=parameters({"assetId": identity, "assetName": told.get("name")} | told, _READ),
        symlinks=(place,) if place else (),
        columns=tuple(columns_of(_parts(forms))),
    )


def dataset_of(identifier: str, domain: str) -> Name:
    """Give the source identifier of a lineage node, or of an asset, as OpenLineage names the dataset.

    It is an ARN, `namespace/name` of an OpenLineage event, or DataZone's own, whose namespace is the domain's.
    Source: AWS, the sourceIdentifier attribute of lineage nodes.
    """
    if match := _REDSHIFT.fullmatch(identifier):
        return f"redshift://{match['cluster']}.{match['region']}:5439", match["name"].replace("/", ".")
    if match := _ARN.fullmatch(identifier):
        return match["namespace"], match["name"]
    if place := location_name(identifier):
        return place
    scheme, mark, rest = identifier.partition("://")
    head, slash, name = (rest if mark else identifier).partition("/")
    if mark and slash and name:
        return f"{scheme}://{head}", name
    if identifier.startswith("amazon.datazone.") or not slash or not name:
        return f"datazone://{domain}", identifier
    return head, name


def hide_in_forms(body: bytes) -> bytes:
    """Hide what is secret in the contents of forms, which are JSON in a text, in an answer that has any."""
    told = json.loads(body) if b'"formsOutput"' in body or b'"readOnlyFormsOutput"' in body else None
    if not isinstance(told, dict):
        return body
    for form in (form for name in _FORMS for form in objects(told, name)):
        form["content"] = _hidden(text(form, "content"))
    return json.dumps(told).encode()


def _hidden(content: str) -> str:
    try:
        return json.dumps(mask_json(json.loads(content)))
    except (ValueError, RecursionError):
        return mask_text(content)


def _forms(told: dict[str, Json]) -> Iterator[dict[str, Json]]:
    """List the contents of the forms, those that people fill in first; one that is no JSON object is left out."""
    for name in _FORMS:
        for form in objects(told, name):
            try:
                content = json.loads(text(form, "content"))
            except (ValueError, RecursionError):
                continue
            if isinstance(content, dict):
                yield content


def _parts(forms: list[dict[str, Json]]) -> Iterator[Part]:
    """List the columns of the first form that has any."""
    columns = next((found for form in forms if (found := objects(form, "columns"))), [])
    for column in columns:
        if name := _first([column], _NAMES):
            doc = _first([column], _DOCS) or None
            shape = known_shape(_first([column], _TYPES))
            yield Part(segment=field_segment(name), shape=shape, doc=doc)


def _first(told: list[dict[str, Json]], names: tuple[str, ...]) -> str:
    return next((found for each in told for name in names if (found := text(each, name))), "")


def references(node: Json, direction: str) -> list[str]:
    """List the ids of the nodes next to a lineage node, `upstreamNodes` or `downstreamNodes`."""
    return [identity for each in items(node, direction) if (identity := text(each, "id"))]


def is_process(node: Json) -> bool:
    """Tell whether a lineage node is a job, or a run of one; anything else is data."""
    return "job" in text(node, "typeName").lower()


def process_name(node: Json) -> str:
    """Name the job of a lineage node; a run's own id is left out, as every run would be another job."""
    identifier = text(node, "sourceIdentifier")
    run = "jobrun" in text(node, "typeName").lower()
    return (identifier.rpartition("/")[0] if run and "/" in identifier else identifier) or text(node, "name")


def node_dataset(node: Json, domain: str) -> Name:
    """Name the dataset of a lineage node."""
    return dataset_of(text(node, "sourceIdentifier") or text(node, "id"), domain)
