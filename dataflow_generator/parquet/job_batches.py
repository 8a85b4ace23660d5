"""Rows of jobs as Arrow tables: built per partition by its reader, and concatenated without an object for each row.

Equivalent to `graph_builder.build_flows` for jobs that no event or catalog affects, which rename and merge datasets.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from dataflow_generator.build.assemble import ReadParts, installation_edges, installation_nodes, read_flows
from dataflow_generator.build.coverage import JOBS, SCHEMAS, Coverage, ProgressCallback, counted, silent
from dataflow_generator.build.dictionary_source import DictionarySource
from dataflow_generator.build.graph_builder import (
    Flows,
    build_job_alone,
    column_nodes,
    datasets_of,
    infrequent_collection,
)
from dataflow_generator.build.schema_nodes import topic_key
from dataflow_generator.build.snapshot import Snapshot
from dataflow_generator.build.targets import Written
from dataflow_generator.graph import Edge, EdgeKind, Node
from dataflow_generator.jobs.kinds import (
    LookupContext,
    Partition,
    PartitionResult,
    job_partitions,
    lookup_context,
    read_partition,
)
from dataflow_generator.jobs.model import GraphDataset
from dataflow_generator.parquet.dataset import (
    ABOVE_SCHEMAS,
    EDGE_DDL,
    EDGES,
    FLOWS,
    INSTALLATION,
    NODE_DDL,
    NODES,
    arrow_schema,
    edge_rows,
    node_rows,
    whole_graph,
    write_manifest,
)
from dataflow_generator.parquet.schema_batches import COLUMNS, make_directories, parquet_file, write_span
from scanner_model.private_files import make_directory

Table = Any
_AT_ONCE_JOB_TABLES = 50_000


def numbered(sections: Iterable[Table], rank: int) -> Table:
    """Put sections one after the other, as the rows of *rank* in their places."""
    rows = pa.concat_tables(sections)
    ranks = pa.repeat(pa.scalar(rank, pa.int32()), len(rows))
    rows = rows.set_column(rows.schema.get_field_index("rank"), "rank", ranks)
    positions = pa.array(range(len(rows)), pa.int64())
    return rows.set_column(rows.schema.get_field_index("place"), "place", positions)


def write_job_tables(nodes: Sequence[Table], edges: Sequence[Table], directory: Path) -> None:
    """Write the *numbered* rows of the ranks into *directory*, a file for each kind."""
    for name, ranks in ((NODES, nodes), (EDGES, edges)):
        by_table: dict[str, list[Table]] = {}
        for rows in ranks:
            for kind, own in _by_kind(rows):
                by_table.setdefault(kind, []).append(own)
        for kind, tables in by_table.items():
            _write(directory / name / f"kind={kind}", tables)


def _write(directory: Path, tables: Sequence[Table]) -> None:
    make_directory(directory)
    with parquet_file(directory / ABOVE_SCHEMAS, tables[0].schema) as writer:
        rows = pa.concat_tables(tables).drop_columns(["kind"]).combine_chunks()
        writer.write_table(rows, row_group_size=_AT_ONCE_JOB_TABLES)


def _by_kind(rows: Table) -> Iterator[tuple[str, Table]]:
    """Cut rows where their kind changes, which it seldom does."""
    if len(rows):
        runs = pc.run_end_encode(rows["kind"].combine_chunks())
        ends = runs.run_ends.to_pylist()
        for kind, start, end in zip(runs.values.to_pylist(), [0, *ends], ends, strict=False):
            yield kind, rows.slice(start, end - start)


Array = Any

_KINDS = (EdgeKind.READS, EdgeKind.WRITES, EdgeKind.MEMBER_OF, EdgeKind.COLUMN_FLOW)
_JOB, _HOLDER = "job", "holder"
_COLUMN_DDL, _EDGE_OF_JOB_DDL = f"{NODE_DDL}, {_HOLDER} string", f"{EDGE_DDL}, {_JOB} string"


class JobBatch(NamedTuple):
    """The jobs of one partition: their nodes, their edges by kind with the *job* of each, the columns in their flows.

    Each column has its *holder*, the key of its topic or dataset.
    """

    keys: tuple[str, ...]
    coverage: Coverage
    datasets: frozenset[GraphDataset]
    jobs: Table
    columns: Table
    edges: Mapping[EdgeKind, Table]


class JobRows(NamedTuple):
    """What jobs make, as batches of NODE_DDL and EDGE_DDL in the graph's order, and how much was read for it."""

    nodes: Iterable[Any]
    edges: Iterable[Any]
    coverage: Coverage


def build_batch(result: PartitionResult) -> JobBatch:
    """Build the rows of the jobs of a partition, each job independently."""
    jobs = [job.flows for job in result.jobs]
    job_graphs = {job.job.key: build_job_alone(job) for job in jobs}
    edges: dict[EdgeKind, list[tuple[str, Edge]]] = {kind: [] for kind in _KINDS}
    for key, graph in job_graphs.items():
        for edge in chain(graph.uses, graph.flows):
            edges[edge.kind].append((key, edge))
    refs = {key: ref for graph in job_graphs.values() for key, ref in graph.columns.items()}
    columns = _table(node_rows, list(column_nodes(refs, result.described)))
    return JobBatch(
        keys=tuple(job.flows.job.key for job in result.jobs),
        coverage=Coverage.total(job.coverage for job in result.jobs),
        datasets=datasets_of(jobs),
        jobs=_table(node_rows, [job.job for job in jobs]),
        columns=_with(columns, _HOLDER, [ref.dataset.key for ref in refs.values()]),
        edges={
            kind: _with(_table(edge_rows, [edge for _, edge in own]), _JOB, [key for key, _ in own])
            for kind, own in edges.items()
        },
    )


def concatenate(parts: Sequence[JobBatch], existing: Collection[str]) -> JobRows | None:
    """Return what the jobs of all parts make; *existing* are the keys of topics that the graph has without them.

    None where two jobs have one name, or one flow in common: one of them must give way then.
    """
    keys = sorted(key for part in parts for key in part.keys)
    if len(set(keys)) < len(keys):
        return None
    reads, writes, members, flows = (_in_order([part.edges[kind] for part in parts], keys) for kind in _KINDS)
    if _has_doubles(flows):
        return None
    columns = _unique(_concat([part.columns for part in parts], _COLUMN_DDL))
    datasets = sorted(frozenset[GraphDataset]().union(*(part.datasets for part in parts)))
    dataset_nodes = [
        Node(dataset.key, dataset.kind, dataset.namespace, dataset.name)
        for dataset in datasets
        if dataset.key not in existing
    ]
    jobs = _concat([part.jobs for part in parts], NODE_DDL).sort_by("node_key")
    nodes = [_table(node_rows, dataset_nodes), jobs, columns.drop_columns([_HOLDER])]
    edges = [table.drop_columns([_JOB]) for table in (reads, writes, members, flows)]
    edges.insert(3, _contains(columns, flows))
    coverage = Coverage.total(part.coverage for part in parts)
    return JobRows(_batches(nodes), _batches(edges), coverage)


def _batches(tables: Sequence[Table]) -> Iterator[Any]:
    """Yield tables of jobs as batches, numbered in their places."""
    yield from numbered(tables, FLOWS).to_batches(max_chunksize=_AT_ONCE)


def _in_order(tables: Sequence[Table], keys: Sequence[str]) -> Table:
    """Sort edges by job, in the order of *keys*; the edges of one job keep their order."""
    rows = _concat(tables, _EDGE_OF_JOB_DDL)
    return rows.take(pc.array_sort_indices(pc.index_in(rows[_JOB], pa.array(keys, pa.string()))))


def _has_doubles(flows: Table) -> bool:
    names = ["source", "target", "evidence", "certainty", "type", "subtype"]
    return len(flows.group_by(names).aggregate([])) < len(flows)


def _unique(columns: Table) -> Table:
    """Return each column once, sorted by key."""
    keys = columns["node_key"].combine_chunks()
    unique_keys = pc.unique(keys)
    unique_keys = unique_keys.take(pc.array_sort_indices(unique_keys))
    return columns.take(pc.index_in(unique_keys, keys))


def _contains(columns: Table, flows: Table) -> Table:
    """Return the edges to *columns* from their datasets, each with the evidence of the first flow at the column."""
    first = flows.take(_first_flows(columns["node_key"], flows))
    alike = {"type": "", "subtype": "", "kind": str(EdgeKind.CONTAINS)}
    cells = {
        "source": columns[_HOLDER],
        "target": columns["node_key"],
        **{name: first[name] for name in ("evidence", "certainty", "rank", "place")},
        **{name: pa.repeat(pa.scalar(text, pa.string()), len(columns)) for name, text in alike.items()},
    }
    return pa.table({name: cells[name] for name in arrow_schema(EDGE_DDL).names}).cast(arrow_schema(EDGE_DDL))


def _first_flows(columns: Array, flows: Table) -> Array:
    """Return the index in *flows* of the first flow from or to each of *columns*."""
    ends = [(pc.index_in(columns, flows[end].combine_chunks())) for end in ("source", "target")]
    return pc.min_element_wise(*ends)


def _concat(tables: Sequence[Table], ddl: str) -> Table:
    return pa.concat_tables([arrow_schema(ddl).empty_table(), *tables])


def _table(rows: Any, listed: Sequence[Any]) -> Table:  # noqa: ANN401 - pyarrow has no types
    return pa.Table.from_batches([rows(listed, FLOWS, range(len(listed)))])


def _with(table: Table, name: str, values: Iterable[str]) -> Table:
    return table.append_column(name, pa.array(list(values), pa.string()))


DrawParts = Callable[[Sequence[Partition], LookupContext], Iterable[JobBatch]]
"""Reads partitions of job kinds and builds the rows of each, in the order given."""

T = TypeVar("T")

_AT_ONCE = 10_000


def read_rows(
    snapshot: Snapshot,
    draw: DrawParts | None = None,
    read: ReadParts | None = None,
    report: ProgressCallback = silent,
) -> JobRows:
    """Read all jobs; *draw* reads their partitions and builds the rows, *read* reads them only, by default here.

    Jobs are read only, to be merged, where events or catalogs affect those of others, and where two have one name.
    """
    if snapshot.has_events_or_catalogs:
        return _of_flows(snapshot, read, report)
    context, parts = lookup_context(snapshot), list(job_partitions(snapshot))
    if draw:
        batches = list(draw(parts, context))
    else:
        batches = [build_batch(read_partition(part, context)) for part in counted(report, JOBS, parts, len(parts))]
    return concatenate(batches, _existing_topics(context)) or _of_flows(snapshot, read, report)


def _of_flows(snapshot: Snapshot, read: ReadParts | None, report: ProgressCallback) -> JobRows:
    flows = read_flows(snapshot, read, report)
    nodes, edges = portions(flows.nodes, FLOWS, node_rows), portions(flows.edges, FLOWS, edge_rows)
    return JobRows(nodes, edges, flows.coverage)


def _existing_topics(context: LookupContext) -> frozenset[str]:
    """Return the keys of live topics, which are in the graph without any job."""
    clusters = context.naming.clusters
    return frozenset(topic_key(clusters[cluster], name) for cluster, names in context.topics.items() for name in names)


def portions(items: Iterable[T], rank: int, rows: Callable[[Sequence[T], int, Sequence[int]], Any]) -> Iterator[Any]:
    """Yield *items*, which are in the order of the graph, in batches of *rows*."""
    rest, first = iter(items), 0
    while portion := list(islice(rest, _AT_ONCE)):
        yield rows(portion, rank, range(first, first + len(portion)))
        first += len(portion)


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
    nodes = _write_table(installation_node_batches(snapshot), NODE_DDL), _write_table(jobs.nodes, NODE_DDL)
    edges = _write_table(installation_edge_batches(snapshot), EDGE_DDL), _write_table(jobs.edges, EDGE_DDL)
    write_job_tables(nodes, edges, directory)
    return jobs.coverage


def _write_table(batches: Iterable[Any], ddl: str) -> Any:  # noqa: ANN401 - pyarrow has no types
    return pa.Table.from_batches(list(batches), arrow_schema(ddl))


def installation_node_batches(snapshot: Snapshot) -> Iterator[Any]:
    """Yield the nodes of clusters and topics as batches of NODE_DDL."""
    return portions(installation_nodes(snapshot, Flows()), INSTALLATION, node_rows)


def installation_edge_batches(snapshot: Snapshot) -> Iterator[Any]:
    """Yield the edges from clusters to topics and from topics to schemas as batches of EDGE_DDL."""
    return portions(installation_edges(snapshot, Flows()), INSTALLATION, edge_rows)
