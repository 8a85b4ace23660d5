"""`scanner lineage`: where the data of a node come from, and where they go."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from scanner_cli.options import dictionary_option, reading
from scanner_cli.show import Format, format_option, show
from scanner_cli.telling import say
from scanner_model.errors import InputInvalid, NameUnknown
from scanner_model.paths import path_name

if TYPE_CHECKING:
    from dataflow_generator.lineage import Hop, Question
    from scanner_dictionary.graph_store import EdgeRow, NodeRow
    from scanner_dictionary.opening import Connection

Json = Any
_STEP = ("from", "how", "to", "certainty")
_LISTED = 10


@click.command()
@click.argument("node", metavar="NODE")
@click.option("--upstream", "way", flag_value="upstream", help="Only where its data come from.")
@click.option("--downstream", "way", flag_value="downstream", help="Only where its data go.")
@click.option("--both", "way", flag_value="both", default=True, help="Both ways, which is the default.")
@click.option("--columns", is_flag=True, help="Flows of its columns, too.")
@click.option("--depth", type=click.IntRange(1), metavar="N", help="At most N steps each way; else to the end.")
@click.option("--evidence", is_flag=True, help="In the table: why each step is believed. JSON always tells.")
@dictionary_option
@format_option(Format.TABLE, Format.JSON)
def lineage(node: str, way: str, columns: bool, depth: int | None, evidence: bool, url: str, style: str) -> None:
    """Show where the data of NODE come from and where they go, a step a line, the nearest first.

    NODE is a topic, another dataset, a job, or a column: its name, its namespace and name, or its id in graph.json. Any
    broker's address will do. The answer is of the graph that `scanner dataflow` generated last.

    \b
    Examples:
      scanner lineage orders
      scanner lineage orders.customer.id --downstream --evidence
      scanner lineage kafka://kafka-1:9092/orders --columns --format json
      scanner lineage nightly-invoicing --upstream --depth 1

    Exit status: 2 several nodes have the name; 4 none has it, or no graph was generated yet.
    """
    from dataflow_generator.lineage import Question

    question = Question(upstream=way != "downstream", downstream=way != "upstream", columns=columns, depth=depth)
    with reading(url) as conn:
        _check_age(conn)
        root = _node(conn, node)
        hops, nodes = _answer(conn, root, question)
        beside = _beside(conn, root, node)
    if not hops:
        say(f"note: no such flow of {node!r} is known")
    if beside:
        say(f"note: there are flows of {', '.join(beside)}")
    document = {
        "root": root.node_key,
        "nodes": [_node_document(each) for each in nodes.values()],
        "edges": [_edge_document(hop.edge, nodes) for hop in hops],
    }
    show(
        [_step(hop.edge, nodes) for hop in hops], (*_STEP, "evidence") if evidence else _STEP, style, document=document
    )


def _check_age(conn: Connection) -> None:
    """Say that the graph is older than the newest scan; raises NameUnknown where there is none."""
    from scanner_dictionary.graph_store import newest_scan, stored_graph

    graph = stored_graph(conn)
    if graph is None:
        raise NameUnknown("the dictionary holds no graph yet", hint="run `scanner dataflow`")
    if graph.last_scan < newest_scan(conn):
        say(f"note: the graph is of scan {graph.last_scan}, older than the newest scan: run `scanner dataflow`")


def _node(conn: Connection, text: str) -> NodeRow:
    from scanner_dictionary.queries.graph_nodes import nodes_called

    found = nodes_called(conn, text)
    if len(found) > 1:
        listed = [node.node_key for node in found[:_LISTED]] + ["…"] * (len(found) > _LISTED)
        hint = "write one of these: " + ", ".join(listed)
        raise InputInvalid(f"{len(found)} nodes are called {text!r}", where="scanner lineage", hint=hint)
    return found[0]


def _beside(conn: Connection, root: NodeRow, text: str) -> tuple[str, ...]:
    """Give the columns in flows around a column: what a structure's parts do is told of the parts."""
    from scanner_dictionary.queries.graph_nodes import columns_around

    return columns_around(conn, text) if root.kind == "column" else ()


def _answer(
    conn: Connection, root: NodeRow, question: Question
) -> tuple[tuple[Hop[int, EdgeRow], ...], Mapping[int, NodeRow]]:
    """Give the steps, and the nodes at their ends with *root* in the graph's order."""
    from dataflow_generator.lineage import Hop, lineage
    from scanner_dictionary.graph_store import edges_at, nodes_of

    def ahead(nodes: Sequence[int], forward: bool, kinds: frozenset[str]) -> Iterable[Hop[int, EdgeRow]]:
        for row in edges_at(conn, nodes, forward=forward, kinds=kinds):
            yield Hop(row.source_node_id, row.target_node_id, row.kind, row)

    hops = lineage(root.id, root.kind, question, ahead)
    return hops, nodes_of(conn, {root.id, *(end for hop in hops for end in (hop.source, hop.target))})


def _step(edge: EdgeRow, nodes: Mapping[int, NodeRow]) -> dict[str, str]:
    return {
        "from": _shown(nodes[edge.source_node_id]),
        "how": " ".join(filter(None, (edge.kind, edge.flow_type, edge.subtype))),
        "to": _shown(nodes[edge.target_node_id]),
        "certainty": edge.certainty,
        "evidence": edge.evidence,
    }


def _shown(node: NodeRow) -> str:
    name = f"{node.namespace}/{node.name}" if node.kind == "dataset" else node.name
    return f"{name}.{path_name(_path(node) or ())}" if node.path else name


def _path(node: NodeRow) -> tuple[str, ...] | None:
    return None if node.path is None else tuple(json.loads(node.path))


def _node_document(node: NodeRow) -> dict[str, Json]:
    path = _path(node)
    return {
        "id": node.node_key,
        "kind": node.kind,
        "namespace": node.namespace,
        "name": node.name,
        "path": None if path is None else list(path),
    }


def _edge_document(edge: EdgeRow, nodes: Mapping[int, NodeRow]) -> dict[str, Json]:
    return {
        "source": nodes[edge.source_node_id].node_key,
        "target": nodes[edge.target_node_id].node_key,
        "kind": edge.kind,
        "type": edge.flow_type,
        "subtype": edge.subtype,
        "evidence": edge.evidence,
        "certainty": edge.certainty,
    }
