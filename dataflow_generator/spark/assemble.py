"""From a dictionary to its flow graph on Spark: the same graph as local generation, in order or straight into files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dataflow_generator.assemble import estate_edges, estate_nodes, read_flows
from dataflow_generator.collector import seldom_collected
from dataflow_generator.columnar.about import About, Written, whole_graph, write_about
from dataflow_generator.columnar.job_rows import JobRows, read_rows
from dataflow_generator.columnar.schema import EDGE_DDL, NODE_DDL, record_edge, record_node
from dataflow_generator.columnar.spans import finish_spans, make_places
from dataflow_generator.columnar.writing import write_above
from dataflow_generator.coverage import Coverage
from dataflow_generator.flows.drawing import Flows
from dataflow_generator.graph import Edge, FlowGraph, Node
from dataflow_generator.source import DictionarySource
from dataflow_generator.spark import frames
from dataflow_generator.spark.jdbc import JdbcTarget, check_reachable, replace_tables
from dataflow_generator.spark.reading import drawn_parts, read_parts
from dataflow_generator.storing import coverage_text
from scanner_dictionary.queries.graph_input import Connection

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def assemble_on_spark(spark: SparkSession, source: DictionarySource) -> FlowGraph:
    """Give the graph of *source*, the same as `assemble` gives, made by Spark's tasks.

    Rows come back to the driver one task at a time, in the order of the graph; each output makes them anew.
    """
    flows = _flows(spark, source)
    return FlowGraph(
        nodes=lambda: _nodes(spark, source, flows),
        edges=lambda: _edges(spark, source, flows),
        coverage=flows.coverage,
    )


def write_graph(spark: SparkSession, source: DictionarySource, directory: Path) -> Written:
    """Write the graph of *source* as *directory*, whole or not at all; every task must reach it.

    Raises InputInvalid where it cannot be written.
    """
    with whole_graph(directory) as part:
        coverage = write_parquet(spark, source, part)
        return Written(write_about(part, source.newest_scan(), coverage), coverage)


def write_parquet(spark: SparkSession, source: DictionarySource, directory: Path) -> Coverage:
    """Write the graph of *source* into *directory*: what jobs make from here, files of schemas from the tasks.

    What jobs make is drawn and written first: it is the small part, and is let go before the tasks need memory.
    Raises InputInvalid where what tasks wrote is not there.
    """
    coverage = _write_above(spark, source, directory)
    make_places(directory)
    finish_spans(directory, frames.written_spans(spark, source, directory))
    return coverage


def write_database(spark: SparkSession, source: DictionarySource, target: JdbcTarget) -> Written:
    """Write the graph of *source* into the tables `graph_node`, `graph_edge` and `graph_about` of *target*.

    A column's path is JSON text. Raises as `replace_tables` does.
    """
    from pyspark.sql import functions as f

    check_reachable(spark, target)
    with source.connected() as conn, seldom_collected():
        jobs = _job_rows(spark, source, conn)
        above = frames.held(spark, jobs.nodes, NODE_DDL), frames.held(spark, jobs.edges, EDGE_DDL)
    nodes = frames.estate_node_frame(spark, source).unionAll(frames.schema_nodes(spark, source)).unionAll(above[0])
    edges = frames.estate_edge_frame(spark, source).unionAll(frames.schema_edges(spark, source)).unionAll(above[1])
    nodes = nodes.withColumn("path", f.to_json("path"))
    scan = source.newest_scan()
    about = spark.createDataFrame([(scan, coverage_text(jobs.coverage))], "last_scan int, coverage string")
    rows = replace_tables(spark, {"graph_node": nodes, "graph_edge": edges, "graph_about": about}, target)
    return Written(About(last_scan=scan, nodes=rows["graph_node"], edges=rows["graph_edge"]), jobs.coverage)


def _write_above(spark: SparkSession, source: DictionarySource, directory: Path) -> Coverage:
    with source.connected() as conn, seldom_collected():
        return write_above(conn, _job_rows(spark, source, conn), directory)


def _job_rows(spark: SparkSession, source: DictionarySource, conn: Connection) -> JobRows:
    return read_rows(
        conn,
        draw=lambda parts: drawn_parts(spark, source, parts),
        read=lambda parts: read_parts(spark, source, parts),
    )


def _flows(spark: SparkSession, source: DictionarySource) -> Flows:
    with source.connected() as conn, seldom_collected():
        return read_flows(conn, lambda parts: read_parts(spark, source, parts))


def _nodes(spark: SparkSession, source: DictionarySource, flows: Flows) -> Iterator[Node]:
    with source.connected() as conn:
        yield from estate_nodes(conn, flows)
    for row in frames.schema_nodes(spark, source).toLocalIterator(prefetchPartitions=True):
        yield record_node(row.asDict())


def _edges(spark: SparkSession, source: DictionarySource, flows: Flows) -> Iterator[Edge]:
    with source.connected() as conn:
        yield from estate_edges(conn, flows)
    for row in frames.schema_edges(spark, source).toLocalIterator(prefetchPartitions=True):
        yield record_edge(row.asDict())
