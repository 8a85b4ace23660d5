"""The broker addresses of a cluster: each belongs to one cluster, and is deleted when Kafka stops listing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, select

from scanner_dictionary.engine.bulk_insert import insert_rows, update_rows
from scanner_dictionary.engine.serialization import storable
from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.apply import Entry, next_id
from scanner_model.kafka import Cluster
from scanner_model.problems import Problem

_KIND = "broker"


@dataclass(slots=True)
class _Addresses:
    """Addresses by what is to be done with them."""

    new: list[str] = field(default_factory=list)
    returned: list[str] = field(default_factory=list)
    taken_over: list[str] = field(default_factory=list)
    observed: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def write_brokers(
    conn: Connection, cluster: Cluster, cluster_id: int, number: int, *, all_named: bool
) -> tuple[list[Entry], list[Problem]]:
    """Store the cluster's addresses; return the changes, and a problem for each address of another cluster.

    *all_named*: Kafka itself listed its brokers and none is down, so an address that is not among them is gone.
    """
    stored = _stored(conn)
    named = sorted(set(map(storable, cluster.brokers)))
    addresses = _classify(named, stored, cluster, cluster_id)
    gone = [row.address for row in stored.values() if row.cluster_id == cluster_id and row.gone is None]
    gone = sorted(set(gone) - set(named)) if all_named else []
    _insert(conn, addresses.new, cluster_id, number)
    known = sorted([*addresses.returned, *addresses.taken_over, *addresses.observed])
    update_rows(
        conn,
        t.broker,
        ("cluster_id", "last_seen", "gone"),
        ((cluster_id, number, None, stored[address].id) for address in known),
    )
    update_rows(conn, t.broker, ("gone",), ((number, stored[address].id) for address in gone))
    actions = {"added": [*addresses.new, *addresses.taken_over], "returned": addresses.returned, "gone": gone}
    changes = [Entry(_KIND, (address,), action, None, None) for action, those in actions.items() for address in those]
    return sorted(changes, key=lambda entry: entry.key), addresses.problems


def _stored(conn: Connection) -> dict[str, Row[Any]]:
    query = select(t.broker, t.cluster.c.name, t.cluster.c.kafka_cluster_id).join(t.cluster)
    return {row.address: row for row in conn.execute(query)}


def _insert(conn: Connection, addresses: list[str], cluster_id: int, number: int) -> None:
    first = next_id(conn, t.broker)
    rows = ((first + i, cluster_id, address, number, number, None) for i, address in enumerate(addresses))
    insert_rows(conn, t.broker, rows)


def _classify(named: list[str], stored: Mapping[str, Row[Any]], cluster: Cluster, cluster_id: int) -> _Addresses:
    addresses = _Addresses()
    for address in named:
        row = stored.get(address)
        if row is None:
            addresses.new.append(address)
        elif row.cluster_id == cluster_id:
            (addresses.observed if row.gone is None else addresses.returned).append(address)
        elif row.gone is not None or _is_same(row, cluster):
            # Its owner does not list it any more, or is this cluster under an earlier name: the newest name counts.
            addresses.taken_over.append(address)
        else:
            what = f"the broker {address!r} of the cluster {cluster.name!r} belongs to the cluster {row.name!r} already"
            hint = f"one of the two names a wrong broker, or both are one cluster: then call it {row.name!r} here too"
            addresses.problems.append(Problem(address, what, hint))
    return addresses


def _is_same(row: Row[Any], cluster: Cluster) -> bool:
    return bool(cluster.cluster_id) and row.kafka_cluster_id == cluster.cluster_id
