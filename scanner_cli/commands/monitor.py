"""`scanner monitor`: tells the life of jobs as OpenLineage events, poll after poll."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scanner_cli.event_transports import lines_file, transport_of
from scanner_cli.groups import Group
from scanner_cli.options import config_option
from scanner_cli.outputs import check_file
from scanner_cli.telling import put, say
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from dataflow_generator.openlineage.transports import Transport


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What the options of a monitor say; seconds for times."""

    files: Sequence[str]
    url: str | None
    token: str | None = field(repr=False)
    file: Path | None
    state: Path
    interval: float
    heartbeat: float
    once: bool


_OPTIONS: tuple[Callable[[Callable[..., int]], Callable[..., int]], ...] = (
    config_option,
    click.option("--url", metavar="URL", help="Send events there; else as cluster.json or openlineage-python says."),
    click.option(
        "--token",
        envvar="SCANNER_OPENLINEAGE_TOKEN",
        metavar="TOKEN",
        help="Sent to --url as `Authorization: Bearer TOKEN`; better from SCANNER_OPENLINEAGE_TOKEN.",
    ),
    click.option(
        "--file", type=click.Path(path_type=Path), metavar="FILE", help="Add events to this file, a line each."
    ),
    click.option(
        "--state",
        type=click.Path(path_type=Path),
        default="monitor.json",
        show_default=True,
        metavar="FILE",
        help="What is remembered: open runs, and events that wait.",
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
        help="The longest silence of a run that goes on.",
    ),
    click.option("--once", is_flag=True, help="Poll once, deliver, and end: for a scheduler of yours."),
)


def _options(command: Callable[[_Asked], int]) -> Callable[..., int]:
    """Give *command* the options of every monitor."""

    @functools.wraps(command)
    def asked(**options: Any) -> int:  # noqa: ANN401 - click hands them over by name
        return command(_Asked(**options))

    return functools.reduce(lambda made, option: option(made), reversed(_OPTIONS), asked)


@click.group(cls=Group)
def monitor() -> None:
    """Tell the life of connectors, queries and statements as OpenLineage events, while they live it.

    \b
    Examples:
      scanner monitor connect --config cluster.json --url http://marquez:5000
      scanner monitor all --config cluster.json --file runs.ndjson
    """


@monitor.command()
@_options
def connect(asked: _Asked) -> int:
    """Poll Kafka Connect and tell the runs of its connectors.

    START when a connector is seen to run, RUNNING when its lineage or its trouble changes and every five minutes,
    COMPLETE when it is paused, stopped or deleted, FAIL when it or all of its tasks failed, ABORT when it is started
    anew or nobody runs it any more. A worker that does not answer ends nothing. One request a poll.

    The state file is replaced whole; started again, the monitor goes on where it was. Ctrl-C or SIGTERM ends it.

    \b
    Examples:
      scanner monitor connect --config cluster.json --url http://marquez:5000
      scanner monitor connect --config eu.json --config us.json --file runs.ndjson --interval 30
      OPENLINEAGE_URL=http://marquez:5000 scanner monitor connect --config cluster.json --once

    \b
    Exit status: 0 ended, everything is delivered; 2 input invalid, or another monitor uses the state;
    3 some events wait in the state file, were refused, or (--once) a server did not answer.
    """
    return _run(asked, ("connect",))


@monitor.command()
@_options
def ksqldb(asked: _Asked) -> int:
    """Poll ksqlDB and tell the runs of its persistent queries.

    START when a query is seen to run, COMPLETE when it is paused or terminated, FAIL when the server says ERROR, with
    the error. Lineage is read from the statement and the server's own lists. A server that does not answer ends
    nothing. One request a poll. State, signals and exit status are those of `scanner monitor connect`.

    \b
    Examples:
      scanner monitor ksqldb --config cluster.json --url http://marquez:5000
      scanner monitor ksqldb --config cluster.json --file queries.ndjson --state queries.json
    """
    return _run(asked, ("ksqldb",))


@monitor.command()
@_options
def flink(asked: _Asked) -> int:
    """Poll Flink and tell the runs of its statements and jobs.

    Statements of Confluent Cloud and Confluent Manager for Apache Flink, and the jobs of a JobManager; of the latter
    nobody tells the SQL: their lineage is that of the sql-files in cluster.json whose tables stand in their names. A
    job that is cancelled, or lost with its JobManager, is told as ABORT. A server that does not answer ends nothing.
    One request a poll; state, signals and exit status are those of `scanner monitor connect`.

    \b
    Examples:
      scanner monitor flink --config cluster.json --url http://marquez:5000
      scanner monitor flink --config cluster.json --file jobs.ndjson --state jobs.json
    """
    return _run(asked, ("flink",))


@monitor.command("all")
@_options
def every_kind(asked: _Asked) -> int:
    """Poll Kafka Connect, ksqlDB and Flink in one process, with one state.

    All servers of the cluster.json; what is told is told as by the monitor of each kind.

    \b
    Examples:
      scanner monitor all --config cluster.json --url http://marquez:5000
    """
    return _run(asked, ("connect", "ksqldb", "flink"))


def _brief(transport: Transport | None) -> Transport | None:
    """Have HTTP give up soon where nobody says how often to try: the monitor itself tries again, and must end soon."""
    if transport is None or transport.get("type") != "http" or "retry" in transport:
        return transport
    return {**transport, "retry": {"total": 1}}


def _run(asked: _Asked, kinds: Sequence[str]) -> int:
    from dataflow_generator.openlineage.delivery import Emitter
    from dataflow_generator.openlineage.journal import Journal
    from dataflow_generator.openlineage.last_told import settle
    from scanner_cli.cluster_files import read_files
    from scanner_cli.watched_servers import servers_of
    from scanner_cli.watching import made_monitor, once, watched

    gc.set_threshold(700)  # facts come and go with every poll here
    clusters, problems = read_files(asked.files)
    if problems:
        raise InputInvalid.listing(problems)
    servers = tuple(servers_of(kinds, clusters))
    if not servers:
        what, hint = f"names no server of {', '.join(kinds)}", f"add `{kinds[0]}`, a list of {{url}}"
        raise InputInvalid(what, where=", ".join(asked.files), hint=hint)
    transport = _brief(transport_of(asked.url, asked.token, asked.file, clusters))
    with (
        Journal(check_file(asked.state, "--state")) as journal,
        Emitter(transport, say=say, show=put) as emitter,
    ):
        if file := lines_file(transport):
            settle(journal, file)
        watching = made_monitor(journal, emitter, timedelta(seconds=asked.heartbeat))
        if asked.once:
            return once(watching, servers)
        return watched(watching, servers, timedelta(seconds=asked.interval))
