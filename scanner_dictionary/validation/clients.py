"""Rules about clients: undeclared or unpermitted writers, unused topics, writers without a schema.

They find nothing where no client was observed: who uses a topic is unknown then.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, select

from scanner_dictionary.queries.clients import ClientRow, configured, observed, rules_of
from scanner_dictionary.schema import tables as t
from scanner_dictionary.validation.findings import Rule, Severity
from scanner_dictionary.validation.topics import without_schema
from scanner_model.client_names import OWN
from scanner_model.clients import Direction, IdentityKind

Occurrences = Iterator[tuple[str, str]]

_METRICS = "prometheus"
_SHOWN = 3


def unknown_writers(conn: Connection, cluster: int) -> Occurrences:
    """Find applications that were observed to write a topic, and that no rule of access permits, or nothing names.

    Only where there are such rules, or a mapping of applications: elsewhere every writer would be unknown.
    """
    name = _name(conn, cluster)
    acls = [rules for _, rules in rules_of(conn, name) if not rules.authorizer.decides_by_more]
    mapped = t.application_identity.c
    is_mapped = conn.scalar(select(mapped.id).where(mapped.cluster_id == cluster, mapped.gone.is_(None)).limit(1))
    for row in _writers(conn, name):
        for principal in sorted(_principals(row)):
            if acls and not any(rules.permitted(row.topic, "WRITE").allows(principal) for rules in acls):
                yield (
                    f"topic {row.topic}",
                    f"{row.application} writes it as {principal}, which no rule of access permits",
                )
        if is_mapped is not None and row.joined == OWN:
            yield f"topic {row.topic}", f"{row.application} writes it, and neither cluster.json nor a file names it"


def unused_topics(conn: Connection, cluster: int) -> Occurrences:
    """Find topics without any application, job or consumer group, where metrics of clients were read completely."""
    source, name = t.source.c, _name(conn, cluster)
    metrics = select(source.stale_since).where(source.cluster_id == cluster, source.kind == _METRICS)
    watching = conn.scalars(metrics).all()
    used = {row.topic for row in observed(conn, cluster=name)}
    if not used or not watching or any(since is not None for since in watching):
        return
    used |= {row.topic for row in configured(conn, cluster=name)}
    group, read = t.consumer_group.c, t.consumer_group_topic.c
    groups = select(read.topic_name).join(t.consumer_group, group.id == read.consumer_group_id)
    used.update(conn.scalars(groups.where(group.cluster_id == cluster, read.gone.is_(None))))
    topic = t.topic.c
    live = select(topic.name).where(topic.cluster_id == cluster, topic.gone.is_(None), topic.is_internal.is_(False))
    for name in conn.scalars(live.order_by(topic.name)):
        if name not in used:
            yield f"topic {name}", "no application, job or consumer group is known to read or write it"


def writers_without_schema(conn: Connection, cluster: int) -> Occurrences:
    """Find topics that an application was observed to write, and that no schema describes."""
    writers: dict[str, list[str]] = {}
    for row in _writers(conn, _name(conn, cluster)):
        writers.setdefault(f"topic {row.topic}", []).append(row.application)
    for where, _ in without_schema(conn, cluster) if writers else ():
        if where in writers:
            yield where, f"no schema describes it, and it is written by {', '.join(writers[where][:_SHOWN])}"


def _writers(conn: Connection, cluster: str) -> Iterator[ClientRow]:
    return (row for row in observed(conn, cluster=cluster) if row.use == Direction.WRITES)


def _principals(row: ClientRow) -> set[str]:
    """Return the principals of a client, as rules name them."""
    names = (identity.name for identity in row.identities if identity.kind == IdentityKind.PRINCIPAL)
    return {name if name.startswith("User:") else f"User:{name}" for name in names}


def _name(conn: Connection, cluster: int) -> str:
    return str(conn.execute(select(t.cluster.c.name).where(t.cluster.c.id == cluster)).scalar_one())


RULES = (
    Rule(
        name="unknown-writer",
        meaning="A client writes the topic without permission, or without being listed anywhere.",
        example_bad="client import-7 writes orders",
        example_good="client billing, listed in `applications`",
        severity=Severity.WARNING,
        hint="who is it? name it in cluster.json's `applications`; `scanner clients TOPIC` shows its names",
        find=unknown_writers,
    ),
    Rule(
        name="unused-topic",
        meaning="Client metrics were read, and no application, job or group uses the topic.",
        example_bad="orders-old, without readers and writers",
        example_good="orders, read by billing",
        severity=Severity.WARNING,
        hint="`scanner check --topic` says whether it may go; a client without metrics may use it",
        find=unused_topics,
    ),
    Rule(
        name="writer-without-schema",
        meaning="An application writes the topic, and no schema describes it.",
        example_bad="billing writes invoices, without subject",
        example_good="billing writes invoices, described by invoices-value",
        severity=Severity.WARNING,
        hint="ask the application's owner to register one",
        find=writers_without_schema,
    ),
)
