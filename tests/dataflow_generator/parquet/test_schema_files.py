"""A file of schemas without those that went is what reading and writing all of its rows gives, and keeps its groups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from dataflow_generator.incremental.keys import Unrenewable
from dataflow_generator.parquet.schema import NODE_DDL, arrow_schema
from dataflow_generator.parquet.schema_batches import PLACES
from dataflow_generator.parquet.schema_files import definitions_in, parquet_writer, write_changed

SCHEMA = arrow_schema(NODE_DDL).remove(7)


def rows(sizes: dict[int, int]) -> pa.Table:
    """Return rows of definitions with so many columns each."""
    made = [
        {
            "node_key": f"column:{key}#{at}",
            "namespace": "",
            "name": f"n{key % 3}",
            "path": ["a", str(at)] if at % 4 else [],
            "attributes": '{"type": "string"}',
            "rank": 2,
            "place": (key << PLACES) + at + 1,
        }
        for key, size in sorted(sizes.items())
        for at in range(size)
    ]
    return pa.Table.from_pylist(made, schema=SCHEMA)


def file_of(file: Path, sizes: dict[int, int], **options: Any) -> Path:
    with parquet.ParquetWriter(file, SCHEMA, compression="zstd", **options) as writer:
        writer.write_table(rows(sizes), row_group_size=10)
    return file


def read(file: Path) -> pa.Table:
    return parquet.ParquetFile(file).read()


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(
    sizes=st.dictionaries(st.integers(1, 60), st.integers(1, 25), min_size=1, max_size=30),
    share=st.integers(1, 12),
    new=st.dictionaries(st.integers(61, 70), st.integers(1, 9), max_size=3),
)
def test_what_went_is_gone_and_what_is_new_is_behind(tmp_path, sizes, share, new) -> None:
    """Whether groups are taken as bytes or all rows are written, they are the same."""
    left = sorted(sizes)[::share][1:]
    file, target = file_of(tmp_path / "old.parquet", sizes), tmp_path / "new.parquet"
    target.unlink(missing_ok=True)
    write_changed([file], left, rows(new), target, apart=True)

    kept = {key: size for key, size in sizes.items() if key not in left}
    assert read(target).equals(rows({**kept, **new}))
    assert definitions_in(target) == {*kept, *new}


def test_groups_without_what_went_stay_as_they_are(tmp_path) -> None:
    """Of ten groups one is written again."""
    sizes = dict.fromkeys(range(20), 5)
    file, target = file_of(tmp_path / "old.parquet", sizes), tmp_path / "new.parquet"
    write_changed([file], [7], rows({}), target, apart=True)

    told = [parquet.read_metadata(each).row_group(at).num_rows for each in (target,) for at in range(10)]
    assert told == [10, 10, 10, 5, 10, 10, 10, 10, 10, 10]
    assert read(target).equals(rows({key: 5 for key in sizes if key != 7}))


def test_a_whole_group_that_went_is_left_out(tmp_path) -> None:
    """A group without rows is none."""
    file, target = file_of(tmp_path / "old.parquet", {1: 20, 2: 30, 3: 30}), tmp_path / "new.parquet"
    write_changed([file], [1], rows({}), target, apart=True)

    assert parquet.read_metadata(target).num_row_groups == 6


@pytest.mark.parametrize("sizes", [{1: 30}, {1: 5}])
def test_a_file_without_rows_is_not_written(tmp_path, sizes) -> None:
    """Schemas without columns have no file of them."""
    write_changed([file_of(tmp_path / "old.parquet", sizes)], [1], rows({}), tmp_path / "new.parquet", apart=True)

    assert not (tmp_path / "new.parquet").exists()


def test_what_stands_between_is_put_there(tmp_path) -> None:
    """A definition that a topic has again lies where it lay."""
    files = [file_of(tmp_path / f"{at}.parquet", {at: 12, at + 3: 12}) for at in (1, 2)]
    write_changed(files, [4], rows({3: 4}), tmp_path / "new.parquet", apart=False)

    assert read(tmp_path / "new.parquet").equals(rows({1: 12, 2: 12, 3: 4, 5: 12}))


@pytest.mark.parametrize("options", [{"write_statistics": False}, {"write_page_index": True}])
def test_a_file_of_which_less_or_more_is_told_is_read_and_written(tmp_path, options) -> None:
    """It is not one of ours, and its rows are the same."""
    file, target = file_of(tmp_path / "old.parquet", {1: 30, 2: 30}, **options), tmp_path / "new.parquet"
    write_changed([file], [1], rows({}), target, apart=True)

    assert read(target).equals(rows({2: 30}))


def test_a_file_that_cannot_be_read_makes_all_anew(tmp_path) -> None:
    """Nothing of it is worth keeping."""
    (tmp_path / "old.parquet").write_bytes(b"PAR1 and more")
    for apart in (True, False):
        with pytest.raises(Unrenewable):
            write_changed([tmp_path / "old.parquet"], [1], rows({}), tmp_path / "new.parquet", apart=apart)


def test_the_writer_is_the_one_of_all_such_files(tmp_path) -> None:
    """Groups of two files fit together only where both were written alike."""
    with parquet_writer(tmp_path / "one.parquet", SCHEMA) as writer:
        writer.write_table(rows({1: 3}))
    write_changed([tmp_path / "one.parquet"], [], rows({2: 3}), tmp_path / "new.parquet", apart=True)

    assert read(tmp_path / "new.parquet").equals(rows({1: 3, 2: 3}))
