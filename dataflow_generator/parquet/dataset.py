"""The rows of a graph in Parquet files, some or all, read in this process; the one place that opens the files."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dataflow_generator.parquet.manifest import NAME, GraphManifest, count_rows, read_manifest
from dataflow_generator.parquet.schema import EDGE_DDL, ESTATE, FLOWS, NODE_DDL, ORDER, Record, arrow_schema
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from pyarrow import dataset

NODES, EDGES = "nodes", "edges"
ABOVE = (ESTATE, FLOWS)
"""The ranks of what stands above all schemas, which is small beside their columns."""

_MOST_SPANS = 50
_CALM = {"batch_readahead": 1, "fragment_readahead": 1}
"""How far the reader reads ahead; what it does by itself takes four times the memory, and is no faster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFilter:
    """Which rows are read: those of *ranks* of which all that is said holds; what is left empty holds of any.

    *column* is one of *values*. *spans* are places, the first and the last one of each.
    """

    ranks: Collection[int] = ABOVE
    kinds: Collection[str] = ()
    column: str = ""
    values: Collection[str] = ()
    spans: Sequence[tuple[int, int]] = ()

    @property
    def few_spans(self) -> Sequence[tuple[int, int]]:
        """Return the spans, or one around them all where they are many: *values* tell exactly."""
        if len(self.spans) <= _MOST_SPANS:
            return self.spans
        return [(min(first for first, _ in self.spans), max(last for _, last in self.spans))]


def graph_directory(directory: Path) -> Path:
    """Return the directory of the graph, where *directory* is that or the one that it was written into."""
    inside = directory / NAME
    return inside if not (directory / "_about.json").exists() and inside.is_dir() else directory


def checked_manifest(directory: Path) -> GraphManifest:
    """Report what the graph in *directory* is; raises InputInvalid where there is none, or only a part of its files."""
    about = read_manifest(directory)
    with _readable(directory):
        found = count_rows(directory / NODES), count_rows(directory / EDGES)
    if found != (about.nodes, about.edges):
        what = f"{found[0]} nodes and {found[1]} edges are there of {about.nodes} and {about.edges}"
        raise InputInvalid(f"the graph is not whole: {what}", where=str(directory), hint="copy or write it again")
    return about


class ParquetTables:
    """The tables of the graph in *directory*; what a question does not need is skipped by the files' own statistics."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        with _readable(directory):
            ddl = {NODES: NODE_DDL, EDGES: EDGE_DDL}
            self._tables = {name: _opened(directory / name, arrow_schema(columns)) for name, columns in ddl.items()}

    def rows(self, table: str, wanted: RowFilter, columns: Sequence[str] = ()) -> Iterator[Record]:
        """Read some rows, which fit in memory, in the order of the graph; with *columns* no others of theirs."""
        chosen = [*columns, *ORDER] if columns else None
        with _readable(self._directory):
            found = self._tables[table].to_table(filter=_filter(wanted), columns=chosen, **_CALM)
            return iter(found.sort_by([(name, "ascending") for name in ORDER]).to_pylist())

    def every_row(self, table: str) -> Iterator[Record]:
        """Read all rows, of which only a portion is held in memory."""
        with _readable(self._directory):
            yield from _in_order(self._tables[table])


def _opened(directory: Path, columns: Any) -> dataset.Dataset:  # noqa: ANN401 - pyarrow has no types
    """Open the files of a table, of which there are none where it has no rows."""
    import pyarrow as pa
    from pyarrow import dataset

    files = sorted(map(str, directory.glob("kind=*/*.parquet")))
    if not files:
        return dataset.FileSystemDataset([], columns, dataset.ParquetFileFormat())
    by_kind = dataset.partitioning(pa.schema([("kind", pa.string())]), flavor="hive")
    return dataset.dataset(files, schema=columns, format="parquet", partitioning=by_kind)


def _filter(wanted: RowFilter) -> Any:  # noqa: ANN401 - pyarrow has no types
    import pyarrow as pa
    from pyarrow.dataset import field

    found = field("rank").isin(sorted(wanted.ranks))
    if wanted.kinds:
        found &= field("kind").isin(sorted(map(str, wanted.kinds)))
    if wanted.column:
        found &= field(wanted.column).isin(pa.array(sorted(wanted.values), pa.string()))
    within = None
    for first, last in wanted.few_spans:
        span = (field("place") >= first) & (field("place") <= last)
        within = span if within is None else within | span
    return found if within is None else found & within


def _in_order(table: dataset.Dataset) -> Iterator[Record]:
    """Read the groups of rows by what they begin with; a row is given when no group that begins before it is left."""
    import pyarrow as pa

    groups = [(_first(group), group) for each in table.get_fragments() for group in each.split_by_row_group()]
    groups.sort(key=lambda group: group[0])
    waiting = table.schema.empty_table()
    for at, (_, group) in enumerate(groups):
        waiting = pa.concat_tables([waiting, group.to_table(schema=table.schema)])
        if at + 1 < len(groups):
            given, waiting = _before(waiting, groups[at + 1][0])
            yield from _sorted_rows(given)
    yield from _sorted_rows(waiting)


def _first(group: Any) -> tuple[int, ...]:  # noqa: ANN401 - pyarrow has no types
    """Return a rank and a place that no row of *group* comes before."""
    told = group.row_groups[0].statistics
    return tuple(told[name]["min"] if name in told else 0 for name in ORDER)


def _before(rows: Any, first: tuple[int, ...]) -> tuple[Any, Any]:  # noqa: ANN401 - pyarrow has no types
    """Part *rows* into those before *first* in the order, and the rest."""
    import pyarrow.compute as pc

    rank, place = first
    same = pc.and_(pc.equal(rows["rank"], rank), pc.less(rows["place"], place))
    before = pc.or_(pc.less(rows["rank"], rank), same)
    return rows.filter(before), rows.filter(pc.invert(before))


def _sorted_rows(rows: Any) -> Iterator[Record]:  # noqa: ANN401 - pyarrow has no types
    for batch in rows.sort_by([(name, "ascending") for name in ORDER]).to_batches(max_chunksize=10_000):
        yield from batch.to_pylist()


@contextmanager
def _readable(directory: Path) -> Iterator[None]:
    """Report that a file is none, or is cut; raises InputInvalid."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowInvalid, OSError) as error:
        what = f"its files cannot be read: {str(error).splitlines()[0]}"
        raise InputInvalid(what, where=str(directory), hint="copy or write the graph again") from error
