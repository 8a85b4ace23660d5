"""Where personal data are: columns that declare, inherit or are suggested a tag, and who reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Literal, NamedTuple

from dataflow_generator.graph import EdgeKind, NodeKind
from dataflow_generator.stored.column_tags import (
    DECLARED,
    INHERITED,
    MASKED,
    ColumnTags,
    decisions_on,
    suggested_columns,
)
from dataflow_generator.stored.people import stated_owner
from scanner_api.dictionary import Dictionary, known_cluster
from scanner_api.graph.open import past_rows
from scanner_api.questions.question import Cluster, ColumnName, Cursor, Limit, Moment, Page, Parameter, Pattern, page_of
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.reader import GraphReader, SqlGraphReader
from scanner_dictionary.graph.store import newest_scan, stored_graph
from scanner_dictionary.queries.columns import FoundTag
from scanner_dictionary.queries.graph_at import graph_at
from scanner_dictionary.queries.tag_decisions import tag_decisions
from scanner_dictionary.queries.topics import NOTHING, CatalogAnnotations, catalog_annotations, cluster_ids, name_filter
from scanner_dictionary.search.columns_in_graph import Place, PlacedColumn, tagged_columns
from scanner_dictionary.search.other_columns import cluster_names
from scanner_dictionary.search.stored_tags import TaggedRow, has_stored_tags, stored_tags
from scanner_model.columns import path_name
from scanner_model.tag_decisions import Decision

Found = Literal["declared", "inherited", "suggested", "masked", "read"]
_READS, _WRITES = frozenset((EdgeKind.READS,)), frozenset((EdgeKind.WRITES,))
_LISTED = 3


class PersonalData(NamedTuple):
    """A column with a tag, or a reader of a topic that has such columns.

    *found* is how it is known: declared, inherited along flows, suggested by a rule, masked (the tag ends there), or
    read (*reader* is a consumer group, or a job whose columns are not known, that reads *column*, the first three of
    them). *dataset* is a topic, or the namespace and name of another dataset; *outside* is whether the data left Kafka
    there, which a table that jobs only read shows not. *origin* and *steps* are those of an inherited tag, *why* its
    flows with their evidence, or the reason. *owner* is that of the topic, in the row of a reader its own.
    """

    cluster: str
    dataset: str
    column: str
    tag: str
    found: str
    flow: str
    origin: str
    steps: int
    outside: bool
    reader: str
    owner: str
    why: tuple[str, ...]


def personal_data(
    dictionary: Dictionary,
    *,
    cluster: Cluster = None,
    pattern: Pattern = None,
    name: ColumnName = None,
    tag: Annotated[str, Parameter("The tag, in any case.", metavar="TAG")] = "PII",
    found: Annotated[Found | None, Parameter("Only what is known in this way.")] = None,
    outside: Annotated[bool, Parameter("Only what leaves Kafka, and who reads it.")] = False,
    since: Annotated[
        str | None,
        Parameter(
            "Only inherited tags that the graph of a scan (its number, or a date) does not have, by the tags of today.",
            longest=64,
            metavar="SCAN|DATE",
        ),
    ] = None,
    as_of: Moment = None,
    limit: Limit = None,
    cursor: Cursor = None,
) -> Page[PersonalData]:
    """Return the columns with *tag*, declared ones first, then inherited, suggested and masked ones, then readers.

    Not `complete` where the graph of the newest scan was not generated. Raises NameUnknown for an unknown cluster, and
    where *since* has no graph.

    >>> [(row.dataset, row.column, row.found) for row in personal_data(dictionary, outside=True)]
    """
    with dictionary.at(as_of).reading() as conn:
        known, graph, fits = known_cluster(conn, cluster), stored_graph(conn), name_filter(pattern)
        rows = rows_of_tag(conn, tag, found, since)
        chosen = (
            row
            for row in rows
            if known in (None, row.cluster)
            and fits(row.column)
            and (not name or row.column.rpartition(".")[2].lower() == name.lower())
            and found in (None, row.found)
            and (not outside or row.outside or row.reader)
            and (since is None or row.found == INHERITED)
        )
        page = page_of(chosen, cursor, limit)
        return replace(page, complete=graph is not None and graph.last_scan >= newest_scan(conn))


def rows_of_tag(
    conn: Connection, tag: str, found: Found | None = None, since: str | None = None
) -> Iterator[PersonalData]:
    """Yield what `personal_data` lists, before its filters."""
    tagged = _Stored(conn, tag) if not since and has_stored_tags(conn, tag) else _Computed(conn, tag, since)
    owners, accepted = _Owners(conn), tag_decisions(conn, Decision.ACCEPTED)
    known: set[Place] = set()
    for _, placed, _ in tagged.columns(DECLARED):
        known.add(placed.place)
        spelled = next((each for each in placed.column.tags if each.lower() == tag.lower()), tag)
        why = tuple(each.text for each in decisions_on(accepted, placed, tag))
        yield _row(placed, FoundTag(spelled, "declared", "", "", 0, why), owners)
    for _, placed, origin in tagged.columns(INHERITED):
        known.add(placed.place)
        for each in placed.column.found_tags:
            yield _row(placed, each, owners, origin)
    if found in (None, "suggested") and not since:
        decided = known | {placed.place for _, placed, _ in tagged.columns(MASKED)}
        for placed in suggested_columns(conn, tag, decided):
            for each in placed.column.found_tags:
                yield _row(placed, each, owners)
    for _, placed, origin in tagged.columns(MASKED):
        for each in placed.column.found_tags:
            yield _row(placed, each._replace(certainty="masked"), owners, origin)
    yield from _readers(owners.graph, known, tag, owners)


class _Stored(NamedTuple):
    """The columns with a tag, as they were stored with the graph."""

    conn: Connection
    tag: str

    def columns(self, found: str) -> Iterable[TaggedRow]:
        """Return the columns that have the tag in the way *found*, each time read again."""
        return stored_tags(self.conn, self.tag, (found,))


class _Computed:
    """The columns with a tag, found along the flows of the graph; *since*: only what an earlier graph does not have."""

    def __init__(self, conn: Connection, tag: str, since: str | None) -> None:
        declared = list(tagged_columns(conn, tag))
        tags = ColumnTags(conn, SqlGraphReader(conn), declared)
        flows = tags.flows(tag)
        origins = tags.clusters_of([*flows.inherited, *flows.masked], cluster_names(conn))
        before = _places_then(conn, declared, tag, since) if since else frozenset[tuple[str, str]]()
        inherited = [column for column in flows.inherited if tags.position(column) not in before]
        found = {INHERITED: tags.found(inherited), MASKED: tags.found(flows.masked)}
        self._rows = {DECLARED: [TaggedRow(DECLARED, placed) for placed in declared]}
        for kind, listed in found.items():
            self._rows[kind] = [TaggedRow(kind, placed, origins.get(placed.place, "")) for placed in listed]

    def columns(self, found: str) -> Iterable[TaggedRow]:
        """Return the columns that have the tag in the way *found*."""
        return self._rows[found]


def _places_then(
    conn: Connection, declared: Iterable[PlacedColumn], tag: str, since: str
) -> frozenset[tuple[str, str]]:
    version, _ = graph_at(conn, since)
    tags = ColumnTags(conn, past_rows(conn, version), declared)
    return frozenset(map(tags.position, tags.flows(tag).inherited))


class _Owners:
    """The owners of topics by cluster and name, and which datasets are sources."""

    def __init__(self, conn: Connection) -> None:
        self.graph = SqlGraphReader(conn)
        self._sources: dict[tuple[str, str], bool] = {}
        self._notes: Mapping[tuple[int, str], CatalogAnnotations] = catalog_annotations(conn)
        self._ids = cluster_ids(conn)
        self.clusters = cluster_names(conn)

    def of(self, cluster: str, topic: str) -> str:
        return self._notes.get((self._ids.get(cluster, 0), topic), NOTHING).owner

    def is_source(self, place: Place) -> bool:
        """Return whether jobs read the dataset of a column, and none writes it."""
        at = place.namespace, place.name
        if at not in self._sources:
            named = self.graph.nodes_named((place.name,))
            nodes = [node.id for node in named if (node.namespace, node.name, node.path) == (*at, None)]
            is_read = self.graph.edges_at(nodes, forward=True, kinds=_READS)
            self._sources[at] = bool(is_read) and not self.graph.edges_at(nodes, forward=False, kinds=_WRITES)
        return self._sources[at]


def _row(placed: PlacedColumn, tag: FoundTag, owners: _Owners, origin: str = "") -> PersonalData:
    """Return the row of a column; *origin* is the cluster that its data come from."""
    place, column = placed
    cluster = column.cluster or origin
    return PersonalData(
        cluster=cluster,
        dataset=column.topic or column.dataset,
        column=path_name(place.path) if column.role == "key" else column.name,
        tag=tag.tag,
        found=tag.certainty,
        flow=tag.flow,
        origin=tag.origin,
        steps=tag.steps,
        outside=not column.topic and not owners.is_source(place),
        reader="",
        owner=owners.of(cluster, column.topic or place.name),
        why=tag.path,
    )


def _readers(graph: GraphReader, known: Iterable[Place], tag: str, owners: _Owners) -> Iterator[PersonalData]:
    """Yield the consumer groups that read topics with columns of *known*, and jobs whose columns are not known."""
    by_topic: dict[tuple[str, str], list[str]] = {}
    for place in sorted(known):
        if place.namespace in owners.clusters:
            by_topic.setdefault((place.namespace, place.name), []).append(path_name(place.path))
    named = graph.nodes_named({name for _, name in by_topic})
    topics = {
        node.id: node for node in named if node.kind == NodeKind.TOPIC and (node.namespace, node.name) in by_topic
    }
    edges = graph.edges_at(list(topics), forward=True, kinds=_READS)
    readers = graph.nodes_of({edge.target_node_id for edge in edges})
    for edge in edges:
        reader, topic = readers[edge.target_node_id], topics[edge.source_node_id]
        if reader.kind != NodeKind.CONSUMER_GROUP and '"unread": true' not in reader.attributes:
            continue
        columns = by_topic[topic.namespace, topic.name]
        more = f" and {len(columns) - _LISTED} more" if len(columns) > _LISTED else ""
        cluster = owners.clusters[topic.namespace]
        yield PersonalData(
            cluster=cluster,
            dataset=topic.name,
            column=", ".join(columns[:_LISTED]) + more,
            tag=tag,
            found="read",
            flow="",
            origin="",
            steps=0,
            outside=False,
            reader=f"{reader.kind} {reader.name}",
            owner=stated_owner(reader),
            why=(edge.evidence,) if edge.evidence else (),
        )
