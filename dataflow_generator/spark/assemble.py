"""From a dictionary to its flow graph on Spark: the same graph as local generation, in order or straight into files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dataflow_generator.assemble import estate_edges, estate_nodes, read_flows
from dataflow_generator.columnar.about import Written, whole_graph, write_about
from dataflow_generator.columnar.schema import record_edge, record_node
from dataflow_generator.coverage import Coverage
from dataflow_generator.flows.drawing import Flows
from dataflow_generator.graph import Edge, FlowGraph, Node
from dataflow_generator.source import DictionarySource
from dataflow_generator.spark import frames
from dataflow_generator.spark.reading import read_parts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


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
        coverage = write_parquet(spark, source, str(part))
        return Written(write_about(part, source.newest_scan()), coverage)


def write_parquet(spark: SparkSession, source: DictionarySource, directory: str) -> Coverage:
    """Write the graph of *source* into *directory* as `nodes` and `edges`, each by kind, straight from the tasks."""
    flows = _flows(spark, source)
    nodes = (
        frames.estate_node_frame(spark, source),
        frames.flow_node_frame(spark, flows),
        frames.schema_nodes(spark, source),
    )
    edges = (
        frames.estate_edge_frame(spark, source),
        frames.flow_edge_frame(spark, flows),
        frames.schema_edges(spark, source),
    )
    for name, (estate, made, schemas) in (("nodes", nodes), ("edges", edges)):
        _write(estate.unionAll(made).unionAll(schemas), f"{directory}/{name}")
    return flows.coverage


def _write(frame: DataFrame, directory: str) -> None:
    frame.write.mode("overwrite").partitionBy("kind").option("compression", "zstd").parquet(directory)


def _flows(spark: SparkSession, source: DictionarySource) -> Flows:
    with source.connected() as conn:
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
