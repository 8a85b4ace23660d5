"""Files of spans of schemas: whole or not there, named in order, the same whoever writes them."""

import pytest
from pyarrow import parquet

from dataflow_generator.parquet.schema_batches import (
    SPAN_COLUMNS,
    Rows,
    batches,
    edge_batch,
    finish_spans,
    make_directories,
    node_batch,
    span_name,
    write_batches,
)
from scanner_dictionary.lineage_inputs.topics import Cells, Head
from scanner_model.errors import InputInvalid

ORDERS = Cells(
    [Head(7, "a" * 64, "AVRO", "Order", 2), Head(9, "b" * 64, "AVRO", "Empty", 0)],
    [(7, 0, '["id"]', "id", "long", None, 0, None), (7, 1, '["note"]', "note", "string", None, 1, None)],
)


def written(directory, name):
    return [parquet.read_table(directory / location / name).num_rows for location in SPAN_COLUMNS]


def test_nodes_and_edges_of_a_span_lie_in_files_of_their_kinds(tmp_path) -> None:
    """Readers find the kind in the directory, and one file of a span in each."""
    make_directories(tmp_path)

    rows = write_batches([batches(ORDERS)], tmp_path, "part.parquet")

    assert rows == Rows(nodes=4, edges=2)
    assert written(tmp_path, "part.parquet") == [2, 2, 2]


def test_all_at_once_are_the_rows_of_nodes_and_edges_alone() -> None:
    """Rows for databases and for files must not differ."""
    built = batches(ORDERS)

    assert built.schemas.to_pylist() + built.columns.to_pylist() == sorted(
        node_batch(ORDERS).to_pylist(), key=lambda row: row["kind"], reverse=True
    )
    assert built.edges == edge_batch(ORDERS)


def test_schemas_without_columns_have_no_file_of_columns(tmp_path) -> None:
    """A JSON Schema that allows everything names no column."""
    make_directories(tmp_path)

    write_batches([batches(Cells(ORDERS.heads[1:], []))], tmp_path, "part.parquet")

    assert [file.parent.name for file in tmp_path.glob("*/*/*")] == ["kind=schema"]


def test_a_file_that_cannot_be_finished_is_not_there(tmp_path) -> None:
    """Half a file would be a graph with less in it."""
    make_directories(tmp_path)

    def half():
        yield batches(ORDERS)
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        write_batches(half(), tmp_path, "part.parquet")

    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []


def test_names_have_the_order_of_their_definitions() -> None:
    """A reader that goes by names reads in the order of the graph."""
    assert span_name((9, 10)) < span_name((11, 100)) < span_name((101, 2_000_000))


def test_what_a_killed_process_had_begun_is_taken_away(tmp_path) -> None:
    """A task that is tried again on another machine writes under a name of its own meanwhile."""
    make_directories(tmp_path)
    written = write_batches([batches(ORDERS)], tmp_path, span_name((7, 9)))
    (tmp_path / SPAN_COLUMNS[1] / ".schemas-7-9.parquet.4711").write_bytes(b"PAR1")

    finish_spans(tmp_path, [written])

    assert [file.name for file in tmp_path.rglob("*") if file.is_file()] == [span_name((7, 9))] * 3


def test_rows_that_a_machine_wrote_on_its_own_disk_are_missed(tmp_path) -> None:
    """A cluster whose workers do not share the directory would give half a graph."""
    make_directories(tmp_path)
    written = write_batches([batches(ORDERS)], tmp_path, span_name((7, 9)))

    with pytest.raises(InputInvalid, match="tasks wrote 12 rows there, and 6 are to be seen here"):
        finish_spans(tmp_path, [written, written])
