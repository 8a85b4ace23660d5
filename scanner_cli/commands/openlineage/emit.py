"""`scanner openlineage emit`: what the dictionary and its graph know, as events to whoever listens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scanner_cli.graph.open import GraphPlace, with_dictionary
from scanner_cli.openlineage.options import EventChoice, event_options
from scanner_cli.openlineage.transports import transport_of
from scanner_cli.options import dictionary_option, one_of
from scanner_model.errors import InputInvalid, NameUnknown

if TYPE_CHECKING:
    from dataflow_generator.openlineage.emit.run_events import Event
    from scanner_extractor.settings.cluster import Settings


@click.command()
@event_options
@click.option("--config", "files", multiple=True, metavar="FILE", help="A cluster.json that says where events go.")
@click.option(
    "--url", "target", metavar="URL", help="Send events there; else as cluster.json or openlineage-python says."
)
@click.option(
    "--token",
    envvar="SCANNER_OPENLINEAGE_TOKEN",
    metavar="TOKEN",
    help="Sent to --url as `Authorization: Bearer TOKEN`; better from SCANNER_OPENLINEAGE_TOKEN.",
)
@click.option("--file", type=click.Path(path_type=Path), metavar="FILE", help="Add events to this file, a line each.")
@click.option(
    "--rejected",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where refused events are added, with the reasons; else beside the dictionary's file, or in this directory.",
)
@click.option("--dry-run", is_flag=True, help="Send nothing: write events to stdout, or with --format count them.")
@one_of("--format", "style", words=("table", "json"), text="Report what was sent, facets by version, on stdout.")
@dictionary_option
def emit(
    told: EventChoice,
    files: Sequence[str],
    target: str | None,
    token: str | None,
    file: Path | None,
    rejected: Path | None,
    dry_run: bool,
    style: str | None,
    url: str,
) -> int:
    """Return the graph that `scanner dataflow` generated last as OpenLineage events.

    Datasets with their schemas, tags and owners, jobs with what they read and write and their column lineage. The time
    of all events is the end of the newest scan, so the same dictionary gives the same bytes, and sending them again
    changes nothing.

    \b
    Examples:
      scanner openlineage emit --file events.ndjson
      scanner openlineage emit --url http://marquez:5000 --as both --format json
      scanner openlineage emit --config cluster.json --producer https://example.org/lineage
      scanner openlineage emit --dry-run --format table
      OPENLINEAGE_CONFIG=openlineage.yml scanner openlineage emit

    \b
    Exit status: 0 all were taken; 1 none was; 2 nothing says where events go; 3 some were refused, or not
    sent because the target was gone, or not taken by one of several targets; 4 no graph was generated yet.
    """
    from scanner_cli.openlineage.emit import SendResult, count_events, send_events, write_events

    with stored_events(GraphPlace(url), told.way, told) as events:
        if dry_run:
            return count_events(events, style) if style else write_events(events)
        transport = transport_of(target, token, file, _clusters(files))
        return send_events(events, SendResult(transport=transport, aside=rejected or _aside(url), style=style))


def _clusters(files: Sequence[str]) -> Sequence[Settings]:
    """Read the cluster.json files; what they say of jobs need not be there, as nothing is scanned."""
    from scanner_cli.scan.clusters import read_files

    clusters, problems = read_files(files, replayed=True)
    if problems:
        raise InputInvalid.listing(problems)
    if files and not any(one.openlineage for one in clusters):
        hint = 'add "openlineage": {"transport": {"type": "http", "url": …}}'
        raise InputInvalid("says nothing of where events go", where=", ".join(files), hint=hint)
    return clusters


def _aside(url: str) -> Path:
    from scanner_dictionary.engine.url import resolve_url

    file = resolve_url(url).file
    return file.with_name(f"{file.name}.refused.ndjson") if file else Path("openlineage.refused.ndjson")


@contextmanager
def stored_events(place: GraphPlace, way: str, told: EventChoice | None = None) -> Iterator[Iterator[Event]]:
    """Return the events of the graph at *place*; what else is told of datasets, and the time, are the dictionary's.

    Raises NameUnknown where there is no graph, or no scan.
    """
    from dataflow_generator.openlineage.emit.datasets import dictionary_metadata
    from dataflow_generator.openlineage.emit.graph_events import EventOptions, graph_events
    from scanner_dictionary.lineage_inputs.events import newest_moment

    with with_dictionary(place) as (graph, conn):
        at = (told and told.at) or newest_moment(conn)
        if at is None:
            raise NameUnknown("the dictionary holds no scan, so events have no time", hint="run `scanner extract`")
        yield graph_events(
            graph.whole(), dictionary_metadata(conn), EventOptions(at=at, mode=way, **(told.given if told else {}))
        )
