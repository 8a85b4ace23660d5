"""Rules about topics, subjects and consumer groups: missing or ambiguous schemas, references and topics."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, exists, func, select

from scanner_dictionary.engine.rows import in_chunks
from scanner_dictionary.schema import tables as t
from scanner_dictionary.validation.findings import Rule, Severity
from scanner_model.lazy_names import deferred
from scanner_model.schemas import qualified_subject

Occurrences = Iterator[tuple[str, str]]

_NEWEST = -1
"""The version that a reference to the newest one names."""

_topic, _link, _subject, _version = t.topic.c, t.topic_schema.c, t.subject.c, t.subject_version.c


def without_schema(conn: Connection, cluster: int) -> Occurrences:
    """Find topics that no schema describes now; internal ones have none by design."""
    described = exists().where(_link.topic_id == _topic.id, _link.gone.is_(None), _link.is_current)
    query = select(_topic.name).where(
        _topic.cluster_id == cluster, _topic.gone.is_(None), ~_topic.is_internal, ~described
    )
    for name in conn.scalars(query.order_by(_topic.name)):
        yield f"topic {name}", "no schema describes it"


def without_topic(conn: Connection, cluster: int) -> Occurrences:
    """Find subjects that describe no topic and that no other schema refers to."""
    bound = exists().where(
        _link.registry_id == _subject.registry_id,
        _link.subject == _subject.name,
        _link.context == _subject.context,
        _link.gone.is_(None),
    )
    query = (
        select(_subject.registry_id, _subject.context, _subject.name)
        .join(t.registry, t.registry.c.id == _subject.registry_id)
        .where(t.registry.c.cluster_id == cluster, _subject.gone.is_(None), ~_subject.deleted, ~bound)
    )
    alone = conn.execute(query.order_by(_subject.context, _subject.name)).all()
    referred = {(row.registry_id, row.subject) for row in _references(conn, cluster)} if alone else set()
    for registry, context, name in alone:
        if referred.isdisjoint({(registry, name), (registry, _qualified(context, name))}):
            yield (
                f"subject {qualified_subject(context, name)!r}",
                "no known topic is described by it, and no schema refers to it",
            )


def ambiguous(conn: Connection, cluster: int) -> Occurrences:
    """Find sides of topics with several schemas that no rule decides between."""
    query = (
        select(_topic.name, _link.schema_role, func.count())
        .join(t.topic, _topic.id == _link.topic_id)
        .where(_topic.cluster_id == cluster, _link.gone.is_(None), _link.is_current, _link.confidence == "ambiguous")
        .group_by(_topic.name, _link.schema_role)
    )
    for name, role, count in conn.execute(query.order_by(_topic.name, _link.schema_role)):
        yield f"topic {name}", f"{count} schemas may be its {role}, and nothing decides which"


def dangling_references(conn: Connection, cluster: int) -> Occurrences:
    """Find references of live versions to a version that its registry does not have."""
    references = _references(conn, cluster)
    existing = _versions(conn, {name for row in references for name in _possible_names(row.subject)})
    for row in references:
        names = {row.subject, _qualified(row.context, row.subject)}
        versions = set().union(*(existing.get((row.registry_id, name), ()) for name in names))
        if row.wanted not in versions and not (row.wanted == _NEWEST and versions):
            where = f"subject {qualified_subject(row.context, row.name)!r} version {row.version}"
            what = f"{row.used!r} refers to {row.subject} version {row.wanted}, which the registry does not have"
            yield where, what


def _possible_names(subject: str) -> Iterator[str]:
    """Yield the names that a reference may mean: the whole, and what follows each colon, which may end a context."""
    yield subject
    yield from (subject[at + 1 :] for at, letter in enumerate(subject) if letter == ":")


def _references(conn: Connection, cluster: int) -> Sequence[Any]:
    """Return the references of all live versions."""
    reference = t.schema_reference.c
    query = (
        select(
            _subject.registry_id,
            _subject.context,
            _subject.name,
            _version.version,
            reference.name.label("used"),
            reference.subject,
            reference.version.label("wanted"),
        )
        .select_from(t.schema_reference)
        .join(t.subject_version, _version.id == reference.subject_version_id)
        .join(t.subject, _subject.id == _version.subject_id)
        .join(t.registry, t.registry.c.id == _subject.registry_id)
        .where(t.registry.c.cluster_id == cluster, _version.gone.is_(None), _version.deleted.is_(False))
        .order_by(_subject.context, _subject.name, _version.version, reference.ordinal)
    )
    return conn.execute(query).all()


def _versions(conn: Connection, names: Collection[str]) -> Mapping[tuple[int, str], set[int]]:
    """Return the versions of the subjects of these names, by registry and by plain and qualified name."""
    versions: dict[tuple[int, str], set[int]] = {}
    columns = (_subject.registry_id, _subject.context, _subject.name, _version.version)
    query = select(*columns).join(t.subject, _subject.id == _version.subject_id).where(_version.gone.is_(None))
    for chunk in in_chunks(sorted(names), 500):
        for registry, context, name, number in conn.execute(query.where(_subject.name.in_(chunk))):
            for known in (_qualified(context, name), name):
                versions.setdefault((registry, known), set()).add(number)
    return versions


def groups_on_missing_topics(conn: Connection, cluster: int) -> Occurrences:
    """Find consumer groups that read a topic which is not there."""
    group, read = t.consumer_group.c, t.consumer_group_topic.c
    topic_exists = and_(_topic.cluster_id == cluster, _topic.name == read.topic_name, _topic.gone.is_(None))
    query = (
        select(group.name, read.topic_name)
        .join(t.consumer_group, group.id == read.consumer_group_id)
        .where(group.cluster_id == cluster, read.gone.is_(None), group.gone.is_(None), ~exists().where(topic_exists))
        .where(topics_are_listed(cluster))
    )
    for name, topic in conn.execute(query.order_by(group.name, read.topic_name)):
        yield f"consumer group {name}", f"it reads the topic {topic!r}, which is not there"


def topics_are_listed(cluster: int) -> ColumnElement[bool]:
    """Return the condition that a source lists the topics of the brokers, so that others do not exist."""
    return exists().where(_topic.cluster_id == cluster, _topic.partitions.is_not(None), _topic.gone.is_(None))


def _qualified(context: str, name: str) -> str:
    return f":{context}:{name}"


RULES = (
    Rule(
        name="topic-without-schema",
        meaning="No schema describes the topic.",
        example_bad="orders, without subject",
        example_good="orders and orders-value",
        severity=Severity.WARNING,
        hint="register one, map its subject in cluster.json's `naming.subjects`, or describe it by manual input",
        find=without_schema,
    ),
    Rule(
        name="unused-version",
        meaning="An old version of a subject is in no examined record and in no scanned file.",
        example_bad="orders-value versions 1 and 2, all records have version 2, and are kept for 7 days",
        example_good="orders-value version 2",
        severity=Severity.WARNING,
        hint="`scanner check --subject NAME --version N` lists what else refers to it; then delete it",
        find=deferred("scanner_dictionary.queries.version_use:unused_versions"),
    ),
    Rule(
        name="subject-without-topic",
        meaning="A subject describes no known topic, and no schema refers to it.",
        example_bad="order_v1",
        example_good="orders-value",
        severity=Severity.WARNING,
        hint="`scanner explain subject` shows which rules were tried; name its topics in `naming.subjects`",
        find=without_topic,
    ),
    Rule(
        name="ambiguous-schema",
        meaning="Several schemas claim the same side of a topic.",
        example_bad="orders-value and com.acme.Order both describe orders",
        example_good="orders-value describes orders",
        severity=Severity.WARNING,
        hint="name the topic in `naming.subjects`, or declare the schema by manual input",
        find=ambiguous,
    ),
    Rule(
        name="dangling-reference",
        meaning="A live schema refers to a version that its registry does not have.",
        example_bad="references: money.proto version 3, deleted",
        example_good="references: money.proto version 2",
        severity=Severity.ERROR,
        hint="register the version that it refers to; its columns are unknown until then",
        find=dangling_references,
    ),
    Rule(
        name="group-on-missing-topic",
        meaning="A consumer group has offsets on a topic that does not exist.",
        example_bad="billing reads orders-old",
        example_good="billing reads orders",
        severity=Severity.WARNING,
        hint="delete the group's offsets, or find out who deleted the topic",
        find=groups_on_missing_topics,
    ),
)
