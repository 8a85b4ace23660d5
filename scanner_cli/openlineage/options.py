"""Options that say how a graph is emitted as OpenLineage events: style, producer, time."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from functools import reduce, wraps
from typing import Any

import click

from scanner_api.openlineage.events import EventOptions
from scanner_cli.options import one_of
from scanner_model.errors import InputInvalid


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
    """Add the options that say how a graph is emitted to a command, as its argument *options*."""

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
        options = EventOptions(
            style=style_of_events, lineage=lineage, producer=producer, at=at, job_namespace=job_namespace
        )
        return command(options=options, **others)

    return reduce(lambda decorated, option: option(decorated), reversed(_OPTIONS), with_options)
