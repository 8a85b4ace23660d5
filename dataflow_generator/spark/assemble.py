"""Build the flow graph of a dictionary on Spark: the same graph as local generation, in order or directly in files."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from dataflow_generator.build.assemble import installation_edges, installation_nodes, read_flows
from dataflow_generator.build.coverage import Coverage
from dataflow_generator.build.dictionary_source import DictionarySource
from dataflow_generator.build.graph_builder import Flows, infrequent_collection
from dataflow_generator.build.store import coverage_text
from dataflow_generator.graph import Edge, FlowGraph, Node
from dataflow_generator.jobs.connect_columns import ColumnsByDataset
from dataflow_generator.jobs.kinds import (
    LookupContext,
    Partition,
    PartitionResult,
    derived_columns,
    open_ends,
    read_partition,
)
from dataflow_generator.parquet.job_batches import JobBatch, JobRows, build_batch, read_rows
from dataflow_generator.parquet.manifest import GraphManifest, Written, whole_graph, write_manifest
from dataflow_generator.parquet.schema import EDGE_DDL, NODE_DDL, arrow_schema, record_edge, record_node
from dataflow_generator.parquet.schema_batches import (
    COLUMNS,
    Rows,
    edge_batch,
    finish_spans,
    make_directories,
    node_batch,
    write_span,
)
from dataflow_generator.parquet.writer import installation_edge_batches, installation_node_batches, write_job_files
from dataflow_generator.spark.jdbc import JdbcTarget, check_reachable, replace_tables
from scanner_dictionary.lineage_inputs.topics import Connection

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession


Batches = Iterator[Any]
_FRAME_TASKS = 2_000
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

    def build(numbers: Iterable[int]) -> Batches:
        import pyarrow as pa

        for at in numbers:
            yield pa.RecordBatch.from_pylist([write_span(source, ranges[at], directory)._asdict()])

    return [Rows(*row) for row in tasks(spark, len(ranges), build, "nodes long, edges long").collect()]


def installation_node_frame(spark: SparkSession, source: DictionarySource) -> DataFrame:
    """Return the nodes of clusters and topics, rows of NODE_DDL."""
    return _at_once(spark, source, installation_node_batches, NODE_DDL)


def installation_edge_frame(spark: SparkSession, source: DictionarySource) -> DataFrame:
    """Return the edges from clusters to topics and from topics to schemas, rows of EDGE_DDL."""
    return _at_once(spark, source, installation_edge_batches, EDGE_DDL)


def local_frame(spark: SparkSession, batches: Iterable[Any], schema: str) -> DataFrame:
    """Return a DataFrame of rows on the driver."""
    import pyarrow as pa

    return spark.createDataFrame(pa.Table.from_batches(batches, arrow_schema(schema)), schema)


def _at_once(
    spark: SparkSession, source: DictionarySource, batches: Callable[[Connection], Batches], schema: str
) -> DataFrame:
    def build(_: Iterable[int]) -> Batches:
        with source.connected() as conn:
            yield from batches(conn)

    return tasks(spark, 1, build, schema)


def _by_range(
    spark: SparkSession, source: DictionarySource, batch: Callable[[Any], pyarrow.RecordBatch], schema: str
) -> DataFrame:
    ranges = source.ranges(COLUMNS)

    def build(numbers: Iterable[int]) -> Batches:
        return (batch(cells) for at in numbers for cells in source.cells(ranges[at]))

    return tasks(spark, len(ranges), build, schema)


def tasks(
    spark: SparkSession, count: int, make: Callable[[Iterable[int]], Batches], schema: str, most: int = _FRAME_TASKS
) -> DataFrame:
    """Call *make* with the numbers below *count*, in order, in at most *most* tasks."""

    def work(batches: Iterable[Any]) -> Batches:
        return make(at for batch in batches for at in batch.column(0).to_pylist())

    return spark.range(0, count, 1, min(max(count, 1), most)).mapInArrow(work, schema)


T = TypeVar("T")
Named = tuple[str, Partition]

_PARTS_A_TASK, _TASKS = 4, 64
"""Several partitions share a task, because reading common inputs, such as all topic names, may dominate."""

_FOUND = "place long, size long, found binary"

_CODEC = "zstd"
"""Rows of flows are repetitive: they are compressed to an eighth."""


def read_parts(spark: SparkSession, source: DictionarySource, parts: Sequence[Named]) -> Iterator[PartitionResult]:
    """Read partitions of jobs in tasks, in the order given.

    Columns that are derived through connectors are combined on the driver, between two rounds of tasks.
    """
    derived = _derived(spark, source, parts)

    def read(conn: Connection, part: Named, context: LookupContext) -> PartitionResult:
        return read_partition(conn, *part, context._replace(derived=lambda: derived))

    return _each(spark, source, parts, read)


def build_partitions(spark: SparkSession, source: DictionarySource, parts: Sequence[Named]) -> Iterator[JobBatch]:
    """Read partitions of jobs and build their rows in tasks, in the order given."""
    derived = _derived(spark, source, parts)

    def build(conn: Connection, part: Named, context: LookupContext) -> JobBatch:
        return build_batch(read_partition(conn, *part, context._replace(derived=lambda: derived)))

    return _each(spark, source, parts, build)


def _derived(spark: SparkSession, source: DictionarySource, parts: Sequence[Named]) -> ColumnsByDataset:
    ends = list(_each(spark, source, [part for name, part in parts if name == "connect"], open_ends))
    with source.connected() as conn:
        return derived_columns(conn, ends, source.context(conn))


def _each(
    spark: SparkSession,
    source: DictionarySource,
    parts: Sequence[T],
    read: Callable[[Connection, T, LookupContext], Any],
) -> Iterator[Any]:
    def build(numbers: Iterable[int]) -> Iterator[Any]:
        import pyarrow as pa

        with source.connected() as conn, infrequent_collection():
            context = source.context(conn)
            for at in numbers:
                pickled = pickle.dumps(read(conn, parts[at], context))
                packed = pa.compress(pickled, codec=_CODEC, asbytes=True)
                yield pa.RecordBatch.from_pydict({"place": [at], "size": [len(pickled)], "found": pa.array([packed])})

    if not parts:
        return iter(())
    most = min(_TASKS, -(-len(parts) // _PARTS_A_TASK))
    results = tasks(spark, len(parts), build, _FOUND, most=most).toArrow().sort_by("place")
    return map(_unpacked, results.column("found"), results.column("size"))


def _unpacked(packed: Any, size: Any) -> Any:  # noqa: ANN401 - pyarrow has no types
    import pyarrow as pa

    content = pa.decompress(packed.as_buffer(), decompressed_size=size.as_py(), codec=_CODEC)
    # Written by our own tasks only, so unpickling is safe.
    return pickle.loads(content)  # noqa: S301


def assemble_on_spark(spark: SparkSession, source: DictionarySource) -> FlowGraph:
    """Return the graph of *source*, the same as `build_graph` returns, computed by Spark tasks.

    Rows come to the driver one task at a time, in the order of the graph; each output computes them again.
    """
    flows = _flows(spark, source)
    return FlowGraph(
        nodes=lambda: _nodes(spark, source, flows),
        edges=lambda: _edges(spark, source, flows),
        coverage=flows.coverage,
    )


def write_graph(spark: SparkSession, source: DictionarySource, directory: Path) -> Written:
    """Write the graph of *source* to *directory* atomically; every task must have access to it.

    Raises InputInvalid where it cannot be written.
    """
    with whole_graph(directory) as part:
        coverage = write_parquet(spark, source, part)
        return Written(write_manifest(part, source.newest_scan(), coverage), coverage)


def write_parquet(spark: SparkSession, source: DictionarySource, directory: Path) -> Coverage:
    """Write the graph of *source* into *directory*: job rows from the driver, schema files from the tasks.

    Job rows are written first: they are few, and their memory is released before the tasks run. Raises InputInvalid
    where files that tasks wrote are missing.
    """
    coverage = _write_above(spark, source, directory)
    make_directories(directory)
    finish_spans(directory, write_schema_files(spark, source, directory))
    return coverage


def write_database(spark: SparkSession, source: DictionarySource, target: JdbcTarget) -> Written:
    """Write the graph of *source* into the tables `graph_node`, `graph_edge` and `graph_about` of *target*.

    A column's path is JSON text. Raises as `replace_tables` does.
    """
    from pyspark.sql import functions as f

    check_reachable(spark, target)
    with source.connected() as conn, infrequent_collection():
        jobs = _job_rows(spark, source, conn)
        above = local_frame(spark, jobs.nodes, NODE_DDL), local_frame(spark, jobs.edges, EDGE_DDL)
    nodes = installation_node_frame(spark, source).unionAll(schema_nodes(spark, source)).unionAll(above[0])
    edges = installation_edge_frame(spark, source).unionAll(schema_edges(spark, source)).unionAll(above[1])
    nodes = nodes.withColumn("path", f.to_json("path"))
    scan = source.newest_scan()
    about = spark.createDataFrame([(scan, coverage_text(jobs.coverage))], "last_scan int, coverage string")
    rows = replace_tables(spark, {"graph_node": nodes, "graph_edge": edges, "graph_about": about}, target)
    return Written(GraphManifest(last_scan=scan, nodes=rows["graph_node"], edges=rows["graph_edge"]), jobs.coverage)


def _write_above(spark: SparkSession, source: DictionarySource, directory: Path) -> Coverage:
    with source.connected() as conn, infrequent_collection():
        return write_job_files(conn, _job_rows(spark, source, conn), directory)


def _job_rows(spark: SparkSession, source: DictionarySource, conn: Connection) -> JobRows:
    return read_rows(
        conn,
        draw=lambda parts: build_partitions(spark, source, parts),
        read=lambda parts: read_parts(spark, source, parts),
    )


def _flows(spark: SparkSession, source: DictionarySource) -> Flows:
    with source.connected() as conn, infrequent_collection():
        return read_flows(conn, lambda parts: read_parts(spark, source, parts))


def _nodes(spark: SparkSession, source: DictionarySource, flows: Flows) -> Iterator[Node]:
    with source.connected() as conn:
        yield from installation_nodes(conn, flows)
    for row in schema_nodes(spark, source).toLocalIterator(prefetchPartitions=True):
        yield record_node(row.asDict())


def _edges(spark: SparkSession, source: DictionarySource, flows: Flows) -> Iterator[Edge]:
    with source.connected() as conn:
        yield from installation_edges(conn, flows)
    for row in schema_edges(spark, source).toLocalIterator(prefetchPartitions=True):
        yield record_edge(row.asDict())
