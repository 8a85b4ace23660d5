"""How datasets are named in catalogs: rows of `identity` in cluster.json, and defaults by the scheme of a namespace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from scanner_extractor.settings.push import IdentityRow, PushSettings
from scanner_model.columns import ELEMENT, KEY, MAP_VALUE, ColumnPath, field_name

_SYSTEMS: Mapping[str, tuple[str, str]] = {
    "abfss": ("abs", "OTHER"),
    "bigquery": ("bigquery", "GOOGLE_BIGQUERY"),
    "cassandra": ("cassandra", "OTHER"),
    "clickhouse": ("clickhouse", "OTHER"),
    "db2": ("db2", "OTHER"),
    "elasticsearch": ("elasticsearch", "OTHER"),
    "gs": ("gcs", "OTHER"),
    "hive": ("hive", "OTHER"),
    "kafka": ("kafka", "KAFKA"),
    "mongodb": ("mongodb", "MONGODB"),
    "mysql": ("mysql", "MYSQL"),
    "oracle": ("oracle", "ORACLE"),
    "postgres": ("postgres", "POSTGRESQL"),
    "redshift": ("redshift", "AMAZON_REDSHIFT"),
    "s3": ("s3", "OTHER"),
    "snowflake": ("snowflake", "SNOWFLAKE"),
    "sqlserver": ("mssql", "MICROSOFT_SQL_SERVER"),
    "teradata": ("teradata", "TERADATA"),
    "trino": ("trino", "OTHER"),
    "unitycatalog": ("databricks", "DATABRICKS"),
}
"""DataHub's platform and Unity Catalog's system type of each scheme of OpenLineage's namespaces."""
_LOWER = frozenset({"snowflake"})
"""Schemes whose names DataHub's own sources write in lower case."""
_BUCKETS = frozenset({"s3", "gs", "abfss"})
"""Schemes whose namespace holds the bucket, which catalogs keep in the name."""


class Identity(NamedTuple):
    """How a dataset is named: *row* is the row of the configuration that applies, None for defaults."""

    scheme: str
    platform: str
    system: str
    instance: str
    service: str
    name: str
    row: IdentityRow | None


def identity_of(settings: PushSettings, namespace: str, name: str) -> Identity:
    """Return how a dataset is named; the row of its whole namespace counts before that of its scheme."""
    scheme, _, authority = namespace.partition("://")
    scheme = scheme.partition(":")[0]
    rows = {row.namespace: row for row in reversed(settings.identity)}
    row = rows.get(namespace) or rows.get(scheme)
    platform, system = _SYSTEMS.get(scheme, (scheme, "OTHER"))
    placed = f"{authority}/{name.lstrip('/')}" if scheme in _BUCKETS else name
    is_lower = row.lower_case if row else scheme in _LOWER
    return Identity(
        scheme=scheme,
        platform=row.platform if row and row.platform else platform,
        system=row.platform.upper() if row and row.platform else system,
        instance=row.instance if row else "",
        service=row.service if row else "",
        name=placed.lower() if is_lower else placed,
        row=row,
    )


def own_names(path: ColumnPath) -> tuple[str, ...]:
    """Return the names of the fields of a path: marks of arrays, maps and union branches left out, `@key` kept."""
    names = (segment if segment == KEY else field_name(segment) for segment in path if segment not in _MARKS)
    return tuple(name for name in names if name is not None)


_MARKS = frozenset({ELEMENT, MAP_VALUE})
