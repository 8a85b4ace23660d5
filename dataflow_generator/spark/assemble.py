"""From a dictionary to its flow graph on Spark: tasks read ranges of definitions and call the same pure functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from dataflow_generator import pieces
from dataflow_generator.assemble import estate_edges, estate_nodes, read_flows
from dataflow_generator.flows.drawing import Flows
from dataflow_generator.graph import Edge, FlowGraph, Node
from dataflow_generator.spark.frames import (
    EDGE_SCHEMA,
    NODE_SCHEMA,
    Record,
    arrow_schema,
    edge_record,
    node_record,
    record_edge,
    record_node,
)
from scanner_dictionary.opening import open_dictionary
from scanner_dictionary.queries.graph_input import DefinitionRow, definition_ranges, graph_definitions

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

Piece = TypeVar("Piece", Node, Edge)
_RANGES_PER_CORE = 2
_ROWS_A_BATCH = 10_000


def assemble_on_spark(spark: SparkSession, url: str) -> FlowGraph:
    """Give the graph of the dictionary at *url*, the same as `assemble` gives, made by Spark's tasks.

    Every executor opens the dictionary itself, so *url* must be reachable from all of them. Rows come back to the
    driver one partition at a time, in the order of the definitions' keys.
    """
    # Each output iterates the graph; kept, the rows are made once.
    nodes = node_frame(spark, url).orderBy("range", "place").persist()
    edges = edge_frame(spark, url).orderBy("range", "place").persist()
    # Jobs are few: the driver reads them once.
    with open_dictionary(url, create=False).connect() as conn:
        flows = read_flows(conn)
    return FlowGraph(
        nodes=lambda: _nodes(nodes, url, flows), edges=lambda: _edges(edges, url, flows), coverage=flows.coverage
    )


def node_frame(spark: SparkSession, url: str) -> DataFrame:
    """Give the schemas' and columns' nodes as a DataFrame of NODE_SCHEMA."""
    return _frame(spark, url, pieces.definition_nodes, node_record, NODE_SCHEMA)


def edge_frame(spark: SparkSession, url: str) -> DataFrame:
    """Give the edges below the schemas as a DataFrame of EDGE_SCHEMA."""
    return _frame(spark, url, pieces.definition_edges, edge_record, EDGE_SCHEMA)


def _nodes(frame: DataFrame, url: str, flows: Flows) -> Iterator[Node]:
    with open_dictionary(url, create=False).connect() as conn:
        yield from estate_nodes(conn, flows)
    for row in frame.toLocalIterator():
        yield record_node(row.asDict())


def _edges(frame: DataFrame, url: str, flows: Flows) -> Iterator[Edge]:
    with open_dictionary(url, create=False).connect() as conn:
        yield from estate_edges(conn, flows)
    for row in frame.toLocalIterator():
        yield record_edge(row.asDict())


def _frame(
    spark: SparkSession,
    url: str,
    make: Callable[[DefinitionRow], Iterator[Piece]],
    record: Callable[[Piece, int, int], Record],
    schema: str,
) -> DataFrame:
    parts = spark.sparkContext.defaultParallelism * _RANGES_PER_CORE
    with open_dictionary(url, create=False).connect() as conn:
        ranges = definition_ranges(conn, parts=parts)
    frame = spark.createDataFrame(list(ranges), "first long, last long").repartitionByRange(
        max(len(ranges), 1), "first"
    )

    def read(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        arrow = arrow_schema(schema)
        for batch in batches:
            for row in batch.to_pylist():
                yield from _batches(_records(url, row["first"], row["last"], make, record), arrow)

    return frame.mapInArrow(read, schema)


def _records(
    url: str,
    first: int,
    last: int,
    make: Callable[[DefinitionRow], Iterator[Piece]],
    record: Callable[[Piece, int, int], Record],
) -> Iterator[Record]:
    with open_dictionary(url, create=False).connect() as conn:
        made = (piece for definition in graph_definitions(conn, first, last) for piece in make(definition))
        yield from (record(piece, first, place) for place, piece in enumerate(made))


def _batches(records: Iterable[Record], schema: pyarrow.Schema) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow

    remaining = iter(records)
    while batch := list(islice(remaining, _ROWS_A_BATCH)):
        yield pyarrow.RecordBatch.from_pylist(batch, schema=schema)
