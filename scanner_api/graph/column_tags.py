"""The tags of columns: declared by schemas and catalogs, and inherited along the flows of the stored graph."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from dataflow_generator.analysis.inherited_tags import TagFlows, TaggedColumn, inherited_tags
from dataflow_generator.graph import EdgeKind
from scanner_api.tag_rules import TagRules, bundled_rules
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.reader import GraphReader, SqlGraphReader
from scanner_dictionary.graph.store import EdgeRow, NodeRow, stored_graph
from scanner_dictionary.queries.columns import ANY_TAG, FoundTag, TopicColumnRow, has_tag
from scanner_dictionary.search.columns_in_graph import (
    Place,
    PlacedColumn,
    columns_of_nodes,
    place_of,
    tagged_columns,
)
from scanner_model.columns import path_name

DECLARED, INHERITED, SUGGESTED = "declared", "inherited", "suggested"
_FLOWS = frozenset((EdgeKind.COLUMN_FLOW,))
_ARROW = "→"


class ColumnTags:
    """Finds tags of columns in the dictionary *conn*, along the flows of *graph*.

    *declared* are the columns that declare a tag.
    """

    def __init__(self, conn: Connection, graph: GraphReader, declared: Iterable[PlacedColumn]) -> None:
        self._conn, self._graph = conn, graph
        self._names: dict[int, NodeRow] = {}
        tags: dict[Place, set[str]] = {}
        for placed in declared:
            tags.setdefault(placed.place, set()).update(placed.column.tags)
        self._declared = tags

    def flows(self, tag: str | None = None) -> TagFlows:
        """Return the columns that inherit *tag*, in any letter case, and where it ends; None: every tag."""
        wanted = None if tag in (None, ANY_TAG) else str(tag).lower()
        names = {place.name for place in self._declared}
        nodes = (node for node in self._graph.nodes_named(names) if node.path is not None)
        starts = {
            node.id: {each for each in self._declared.get(place_of(node), ()) if wanted in (None, each.lower())}
            for node in nodes
        }
        return inherited_tags(starts, self._edges)

    def found(self, columns: Sequence[TaggedColumn]) -> Iterator[PlacedColumn]:
        """Yield the rows of *columns*, with the tags that they inherit."""
        self.read(columns)
        tags: dict[Place, list[FoundTag]] = {}
        for column in columns:
            tags.setdefault(place_of(self._names[column.node]), []).append(self.tag_of(column))
        nodes = {column.node: self._names[column.node] for column in columns}
        for placed in columns_of_nodes(self._conn, nodes):
            yield placed._replace(column=placed.column._replace(found_tags=tuple(tags[placed.place])))

    def tag_of(self, column: TaggedColumn) -> FoundTag:
        """Return the tag of a column whose path was read, with its origin and each step."""
        path = tuple(
            f"{self.name(edge.source_node_id)} {_ARROW} {self.name(edge.target_node_id)}: {edge.evidence}"
            for edge in column.path
        )
        return FoundTag(column.tag, INHERITED, str(column.flow), self.name(column.origin), column.steps, path)

    def name(self, key: int) -> str:
        """Return the name of a column that was read, behind that of its dataset."""
        node = self._names[key]
        return f"{node.name}.{path_name(place_of(node).path)}"

    def dataset(self, key: int) -> str:
        """Return the namespace and name of the dataset of a column that was read."""
        return f"{self._names[key].namespace}/{self._names[key].name}"

    def position(self, column: TaggedColumn) -> tuple[str, str]:
        """Return what identifies a column with its tag in every graph: the key of its node, and the tag."""
        self.read((column,))
        return self._names[column.node].node_key, column.tag

    def keys_on(self, column: TaggedColumn) -> Iterator[tuple[str, str]]:
        """Yield the flows on the path of a column that was read, each as the keys of its ends."""
        for edge in column.path:
            yield self._names[edge.source_node_id].node_key, self._names[edge.target_node_id].node_key

    def clusters_of(self, columns: Sequence[TaggedColumn], clusters: Mapping[str, str]) -> Mapping[Place, str]:
        """Return the cluster that the first origin of each column is in; *clusters* are names by namespaces."""
        self.read(columns)
        return {
            place_of(self._names[column.node]): clusters.get(self._names[column.origin].namespace, "")
            for column in reversed(columns)
        }

    def read(self, columns: Iterable[TaggedColumn]) -> None:
        """Read the nodes on the paths of *columns*, each path up to what is known."""
        read: set[tuple[int, str]] = set()
        for column in columns:
            at: TaggedColumn | None = column
            while at is not None and (at.node, at.tag) not in read:
                read.add((at.node, at.tag))
                at = at.before
        self._names |= self._graph.nodes_of({node for node, _ in read} - self._names.keys())

    def _edges(self, nodes: Sequence[int]) -> Sequence[EdgeRow]:
        # With holders nothing is joined, and flows hold nothing.
        return self._graph.edges_at(nodes, forward=True, kinds=_FLOWS, holders=True)


def listed_with_tags(
    conn: Connection, tag: str, cluster: str | None, kinds: Collection[str]
) -> tuple[TopicColumnRow, ...]:
    """Return the columns that have *tag*, or ANY_TAG, by cluster, topic and dataset.

    *kinds* are of DECLARED, INHERITED and SUGGESTED.
    """
    everywhere = INHERITED in kinds
    declared = list(tagged_columns(conn, tag, None if everywhere else cluster))
    listed = [placed.column for placed in declared] if DECLARED in kinds else []
    known = {placed.place for placed in declared}
    if (everywhere or SUGGESTED in kinds) and stored_graph(conn) is not None:
        tags = ColumnTags(conn, SqlGraphReader(conn), declared)
        inherited = list(tags.found(tags.flows(tag).inherited))
        listed += [placed.column for placed in inherited] if everywhere else []
        known |= {placed.place for placed in inherited}
    if SUGGESTED in kinds:
        listed += [placed.column for placed in suggested_columns(conn, tag, known)]
    return tuple(sorted((column for column in listed if cluster in (None, column.cluster)), key=_order))


def suggested_columns(
    conn: Connection, tag: str | None, known: Collection[Place], rules: TagRules | None = None
) -> Iterator[PlacedColumn]:
    """Yield the columns whose name, type or documentation suggests *tag*, and that are not among *known* ones.

    *rules* are those that come with the program where they are None.
    """
    judge = (rules or bundled_rules()).suggest
    for placed in tagged_columns(conn, None):
        column = placed.column
        found = judge(column.topic or placed.place.name, column.path, column.type, column.doc)
        if found is None or placed.place in known or not has_tag((found.tag,), tag):
            continue
        suggestion = FoundTag(found.tag, SUGGESTED, "", "", 0, (found.why,))
        yield placed._replace(column=column._replace(found_tags=(suggestion,)))


def _order(column: TopicColumnRow) -> tuple[bool, str, str, str, bool]:
    """Return the order of columns: topics first, what is declared first; else it remains."""
    return not column.cluster, column.cluster, column.topic, column.dataset, bool(column.found_tags)
