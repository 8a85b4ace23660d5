"""The graph as Parquet files, `nodes` and `edges`, each a directory for every kind; written by this process alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from dataflow_generator.assemble import estate_edges, estate_nodes
from dataflow_generator.collector import seldom_collected
from dataflow_generator.columnar.about import Written, whole_graph, write_about
from dataflow_generator.columnar.above import write_above_rows
from dataflow_generator.columnar.job_rows import JobRows, portions, read_rows
from dataflow_generator.columnar.schema import EDGE_DDL, ESTATE, NODE_DDL, arrow_schema, edge_rows, node_rows
from dataflow_generator.columnar.spans import COLUMNS, make_places, write_span
from dataflow_generator.coverage import Coverage
from dataflow_generator.flows.drawing import Flows
from dataflow_generator.progress import SCHEMAS, Told, counted, silent
from dataflow_generator.source import DictionarySource
from scanner_dictionary.queries.graph_input import Connection


def write_graph(source: DictionarySource, directory: Path, told: Told = silent) -> Written:
    """Write the graph of *source* as *directory*, whole or not at all; Spark writes the same rows.

    Raises InputInvalid where it cannot be written.
    """
    with whole_graph(directory) as part:
        coverage = write_parquet(source, part, told)
        return Written(write_about(part, source.newest_scan(), coverage), coverage)


def write_parquet(source: DictionarySource, directory: Path, told: Told = silent) -> Coverage:
    """Write the graph of *source* into *directory*, in bounded memory."""
    with source.connected() as conn, seldom_collected():
        coverage = write_above(conn, read_rows(conn, told=told), directory)
    make_places(directory)
    spans = source.ranges(COLUMNS)
    for span in counted(told, SCHEMAS, spans, len(spans)):
        write_span(source, span, directory)
    return coverage


def write_above(conn: Connection, jobs: JobRows, directory: Path) -> Coverage:
    """Write what stands above the schemas, what the dictionary tells of clusters and topics and what *jobs* make.

    Returns how much was read for it.
    """
    nodes = _table(estate_node_batches(conn), NODE_DDL), _table(jobs.nodes, NODE_DDL)
    edges = _table(estate_edge_batches(conn), EDGE_DDL), _table(jobs.edges, EDGE_DDL)
    write_above_rows(nodes, edges, directory)
    return jobs.coverage


def _table(batches: Iterable[Any], ddl: str) -> Any:  # noqa: ANN401 - pyarrow has no types
    import pyarrow as pa

    return pa.Table.from_batches(list(batches), arrow_schema(ddl))


def estate_node_batches(conn: Connection) -> Iterator[Any]:
    """Give the nodes of clusters and topics as batches of NODE_DDL."""
    return portions(estate_nodes(conn, Flows()), ESTATE, node_rows)


def estate_edge_batches(conn: Connection) -> Iterator[Any]:
    """Give the edges from clusters to topics and from topics to schemas as batches of EDGE_DDL."""
    return portions(estate_edges(conn, Flows()), ESTATE, edge_rows)
