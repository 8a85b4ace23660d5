"""Jobs read by Spark's tasks: the same functions that local generation calls, each task on some parts of the rows."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from dataflow_generator.collector import seldom_collected
from dataflow_generator.columnar.drawn_jobs import DrawnPart, draw_part
from dataflow_generator.flows.connect_columns import Known
from dataflow_generator.jobs import Around, Part, PartReading, derived_columns, open_ends, read_part
from dataflow_generator.source import DictionarySource
from dataflow_generator.spark.frames import tasks
from scanner_dictionary.queries.graph_input import Connection

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")
Named = tuple[str, Part]

_PARTS_A_TASK, _TASKS = 4, 64
"""What a task reads once for several parts, as the names of all topics, may be the larger part of its work."""

_FOUND = "place long, size long, found binary"

_CODEC = "zstd"
"""Rows of flows say much the same again and again: they become an eighth."""


def read_parts(spark: SparkSession, source: DictionarySource, parts: Sequence[Named]) -> Iterator[PartReading]:
    """Read parts of jobs in tasks, in the order given.

    What connectors tell together of datasets that nobody describes is put together here, between two rounds of tasks.
    """
    derived = _derived(spark, source, parts)

    def read(conn: Connection, part: Named, around: Around) -> PartReading:
        return read_part(conn, *part, around._replace(derived=lambda: derived))

    return _each(spark, source, parts, read)


def drawn_parts(spark: SparkSession, source: DictionarySource, parts: Sequence[Named]) -> Iterator[DrawnPart]:
    """Read parts of jobs in tasks, which draw them, too; in the order given."""
    derived = _derived(spark, source, parts)

    def drawn(conn: Connection, part: Named, around: Around) -> DrawnPart:
        return draw_part(read_part(conn, *part, around._replace(derived=lambda: derived)))

    return _each(spark, source, parts, drawn)


def _derived(spark: SparkSession, source: DictionarySource, parts: Sequence[Named]) -> Known:
    ends = list(_each(spark, source, [part for name, part in parts if name == "connect"], open_ends))
    with source.connected() as conn:
        return derived_columns(conn, ends, source.around(conn))


def _each(
    spark: SparkSession, source: DictionarySource, parts: Sequence[T], read: Callable[[Connection, T, Around], Any]
) -> Iterator[Any]:
    def made(places: Iterable[int]) -> Iterator[Any]:
        import pyarrow as pa

        with source.connected() as conn, seldom_collected():
            around = source.around(conn)
            for at in places:
                found = pickle.dumps(read(conn, parts[at], around))
                packed = pa.compress(found, codec=_CODEC, asbytes=True)
                yield pa.RecordBatch.from_pydict({"place": [at], "size": [len(found)], "found": pa.array([packed])})

    if not parts:
        return iter(())
    most = min(_TASKS, -(-len(parts) // _PARTS_A_TASK))
    found = tasks(spark, len(parts), made, _FOUND, most=most).toArrow().sort_by("place")
    return map(_unpacked, found.column("found"), found.column("size"))


def _unpacked(packed: Any, size: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    import pyarrow as pa

    found = pa.decompress(packed.as_buffer(), decompressed_size=size.as_py(), codec=_CODEC)
    # Rows of our own tasks, which nobody else can write: to unpickle them is safe.
    return pickle.loads(found)  # noqa: S301
