"""`scanner export`: the stored graph, whole or in part, or the whole dictionary, for other programs and people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from dataflow_generator.render import OUTPUTS, format_of
from scanner_cli.asked_graph import GraphPlace, asked_graph, graph_options, known_cluster, node_called
from scanner_cli.options import cluster_option, one_of
from scanner_cli.telling import put_lines, say
from scanner_cli.transfers import STDOUT, TRANSFERS, export_tables
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from dataflow_generator.graph import FlowGraph
    from dataflow_generator.stored import GeneratedGraph

_WHERE = "scanner export"
EVENTS = "openlineage"
"""The format that is events; it needs the dictionary beside the graph."""

_TABLES_OF = {".sql": "h2", ".parquet": "parquet", ".ndjson": EVENTS}


@click.command()
@one_of("--format", "style", words=(*OUTPUTS, EVENTS, *TRANSFERS), text="What to write; else by the ending of PATH.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, allow_dash=True),
    default="-",
    metavar="PATH",
    help="A file, or a directory for graph.FORMAT; without it, or with `-`, standard output.",
)
@click.option("--node", metavar="NODE", help="Only the lineage of this node, named as in `scanner lineage`.")
@click.option("--depth", type=click.IntRange(1), metavar="N", help="With --node: at most N steps each way.")
@cluster_option
@graph_options
def export(
    style: str | None, output: Path, node: str | None, depth: int | None, cluster: str | None, place: GraphPlace
) -> None:
    """Write the data flow graph that `scanner dataflow` generated last, or the dictionary's tables.

    html is one page that needs nothing else: open it in a browser. json holds everything; graphml is for yEd, Gephi and
    networkx, dot for Graphviz, mermaid for Markdown. csv is a line for each edge with the names of both ends; into a
    directory it is nodes.csv and edges.csv. openlineage is events, as `scanner openlineage emit` sends them.
    parquet and h2 are every table of the dictionary, as in `scanner dictionary export`.

    --node and --cluster select a part of the graph, with what stands around it: the clusters, and the schemas of the
    topics. A file appears whole or not at all.

    \b
    Examples:
      scanner export -o flow.html
      scanner export --format csv -o edges.csv
      scanner export --node orders --depth 2 -o orders.html
      scanner export --cluster retail --format dot | dot -Tsvg -o retail.svg
      scanner export --graph flow --cluster retail -o retail.html
      scanner export --format h2 -o dictionary.sql

    Exit status: 2 several nodes have the name, or PATH cannot be written; 4 no graph was generated yet, or no such node
    or cluster is known.
    """
    chosen = style or _guessed(output)
    _check_part(chosen, node, depth, cluster)
    if chosen in TRANSFERS:
        if place.directory:
            what = f"{chosen} is the dictionary, and --graph is a graph"
            raise InputInvalid(what, where=_WHERE, hint=f"--format {'|'.join(OUTPUTS)}")
        export_tables(chosen, output, place.url)
    elif chosen == EVENTS:
        _write_events(output, place)
    else:
        with asked_graph(place) as graph:
            _write(_part(graph, node, depth, cluster), chosen, output)


def _guessed(output: Path) -> str:
    found = format_of(output.suffix) or _TABLES_OF.get(output.suffix.lower())
    if found is None:
        hint = f"--format {'|'.join((*OUTPUTS, EVENTS, *TRANSFERS))}, or -o with an ending such as .html"
        raise InputInvalid("which format?", where=_WHERE, hint=hint)
    return found


def _check_part(style: str, node: str | None, depth: int | None, cluster: str | None) -> None:
    if (style in TRANSFERS or style == EVENTS) and (node or depth or cluster):
        raise InputInvalid(f"{style} is the whole dictionary", where=_WHERE, hint="without --node, --depth, --cluster")
    if node and cluster:
        raise InputInvalid("--node and --cluster are two parts", where=_WHERE, hint="choose one of them")
    if depth and not node:
        raise InputInvalid("--depth is counted from a node", where=_WHERE, hint="name it with --node")


def _part(graph: GeneratedGraph, node: str | None, depth: int | None, cluster: str | None) -> FlowGraph:
    from dataflow_generator.stored import part_around

    if graph.about.coverage is None:
        say("note: how much was read for the graph is not stored with it: run `scanner dataflow`")
    if node:
        return part_around(graph.rows, graph.about, node_called(graph.rows, node, _WHERE), depth)
    return graph.part(known_cluster(graph.rows, cluster)) if cluster else graph.whole()


def _write(graph: FlowGraph, style: str, output: Path) -> None:
    from dataflow_generator.generation import write_files
    from scanner_cli.outputs import check_directory
    from scanner_dictionary.transfer.whole import whole_file

    if output == STDOUT:
        put_lines(OUTPUTS[style](graph))
    elif output.is_dir():
        write_files(graph, check_directory(output, "--output"), [style])
    else:
        with whole_file(output) as file:
            file.writelines(OUTPUTS[style](graph))


def _write_events(output: Path, place: GraphPlace) -> None:
    from dataflow_generator.openlineage.run_events import event_line
    from scanner_cli.commands.openlineage_emit import stored_events
    from scanner_dictionary.transfer.whole import whole_file

    with stored_events(place, "design") as events:
        if output == STDOUT:
            put_lines(map(event_line, events))
            return
        with whole_file(output / "graph.ndjson" if output.is_dir() else output) as file:
            file.writelines(map(event_line, events))
