"""The `catalogs` of cluster.json."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

from scanner_extractor.catalogs import CATALOGS
from scanner_extractor.catalogs.aws import aws_settings, aws_url
from scanner_extractor.config.http import address_errors, parse_http
from scanner_extractor.config.sections import (
    HTTP_MEMBERS,
    OPTIONS,
    Items,
    ParseContext,
    Section,
    ValidationContext,
    alias_errors,
    count,
    name_list,
    nonempty,
    object_of,
    option_errors,
    text,
    unknown_type,
)
from scanner_extractor.http.messages import Json
from scanner_extractor.settings.sources import AwsSettings, CatalogSettings, Lineage, Wanted
from scanner_extractor.source_kind import (
    CATALOG,
    typed_kind,
)
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath, Shown

if TYPE_CHECKING:
    pass


def _needs_url(kind: str, description: str) -> Json:
    """Return the JSON Schema by which catalogs of a type have a `url`."""
    return {
        "if": {"properties": {"type": {"const": kind}}, "required": ["type"]},
        "then": {"required": ["url"], "properties": {"url": {"description": description}}},
    }


_CATALOG: Json = object_of(
    "Catalog of tables",
    "One catalog of tables.",
    {
        "type": nonempty(
            "Kind",
            "Catalog type: unity, glue, google, datazone, iceberg, clickhouse, druid, pinot.",
            "unity",
        ),
        "name": nonempty(
            "Name",
            "Name of the source. Keep it when the address changes.",
            "lakehouse",
        ),
        "url": text(
            "Address",
            "Databricks workspace, Iceberg catalog, ClickHouse HTTP interface, Druid router or Pinot controller.",
            "https://adb-1.2.azuredatabricks.net",
            "http://clickhouse:8123",
        ),
        **HTTP_MEMBERS,
        "requests_per_second": {
            "title": "Rate limit",
            "description": "Maximum requests per second; 10 for unity, else unlimited by default.",
            "type": "number",
            "exclusiveMinimum": 0,
        },
        "catalogs": name_list("Catalogs", "Unity: names or patterns; all by default.", "main"),
        "schemas": name_list("Schemas", "Unity: names or patterns; all by default.", "sales*"),
        "databases": name_list("Databases", "Glue, ClickHouse: names or patterns; all by default.", "lake"),
        "projects": name_list("Projects", "Google: projects to read; required, no patterns.", "acme-analytics"),
        "datasets": name_list("Datasets", "Google: names or patterns; all by default.", "sales*"),
        "tables": name_list("Tables", "Names or patterns of tables; all by default.", "orders*"),
        "namespaces": name_list(
            "Namespaces", "Iceberg: names or patterns, levels joined by dots; all by default.", "sales.*"
        ),
        "aliases": name_list(
            "Other addresses",
            "Other addresses of the server in connectors and jobs: host or host:port; for Iceberg other `uri`s.",
            "clickhouse-1:8443",
        ),
        "lineage": {
            "title": "Lineage",
            "description": "Lineage to read. `columns` needs more requests. Glue has none, DataZone no columns.",
            "enum": ["none", "tables", "columns"],
            "default": "tables",
        },
        "options": OPTIONS,
        "warehouse": nonempty(
            "Warehouse",
            "Unity: ID of a SQL warehouse to read all lineage from system.access. Iceberg: the catalog's warehouse.",
        ),
        "lineage_days": count("Days of lineage", "Unity: days of lineage in the system tables.", 365, 90),
        "region": text("Region", "Glue, DataZone: the AWS region; required.", "eu-central-1", pattern="^[a-z0-9-]+$"),
        "account": text(
            "Account",
            "Glue: AWS account of the catalog; that of the credentials by default.",
            "123456789012",
            pattern="^[0-9]{12}$",
        ),
        "profile": nonempty(
            "Profile",
            "Glue, DataZone: profile in the AWS configuration files.",
        ),
        "endpoint_url": text(
            "Endpoint",
            "Glue, DataZone: another endpoint, such as a VPC endpoint.",
            "https://vpce-1.glue.eu-central-1.vpce.amazonaws.com",
        ),
        "domain": text("Domain", "DataZone: ID of the domain.", "dzd_4ab1", pattern="^dzd[-_][A-Za-z0-9_-]{1,36}$"),
        "location": nonempty("Location", "Google: location of the lineage; by default that of each dataset.", "eu"),
        "endpoints": object_of(
            "Endpoints",
            "Google: other addresses, by service: bigquery, datalineage.",
            {
                "bigquery": text(
                    "BigQuery", "The address of the BigQuery API.", "https://bigquery-lake.p.googleapis.com"
                ),
                "datalineage": text(
                    "Data Lineage", "The address of the Data Lineage API.", "https://datalineage-lake.p.googleapis.com"
                ),
            },
        ),
    },
    required=["type"],
) | {
    "allOf": [
        _needs_url("unity", "The address of the Databricks workspace."),
        _needs_url("clickhouse", "The address of ClickHouse's HTTP interface."),
        _needs_url("druid", "The address of Druid's router or overlord."),
        _needs_url("pinot", "The address of Pinot's controller."),
        _needs_url("iceberg", "The address of the Iceberg REST catalog."),
        {
            "if": {"properties": {"type": {"const": "glue"}}, "required": ["type"]},
            "then": {
                "required": ["region"],
                "properties": {"region": {"description": "Glue, DataZone: the AWS region; required."}},
            },
        },
        {
            "if": {"properties": {"type": {"const": "google"}}, "required": ["type"]},
            "then": {
                "required": ["projects"],
                "properties": {"projects": {"description": "Google: projects to read; required, no patterns."}},
            },
        },
        {
            "if": {"properties": {"type": {"const": "datazone"}}, "required": ["type"]},
            "then": {
                "required": ["region", "domain"],
                "properties": {
                    "region": {"description": "Glue, DataZone: the AWS region; required."},
                    "domain": {"description": "DataZone: ID of the domain."},
                },
            },
        },
    ]
}

_WEB = frozenset({"url", "auth", "headers"})
_AWS = frozenset({"region", "profile", "endpoint_url"})
_OWN: Mapping[str, frozenset[str]] = {
    "unity": _WEB | {"catalogs", "schemas", "tables", "lineage", "warehouse", "lineage_days"},
    "clickhouse": _WEB | {"databases", "tables", "aliases"},
    "druid": _WEB | {"tables", "aliases"},
    "pinot": _WEB | {"tables", "aliases"},
    "iceberg": _WEB | {"namespaces", "tables", "aliases", "warehouse"},
    "glue": _AWS | {"account", "databases", "tables"},
    "google": frozenset({"auth", "projects", "datasets", "tables", "lineage", "location", "endpoints"}),
    "datazone": _AWS | {"domain", "tables", "lineage"},
}
"""The members that only some kinds have, by kind."""
_SPECIAL = frozenset().union(*_OWN.values())
_IDENTITY = ("type", "url", "region", "profile", "endpoint_url", "account", "domain", "projects", "warehouse")


_URI = {"form": r"https?://[^\s/@?#]+(?:/[^\s@?#]*)?", "hint": "write the `uri` of another client, without user"}
_ADDRESSES = (("endpoint_url",), ("endpoints", "bigquery"), ("endpoints", "datalineage"))


def validate_catalogs(items: Items, context: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield unknown types, members that are not for the type, wrong addresses, and catalogs declared twice."""
    yield from catalog_errors(items, context.shown, tuple(CATALOGS))
    for path, item in items:
        yield from option_errors(path, item, CATALOGS, context.shown)
        yield from alias_errors(path, item, context.shown, **(_URI if item.get("type") == "iceberg" else {}))
        for steps in _ADDRESSES:
            yield from address_errors(path, item, steps, context)


def catalog_errors(items: Items, shown: Shown, types: Collection[str]) -> Iterator[ErrorMessage]:
    """Yield what is wrong with catalogs of any form, each with its position; *types* are the existing types."""
    identities: set[str] = set()
    for path, item in items:
        yield from _kind(path, item, shown, types)
        own = item.get("name")
        mark = own if isinstance(own, str) else json.dumps([item.get(name) for name in _IDENTITY], sort_keys=True)
        if mark in identities:
            hint = "the name is its identity: change one" if own == mark else "keep one of them, or give each a `name`"
            yield (*path, *(("name",) if own == mark else ())), "this catalog is named twice", hint
        identities.add(mark)


def _kind(path: JsonPath, item: Json, shown: Shown, types: Collection[str]) -> Iterator[ErrorMessage]:
    kind = item.get("type")
    yield from unknown_type(path, item, "catalog", types, shown)
    if isinstance(kind, str) and kind in types and kind not in _OWN and "url" not in item:
        yield path, "'url' is missing", "a plug-in reads its catalog there"
    if isinstance(kind, str) and kind in _OWN:
        for name in sorted((_SPECIAL - _OWN[kind]) & item.keys()):
            whose = ", ".join(sorted(kind for kind, members in _OWN.items() if name in members))
            yield (*path, name), f"{name!r} is not for catalogs of type {kind}", f"leave it out; it is for {whose}"


ENDPOINTS = {"bigquery": "https://bigquery.googleapis.com", "datalineage": "https://datalineage.googleapis.com"}
"""Google's public endpoints by service."""

UNITY_REQUESTS_PER_SECOND = 10.0
"""About what Databricks takes of lineage requests."""

_AWS_SETTINGS = ("glue", "datazone")
_OUTER = ("catalogs", "projects")
_INNER = ("schemas", "databases", "datasets", "namespaces")
_WORDS = ("name", "account", "domain", "location", "warehouse", "lineage_days")


def parse_catalog(item: Json, context: ParseContext) -> CatalogSettings:
    """Return the settings of one catalog."""
    kind, aws = item["type"], aws_settings(item) if item["type"] in _AWS_SETTINGS else None
    limit = {"requests_per_second": UNITY_REQUESTS_PER_SECOND} if kind == "unity" else {}
    return CatalogSettings(
        type=kind,
        http=parse_http(limit | item | {"url": _url(item, aws)}, context),
        wanted=Wanted(catalogs=_globs(item, _OUTER), schemas=_globs(item, _INNER), tables=_globs(item, ("tables",))),
        lineage=Lineage(item.get("lineage", Lineage.TABLES)),
        aws=aws,
        endpoints=tuple(sorted((ENDPOINTS | item.get("endpoints", {})).items())) if kind == "google" else (),
        options=item.get("options", {}),
        aliases=tuple(item.get("aliases", ())),
        **{name: item[name] for name in _WORDS if name in item},
    )


def _url(item: Json, aws: AwsSettings | None) -> str:
    if aws:
        return aws_url(item["type"], aws)
    return str(item.get("url", "https://googleapis.com"))


def _globs(item: Json, members: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({pattern for name in members for pattern in item.get(name, ())}))


CATALOG_SECTION = Section(
    member="catalogs",
    listing={
        "title": "Catalogs of tables",
        "description": "Table catalogs, and the engines ClickHouse, Druid and Pinot.",
    },
    schema=_CATALOG,
    parse=parse_catalog,
    validate=validate_catalogs,
)


if TYPE_CHECKING:
    pass


CATALOGS_OF_TABLES = typed_kind("catalog", CATALOG, CATALOG_SECTION, CatalogSettings, CATALOGS)
