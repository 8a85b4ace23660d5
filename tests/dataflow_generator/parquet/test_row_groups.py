"""Row groups go from file to file as the bytes they are, and what is not known of a file is not touched."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from dataflow_generator.parquet.row_groups import Unknown, read_groups, write_groups

SIZE = 10


def rows(first: int, count: int) -> pa.Table:
    keys = range(first, first + count)
    paths = [None if key % 3 else [f"a{key}", "b"] for key in keys]
    return pa.table({"key": list(keys), "name": [f"n{key % 4}" for key in keys], "path": paths})


def file_of(table: pa.Table, **options: Any) -> bytes:
    sink = io.BytesIO()
    parquet.write_table(table, sink, row_group_size=SIZE, compression="zstd", **options)
    return sink.getvalue()


def written(like: bytes, groups: list[Any]) -> bytes:
    out = io.BytesIO()
    write_groups(out, read_groups(like), groups)
    return out.getvalue()


def read(data: bytes) -> pa.Table:
    return parquet.read_table(io.BytesIO(data))


@pytest.mark.parametrize("count", [1, 140, 150, 2000])
def test_all_groups_of_a_file_are_that_file(count) -> None:
    """Nothing is told otherwise than pyarrow told it; from fifteen groups on their number is written in two parts."""
    data = file_of(rows(0, count))

    assert written(data, list(read_groups(data).groups)) == data


def test_groups_of_two_files_are_put_together() -> None:
    """Their places are others then, and so are those that are told."""
    one, other = file_of(rows(0, 50)), file_of(rows(50, 30))
    mine, theirs = read_groups(one).groups, read_groups(other).groups
    data = written(one, [*mine[:2], theirs[1], mine[4]])

    wanted = [rows(0, 20), rows(60, 10), rows(40, 10)]
    assert read(data).equals(pa.concat_tables(wanted).combine_chunks())
    assert parquet.read_metadata(io.BytesIO(data)).num_rows == 40
    assert parquet.ParquetFile(io.BytesIO(data)).read_row_group(2).equals(rows(60, 10))


@pytest.mark.parametrize(
    "data",
    [b"", b"PAR1PAR1", b"PAR1\xff\xff\xff\x7fPAR1", file_of(rows(0, 30))[:-1], b"x" + file_of(rows(0, 30))[1:]],
)
def test_what_is_no_parquet_file_is_unknown(data) -> None:
    """Who asked reads the rows, or says that it cannot."""
    with pytest.raises(Unknown):
        read_groups(data)


@pytest.mark.parametrize(
    "end",
    [
        b"\x00",  # nothing is told
        b"\x15\x04\x00",  # a version, and no more
        b"\x36\x02\x1b\x00\x00",  # a map, which no file has there
        b"\x06\x06\x02\x19\x1c\x06\x06\x02\x00\x00",  # a group that has no place
        b"\x05\x02\x04\x13\x01\x17" + bytes(8) + b"\x00",  # a byte and a double, by fields' whole numbers
    ],
)
def test_an_end_that_tells_no_groups_is_unknown(end) -> None:
    """Each is a struct of Thrift's, and none of a file that this program writes."""
    with pytest.raises(Unknown):
        read_groups(b"PAR1" + end + len(end).to_bytes(4, "little") + b"PAR1")


@pytest.mark.parametrize("options", [{"write_page_index": True}])
def test_what_stands_outside_of_a_row_group_is_unknown(options) -> None:
    """It would be left behind."""
    with pytest.raises(Unknown):
        read_groups(file_of(rows(0, 30), **options))


PLAIN = file_of(rows(0, 30))


@given(st.integers(8, len(PLAIN) // 2), st.integers(0, 255))
def test_a_damaged_end_is_unknown_or_gives_groups(place, byte) -> None:
    """No text of bytes ends in another error, and none takes long."""
    data = bytearray(PLAIN)
    data[-place] = byte
    try:
        found = read_groups(bytes(data))
    except Unknown:
        return

    assert all(len(group.columns) <= len(data) for group in found.groups)
