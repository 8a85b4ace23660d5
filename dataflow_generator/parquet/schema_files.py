"""A file of schemas without the rows of some definitions, and with others behind; few of its rows are read for that."""

from __future__ import annotations

import io
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from dataflow_generator.build.dictionary_source import DictionarySource, Range
from dataflow_generator.build.garbage_collection import infrequent_collection
from dataflow_generator.graph import EdgeKind, NodeKind
from dataflow_generator.incremental.keys import Unrenewable
from dataflow_generator.parquet.row_groups import RowGroup, Unknown, read_groups, write_groups
from dataflow_generator.parquet.schema_batches import PLACES, Batches, batches
from scanner_model.errors import InputInvalid
from scanner_model.private_files import atomic_path, make_directory

COLUMNS = 100_000
"""How many columns a span has, but for a schema that alone has more: enough for a file, few enough for a task."""

SPAN_COLUMNS = (f"nodes/kind={NodeKind.SCHEMA}", f"nodes/kind={NodeKind.COLUMN}", f"edges/kind={EdgeKind.CONTAINS}")
"""Where the files of a span lie in a graph's directory, in the order of `Batches`."""

ROWS = 5_000
"""How many rows a group has: what changes of a file later is as few of them, and a question reads few of them."""

REPEATED = ["namespace", "name", "attributes", "source", "evidence", "certainty", "type", "subtype", "rank"]
"""Columns whose values come again and again; of the others a dictionary would be made for nothing."""


class Rows(NamedTuple):
    """How many rows were written."""

    nodes: int
    edges: int


def span_name(span: Range) -> str:
    """Name the files of a span, so that their names have the order of their rows."""
    return f"schemas-{span[0]:012}-{span[1]:012}.parquet"


def make_places(directory: Path) -> None:
    """Build the directories that files of spans lie in."""
    for place in SPAN_COLUMNS:
        make_directory(directory / place)


def finish_spans(directory: Path, written: Iterable[Rows]) -> None:
    """Take away what killed processes had begun in *directory*, and look whether all that was *written* is there.

    Raises InputInvalid where it is not: a machine wrote into a directory of that name which is its own.
    """
    from pyarrow import parquet

    for file in (file for place in SPAN_COLUMNS for file in (directory / place).glob(".*")):
        file.unlink(missing_ok=True)
    files = (file for place in SPAN_COLUMNS for file in (directory / place).glob("schemas-*.parquet"))
    found, wanted = sum(parquet.read_metadata(file).num_rows for file in files), sum(map(sum, written))
    if found != wanted:
        what = f"tasks wrote {wanted} rows there, and {found} are to be seen here"
        raise InputInvalid(what, where=str(directory), hint="name a directory that all machines share")


def write_span(source: DictionarySource, span: Range, directory: Path) -> Rows:
    """Write the rows of the schemas of *span* into the graph in *directory*, in bounded memory.

    Raises OSError where the directories that `make_places` makes are not there.
    """
    with infrequent_collection():
        return write_batches((batches(cells) for cells in source.cells(span)), directory, span_name(span))


def write_batches(found: Iterable[Batches], directory: Path, name: str) -> Rows:
    """Write the rows of some schemas, in the graph's order, as the files called *name* of the graph in *directory*."""
    counts = [0] * len(SPAN_COLUMNS)
    with ExitStack() as files:
        writers: dict[int, Any] = {}
        for at, rows in (pair for each in found for pair in enumerate(each)):
            if rows.num_rows:
                if at not in writers:
                    writers[at] = files.enter_context(parquet_file(directory / SPAN_COLUMNS[at] / name, rows.schema))
                writers[at].write_batch(rows.drop_columns(["kind"]), row_group_size=ROWS)
                counts[at] += rows.num_rows
    return Rows(counts[0] + counts[1], counts[2])


@contextmanager
def parquet_file(file: Path, schema: Any) -> Iterator[Any]:  # noqa: ANN401 - pyarrow has no types
    """Write rows of *schema*, but for their kind, which the directory tells; *file* is there when all is written."""
    with atomic_path(file) as part, parquet_writer(part, schema.remove(schema.get_field_index("kind"))) as writer:
        yield writer


def parquet_writer(sink: Any, columns: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Open what writes rows of *columns* into *sink*."""
    from pyarrow import parquet

    return parquet.ParquetWriter(sink, columns, compression="zstd", use_dictionary=REPEATED)


Table = Any

_FEW = 0.8
"""The part of a file's groups of rows up to which it is cheaper to take the others as they are."""


def definitions_in(file: Path) -> frozenset[int]:
    """Return the keys of the definitions in the file of schemas' nodes; raises Unrenewable where it cannot be read."""
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
