"""What commands ask of the stored graph before anything else: is there one, how old is it, which node is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scanner_cli.telling import say
from scanner_model.errors import InputInvalid, NameUnknown

if TYPE_CHECKING:
    from scanner_dictionary.graph_store import NodeRow, StoredGraph
    from scanner_dictionary.opening import Connection

_LISTED = 10


def generated_graph(conn: Connection) -> StoredGraph:
    """Tell which graph is stored, and say where it is older than the newest scan; raises NameUnknown without one."""
    from scanner_dictionary.graph_store import newest_scan, stored_graph

    graph = stored_graph(conn)
    if graph is None:
        raise NameUnknown("the dictionary holds no graph yet", hint="run `scanner dataflow`")
    if graph.last_scan < newest_scan(conn):
        say(f"note: the graph is of scan {graph.last_scan}, older than the newest scan: run `scanner dataflow`")
    return graph


def node_called(conn: Connection, text: str, where: str) -> NodeRow:
    """Find the node that *text* names; raises InputInvalid where several are, NameUnknown where none is."""
    from scanner_dictionary.queries.graph_nodes import nodes_called

    found = nodes_called(conn, text)
    if len(found) > 1:
        listed = [node.node_key for node in found[:_LISTED]] + ["…"] * (len(found) > _LISTED)
        hint = "write one of these: " + ", ".join(listed)
        raise InputInvalid(f"{len(found)} nodes are called {text!r}", where=where, hint=hint)
    return found[0]
