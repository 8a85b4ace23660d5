"""The queries of a search, built once: building them each time would cost more than running them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Select, bindparam, exists, func, literal, or_, select

from scanner_dictionary.schema import tables as t
from scanner_dictionary.search.names import COLUMN, NODE, SUBJECT, TOPIC

CANDIDATES = 200
"""Terms that are ranked; more begin with a very short word only."""

TOPICS_AT_ONCE = 50
_SUBJECT_TOPICS = 10
"""Topics that the hit of a subject lists at most."""

_WANTED: BindParameter[Any] = bindparam("keys", expanding=True)
_LINKED = (
    select(
        t.cluster.c.name.label("cluster"),
        t.topic.c.name.label("topic"),
        t.topic_schema.c.schema_role,
        t.topic_schema.c.registry_id,
    )
    .select_from(t.topic_schema)
    .join(t.topic, t.topic.c.id == t.topic_schema.c.topic_id)
    .join(t.cluster, t.cluster.c.id == t.topic.c.cluster_id)
    .where(t.topic_schema.c.is_current, t.topic_schema.c.gone.is_(None), t.topic.c.gone.is_(None))
)


def _first_topics(*conditions: ColumnElement[bool]) -> Select[Any]:
    """Return the query for the first topics of each of some definitions, by name."""
    link = t.topic_schema.c
    place = func.row_number().over(partition_by=link.definition_id, order_by=(t.topic.c.name, link.schema_role))
    listed = _LINKED.add_columns(link.definition_id, place.label("place"))
    of_definitions = link.definition_id.in_(bindparam("definitions", expanding=True))
    rows = listed.where(of_definitions, *conditions).subquery()
    return select(rows).where(rows.c.place <= TOPICS_AT_ONCE).order_by(rows.c.definition_id, rows.c.place)


TOPICS_OF_DEFINITIONS = _first_topics()
TOPICS_IN_CLUSTER = _first_topics(t.cluster.c.name == bindparam("cluster"))
SIDES_OF_TOPIC = _LINKED.add_columns(t.topic_schema.c.definition_id).where(
    t.cluster.c.name == bindparam("cluster"), t.topic.c.name == bindparam("topic")
)
TERMS_BY_WORD = (
    select(t.search_term.c.id, t.search_term.c.term)
    .join(t.search_word, t.search_word.c.term_id == t.search_term.c.id)
    .where(t.search_word.c.word >= bindparam("first"), t.search_word.c.word <= bindparam("last"))
    .order_by(t.search_word.c.word)
    .limit(CANDIDATES)
)
USES = (
    select(t.search_use.c.kind, t.search_use.c.term_id, t.search_use.c.entity_id)
    .where(
        t.search_use.c.kind.in_(bindparam("kinds", expanding=True)),
        t.search_use.c.term_id.in_(bindparam("terms", expanding=True)),
    )
    .order_by(t.search_use.c.kind, t.search_use.c.term_id, t.search_use.c.entity_id)
    .limit(bindparam("most"))
)
_OF_TERM = (t.search_use.c.kind == COLUMN) & (t.search_use.c.term_id == t.search_term.c.id)
TERMS_OF_COLUMNS = select(t.search_term.c.id).where(
    t.search_term.c.id.in_(bindparam("terms", expanding=True)), exists().where(_OF_TERM)
)
DEFINITIONS = (
    select(t.search_use.c.term_id, t.search_use.c.entity_id)
    .where(t.search_use.c.kind == COLUMN, t.search_use.c.term_id.in_(bindparam("terms", expanding=True)))
    .where(
        exists().where(
            t.topic_schema.c.definition_id == t.search_use.c.entity_id,
            t.topic_schema.c.is_current,
            t.topic_schema.c.gone.is_(None),
        )
    )
    .order_by(t.search_use.c.term_id, t.search_use.c.entity_id)
    .limit(bindparam("most"))
)
TOPIC_DOCS = (
    select(t.cluster.c.name, t.topic.c.name, t.topic.c.description, t.annotation.c.description)
    .select_from(t.topic)
    .join(t.cluster, t.cluster.c.id == t.topic.c.cluster_id)
    .outerjoin(
        t.annotation,
        (t.annotation.c.topic == t.topic.c.name)
        & (t.annotation.c.cluster_id == t.topic.c.cluster_id)
        & t.annotation.c.gone.is_(None),
    )
    .where(t.topic.c.gone.is_(None), t.topic.c.id.in_(bindparam("keys", expanding=True)))
    .order_by(t.topic.c.name)
)
_OF_SUBJECT = (
    select(
        t.subject.c.id.label("subject_id"),
        t.topic.c.name.label("topic"),
        func.dense_rank().over(partition_by=t.subject.c.id, order_by=t.topic.c.name).label("place"),
    )
    .select_from(t.subject)
    .join(
        t.topic_schema,
        (t.topic_schema.c.registry_id == t.subject.c.registry_id)
        & (t.topic_schema.c.subject == t.subject.c.name)
        & (t.topic_schema.c.context == t.subject.c.context),
    )
    .join(t.topic, t.topic.c.id == t.topic_schema.c.topic_id)
    .where(t.subject.c.id.in_(_WANTED), t.topic_schema.c.is_current, t.topic_schema.c.gone.is_(None))
    .where(t.topic.c.gone.is_(None))
    .distinct()
    .subquery()
)
TOPICS_OF_SUBJECTS = (
    select(_OF_SUBJECT.c.subject_id, _OF_SUBJECT.c.topic)
    .where(_OF_SUBJECT.c.place <= _SUBJECT_TOPICS)
    .order_by(_OF_SUBJECT.c.subject_id, _OF_SUBJECT.c.place)
)
COLUMN_DOCS = (
    select(t.schema_column.c.definition_id, t.schema_column.c.path, t.schema_column.c.doc)
    .where(
        t.schema_column.c.definition_id.in_(bindparam("definitions", expanding=True)),
        func.lower(t.schema_column.c.doc).like(bindparam("like"), escape="/"),
    )
    .order_by(t.schema_column.c.definition_id, t.schema_column.c.ordinal)
)
COLUMNS_LIKE = (
    select(t.schema_column.c.definition_id, t.schema_column.c.path, t.schema_column.c.name, t.schema_column.c.data_type)
    .where(
        t.schema_column.c.definition_id.in_(bindparam("definitions", expanding=True)),
        func.lower(t.schema_column.c.name).like(bindparam("like"), escape="/"),
    )
    .order_by(t.schema_column.c.definition_id, t.schema_column.c.ordinal)
)

_FLOW = t.flow_edge.c.kind.not_in(("contains", "has-schema"))
FLOWING = select(t.flow_node.c.node_key).where(
    t.flow_node.c.name.in_(bindparam("names", expanding=True)),
    t.flow_node.c.node_key.in_(bindparam("nodes", expanding=True)),
    or_(*(exists().where(end == t.flow_node.c.id, _FLOW) for end in t.flow_edge.c["source_node_id", "target_node_id"])),
)

ENTITIES: Mapping[int, Select[Any]] = {
    TOPIC: select(t.topic.c.id, literal("topic"), t.cluster.c.name, t.topic.c.name, t.topic.c.description, literal(""))
    .join(t.cluster, t.cluster.c.id == t.topic.c.cluster_id)
    .where(t.topic.c.gone.is_(None), t.topic.c.id.in_(_WANTED)),
    NODE: select(
        t.flow_node.c.id,
        t.flow_node.c.kind,
        t.flow_node.c.namespace,
        t.flow_node.c.name,
        literal(""),
        t.flow_node.c.node_key,
    ).where(t.flow_node.c.id.in_(_WANTED)),
    SUBJECT: select(
        t.subject.c.id, literal("subject"), t.cluster.c.name, t.subject.c.name, t.registry.c.url, literal("")
    )
    .join(t.registry, t.registry.c.id == t.subject.c.registry_id)
    .join(t.cluster, t.cluster.c.id == t.registry.c.cluster_id)
    .where(t.subject.c.gone.is_(None), t.subject.c.id.in_(_WANTED)),
}
"""For each kind: key, then the members of a hit up to its node, without the path."""
