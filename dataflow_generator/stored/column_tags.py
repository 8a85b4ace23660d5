"""The tags of columns: declared by schemas and catalogs, and inherited along the flows of the stored graph."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from dataflow_generator.analysis.inherited_tags import TagFlows, TaggedColumn, carries_tag, inherited_tags
from dataflow_generator.graph import EdgeKind
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.reader import GraphReader, SqlGraphReader
from scanner_dictionary.graph.store import EdgeRow, NodeRow, stored_graph
from scanner_dictionary.queries.columns import ANY_TAG, FoundTag, TopicColumnRow, has_tag
from scanner_dictionary.queries.tag_decisions import Decisions, tag_decisions, tag_rules
from scanner_dictionary.queries.topic_schemas import SchemaAnswer
from scanner_dictionary.search.columns_in_graph import (
    Place,
    PlacedColumn,
    columns_of_nodes,
    place_of,
    tagged_columns,
    tagged_columns_of,
)
from scanner_dictionary.search.other_columns import cluster_names
from scanner_dictionary.search.stored_tags import (
    ListedRow,
    TaggedRow,
    has_stored_tags,
    listed_tags,
    replace_stored_tags,
)
from scanner_model.columns import KEY, ColumnPath, path_name
from scanner_model.memory import uncollected
from scanner_model.names import Role
from scanner_model.tag_decisions import Decision, TagDecision

DECLARED, INHERITED, SUGGESTED, REJECTED, MASKED = "declared", "inherited", "suggested", "rejected", "masked"
_FLOWS = frozenset((EdgeKind.COLUMN_FLOW,))
_ARROW = "→"
_FEW = 500
"""Datasets whose flows are followed back: for more of them, all flows are followed from the columns with tags."""


class ColumnTags:
    """Finds tags of columns in the dictionary *conn*, along the flows of *graph*.

    *declared* are the columns that declare a tag. Only flows between nodes of *within* are followed; None: all.
    """

    def __init__(
        self,
        conn: Connection,
        graph: GraphReader,
        declared: Iterable[PlacedColumn],
        within: Collection[int] | None = None,
    ) -> None:
        self._conn, self._graph, self._within = conn, graph, within
        self._names: dict[int, NodeRow] = {}
        self._declared: dict[Place, set[str]] = {}
        for placed in declared:
            self.declare(placed.place, placed.column.tags)

    def declare(self, place: Place, tags: Collection[str]) -> None:
        """Add *tags* to those that the column at *place* declares."""
        if tags:
            self._declared.setdefault(place, set()).update(tags)

    @uncollected()
    def flows(self, tag: str | None = None) -> TagFlows:
        """Return the columns that inherit *tag*, in any letter case, and where it ends; None: every tag.

        A copy of a record that holds a tagged column inherits the tag from the record, unless flows show which of its
        columns has it.
        """
        wanted = None if tag in (None, ANY_TAG) else str(tag).lower()
        of_records: dict[Place, set[str]] = {}
        for place, tags in self._declared.items():
            for length in range(1, len(place.path)):
                of_records.setdefault(place._replace(path=place.path[:length]), set()).update(tags)
        starts: dict[int, set[str]] = {}
        records: dict[int, set[str]] = {}
        for node in self._graph.nodes_named({place.name for place in self._declared}):
            place = place_of(node)
            tags = {each for each in self._declared.get(place, ()) if wanted in (None, each.lower())}
            inside = {each for each in of_records.get(place, ()) if wanted in (None, each.lower())} - tags
            starts |= {node.id: tags} if tags else {}
            records |= {node.id: inside} if inside else {}
        flows = inherited_tags(starts, self._edges)
        return self._with_records(flows, inherited_tags(records, self._edges).inherited, starts)

    def _with_records(
        self, flows: TagFlows, copies: Sequence[TaggedColumn], starts: Mapping[int, Collection[str]]
    ) -> TagFlows:
        """Add *copies* of records to datasets in which no column of the record is known to have the tag."""
        if not copies:
            return flows
        self.read((*flows.inherited, *copies))
        known: set[tuple[str, str, Place]] = set()
        for column in flows.inherited:
            origin = place_of(self._names[column.origin])
            parts = (origin._replace(path=origin.path[:length]) for length in range(1, len(origin.path)))
            known.update((self.dataset(column.node), column.tag, part) for part in parts)
        taken = {(column.node, column.tag) for column in flows.inherited}
        added = [
            copy
            for copy in copies
            if (self.dataset(copy.node), copy.tag, place_of(self._names[copy.origin])) not in known
            and (copy.node, copy.tag) not in taken
            and copy.tag not in starts.get(copy.node, ())
        ]
        return flows._replace(inherited=tuple(sorted((*flows.inherited, *added), key=lambda each: each[:2])))

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

    def path(self, key: int) -> ColumnPath:
        """Return the path of a column that was read."""
        return place_of(self._names[key]).path

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
        edges = self._graph.edges_at(nodes, forward=True, kinds=_FLOWS, holders=True)
        within = self._within
        return edges if within is None else [edge for edge in edges if edge.target_node_id in within]


FoundTags = Mapping[tuple[str, ColumnPath], tuple[FoundTag, ...]]
"""The tags that columns inherit, by namespace and name of the dataset, with a slash, and path there."""


def inherited_in(conn: Connection, datasets: Collection[str] | None = None) -> FoundTags | None:
    """Return the tags that columns of *datasets* inherit, None: of all; None where no graph was generated.

    The flows that lead to few datasets are followed back first, so that the work grows with these.
    """
    if stored_graph(conn) is None:
        return None
    graph = SqlGraphReader(conn)
    if datasets is None or len(datasets) > _FEW:
        tags = ColumnTags(conn, graph, tagged_columns(conn, ANY_TAG))
        inherited = tags.flows().inherited
    else:
        nodes = graph.nodes_named({name for dataset in datasets for name in _ends_of(dataset)})
        ends = {node.id for node in nodes if node.path is not None and f"{node.namespace}/{node.name}" in datasets}
        upstream = _upstream(graph, ends)
        names = {node.name for node in graph.nodes_of(upstream).values()}
        tags = ColumnTags(conn, graph, tagged_columns_of(conn, names), upstream)
        inherited = tuple(column for column in tags.flows().inherited if column.node in ends)
    tags.read(inherited)
    found: dict[tuple[str, ColumnPath], tuple[FoundTag, ...]] = {}
    for column in inherited:
        at = tags.dataset(column.node), tags.path(column.node)
        found[at] = (*found.get(at, ()), tags.tag_of(column))
    return found


def _ends_of(dataset: str) -> Iterator[str]:
    """Yield what may be the name in *dataset*: namespaces and names may hold slashes."""
    parts = dataset.split("/")
    return ("/".join(parts[at:]) for at in range(1, len(parts)))


def _upstream(graph: GraphReader, ends: Collection[int]) -> set[int]:
    """Return *ends*, and the columns whose values get there."""
    reached, level = set(ends), sorted(ends)
    while level:
        edges = graph.edges_at(level, forward=False, kinds=_FLOWS, holders=True)
        level = sorted({edge.source_node_id for edge in edges if carries_tag(edge)} - reached)
        reached.update(level)
    return reached


def with_inherited(conn: Connection, rows: Sequence[TopicColumnRow]) -> tuple[TopicColumnRow, ...]:
    """Return *rows* with the tags that they inherit; as they are where no graph was generated."""
    spaces = {name: namespace for namespace, name in cluster_names(conn).items()}
    datasets = [row.dataset or f"{spaces.get(row.cluster, '')}/{row.topic}" for row in rows]
    found = inherited_in(conn, set(datasets)) if rows else None
    return tuple(
        row._replace(found_tags=(found or {}).get((dataset, path_in_topic(row.role, row.path)), row.found_tags))
        for row, dataset in zip(rows, datasets, strict=True)
    )


def schemas_with_inherited(
    answers: Iterable[SchemaAnswer], dataset: str, found: FoundTags | None
) -> tuple[SchemaAnswer, ...]:
    """Return the schemas of a topic, which is *dataset* in the graph, with those of *found* that their columns have."""
    return tuple(
        replace(
            answer,
            found_tags=None
            if found is None
            else {
                column.name: found[at]
                for column in answer.columns
                if (at := (dataset, path_in_topic(answer.role, column.path))) in found
            },
        )
        for answer in answers
    )


def path_in_topic(role: str, path: ColumnPath) -> ColumnPath:
    """Return the path that a column of a schema has in the graph, where a key's columns begin with a mark."""
    return (KEY, *path) if role == Role.KEY else path


def listed_with_tags(
    conn: Connection, tag: str, cluster: str | None, kinds: Collection[str], name: str = ""
) -> Iterable[TopicColumnRow]:
    """Return the columns that have *tag*, or ANY_TAG, by cluster, topic and dataset.

    *kinds* are of DECLARED, INHERITED and SUGGESTED. With a *name* (a part of it, or a glob), columns with
    other names may be left out.
    """
    if SUGGESTED not in kinds and has_stored_tags(conn, tag):
        return listed_tags(conn, tag, kinds, cluster, name)
    everywhere = INHERITED in kinds
    declared = list(tagged_columns(conn, tag, None if everywhere else cluster))
    listed = [placed.column for placed in declared] if DECLARED in kinds else []
    known = {placed.place for placed in declared}
    if (everywhere or SUGGESTED in kinds) and stored_graph(conn) is not None:
        tags = ColumnTags(conn, SqlGraphReader(conn), declared)
        flows = tags.flows(tag)
        inherited = list(tags.found(flows.inherited))
        listed += [placed.column for placed in inherited] if everywhere else []
        known |= {placed.place for placed in (*inherited, *tags.found(flows.masked))}
    if SUGGESTED in kinds:
        listed += [placed.column for placed in suggested_columns(conn, tag, known, rejected=REJECTED in kinds)]
    return sorted((column for column in listed if cluster in (None, column.cluster)), key=column_order)


def store_tags(conn: Connection) -> None:
    """Store the columns with tags beside the graph, in the caller's transaction, with the order of both lists."""
    rows = list(_tagged_rows(conn))
    places: dict[int, int] = {}
    listed = ((column_order(row.placed.column), at) for at, (_, row) in enumerate(rows) if row.found != MASKED)
    places.update((at, place) for place, (_, at) in enumerate(sorted(listed)))
    replace_stored_tags(conn, (ListedRow(tag, places.get(at), row) for at, (tag, row) in enumerate(rows)))


def _tagged_rows(conn: Connection) -> Iterator[tuple[str, TaggedRow]]:
    """Yield each tag, in lower case, with each column that has it: declared, then inherited, then masked ones."""
    declared = list(tagged_columns(conn, ANY_TAG))
    for placed in declared:
        for tag in dict.fromkeys(map(str.lower, placed.column.tags)):
            yield tag, TaggedRow(DECLARED, placed)
    tags = ColumnTags(conn, SqlGraphReader(conn), declared)
    flows, clusters = tags.flows(), cluster_names(conn)
    by_tag: dict[str, list[TaggedColumn]] = {}
    for column in (*flows.inherited, *flows.masked):
        by_tag.setdefault(column.tag.lower(), []).append(column)
    origins = {tag: tags.clusters_of(columns, clusters) for tag, columns in by_tag.items()}
    for found, columns in ((INHERITED, flows.inherited), (MASKED, flows.masked)):
        for placed in tags.found(columns):
            for tag in dict.fromkeys(each.tag.lower() for each in placed.column.found_tags):
                own = tuple(each for each in placed.column.found_tags if each.tag.lower() == tag)
                one = placed._replace(column=placed.column._replace(found_tags=own))
                yield tag, TaggedRow(found, one, origins[tag].get(placed.place, ""))


def suggested_columns(
    conn: Connection, tag: str | None, known: Collection[Place], *, rejected: bool = False
) -> Iterator[PlacedColumn]:
    """Yield the columns whose name, type or documentation suggests *tag*, and that are not among *known* ones.

    Known are those that have it, and those where flows show that it ends. A column of two subjects is one: there is one
    decision to make.
    With *rejected* also those that people rejected, with that as their certainty.
    """
    rules = tag_rules(conn)
    decided = tag_decisions(conn, Decision.REJECTED)
    listed: set[tuple[str, Place]] = set()  # the graph may lack a cluster: its place has no namespace then
    for placed in tagged_columns(conn, None):
        column = placed.column
        name = column.topic or placed.place.name
        found = rules[column.cluster].suggest(name, column.path, column.type, column.doc)
        if found is None or placed.place in known or not has_tag((found.tag,), tag):
            continue
        if (column.cluster, placed.place) in listed:
            continue
        listed.add((column.cluster, placed.place))
        decisions = decisions_on(decided, placed, found.tag)
        if rejected or not decisions:
            certainty, why = (REJECTED, decisions[0].text) if decisions else (SUGGESTED, found.why)
            suggestion = FoundTag(found.tag, certainty, "", "", 0, (why,))
            yield placed._replace(column=column._replace(found_tags=(suggestion,)))


def suggested_of_topic(
    conn: Connection, cluster: str, topic: str, answers: Iterable[SchemaAnswer]
) -> Iterator[tuple[str, str]]:
    """Yield each tag that a column of a topic's schemas looks like and does not have, with the name of the column.

    What people rejected is left out, and so is a tag that the column inherits.
    """
    rules = tag_rules(conn)[cluster]
    rejected = tag_decisions(conn, Decision.REJECTED).get((cluster, topic), {})
    for answer in answers:
        for column in answer.columns:
            found = rules.suggest(topic, column.path, column.type, column.doc)
            if found is None:
                continue
            known = [*column.tags, *column.inherited_tags]
            known += [tag.tag for tag in (answer.found_tags or {}).get(column.name, ())]
            known += [each.tag for each in rejected.get(path_in_topic(answer.role, column.path), ())]
            if not has_tag(known, found.tag):
                yield found.tag, f"{answer.role} {column.name}"


def decisions_on(decided: Decisions, placed: PlacedColumn, tag: str) -> tuple[TagDecision, ...]:
    """Return those of *decided* that are on *tag* of a column."""
    column = placed.column
    columns = decided.get((column.cluster, column.topic) if column.topic else ("", column.dataset), {})
    return tuple(each for each in columns.get(placed.place.path, ()) if each.tag.lower() == tag.lower())


def column_order(column: TopicColumnRow) -> tuple[bool, str, str, str, bool]:
    """Return the order of columns: topics first, what is declared first; else it remains."""
    return not column.cluster, column.cluster, column.topic, column.dataset, bool(column.found_tags)
