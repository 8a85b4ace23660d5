"""The rows above the schemas, which fit in memory: read by kind, merged by what they belong to, numbered, written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dataflow_generator.columnar.schema import EDGE_DDL, NODE_DDL, arrow_schema
from dataflow_generator.columnar.spans import parquet_file
from dataflow_generator.columnar.tables import EDGES, NODES
from dataflow_generator.renewal.places import Unrenewable

Table = Any
Array = Any
_FILE = "part-0.parquet"
_AT = "at"
_AT_ONCE = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Above:
    """Rows of NODE_DDL and of EDGE_DDL by rank and kind, each in the order of the graph."""

    nodes: Mapping[tuple[int, str], Table]
    edges: Mapping[tuple[int, str], Table]

    def node_rows(self, rank: int, kind: str) -> Table:
        """Give the nodes of a rank and kind, which may be none."""
        return self.nodes.get((rank, kind), arrow_schema(NODE_DDL).empty_table())

    def edge_rows(self, rank: int, kind: str) -> Table:
        """Give the edges of a rank and kind, which may be none."""
        return self.edges.get((rank, kind), arrow_schema(EDGE_DDL).empty_table())


def read_above(directory: Path) -> Above:
    """Read the rows above the schemas of the graph in *directory*; raises Unrenewable where that cannot be done."""
    import pyarrow as pa

    try:
        return Above(nodes=_read(directory / NODES, NODE_DDL), edges=_read(directory / EDGES, EDGE_DDL))
    except (OSError, pa.ArrowException) as error:
        raise Unrenewable from error


def merged(kept: Table, at: Array, new: Table, new_at: Iterable[int]) -> Table:
    """Merge rows by the place of what they belong to; *at* tells that of *kept*, null where a row is not kept.

    What belongs to one thing is all kept or all new, and stays in its order.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    places = pa.chunked_array([*_chunks(at), pa.array(new_at, pa.int64())], pa.int64())
    order = pc.array_sort_indices(places, null_placement="at_end")
    rows = pa.concat_tables([kept, new])
    return rows.take(order.slice(0, len(places) - places.null_count))


def place_of(values: Array, order: Sequence[str], redone: Iterable[str]) -> Array:
    """Give the place in *order* of what rows belong to; null where that is not there or *redone*."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.index_in(values, pa.array(order, pa.string())).cast(pa.int64())
    again = pc.is_in(values, pa.array(sorted(redone), pa.string()))
    return pc.if_else(again, pa.scalar(None, pa.int64()), found)


def among(values: Array, wanted: Iterable[str]) -> Array:
    """Tell which of *values* are *wanted*."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.is_in(values, pa.array(sorted(wanted), pa.string()))


def without(rows: Table, column: str, left: Iterable[str]) -> Table:
    """Leave out the rows whose *column* is one of *left*."""
    import pyarrow.compute as pc

    return rows.filter(pc.invert(among(rows[column], left)))


def numbered(sections: Iterable[Table], rank: int) -> Table:
    """Put sections one after the other, as the rows of *rank* in their places."""
    import pyarrow as pa

    rows = pa.concat_tables(sections)
    ranks = pa.repeat(pa.scalar(rank, pa.int32()), len(rows))
    rows = rows.set_column(rows.schema.get_field_index("rank"), "rank", ranks)
    places = pa.array(range(len(rows)), pa.int64())
    return rows.set_column(rows.schema.get_field_index("place"), "place", places)


def write_above_rows(nodes: Sequence[Table], edges: Sequence[Table], directory: Path) -> None:
    """Write the *numbered* rows of the ranks into *directory*, a file for each kind."""
    for name, ranks in ((NODES, nodes), (EDGES, edges)):
        found: dict[str, list[Table]] = {}
        for rows in ranks:
            for kind, own in _by_kind(rows):
                found.setdefault(kind, []).append(own)
        for kind, tables in found.items():
            _write(directory / name / f"kind={kind}", tables)


def _write(directory: Path, tables: Sequence[Table]) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    with parquet_file(directory / _FILE, tables[0].schema) as writer:
        for rows in tables:
            writer.write_table(rows.drop_columns(["kind"]), row_group_size=_AT_ONCE)


def _by_kind(rows: Table) -> Iterable[tuple[str, Table]]:
    import pyarrow.compute as pc

    for kind in sorted(pc.unique(rows["kind"]).to_pylist()):
        yield kind, rows.filter(pc.equal(rows["kind"], kind))


def _read(directory: Path, ddl: str) -> dict[tuple[int, str], Table]:
    import pyarrow.compute as pc

    found: dict[tuple[int, str], Table] = {}
    for file in sorted(directory.glob(f"kind=*/{_FILE}")):
        kind = file.parent.name.removeprefix("kind=")
        rows = _file_rows(file, kind, ddl)
        for rank in pc.unique(rows["rank"]).to_pylist():
            found[rank, kind] = rows.filter(pc.equal(rows["rank"], rank)).sort_by("place")
    return found


def _file_rows(file: Path, kind: str, ddl: str) -> Table:
    import pyarrow as pa
    from pyarrow import parquet

    rows = parquet.ParquetFile(file).read(use_threads=False)
    rows = rows.append_column("kind", pa.repeat(pa.scalar(kind, pa.string()), len(rows)))
    schema = arrow_schema(ddl)
    return rows.select(schema.names).cast(schema)


def _chunks(at: Array) -> list[Array]:
    return list(getattr(at, "chunks", [at]))
