"""Rows made of bare cells: the same graph in the dictionary as one made node by node."""

from __future__ import annotations

from dataflow_generator.build.schema_nodes import schema_rows
from dataflow_generator.graph import schema_key
from scanner_dictionary.lineage_inputs.column_batches import Cells, Head


def cell(ordinal: int, path: str, name: str, **more: object) -> tuple[object, ...]:
    """Return the cells of a column of definition 7."""
    told = {"type": "long", "logical_type": None, "nullable": 0, "tags": None} | more
    return (7, ordinal, path, name, *told.values())


def test_columns_stand_under_the_one_above_or_the_schema() -> None:
    """A dot in a name is no level; columns follow their schema, and the edge to each has its number."""
    cells = Cells(
        [Head(7, "f" * 40, "AVRO", "shop.R", 3)],
        [cell(0, '["a.b"]', "`a.b`"), cell(1, '["c"]', "c"), cell(2, '["c","é"]', "c.é", nullable=1, tags='["PII"]')],
    )
    nodes, edges = schema_rows(cells, {7: 10})

    assert [(row.id, row.kind, row.path) for row in nodes] == [
        (10, "schema", None),
        (11, "column", '["a.b"]'),
        (12, "column", '["c"]'),
        (13, "column", '["c", "é"]'),
    ]
    assert [(row.id, row.source_node_id, row.target_node_id) for row in edges] == [
        (11, 10, 11),
        (12, 10, 12),
        (13, 12, 13),
    ]
    assert nodes[0].node_key == schema_key("f" * 40)
    assert nodes[3].attributes == '{"nullable": true, "tags": ["PII"], "type": "long"}'


def test_message_that_is_one_value_stands_under_its_schema() -> None:
    """Its path is empty, and so is what is above."""
    nodes, edges = schema_rows(Cells([Head(7, "f", "AVRO", "", 1)], [cell(0, "[]", "")]), {7: 1})

    assert [row.path for row in nodes] == [None, "[]"]
    assert [(row.source_node_id, row.target_node_id, row.evidence) for row in edges] == [(1, 2, "schema")]


def test_schema_without_columns_is_a_node_alone() -> None:
    """A text that could not be read has none."""
    nodes, edges = schema_rows(Cells([Head(7, "f", "AVRO", "R", 0), Head(8, "g", "JSON", "S", 0)], []), {7: 1, 8: 2})

    assert [(row.id, row.name) for row in nodes] == [(1, "R"), (2, "S")]
    assert edges == []
