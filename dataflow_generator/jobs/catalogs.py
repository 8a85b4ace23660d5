"""Catalog tables in the graph: their nodes, the lineage that catalogs report, and topics materialized as tables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from dataflow_generator.analysis.connectivity import UnionFind
from dataflow_generator.build.graph_builder import Flows
from dataflow_generator.graph import Certainty, Edge, EdgeKind, Node, NodeKind, present
from dataflow_generator.jobs.field_matching import Fields
from dataflow_generator.jobs.model import ColumnFlow, ColumnRef, GraphDataset, JobFlows, Naming, Use, job_node
from dataflow_generator.openlineage.names import is_file_like, normal
from scanner_dictionary.lineage_inputs.catalogs import Name, TableRow
from scanner_model.catalogs import CatalogLink, Materialization
from scanner_model.columns import KEY, Column

_METADATA = ("$$", "cflt_metadata_")
"""Prefixes of the columns that Tableflow adds to those of the topic."""
_SUBTYPES = {"EXACT_COPY": "IDENTITY"}
_CATALOG = "catalog:"


@dataclass(frozen=True, slots=True)
class MaterializedTopic:
    """A topic that a service materializes as a table in one format, with the column flows between the two."""

    topic: GraphDataset
    table: GraphDataset
    table_format: str
    evidence: str
    columns: tuple[ColumnFlow, ...] = ()


def other_names(tables: Iterable[TableRow], topics: Iterable[tuple[str, Materialization]]) -> dict[Name, Name]:
    """Return the display name of each dataset that has several names: a catalog's first one, never that of its files.

    The files of a table are at its location; those of a materialized topic are where the service stores them.
    """
    groups: UnionFind[Name] = UnionFind()
    known: set[Name] = set()
    pairs = [(table.dataset, link) for table in tables for link in table.symlinks]
    pairs += [
        ((row.namespace, row.name), files) for _, row in topics if row.catalog and (files := file_dataset(row.location))
    ]
    for name, link in pairs:
        other = tuple(normal(*link))
        if other[1] not in ("", "/"):  # a shared bucket root does not identify a table
            groups.join((name, (other[0], other[1])))
            known.add(name)
    return {
        name: shown
        for group in groups.all()
        for shown in [min(group, key=lambda member: (member not in known, member))]
        for name in group
        if name != shown
    }


def file_dataset(location: str) -> Name | None:
    """Return the dataset name of the files at *location*; None where it is not a file address."""
    scheme, mark, rest = location.partition("://")
    store, _, path = rest.partition("/")
    files = normal(f"{scheme}://{store}", path)
    return (files.namespace, files.name) if mark and is_file_like(files.namespace) else None


def link_jobs(links: Iterable[tuple[str, CatalogLink]], naming: Naming) -> Iterator[JobFlows]:
    """Yield the jobs behind *links*: the process that the catalog names, else one job for each pair of datasets."""
    jobs: dict[tuple[str, str, str], list[CatalogLink]] = {}
    for cluster, link in links:
        name = link.process or f"{link.origin_name} -> {link.target_name}"
        jobs.setdefault((cluster, link.source, name), []).append(link)
    for (cluster, source, name), job_links in sorted(jobs.items()):
        namespace = f"catalog://{cluster}/{source.removeprefix(_CATALOG)}"
        yield _job(job_node(namespace, name, present(type="catalog")), job_links, naming)


def materialized_topics(
    rows: Iterable[tuple[str, Materialization]], naming: Naming, fields: Callable[[GraphDataset], tuple[Column, ...]]
) -> Iterator[MaterializedTopic]:
    """Yield the tables that topics are materialized as, each topic, table and format once.

    Columns are matched by name where *fields* knows both sides: those of the value, without the service's own.
    """
    listed: set[tuple[GraphDataset, GraphDataset, str]] = set()
    for cluster, row in sorted(rows, key=lambda pair: (pair[0], *_order(pair[1]))):
        topic, table = naming.topic(cluster, row.topic), naming.dataset(row.namespace, row.name)
        if (topic, table, row.table_format) not in listed:
            listed.add((topic, table, row.table_format))
            evidence = f"{row.source}: topic {row.topic} as {row.table_format or 'table'}"
            columns = tuple(_by_name(topic, table, evidence, fields))
            yield MaterializedTopic(topic, table, row.table_format.lower(), evidence, columns)


def _order(row: Materialization) -> tuple[object, ...]:
    return row.topic, not row.catalog, row.source, row.table_format, row.catalog


def with_tables(
    flows: Flows,
    tables: Mapping[GraphDataset, TableRow],
    materialized: Collection[MaterializedTopic],
    existing: Collection[str],
) -> Flows:
    """Add tables with their columns, and materialized topics; *existing* are the keys of nodes that the graph has."""
    nodes = {node.key: node for node in flows.nodes}
    for dataset, table in sorted(tables.items()):
        if dataset.key not in existing:
            nodes[dataset.key] = _table_node(dataset, table)
    for entry in materialized:
        for dataset in (entry.topic, entry.table):
            if dataset.key not in existing:
                nodes.setdefault(dataset.key, Node(dataset.key, dataset.kind, dataset.namespace, dataset.name))
    columns = list(_table_columns(tables, materialized))
    described = {ColumnRef(of, column.path): column for of, table in tables.items() for column in table.columns}
    for ref, _ in columns:
        node = nodes.get(ref.key) or Node(ref.key, NodeKind.COLUMN, ref.dataset.namespace, ref.dataset.name, ref.path)
        nodes[ref.key] = _with_attributes(node, described.get(ref))
    edges = [
        *flows.edges,
        *map(_edge, materialized),
        *_missing_edges(flows.edges, columns),
        *_column_edges(materialized),
    ]
    order = {kind: rank for rank, kind in enumerate(_EDGES)}
    return replace(
        flows,
        nodes=tuple(sorted(nodes.values(), key=lambda node: _NODES.get(node.kind, 1))),
        edges=tuple(sorted(dict.fromkeys(edges), key=lambda edge: order.get(edge.kind, 0))),
    )


_NODES = {NodeKind.DATASET: 0, NodeKind.TOPIC: 0, NodeKind.COLUMN: 2}
_EDGES = (
    EdgeKind.READS,
    EdgeKind.WRITES,
    EdgeKind.MEMBER_OF,
    EdgeKind.MATERIALIZES,
    EdgeKind.CONTAINS,
    EdgeKind.COLUMN_FLOW,
)


def _job(node: Node, links: list[CatalogLink], naming: Naming) -> JobFlows:
    evidence = {link: f"reported by {link.source}" for link in links}
    ends = [
        (
            link,
            naming.dataset(link.origin_namespace, link.origin_name),
            naming.dataset(link.target_namespace, link.target_name),
        )
        for link in links
    ]
    return JobFlows(
        job=node,
        certainty=Certainty.DECLARED,
        reads=_uses((origin, evidence[link]) for link, origin, _ in ends),
        writes=_uses((target, evidence[link]) for link, _, target in ends),
        columns=tuple(
            ColumnFlow(
                ColumnRef(origin, link.origin_path),
                ColumnRef(target, link.target_path),
                "DIRECT" if link.origin_path is not None and link.target_path is not None else "INDIRECT",
                _SUBTYPES.get(link.dependency, ""),
                evidence[link],
            )
            for link, origin, target in ends
            if link.origin_path is not None or link.target_path is not None
        ),
    )


def _uses(evidence: Iterable[tuple[GraphDataset, str]]) -> tuple[Use, ...]:
    return tuple(Use(dataset, why) for dataset, why in dict(sorted(evidence, reverse=True)).items())


def _by_name(
    topic: GraphDataset, table: GraphDataset, evidence: str, fields: Callable[[GraphDataset], tuple[Column, ...]]
) -> Iterator[ColumnFlow]:
    values = [column.path for column in fields(topic) if column.path and column.path[0] != KEY]
    known = Fields(column for column in fields(table) if not column.path[0].startswith(_METADATA))
    for path in dict.fromkeys(values):
        if column := known.find(path):
            yield ColumnFlow(ColumnRef(topic, path), ColumnRef(table, column), "DIRECT", "IDENTITY", evidence)


def _table_node(dataset: GraphDataset, table: TableRow) -> Node:
    attributes = present(
        description=table.description,
        format=table.table_format,
        location=table.location,
        owner=table.owner,
        partition_keys=table.partition_keys,
        provider=table.provider,
        symlinks=tuple(f"{namespace}/{name}" for namespace, name in table.symlinks),
        type=table.kind,
    )
    return Node(dataset.key, dataset.kind, dataset.namespace, dataset.name, None, attributes)


def _table_columns(
    tables: Mapping[GraphDataset, TableRow], materialized: Iterable[MaterializedTopic]
) -> Iterator[tuple[ColumnRef, Edge]]:
    """Yield the columns of tables, then those of materialized topics, each with the edge from its dataset."""
    for dataset, table in sorted(tables.items()):
        for column in table.columns:
            ref = ColumnRef(dataset, column.path)
            yield ref, _contains(ref, _reported_by(table), Certainty.DECLARED)
    for entry in materialized:
        for flow in entry.columns:
            for ref in (flow.source, flow.target):
                yield ref, _contains(ref, entry.evidence, Certainty.DERIVED)


def _reported_by(table: TableRow) -> str:
    return table.source.replace(":", " ", 1) if table.is_of_database else f"catalog {table.provider}"


def _contains(column: ColumnRef, evidence: str, certainty: Certainty) -> Edge:
    return Edge(column.dataset.key, column.key, EdgeKind.CONTAINS, evidence, certainty)


def _missing_edges(edges: Iterable[Edge], columns: Iterable[tuple[ColumnRef, Edge]]) -> Iterator[Edge]:
    """Yield the edges to columns that have none yet, each once."""
    contained = {edge.target for edge in edges if edge.kind is EdgeKind.CONTAINS}
    for column, edge in columns:
        if column.key not in contained:
            contained.add(column.key)
            yield edge


def _with_attributes(node: Node, column: Column | None) -> Node:
    if column is None or node.attributes:
        return node
    attributes = present(logical_type=column.logical_type, nullable=column.nullable, tags=column.tags, type=column.type)
    return replace(node, attributes=attributes)


def _edge(entry: MaterializedTopic) -> Edge:
    ends = entry.topic.key, entry.table.key
    return Edge(*ends, EdgeKind.MATERIALIZES, entry.evidence, Certainty.DECLARED, "", entry.table_format)


def _column_edges(materialized: Iterable[MaterializedTopic]) -> Iterator[Edge]:
    for entry in materialized:
        for flow in entry.columns:
            ends = flow.source.key, flow.target.key
            yield Edge(*ends, EdgeKind.COLUMN_FLOW, flow.evidence, Certainty.DERIVED, flow.type, flow.subtype)
