"""A graph in Parquet files: the columns of its tables, rows to and from them; only this module opens the files."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import dataset, parquet
from pyarrow.dataset import field

from dataflow_generator.build.coverage import Coverage
from dataflow_generator.build.store import coverage_text
from dataflow_generator.build.targets import PARQUET_DIRECTORY
from dataflow_generator.graph import Attributes, Certainty, Edge, EdgeKind, Node, NodeKind
from scanner_dictionary.graph.store import StoredGraph
from scanner_model.errors import InputInvalid
from scanner_model.private_files import atomic_directory, atomic_path

Record = dict[str, Any]

_TYPES = {"rank": "int", "place": "long", "path": "array<string>"}
_NODE = ("node_key", "namespace", "name", "path", "attributes", "rank", "place", "kind")
_EDGE = ("source", "target", "evidence", "certainty", "type", "subtype", "rank", "place", "kind")


def _ddl(names: tuple[str, ...]) -> str:
    return ", ".join(f"{name} {_TYPES.get(name, 'string')}" for name in names)


NODE_DDL = _ddl(_NODE)
"""Columns of a node, in Spark's DDL."""

EDGE_DDL = _ddl(_EDGE)
"""Columns of an edge, in Spark's DDL."""

ORDER = ("rank", "place")
"""The columns that give the order of the graph."""

INSTALLATION, FLOWS, SCHEMAS = range(3)
"""Ranks: clusters and topics; jobs with their datasets and columns; schemas and their columns."""


def arrow_schema(ddl: str) -> pa.Schema:
    """Return the Arrow schema of NODE_DDL or EDGE_DDL, or of other columns of these types."""
    types = {"int": pa.int32(), "long": pa.int64(), "string": pa.string(), "array<string>": pa.list_(pa.string())}
    return pa.schema([(name, types[kind]) for name, kind in (column.split(" ") for column in ddl.split(", "))])


@lru_cache(maxsize=4_096)
def attributes_text(attributes: Attributes) -> str:
    """Serialize attributes as a JSON object; cached, because few nodes differ in them."""
    return json.dumps(dict(attributes), ensure_ascii=False)


def node_rows(nodes: Sequence[Node], rank: int, positions: Sequence[int]) -> pa.RecordBatch:
    """Return nodes as rows of NODE_DDL, each with its place."""
    columns: dict[str, Sequence[Any]] = {
        "node_key": [node.key for node in nodes],
        "namespace": [node.namespace for node in nodes],
        "name": [node.name for node in nodes],
        "path": [node.path for node in nodes],
        "attributes": [attributes_text(node.attributes) for node in nodes],
        "rank": [rank] * len(nodes),
        "place": positions,
        "kind": [str(node.kind) for node in nodes],
    }
    return _batch(columns, NODE_DDL)


def edge_rows(edges: Sequence[Edge], rank: int, positions: Sequence[int]) -> pa.RecordBatch:
    """Return edges as rows of EDGE_DDL, each with its place."""
    columns: dict[str, Sequence[Any]] = {
        "source": [edge.source for edge in edges],
        "target": [edge.target for edge in edges],
        "evidence": [edge.evidence for edge in edges],
        "certainty": [str(edge.certainty) for edge in edges],
        "type": [edge.type for edge in edges],
        "subtype": [edge.subtype for edge in edges],
        "rank": [rank] * len(edges),
        "place": positions,
        "kind": [str(edge.kind) for edge in edges],
    }
    return _batch(columns, EDGE_DDL)


def _batch(columns: dict[str, Sequence[Any]], ddl: str) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict(columns, schema=arrow_schema(ddl))


def record_node(row: Mapping[str, Any]) -> Node:
    """Return the node of a row."""
    items = json.loads(row["attributes"]).items()
    attributes = tuple((name, tuple(value) if isinstance(value, list) else value) for name, value in items)
    path = None if row["path"] is None else tuple(row["path"])
    return Node(row["node_key"], NodeKind(row["kind"]), row["namespace"], row["name"], path, attributes)


def record_edge(row: Mapping[str, Any]) -> Edge:
    """Return the edge of a row."""
    kind, certainty = EdgeKind(row["kind"]), Certainty(row["certainty"])
    return Edge(row["source"], row["target"], kind, row["evidence"], certainty, row["type"], row["subtype"])


ABOVE_SCHEMAS = "part-0.parquet"
"""The file of each kind for rows outside schemas; schemas have files of their own."""

PARTS = ("nodes", "edges", "_about.json")
"""What such a directory may hold."""

FORMAT = 1
"""The version of the file layout; a program refuses a higher one than its own."""

_HINT = "`scanner dictionary dataflow --format parquet --output DIR` writes DIR/graph.parquet"


@contextmanager
def whole_graph(directory: Path) -> Iterator[Path]:
    """Yield a temporary directory for a graph, which replaces *directory* when the block ends without error.

    Raises InputInvalid where *directory* has other contents, or cannot be written.
    """
    with atomic_directory(directory, PARTS) as part:
        yield part


def count_rows(directory: Path) -> int:
    """Return the number of rows of the Parquet files under *directory*, from their metadata."""
    return sum(parquet.read_metadata(file).num_rows for file in directory.glob("kind=*/*.parquet"))


def write_manifest(directory: Path, last_scan: int, coverage: Coverage) -> StoredGraph:
    """Count the rows of the graph in *directory*, and write its manifest."""
    nodes, edges = count_rows(directory / "nodes"), count_rows(directory / "edges")
    about = StoredGraph(last_scan=last_scan, nodes=nodes, edges=edges, coverage=coverage_text(coverage))
    members = {"format": FORMAT, **about._asdict(), "coverage": asdict(coverage)}
    text = json.dumps(members, ensure_ascii=False)
    with atomic_path(directory / "_about.json") as part:
        part.write_text(text + "\n", encoding="utf-8")
    return about


def read_manifest(directory: Path) -> StoredGraph:
    """Read the manifest of the graph in *directory*; raises InputInvalid if it is missing, or a newer one."""
    try:
        manifest = json.loads((directory / "_about.json").read_text(encoding="utf-8"))
        written = int(manifest.get("format", FORMAT))
        sizes = {name: int(manifest[name]) for name in ("last_scan", "nodes", "edges")}
        coverage = json.dumps(manifest["coverage"], ensure_ascii=False)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputInvalid("no graph in Parquet files found", where=str(directory), hint=_HINT) from error
    if written > FORMAT:
        what = f"written by a newer scanner: format {written}, this version supports {FORMAT}"
        raise InputInvalid(what, where=str(directory), hint="upgrade scanner, or generate the graph with this one")
    return StoredGraph(**sizes, coverage=coverage)


NODES, EDGES = "nodes", "edges"
ABOVE = (INSTALLATION, FLOWS)
"""The ranks of all rows outside schemas, which are few compared with schema columns."""

_MOST_SPANS = 50
_READ_AHEAD = {"batch_readahead": 1, "fragment_readahead": 1}
"""Read-ahead limits; the defaults take four times the memory, and are not faster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFilter:
    """Which rows are read: those of *ranks* that match all other conditions; an empty condition matches any row.

    The value of *column* is one of *values*. *spans* are ranges of `place`, first and last.
    """

    ranks: Collection[int] = ABOVE
    kinds: Collection[str] = ()
    column: str = ""
    values: Collection[str] = ()
    spans: Sequence[tuple[int, int]] = ()

    @property
    def few_spans(self) -> Sequence[tuple[int, int]]:
        """Return the spans, or one that encloses all of them where they are many: *values* are exact."""
        if len(self.spans) <= _MOST_SPANS:
            return self.spans
        return [(min(first for first, _ in self.spans), max(last for _, last in self.spans))]


def graph_directory(directory: Path) -> Path:
    """Return the directory of the graph, for this directory or its parent."""
    inside = directory / PARQUET_DIRECTORY
    return inside if not (directory / "_about.json").exists() and inside.is_dir() else directory


def checked_manifest(directory: Path) -> StoredGraph:
    """Return the manifest of the graph in *directory*; raises InputInvalid where it is missing or incomplete."""
    about = read_manifest(directory)
    with _readable(directory):
        counted = count_rows(directory / NODES), count_rows(directory / EDGES)
    if counted != (about.nodes, about.edges):
        what = f"{counted[0]} of {about.nodes} nodes and {counted[1]} of {about.edges} edges"
        raise InputInvalid(f"the graph is incomplete: {what}", where=str(directory), hint="copy or write it again")
    return about


class ParquetTables:
    """The tables of the graph in *directory*; row groups that a query does not need are skipped by their statistics."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        with _readable(directory):
            ddl = {NODES: NODE_DDL, EDGES: EDGE_DDL}
            self._tables = {name: _opened(directory / name, arrow_schema(columns)) for name, columns in ddl.items()}

    def rows(self, table: str, row_filter: RowFilter, columns: Sequence[str] = ()) -> Iterator[Record]:
        """Read some rows, which fit in memory, in the order of the graph; with *columns* no others of theirs."""
        chosen = [*columns, *ORDER] if columns else None
        with _readable(self._directory):
            selected = self._tables[table].to_table(filter=_filter(row_filter), columns=chosen, **_READ_AHEAD)
            return iter(selected.sort_by([(name, "ascending") for name in ORDER]).to_pylist())

    def every_row(self, table: str) -> Iterator[Record]:
        """Read all rows in portions, to limit memory."""
        with _readable(self._directory):
            yield from _in_order(self._tables[table])


def _opened(directory: Path, columns: Any) -> dataset.Dataset:  # noqa: ANN401 - pyarrow has no types
    """Open the files of a table; one without rows has none."""
    files = sorted(map(str, directory.glob("kind=*/*.parquet")))
    if not files:
        return dataset.FileSystemDataset([], columns, dataset.ParquetFileFormat())
    by_kind = dataset.partitioning(pa.schema([("kind", pa.string())]), flavor="hive")
    return dataset.dataset(files, schema=columns, format="parquet", partitioning=by_kind)


def _filter(row_filter: RowFilter) -> Any:  # noqa: ANN401 - pyarrow has no types
    condition = field("rank").isin(sorted(row_filter.ranks))
    if row_filter.kinds:
        condition &= field("kind").isin(sorted(map(str, row_filter.kinds)))
    if row_filter.column:
        condition &= field(row_filter.column).isin(pa.array(sorted(row_filter.values), pa.string()))
    within = None
    for first, last in row_filter.few_spans:
        span = (field("place") >= first) & (field("place") <= last)
        within = span if within is None else within | span
    return condition if within is None else condition & within


def _in_order(table: dataset.Dataset) -> Iterator[Record]:
    """Yield rows in order: a row is complete once no unread row group begins before it."""
    groups = [(_first(group), group) for fragment in table.get_fragments() for group in fragment.split_by_row_group()]
    groups.sort(key=lambda group: group[0])
    waiting = table.schema.empty_table()
    for at, (_, group) in enumerate(groups):
        waiting = pa.concat_tables([waiting, group.to_table(schema=table.schema)])
        if at + 1 < len(groups):
            complete, waiting = _before(waiting, groups[at + 1][0])
            yield from _sorted_rows(complete)
    yield from _sorted_rows(waiting)


def _first(group: Any) -> tuple[int, ...]:  # noqa: ANN401 - pyarrow has no types
    """Return a lower bound of the rank and place of the rows in *group*."""
    statistics = group.row_groups[0].statistics
    return tuple(statistics[name]["min"] if name in statistics else 0 for name in ORDER)


def _before(rows: Any, first: tuple[int, ...]) -> tuple[Any, Any]:  # noqa: ANN401 - pyarrow has no types
    """Split *rows* into those before *first* in the order, and the rest."""
    rank, place = first
    same = pc.and_(pc.equal(rows["rank"], rank), pc.less(rows["place"], place))
    before = pc.or_(pc.less(rows["rank"], rank), same)
    return rows.filter(before), rows.filter(pc.invert(before))


def _sorted_rows(rows: Any) -> Iterator[Record]:  # noqa: ANN401 - pyarrow has no types
    for batch in rows.sort_by([(name, "ascending") for name in ORDER]).to_batches(max_chunksize=10_000):
        yield from batch.to_pylist()


@contextmanager
def _readable(directory: Path) -> Iterator[None]:
    """Raise InputInvalid for errors in reading files."""
    try:
        yield
    except (pa.ArrowInvalid, OSError) as error:
        what = f"its files cannot be read: {str(error).splitlines()[0]}"
        raise InputInvalid(what, where=str(directory), hint="copy or write the graph again") from error
