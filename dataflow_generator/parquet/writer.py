"""Write the graph as Parquet files (`nodes` and `edges`, partitioned by kind) in this process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from dataflow_generator.build.assemble import installation_edges, installation_nodes
from dataflow_generator.build.coverage import Coverage
from dataflow_generator.build.dictionary_source import DictionarySource
from dataflow_generator.build.graph_builder import Flows, infrequent_collection
from dataflow_generator.build.progress import SCHEMAS, ProgressCallback, counted, silent
from dataflow_generator.build.snapshot import Snapshot
from dataflow_generator.build.targets import Written
from dataflow_generator.parquet.job_batches import JobRows, portions, read_rows, write_job_tables
from dataflow_generator.parquet.manifest import whole_graph, write_manifest
from dataflow_generator.parquet.schema import EDGE_DDL, INSTALLATION, NODE_DDL, arrow_schema, edge_rows, node_rows
from dataflow_generator.parquet.schema_batches import COLUMNS, make_directories, write_span


def write_graph(source: DictionarySource, directory: Path, report: ProgressCallback = silent) -> Written:
    """Write the graph of *source* to *directory* atomically; Spark writes the same rows.

    Raises InputInvalid where it cannot be written.
    """
    with whole_graph(directory) as part:
        coverage = write_parquet(source, part, report)
        return Written(write_manifest(part, source.newest_scan(), coverage), coverage)


def write_parquet(source: DictionarySource, directory: Path, report: ProgressCallback = silent) -> Coverage:
    """Write the graph of *source* into *directory*, in bounded memory."""
    with source.snapshot() as snapshot, infrequent_collection():
        coverage = write_job_files(snapshot, read_rows(snapshot, report=report), directory)
    make_directories(directory)
    spans = source.ranges(COLUMNS)
    for span in counted(report, SCHEMAS, spans, len(spans)):
        write_span(source, span, directory)
    return coverage


def write_job_files(snapshot: Snapshot, jobs: JobRows, directory: Path) -> Coverage:
    """Write the rows outside schemas: clusters, topics, and those of *jobs*.

    Returns how much was read for it.
    """
    nodes = _table(installation_node_batches(snapshot), NODE_DDL), _table(jobs.nodes, NODE_DDL)
    edges = _table(installation_edge_batches(snapshot), EDGE_DDL), _table(jobs.edges, EDGE_DDL)
    write_job_tables(nodes, edges, directory)
    return jobs.coverage


def _table(batches: Iterable[Any], ddl: str) -> Any:  # noqa: ANN401 - pyarrow has no types
    return pa.Table.from_batches(list(batches), arrow_schema(ddl))


def installation_node_batches(snapshot: Snapshot) -> Iterator[Any]:
    """Yield the nodes of clusters and topics as batches of NODE_DDL."""
    return portions(installation_nodes(snapshot, Flows()), INSTALLATION, node_rows)


def installation_edge_batches(snapshot: Snapshot) -> Iterator[Any]:
    """Yield the edges from clusters to topics and from topics to schemas as batches of EDGE_DDL."""
    return portions(installation_edges(snapshot, Flows()), INSTALLATION, edge_rows)
