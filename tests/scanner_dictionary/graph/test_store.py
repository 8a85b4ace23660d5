"""The generated graph in its tables."""

from __future__ import annotations

import pytest

from scanner_dictionary.engine.open import writing
from scanner_dictionary.graph.store import EdgeRow, NodeRow, read_edges, read_nodes, stored_graph, write_graph
from scanner_model.errors import DictionaryUnusable

NODES = [NodeRow(i, f"topic kafka://k t{i}", "topic", "kafka://k", f"t{i}", None, "{}") for i in (1, 2)]
EDGES = [EdgeRow(1, 1, 2, "writes", "", "", "connector x", "derived")]


def test_graph_is_replaced_as_a_whole(dictionary, estate, store) -> None:
    """An edge of last week's graph in today's would be a lie."""
    store(estate.orders())
    with writing(dictionary) as conn:
        write_graph(conn, NODES, EDGES)
    with writing(dictionary) as conn:
        written = write_graph(conn, iter(NODES[:1]), iter(()))

    with dictionary.connect() as conn:
        nodes, edges = read_nodes(conn), read_edges(conn)
        assert (list(nodes), list(edges)) == (NODES[:1], [])
        assert stored_graph(conn) == written == (1, 1, 0, None)


def test_graph_is_read_as_it_was_written(dictionary) -> None:
    """In the order of its keys."""
    with writing(dictionary) as conn:
        assert stored_graph(conn) is None
        write_graph(conn, NODES[::-1], EDGES)
        nodes, edges = read_nodes(conn), read_edges(conn)

        assert (list(nodes), list(edges)) == (NODES, EDGES)


def test_edge_without_its_node_is_refused_and_the_last_graph_stays(dictionary) -> None:
    """A half graph answers wrongly."""
    with writing(dictionary) as conn:
        write_graph(conn, NODES, EDGES)
    with pytest.raises(DictionaryUnusable), writing(dictionary) as conn:
        write_graph(conn, NODES[:1], EDGES)

    with dictionary.connect() as conn:
        assert stored_graph(conn) == (0, 2, 1, None)
