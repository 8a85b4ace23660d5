"""`scanner export`: the generated graph, whole or in part, or the whole dictionary, for other programs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scanner_cli import library
from scanner_cli.choices import EXPORT_FORMATS
from scanner_cli.command import command
from scanner_cli.console import Stdout
from scanner_cli.options import cluster_option, one_of
from scanner_cli.output.render import STDOUT
from scanner_cli.spark_options import graph_options
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from scanner_api.graph.open import GraphSource

_SITE = "docs"


@command()
@one_of("--format", "style", words=(*EXPORT_FORMATS, _SITE), text="What to write; else by the suffix of PATH.")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, allow_dash=True),
    default="-",
    metavar="PATH",
    help="A file, or a directory for graph.FORMAT; without it, or with `-`, standard output.",
)
@click.option("--node", metavar="NODE", help="Only the lineage of this node, named as in `scanner lineage`.")
@click.option("--depth", type=click.IntRange(1), metavar="N", help="With --node: at most N steps in each direction.")
@cluster_option
@click.option("--history", is_flag=True, help="html: the graphs of all scans, with a slider that compares two of them.")
@click.option("--owner", default="", metavar="NAME", help="backstage: who owns what no source has an owner for.")
@graph_options
def export(
    style: str | None,
    output: Path,
    node: str | None,
    depth: int | None,
    cluster: str | None,
    history: bool,
    owner: str,
    source: GraphSource,
) -> None:
    """Write the data flow graph that `scanner dictionary dataflow` generated last, or the dictionary's tables.

    html is a self-contained page for a browser. json has everything; graphml is for yEd, Gephi and networkx, dot for
    Graphviz, mermaid for Markdown. csv is a line for each edge with the names of both ends; in a directory it is
    nodes.csv and edges.csv. openlineage is events, as `scanner openlineage emit` sends them.
    parquet and h2 are every table of the dictionary, as in `scanner dictionary export`.

    odcs is a data contract a topic (Open Data Contract Standard 3.2.0), asyncapi a document a cluster (3.1.0),
    backstage the entities of a software catalog: YAML files in a directory, or one file of all. docs is a directory of
    pages with the whole dictionary and a search, which a browser opens from the disk, without a server.

    --node and --cluster select a part of the graph with its context: the clusters, and the schemas of the topics. A
    file appears complete or not at all.

    \b
    Examples:
      scanner export -o flow.html
      scanner export --format csv -o edges.csv
      scanner export --node orders --depth 2 -o orders.html
      scanner export --cluster retail --format dot | dot -Tsvg -o retail.svg
      scanner export --graph flow --cluster retail -o retail.html
      scanner export --as-of 12 -o before.html
      scanner export --history -o history.html
      scanner export --format h2 -o dictionary.sql
      scanner export --format odcs -o contracts
      scanner export --format docs -o site
      scanner export --format asyncapi --cluster retail -o retail.asyncapi.yaml

    Exit status: 2 several nodes have the name, or PATH cannot be written; 4 no graph was generated yet, or no such node
    or cluster is known.
    """
    if style == _SITE:
        _write_site(source, output, whole=not (node or depth or cluster or history))
        return
    target = Stdout() if output == STDOUT else output
    library.export(source, target, format=style, node=node, depth=depth, cluster=cluster, history=history, owner=owner)


def _write_site(source: GraphSource, output: Path, *, whole: bool) -> None:
    if output == STDOUT:
        raise InputInvalid("docs is a directory of pages", where="--output", hint="name a directory: -o site")
    if not whole or source.directory or source.as_of is not None:
        what = "docs has the whole dictionary, as the newest scan found it"
        hint = "leave out --node, --depth, --cluster, --history, --graph and --as-of"
        raise InputInvalid(what, where="scanner export --format docs", hint=hint)
    library.write_site(replace(source.dictionary, notify=source.notify), output)
