"""Annotations in stream catalogs: tags, owner and description of topics, tags of the fields of schemas."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from sqlalchemy import Connection, select

from scanner_dictionary.schema import tables as t
from scanner_model.column_path import ColumnPath
from scanner_model.columns import Column


class CatalogAnnotations(NamedTuple):
    """Annotations of a topic, of several catalogs those of the first that has one; tags are those of all, by name."""

    tags: tuple[str, ...] = ()
    owner: str = ""
    description: str = ""

    def beside(self, tags: tuple[str, ...], description: str) -> CatalogAnnotations:
        """Add annotations of the topic from other sources, which take precedence."""
        return CatalogAnnotations(
            tuple(dict.fromkeys((*tags, *self.tags))), self.owner, description or self.description
        )


NOTHING = CatalogAnnotations()


def catalog_annotations(
    conn: Connection, *, cluster: int | None = None, topic: str | None = None
) -> Mapping[tuple[int, str], CatalogAnnotations]:
    """Return the annotations of each topic, by cluster and name: of all, or of one *topic* of *cluster*."""
    note = t.annotation.c
    query = select(note.cluster_id, note.topic, note.tags, note.owner, note.description).where(
        note.topic.is_not(None), note.gone.is_(None)
    )
    query = query if topic is None else query.where(note.cluster_id == cluster, note.topic == topic)
    found: dict[tuple[int, str], CatalogAnnotations] = {}
    for cluster_id, name, tags, owner, description in conn.execute(query.order_by(note.id)):
        known = found.get((cluster_id, name), NOTHING)
        every = tuple(sorted({*known.tags, *json.loads(tags)}))
        found[cluster_id, name] = CatalogAnnotations(every, known.owner or owner, known.description or description)
    return found


FieldTags = Mapping[tuple[str, str], Mapping[ColumnPath, tuple[str, ...]]]
"""Tags of fields by path, for each schema's id and record."""


def field_tags(conn: Connection, cluster: int) -> FieldTags:
    """Return the tags of fields of records that schemas of *cluster*'s registries have."""
    note = t.annotation.c
    query = select(note.schema_id, note.record, note.path, note.tags).where(
        note.cluster_id == cluster, note.path.is_not(None), note.schema_id.is_not(None), note.gone.is_(None)
    )
    found: dict[tuple[str, str], dict[ColumnPath, tuple[str, ...]]] = {}
    for schema_id, record, path, tags in conn.execute(query.order_by(note.id)):
        fields, where = found.setdefault((schema_id, record or ""), {}), tuple(json.loads(path))
        fields[where] = tuple(sorted({*fields.get(where, ()), *json.loads(tags)}))
    return found


def tagged(columns: tuple[Column, ...], tags: Mapping[ColumnPath, tuple[str, ...]]) -> tuple[Column, ...]:
    """Add the catalog's tags to those in the schema."""
    return tuple(
        replace(each, tags=tuple(dict.fromkeys((*each.tags, *tags[each.path])))) if each.path in tags else each
        for each in columns
    )
