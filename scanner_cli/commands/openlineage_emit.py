"""`scanner openlineage emit`: the generated graph as OpenLineage events."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import reduce, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scanner_cli import library
from scanner_cli.command import command
from scanner_cli.console import echo, echo_err, echo_lines, report_error
from scanner_cli.options import dictionary_option, one_of
from scanner_cli.output.progress import progress_on
from scanner_cli.output.render import show
from scanner_cli.usage_errors import Exit
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary
    from scanner_api.graph.events import EventOptions, EventStatistics
    from scanner_api.openlineage import EmitResult


def _moment(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """Parse a time with a zone, as in 2026-03-01T10:00:00Z."""
    if value is None:
        return None
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        hint = "as in 2026-03-01T10:00:00Z"
        raise InputInvalid(f"{value!r} is not a time with a zone", where="--event-time", hint=hint)
    return at.isoformat()


def _uri(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is not None and not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*:[!-~]+", value):
        raise InputInvalid(f"{value!r} is not a URI", where="--producer", hint="as in https://example.org/lineage")
    return value


_OPTIONS: tuple[Callable[[Callable[..., int]], Callable[..., int]], ...] = (
    one_of(
        "--as",
        "style_of_events",
        words=("design", "run", "both"),
        text="design: datasets and jobs as they are; run: each job as a run, for consumers that accept only runs.",
        default="design",
        show_default=True,
    ),
    click.option(
        "--lineage-facet",
        "lineage",
        is_flag=True,
        help="Add the newer facet `lineage` to every job.",
    ),
    click.option(
        "--producer", callback=_uri, metavar="URI", help="The producer of the events; else this version of scanner."
    ),
    click.option(
        "--event-time",
        "at",
        callback=_moment,
        metavar="TIME",
        help="The time of all events; else the end of the newest scan.",
    ),
    click.option("--job-namespace", default="", metavar="NAME", help="One namespace for all jobs."),
)


def event_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options of emitted events to a command, as its argument *options*."""

    @wraps(command)
    def with_options(
        *,
        style_of_events: str,
        lineage: bool,
        producer: str | None,
        at: str | None,
        job_namespace: str,
        **others: Any,  # noqa: ANN401 - click passes them by name
    ) -> int:
        options = library.EventOptions(
            style=style_of_events, lineage=lineage, producer=producer, at=at, job_namespace=job_namespace
        )
        return command(options=options, **others)

    return reduce(lambda decorated, option: option(decorated), reversed(_OPTIONS), with_options)


Json = Any

_FACETS = ("facet", "of", "version", "times")


@command()
@event_options
@click.option(
    "--config", "files", multiple=True, metavar="FILE", help="A cluster.json that names the target of events."
)
@click.option(
    "--url",
    "target",
    metavar="URL",
    help="Send events there; else to the target in cluster.json or openlineage-python's configuration.",
)
@click.option(
    "--token",
    envvar="SCANNER_OPENLINEAGE_TOKEN",
    metavar="TOKEN",
    help="Sent to --url as `Authorization: Bearer TOKEN`; better set SCANNER_OPENLINEAGE_TOKEN.",
)
@click.option(
    "--file", type=click.Path(path_type=Path), metavar="FILE", help="Append events to this file, a line each."
)
@click.option(
    "--rejected",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Append refused events here, with the reasons; else beside the dictionary's file, or in this directory.",
)
@click.option("--dry-run", is_flag=True, help="Send nothing: write events to stdout, or with --format count them.")
@one_of("--format", "style", words=("table", "json"), text="Report what was sent, facets by version, on stdout.")
@dictionary_option
def emit(
    options: EventOptions,
    files: Sequence[str],
    target: str | None,
    token: str | None,
    file: Path | None,
    rejected: Path | None,
    dry_run: bool,
    style: str | None,
    dictionary: Dictionary,
) -> int:
    """Emit the graph that `scanner dictionary dataflow` generated last as OpenLineage events.

    Datasets with their schemas, tags and owners; jobs with inputs, outputs and column lineage. The time of all events
    is the end of the newest scan, so the same dictionary gives the same bytes. Safe to re-run: receivers ignore
    duplicates.

    \b
    Examples:
      scanner openlineage emit --file events.ndjson
      scanner openlineage emit --url http://marquez:5000 --as both --format json
      scanner openlineage emit --config cluster.json --producer https://example.org/lineage
      scanner openlineage emit --dry-run --format table
      OPENLINEAGE_CONFIG=openlineage.yml scanner openlineage emit

    \b
    Exit status: 0 all were delivered; 1 none was; 2 no target is configured; 3 some were refused, or not
    sent because the target became unreachable, or missed by one of several targets; 4 no graph was generated yet.
    """
    with library.graph_events(library.GraphSource(dictionary, notify=echo_err), options) as events:
        if dry_run and style:
            statistics = library.count_events(events)
            show(_rows(statistics), _FACETS, style, document=_counts(statistics))
            return Exit.DONE
        if dry_run:
            echo_lines(library.event_lines(events))
            return Exit.DONE
        transport = library.transport_of(target, token, file, library.event_clusters(files))
        with progress_on(sys.stderr, quiet=False) as progress:
            result = library.send_events(
                events,
                transport,
                rejected or dictionary.sibling(".refused.ndjson"),
                progress=progress,
                notify=echo_err,
                # Stdout has the report alone: if there is one, events of a console transport go to stderr.
                on_console=echo_err if style else echo,
            )
    _report(result, style)
    return _status(result)


def _report(result: EmitResult, style: str | None) -> None:
    delivery = result.delivery
    if style:
        document = _counts(result.statistics) | _delivered(result)
        show(_rows(result.statistics), _FACETS, style, document=document)
    counts = [(delivery.refused, "refused"), (delivery.unsent, "not sent")]
    more = "".join(f", {count} {what}" for count, what in counts if count)
    more += "".join(f", {count} not accepted by {name}" for name, count in delivery.missed.items())
    echo_err(f"{delivery.sent} events delivered{more}")
    if result.rejected:
        echo_err(f"refused events are in {result.rejected}")
    if result.transport == "noop":
        echo_err("note: the transport is `noop`, which sends nothing (OPENLINEAGE_DISABLED selects it)")


def _status(result: EmitResult) -> Exit:
    delivery = result.delivery
    if delivery.stopped and not delivery.sent:
        raise delivery.stopped
    if delivery.stopped:
        report_error(delivery.stopped)
        echo_err("safe to re-run; receivers ignore duplicates")
    if delivery.refused and not delivery.sent:
        return Exit.FAILED
    return Exit.PARTIAL if delivery.stopped or delivery.refused or delivery.missed else Exit.DONE


def _delivered(result: EmitResult) -> dict[str, Json]:
    delivery = result.delivery
    return {
        "delivered": delivery.sent,
        "refused": delivery.refused,
        "not_sent": delivery.unsent,
        "missed": dict(delivery.missed),
        "rejected": str(result.rejected) if result.rejected else None,
        "problem": str(delivery.stopped) if delivery.stopped else None,
        "transport": result.transport,
    }


def _counts(statistics: EventStatistics) -> dict[str, Json]:
    return {"events": statistics.events, "kinds": statistics.kinds, "facets": _rows(statistics)}


def _rows(statistics: EventStatistics) -> list[dict[str, Json]]:
    return [facet._asdict() for facet in statistics.facets]
