"""From what people write, a broker's address and a topic's name, to what the dictionary knows."""

from __future__ import annotations

import json
from typing import NamedTuple

from sqlalchemy import Connection, func, or_, select

from scanner_dictionary import tables as t
from scanner_dictionary.queries.near import unknown
from scanner_model.brokers import broker_addresses
from scanner_model.errors import InputInvalid

_UNIQUE = ("cluster_id", "crn")


class Called(NamedTuple):
    """A cluster that is called so."""

    id: int
    name: str


class FoundCluster(NamedTuple):
    """A cluster that a broker's address leads to; *latest* is its newest scan number."""

    id: int
    name: str
    latest: int


class FoundTopic(NamedTuple):
    """A topic of that cluster; *gone* is the scan number that found it gone, None while it is there."""

    id: int
    name: str
    gone: int | None
    tags: tuple[str, ...] = ()


def cluster_of(conn: Connection, broker: str) -> FoundCluster:
    """Find the cluster of *broker*: one address in any form, or a comma list of which any one is known.

    The cluster's own id (`lkc-…`) and its CRN lead there, too. Raises NameUnknown where none is known, InputInvalid
    where it is no address or names two clusters.
    """
    found = _at(conn, broker) or clusters_called(conn, broker.strip())
    if len(found) > 1:
        names = " and ".join(repr(row.name) for row in found)
        raise InputInvalid(f"{broker!r} names brokers of the clusters {names}", hint="name one cluster's brokers")
    if not found:
        broker_addresses(broker)  # what is no address at all is said to be none
        known = conn.scalars(select(t.broker.c.address).order_by(t.broker.c.address))
        raise unknown("broker", broker, known, "`scanner scans` lists the clusters that were scanned")
    latest = conn.execute(select(func.max(t.scan.c.id)).where(t.scan.c.cluster_id == found[0].id)).scalar_one()
    return FoundCluster(found[0].id, found[0].name, latest or 0)


def clusters_called(conn: Connection, name: str) -> tuple[Called, ...]:
    """Find clusters by what names one cluster in the world; display names and environments do not."""
    alias = t.cluster_alias.c
    known = select(alias.cluster_id).where(alias.kind.in_(_UNIQUE), alias.alias == name)
    query = select(t.cluster.c.id, t.cluster.c.name).where(
        or_(t.cluster.c.kafka_cluster_id == name, t.cluster.c.id.in_(known))
    )
    return tuple(Called(*row) for row in conn.execute(query.order_by(t.cluster.c.name))) if name else ()


def _at(conn: Connection, text: str) -> tuple[Called, ...]:
    try:
        addresses = broker_addresses(text)
    except InputInvalid:
        return ()
    query = select(t.cluster.c.id, t.cluster.c.name).join(t.broker).where(t.broker.c.address.in_(addresses))
    return tuple(Called(*row) for row in conn.execute(query.distinct().order_by(t.cluster.c.name)))


def topic_of(conn: Connection, cluster: FoundCluster, name: str) -> FoundTopic:
    """Find a topic by its exact name, there or gone; raises NameUnknown with the nearest names."""
    topic = t.topic.c
    here = topic.cluster_id == cluster.id
    query = select(topic.id, topic.name, topic.gone, topic.tags).where(here, topic.name == name)
    row = conn.execute(query).one_or_none()
    if row is None:
        known = conn.scalars(select(topic.name).where(here))
        raise unknown("topic", name, known, f"`scanner topics` lists those of {cluster.name!r}")
    return FoundTopic(row.id, row.name, row.gone, tuple(json.loads(row.tags)))
