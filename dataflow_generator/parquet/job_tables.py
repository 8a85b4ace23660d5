"""The rows above the schemas, which fit in memory: read by kind, merged by what they belong to, numbered, written."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from dataflow_generator.incremental.keys import Unrenewable
from dataflow_generator.parquet.dataset import EDGES, NODES
from dataflow_generator.parquet.manifest import ABOVE_SCHEMAS
from dataflow_generator.parquet.schema import EDGE_DDL, NODE_DDL, arrow_schema
from dataflow_generator.parquet.schema_files import parquet_file
from scanner_model.private_files import make_directory

Table = Any
Array = Any
_PLACES = 48
_MANY = 5_000
_AT_ONCE = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class JobTables:
    """Rows of NODE_DDL and of EDGE_DDL by rank and kind, each in the order of the graph."""

    nodes: Mapping[tuple[int, str], Table]
    edges: Mapping[tuple[int, str], Table]

    def node_rows(self, rank: int, kind: str) -> Table:
        """Return the nodes of a rank and kind, which may be none."""
        return self.nodes.get((rank, kind), arrow_schema(NODE_DDL).empty_table())

    def edge_rows(self, rank: int, kind: str) -> Table:
        """Return the edges of a rank and kind, which may be none."""
        return self.edges.get((rank, kind), arrow_schema(EDGE_DDL).empty_table())


def read_job_tables(directory: Path) -> JobTables:
    """Read the rows above the schemas of the graph in *directory*; raises Unrenewable where that cannot be done."""
    import pyarrow as pa

    try:
        return JobTables(nodes=_read(directory / NODES, NODE_DDL), edges=_read(directory / EDGES, EDGE_DDL))
    except (OSError, pa.ArrowException) as error:
        raise Unrenewable from error


def merged(kept: Table, at: Array, new: Table, new_at: Sequence[int]) -> Table:
    """Merge rows by the place of what they belong to; *at* tells that of *kept*, null where a row is not kept.

    What belongs to one thing is all kept or all new, and *new* rows are in their order.
    """
    import pyarrow.compute as pc

    places = at.combine_chunks() if hasattr(at, "combine_chunks") else at
    rows, order = _dropped(kept, pc.is_null(places)), places.drop_null()
    if not _ascending(order, pc.less_equal):
        again = pc.array_sort_indices(order)
        rows, order = rows.take(again), order.take(again)
    return inserted(rows, order, new, new_at)


def inserted(rows: Table, order: Array, new: Table, values: Sequence[Any]) -> Table:
    """Put *new* rows among *rows*, which *order* tells the order of; *values* of new ones ascend, and are none there.

    Rows are not copied: they are many, and few are new.
    """
    import pyarrow as pa

    places = [bisect_left(order, value, key=lambda each: each.as_py()) for value in values]
    found: list[Table] = []
    last = first = 0
    # What comes at one place is put there at once: most new rows follow each other.
    for place, group in groupby(places):
        count = sum(1 for _ in group)
        found += [rows.slice(last, place - last), new.slice(first, count)]
        last, first = place, first + count
    return pa.concat_tables([*found, rows.slice(last)])


def place_of(values: Array, order: Sequence[str], redone: Iterable[str]) -> Array:
    """Return the place in *order* of what rows belong to; null where that is not there or *redone*."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.index_in(values, pa.array(order, pa.string())).cast(pa.int64())
    again = pc.is_in(values, pa.array(sorted(redone), pa.string()))
    return pc.if_else(again, pa.scalar(None, pa.int64()), found)


def among(values: Array, wanted: Iterable[str]) -> Array:
    """Return which of *values* are *wanted*."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.is_in(values, pa.array(sorted(wanted), pa.string()))


def without(rows: Table, column: str, left: Iterable[str]) -> Table:
    """Leave out the rows whose *column* is one of *left*."""
    return _dropped(rows, among(rows[column], left))


def _dropped(rows: Table, left: Array) -> Table:
    """Leave out rows without copying the others, where they are few."""
    import pyarrow as pa
    import pyarrow.compute as pc

    places = pc.indices_nonzero(left).to_pylist()
    if len(places) > _MANY:
        return rows.filter(pc.invert(left))
    starts, ends = [0, *(place + 1 for place in places)], [*places, len(rows)]
    kept = [rows.slice(start, end - start) for start, end in zip(starts, ends, strict=True) if end > start]
    return pa.concat_tables(kept) if kept else rows.slice(0, 0)


def numbered(sections: Iterable[Table], rank: int) -> Table:
    """Put sections one after the other, as the rows of *rank* in their places."""
    import pyarrow as pa

    rows = pa.concat_tables(sections)
    ranks = pa.repeat(pa.scalar(rank, pa.int32()), len(rows))
    rows = rows.set_column(rows.schema.get_field_index("rank"), "rank", ranks)
    places = pa.array(range(len(rows)), pa.int64())
    return rows.set_column(rows.schema.get_field_index("place"), "place", places)


def write_job_tables(nodes: Sequence[Table], edges: Sequence[Table], directory: Path) -> None:
    """Write the *numbered* rows of the ranks into *directory*, a file for each kind."""
    for name, ranks in ((NODES, nodes), (EDGES, edges)):
        found: dict[str, list[Table]] = {}
        for rows in ranks:
            for kind, own in _by_kind(rows):
                found.setdefault(kind, []).append(own)
        for kind, tables in found.items():
            _write(directory / name / f"kind={kind}", tables)


def _write(directory: Path, tables: Sequence[Table]) -> None:
    import pyarrow as pa

    make_directory(directory)
    with parquet_file(directory / ABOVE_SCHEMAS, tables[0].schema) as writer:
        rows = pa.concat_tables(tables).drop_columns(["kind"]).combine_chunks()
        writer.write_table(rows, row_group_size=_AT_ONCE)


def _by_kind(rows: Table) -> Iterator[tuple[str, Table]]:
    """Cut rows where their kind changes, which it seldom does."""
    import pyarrow.compute as pc

    if len(rows):
        runs = pc.run_end_encode(rows["kind"].combine_chunks())
        ends = runs.run_ends.to_pylist()
        for kind, start, end in zip(runs.values.to_pylist(), [0, *ends], ends, strict=False):
            yield kind, rows.slice(start, end - start)


def _read(directory: Path, ddl: str) -> dict[tuple[int, str], Table]:
    found: dict[tuple[int, str], Table] = {}
    for file in sorted(directory.glob(f"kind=*/{ABOVE_SCHEMAS}")):
        kind = file.parent.name.removeprefix("kind=")
        rows = _file_rows(file, kind, ddl)
        first = 0
        for rank, count in sorted(Counter(rows["rank"].to_pylist()).items()):
            found[rank, kind] = rows.slice(first, count)
            first += count
    return found


def _file_rows(file: Path, kind: str, ddl: str) -> Table:
    import pyarrow as pa
    from pyarrow import parquet

    rows = parquet.ParquetFile(file).read(use_threads=False)
    rows = rows.append_column("kind", pa.repeat(pa.scalar(kind, pa.string()), len(rows)))
    schema = arrow_schema(ddl)
    return _in_order(rows.select(schema.names).cast(schema))


def _in_order(rows: Table) -> Table:
    """Sort rows, where they are not as this program writes them."""
    import pyarrow.compute as pc

    order = pc.add(pc.shift_left(rows["rank"].cast("int64"), _PLACES), rows["place"]).combine_chunks()
    return rows if _ascending(order, pc.less) else rows.take(pc.array_sort_indices(order))


def _ascending(order: Array, before: Callable[[Array, Array], Array]) -> bool:
    import pyarrow.compute as pc

    pairs = before(order.slice(0, max(len(order) - 1, 0)), order.slice(1))
    return bool(pc.all(pairs, min_count=0).as_py())
