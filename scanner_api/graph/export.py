"""Exports: the generated graph, whole or in part, OpenLineage events of it, or every table of the dictionary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol, TextIO, cast

from dataflow_generator.graph import FlowGraph
from dataflow_generator.query.stored_graph import GeneratedGraph, all_graphs, neighbourhood
from dataflow_generator.render import OUTPUTS, format_of, write_files
from dataflow_generator.render.page import live_page, live_script, live_style, page_lines
from scanner_api.dictionary import Dictionary
from scanner_api.documents.write import DOCUMENTS, write_documents
from scanner_api.files import check_directory
from scanner_api.graph.events import event_lines, graph_events
from scanner_api.graph.open import GraphSource, cluster_of_graph, find_node, open_graph, open_past_graphs
from scanner_dictionary.export import export_h2, export_parquet
from scanner_model.errors import InputInvalid
from scanner_model.private_files import atomic_file

__all__ = ["live_page", "live_script", "live_style"]


TABLE_FORMATS = ("parquet", "h2")
"""The formats that hold every table of the dictionary."""

EVENTS = "openlineage"
"""The format that is events; it needs the dictionary beside the graph."""

FORMATS = (*OUTPUTS, EVENTS, *TABLE_FORMATS, *DOCUMENTS)
"""Every format of `export`."""

_WHERE = "scanner export"
_FORMAT_OF_SUFFIX = {".sql": "h2", ".parquet": "parquet", ".ndjson": EVENTS}


class LineWriter(Protocol):
    """An open text file, as far as exports use it."""

    def writelines(self, lines: Iterable[str], /) -> object:
        """Write *lines* one after the other; they have their own line feeds."""


def export(
    graph: GraphSource | Dictionary,
    output: Path | LineWriter,
    *,
    format: str | None = None,
    node: str | None = None,
    depth: int | None = None,
    cluster: str | None = None,
    history: bool = False,
    owner: str = "",
) -> None:
    """Write the generated graph, or the dictionary's tables, to *output*: a file, a directory or an open text file.

    *format* is json, csv, graphml, dot, mermaid, html, openlineage (events), parquet or h2 for all tables, or odcs,
    asyncapi or backstage for documents of topics; None: by the suffix of *output*. *node*, within *depth* steps, or
    *cluster* selects a part of the graph. *history* puts the graphs of all scans into the page (html). *owner* is that
    of entities for Backstage that no source has an owner for. A file appears complete or not at all. Raises
    InputInvalid for arguments that contradict each other or an output that cannot be written, NameUnknown for an
    unknown node or cluster, or where no graph was generated.

    >>> export(dictionary, Path("flow.html"))
    """
    source = GraphSource.of(graph)
    chosen = format or _guess_format(output)
    _check_selection(chosen, node, depth, cluster)
    if history:
        _check_history(source, chosen, node or cluster)
        with page_with_history(source) as lines:
            _write_lines(lines, output, "graph.html")
    elif chosen in TABLE_FORMATS:
        _check_dictionary(source, chosen)
        export_tables(source.dictionary, chosen, output)
    elif chosen in DOCUMENTS:
        _check_dictionary(source, chosen)
        known = replace(source.dictionary, notify=source.notify)
        write_documents(known, chosen, output, cluster=cluster, owner=owner)
    elif chosen == EVENTS:
        with graph_events(source) as events:
            _write_lines(event_lines(events), output, "graph.ndjson")
    elif isinstance(output, Path) and output.is_dir():
        with open_graph(source) as opened:
            write_files(_part(opened, source, node, depth, cluster), check_directory(output, "--output"), [chosen])
    else:
        with open_graph(source) as opened:
            _write_lines(OUTPUTS[chosen](_part(opened, source, node, depth, cluster)), output)


def export_tables(dictionary: Dictionary, format: str, output: Path | LineWriter) -> None:
    """Write every table of *dictionary*: `h2` is a SQL script, `parquet` a directory with a file for each table.

    Raises InputInvalid where *output* cannot be written.

    >>> export_tables(dictionary, "h2", Path("dictionary.sql"))
    """
    with dictionary.reading() as conn:
        if format == "h2":
            export_h2(conn, output if isinstance(output, Path) else cast(TextIO, output))
        elif isinstance(output, Path):
            export_parquet(conn, output)
        else:
            raise InputInvalid("Parquet is a directory of files", where="--output -", hint="name a new directory")


@contextmanager
def page_with_history(source: GraphSource) -> Iterator[Iterator[str]]:
    """Return the lines of a page that has the graphs of all scans; raises NameUnknown where no graph was generated."""
    with open_past_graphs(source) as (rows, about):
        graph, history = all_graphs(rows, about)
        yield page_lines(graph, history=history)


def _guess_format(output: Path | LineWriter) -> str:
    suffix = output.suffix if isinstance(output, Path) else ""
    guessed = format_of(suffix) or _FORMAT_OF_SUFFIX.get(suffix.lower())
    if guessed is None:
        hint = f"--format {'|'.join(FORMATS)}, or -o with a suffix such as .html"
        raise InputInvalid("the format is not known", where=_WHERE, hint=hint)
    return guessed


def _check_selection(format_name: str, node: str | None, depth: int | None, cluster: str | None) -> None:
    if (format_name in TABLE_FORMATS or format_name == EVENTS) and (node or depth or cluster):
        what = f"{format_name} is the whole dictionary"
        raise InputInvalid(what, where=_WHERE, hint="without --node, --depth, --cluster")
    if format_name in DOCUMENTS and (node or depth):
        what = f"{format_name} describes whole clusters"
        raise InputInvalid(what, where=_WHERE, hint="without --node and --depth; --cluster selects one")
    if node and cluster:
        raise InputInvalid("--node and --cluster select two parts", where=_WHERE, hint="choose one of them")
    if depth and not node:
        raise InputInvalid("--depth is counted from a node", where=_WHERE, hint="name it with --node")


def _check_dictionary(source: GraphSource, format_name: str) -> None:
    if source.directory:
        what = f"{format_name} is the dictionary, and --graph is a graph"
        raise InputInvalid(what, where=_WHERE, hint=f"--format {'|'.join(OUTPUTS)}")
    if source.as_of is not None and format_name in DOCUMENTS:
        what = f"{format_name} describes what the newest scan found"
        raise InputInvalid(what, where=f"{_WHERE} --as-of", hint="leave out --as-of")


def _check_history(source: GraphSource, format_name: str, part: str | None) -> None:
    if format_name != "html":
        raise InputInvalid(f"{format_name} has no history", where=f"{_WHERE} --history", hint="--format html")
    if part or source.as_of is not None or source.directory is not None:
        what = "the page has every graph of the dictionary, whole"
        hint = "leave out --node, --cluster, --as-of and --graph"
        raise InputInvalid(what, where=f"{_WHERE} --history", hint=hint)


def _part(
    graph: GeneratedGraph, source: GraphSource, node: str | None, depth: int | None, cluster: str | None
) -> FlowGraph:
    if graph.about.coverage is None:
        source.notify("note: how much was read for the graph is not stored with it: run `scanner dictionary dataflow`")
    if node:
        named = find_node(graph.rows, node, _WHERE)
        for note in named.notes:
            source.notify(f"note: {note}")
        return neighbourhood(graph.rows, graph.about, named.node, depth)
    return graph.part(cluster_of_graph(graph.rows, cluster)) if cluster else graph.whole()


def _write_lines(lines: Iterable[str], output: Path | LineWriter, name: str = "") -> None:
    if not isinstance(output, Path):
        output.writelines(lines)
        return
    with atomic_file(output / name if output.is_dir() else output) as file:
        file.writelines(lines)
