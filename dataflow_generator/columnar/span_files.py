"""A file of schemas without the rows of some definitions, and with others behind; few of its rows are read for that."""

from __future__ import annotations

import io
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dataflow_generator.columnar.pieces import PLACES
from dataflow_generator.columnar.row_groups import RowGroup, Unknown, read_groups, write_groups
from dataflow_generator.columnar.spans import REPEATED, ROWS, parquet_writer
from dataflow_generator.renewal.places import Unrenewable
from scanner_model.private_files import atomic_path

Table = Any

_FEW = 0.8
"""The part of a file's groups of rows up to which it is cheaper to take the others as they are."""


def definitions_in(file: Path) -> frozenset[int]:
    """Give the keys of the definitions in the file of schemas' nodes; raises Unrenewable where it cannot be read."""
    return frozenset(place >> PLACES for place in _read(file, ["place"])["place"].to_pylist())


def write_changed(files: Sequence[Path], left: Sequence[int], new: Table, target: Path, *, apart: bool) -> None:
    """Write *target* with the rows of *files* but for definitions that *left* (in order), and with *new* rows.

    *apart*: the new ones come behind the others. Without any row no file is written. Raises Unrenewable.
    """
    if apart and len(files) == 1 and _write_groups(files[0], left, new, target):
        return
    import pyarrow as pa

    kept = [_without(_read(file), left) for file in files]
    rows = pa.concat_tables([each.cast(new.schema) for each in (*kept, new)])
    if len(rows):
        with atomic_path(target) as part, parquet_writer(part, rows.schema) as writer:
            writer.write_table(rows if apart else rows.sort_by("place"), row_group_size=ROWS)


def _write_groups(file: Path, left: Sequence[int], new: Table, target: Path) -> bool:
    """Take the groups of rows in which nothing changed as they are; False where that cannot be done."""
    import pyarrow as pa
    from pyarrow import parquet

    with _readable():
        told, data = parquet.read_metadata(file), file.read_bytes()
        # Values that come again and again are not looked at one by one.
        texts = [name for name in REPEATED if name in told.schema.names and name != "rank"]
        source = parquet.ParquetFile(pa.BufferReader(data), metadata=told, read_dictionary=texts)
    again = list(_touched(told, left))
    if len(again) > _FEW * source.num_row_groups:
        return False
    with _readable():
        found = {at: _without(source.read_row_group(at, use_threads=False), left) for at in again}
    try:
        kept, added = read_groups(data), _groups([new.slice(at, ROWS) for at in range(0, len(new), ROWS)])
        others = dict(zip((at for at, rows in found.items() if len(rows)), _groups(found.values()), strict=True))
    except Unknown:
        return False
    groups = [others.get(at, each) for at, each in enumerate(kept.groups) if at in others or at not in found]
    if groups := [*groups, *added]:
        with atomic_path(target) as part, part.open("wb") as out:
            write_groups(out, kept, groups)
    return True


def _touched(metadata: Any, left: Sequence[int]) -> Iterator[int]:  # noqa: ANN401 - pyarrow has no types
    """List the groups in which there may be rows of definitions that left."""
    names = [metadata.schema.column(at).path for at in range(metadata.num_columns)]
    for at in range(metadata.num_row_groups):
        told = metadata.row_group(at).column(names.index("place")).statistics
        known = told is not None and told.has_min_max
        first = bisect_left(left, told.min >> PLACES) if known else 0
        if not known or (first < len(left) and left[first] <= told.max >> PLACES):
            yield at


def _groups(tables: Iterable[Table]) -> Sequence[RowGroup]:
    """Write each table that has rows as a group of its own."""
    listed = [rows for rows in tables if len(rows)]
    if not listed:
        return ()
    sink = io.BytesIO()
    with parquet_writer(sink, listed[0].schema) as writer:
        for rows in listed:
            writer.write_table(rows, row_group_size=len(rows))
    return read_groups(sink.getvalue()).groups


def _without(rows: Table, left: Sequence[int]) -> Table:
    """Cut out the rows of definitions that *left*; all rows, and *left*, are in the order of their keys."""
    import pyarrow as pa

    places = rows["place"].combine_chunks()
    first, last = (bisect_left(left, places[at].as_py() >> PLACES) for at in (0, -1)) if len(rows) else (0, 0)
    ends = [0, *(_place(places, key + more) for key in left[first : last + 1] for more in (0, 1)), len(rows)]
    pieces = [rows.slice(start, end - start) for start, end in zip(ends[::2], ends[1::2], strict=True)]
    return pa.concat_tables(pieces).combine_chunks()


def _place(places: Any, key: int) -> int:  # noqa: ANN401 - pyarrow has no types
    return bisect_left(places, key << PLACES, key=lambda each: each.as_py())


def _read(file: Path, columns: Sequence[str] | None = None) -> Table:
    from pyarrow import parquet

    with _readable():
        return parquet.ParquetFile(file).read(columns, use_threads=False)


@contextmanager
def _readable() -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise Unrenewable from error
