"""What the dictionary holds now of topics and of rows that tell of jobs, as hashes that say what changed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from dataflow_generator.build.digest import digest
from dataflow_generator.incremental.manifest import program
from dataflow_generator.jobs.flink.ddl import defines
from scanner_dictionary.lineage_inputs import fingerprints
from scanner_dictionary.lineage_inputs.flink import cluster_names
from scanner_dictionary.lineage_inputs.jobs import ClusterTopic
from scanner_dictionary.lineage_inputs.topics import Connection, graph_clusters

Name = tuple[str, ...]
"""A row's cluster, source and name."""

_PATTERN = "topic-pattern"


class TopicState(NamedTuple):
    """A live topic: its row's key, a hash of all that its own rows are made of, and its links to definitions."""

    id: int
    digest: str
    links: Sequence[Sequence[Any]]

    @property
    def columns(self) -> str:
        """Report which columns it has: a definition is never changed."""
        return repr([(role, definition) for _, role, definition, *_ in self.links])


class JobRow(NamedTuple):
    """A row that tells of jobs: its key, and a hash of it and of what all of its source is read with."""

    id: int
    digest: str
    matched: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Estate:
    """What a graph is made of: topics in the graph's order, rows by kind in theirs.

    *names* hashes the names of each cluster's topics, which *named* lists. *tables* hashes what Flink's tables declare.
    *said* hashes what bears on everything; it is empty where a job's rows cannot be told from others' because events or
    catalogs tell.
    """

    topics: Mapping[ClusterTopic, TopicState]
    rows: Mapping[str, Mapping[Name, JobRow]]
    names: str
    named: Mapping[str, tuple[str, ...]]
    tables: str
    said: str


def read_estate(conn: Connection) -> Estate:
    """Read what the dictionary holds now."""
    topics = _topics(conn)
    names = digest(list(topics))
    statements, tables = _statements(conn)
    matching = any(_PATTERN in each for each in tables)
    more = fingerprints.tells_more(conn)
    said = "" if more else digest([program(), graph_clusters(conn), sorted(map(_named, cluster_names(conn).items()))])
    return Estate(
        topics=topics,
        rows={"ksqldb": _queries(conn), "connect": _connectors(conn), "flink": statements},
        names=names,
        named=_named_topics(topics),
        tables=digest([tables, names if matching else ""]) if tables else "",
        said=said,
    )


def name_text(name: Sequence[str]) -> str:
    """Write a natural name."""
    return json.dumps(name, ensure_ascii=False)


def _named(pair: tuple[str, Any]) -> tuple[object, ...]:
    name, found = pair
    return name, sorted(found.databases), sorted(found.catalogs), found.whole


def _topics(conn: Connection) -> dict[ClusterTopic, TopicState]:
    links: dict[int, list[Sequence[Any]]] = {}
    for link in fingerprints.link_cells(conn):
        links.setdefault(link[0], []).append(link)
    found: dict[ClusterTopic, TopicState] = {}
    for cluster, name, *cells, key in fingerprints.topic_cells(conn):
        own = links.get(key, [])
        found[cluster, name] = TopicState(key, digest((cells, own)), own)
    return found


def _named_topics(topics: Iterable[ClusterTopic]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for cluster, name in topics:
        found.setdefault(cluster, []).append(name)
    return {cluster: tuple(sorted(names)) for cluster, names in found.items()}


def _queries(conn: Connection) -> dict[Name, JobRow]:
    servers: dict[tuple[str, str], list[object]] = {}
    for server, cells in fingerprints.collection_cells(conn):
        servers.setdefault(server, []).append(cells)
    around = {server: digest(found) for server, found in servers.items()}
    rows = fingerprints.query_cells(conn)
    found = {tuple(row[1:4]): JobRow(row[0], digest((row[1:], around.get(tuple(row[1:3]))))) for row in rows}
    return {name: found[name] for name in sorted(found)}


def _connectors(conn: Connection) -> dict[Name, JobRow]:
    return {tuple(row[1:4]): JobRow(row[0], digest(row[1:])) for row in fingerprints.connector_cells(conn)}


def _statements(conn: Connection) -> tuple[dict[Name, JobRow], list[str]]:
    """Return the statements of Flink, and what those that declare something say, in their order."""
    found: dict[Name, JobRow] = {}
    tables: list[str] = []
    for _, group in groupby(fingerprints.statement_cells(conn), key=lambda row: row[1:3]):
        rows = list(group)
        declared = repr([(row[4], *row[6:8]) for row in rows if defines(row[4], row[5])])
        tables.append(declared)
        for row in rows:
            matched = _PATTERN in declared or _PATTERN in row[4]
            found[tuple(row[1:4])] = JobRow(row[0], digest((row[1:], declared)), matched)
    return found, tables
