"""`scanner watch`: scheduled scans, and notifications of what they changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from scanner_cli.command import command, section
from scanner_cli.console import echo_err, ended_by_signal
from scanner_cli.options import config_option, dictionary_option
from scanner_cli.server_options import WatchOf, every_option, watch_options
from scanner_cli.usage_errors import Exit

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary

_LONG = 3600.0


@command()
@config_option
@every_option
@click.option("--once", is_flag=True, help="Scan once, post, and end: for an external scheduler.")
@section("What is posted", watch_options)
@dictionary_option
def watch(files: Sequence[str], every: float, once: bool, dictionary: Dictionary, watch_of: WatchOf) -> int:
    """Scan again and again, generate the graph, and post what changed to a webhook or Slack.

    One scan runs at a time, about every TIME (up to a tenth more or less). A scan that fails leaves the last one. What
    could not be posted is posted later, also after a restart, under the same id. Ctrl-C or SIGTERM ends it. `triggers`
    in cluster.json add what happened to readers, such as a new reader of personal data.

    \b
    Examples:
      scanner watch --config cluster.json --every 15m
      SCANNER_SLACK_URL=https://hooks.slack.com/... scanner watch --config cluster.json --only-breaking
      scanner watch --config cluster.json --once --webhook https://example.org/changes

    Exit status of --once: 1 where a scan failed, or something could not be posted.
    """
    watcher = watch_of(dictionary, files, every)
    if once:
        done = watcher.run_once()
        return Exit.DONE if watcher.deliver() and done else Exit.FAILED
    with ended_by_signal() as wait:
        watcher.start()
        while not wait(_LONG):
            continue
    watcher.stop()
    echo_err(", ".join(f"{count} scans {name}" for name, count in watcher.counts().items()))
    return Exit.DONE
