"""What commands ask of a generated graph before anything else: where it is, how old it is, which node is meant."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from scanner_cli.console import echo_err
from scanner_cli.options import dictionary_option, directory_option, reading
from scanner_model.errors import InputInvalid, NameUnknown

if TYPE_CHECKING:
    from dataflow_generator.query.stored_graph import GeneratedGraph
    from scanner_dictionary.engine.open import Connection
    from scanner_dictionary.graph.reader import GraphReader
    from scanner_dictionary.graph.store import NodeRow, StoredGraph

Command = TypeVar("Command", bound=Callable[..., Any])

_LISTED = 10


@dataclass(frozen=True, slots=True)
class GraphPlace:
    """Where a generated graph is: in the dictionary at *url*, or where *directory* is given, in Parquet files there."""

    url: str = field(repr=False)
    directory: Path | None = None


def graph_options(command: Command) -> Callable[..., Any]:
    """Return a command the options that say where the graph is, as its argument *place*."""

    @wraps(command)
    def with_place(*, url: str, directory: Path | None, **others: object) -> object:
        return command(place=GraphPlace(url, directory), **others)

    text = "Ask the graph in Parquet files that `scanner dataflow --format parquet --output DIR` wrote instead."
    return dictionary_option(directory_option("--graph", text, "directory")(with_place))


@contextmanager
def open_graph(place: GraphPlace) -> Iterator[GeneratedGraph]:
    """Return the graph at *place*; raises NameUnknown where none was generated yet."""
    if place.directory is None:
        with with_dictionary(place) as (graph, _):
            yield graph
    else:
        yield _in_files(place.directory)


@contextmanager
def with_dictionary(place: GraphPlace) -> Iterator[tuple[GeneratedGraph, Connection]]:
    """Return the graph at *place*, and the dictionary as it is at one moment."""
    from dataflow_generator.query.stored_graph import graph_in_dictionary
    from scanner_dictionary.export.table_stream import consistent_read

    with reading(place.url) as conn:
        consistent_read(conn)
        if place.directory is None:
            yield graph_in_dictionary(conn, generated_graph(conn)), conn
        else:
            yield _in_files(place.directory), conn


def _in_files(directory: Path) -> GeneratedGraph:
    from dataflow_generator.parquet.dataset import checked_manifest, graph_directory
    from dataflow_generator.parquet.reader import graph_in_parquet

    found = graph_directory(directory)
    return graph_in_parquet(found, checked_manifest(found))


def generated_graph(conn: Connection) -> StoredGraph:
    """Return which graph is stored, and say where it is older than the newest scan; raises NameUnknown without one."""
    from scanner_dictionary.graph.store import newest_scan, stored_graph

    graph = stored_graph(conn)
    if graph is None:
        raise NameUnknown("the dictionary holds no graph yet", hint="run `scanner dataflow`")
    if graph.last_scan < newest_scan(conn):
        echo_err(f"note: the graph is of scan {graph.last_scan}, older than the newest scan: run `scanner dataflow`")
    return graph


def find_node(graph: GraphReader, text: str, where: str) -> NodeRow:
    """Find the node that *text* names; raises InputInvalid where several are, NameUnknown where none is."""
    from scanner_dictionary.queries.graph_nodes import nodes_named

    found = nodes_named(graph, text)
    if len(found) > 1:
        listed = [node.node_key for node in found[:_LISTED]] + ["…"] * (len(found) > _LISTED)
        hint = "write one of these: " + ", ".join(listed)
        raise InputInvalid(f"{len(found)} nodes are called {text!r}", where=where, hint=hint)
    return found[0]


def known_cluster(graph: GraphReader, name: str) -> str:
    """Return *name* back; raises NameUnknown with the nearest names where *graph* has no such cluster."""
    from scanner_dictionary.queries.resolve import unknown_name

    names: Sequence[str] = graph.cluster_names()
    if name not in names:
        hint = f"known: {', '.join(names)}" if names else "nothing was scanned yet"
        raise unknown_name("cluster", name, names, hint, graph.place)
    return name
