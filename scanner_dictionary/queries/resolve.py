"""From what people write, a broker's address and a topic's name, to what the dictionary knows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from difflib import get_close_matches
from heapq import nlargest
from itertools import pairwise
from typing import NamedTuple

from sqlalchemy import Connection, func, or_, select

from scanner_dictionary.schema import tables as t
from scanner_model.broker_address import broker_addresses
from scanner_model.errors import InputInvalid, NameUnknown

_LIKELY = 60
_SHOWN = 3


def suggestions(name: str, known: Iterable[str]) -> tuple[str, ...]:
    """List up to three of *known* that look like *name*, nearest first; letter case does not matter.

    Comparing letter by letter is slow, so only those are compared that share most pairs of letters.
    """
    wanted = pairs_of(name)
    likely = nlargest(_LIKELY, set(known), key=lambda each: (len(wanted & pairs_of(each)), -len(each), each))
    lower: dict[str, list[str]] = {}
    for each in likely:
        lower.setdefault(each.lower(), []).append(each)
    close = get_close_matches(name.lower(), lower, n=_SHOWN, cutoff=0.5)
    return tuple(each for word in close for each in sorted(lower[word]))[:_SHOWN]


def unknown_name(
    kind: str, name: str, known: Iterable[str], otherwise: str, place: str = "the dictionary"
) -> NameUnknown:
    """Report that *place* knows no *kind* called *name*; the hint names the nearest of *known*, or else *otherwise*."""
    near = suggestions(name, known)
    hint = f"did you mean {' or '.join(map(repr, near))}?" if near else otherwise
    return NameUnknown(f"{place} knows no {kind} {name!r}", hint=hint)


def pairs_of(name: str) -> frozenset[str]:
    """Return the pairs of letters in *name* by which it is told from others: two that follow each other, in lower case.

    A name of one letter has that.
    """
    letters = name.lower()
    return frozenset(map("".join, pairwise(letters))) or frozenset(letters)


_UNIQUE = ("cluster_id", "crn")


class NamedCluster(NamedTuple):
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
    found = _at(conn, broker) or clusters_named(conn, broker.strip())
    if len(found) > 1:
        names = " and ".join(repr(row.name) for row in found)
        raise InputInvalid(f"{broker!r} names brokers of the clusters {names}", hint="name one cluster's brokers")
    if not found:
        broker_addresses(broker)  # what is no address at all is said to be none
        known = conn.scalars(select(t.broker.c.address).order_by(t.broker.c.address))
        raise unknown_name("broker", broker, known, "`scanner scans` lists the clusters that were scanned")
    latest = conn.execute(select(func.max(t.scan.c.id)).where(t.scan.c.cluster_id == found[0].id)).scalar_one()
    return FoundCluster(found[0].id, found[0].name, latest or 0)


def clusters_named(conn: Connection, name: str) -> tuple[NamedCluster, ...]:
    """Find clusters by what names one cluster in the world; display names and environments do not."""
    alias = t.cluster_alias.c
    known = select(alias.cluster_id).where(alias.kind.in_(_UNIQUE), alias.alias == name)
    query = select(t.cluster.c.id, t.cluster.c.name).where(
        or_(t.cluster.c.kafka_cluster_id == name, t.cluster.c.id.in_(known))
    )
    return tuple(NamedCluster(*row) for row in conn.execute(query.order_by(t.cluster.c.name))) if name else ()


def _at(conn: Connection, text: str) -> tuple[NamedCluster, ...]:
    try:
        addresses = broker_addresses(text)
    except InputInvalid:
        return ()
    query = select(t.cluster.c.id, t.cluster.c.name).join(t.broker).where(t.broker.c.address.in_(addresses))
    return tuple(NamedCluster(*row) for row in conn.execute(query.distinct().order_by(t.cluster.c.name)))


def topic_of(conn: Connection, cluster: FoundCluster, name: str) -> FoundTopic:
    """Find a topic by its exact name, there or gone; raises NameUnknown with the nearest names."""
    topic = t.topic.c
    here = topic.cluster_id == cluster.id
    query = select(topic.id, topic.name, topic.gone, topic.tags).where(here, topic.name == name)
    row = conn.execute(query).one_or_none()
    if row is None:
        known = conn.scalars(select(topic.name).where(here))
        raise unknown_name("topic", name, known, f"`scanner topics` lists those of {cluster.name!r}")
    return FoundTopic(row.id, row.name, row.gone, tuple(json.loads(row.tags)))
