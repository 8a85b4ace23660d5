"""Resolves names of nodes (`orders`, `orders.customer.id`, `kafka://k:9092/orders`) to nodes of the graph."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from scanner_dictionary.graph.reader import CALLED, GraphReader, SqlGraphReader
from scanner_dictionary.graph.store import NodeRow
from scanner_dictionary.queries.other_names import (
    statements_of_script,
    topics_of_subject_name,
    without_ddl,
    without_whole_message,
)
from scanner_dictionary.queries.resolve import unknown_name
from scanner_model.columns import KEY, ColumnPath, parse_path, path_name
from scanner_model.errors import InputInvalid
from scanner_model.names import dataset_address


class _Wanted(NamedTuple):
    """One way to read the text: *namespace* None is any, *path* None no column, *kind* empty any."""

    kind: str
    namespace: str | None
    name: str
    path: ColumnPath | None


def nodes_named(graph: GraphReader, text: str) -> tuple[NodeRow, ...]:
    """Find the nodes that *text* may name, at least one, in the graph's order.

    It names a topic, dataset, job or consumer group by its name, its namespace and name, or its id; a column by that
    and its path. Where no node has that name, it is the end of a dataset's name (`orders` of `shop.public.orders`). Any
    broker's address will do as Kafka's namespace, and so will the cluster's own id. A column is one of the message's
    value, else of its key (`@key` says so, too); one that takes part in no flow is that of the topic's schema. A view's
    name is that of its dataset: its job is named by its id. A whole message, a script, a subject and a table of a DDL
    file are known by the names that answers show for them, too.
    Raises NameUnknown with the nearest names.
    """
    if nodes := known_nodes(graph, text):
        return nodes
    names = _names(graph, text, tuple(_known_brokers(graph, _readings(text))))
    raise unknown_name("node", text, names, "`scanner topics` lists the topics", graph.location)


def known_nodes(graph: GraphReader, text: str) -> tuple[NodeRow, ...]:
    """Find the nodes that *text* may name as `nodes_named` does; none without an error."""
    if exact := _with_key(graph, text):
        return exact
    readings = tuple(dict.fromkeys(_known_brokers(graph, _readings(text))))
    of_key = tuple(reading._replace(path=(KEY, *reading.path)) for reading in readings if reading.path is not None)
    nodes = {node.id: node for node in _named(graph, readings)} or {node.id: node for node in _named(graph, of_key)}
    nodes = (
        nodes
        or _of_schemas(graph, readings)
        or {node.id: node for node in _named(graph, tuple(_in_full(graph, readings)))}
        or {node.id: node for node in _called_otherwise(graph, text)}
    )
    return _without_views_jobs(nodes[key] for key in sorted(nodes))


def _called_otherwise(graph: GraphReader, text: str) -> Iterator[NodeRow]:
    """Yield the nodes of a name that answers show for them: see `other_names`."""
    if whole := without_whole_message(text):
        heads = tuple(reading for reading in _known_brokers(graph, _readings(whole)) if reading.path is None)
        messages = tuple(reading._replace(path=()) for reading in heads)
        yield from tuple(_named(graph, messages)) or _named(graph, heads)
        return
    yield from statements_of_script(graph, text)
    if isinstance(graph, SqlGraphReader):
        topics = topics_of_subject_name(graph.conn, text)
        yield from _named(graph, tuple(_Wanted("topic", None, name, None) for name in topics))
    for name in without_ddl(text):
        readings = tuple(reading for reading in _readings(name) if reading.namespace is None)
        listed = (*readings, *_in_full(graph, readings))
        nodes = tuple(_named(graph, listed))
        tables = [node for node in nodes if node.kind in ("dataset", "column") and not _is_topic(graph, node)]
        if tables:
            yield from tables
            return


def topic_among(graph: GraphReader, text: str, nodes: Sequence[NodeRow]) -> NodeRow | None:
    """Return the topic called *text*, or its column, if all other *nodes* are datasets outside Kafka or their columns.

    Sinks name their tables, indexes and files after the topic. None for the end of a name, and for several topics.
    """
    named = [node for node in nodes if node.kind == "topic" or (node.kind == "column" and _is_topic(graph, node))]
    if len(named) != 1 or any(node.kind not in ("dataset", "column") for node in nodes if node not in named):
        return None
    path = tuple(json.loads(named[0].path or "[]"))
    return named[0] if text == (f"{named[0].name}.{path_name(path)}" if path else named[0].name) else None


def shown_address(node: NodeRow) -> str:
    """Return the address of a dataset and, of its column, the path."""
    path = tuple(json.loads(node.path or "[]"))
    return dataset_address(f"{node.namespace}/{node.name}") + (f".{path_name(path)}" if path else "")


def _is_topic(graph: GraphReader, node: NodeRow) -> bool:
    """Return whether *node* is a column of a topic."""
    named = graph.nodes_named([node.name]) if node.kind == "column" else ()
    return any(other.kind == "topic" and other.namespace == node.namespace for other in named)


def _with_key(graph: GraphReader, text: str) -> tuple[NodeRow, ...]:
    """Return the node whose id is *text*, for which no broker is looked up; none where no node has it."""
    is_id = text.partition(":")[0] in CALLED
    names = {reading.name for reading in _readings(text)} if is_id else set[str]()
    return tuple(node for node in graph.nodes_named(names) if node.node_key == text)


def _without_views_jobs(nodes: Iterable[NodeRow]) -> tuple[NodeRow, ...]:
    """Return *nodes* without the jobs that share their name with a dataset: the job of a view is called as the view."""
    listed = tuple(nodes)
    datasets = {(node.namespace, node.name) for node in listed if node.kind == "dataset"}
    return tuple(node for node in listed if node.kind != "job" or (node.namespace, node.name) not in datasets)


def meaning(graph: GraphReader, text: str, node: NodeRow) -> str:
    """Return what *text* means, where that is other than it says: *node* has another name or path; else empty.

    A topic or dataset that *text* names, and that has no such column, is named, too.
    """
    if text == node.node_key:
        return ""
    readings = tuple(dict.fromkeys(_known_brokers(graph, _readings(text))))
    path = None if node.path is None else tuple(json.loads(node.path))
    # The column of a schema has no name of its own: it is found by that of its topic.
    if not node.namespace or any((reading.name, reading.path) == (node.name, path) for reading in readings):
        return ""
    shown = shown_address(node)
    heads = tuple(reading._replace(path=None) for reading in readings if reading.path is not None)
    others = [other for other in _named(graph, heads) if other.path is None and other.name != node.name]
    missing = "".join(f"; the {other.kind} {other.name} has no such column" for other in others)
    return f"{text} means {shown}{missing}"


def related_columns(graph: GraphReader, text: str) -> tuple[str, ...]:
    """List the columns in flows that hold the column *text*, or that it holds, by name."""
    readings = [reading for reading in _known_brokers(graph, _readings(text)) if reading.path is not None]
    columns: set[str] = set()
    for node in graph.nodes_named({reading.name for reading in readings}):
        if node.kind == "column":
            path = tuple(json.loads(node.path or "[]"))
            alike = (
                reading
                for reading in readings
                if reading.name == node.name and reading.namespace in (None, node.namespace)
            )
            if any(_holds(reading.path, path) for reading in alike):
                columns.add(f"{node.name}.{path_name(path)}")
    return tuple(sorted(columns))


def topics_with_column(graph: GraphReader, text: str) -> tuple[NodeRow, ...]:
    """Find the topics whose schemas have the column that *text* names, in the graph's order; none where none has."""
    topics: dict[int, NodeRow] = {}
    for reading in _known_brokers(graph, _readings(text)):
        if reading.path is not None and reading.kind in ("", "column"):
            for topic in _named(graph, (reading._replace(kind="topic", path=None),)):
                if any(_is_at(column, reading.path) for column in graph.schema_columns(topic)):
                    topics[topic.id] = topic
    return tuple(topics[key] for key in sorted(topics))


def _is_at(column: NodeRow, path: ColumnPath) -> bool:
    return column.path is not None and tuple(json.loads(column.path)) == path


def _holds(path: ColumnPath | None, other: ColumnPath) -> bool:
    shared = min(len(path or ()), len(other))
    return bool(path) and path != other and (path or ())[:shared] == other[:shared]


def _readings(text: str) -> Iterator[_Wanted]:
    kind, colon, after = text.partition(":")
    for of, name in ((kind, after), ("", text)) if colon and kind in CALLED else (("", text),):
        yield from (_Wanted(of, *parts, None) for parts in _split(name))
        for at, mark in enumerate(name):
            rest = name[at + 1 :]
            path = _path(rest) if mark == "#" or (mark == "." and rest) else None
            if path is not None:
                yield from (_Wanted(of, *parts, path) for parts in _split(name[:at]))


def _split(text: str) -> Iterator[tuple[str | None, str]]:
    """Read *text* as a name, and as namespace and name at each slash, which may be the first of the name's own."""
    yield None, text
    for at in (at for at, mark in enumerate(text) if mark == "/"):
        yield text[:at], text[at + 1 :]
        yield text[:at].removesuffix("://"), text[at:]


def _path(text: str) -> ColumnPath | None:
    try:
        return parse_path(text)
    except InputInvalid:
        return None


def _known_brokers(graph: GraphReader, readings: Iterable[_Wanted]) -> Iterator[_Wanted]:
    """Put the cluster's canonical namespace where a way names another of its brokers."""
    known: dict[str, str] = {}
    for reading in readings:
        namespace = reading.namespace
        if namespace is None:
            yield reading
            continue
        if namespace not in known:
            known[namespace] = graph.canonical(namespace)
        yield reading._replace(namespace=known[namespace])


def _named(graph: GraphReader, accepted: tuple[_Wanted, ...]) -> Iterator[NodeRow]:
    wanted = frozenset(accepted)
    for row in graph.nodes_named({reading.name for reading in accepted}):
        path = None if row.path is None else tuple(json.loads(row.path))
        readings = (_Wanted(k, ns, row.name, path) for k in ("", row.kind) for ns in (None, row.namespace))
        if not wanted.isdisjoint(readings):
            yield row


def _in_full(graph: GraphReader, readings: Iterable[_Wanted]) -> Iterator[_Wanted]:
    """Put the whole name of a dataset where a way names the end of it: a table without its database or schema."""
    for name in graph.dataset_names():
        ends = {name[at + 1 :] for at, mark in enumerate(name) if mark in "./"}
        yield from (reading._replace(name=name) for reading in readings if reading.name in ends)


def _of_schemas(graph: GraphReader, readings: tuple[_Wanted, ...]) -> dict[int, NodeRow]:
    """Find the column in the topic's schemas; the first is all of them, since nothing flows from or to any."""
    for reading in readings:
        if reading.path is None or reading.kind not in ("", "column"):
            continue
        for topic in _named(graph, (reading._replace(kind="topic", path=None),)):
            for column in graph.schema_columns(topic):
                if _is_at(column, reading.path):
                    return {column.id: column}
    return {}


def _names(graph: GraphReader, text: str, readings: tuple[_Wanted, ...]) -> Iterator[str]:
    """List the names that may be suggested: those of all nodes, the columns in flows, those of the topics named."""
    names = list(graph.names_near(text))
    heads = tuple(reading._replace(kind="topic", path=None) for reading in readings if reading.path is not None)
    for topic in _named(graph, heads):
        names += [(topic.name, column.path) for column in graph.schema_columns(topic)]
    # A message that is one value is a column without a name: its topic's will do.
    for name, path in names:
        steps = tuple(json.loads(path or "[]"))
        yield f"{name}.{path_name(steps)}" if steps else name
