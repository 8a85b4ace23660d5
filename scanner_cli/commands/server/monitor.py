"""`scanner openlineage monitor`: the runs of jobs as OpenLineage events, poll after poll."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scanner_cli import library
from scanner_cli.console import echo, echo_err, ended_by_signal
from scanner_cli.lazy_group import Group
from scanner_cli.options import config_option
from scanner_cli.usage_errors import Exit

if TYPE_CHECKING:
    from scanner_api.monitoring.run import MonitorResult

_OPTIONS: tuple[Callable[[Callable[..., int]], Callable[..., int]], ...] = (
    config_option,
    click.option(
        "--url",
        metavar="URL",
        help="Send events there; else to the target in cluster.json or openlineage-python's configuration.",
    ),
    click.option(
        "--token",
        envvar="SCANNER_OPENLINEAGE_TOKEN",
        metavar="TOKEN",
        help="Sent to --url as `Authorization: Bearer TOKEN`; better set SCANNER_OPENLINEAGE_TOKEN.",
    ),
    click.option(
        "--file", type=click.Path(path_type=Path), metavar="FILE", help="Append events to this file, a line each."
    ),
    click.option(
        "--state",
        type=click.Path(path_type=Path),
        default="monitor.json",
        show_default=True,
        metavar="FILE",
        help="The state: open runs and pending events.",
    ),
    click.option(
        "--interval",
        type=click.FloatRange(0.1),
        default=10.0,
        show_default=True,
        metavar="SECONDS",
        help="Between polls.",
    ),
    click.option(
        "--heartbeat",
        type=click.FloatRange(1.0),
        default=300.0,
        show_default=True,
        metavar="SECONDS",
        help="The longest time between two events of a running job.",
    ),
    click.option("--once", is_flag=True, help="Poll once, deliver, and end: for an external scheduler."),
)


def _options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options of every monitor to *command*; times are in seconds."""
    return functools.reduce(lambda decorated, option: option(decorated), reversed(_OPTIONS), command)


@click.group(cls=Group)
def monitor() -> None:
    """Emit the runs of connectors, queries and statements as OpenLineage events.

    \b
    Examples:
      scanner openlineage monitor connect --config cluster.json --url http://marquez:5000
      scanner openlineage monitor all --config cluster.json --file runs.ndjson
    """


@monitor.command()
@_options
def connect(**options: Any) -> int:  # noqa: ANN401 - as _run has them
    """Poll Kafka Connect and emit the runs of its connectors.

    START when a connector is observed running, RUNNING when its lineage or its problems change and every five minutes,
    COMPLETE when it is paused, stopped or deleted, FAIL when it or all of its tasks failed, ABORT when it is restarted
    or no worker runs it any more. A worker that does not respond ends no run. One request a poll.

    The state file is replaced atomically; a new monitor continues from it. Ctrl-C or SIGTERM ends the monitor.

    \b
    Examples:
      scanner openlineage monitor connect --config cluster.json --url http://marquez:5000
      scanner openlineage monitor connect --config eu.json --config us.json --file runs.ndjson --interval 30
      OPENLINEAGE_URL=http://marquez:5000 scanner openlineage monitor connect --config cluster.json --once

    \b
    Exit status: 0 ended, everything is delivered; 2 input invalid, or another monitor uses the state;
    3 some events are pending in the state file, were refused, or (--once) a server did not respond.
    """
    return _run(("connect",), **options)


@monitor.command()
@_options
def ksqldb(**options: Any) -> int:  # noqa: ANN401 - as _run has them
    """Poll ksqlDB and emit the runs of its persistent queries.

    START when a query is observed running, COMPLETE when it is paused or terminated, FAIL when the server reports
    ERROR, with the error. Lineage is parsed from the statement and the server's own lists. A server that does not
    respond ends no run. One request a poll. State, signals and exit status are those of the monitor `connect`.

    \b
    Examples:
      scanner openlineage monitor ksqldb --config cluster.json --url http://marquez:5000
      scanner openlineage monitor ksqldb --config cluster.json --file queries.ndjson --state queries.json
    """
    return _run(("ksqldb",), **options)


@monitor.command()
@_options
def flink(**options: Any) -> int:  # noqa: ANN401 - as _run has them
    """Poll Flink and emit the runs of its statements and jobs.

    Statements of Confluent Cloud and Confluent Manager for Apache Flink, and the jobs of a JobManager. A JobManager
    does not expose SQL: the lineage of its jobs is that of the sql-files in cluster.json whose tables are in their
    names. A job that is cancelled, or lost with its JobManager, ends with ABORT. A server that does not respond ends
    no run. One request a poll; state, signals and exit status are those of the monitor `connect`.

    \b
    Examples:
      scanner openlineage monitor flink --config cluster.json --url http://marquez:5000
      scanner openlineage monitor flink --config cluster.json --file jobs.ndjson --state jobs.json
    """
    return _run(("flink",), **options)


@monitor.command("all")
@_options
def every_kind(**options: Any) -> int:  # noqa: ANN401 - as _run has them
    """Poll Kafka Connect, ksqlDB and Flink in one process, with one state.

    All servers of the cluster.json; emits the same events as the individual monitors.

    \b
    Examples:
      scanner openlineage monitor all --config cluster.json --url http://marquez:5000
      scanner openlineage monitor all --config cluster.json --file runs.ndjson --once
    """
    return _run(library.KINDS, **options)


def _run(
    kinds: Sequence[str],
    *,
    files: Sequence[str],
    url: str | None,
    token: str | None,
    file: Path | None,
    state: Path,
    interval: float,
    heartbeat: float,
    once: bool,
) -> int:
    gc.set_threshold(700)  # facts come and go with every poll here
    result = library.monitor(
        files,
        state,
        kinds=kinds,
        transport=library.transport_of(url, token, file),
        interval=interval,
        heartbeat=heartbeat,
        until=None if once else ended_by_signal(),
        notify=echo_err,
        on_console=echo,
    )
    return _report(result, state)


def _report(result: MonitorResult, state: Path) -> Exit:
    """Write what the monitor did, and return the exit status."""
    echo_err(", ".join(f"{count} {name}" for name, count in asdict(result.counts).items()))
    if result.pending:
        echo_err(f"{result.pending} events are pending in {state}; the next monitor delivers them")
    return Exit.DONE if result.complete and not result.pending and not result.counts.refused else Exit.PARTIAL
