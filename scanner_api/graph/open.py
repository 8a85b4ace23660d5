"""Opening a generated graph, in the dictionary or in Parquet files, and finding a node of it by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from dataflow_generator.build.schema_nodes import schema_rows
from dataflow_generator.query import contents
from dataflow_generator.query.contents import StoredGraphReader
from dataflow_generator.query.stored_graph import GeneratedGraph, graph_in_dictionary, graph_in_past
from scanner_api.dictionary import Dictionary
from scanner_api.files import Notify, ignore
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.engine.rows import consistent_read
from scanner_dictionary.graph.past import PastGraphReader
from scanner_dictionary.graph.reader import GraphReader, SqlGraphReader
from scanner_dictionary.graph.store import NodeRow, StoredGraph, newest_scan, stored_graph
from scanner_dictionary.graph.versions import GraphOfScan, graph_versions
from scanner_dictionary.queries.graph_at import graph_at
from scanner_dictionary.queries.graph_nodes import known_nodes, meaning, nodes_named, shown_address, topic_among
from scanner_dictionary.queries.other_names import is_job, is_subject
from scanner_dictionary.queries.resolve import unknown_name
from scanner_dictionary.queries.state import stale_facts
from scanner_model.errors import InputInvalid, NameUnknown

_LISTED = 10


@dataclass(frozen=True, slots=True)
class GraphSource:
    """Where a generated graph is stored: in the *dictionary*, or in the Parquet files of *directory*.

    *notify* gets notes, for example that the graph is older than the newest scan. *as_of* is the scan number or date
    (ISO 8601) whose graph is read; None: the graph that was generated last. Files have no graph but the last.
    """

    dictionary: Dictionary
    directory: Path | None = None
    notify: Notify = field(default=ignore, repr=False, compare=False)
    as_of: str | int | None = None

    @staticmethod
    def of(graph: GraphSource | Dictionary, as_of: str | int | None = None) -> GraphSource:
        """Return *graph*; for a dictionary, the graph that is stored in it; *as_of* a scan or date where it is set."""
        source = GraphSource(graph, notify=graph.notify or ignore) if isinstance(graph, Dictionary) else graph
        return source if as_of is None else replace(source, as_of=as_of)


@contextmanager
def open_graph(source: GraphSource) -> Iterator[GeneratedGraph]:
    """Open the graph of *source*; raises NameUnknown where none was generated yet."""
    if source.directory is None or source.as_of is not None:
        with open_with_dictionary(source) as (graph, _):
            yield graph
    else:
        yield _open_files(source.directory)


@contextmanager
def open_with_dictionary(source: GraphSource) -> Iterator[tuple[GeneratedGraph, Connection]]:
    """Open the graph of *source*, and the dictionary in one consistent read."""
    if source.directory is not None and source.as_of is not None:
        hint = "leave out --graph: earlier graphs are in the dictionary"
        raise InputInvalid("Parquet files hold one graph only", where="--as-of", hint=hint)
    with source.dictionary.reading() as conn:
        consistent_read(conn)
        if source.directory is None or source.as_of is not None:
            yield _generated(*_stored_rows(conn, source)), conn
        else:
            yield _open_files(source.directory), conn


@contextmanager
def open_stored_rows(source: GraphSource) -> Iterator[tuple[StoredGraphReader, StoredGraph]]:
    """Open the rows of the graph in the dictionary of *source*, which can be read in bounded parts."""
    with source.dictionary.reading() as conn:
        consistent_read(conn)
        yield _stored_rows(conn, source)


@contextmanager
def open_past_graphs(source: GraphSource) -> Iterator[tuple[PastGraphReader, StoredGraph]]:
    """Open the stored graph with what those of earlier scans have; raises NameUnknown where none was generated yet."""
    with source.dictionary.reading() as conn:
        consistent_read(conn)
        about = _stored_graph(conn, source.notify)
        yield PastGraphReader(conn, about.last_scan, schema_rows), about


def past_rows(conn: Connection, version: GraphOfScan) -> PastGraphReader:
    """Return the rows of the graph of an earlier scan."""
    return PastGraphReader(conn, version.scan, schema_rows)


def _generated(rows: StoredGraphReader, about: StoredGraph) -> GeneratedGraph:
    return graph_in_past(rows, about) if isinstance(rows, PastGraphReader) else graph_in_dictionary(rows, about)


def _stored_rows(conn: Connection, source: GraphSource) -> tuple[StoredGraphReader, StoredGraph]:
    """Return the rows of the newest graph, or of that of a scan or date; notify which scan it is of."""
    if source.as_of is None:
        return SqlGraphReader(conn), _stored_graph(conn, source.notify)
    version, note = graph_at(conn, source.as_of)
    source.notify(f"note: the graph of scan {version.scan}, finished {version.finished or 'at an unknown time'}")
    if note:
        source.notify(f"note: {note}")
    newest = stored_graph(conn)
    if newest is not None and newest.last_scan == version.scan:
        return SqlGraphReader(conn), newest
    return past_rows(conn, version), StoredGraph(version.scan, version.nodes, version.edges, version.coverage)


def _stored_graph(conn: Connection, notify: Notify) -> StoredGraph:
    """Return the stored graph, and notify if it is older than the newest scan; raises NameUnknown without one."""
    graph = stored_graph(conn)
    if graph is None:
        raise NameUnknown("the dictionary holds no graph yet", hint="run `scanner dictionary dataflow`")
    if graph.last_scan < newest_scan(conn):
        notify(
            f"note: the graph is of scan {graph.last_scan}, older than the newest scan: "
            "run `scanner dictionary dataflow`"
        )
    return graph


class NamedNode(NamedTuple):
    """The node that a name means; *notes* say so where the name says something else."""

    node: NodeRow
    notes: tuple[str, ...] = ()


def find_node(graph: GraphReader, text: str, where: str) -> NamedNode:
    """Find the node that *text* names; raises InputInvalid where several have the name, NameUnknown where none has.

    Of a topic and what sinks call like it, the topic is meant; a note names the others.
    """
    nodes = known_nodes(graph, text)
    if not nodes and isinstance(graph, SqlGraphReader):
        _explain_unknown(graph.conn, text)
    nodes = nodes or nodes_named(graph, text)
    if topic := topic_among(graph, text, nodes) if len(nodes) > 1 else None:
        others = ", ".join(shown_address(node) for node in nodes if node != topic)
        return NamedNode(
            topic, (f"{text} is the topic's; also {others} is called so: write its address to ask for it",)
        )
    if len(nodes) > 1:
        choices = [node.node_key for node in nodes[:_LISTED]]
        hint = "write one of these: " + ", ".join(choices + ["…"] * (len(nodes) > _LISTED))
        raise InputInvalid(f"{len(nodes)} nodes are called {text!r}", where=where, hint=hint, choices=choices)
    note = meaning(graph, text, nodes[0])
    return NamedNode(nodes[0], (note,) if note else ())


_MOST_PAST = 20
"""Earlier graphs that are searched for a name that the stored one lacks, the newest first."""


def _explain_unknown(conn: Connection, text: str) -> None:
    """Raise NameUnknown for a name that an earlier graph has, a subject without a topic, and a job without flows."""
    versions = graph_versions(conn)[-_MOST_PAST - 1 :]
    for version, following in zip(reversed(versions[:-1]), reversed(versions[1:]), strict=True):
        if known_nodes(past_rows(conn, version), text):
            what = f"the dictionary knows no node {text!r} any more: scan {following.scan} removed it"
            raise NameUnknown(what, hint=f"`--as-of {version.scan}` shows the last graph that has it")
    if is_subject(conn, text):
        hint = "its columns are those of the schemas that refer to it: `scanner check` lists them"
        raise NameUnknown(f"the subject {text!r} describes no topic", hint=hint)
    if is_job(conn, text):
        hint = "it only declares tables, or cannot be read: `scanner validate` lists the statements that are not read"
        raise NameUnknown(f"the job {text!r} has no flows", hint=hint)


def cluster_of_graph(graph: GraphReader, name: str) -> str:
    """Return *name*; raises NameUnknown with suggestions where *graph* has no such cluster."""
    names: Sequence[str] = graph.cluster_names()
    if name not in names:
        hint = f"known: {', '.join(names)}" if names else "nothing was scanned yet"
        raise unknown_name("cluster", name, names, hint, graph.location)
    return name


def stale_nodes(graph: GraphReader, nodes: Iterable[NodeRow]) -> Mapping[int, str] | None:
    """Return why the newest scan could not confirm the facts of *nodes*, by node; None for an earlier graph.

    A fresh node is not listed.
    """
    if not isinstance(graph, SqlGraphReader):
        return None
    listed = tuple(nodes)
    facts = stale_facts(graph.conn, contents.fact_names(listed))
    clusters = graph.cluster_nodes({fact.cluster for fact in facts}) if facts else ()
    return contents.stale_nodes(listed, facts, {node.name: node.namespace for node in clusters})


def _open_files(directory: Path) -> GeneratedGraph:
    """Open the graph in *directory*, or in the graph.parquet in it; raises InputInvalid if it is missing."""
    from dataflow_generator.parquet import dataset, reader  # noqa: PLC0415 - pyarrow may be missing

    files = dataset.graph_directory(directory)
    return reader.graph_in_parquet(files, dataset.checked_manifest(files))
