"""Nodes and edges as DataFrames: tasks read their ranges of the dictionary and call the same pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dataflow_generator.build.dictionary_source import DictionarySource
from dataflow_generator.parquet.schema import EDGE_DDL, NODE_DDL, arrow_schema
from dataflow_generator.parquet.schema_batches import edge_batch, node_batch
from dataflow_generator.parquet.schema_files import COLUMNS, Rows, write_span
from dataflow_generator.parquet.writer import estate_edge_batches, estate_node_batches
from scanner_dictionary.lineage_inputs.topics import Connection

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

Batches = Iterator[Any]
_TASKS = 2_000
"""The largest number of tasks, because the driver has overhead for each; more ranges share a task."""


def schema_nodes(spark: SparkSession, source: DictionarySource) -> DataFrame:
    """Return the nodes of schemas and their columns, rows of NODE_DDL; partitions and rows are in the graph's order."""
    return _by_range(spark, source, lambda cells: node_batch(cells), NODE_DDL)


def schema_edges(spark: SparkSession, source: DictionarySource) -> DataFrame:
    """Return the edges inside schemas, rows of EDGE_DDL; partitions and rows are in the graph's order."""
    return _by_range(spark, source, lambda cells: edge_batch(cells), EDGE_DDL)


def write_schema_files(spark: SparkSession, source: DictionarySource, directory: Path) -> list[Rows]:
    """Write the schema files of the graph in *directory* from tasks; return the row counts of each span."""
    ranges = source.ranges(COLUMNS)

    def made(places: Iterable[int]) -> Batches:
        import pyarrow as pa

        for at in places:
            yield pa.RecordBatch.from_pylist([write_span(source, ranges[at], directory)._asdict()])

    return [Rows(*row) for row in tasks(spark, len(ranges), made, "nodes long, edges long").collect()]


def estate_node_frame(spark: SparkSession, source: DictionarySource) -> DataFrame:
    """Return the nodes of clusters and topics, rows of NODE_DDL."""
    return _at_once(spark, source, estate_node_batches, NODE_DDL)


def estate_edge_frame(spark: SparkSession, source: DictionarySource) -> DataFrame:
    """Return the edges from clusters to topics and from topics to schemas, rows of EDGE_DDL."""
    return _at_once(spark, source, estate_edge_batches, EDGE_DDL)


def local_frame(spark: SparkSession, batches: Iterable[Any], schema: str) -> DataFrame:
    """Return a DataFrame of rows on the driver."""
    import pyarrow as pa

    return spark.createDataFrame(pa.Table.from_batches(batches, arrow_schema(schema)), schema)


def _at_once(
    spark: SparkSession, source: DictionarySource, batches: Callable[[Connection], Batches], schema: str
) -> DataFrame:
    def made(_: Iterable[int]) -> Batches:
        with source.connected() as conn:
            yield from batches(conn)

    return tasks(spark, 1, made, schema)


def _by_range(
    spark: SparkSession, source: DictionarySource, batch: Callable[[Any], pyarrow.RecordBatch], schema: str
) -> DataFrame:
    ranges = source.ranges(COLUMNS)

    def made(places: Iterable[int]) -> Batches:
        return (batch(cells) for at in places for cells in source.cells(ranges[at]))

    return tasks(spark, len(ranges), made, schema)


def tasks(
    spark: SparkSession, count: int, make: Callable[[Iterable[int]], Batches], schema: str, most: int = _TASKS
) -> DataFrame:
    """Call *make* with the numbers below *count*, in order, in at most *most* tasks."""

    def work(batches: Iterable[Any]) -> Batches:
        return make(at for batch in batches for at in batch.column(0).to_pylist())

    return spark.range(0, count, 1, min(max(count, 1), most)).mapInArrow(work, schema)
