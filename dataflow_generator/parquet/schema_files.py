"""The rows of schemas as files of their own, those of each span of definitions apart, whichever process writes them.

A file is named by the first and the last key of its definitions, and is there whole or not at all: a task that is tried
twice writes the same file twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from dataflow_generator.build.dictionary_source import DictionarySource, Range
from dataflow_generator.build.garbage_collection import infrequent_collection
from dataflow_generator.graph import EdgeKind, NodeKind
from dataflow_generator.parquet.schema_batches import Batches, batches
from scanner_model.errors import InputInvalid
from scanner_model.private_files import atomic_path, make_directory

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
