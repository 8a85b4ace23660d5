"""Resolves the names that users write, of brokers, clusters and topics, to rows of the dictionary."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from heapq import nlargest
from itertools import pairwise
from typing import NamedTuple

from sqlalchemy import Connection, exists, func, or_, select

from scanner_dictionary.graph.store import topic_level
from scanner_dictionary.schema import tables as t
from scanner_dictionary.search.names import all_names, names_near
from scanner_model.errors import InputInvalid, NameUnknown
from scanner_model.names import SourceId, broker_addresses

MENTIONED = SourceId("data flow")
"""The source of a topic that only jobs mention, such as one of a connector: no source lists it."""

_CANDIDATES = 30
_SHOWN = 3
_SHOWN_CLUSTERS = 20


def suggestions(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """List up to three of *known* that look like *name*, nearest first; letter case does not matter.

    Comparing letter by letter is slow, so only those are compared that share most pairs of letters, for their length:
    a long name has many pairs.
    """
    pairs = pairs_of(name)

    def likeness(candidate: str) -> tuple[float, str]:
        others = pairs_of(candidate)
        return len(pairs & others) / (len(pairs) + len(others) or 1), candidate

    candidates = nlargest(_CANDIDATES, set(known), key=likeness)
    lower: dict[str, list[str]] = {}
    for candidate in candidates:
        lower.setdefault(candidate.lower(), []).append(candidate)
    close = get_close_matches(name.lower(), lower, n=_SHOWN, cutoff=0.5)
    return tuple(candidate for word in close for candidate in sorted(lower[word]))[:_SHOWN]


def nearest_names(conn: Connection, text: str) -> tuple[str, ...]:
    """List up to three names in the index that look like *text*, nearest first."""
    near = names_near(conn, text)
    return suggestions(text, all_names(conn) if near is None else near)


def unknown_name(
    kind: str, name: str, known: Iterable[str], otherwise: str, location: str = "the dictionary"
) -> NameUnknown:
    """Return the error that *location* has no such name; the hint is the nearest of *known*, or else *otherwise*."""
    similar = suggestions(name, known)
    hint = f"did you mean {' or '.join(map(repr, similar))}?" if similar else otherwise
    return NameUnknown(f"{location} knows no {kind} {name!r}", hint=hint)


def pairs_of(name: str) -> frozenset[str]:
    """Return the pairs of adjacent letters in *name*, in lower case.

    A name of one letter is a pair itself.
    """
    letters = name.lower()
    return frozenset(map("".join, pairwise(letters))) or frozenset(letters)


_UNIQUE = ("cluster_id", "crn")


class FoundCluster(NamedTuple):
    """A cluster that a broker's address resolves to; *latest* is its newest scan number."""

    id: int
    name: str
    latest: int


class FoundTopic(NamedTuple):
    """A topic of that cluster; *gone* is the scan number that found it deleted, None while it exists."""

    id: int
    name: str
    gone: int | None
    tags: tuple[str, ...] = ()


def cluster_of(conn: Connection, broker: str) -> FoundCluster:
    """Find the cluster of *broker*: one address in any form, or a comma list with at least one known address.

    The cluster's own id (`lkc-…`) and its CRN are resolved, too. Raises NameUnknown where none is known, InputInvalid
    if it is not an address or belongs to two clusters.
    """
    clusters = _clusters_at(conn, broker) or clusters_named(conn, broker.strip())
    if len(clusters) > 1:
        names = " and ".join(repr(name) for _, name in clusters)
        raise InputInvalid(f"{broker!r} names brokers of the clusters {names}", hint="name one cluster's brokers")
    if not clusters:
        broker_addresses(broker)  # raises for an invalid address
        known = conn.scalars(select(t.broker.c.address).order_by(t.broker.c.address))
        raise unknown_name("broker", broker, known, "`scanner changes --scans` lists the clusters that were scanned")
    ((key, name),) = clusters
    latest = conn.execute(select(func.max(t.scan.c.id)).where(t.scan.c.cluster_id == key)).scalar_one()
    return FoundCluster(key, name, latest or 0)


def cluster_called(conn: Connection, name: str) -> FoundCluster:
    """Find a cluster by its name in cluster.json, else as `cluster_of` does; raises NameUnknown with the nearest."""
    latest = select(func.max(t.scan.c.id)).where(t.scan.c.cluster_id == t.cluster.c.id).scalar_subquery()
    row = conn.execute(select(t.cluster.c.id, latest).where(t.cluster.c.name == name)).one_or_none()
    if row is not None:
        return FoundCluster(row[0], name, row[1] or 0)
    if ":" in name or _clusters_at(conn, name) or clusters_named(conn, name):
        return cluster_of(conn, name)
    raise unknown_name(
        "cluster", name, conn.scalars(select(t.cluster.c.name)), "`scanner changes --scans` lists the clusters"
    )


def cluster_meant(conn: Connection, name: str | None, topic: str) -> FoundCluster:
    """Find the cluster that is called *name* (`cluster_called`), or without a name the only one, or that has *topic*.

    Raises InputInvalid, with their names, where it may be several.
    """
    if name is not None:
        return cluster_called(conn, name)
    names = select(t.cluster.c.name).order_by(t.cluster.c.name)
    having = names.join(t.topic, t.topic.c.cluster_id == t.cluster.c.id).where(t.topic.c.name == topic)
    known = conn.scalars(having).all() or sorted({found.cluster for found in mentioned_topics(conn, names=[topic])})
    known = known or conn.scalars(names).all()
    if len(known) > 1:
        hint = f"name one of {', '.join(known[:_SHOWN_CLUSTERS])}"
        raise InputInvalid("there are several clusters", where="cluster", hint=hint)
    if not known:
        raise NameUnknown("nothing was scanned yet", hint="run `scanner scan`")
    return cluster_called(conn, known[0])


def clusters_named(conn: Connection, name: str) -> tuple[tuple[int, str], ...]:
    """Return key and name of the clusters with a globally unique name or id; display names are not unique."""
    alias = t.cluster_alias.c
    known = select(alias.cluster_id).where(alias.kind.in_(_UNIQUE), alias.alias == name)
    query = select(t.cluster.c.id, t.cluster.c.name).where(
        or_(t.cluster.c.kafka_cluster_id == name, t.cluster.c.id.in_(known))
    )
    return tuple((row.id, row.name) for row in conn.execute(query.order_by(t.cluster.c.name))) if name else ()


def _clusters_at(conn: Connection, text: str) -> tuple[tuple[int, str], ...]:
    try:
        addresses = broker_addresses(text)
    except InputInvalid:
        return ()
    query = select(t.cluster.c.id, t.cluster.c.name).join(t.broker).where(t.broker.c.address.in_(addresses))
    return tuple((row.id, row.name) for row in conn.execute(query.distinct().order_by(t.cluster.c.name)))


def topic_of(conn: Connection, cluster: FoundCluster, name: str) -> FoundTopic:
    """Return the topic with exactly this name, deleted ones too; raises NameUnknown with the nearest names.

    The key of a topic that only jobs mention is 0.
    """
    topic = t.topic.c
    of_cluster = topic.cluster_id == cluster.id
    query = select(topic.id, topic.name, topic.gone, topic.tags).where(of_cluster, topic.name == name)
    row = conn.execute(query).one_or_none()
    if row is None and any(mentioned_topics(conn, cluster.name, names=[name])):
        return FoundTopic(0, name, None)
    if row is None:
        names, candidates = select(topic.name).where(of_cluster), names_near(conn, name)
        known = conn.scalars(names if candidates is None else names.where(topic.name.in_(candidates)))
        mentioned = (topic.name for topic in mentioned_topics(conn, cluster.name))
        raise unknown_name("topic", name, (*known, *mentioned), f"`scanner topics` lists those of {cluster.name!r}")
    return FoundTopic(row.id, row.name, row.gone, tuple(json.loads(row.tags)))


class MentionedTopic(NamedTuple):
    """A topic that only jobs mention: the key of its node, its cluster and its name."""

    node: int
    cluster_id: int
    cluster: str
    name: str


def mentioned_topics(
    conn: Connection, cluster: str | None = None, *, names: Collection[str] | None = None
) -> Iterator[MentionedTopic]:
    """Yield the topics that only jobs mention by cluster and name: of one *cluster*, or called one of *names*."""
    node, home, topic = t.flow_node.c, t.flow_node.alias(), t.topic.c
    listed = exists().where(topic.cluster_id == t.cluster.c.id, topic.name == node.name)
    query = (
        select(node.id, t.cluster.c.id, t.cluster.c.name, node.name)
        .select_from(t.flow_node)
        .join(home, (home.c.namespace == node.namespace) & (home.c.kind == "cluster"))
        .join(t.cluster, t.cluster.c.name == home.c.name)
        .where(topic_level(conn).nodes, node.kind == "topic", ~listed)
        .order_by(t.cluster.c.name, node.name)
    )
    query = query if cluster is None else query.where(t.cluster.c.name == cluster)
    query = query if names is None else query.where(node.name.in_(sorted(names)))
    return (MentionedTopic(*row) for row in conn.execute(query))
