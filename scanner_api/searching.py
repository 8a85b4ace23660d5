"""Searches by name, columns by name or tag, and how fresh the dictionary is: the first questions of a reader."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from dataflow_generator.graph import NodeKind
from dataflow_generator.jobs.model import ColumnRef, Dataset
from scanner_api.dictionary import Dictionary, known_cluster
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.graph.reader import SqlGraphReader
from scanner_dictionary.queries.column_search import ColumnsPage, columns_called
from scanner_dictionary.queries.search import KINDS, SearchHit, SearchResult
from scanner_dictionary.queries.search import search as search_names
from scanner_dictionary.queries.state import DictionaryState, StaleSource, dictionary_state
from scanner_model.documents.schema_errors import closest_match
from scanner_model.errors import InputInvalid

_IN_CLUSTERS = ("topic", "column")

__all__ = ["KINDS", "ColumnsPage", "DictionaryState", "SearchHit", "SearchResult", "StaleSource"]


def search(
    dictionary: Dictionary,
    text: str,
    *,
    kinds: Collection[str] = (),
    cluster: str | None = None,
    limit: int = 20,
    offset: int = 0,
) -> SearchResult:
    """Return topics, jobs, datasets, subjects and columns with *text* in their name, the best match first.

    *kinds* are of topic, node (job, dataset or consumer group), subject and column; empty for all. *cluster* leaves
    out nodes, which are of none. Raises InputInvalid for an unknown kind, NameUnknown for an unknown cluster.

    >>> [hit.name for hit in search(dictionary, "order").hits]
    """
    for kind in kinds:
        if kind not in KINDS:
            hint = closest_match(kind, tuple(KINDS)) or f"one of {', '.join(KINDS)}"
            raise InputInvalid(f"{kind!r} is no kind", where="kind", hint=hint)
    with dictionary.reading() as conn:
        known = known_cluster(conn, cluster)
        result = search_names(conn, text, kinds=kinds or None, cluster=known, limit=limit, offset=offset)
        homes = _namespaces(conn, {hit.where for hit in result.hits if hit.kind in _IN_CLUSTERS})
        return result._replace(hits=tuple(_with_node(hit, homes) for hit in result.hits))


def _namespaces(conn: Connection, clusters: Collection[str]) -> Mapping[str, str]:
    """Return the namespaces of *clusters* in the graph; without those that it does not have."""
    nodes = SqlGraphReader(conn).cluster_nodes(clusters)
    return {node.name: node.namespace for node in nodes}


def _with_node(hit: SearchHit, homes: Mapping[str, str]) -> SearchHit:
    """Add the key in the graph to a topic or a column."""
    if hit.kind not in _IN_CLUSTERS or hit.where not in homes:
        return hit
    topic = Dataset(NodeKind.TOPIC, homes[hit.where], hit.name)
    return hit._replace(node=topic.key if hit.path is None else ColumnRef(topic, hit.path).key)


def find_columns(
    dictionary: Dictionary,
    *,
    name: str | None = None,
    tag: str | None = None,
    cluster: str | None = None,
    after: int = 0,
    limit: int = 100,
) -> ColumnsPage:
    """Return the columns of topics with the own *name* (the last name of their path) and the *tag*, in any letter case.

    At least *limit* columns, where there are so many; *after* is that of the page before. Raises InputInvalid where
    neither name nor tag is given.

    >>> find_columns(dictionary, tag="PII").columns
    """
    if not name and not tag:
        raise InputInvalid("a name or a tag is missing", where="columns", hint="name=customer_id or tag=PII")
    with dictionary.reading() as conn:
        known = known_cluster(conn, cluster)
        return columns_called(conn, name=name or None, tag=tag or None, cluster=known, after=after, limit=limit)


def state(dictionary: Dictionary) -> DictionaryState:
    """Return the newest scan, the scan that the graph is of, and the sources whose facts are not fresh.

    >>> state(dictionary).scan
    """
    with dictionary.reading() as conn:
        return dictionary_state(conn)
