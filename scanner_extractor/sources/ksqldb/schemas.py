"""Schemas of topics without a registry schema, from the declared columns of ksqlDB's collections."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator

from scanner_model.columns import Column
from scanner_model.ksqldb import KsqlSource, record_columns
from scanner_model.names import Fingerprint, Role, TopicName
from scanner_model.schemas import Confidence, Definition, TopicSchema

STRATEGY = "ksqldb"

Side = tuple[TopicName, Role]


def collection_schemas(
    collections: Iterable[KsqlSource], described: Collection[Side]
) -> tuple[tuple[Definition, TopicSchema], ...]:
    """Return a definition and its link for each side of a topic that is not in *described*.

    Collections over one topic are views of it: those with the same columns in the same format share one definition
    (with the statement of the first by name), others each add theirs. Header columns are no part of a schema.
    """
    views: dict[tuple[Side, str, tuple[Column, ...]], list[KsqlSource]] = {}
    for collection in sorted(collections, key=lambda item: (item.source, item.name)):
        for side, format_name, columns in _sides(collection):
            if columns and side not in described:
                views.setdefault((side, format_name, columns), []).append(collection)
    return tuple(
        _schema(side, format_name, columns, views[side, format_name, columns]) for side, format_name, columns in views
    )


def _sides(collection: KsqlSource) -> Iterator[tuple[Side, str, tuple[Column, ...]]]:
    for role, format_name in ((Role.KEY, collection.key_format), (Role.VALUE, collection.value_format)):
        yield (collection.topic, role), format_name, record_columns(collection, role)


def _schema(
    side: Side, format_name: str, columns: tuple[Column, ...], collections: list[KsqlSource]
) -> tuple[Definition, TopicSchema]:
    first, (topic, role) = collections[0], side
    parts = [STRATEGY, topic, role, format_name, first.statement, list(map(repr, columns))]
    text = json.dumps(parts, ensure_ascii=False).encode("utf-8", "surrogatepass")
    definition = Definition(
        fingerprint=Fingerprint(hashlib.sha256(text).hexdigest()),
        format=format_name,
        text=first.statement,
        columns=columns,
    )
    names = ", ".join(f"{collection.kind} {collection.name}" for collection in collections)
    link = TopicSchema(
        source=first.source,
        topic=topic,
        role=role,
        fingerprint=definition.fingerprint,
        strategy=STRATEGY,
        evidence=f"declared by ksqlDB's {names}",
        confidence=Confidence.DECLARED,
    )
    return definition, link
