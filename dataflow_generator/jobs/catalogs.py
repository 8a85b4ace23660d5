"""Tables of catalogs in the graph: what they are, what feeds them, and the topics that are kept as such tables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from dataflow_generator.build.graph_builder import Flows
from dataflow_generator.graph import Certainty, Edge, EdgeKind, Node, NodeKind, present
from dataflow_generator.jobs.dataset_naming import Naming
from dataflow_generator.jobs.field_matching import Fields
from dataflow_generator.jobs.model import ColumnFlow, Dataset, JobFlows, Place, Use, job_node
from dataflow_generator.openlineage.identity.names import is_file_like, normal
from dataflow_generator.openlineage.identity.union_find import UnionFind
from scanner_dictionary.lineage_inputs.catalogs import LinkRow, MaterializedTopicRow, Name, TableRow
from scanner_model.column_path import KEY
from scanner_model.columns import Column

_METADATA = ("$$", "cflt_metadata_")
"""How columns begin that Tableflow adds to those of the topic."""
_SUBTYPES = {"EXACT_COPY": "IDENTITY"}
_CATALOG = "catalog:"


@dataclass(frozen=True, slots=True)
class Kept:
    """A topic that is kept as a table in one format, and which columns become which."""

    topic: Dataset
    table: Dataset
    table_format: str
    evidence: str
    columns: tuple[ColumnFlow, ...] = ()


def other_names(tables: Iterable[TableRow], kept: Iterable[MaterializedTopicRow]) -> dict[Name, Name]:
    """Return the name that each dataset with several is shown under: the first of a catalog's, never that of its files.

    A table's files lie at its location; a table that a topic is kept as lies where the service keeps it.
    """
    groups: UnionFind[Name] = UnionFind()
    known: set[Name] = set()
    pairs = [(table.name, link) for table in tables for link in table.symlinks]
    pairs += [(each.name, place) for each in kept if each.catalog and (place := place_of(each.location))]
    for name, link in pairs:
        other = tuple(normal(*link))
        if other[1] not in ("", "/"):  # whatever lies in the same bucket is not yet the same table
            groups.join((name, (other[0], other[1])))
            known.add(name)
    return {
        name: shown
        for group in groups.all()
        for shown in [min(group, key=lambda each: (each not in known, each))]
        for name in group
        if name != shown
    }


def place_of(location: str) -> Name | None:
    """Name the place of files that a location is; None for what is no address of files."""
    scheme, mark, rest = location.partition("://")
    place, _, path = rest.partition("/")
    found = normal(f"{scheme}://{place}", path)
    return (found.namespace, found.name) if mark and is_file_like(found.namespace) else None


def link_jobs(links: Iterable[LinkRow], naming: Naming) -> Iterator[JobFlows]:
    """Return the jobs behind *links*: the process that the catalog names, else one for each pair of datasets."""
    jobs: dict[tuple[str, str, str], list[LinkRow]] = {}
    for link in links:
        name = link.process or f"{link.origin[1]} -> {link.target[1]}"
        jobs.setdefault((link.cluster, link.source, name), []).append(link)
    for (cluster, source, name), told in sorted(jobs.items()):
        yield _job(
            job_node(f"catalog://{cluster}/{source.removeprefix(_CATALOG)}", name, present(type="catalog")),
            told,
            naming,
        )


def kept_of(
    rows: Iterable[MaterializedTopicRow], naming: Naming, fields: Callable[[Dataset], tuple[Column, ...]]
) -> Iterator[Kept]:
    """Return the tables that topics are kept as, each topic and format once for one table.

    Columns go by name where *fields* knows both sides: those of the value, not what the service adds.
    """
    seen: set[tuple[Dataset, Dataset, str]] = set()
    for row in sorted(rows, key=lambda row: (row.cluster, row.topic, not row.catalog, row)):
        topic, table = naming.topic(row.cluster, row.topic), naming.dataset(*row.name)
        if (topic, table, row.table_format) not in seen:
            seen.add((topic, table, row.table_format))
            evidence = f"{row.source}: topic {row.topic} as {row.table_format or 'table'}"
            columns = tuple(_by_name(topic, table, evidence, fields))
            yield Kept(topic, table, row.table_format.lower(), evidence, columns)


def with_tables(
    flows: Flows, tables: Mapping[Dataset, TableRow], kept: Collection[Kept], there: Collection[str]
) -> Flows:
    """Add tables with their columns, and the topics that are kept as tables; *there* are nodes that the graph has."""
    nodes = {node.key: node for node in flows.nodes}
    for dataset, table in sorted(tables.items()):
        nodes[dataset.key] = _table_node(dataset, table)
    for each in kept:
        for end in (each.topic, each.table):
            if end.key not in there:
                nodes.setdefault(end.key, Node(end.key, end.kind, end.namespace, end.name))
    places = list(_places(tables, kept))
    described = {Place(of, column.path): column for of, table in tables.items() for column in table.columns}
    for place, _ in places:
        node = nodes.get(place.key) or Node(
            place.key, NodeKind.COLUMN, place.dataset.namespace, place.dataset.name, place.path
        )
        nodes[place.key] = _described(node, described.get(place))
    edges = [*flows.edges, *map(_edge, kept), *_contained(flows.edges, places), *_column_edges(kept)]
    order = {kind: rank for rank, kind in enumerate(_EDGES)}
    return replace(
        flows,
        flowing=None,
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


def _job(node: Node, links: list[LinkRow], naming: Naming) -> JobFlows:
    evidence = {link: f"{link.source} tells it" for link in links}
    ends = [(link, naming.dataset(*link.origin), naming.dataset(*link.target)) for link in links]
    return JobFlows(
        job=node,
        certainty=Certainty.DECLARED,
        reads=_uses((origin, evidence[link]) for link, origin, _ in ends),
        writes=_uses((target, evidence[link]) for link, _, target in ends),
        columns=tuple(
            ColumnFlow(
                Place(origin, link.origin_path),
                Place(target, link.target_path),
                "DIRECT" if link.origin_path is not None and link.target_path is not None else "INDIRECT",
                _SUBTYPES.get(link.dependency, ""),
                evidence[link],
            )
            for link, origin, target in ends
            if link.origin_path is not None or link.target_path is not None
        ),
    )


def _uses(found: Iterable[tuple[Dataset, str]]) -> tuple[Use, ...]:
    return tuple(Use(dataset, why) for dataset, why in dict(sorted(found, reverse=True)).items())


def _by_name(
    topic: Dataset, table: Dataset, evidence: str, fields: Callable[[Dataset], tuple[Column, ...]]
) -> Iterator[ColumnFlow]:
    values = [column.path for column in fields(topic) if column.path and column.path[0] != KEY]
    known = Fields(column for column in fields(table) if not column.path[0].startswith(_METADATA))
    for path in dict.fromkeys(values):
        if found := known.find(path):
            yield ColumnFlow(Place(topic, path), Place(table, found), "DIRECT", "IDENTITY", evidence)


def _table_node(dataset: Dataset, table: TableRow) -> Node:
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


def _places(tables: Mapping[Dataset, TableRow], kept: Iterable[Kept]) -> Iterator[tuple[Place, Edge]]:
    """List the columns of tables, then those that become or are made of others, each with the edge from its dataset."""
    for dataset, table in sorted(tables.items()):
        for column in table.columns:
            place = Place(dataset, column.path)
            yield place, _contains(place, f"catalog {table.provider}", Certainty.DECLARED)
    for each in kept:
        for flow in each.columns:
            for place in (flow.source, flow.target):
                yield place, _contains(place, each.evidence, Certainty.DERIVED)


def _contains(place: Place, evidence: str, certainty: Certainty) -> Edge:
    return Edge(place.dataset.key, place.key, EdgeKind.CONTAINS, evidence, certainty)


def _contained(edges: Iterable[Edge], places: Iterable[tuple[Place, Edge]]) -> Iterator[Edge]:
    """List the edges to columns that have none yet, each once."""
    seen = {edge.target for edge in edges if edge.kind is EdgeKind.CONTAINS}
    for place, edge in places:
        if place.key not in seen:
            seen.add(place.key)
            yield edge


def _described(node: Node, column: Column | None) -> Node:
    if column is None or node.attributes:
        return node
    told = present(logical_type=column.logical_type, nullable=column.nullable, tags=column.tags, type=column.type)
    return replace(node, attributes=told)


def _edge(kept: Kept) -> Edge:
    ends = kept.topic.key, kept.table.key
    return Edge(*ends, EdgeKind.MATERIALIZES, kept.evidence, Certainty.DECLARED, "", kept.table_format)


def _column_edges(kept: Iterable[Kept]) -> Iterator[Edge]:
    for each in kept:
        for flow in each.columns:
            ends = flow.source.key, flow.target.key
            yield Edge(*ends, EdgeKind.COLUMN_FLOW, flow.evidence, Certainty.DERIVED, flow.type, flow.subtype)
