"""`scanner openlineage emit`: what the dictionary and its graph know, as events to whoever listens."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scanner_cli.asked_graph import GraphPlace, with_dictionary
from scanner_cli.event_transports import transport_of
from scanner_cli.exits import Exit
from scanner_cli.options import dictionary_option
from scanner_cli.telling import say, tell
from scanner_model.errors import NameUnknown

if TYPE_CHECKING:
    from dataflow_generator.openlineage.run_events import Event


@click.command()
@click.option(
    "--as",
    "way",
    type=click.Choice(["design", "run", "both"]),
    default="design",
    show_default=True,
    help="design: datasets and jobs as they are; run: each job as a run, for consumers that take nothing else.",
)
@click.option("--url", "target", metavar="URL", help="Send them there; else as openlineage-python is configured.")
@click.option(
    "--token",
    envvar="SCANNER_OPENLINEAGE_TOKEN",
    metavar="TOKEN",
    help="Sent to --url as `Authorization: Bearer TOKEN`; better from SCANNER_OPENLINEAGE_TOKEN.",
)
@click.option("--file", type=click.Path(path_type=Path), metavar="FILE", help="Add events to this file, a line each.")
@click.option("--dry-run", is_flag=True, help="Write them to stdout, a line each, and send nothing.")
@dictionary_option
def emit(way: str, target: str | None, token: str | None, file: Path | None, dry_run: bool, url: str) -> int:
    """Tell the graph that `scanner dataflow` generated last as OpenLineage events.

    Datasets with their schemas, tags and owners, jobs with what they read and write and their column lineage. The time
    of all events is the end of the newest scan, so the same dictionary gives the same bytes.

    \b
    Examples:
      scanner openlineage emit --file events.ndjson
      scanner openlineage emit --url http://marquez:5000 --as both
      OPENLINEAGE_CONFIG=openlineage.yml scanner openlineage emit

    \b
    Exit status: 0 all were taken; 1 the target cannot be reached; 2 nothing says where events
    go; 3 some were refused; 4 no graph was generated yet.
    """
    from dataflow_generator.openlineage.delivery import Emitter, deliver
    from dataflow_generator.openlineage.run_events import event_line

    with stored_events(GraphPlace(url), way) as events:
        if dry_run:
            sys.stdout.writelines(map(event_line, events))
            return Exit.DONE
        with_words = Emitter(transport_of(target, token, file), say=say, show=click.echo)
        delivered = deliver(events, with_words, lambda _, error: tell(error))
    say(f"{delivered.sent} events delivered" + (f", {delivered.refused} refused" if delivered.refused else ""))
    if delivered.stopped:
        raise delivered.stopped
    return Exit.PARTIAL if delivered.refused else Exit.DONE


@contextmanager
def stored_events(place: GraphPlace, way: str) -> Iterator[Iterator[Event]]:
    """Give the events of the graph at *place*; what else is told of datasets, and the time, are the dictionary's.

    Raises NameUnknown where there is no graph, or no scan.
    """
    from dataflow_generator.openlineage.graph_events import Telling, graph_events
    from dataflow_generator.openlineage.told_datasets import known_by
    from scanner_dictionary.queries.event_output import newest_moment

    with with_dictionary(place) as (graph, conn):
        at = newest_moment(conn)
        if at is None:
            raise NameUnknown("the dictionary holds no scan, so events have no time", hint="run `scanner extract`")
        yield graph_events(graph.whole(), known_by(conn), Telling(at=at, way=way))
