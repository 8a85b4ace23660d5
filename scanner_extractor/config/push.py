"""The member `push` of cluster.json: catalogs that lineage is pushed into."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_extractor.config.catalogs import aws_settings, aws_url
from scanner_extractor.config.http import http_errors, parse_http
from scanner_extractor.config.sections import (
    HTTP_MEMBERS,
    ParseContext,
    ValidationContext,
    flag,
    member_of,
    nonempty,
    text,
)
from scanner_extractor.http.messages import Json
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.settings.push import IdentityRow, PushSettings, Schemas
from scanner_model.documents.schema_errors import ErrorMessage

_PARTS = ("documentation", "owners", "tags")
_NEEDED = {
    "datahub": ("url",),
    "openmetadata": ("url",),
    "unity": ("url",),
    "google": ("parent",),
    "glue": ("region",),
    "datazone": ("region", "domain"),
}
"""The targets, each with the members that it needs."""
_AWS = frozenset({"glue", "datazone"})
_GOOGLE = "https://datalineage.googleapis.com"

_IDENTITY: Json = {
    "type": "object",
    "title": "Identity",
    "description": "How datasets of one namespace are named in the catalog.",
    "additionalProperties": False,
    "required": ["namespace"],
    "properties": {
        "namespace": text("Namespace", "An OpenLineage namespace, or its scheme.", "kafka://broker-1:9092", "kafka"),
        "platform": text("Platform", "DataHub's platform, or Unity Catalog's system type.", "kafka"),
        "instance": text("Instance", "DataHub's platform instance.", "retail"),
        "service": text("Service", "OpenMetadata's service.", "retail"),
        "lower_case": flag("Lower case", "Write names in lower case, as the catalog does.", default=False),
    },
}
PUSH_SCHEMA: Json = {
    "type": "object",
    "title": "Push",
    "description": "A catalog that `scanner push` writes lineage into.",
    "additionalProperties": False,
    "required": ["target"],
    "properties": {
        "target": {
            "title": "Target",
            "description": "The kind of catalog.",
            "type": "string",
            "enum": list(_NEEDED),
        },
        "url": text("Address", "The address of the catalog's API.", "https://datahub.example/api/gms"),
        "environment": text("Environment", "DataHub's environment of every dataset.", "PROD", default="PROD"),
        "region": text("Region", "Glue, DataZone: the AWS region.", "eu-central-1", pattern="^[a-z0-9-]+$"),
        "profile": nonempty("Profile", "Glue, DataZone: a profile of the AWS configuration files."),
        "endpoint_url": text("Endpoint", "Glue, DataZone: an endpoint other than the region's public one."),
        "domain": text("Domain", "DataZone: the id of the domain.", "dzd_4ab1", pattern="^dzd[-_][A-Za-z0-9_-]{1,36}$"),
        "parent": text("Place", "Google's projects/P/locations/L.", "projects/acme/locations/eu"),
        "write": {
            "title": "Write",
            "description": "What is written beside schemas and lineage.",
            "type": "array",
            "uniqueItems": True,
            "items": {"enum": list(_PARTS)},
            "examples": [["owners", "tags"]],
        },
        "schemas": {
            "title": "Schemas",
            "description": "Of which datasets schemas are written: of those without one, of all, of none.",
            "enum": list(Schemas),
            "default": "missing",
        },
        "after_scan": flag("After each scan", "`scanner watch` and `serve` push after each scan.", default=False),
        "identity": {
            "title": "Identity",
            "description": "How datasets are named.",
            "type": "array",
            "items": _IDENTITY,
        },
        **HTTP_MEMBERS,
    },
}


def push_errors(context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield what a JSON Schema cannot check of the member `push`, of any form."""
    listed = member_of(context.document, "push")
    items = [(("push", number), item) for number, item in enumerate(listed if isinstance(listed, list) else ())]
    yield from http_errors([(path, item) for path, item in items if isinstance(item, dict)], context)
    for path, item in items:
        target = member_of(item, "target")
        for name in _NEEDED.get(target, ()) if isinstance(target, str) else ():
            if name not in item:
                yield path, f"the target {target} needs {name!r}", f"add {name!r}"


def push_settings(item: Json, context: ParseContext) -> PushSettings:
    """Build the settings of one catalog from a valid *item*."""
    return PushSettings(
        target=item["target"],
        http=_http(item, context),
        identity=tuple(IdentityRow(**row) for row in item.get("identity", ())),
        environment=item.get("environment", "PROD"),
        parent=item.get("parent", ""),
        aws=aws_settings(item) if item["target"] in _AWS else None,
        domain=item.get("domain", ""),
        parts=frozenset(item.get("write", ())),
        schemas=Schemas(item.get("schemas", Schemas.MISSING)),
        after_scan=item.get("after_scan", False),
    )


def _http(item: Json, context: ParseContext) -> HttpSettings:
    if item["target"] == "google":
        return parse_http({"url": _GOOGLE} | item, context)
    if item["target"] in _AWS:
        return parse_http(item | {"url": aws_url(item["target"], aws_settings(item))}, context)
    return parse_http(item, context)
