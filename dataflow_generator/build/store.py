"""The generated graph into the dictionary, in one transaction; of it only what belongs to no schema is held.

A definition is never changed, so the rows of its schema stay from one generation to the next; all others are written
again. Rows of schemas have keys above zero that follow from the definition's own, all others have keys below zero.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain

from dataflow_generator.build.assemble import installation_edges, installation_nodes, read_flows
from dataflow_generator.build.coverage import Coverage, ProgressCallback, silent
from dataflow_generator.build.graph_builder import Flows, infrequent_collection
from dataflow_generator.build.schema_nodes import LAYOUT, list_text, object_text, schema_number, schema_rows
from dataflow_generator.build.snapshot import Snapshot, load_snapshot
from dataflow_generator.graph import Certainty, Edge, EdgeKind, FlowGraph, Node, NodeKind, schema_key
from scanner_dictionary.engine.open import Connection, Engine, writing
from scanner_dictionary.engine.rows import consistent_read
from scanner_dictionary.graph import store as graph_store
from scanner_dictionary.graph.store import EdgeRow, NodeRow, StoredGraph
from scanner_dictionary.graph.versions import recorded
from scanner_dictionary.lineage_inputs.topics import cells_of, live_heads
from scanner_dictionary.queries.resolve import mentioned_topics
from scanner_dictionary.write.name_index import index_nodes, note_older_graph

_WORDS = {member: str(member.value) for member in (*NodeKind, *EdgeKind, *Certainty)}
"""Enum values as plain str: database drivers take much longer to bind a subclass of str."""

_SEARCHED = {_WORDS[kind] for kind in (NodeKind.DATASET, NodeKind.JOB, NodeKind.CONSUMER_GROUP)}
"""Nodes in the index of names; listed topics, and columns of schemas, are in it since their scan."""

_CLUSTER = _WORDS[NodeKind.CLUSTER]
_TYPE = "type"


def generate(engine: Engine, report: ProgressCallback = silent) -> StoredGraph:
    """Replace the graph in the dictionary with that of what it holds now; readers see the one before until then.

    The inputs are loaded before the write lock is taken, and again where a scan was stored meanwhile.
    """
    with engine.connect() as conn, infrequent_collection():
        consistent_read(conn)
        scan, snapshot = graph_store.newest_scan(conn), load_snapshot(conn)
        flows = read_flows(snapshot, report=report)
    with infrequent_collection(), writing(engine) as conn, recorded(conn) as changing:
        if graph_store.newest_scan(conn) != scan:
            snapshot = load_snapshot(conn)
            flows = read_flows(snapshot)
        return write_flows(conn, snapshot, flows, changing)


def store(engine: Engine, graph: FlowGraph) -> StoredGraph:
    """Replace the graph in the dictionary with any *graph*, all of whose rows are written."""
    rows = _Rows()
    with infrequent_collection(), writing(engine) as conn, recorded(conn) as changing:
        changing()
        graph_store.delete_graph(conn)
        graph_store.add_rows(conn, rows.nodes(graph), rows.edges(graph.edges()))
        _index(conn, [node_row(rows.keys[node.key], node) for node in graph.nodes() if node.namespace])
        return graph_store.describe_graph(conn, coverage_text(graph.coverage))


def write_flows(
    conn: Connection, snapshot: Snapshot, flows: Flows, changing: Callable[[], None] = lambda: None
) -> StoredGraph:
    """Replace the stored graph, in the caller's transaction, with *flows*, the topics of *snapshot* and all schemas.

    *changing* is called before the first node or edge is changed.
    """
    schemas = _write_schemas(conn, changing)
    nodes, edges = list(installation_nodes(snapshot, flows)), list(installation_edges(snapshot, flows))
    rows = [node_row(number, node) for number, node in enumerate(nodes, -len(nodes))]
    keys = {**schemas, **{row.node_key: row.id for row in rows}}
    edge_rows = (edge_row(number, edge, keys) for number, edge in enumerate(edges, -len(edges)))
    graph_store.replace_rows(conn, rows, edge_rows, changing)
    _index(conn, rows)
    return graph_store.describe_graph(conn, coverage_text(flows.coverage), LAYOUT)


def index_graph(conn: Connection) -> None:
    """Put the nodes of the stored graph into the index of names, which counts as complete for a current graph only."""
    _index(conn, list(graph_store.read_nodes(conn)))
    graph = graph_store.stored_graph(conn)
    if graph is None or graph.last_scan < graph_store.newest_scan(conn):
        note_older_graph(conn)


def _index(conn: Connection, rows: Sequence[NodeRow]) -> None:
    """Put nodes into the index of names, of columns those that no schema of a topic describes."""
    spaces = {row.namespace for row in rows if row.kind == _CLUSTER}
    columns = (row for row in rows if row.path is not None and row.namespace)
    bare = (row for row in columns if row.namespace not in spaces or _TYPE not in json.loads(row.attributes))
    named = chain(
        ((row.id, row.name) for row in rows if row.kind in _SEARCHED),
        ((topic.node, topic.name) for topic in mentioned_topics(conn)),
    )
    index_nodes(conn, named, ((row.id, tuple(json.loads(row.path or "[]"))) for row in bare))


def _write_schemas(conn: Connection, changing: Callable[[], None]) -> Mapping[str, int]:
    """Delete the schemas of the stored graph that no topic has now, and add those that are missing.

    Returns the keys of their rows by those of their nodes.
    """
    live = {schema_number(head.id): head for head in live_heads(conn)}
    keys = {schema_key(head.fingerprint): number for number, head in live.items()}
    stored = graph_store.schema_nodes(conn, LAYOUT)
    unchanged = {number for number, key in stored.items() if keys.get(key) == number}
    if not stored or unchanged != stored.keys() or unchanged != live.keys():
        changing()
    if stored:
        graph_store.delete_schemas(conn, sorted(stored.keys() - unchanged))
    else:
        graph_store.delete_graph(conn)
    for cells in cells_of(conn, [head for number, head in live.items() if number not in unchanged]):
        graph_store.add_rows(conn, *schema_rows(cells))
    return keys


def node_row(number: int, node: Node) -> NodeRow:
    """Return the row of a node."""
    path = None if node.path is None else list_text(node.path)
    values = node.namespace, node.name, path, object_text(node.attributes)
    return NodeRow(number, node.key, _WORDS[node.kind], *values)


def edge_row(number: int, edge: Edge, keys: Mapping[str, int]) -> EdgeRow:
    """Return the row of an edge between nodes that *keys* has."""
    ends, kind = (keys[edge.source], keys[edge.target]), _WORDS[edge.kind]
    return EdgeRow(number, *ends, kind, edge.type, edge.subtype, edge.evidence, _WORDS[edge.certainty])


def coverage_text(coverage: Coverage) -> str:
    """Return counts and problems as a JSON object, which `stored.coverage_of` reads."""
    return json.dumps(asdict(coverage), ensure_ascii=False)


@dataclass(slots=True)
class _Rows:
    """Numbers the nodes and edges of any graph, in order."""

    keys: dict[str, int] = field(default_factory=dict)

    def nodes(self, graph: FlowGraph) -> Iterator[NodeRow]:
        for number, node in enumerate(graph.nodes(), 1):
            self.keys[node.key] = number
            yield node_row(number, node)

    def edges(self, edges: Iterable[Edge]) -> Iterator[EdgeRow]:
        return (edge_row(number, edge, self.keys) for number, edge in enumerate(edges, 1))
