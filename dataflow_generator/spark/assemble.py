"""Build the graph of a dictionary on Spark: as local generation does, in order, in files, or into tables by JDBC."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as f

from dataflow_generator.build.assemble import installation_edges, installation_nodes, read_flows
from dataflow_generator.build.coverage import Coverage
from dataflow_generator.build.dictionary_source import DictionarySource
from dataflow_generator.build.graph_builder import infrequent_collection
from dataflow_generator.build.snapshot import Snapshot, topic_columns
from dataflow_generator.build.store import coverage_text
from dataflow_generator.build.targets import JdbcTarget, Written
from dataflow_generator.graph import Edge, FlowGraph, Node
from dataflow_generator.jobs.connect_columns import ColumnsByDataset
from dataflow_generator.jobs.kinds import (
    CONNECT,
    LookupContext,
    Partition,
    PartitionResult,
    derived_columns,
    open_ends,
    read_partition,
)
from dataflow_generator.parquet.dataset import (
    EDGE_DDL,
    NODE_DDL,
    arrow_schema,
    record_edge,
    record_node,
    whole_graph,
    write_manifest,
)
from dataflow_generator.parquet.job_batches import (
    JobBatch,
    JobRows,
    build_batch,
    installation_edge_batches,
    installation_node_batches,
    read_rows,
    write_job_files,
)
from dataflow_generator.parquet.schema_batches import (
    COLUMNS,
    Rows,
    edge_batch,
    finish_spans,
    make_directories,
    node_batch,
    write_span,
)
from dataflow_generator.spark.session import map_bytes
from scanner_dictionary.graph.store import StoredGraph
from scanner_model.errors import InputInvalid, ScannerError
from scanner_model.redaction import mask_text

_ROWS_AT_ONCE = "10000"


def check_reachable(spark: SparkSession, target: JdbcTarget) -> None:
    """Connect once, before any work is done; raises what `replace_tables` raises."""
    with _database_errors(target), _connected(spark, target):
        return


def replace_tables(spark: SparkSession, frames: Mapping[str, DataFrame], target: JdbcTarget) -> dict[str, int]:
    """Replace the tables of these names by *frames*, in one transaction where the database supports it for DDL.

    Tasks write staging tables `NAME_new`. Returns the row count of each. Raises InputInvalid for an unreachable
    database, ScannerError where it reports an error, or where a retried task wrote its rows twice: the tables are then
    unchanged.
    """
    with _database_errors(target):
        counts = {name: _stage(frame, f"{name}_new", target) for name, frame in frames.items()}
        with _connected(spark, target) as connection:
            for name, rows in counts.items():
                _check(connection, f"{name}_new", rows, target)
            _swap(connection, counts)
    return counts


def _stage(frame: DataFrame, table: str, target: JdbcTarget) -> int:
    """Write *frame* as *table*; return the number of rows of successful tasks."""
    observation = Observation()
    written = frame.observe(observation, f.count(f.lit(1)).alias("rows")).write.option("batchsize", _ROWS_AT_ONCE)
    written.jdbc(target.url, table, mode="overwrite", properties=target.properties)
    return int(observation.get["rows"])


def _check(connection: Any, table: str, rows: int, target: JdbcTarget) -> None:  # noqa: ANN401 - Java has no types here
    result = connection.createStatement().executeQuery(f"SELECT COUNT(*) FROM {table}")  # noqa: S608 - our own names
    result.next()
    if result.getLong(1) != rows:
        what = f"{table} has {result.getLong(1)} rows instead of {rows}: a task was retried"
        raise ScannerError(what, where=target.masked_url, hint="run it again; the tables are unchanged")


def _swap(connection: Any, names: Mapping[str, int]) -> None:  # noqa: ANN401 - Java has no types here
    connection.setAutoCommit(False)
    statement = connection.createStatement()
    for name in names:
        statement.executeUpdate(f"DROP TABLE IF EXISTS {name}")
        statement.executeUpdate(f"ALTER TABLE {name}_new RENAME TO {name}")
    connection.commit()


@contextmanager
def _connected(spark: SparkSession, target: JdbcTarget) -> Iterator[Any]:
    """Connect as Spark's own writer does, from its driver."""
    java: Any = spark._jvm
    properties = java.PythonUtils.toScalaMap(target.properties)
    options = java.org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions(target.url, "any", properties)
    dialect = java.org.apache.spark.sql.jdbc.JdbcDialects.get(target.url)
    connection = dialect.createConnectionFactory(options).apply(-1)
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def _database_errors(target: JdbcTarget) -> Iterator[None]:
    """Raise ScannerError for errors of the database or its driver, without the Java stack trace."""
    try:
        yield
    except Py4JJavaError as error:
        cause = error.java_exception
        while cause.getCause() is not None:
            cause = cause.getCause()
        message = mask_text(str(cause.getMessage()).splitlines()[0])
        if cause.getClass().getSimpleName() == "ClassNotFoundException":
            hint = "add its jar: --spark-conf spark.jars=/path/driver.jar"
            raise InputInvalid(f"driver {message} not found", where="--jdbc-url", hint=hint) from error
        hint = "check the database; its tables are unchanged"
        raise ScannerError(f"the database reported: {message}", where=target.masked_url, hint=hint) from error


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
        for at in numbers:
            yield pa.RecordBatch.from_pylist([write_span(source, ranges[at], directory)._asdict()])

    return [Rows(*row) for row in tasks(spark, len(ranges), build, "nodes long, edges long").collect()]


def local_frame(spark: SparkSession, batches: Iterable[Any], schema: str) -> DataFrame:
    """Return a DataFrame of rows on the driver."""
    return spark.createDataFrame(pa.Table.from_batches(batches, arrow_schema(schema)), schema)


def _by_range(
    spark: SparkSession, source: DictionarySource, batch: Callable[[Any], pa.RecordBatch], schema: str
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


_PARTS_A_TASK, _TASKS = 4, 64
"""Several partitions share a task, because reading common inputs, such as all topic names, may dominate."""

_PACKED = "place long, size long, packed binary"

_CODEC = "zstd"
"""Rows of flows are repetitive: they are compressed to an eighth."""


class _Tasks:
    """Reads partitions of the jobs of one snapshot in tasks, which get the rows and read columns themselves."""

    def __init__(self, spark: SparkSession, source: DictionarySource, snapshot: Snapshot) -> None:
        self._spark = spark
        self._source = source
        self._snapshot = snapshot

    def read(self, parts: Sequence[Partition], context: LookupContext) -> Iterator[PartitionResult]:
        """Read partitions, in the order given."""
        return self._map(parts, read_partition, context, self._derived(parts, context))

    def build(self, parts: Sequence[Partition], context: LookupContext) -> Iterator[JobBatch]:
        """Read partitions and build their rows, in the order given."""
        return self._map(parts, _build, context, self._derived(parts, context))

    def _derived(self, parts: Sequence[Partition], context: LookupContext) -> ColumnsByDataset:
        """Return the columns that are derived through connectors, which are combined here between two rounds."""
        rows = [part.rows for part in parts if part.kind == CONNECT]
        return derived_columns(self._snapshot, self._map(rows, open_ends, context, {}), context)

    def _map(
        self,
        rows: Sequence[Any],
        read: Callable[[Any, LookupContext], Any],
        context: LookupContext,
        derived: ColumnsByDataset,
    ) -> Iterator[Any]:
        source, shared = self._source, context[:-3]
        packed_rows = [_packed(row) for row in rows]

        def result_batches(positions: Iterable[int]) -> Batches:
            with source.connected() as conn, infrequent_collection():
                lookup = LookupContext(*shared, topic_columns(conn), lambda: derived)
                for position in positions:
                    size, packed = _packed(read(_unpacked(*packed_rows[position]), lookup))
                    yield pa.RecordBatch.from_pydict({"place": [position], "size": [size], "packed": [packed]})

        if not rows:
            return iter(())
        most = min(_TASKS, -(-len(rows) // _PARTS_A_TASK))
        results = tasks(self._spark, len(rows), result_batches, _PACKED, most=most).toArrow().sort_by("place")
        pairs = zip(results.column("size"), results.column("packed"), strict=True)
        return (_unpacked(size.as_py(), packed.as_buffer()) for size, packed in pairs)


def _build(part: Partition, context: LookupContext) -> JobBatch:
    return build_batch(read_partition(part, context))


def _packed(value: object) -> tuple[int, bytes]:
    """Return the size of a pickled value, and its compressed bytes."""
    pickled = pickle.dumps(value)
    return len(pickled), pa.compress(pickled, codec=_CODEC, asbytes=True)


def _unpacked(size: int, packed: bytes | pa.Buffer) -> Any:  # noqa: ANN401 - any value
    # Written by our own driver and tasks only, so unpickling is safe.
    return pickle.loads(pa.decompress(packed, decompressed_size=size, codec=_CODEC))  # noqa: S301


def assemble_on_spark(spark: SparkSession, source: DictionarySource) -> FlowGraph:
    """Return the graph of *source*, the same as `build_graph` returns, computed by Spark tasks.

    Rows come to the driver one task at a time, in the order of the graph; each output computes them again.
    """
    with source.snapshot() as snapshot, infrequent_collection():
        flows = read_flows(snapshot, _Tasks(spark, source, snapshot).read)
    return FlowGraph(
        nodes=lambda: _nodes(spark, source, installation_nodes(snapshot, flows)),
        edges=lambda: _edges(spark, source, installation_edges(snapshot, flows)),
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
    check_reachable(spark, target)
    with source.snapshot() as snapshot, infrequent_collection():
        jobs = _job_rows(spark, source, snapshot)
        above = [local_frame(spark, rows, ddl) for rows, ddl in ((jobs.nodes, NODE_DDL), (jobs.edges, EDGE_DDL))]
        nodes = local_frame(spark, installation_node_batches(snapshot), NODE_DDL)
        edges = local_frame(spark, installation_edge_batches(snapshot), EDGE_DDL)
    nodes = nodes.unionAll(schema_nodes(spark, source)).unionAll(above[0])
    edges = edges.unionAll(schema_edges(spark, source)).unionAll(above[1])
    nodes = nodes.withColumn("path", f.to_json("path"))
    scan = source.newest_scan()
    about = spark.createDataFrame([(scan, coverage_text(jobs.coverage))], "last_scan int, coverage string")
    rows = replace_tables(spark, {"graph_node": nodes, "graph_edge": edges, "graph_about": about}, target)
    return Written(StoredGraph(last_scan=scan, nodes=rows["graph_node"], edges=rows["graph_edge"]), jobs.coverage)


def _write_above(spark: SparkSession, source: DictionarySource, directory: Path) -> Coverage:
    with source.snapshot() as snapshot, infrequent_collection():
        return write_job_files(snapshot, _job_rows(spark, source, snapshot), directory)


def _job_rows(spark: SparkSession, source: DictionarySource, snapshot: Snapshot) -> JobRows:
    tasks = _Tasks(spark, source, snapshot)
    return read_rows(snapshot, draw=tasks.build, read=tasks.read)


def _nodes(spark: SparkSession, source: DictionarySource, above: Iterator[Node]) -> Iterator[Node]:
    yield from above
    yield from map(record_node, _local_rows(spark, source, node_batch, NODE_DDL))


def _edges(spark: SparkSession, source: DictionarySource, above: Iterator[Edge]) -> Iterator[Edge]:
    yield from above
    yield from map(record_edge, _local_rows(spark, source, edge_batch, EDGE_DDL))


def _local_rows(
    spark: SparkSession, source: DictionarySource, batch: Callable[[Any], pa.RecordBatch], schema: str
) -> Iterator[dict[str, Any]]:
    """Yield the rows of every range in order; tasks return the rows of a range as one compressed value.

    Spark's `toLocalIterator` does not release the partitions that were read, which fills a heap of 1 GB.
    """

    def work(span: bytes) -> bytes:
        first, last = span.split()
        return _packed_batches(map(batch, source.cells((int(first), int(last)))), schema)

    spans = (b"%d %d" % span for span in source.ranges(COLUMNS))
    for packed in map_bytes(spark, work, spans):
        with pa.ipc.open_stream(packed) as stream:
            for rows in stream:
                yield from rows.to_pylist()


def _packed_batches(batches: Iterable[pa.RecordBatch], schema: str) -> bytes:
    """Return *batches* as a compressed stream of Arrow."""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=_CODEC)
    with pa.ipc.new_stream(sink, arrow_schema(schema), options=options) as stream:
        for rows in batches:
            stream.write_batch(rows)
    return bytes(sink.getvalue())
