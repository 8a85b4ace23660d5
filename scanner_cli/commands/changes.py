"""`scanner changes`: what changed since a scan or date, between two scans, or of one node over time; and the scans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import click

from scanner_api.questions.table import BY_NAME
from scanner_cli import library
from scanner_cli.command import command
from scanner_cli.console import echo_err
from scanner_cli.options import cluster_option
from scanner_cli.output.history import FLOW_COLUMNS, HISTORY_COLUMNS, flow_rows, history_rows
from scanner_cli.output.render import Format, narrow, show
from scanner_cli.questions import Table, answer, list_options, show_items, show_rows
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary

_WHERE = "scanner changes"
_SUMMARIES = "questions.change_summaries:change_summaries"
_SUMMARY = ("cluster", "topic", "what", "change", "breaks", "readers", "owners")
_SPARSE = frozenset({"cluster", "topic", "breaks", "readers", "owners"})


@command()
@click.argument("words", nargs=-1, metavar="[FROM [TO]] [NODE]")
@click.option("--since", default="", metavar="SCAN|DATE", help="The same as FROM.")
@click.option("--flows", is_flag=True, help="Compare the graphs: nodes and flows, with the cause of each change.")
@click.option("--scans", "lists", is_flag=True, help="List the scans; of the scan FROM, how each source responded.")
@click.option(
    "--problems", is_flag=True, help="List what the scan FROM, or the newest, could not read, parse or resolve."
)
@cluster_option
@list_options
def changes(
    *,
    words: Sequence[str],
    since: str,
    flows: bool,
    lists: bool,
    problems: bool,
    cluster: str | None,
    dictionary: Dictionary,
    style: str,
    wide: bool,
) -> None:
    """Show what changed: topics, schemas, columns, jobs and flows.

    FROM and TO are scans: a number, or a date or time (ISO 8601, `yesterday`, `last week`, `7d`), which means the
    newest scan finished then. Without TO, every cluster is compared with its newest scan; without FROM, since last
    week.

    NODE is a topic, column, job, subject or connector, also a deleted one: each line is one change, the oldest first.
    With a second NODE, only flows between the two. Lines about nodes and flows come from the graph of each scan.

    The table has a row for each change of a topic's schema: `+` is a new column, `-` a removed one. BREAKS is `readers`
    if old readers reject new data, `old data` if new readers reject old data, with `?` if that is not known. --wide and
    the other formats have a row for each fact and column instead, with both directions: `backward` new readers, old
    data; `forward` the reverse.

    \b
    Examples:
      scanner changes
      scanner changes 7d --cluster retail --format json
      scanner changes 11 12 --flows
      scanner changes orders.customer.id
      scanner changes 2026-11-01 orders
      scanner changes --scans
      scanner changes --problems 12

    Exit status: 2 several nodes have the name; 4 the scan, its graph, the node or the cluster is not known.
    """
    moments = list(takewhile(library.is_moment, words[:2]))
    nodes = words[len(moments) :]
    moments = [since, *moments] if since else moments
    if len(nodes) > 2 or len(moments) > 2:
        raise InputInvalid(f"too many names: {' '.join(words)}", where=_WHERE, hint="[FROM [TO]] [NODE]")
    if lists or problems:
        question, items = _of_scans(
            dictionary, next(iter([*moments, *nodes]), None), problems=problems, cluster=cluster
        )
        show_items(BY_NAME[question], items, style, wide=wide)
    elif nodes:
        _history(dictionary, nodes, moments, style, wide=wide)
    elif flows:
        _flows(dictionary, moments, cluster, style)
    elif style == Format.TABLE and not wide:
        _in_words(dictionary, moments, cluster)
    elif len(moments) == 2:
        compared = library.diff(dictionary, *moments, cluster=cluster)
        rows = [row._asdict() for row in library.diff_rows(compared)]
        show_rows(rows, _of_one_cluster(), style, document=library.diff_document(compared), wide=wide)
    else:
        named = {"since": moments[0]} if moments else {}
        answer(BY_NAME["changes"], dictionary, {**named, "cluster": cluster}, style, wide=wide)
        _note_single_scans(dictionary, cluster)


def _in_words(dictionary: Dictionary, moments: Sequence[str], cluster: str | None) -> None:
    """Print a row for each change, with the readers of its topic and whom to ask."""
    named = dict(zip(("since", "until"), moments, strict=False))
    question = replace(BY_NAME["changes"], function=_SUMMARIES, shown=_SUMMARY, brief=_SUMMARY, optional=_SPARSE)
    if question.answer(dictionary, **named, cluster=cluster) or not _note_single_scans(dictionary, cluster):
        answer(question, dictionary, {**named, "cluster": cluster}, Format.TABLE, wide=False)


def _note_single_scans(dictionary: Dictionary, cluster: str | None) -> bool:
    """Return whether each cluster was scanned once, so that nothing can be compared; a note says so."""
    listed = library.scans(dictionary, cluster=cluster)
    is_single = bool(listed) and len({row.cluster for row in listed}) == len(listed)
    if is_single:
        echo_err("each cluster has one scan only: scan again to see changes")
    return is_single


def _of_one_cluster() -> Table:
    """Return the columns of changes without the cluster, which two scans have in common."""
    question = BY_NAME["changes"]
    return Table(question.shown[1:], question.brief[1:], question.optional)


def _history(dictionary: Dictionary, nodes: Sequence[str], moments: Sequence[str], style: str, *, wide: bool) -> None:
    rows = library.within(library.history(dictionary, *nodes), *moments)
    if style == Format.TABLE and not wide and rows:
        lines = history_rows(rows)
        show(lines, narrow(HISTORY_COLUMNS, lines, style, {"cluster"}), style)
        return
    listed = [row._asdict() for row in rows]
    target = nodes[1] if len(nodes) > 1 else None
    question = BY_NAME["history"]
    document = {"node": nodes[0], "target": target, "history": library.document(rows)}
    show_rows(listed, Table(question.shown, question.brief, question.optional), style, document=document)
    if not rows:
        echo_err(f"note: no change of {' → '.join(map(repr, nodes))} is known{' in that time' if moments else ''}")


def _flows(dictionary: Dictionary, moments: Sequence[str], cluster: str | None, style: str) -> None:
    first, second = (*moments, *("last week", "today")[len(moments) :])
    numbers = library.scan_numbers(dictionary, first, second, cluster=cluster)
    changed = library.diff_flows(dictionary, *numbers)
    if style != Format.JSON:
        show(flow_rows(changed), FLOW_COLUMNS, style)
        return
    document = library.diff_document(library.diff(dictionary, *numbers))
    show([], (), style, document=document | {"flows": library.flows_document(changed)})


def _of_scans(
    dictionary: Dictionary, scan: str | None, *, problems: bool, cluster: str | None
) -> tuple[str, Sequence[Any]]:
    """Return the question that the options ask, and the items of its answer."""
    number: str | int | None = scan
    if number is None:
        listed = library.scans(dictionary, cluster=cluster)
        if not problems or not listed:
            return "scans", listed
        number = listed[0].id
    if problems:
        return "scan_problems", library.scan_problems(dictionary, number)
    return "scan_sources", library.scan_sources(dictionary, number)
