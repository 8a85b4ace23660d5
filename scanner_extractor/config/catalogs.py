"""The `catalogs` of cluster.json: settings, and what a JSON Schema cannot check of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from scanner_extractor.http.messages import Json
from scanner_extractor.settings.catalogs import AwsSettings, CatalogSettings, Lineage, Wanted
from scanner_extractor.settings.cluster import HttpSettings
from scanner_model.documents.schema_errors import ErrorMessage, JsonPath, Shown, closest_match

_WEB = frozenset({"url", "auth", "headers"})
_AWS = frozenset({"region", "profile", "endpoint_url"})
_OWN: Mapping[str, frozenset[str]] = {
    "unity": _WEB | {"catalogs", "schemas", "tables", "lineage", "warehouse", "lineage_days"},
    "glue": _AWS | {"account", "databases", "tables"},
    "google": frozenset({"auth", "projects", "datasets", "tables", "lineage", "location", "endpoints"}),
    "datazone": _AWS | {"domain", "tables", "lineage"},
}
"""The members that only some kinds have, by kind."""
_SPECIAL = frozenset().union(*_OWN.values())
_IDENTITY = ("type", "url", "region", "profile", "endpoint_url", "account", "domain", "projects")


def catalog_errors(
    items: Sequence[tuple[JsonPath, Json]], shown: Shown, types: Collection[str]
) -> Iterator[ErrorMessage]:
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
    if isinstance(kind, str) and kind not in types:
        known = sorted(types)
        hint = closest_match(kind, known) or f"known: {', '.join(known)}"
        yield (*path, "type"), f"{shown((*path, 'type'))} is no kind of catalog", hint
    elif isinstance(kind, str) and kind not in _OWN and "url" not in item:
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
_INNER = ("schemas", "databases", "datasets")
_WORDS = ("name", "account", "domain", "location", "warehouse", "lineage_days")


def catalog_settings(item: Json, http: Callable[[Json], HttpSettings]) -> CatalogSettings:
    """Build the settings of one catalog; *http* makes those of an HTTP source of an item with `url`."""
    kind, aws = item["type"], _aws(item) if item["type"] in _AWS_SETTINGS else None
    limit = {"requests_per_second": UNITY_REQUESTS_PER_SECOND} if kind == "unity" else {}
    return CatalogSettings(
        type=kind,
        http=http(limit | item | {"url": _url(item, aws)}),
        wanted=Wanted(catalogs=_globs(item, _OUTER), schemas=_globs(item, _INNER), tables=_globs(item, ("tables",))),
        lineage=Lineage(item.get("lineage", Lineage.TABLES)),
        aws=aws,
        endpoints=tuple(sorted((ENDPOINTS | item.get("endpoints", {})).items())) if kind == "google" else (),
        options=item.get("options", {}),
        **{name: item[name] for name in _WORDS if name in item},
    )


def _aws(item: Json) -> AwsSettings:
    return AwsSettings(**{name: item[name] for name in ("region", "profile", "endpoint_url") if name in item})


def _url(item: Json, aws: AwsSettings | None) -> str:
    if aws:
        return aws.endpoint_url or f"https://{item['type']}.{aws.region}.amazonaws.com"
    return str(item.get("url", "https://googleapis.com"))


def _globs(item: Json, members: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({pattern for name in members for pattern in item.get(name, ())}))
