"""`schema_nodes.definition_nodes` and `definition_edges` vectorized: the same rows, without an object for each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from dataflow_generator.build import schema_nodes
from dataflow_generator.build.dictionary_source import DictionarySource, Range
from dataflow_generator.build.graph_builder import infrequent_collection
from dataflow_generator.graph import Certainty, EdgeKind, Node, NodeKind, schema_key
from dataflow_generator.parquet.dataset import EDGE_DDL, NODE_DDL, SCHEMAS, arrow_schema, attributes_text, node_rows
from scanner_dictionary.lineage_inputs.topics import Cells, ColumnNodeRow, DefinitionRow, Head
from scanner_model.errors import InputInvalid
from scanner_model.private_files import atomic_path, make_directory

Array = Any
_SEPARATOR = "\0"
ORDINAL_BITS = 32
"""The number of low bits of `place` for the ordinal in a definition (0: the schema itself); above is its key."""


class Batches(NamedTuple):
    """The rows of some schemas: nodes of schemas, nodes of their columns (both of NODE_DDL), edges (of EDGE_DDL)."""

    schemas: pa.RecordBatch
    columns: pa.RecordBatch
    edges: pa.RecordBatch


def node_batch(cells: Cells) -> pa.RecordBatch:
    """Build the nodes of schemas and of their columns; rows of NODE_DDL in the graph's order."""
    schemas = _schema_rows(cells)
    if not cells.columns:
        return schemas
    return pa.concat_batches([schemas, _node_rows(_Columns(cells))]).sort_by("place")


def edge_batch(cells: Cells) -> pa.RecordBatch:
    """Build the edges from schemas and columns to the columns in them; rows of EDGE_DDL."""
    return _edge_rows(_Columns(cells)) if cells.columns else _no_rows(EDGE_DDL)


def batches(cells: Cells) -> Batches:
    """Build all rows of schemas, each kind in the order of the graph."""
    schemas = _schema_rows(cells)
    if not cells.columns:
        return Batches(schemas, _no_rows(NODE_DDL), _no_rows(EDGE_DDL))
    columns = _Columns(cells)
    return Batches(schemas, _node_rows(columns), _edge_rows(columns))


def _no_rows(ddl: str) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([], schema=arrow_schema(ddl))


def _schema_rows(cells: Cells) -> pa.RecordBatch:
    nodes = [_schema_node(head) for head in cells.heads]
    return node_rows(nodes, SCHEMAS, [head.id << ORDINAL_BITS for head in cells.heads])


def _node_rows(columns: _Columns) -> pa.RecordBatch:
    columns_of = {
        "node_key": columns.keys,
        "namespace": columns.all(""),
        "name": columns.of_head([head.name for head in columns.heads]),
        "path": columns.paths,
        "attributes": columns.attributes(),
        "rank": columns.all(SCHEMAS, pa.int32()),
        "place": columns.positions(),
        "kind": columns.all(str(NodeKind.COLUMN)),
    }
    return pa.RecordBatch.from_pydict(columns_of, schema=arrow_schema(NODE_DDL))


def _edge_rows(columns: _Columns) -> pa.RecordBatch:
    columns_of = {
        "source": columns.sources(),
        "target": columns.keys,
        "evidence": columns.of_head([schema_nodes.schema_evidence(head.name) for head in columns.heads]),
        "certainty": columns.all(str(Certainty.DECLARED)),
        "type": columns.all(""),
        "subtype": columns.all(""),
        "rank": columns.all(SCHEMAS, pa.int32()),
        "place": columns.positions(),
        "kind": columns.all(str(EdgeKind.CONTAINS)),
    }
    return pa.RecordBatch.from_pydict(columns_of, schema=arrow_schema(EDGE_DDL))


def _schema_node(head: Head) -> Node:
    (node,) = schema_nodes.definition_nodes(DefinitionRow(head.fingerprint, head.format, head.name, ()))
    return node


class _Columns:
    """The columns of some definitions as arrays, with one value for each column of a schema."""

    def __init__(self, cells: Cells) -> None:
        self._pa, self._pc = pa, pc
        self.heads = cells.heads
        names = ("definition", "ordinal", "path", "name", "type", "logical_type", "nullable", "tags")
        columns = dict(zip(names, zip(*cells.columns, strict=True), strict=True))
        texts = ("path", "name", "type", "logical_type", "tags")
        self._text = {name: pa.array(columns[name], pa.string()) for name in texts}
        self._definition = pa.array(columns["definition"], pa.int64())
        self._ordinal = pa.array(columns["ordinal"], pa.int64())
        self._nullable = pa.array(columns["nullable"]).cast(pa.bool_())
        self._head = pc.index_in(self._definition, pa.array([head.id for head in cells.heads], pa.int64()))
        keys = [schema_key(head.fingerprint) for head in cells.heads]
        self._schema_keys = self.of_head(keys)
        self._stems = self.of_head([f"{schema_nodes.column_stem(key)}#" for key in keys])
        self.keys = self._joined(self._stems, self._text["name"])
        self.paths = self._paths()

    def all(self, value: object, type_: object = None) -> Array:
        """Return *value* for every column."""
        return self._pa.repeat(self._pa.scalar(value, type_ or self._pa.string()), len(self._definition))

    def of_head(self, values: Sequence[str]) -> Array:
        """Return, for each column, the value of its definition."""
        return self._pa.array(values, self._pa.string()).take(self._head)

    def positions(self) -> Array:
        """Return the `place` of each column."""
        pc = self._pc
        return pc.add(pc.add(pc.shift_left(self._definition, ORDINAL_BITS), self._ordinal), 1)

    def attributes(self) -> Array:
        """Return each column's attributes as JSON; only distinct ones are serialized."""
        pc, kinds = self._pc, ("logical_type", "tags", "type")
        # The prefixes distinguish absent from empty values.
        marked = [pc.if_else(pc.is_null(self._text[name]), "-", self._joined("+", self._text[name])) for name in kinds]
        nullable = pc.if_else(self._nullable, "1", "0")
        alike = pc.binary_join_element_wise(nullable, *marked, _SEPARATOR).dictionary_encode()
        written = [_attributes(text) for text in alike.dictionary.to_pylist()]
        return self._pa.array(written, self._pa.string()).take(alike.indices)

    def sources(self) -> Array:
        """Return the key of the parent of each column: the column one segment up, else the schema."""
        pc, path = self._pc, self._text["path"]
        above = self._strings(path, _parent_path, lambda text: pc.replace_substring_regex(text, ',?"[^"]*"\\]$', "]"))
        root = pc.equal(path, "[]")
        names, parent_names = self._joined(self._stems, path), self._joined(self._stems, above)
        at = pc.if_else(root, None, pc.index_in(parent_names, names))
        return pc.coalesce(self.keys.take(at), self._schema_keys)

    def _paths(self) -> Array:
        pc, path = self._pc, self._text["path"]
        none = self._pa.array([[]], self._pa.list_(self._pa.string())).take(self.all(0, self._pa.int64()))

        def split(text: Array) -> Array:
            inside = pc.split_pattern(pc.utf8_slice_codeunits(text, 2, -2), '","')
            return pc.if_else(pc.equal(text, "[]"), none, inside)

        return self._strings(path, json.loads, split)

    def _strings(self, text: Array, convert_text: Callable[[str], Any], many: Callable[[Array], Array]) -> Array:
        """Apply *many* to all texts at once, and *convert_text* to each of the few that need JSON parsing."""
        pc = self._pc
        special = pc.or_(pc.match_substring(text, "\\"), pc.match_substring(text, '", "'))
        plain = many(text)
        if not pc.any(special).as_py():
            return plain
        exact = [
            convert_text(cell) if needs_json else None
            for cell, needs_json in zip(text.to_pylist(), special.to_pylist(), strict=True)
        ]
        return pc.if_else(special, self._pa.array(exact, plain.type), plain)

    def _joined(self, *parts: Array) -> Array:
        return self._pc.binary_join_element_wise(*parts, "")


def _parent_path(path: str) -> str:
    """Return the parent path, in the dictionary's form of JSON."""
    return json.dumps(json.loads(path)[:-1], ensure_ascii=False, separators=(",", ":"))


def _attributes(alike: str) -> str:
    nullable, *cells = alike.split(_SEPARATOR)
    logical_type, tags, type_ = (cell[1:] if cell[0] == "+" else None for cell in cells)
    row = ColumnNodeRow((), "", type_ or "", logical_type, nullable == "1", tuple(json.loads(tags)) if tags else ())
    return attributes_text(schema_nodes.column_attributes(row))


COLUMNS = 100_000
"""How many columns a span has, but for a schema that alone has more: enough for a file, few enough for a task."""

SPAN_COLUMNS = (f"nodes/kind={NodeKind.SCHEMA}", f"nodes/kind={NodeKind.COLUMN}", f"edges/kind={EdgeKind.CONTAINS}")
"""Where the files of a span lie in a graph's directory, in the order of `Batches`."""

ROWS = 5_000
"""How many rows a group has: a question about one schema reads few of them."""

REPEATED = ["namespace", "name", "attributes", "source", "evidence", "certainty", "type", "subtype", "rank"]
"""Columns whose values come again and again; of the others a dictionary would be made for nothing."""


class Rows(NamedTuple):
    """How many rows were written."""

    nodes: int
    edges: int


def span_name(span: Range) -> str:
    """Name the files of a span, so that their names have the order of their rows."""
    return f"schemas-{span[0]:012}-{span[1]:012}.parquet"


def make_directories(directory: Path) -> None:
    """Build the directories that files of spans lie in."""
    for folder in SPAN_COLUMNS:
        make_directory(directory / folder)


def finish_spans(directory: Path, written: Iterable[Rows]) -> None:
    """Take away what killed processes had begun in *directory*, and look whether all that was *written* is there.

    Raises InputInvalid where it is not: a machine wrote into a directory of that name which is its own.
    """
    for file in (file for folder in SPAN_COLUMNS for file in (directory / folder).glob(".*")):
        file.unlink(missing_ok=True)
    files = (file for folder in SPAN_COLUMNS for file in (directory / folder).glob("schemas-*.parquet"))
    stored, expected = sum(parquet.read_metadata(file).num_rows for file in files), sum(map(sum, written))
    if stored != expected:
        what = f"tasks wrote {expected} rows there, and {stored} are to be seen here"
        raise InputInvalid(what, where=str(directory), hint="name a directory that all machines share")


def write_span(source: DictionarySource, span: Range, directory: Path) -> Rows:
    """Write the rows of the schemas of *span* into the graph in *directory*, in bounded memory.

    Raises OSError where the directories that `make_directories` makes are not there.
    """
    with infrequent_collection():
        return write_batches((batches(cells) for cells in source.cells(span)), directory, span_name(span))


def write_batches(parts: Iterable[Batches], directory: Path, name: str) -> Rows:
    """Write the rows of some schemas, in the graph's order, as the files called *name* of the graph in *directory*."""
    counts = [0] * len(SPAN_COLUMNS)
    with ExitStack() as files:
        writers: dict[int, Any] = {}
        for at, rows in (pair for batches in parts for pair in enumerate(batches)):
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
    return parquet.ParquetWriter(sink, columns, compression="zstd", use_dictionary=REPEATED)
