"""`scanner openlineage`: OpenLineage events of other producers in, and the own graph out."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import click

from dataflow_generator.openlineage.intake.importer import EventText, ImportResult, event_files, texts_in, texts_of
from dataflow_generator.openlineage.intake.importer import import_events as import_texts
from dataflow_generator.openlineage.intake.spool import RejectedFile, rejection
from scanner_api.dictionary import Dictionary
from scanner_cli.commands.openlineage.emit import emit
from scanner_cli.commands.openlineage.listen import listen
from scanner_cli.console import echo, echo_err, report_error
from scanner_cli.lazy_group import Group
from scanner_cli.options import dictionary_option, lock_timeout_option
from scanner_cli.output.render import Format, format_option, json_text
from scanner_cli.usage_errors import Exit
from scanner_dictionary.write.events import write_events
from scanner_model.errors import InputInvalid, Problem

_SHOWN = 10
"""Refused events that are listed on stderr; the file of refused events has all of them."""


@click.group(cls=Group)
def openlineage() -> None:
    """Import, receive and emit lineage as OpenLineage events.

    \b
    Examples:
      scanner openlineage import events/ spark.ndjson.gz
      scanner openlineage listen --port 5000
      scanner openlineage emit --url http://marquez:5000
    """


openlineage.add_command(emit)
openlineage.add_command(listen)


@openlineage.command("import")
@click.argument("paths", nargs=-1, required=True, metavar="FILE|DIRECTORY|-…")
@click.option(
    "--rejected",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Append refused events here, with the reasons; else beside the dictionary's file, or in this directory.",
)
@dictionary_option
@lock_timeout_option
@format_option(Format.TABLE, Format.JSON)
def import_events(paths: Sequence[str], rejected: Path | None, dictionary: Dictionary, style: str) -> int:
    """Store the OpenLineage events of files: one on each line, one or an array in a file; plain or gzip.

    Events of any producer and any version, in any order; importing them again changes nothing. Secrets in them are
    removed first. `scanner dataflow` adds them to the graph.

    \b
    Examples:
      scanner openlineage import spark-events.ndjson
      scanner openlineage import events/ --rejected broken.ndjson
      zcat events.gz | scanner openlineage import - --format json

    \b
    Exit status: 0 every event was stored; 2 no file has an event, or one does not exist;
    3 some events were refused, or a file could not be read to its end; the rest is stored.
    """
    files = _files(paths)
    unreadable: list[Path | None] = []
    texts = chain.from_iterable(_texts(file, unreadable) for file in files)
    engine = dictionary.writing(create=True)
    shown = 0

    def refuse(text: EventText, problems: tuple[Problem, ...]) -> None:
        nonlocal shown
        refused_file.add(rejection(text.where, text.text, problems))
        shown += 1
        if shown <= _SHOWN:
            echo_err(f"refused: {text.where} {'; '.join(map(str, problems))}")

    with RejectedFile(rejected or dictionary.sibling(".rejected.ndjson")) as refused_file:
        imported = import_texts(texts, lambda events: write_events(engine, events), refuse)
    status = _report(imported, refused_file.path, style)
    return Exit.PARTIAL if unreadable and status == Exit.DONE else status


def _report(imported: ImportResult, rejected: Path, style: str) -> Exit:
    """Write how many events were stored and refused, and return the exit status."""
    counts = {name: getattr(imported, name) for name in ("received", "stored", "repeated", "refused", "future")}
    file = str(rejected) if imported.refused else None
    if style == Format.JSON:
        echo(json_text(counts | {"rejected": file}))
    more = f", {imported.future} of a version that scanner does not know yet" if imported.future else ""
    echo_err(
        f"{imported.received} events: {imported.stored} stored, {imported.repeated} repeated, "
        f"{imported.refused} refused{more}"
    )
    if file:
        echo_err(f"refused events are in {file}")
    if imported.stored:
        echo_err("`scanner dataflow` adds them to the graph")
    if not imported.stored and not imported.repeated:
        return Exit.INPUT_INVALID
    return Exit.PARTIAL if imported.refused else Exit.DONE


def _files(paths: Sequence[str]) -> list[Path | None]:
    """Return the files of *paths*, None for standard input; raises InputInvalid where one does not exist."""
    files: list[Path | None] = []
    for path in paths:
        files += [None] if path == "-" else event_files(Path(path))
    return files


def _texts(file: Path | None, unreadable: list[Path | None]) -> Iterator[EventText]:
    """Yield the texts of a file; one that cannot be read to its end is reported and added to *unreadable*."""
    try:
        yield from texts_of(file) if file else texts_in(sys.stdin.buffer, "-")
    except InputInvalid as error:
        report_error(error)
        unreadable.append(file)
