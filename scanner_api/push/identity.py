"""How datasets are named in catalogs: by rows of `identity` in cluster.json, else by namespace and name."""

from __future__ import annotations

from typing import NamedTuple

from scanner_extractor.settings.push import IdentityRow, PushSettings
from scanner_model.columns import ELEMENT, KEY, MAP_VALUE, ColumnPath, field_name

_LOWER = frozenset({"snowflake"})
"""Schemes whose names DataHub's own sources write in lower case."""
_BUCKETS = frozenset({"s3", "gs", "abfss"})
"""Schemes whose namespace holds the bucket, which catalogs keep in the name."""


class Identity(NamedTuple):
    """How a dataset is named: *row* is the row of the configuration that applies, None for defaults.

    *platform* is empty unless the row has one: the word of the catalog for the *scheme*.
    """

    scheme: str
    platform: str
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
    placed = f"{authority}/{name.lstrip('/')}" if scheme in _BUCKETS else name
    is_lower = row.lower_case if row else scheme in _LOWER
    return Identity(
        scheme=scheme,
        platform=row.platform if row else "",
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
