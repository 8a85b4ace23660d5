"""Whole columns at a time give the same nodes and edges as one column after the other."""

import json

from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from dataflow_generator.build import schema_nodes
from dataflow_generator.parquet.dataset import record_edge, record_node
from dataflow_generator.parquet.schema_batches import edge_batch, node_batch
from scanner_dictionary.engine.rows import json_cell, list_cell
from scanner_dictionary.lineage_inputs.topics import Cells, ColumnNodeRow, DefinitionRow, Head
from scanner_model.columns import path_name

TEXT = st.text(
    st.sampled_from(list('ab."\\`[]{},é\n\t ')) | st.characters(codec="utf-8", exclude_characters="\0"), max_size=5
)
PATH = st.lists(TEXT, max_size=4).map(tuple)
COLUMN = st.builds(
    lambda path, kind, logical, nullable, tags: ColumnNodeRow(path, path_name(path), kind, logical, nullable, tags),
    PATH,
    TEXT,
    st.none() | TEXT,
    st.booleans(),
    st.lists(TEXT, max_size=2).map(tuple),
)
DEFINITION = st.builds(
    DefinitionRow,
    st.text("0123456789abcdef", min_size=64, max_size=64),
    st.sampled_from(("AVRO", "JSON")),
    TEXT,
    st.lists(COLUMN, max_size=6).map(tuple),
)


def cells(definitions: list[DefinitionRow]) -> Cells:
    heads = [
        Head(at, definition_row.fingerprint, definition_row.format, definition_row.name, len(definition_row.columns))
        for at, definition_row in enumerate(definitions, 1)
    ]
    columns = [
        (
            at,
            location,
            json_cell(column.path),
            column.name,
            column.type,
            column.logical_type,
            column.nullable,
            list_cell(column.tags),
        )
        for at, definition_row in enumerate(definitions, 1)
        for location, column in enumerate(definition_row.columns)
    ]
    return Cells(heads, columns)


def nodes(definitions: list[DefinitionRow]):
    return [record_node(row) for row in node_batch(cells(definitions)).to_pylist()]


def edges(definitions: list[DefinitionRow]):
    return [record_edge(row) for row in edge_batch(cells(definitions)).to_pylist()]


def definition(*paths: tuple[str, ...], name: str = "com.acme.Order") -> DefinitionRow:
    columns = tuple(ColumnNodeRow(path, path_name(path), "string", None, False, ()) for path in paths)
    return DefinitionRow("f" * 64, "AVRO", name, columns)


@given(st.lists(DEFINITION, max_size=4, unique_by=lambda item: item.fingerprint[:20]))
@examples(150)
def test_the_nodes_are_those_of_one_after_the_other(definitions) -> None:
    """Whatever names, types and tags hold: the engines must give the same bytes."""
    assert nodes(definitions) == [
        node for definition in definitions for node in schema_nodes.definition_nodes(definition)
    ]


@given(st.lists(DEFINITION, max_size=4, unique_by=lambda item: item.fingerprint[:20]))
@examples(150)
def test_the_edges_are_those_of_one_after_the_other(definitions) -> None:
    """A column's parent may be missing, or be the root."""
    assert edges(definitions) == [
        edge for definition in definitions for edge in schema_nodes.definition_edges(definition)
    ]


def test_a_parent_is_looked_for_in_its_own_schema() -> None:
    """`a.b` of one schema is not in the `a` of another."""
    first, second = definition(("a",)), definition(("a", "b"))._replace(fingerprint="e" * 64)

    assert edges([first, second])[1].source == f"schema:{'e' * 20}"


def test_the_children_of_a_root_are_in_the_root() -> None:
    """An array as the whole message is a column without a name."""
    sources = [edge.source for edge in edges([definition((), ("[]",), ("[]", "id"))])]

    assert sources == [f"schema:{'f' * 20}", f"column:{'f' * 20}#", f"column:{'f' * 20}#[]"]


def test_a_json_array_with_spaces_is_read_too() -> None:
    """Other programs write JSON with spaces after the commas."""
    read = cells([definition(("a",), ("a", "b"))])
    loose = [(*row[:2], json.dumps(json.loads(row[2])), *row[3:]) for row in read.columns]

    assert node_batch(Cells(read.heads, loose)).column("path").to_pylist() == [None, ["a"], ["a", "b"]]
