"""Jobs read by Spark's tasks: the same functions that local generation calls, each task on some parts of the rows."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from dataflow_generator.collector import seldom_collected
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

_FOUND = "place long, found binary"


def read_parts(spark: SparkSession, source: DictionarySource, parts: Sequence[Named]) -> Iterator[PartReading]:
    """Read parts of jobs in tasks, in the order given.

    What connectors tell together of datasets that nobody describes is put together here, between two rounds of tasks.
    """
    connect = [part for name, part in parts if name == "connect"]
    ends = list(_each(spark, source, connect, open_ends))
    with source.connected() as conn:
        derived = derived_columns(conn, ends, source.around(conn))

    def read(conn: Connection, part: Named, around: Around) -> PartReading:
        return read_part(conn, *part, around._replace(derived=lambda: derived))

    return _each(spark, source, parts, read)


def _each(
    spark: SparkSession, source: DictionarySource, parts: Sequence[T], read: Callable[[Connection, T, Around], Any]
) -> Iterator[Any]:
    def made(places: Iterable[int]) -> Iterator[Any]:
        import pyarrow as pa

        with source.connected() as conn, seldom_collected():
            around = source.around(conn)
            for at in places:
                found = pickle.dumps(read(conn, parts[at], around))
                yield pa.RecordBatch.from_pydict({"place": [at], "found": pa.array([found], pa.binary())})

    if not parts:
        return iter(())
    most = min(_TASKS, -(-len(parts) // _PARTS_A_TASK))
    found = tasks(spark, len(parts), made, _FOUND, most=most).toArrow().sort_by("place")
    # Rows of our own tasks, which nobody else can write: to unpickle them is safe.
    return (pickle.loads(cell.as_py()) for cell in found.column("found"))  # noqa: S301
