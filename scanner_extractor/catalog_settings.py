"""From the `catalogs` of a cluster.json that was judged valid to frozen settings."""

from __future__ import annotations

from collections.abc import Callable

from scanner_extractor.exchange import Json
from scanner_extractor.settings import HttpSettings
from scanner_extractor.settings_catalogs import AwsSettings, CatalogSettings, Lineage, Wanted

ENDPOINTS = {"bigquery": "https://bigquery.googleapis.com", "datalineage": "https://datalineage.googleapis.com"}
"""Google's public endpoints by service."""

UNITY_REQUESTS_PER_SECOND = 10.0
"""About what Databricks takes of lineage requests."""

_AWS = ("glue", "datazone")
_OUTER = ("catalogs", "projects")
_INNER = ("schemas", "databases", "datasets")
_WORDS = ("name", "account", "domain", "location", "warehouse", "lineage_days")


def catalog_settings(item: Json, http: Callable[[Json], HttpSettings]) -> CatalogSettings:
    """Make the settings of one catalog; *http* makes those of an HTTP source of an item with `url`."""
    kind, aws = item["type"], _aws(item) if item["type"] in _AWS else None
    limit = {"requests_per_second": UNITY_REQUESTS_PER_SECOND} if kind == "unity" else {}
    return CatalogSettings(
        type=kind,
        http=http(limit | item | {"url": _url(item, aws)}),
        wanted=Wanted(catalogs=_globs(item, _OUTER), schemas=_globs(item, _INNER), tables=_globs(item, ("tables",))),
        lineage=Lineage(item.get("lineage", Lineage.TABLES)),
        aws=aws,
        endpoints=tuple(sorted((ENDPOINTS | item.get("endpoints", {})).items())) if kind == "google" else (),
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
