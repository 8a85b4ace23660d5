"""`scanner openlineage`: lineage that others tell as OpenLineage events, in and out."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scanner_cli.commands.openlineage_emit import emit
from scanner_cli.commands.openlineage_listen import listen
from scanner_cli.exits import Exit
from scanner_cli.groups import Group
from scanner_cli.options import dictionary_option, lock_timeout_option, writable
from scanner_cli.show import Format, format_option, json_text
from scanner_cli.telling import put, say, tell
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from dataflow_generator.openlineage.files import EventText
    from dataflow_generator.openlineage.intake import Taken
    from scanner_model.problems import Problem

_SHOWN = 10
"""Refused events that are told on stderr; the file of the refused holds all of them."""


@click.group(cls=Group)
def openlineage() -> None:
    """Take in what others tell as OpenLineage events, and tell them what we know.

    \b
    Examples:
      scanner openlineage import events/ spark.ndjson.gz
      scanner openlineage listen --port 5000
      scanner openlineage emit --url http://marquez:5000
    """


openlineage.add_command(emit)
openlineage.add_command(listen)


@openlineage.command("import")
@click.argument("places", nargs=-1, required=True, metavar="FILE|DIRECTORY|-…")
@click.option(
    "--rejected",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where refused events are added, with the reasons; else beside the dictionary's file, or in this directory.",
)
@dictionary_option
@lock_timeout_option
@format_option(Format.TABLE, Format.JSON)
def import_events(places: Sequence[str], rejected: Path | None, url: str, patience: float, style: str) -> int:
    """Store the OpenLineage events of files: one on each line, one or an array in a file; plain or gzip.

    Events of any producer, of past and later versions, in any order; repeating them changes nothing. Secrets inside
    them are removed first. `scanner dataflow` draws what they add up to.

    \b
    Examples:
      scanner openlineage import spark-events.ndjson
      scanner openlineage import events/ --rejected broken.ndjson
      zcat events.gz | scanner openlineage import - --format json

    \b
    Exit status: 0 every event was stored; 2 no file holds an event, or one is not there;
    3 some events were refused, or a file could not be read to its end; the rest is stored.
    """
    from dataflow_generator.openlineage.intake import take_in
    from dataflow_generator.openlineage.rejected import RejectedFile, rejection
    from scanner_dictionary.event_writer import write_events

    files = _named(places)
    unread: list[Path | None] = []
    texts = chain.from_iterable(_texts(file, unread) for file in files)
    engine = writable(url, patience)
    shown = 0

    def refuse(text: EventText, problems: tuple[Problem, ...]) -> None:
        nonlocal shown
        aside.add(rejection(text.where, text.text, problems))
        shown += 1
        if shown <= _SHOWN:
            say(f"refused: {text.where} {'; '.join(map(str, problems))}")

    with RejectedFile(rejected or beside(url, ".rejected.ndjson")) as aside:
        taken = take_in(texts, lambda events: write_events(engine, events), refuse)
    status = _told(taken, aside.path, style)
    return Exit.PARTIAL if unread and status == Exit.DONE else status


def _told(taken: Taken, rejected: Path, style: str) -> Exit:
    """Tell what became of the events, and give the exit status."""
    counts = {name: getattr(taken, name) for name in ("received", "stored", "repeated", "refused", "future")}
    file = str(rejected) if taken.refused else None
    if style == Format.JSON:
        put(json_text(counts | {"rejected": file}))
    more = f", {taken.future} of a version newer than we know" if taken.future else ""
    say(f"{taken.received} events: {taken.stored} stored, {taken.repeated} repeated, {taken.refused} refused{more}")
    if file:
        say(f"refused events are in {file}")
    if taken.stored:
        say("`scanner dataflow` draws what they add up to")
    if not taken.stored and not taken.repeated:
        return Exit.INPUT_INVALID
    return Exit.PARTIAL if taken.refused else Exit.DONE


def _named(places: Sequence[str]) -> list[Path | None]:
    """Give the files of *places*, None for standard input; raises InputInvalid where one is not there."""
    from dataflow_generator.openlineage.files import event_files

    found: list[Path | None] = []
    for place in places:
        found += [None] if place == "-" else event_files(Path(place))
    return found


def _texts(file: Path | None, unread: list[Path | None]) -> Iterator[EventText]:
    """Give the texts of a file; one that cannot be read to its end is told and noted, and the others are read."""
    from dataflow_generator.openlineage.files import texts_in, texts_of

    try:
        yield from texts_of(file) if file else texts_in(sys.stdin.buffer, "-")
    except InputInvalid as error:
        tell(error)
        unread.append(file)


def beside(url: str, ending: str) -> Path:
    """Give the path beside the dictionary's file, or in this directory where the dictionary is on a server."""
    from scanner_dictionary.location import locate

    file = locate(url).file
    return file.with_name(file.name + ending) if file else Path(f"openlineage{ending}")
