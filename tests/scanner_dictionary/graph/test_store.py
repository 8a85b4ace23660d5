"""The generated graph in its tables."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from scanner_dictionary.engine.open import Connection, Engine, writing
from scanner_dictionary.graph.store import (
    SCHEMA_BITS,
    EdgeRow,
    NodeRow,
    StoredGraph,
    add_rows,
    delete_graph,
    delete_schemas,
    describe_graph,
    read_edges,
    read_nodes,
    replace_rows,
    schema_nodes,
    stored_graph,
)
from scanner_model.errors import DictionaryUnusable

NODES = [NodeRow(i, f"topic kafka://k t{i}", "topic", "kafka://k", f"t{i}", None, "{}") for i in (-2, -1)]
EDGES = [EdgeRow(-1, -2, -1, "writes", "", "", "connector x", "derived")]


def replaced(conn: Connection, nodes: Sequence[NodeRow], edges: Sequence[EdgeRow], **retained: int) -> StoredGraph:
    """Store a graph in place of the one before."""
    delete_graph(conn)
    add_rows(conn, nodes, edges)
    return describe_graph(conn, **retained)


def test_graph_is_replaced_as_a_whole(dictionary, sample, store) -> None:
    """An edge of last week's graph in today's would be a lie."""
    store(sample.orders())
    with writing(dictionary) as conn:
        replaced(conn, NODES, EDGES)
    with writing(dictionary) as conn:
        written = replaced(conn, NODES[:1], ())

    with dictionary.connect() as conn:
        nodes, edges = read_nodes(conn), read_edges(conn)
        assert (list(nodes), list(edges)) == (NODES[:1], [])
        assert stored_graph(conn) == written == (1, 1, 0, "{}")


def test_graph_is_read_as_it_was_written(dictionary) -> None:
    """In the order of its keys."""
    with writing(dictionary) as conn:
        assert stored_graph(conn) is None
        replaced(conn, NODES[::-1], EDGES)
        nodes, edges = read_nodes(conn), read_edges(conn)

        assert (list(nodes), list(edges)) == (NODES, EDGES)


def test_edge_without_its_node_is_refused_and_the_last_graph_stays(dictionary) -> None:
    """A half graph answers wrongly."""
    with writing(dictionary) as conn:
        replaced(conn, NODES, EDGES)
    with pytest.raises(DictionaryUnusable), writing(dictionary) as conn:
        replaced(conn, NODES[:1], EDGES)

    with dictionary.connect() as conn:
        assert stored_graph(conn) == (0, 2, 1, "{}")


@pytest.fixture
def with_schemas(dictionary, sample, store) -> Engine:
    """Return a dictionary with a graph of the schemas of two definitions, the second with a column."""
    store(sample.orders())
    with writing(dictionary) as conn:
        item, other = (number << SCHEMA_BITS for number in (1, 2))
        schemas = [NodeRow(number, f"schema:{number}", "schema", "", "S", None, "{}") for number in (item, other)]
        column = NodeRow(other + 1, "column:c", "column", "", "S", '["c"]', "{}")
        inside = EdgeRow(other + 1, other, other + 1, "contains", "", "", "schema S", "declared")
        replaced(conn, [*NODES, *schemas, column], [*EDGES, inside], layout=1)
    return dictionary


def test_schemas_go_with_their_columns_and_the_edges_to_them(with_schemas) -> None:
    with writing(with_schemas) as conn:
        add_rows(conn, [], [EdgeRow(-9, NODES[0].id, 2 << SCHEMA_BITS, "has-schema", "", "", "", "declared")])
        delete_schemas(conn, [2 << SCHEMA_BITS])

        assert [row.id for row in read_nodes(conn) if row.id > 0] == [1 << SCHEMA_BITS]
        assert [row.id for row in read_edges(conn)] == [edge.id for edge in EDGES]


OTHER = NODES[1]._replace(attributes='{"internal": true}')


@pytest.mark.parametrize(
    ("nodes", "edges", "changes"),
    [
        (NODES, EDGES, False),
        ([], [], True),
        (NODES, [], True),
        (NODES[1:], [], True),
        ([NODES[0], OTHER], EDGES, True),
        ([NODES[0]._replace(id=-3), *NODES], [EDGES[0]._replace(id=-2), EDGES[0]._replace(source_node_id=-3)], True),
    ],
)
def test_rows_that_are_stored_already_are_not_written_again(dictionary, nodes, edges, changes) -> None:
    """What records the graph before is called before the first row is written."""
    calls: list[int] = []
    with writing(dictionary) as conn:
        replaced(conn, NODES, EDGES)
        replace_rows(conn, nodes, edges, lambda: calls.append(len(list(read_nodes(conn)))))

        assert (list(read_nodes(conn)), list(read_edges(conn))) == (list(nodes), list(edges))
        assert calls[:1] == [2] * changes


@pytest.mark.parametrize(
    ("layout", "damage", "retained"),
    [
        (1, "UPDATE flow_node SET name = name", 2),
        (2, "UPDATE flow_node SET name = name", 0),
        (1, "DELETE FROM flow_edge WHERE id > 0", 0),
        (1, "DELETE FROM flow_graph", 0),
    ],
)
def test_schemas_are_known_where_this_program_stored_them_whole(with_schemas, layout, damage, retained) -> None:
    """Of a graph that another program stored, or of which rows are gone, nothing is kept."""
    with writing(with_schemas) as conn:
        conn.exec_driver_sql(damage)

        assert sorted(schema_nodes(conn, layout)) == [1 << SCHEMA_BITS, 2 << SCHEMA_BITS][:retained]
