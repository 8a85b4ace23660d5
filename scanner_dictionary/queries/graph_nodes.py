"""From what people call a node (`orders`, `orders.customer.id`, `kafka://k:9092/orders`) to nodes of the graph."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from sqlalchemy import Connection, select

from scanner_dictionary import tables as t
from scanner_dictionary.bulk import in_chunks
from scanner_dictionary.graph_store import NodeRow
from scanner_dictionary.queries.near import unknown
from scanner_dictionary.queries.places import clusters_called
from scanner_model.brokers import broker_addresses
from scanner_model.errors import InputInvalid
from scanner_model.paths import KEY, ColumnPath, parse_path, path_name

_KAFKA = "kafka://"
_KINDS = ("topic", "dataset", "job", "consumer-group", "column")
_NAMES_AT_ONCE = 500


class _Wanted(NamedTuple):
    """One way to read the text: *namespace* None is any, *path* None no column, *kind* empty any."""

    kind: str
    namespace: str | None
    name: str
    path: ColumnPath | None


def nodes_called(conn: Connection, text: str) -> tuple[NodeRow, ...]:
    """Find the nodes that *text* may name, at least one, in the graph's order.

    It names a topic, dataset, job or consumer group by its name, its namespace and name, or its id; a column by that
    and its path. Where nothing is called so, it is the end of a dataset's name (`orders` of `shop.public.orders`). Any
    broker's address will do as Kafka's namespace, and so will the cluster's own id. A column is one of the message's
    value, else of its key (`@key` says so, too); one that takes part in no flow is that of the topic's schema.
    Raises NameUnknown with the nearest names.
    """
    ways = tuple(dict.fromkeys(_known_brokers(conn, _readings(text))))
    of_key = tuple(way._replace(path=(KEY, *way.path)) for way in ways if way.path is not None)
    found = {node.id: node for node in _named(conn, ways)} or {node.id: node for node in _named(conn, of_key)}
    found = found or _of_schemas(conn, ways) or {node.id: node for node in _named(conn, tuple(_in_full(conn, ways)))}
    if not found:
        raise unknown("node", text, _names(conn, ways), "`scanner topics` lists the topics")
    return tuple(found[key] for key in sorted(found))


def columns_around(conn: Connection, text: str) -> tuple[str, ...]:
    """List the columns in flows that hold the column *text*, or that it holds, by name."""
    ways = [way for way in _known_brokers(conn, _readings(text)) if way.path is not None]
    node = t.flow_node.c
    found: set[str] = set()
    for chunk in in_chunks(sorted({way.name for way in ways}), _NAMES_AT_ONCE):
        query = select(node.namespace, node.name, node.path).where(node.name.in_(chunk), node.kind == "column")
        for namespace, name, cell in conn.execute(query.where(node.namespace != "")):
            path = tuple(json.loads(cell))
            if any(way.name == name and way.namespace in (None, namespace) and _holds(way.path, path) for way in ways):
                found.add(f"{name}.{path_name(path)}")
    return tuple(sorted(found))


def topics_with_column(conn: Connection, text: str) -> tuple[NodeRow, ...]:
    """Find the topics whose schemas have the column that *text* names, in the graph's order; none where none has."""
    found: dict[int, NodeRow] = {}
    for way in _known_brokers(conn, _readings(text)):
        if way.path is not None and way.kind in ("", "column"):
            for topic in _named(conn, (way._replace(kind="topic", path=None),)):
                if any(_is_at(column, way.path) for column in _schema_columns(conn, topic)):
                    found[topic.id] = topic
    return tuple(found[key] for key in sorted(found))


def _is_at(column: NodeRow, path: ColumnPath) -> bool:
    return column.path is not None and tuple(json.loads(column.path)) == path


def _holds(one: ColumnPath | None, other: ColumnPath) -> bool:
    shared = min(len(one or ()), len(other))
    return bool(one) and one != other and (one or ())[:shared] == other[:shared]


def _readings(text: str) -> Iterator[_Wanted]:
    kind, colon, after = text.partition(":")
    for of, name in ((kind, after), ("", text)) if colon and kind in _KINDS else (("", text),):
        yield from (_Wanted(of, *whole, None) for whole in _split(name))
        for at, mark in enumerate(name):
            rest = name[at + 1 :]
            path = _path(rest) if mark == "#" or (mark == "." and rest) else None
            if path is not None:
                yield from (_Wanted(of, *whole, path) for whole in _split(name[:at]))


def _split(text: str) -> Iterator[tuple[str | None, str]]:
    """Read *text* as a name, and as namespace and name at each slash."""
    yield None, text
    yield from ((text[:at], text[at + 1 :]) for at, mark in enumerate(text) if mark == "/")


def _path(text: str) -> ColumnPath | None:
    try:
        return parse_path(text)
    except InputInvalid:
        return None


def _known_brokers(conn: Connection, ways: Iterable[_Wanted]) -> Iterator[_Wanted]:
    """Put the cluster's canonical namespace where a way names another of its brokers."""
    known: dict[str, str] = {}
    for way in ways:
        namespace = way.namespace
        if namespace is None:
            yield way
            continue
        if namespace not in known:
            known[namespace] = _canonical(conn, namespace)
        yield way._replace(namespace=known[namespace])


def _canonical(conn: Connection, namespace: str) -> str:
    """Give the cluster's namespace where *namespace* is a broker's, or the cluster's own id or CRN; else itself."""
    named = namespace.removeprefix(_KAFKA)
    node, cluster = t.flow_node.c, t.cluster.c
    query = select(node.namespace).where(node.kind == "cluster").order_by(node.id).limit(1)
    found: object = None
    if "/" not in named:
        with suppress(InputInvalid):
            at = (
                select(cluster.name)
                .join(t.broker, t.broker.c.cluster_id == cluster.id)
                .where(t.broker.c.address.in_(broker_addresses(named)))
            )
            found = conn.execute(query.where(node.name.in_(at))).scalar()
    if not found:
        called = [row.name for row in clusters_called(conn, named)]
        found = conn.execute(query.where(node.name.in_(called))).scalar() if called else None
    return str(found) if found else namespace


def _named(conn: Connection, ways: tuple[_Wanted, ...]) -> Iterator[NodeRow]:
    node = t.flow_node
    wanted = frozenset(ways)
    for chunk in in_chunks(sorted({way.name for way in ways}), _NAMES_AT_ONCE):
        # A schema and its columns have no namespace.
        query = select(node).where(node.c.name.in_(chunk), node.c.namespace != "", node.c.kind.in_(_KINDS))
        for row in conn.execute(query):
            path = None if row.path is None else tuple(json.loads(row.path))
            readings = (_Wanted(k, ns, row.name, path) for k in ("", row.kind) for ns in (None, row.namespace))
            if not wanted.isdisjoint(readings):
                yield NodeRow(*row)


def _in_full(conn: Connection, ways: Iterable[_Wanted]) -> Iterator[_Wanted]:
    """Put the whole name of a dataset where a way names the end of it: a table without its database or schema."""
    node = t.flow_node.c
    for name in conn.scalars(select(node.name).where(node.kind == "dataset").distinct().order_by(node.name)):
        ends = {name[at + 1 :] for at, mark in enumerate(name) if mark in "./"}
        yield from (way._replace(name=name) for way in ways if way.name in ends)


def _of_schemas(conn: Connection, ways: tuple[_Wanted, ...]) -> dict[int, NodeRow]:
    """Find the column in the topic's schemas; the first is all of them, since nothing flows from or to any."""
    for way in ways:
        if way.path is None or way.kind not in ("", "column"):
            continue
        for topic in _named(conn, (way._replace(kind="topic", path=None),)):
            for column in _schema_columns(conn, topic):
                if _is_at(column, way.path):
                    return {column.id: column}
    return {}


def _schema_columns(conn: Connection, topic: NodeRow) -> Iterator[NodeRow]:
    """List the columns of the schemas that *topic* has, in the graph's order."""
    node, edge = t.flow_node, t.flow_edge.c
    has = edge.source_node_id == topic.id, edge.kind == "has-schema"
    schemas = select(node.c.node_key, node.c.name).join(t.flow_edge, node.c.id == edge.target_node_id).where(*has)
    for key, name in conn.execute(schemas.distinct().order_by(node.c.node_key)).all():
        inside = f"column:{key.removeprefix('schema:')}#"
        columns = select(node).where(node.c.name == name, node.c.namespace == "", node.c.kind == "column")
        for row in conn.execute(columns.order_by(node.c.id)):
            if row.node_key.startswith(inside):
                yield NodeRow(*row)


def _names(conn: Connection, ways: tuple[_Wanted, ...]) -> Iterator[str]:
    """List what somebody may have meant: the names of all nodes, the columns in flows, those of the topics named."""
    node = t.flow_node.c
    query = select(node.name, node.path).where(node.kind.in_(_KINDS), node.namespace != "")
    for name, path in conn.execute(query.distinct().order_by(node.name, node.path)):
        yield name if path is None else f"{name}.{path_name(tuple(json.loads(path)))}"
    heads = tuple(way._replace(kind="topic", path=None) for way in ways if way.path is not None)
    for topic in _named(conn, heads):
        for column in _schema_columns(conn, topic):
            yield f"{topic.name}.{path_name(tuple(json.loads(column.path or '[]')))}"
