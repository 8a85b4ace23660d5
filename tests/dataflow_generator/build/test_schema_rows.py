"""Rows made of bare cells: the same graph in the dictionary as one made node by node."""

from __future__ import annotations

import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.build.schema_nodes import LAYOUT, schema_number, schema_rows
from dataflow_generator.graph import schema_key
from scanner_dictionary.graph.store import EdgeRow, NodeRow
from scanner_dictionary.lineage_inputs.topics import Cells, Head


def cell(ordinal: int, path: str, name: str, **more: object) -> tuple[object, ...]:
    """Return the cells of a column of definition 7."""
    told = {"type": "long", "logical_type": None, "nullable": 0, "tags": None} | more
    return (7, ordinal, path, name, *told.values())


def rows_of(cells: Cells) -> tuple[list[NodeRow], list[EdgeRow]]:
    """Return the rows of some schemas with the names of their cells."""
    nodes, edges = schema_rows(cells)
    return [NodeRow(*row) for row in nodes], [EdgeRow(*row) for row in edges]


def test_columns_stand_under_the_one_above_or_the_schema() -> None:
    """A dot in a name is no level; columns follow their schema, and the edge to each has its number."""
    cells = Cells(
        [Head(7, "f" * 40, "AVRO", "shop.R", 3)],
        [cell(0, '["a.b"]', "`a.b`"), cell(1, '["c"]', "c"), cell(2, '["c","é"]', "c.é", nullable=1, tags='["PII"]')],
    )
    nodes, edges = rows_of(cells)
    first = schema_number(7)

    assert [(row.id - first, row.kind, row.path) for row in nodes] == [
        (0, "schema", None),
        (1, "column", '["a.b"]'),
        (2, "column", '["c"]'),
        (3, "column", '["c", "é"]'),
    ]
    assert [tuple(number - first for number in row[:3]) for row in edges] == [(1, 0, 1), (2, 0, 2), (3, 2, 3)]
    assert nodes[0].node_key == schema_key("f" * 40)
    assert nodes[3].attributes == '{"nullable": true, "tags": ["PII"], "type": "long"}'


def test_message_that_is_one_value_stands_under_its_schema() -> None:
    """Its path is empty, and so is what is above."""
    nodes, edges = rows_of(Cells([Head(7, "f", "AVRO", "", 1)], [cell(0, "[]", "")]))

    assert [row.path for row in nodes] == [None, "[]"]
    assert [(row.source_node_id, row.target_node_id, row.evidence) for row in edges] == [
        (nodes[0].id, nodes[1].id, "schema")
    ]


def test_schema_without_columns_is_a_node_alone() -> None:
    """A text that could not be read has none."""
    nodes, edges = rows_of(Cells([Head(7, "f", "AVRO", "R", 0), Head(8, "g", "JSON", "S", 0)], []))

    assert [(row.id, row.name) for row in nodes] == [(schema_number(7), "R"), (schema_number(8), "S")]
    assert edges == []


SEGMENTS = st.sampled_from(["", ",", "a", "a,b", '","', '"', "\\", "[]", "]", "é", "<X>", ", ", '", "'])


@given(st.lists(SEGMENTS, max_size=4))
def test_a_path_is_written_as_json_writes_it(path: list[str]) -> None:
    """Plain paths are not parsed, so that what looks like the end of a segment must not be taken for one."""
    above = json.dumps(path[:-1], ensure_ascii=False, separators=(",", ":"))
    cells = [cell(0, above, "above"), cell(1, json.dumps(path, ensure_ascii=False, separators=(",", ":")), "column")]
    nodes, edges = rows_of(Cells([Head(7, "f", "AVRO", "R", 2)], cells[not path :]))

    assert nodes[-1].path == json.dumps(path, ensure_ascii=False)
    assert edges[-1].source_node_id == nodes[-2].id


def test_layout_has_a_new_number_where_rows_change() -> None:
    """Stored rows of schemas are kept by it: whoever changes what is hashed here adds one to LAYOUT."""
    cells = Cells(
        [Head(7, "f" * 40, "AVRO", "shop.R", 3)],
        [
            cell(0, '["a"]', "a", logical_type="date"),
            cell(1, '["c"]', "c"),
            cell(2, '["c","é"]', "c.é", nullable=1, tags='["PII"]'),
        ],
    )
    found = hashlib.sha256(repr(schema_rows(cells)).encode()).hexdigest()[:16]

    assert (LAYOUT, found) == (1, "2f89c09151be3c99")
