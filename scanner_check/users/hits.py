"""Who is hit by the change of a column or dataset: impact in the stored graph, with evidence, owners and tags."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from dataflow_generator.graph import EdgeKind, NodeKind
from dataflow_generator.jobs.model import GraphDataset, Naming
from dataflow_generator.query.impact import Affected as Reached
from dataflow_generator.query.impact import Root
from dataflow_generator.query.neighbourhood import Neighbourhood
from dataflow_generator.stored.impact import Impact, impact_from, impact_graph, node_path
from dataflow_generator.stored.people import People
from scanner_check.model import Affected
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.graph.store import EdgeRow, NodeRow, StoredGraph, stored_graph
from scanner_dictionary.queries.subjects import topics_named
from scanner_dictionary.queries.topics import CatalogAnnotations
from scanner_model.columns import ColumnPath, path_name

_KINDS = ("job", "consumer-group", "topic", "dataset", "catalog-table", "column")
"""The order in which affected nodes are listed."""


class Hits:
    """Answers from the stored graph, or from *rows*, a changed one; without one, users are unknown.

    *conn* is a connection to the dictionary, or what opens one when the graph is first needed. *field_uses* opens
    a dictionary with the fields that programs use; None: the first one has them. *others* complete the answers: other
    repositories and dictionaries, and the base commit where the first one is what runs. A topic is that of its name in
    every cluster of these.
    """

    def __init__(
        self,
        conn: Connection | Callable[[], Connection],
        field_uses: Callable[[], Connection] | None = None,
        rows: SqlGraphReader | None = None,
        others: Sequence[Hits] = (),
    ) -> None:
        self._connected, self._changed, self._field_uses = conn, rows, field_uses
        self.others = tuple(others)
        self.removed: frozenset[str] = frozenset()
        """Jobs that the change itself removes: they are not hit, except as writers."""

    @cached_property
    def conn(self) -> Connection:
        """Return the connection to the dictionary."""
        return self._connected() if callable(self._connected) else self._connected

    @cached_property
    def field_uses(self) -> Connection:
        """Return a connection to a dictionary with the fields that programs use."""
        return self._field_uses() if self._field_uses is not None else self.conn

    @cached_property
    def graph(self) -> StoredGraph | None:
        """Return what is stored about the graph; None without a graph."""
        return stored_graph(self.conn)

    @cached_property
    def _rows(self) -> SqlGraphReader:
        return self._changed or SqlGraphReader(self.conn)

    @cached_property
    def _near(self) -> Neighbourhood[int, EdgeRow]:
        return Neighbourhood(impact_graph(self._rows))

    @cached_property
    def _people(self) -> People:
        return People(self.conn)

    def of(self, dataset: GraphDataset, path: ColumnPath = ()) -> tuple[Affected, ...]:
        """Return who uses or writes a column of *dataset*, or all of it, the nearest first within each kind.

        Empty where no graph has the dataset.
        """
        hits = list(self._own(dataset, path))
        known = {(hit.kind, hit.name, hit.path) for hit in hits}
        for other in self.others:
            for same in other.alike(dataset):
                hits += [hit for hit in other.of(same, path) if (hit.kind, hit.name, hit.path) not in known]
                known = {(hit.kind, hit.name, hit.path) for hit in hits}
        return tuple(sorted(hits, key=lambda hit: _KINDS.index(hit.kind) if hit.kind in _KINDS else len(_KINDS)))

    def readers(self, datasets: Iterable[GraphDataset]) -> tuple[Affected, ...]:
        """Return who uses one of some datasets, each once, without those that only write them."""
        return tuple(dict.fromkeys(hit for one in datasets for hit in self.of(one) if hit.use != "writes"))

    def alike(self, dataset: GraphDataset) -> tuple[GraphDataset, ...]:
        """Return the topics that are called like a topic of another dictionary; any other dataset is itself."""
        if dataset.kind is not NodeKind.TOPIC:
            return (dataset,)
        return tuple(self.naming.topic(topic.cluster, topic.name) for topic in topics_named(self.conn, dataset.name))

    def _own(self, dataset: GraphDataset, path: ColumnPath) -> Iterable[Affected]:
        node = self.node(dataset)
        if node is None:
            return ()
        impact = impact_from(self._rows, Root(node=node.id, path=path), neighbourhood=self._near)
        hits = [hit for reached in impact.affected for hit in self._affected(reached, impact)]
        hits = [hit for hit in hits if hit.kind != NodeKind.JOB or hit.use == "writes" or hit.name not in self.removed]
        unique = {(hit.kind, hit.namespace, hit.name, hit.path): hit for hit in reversed(hits)}
        return reversed(unique.values())

    def node(self, dataset: GraphDataset) -> NodeRow | None:
        """Return the node of a dataset; None where there is no graph, or where it does not have it."""
        named = self._rows.nodes_named((dataset.name,)) if self.graph else ()
        return next((node for node in named if node.node_key == dataset.key), None)

    @property
    def naming(self) -> Naming:
        """Return the names of the clusters' topics as datasets."""
        return self._people.naming

    def topic_notes(self, cluster: str, topic: str) -> CatalogAnnotations:
        """Return the owner and tags that catalogs have for a topic."""
        return self._people.topic_notes(cluster, topic)

    def _affected(self, reached: Reached[int, EdgeRow], impact: Impact) -> Iterator[Affected]:
        """Yield a node that is reached, and the columns of a dataset whose rows depend on the change."""
        node = impact.nodes[reached.node]
        owner, tags = self._people.owner_and_tags(node)
        affected = Affected(
            kind=node.kind,
            namespace=node.namespace,
            name=node.name,
            path="",
            use=reached.use.name.lower(),
            steps=reached.steps,
            through=tuple(impact.nodes[job].name for job in reached.through),
            evidence=tuple(dict.fromkeys(hop.edge.evidence for hop in reached.route if hop.edge.evidence)),
            owner=owner,
            tags=tags,
            last_seen=self._people.last_seen(node),
        )
        yield replace(affected, kind=NodeKind.COLUMN, path=path_name(reached.path)) if reached.path else affected
        last = reached.route[-1] if reached.route else None
        if last and last.kind == EdgeKind.COLUMN_FLOW and last.target == reached.node and not reached.path:
            edges = self._rows.edges_at([reached.node], forward=True, kinds=(EdgeKind.CONTAINS,))
            for column in self._rows.nodes_of([edge.target_node_id for edge in edges]).values():
                yield replace(affected, kind=NodeKind.COLUMN, path=path_name(node_path(column) or ()))
