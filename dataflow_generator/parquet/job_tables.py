"""The rows above the schemas, which fit in memory: numbered, and written by kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from dataflow_generator.parquet.dataset import EDGES, NODES
from dataflow_generator.parquet.manifest import ABOVE_SCHEMAS
from dataflow_generator.parquet.schema_files import parquet_file
from scanner_model.private_files import make_directory

Table = Any
_AT_ONCE = 50_000


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
