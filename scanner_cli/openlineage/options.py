"""Options that say how a graph is told as OpenLineage events: as what, by whom, when."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import reduce, wraps
from typing import Any

import click

from scanner_cli.options import one_of
from scanner_model.errors import InputInvalid


@dataclass(frozen=True, slots=True, kw_only=True)
class EventChoice:
    """How a graph is told: what is left empty is the program's own, and the end of the newest scan."""

    way: str = "design"
    lineage: bool = False
    producer: str | None = None
    at: str | None = None
    job_namespace: str = ""

    @property
    def given(self) -> dict[str, Any]:
        """Return what was said, by the names that `EventOptions` has for it; neither time nor way."""
        return {"lineage": self.lineage, "job_namespace": self.job_namespace} | (
            {"producer": self.producer} if self.producer else {}
        )


def _moment(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """Read a moment with its zone, as in 2026-03-01T10:00:00Z."""
    if value is None:
        return None
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        hint = "as in 2026-03-01T10:00:00Z"
        raise InputInvalid(f"{value!r} is no moment with a zone", where="--event-time", hint=hint)
    return at.isoformat()


def _uri(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    if value is not None and not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*:[!-~]+", value):
        raise InputInvalid(f"{value!r} is no URI", where="--producer", hint="as in https://example.org/lineage")
    return value


_HOW: tuple[Callable[[Callable[..., int]], Callable[..., int]], ...] = (
    one_of(
        "--as",
        "way",
        words=("design", "run", "both"),
        text="design: datasets and jobs as they are; run: each job as a run, for consumers that take nothing else.",
        default="design",
        show_default=True,
    ),
    click.option(
        "--lineage-facet",
        "lineage",
        is_flag=True,
        help="The newer facet `lineage` for every job, too.",
    ),
    click.option("--producer", callback=_uri, metavar="URI", help="Who says so; else this program in its version."),
    click.option(
        "--event-time", "at", callback=_moment, metavar="TIME", help="Of all events; else the end of the newest scan."
    ),
    click.option("--job-namespace", default="", metavar="NAME", help="One namespace for all jobs."),
)


def event_options(command: Callable[..., int]) -> Callable[..., int]:
    """Return *command* the options that say how a graph is told, as its argument *told*."""

    @wraps(command)
    def with_told(
        *,
        way: str,
        lineage: bool,
        producer: str | None,
        at: str | None,
        job_namespace: str,
        **others: Any,  # noqa: ANN401 - click hands them over by name
    ) -> int:
        told = EventChoice(way=way, lineage=lineage, producer=producer, at=at, job_namespace=job_namespace)
        return command(told=told, **others)

    return reduce(lambda made, option: option(made), reversed(_HOW), with_told)
