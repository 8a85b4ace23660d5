"""The graph in the dictionary: the same whether schemas come as bare cells or node by node."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import Any

from dataflow_generator.build.assemble import build_graph, read_flows
from dataflow_generator.build.store import store
from scanner_dictionary.engine.open import open_dictionary

_TABLES = ("flow_node", "flow_edge", "flow_graph")


def rows(dictionary: Any, **without: None) -> list[list[Any]]:
    """Generate and store the graph, without these ways of making it, and give the tables."""
    engine = open_dictionary(str(dictionary))
    with engine.connect() as conn:
        flows = read_flows(conn)
    with engine.connect() as conn:
        store(engine, replace(build_graph(conn, flows), **without))
    engine.dispose()
    with sqlite3.connect(dictionary) as stored:
        return [stored.execute(f"SELECT * FROM {table} ORDER BY id").fetchall() for table in _TABLES]


def in_places(tables: list[list[Any]]) -> list[list[Any]]:
    """Return rows without their numbers, the ends of edges as places of nodes."""
    nodes, edges, graph = tables
    places = {row[0]: place for place, row in enumerate(nodes)}
    return [
        [row[1:] for row in nodes],
        [(places[source], places[target], *told) for _, source, target, *told in edges],
        graph,
    ]


def test_schemas_as_cells_give_the_graph_that_nodes_give(own_dictionary) -> None:
    """The fast way is the same way: every row in its place, though the numbers lie apart."""
    by_cells, by_node = rows(own_dictionary), rows(own_dictionary, above=None, schemas=None)

    assert in_places(by_cells) == in_places(by_node)
    assert {row[2] for row in by_cells[0]} >= {"topic", "schema", "column"}
