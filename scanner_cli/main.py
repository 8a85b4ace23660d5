"""The command `scanner`: its commands, and the one place where an error becomes a line and an exit status."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Mapping, Sequence
from typing import NoReturn

import click

from scanner_cli.console import configure_utf8, echo_err, flush_streams, protect_std_streams, report_error
from scanner_cli.entry import INTERRUPTED
from scanner_cli.exit_codes import Exit, exit_status
from scanner_cli.lazy_group import LazyGroup
from scanner_model.errors import ScannerError

COMMANDS: Mapping[str, tuple[str, str]] = {
    "init": ("init:init", "Write a cluster.json: ask Confluent Cloud, or probe hosts."),
    "extract": ("extract:extract", "Scan the sources of a cluster.json into the dictionary."),
    "check": ("check:check", "Try every connection and right; change nothing."),
    "query": ("query:query", "Which schemas, which columns does a topic have?"),
    "topics": ("listings:topics", "List the topics of the dictionary."),
    "schemas": ("listings:schemas", "List the subjects and their versions."),
    "columns": ("listings:columns", "List the columns of topics: where is this field, this tag?"),
    "connectors": ("connectors:connectors", "List the connectors, and what failed."),
    "statements": ("listings:statements", "List the statements of Flink and ksqlDB."),
    "tables": ("listings:tables", "List the tables of catalogs, and topics kept as tables."),
    "validate": ("validate:validate", "What failed, dangles, or is described by nothing?"),
    "scans": ("listings:scans", "List the scans, or how each source of one answered."),
    "diff": ("diff:diff", "What changed between two scans, and whom does it break?"),
    "dataflow": ("dataflow:dataflow", "Generate the data flow graph of the dictionary."),
    "lineage": ("lineage:lineage", "Where do the data of a node come from, where do they go?"),
    "export": ("export:export", "Write the graph or the dictionary for other programs."),
    "explain": ("explain.schema:explain", "Why: what we make of one file or name."),
    "manual-input": ("manual_input:manual_input", "Check, describe and exemplify manual-input files."),
    "openlineage": ("openlineage.group:openlineage", "Lineage that others tell as OpenLineage events."),
    "monitor": ("monitor:monitor", "Tell the life of connectors as OpenLineage events."),
    "dictionary": ("dictionary:dictionary", "Show what the dictionary is, export it, forget a source."),
    "config": ("config:config", "The JSON Schema of cluster.json."),
}

_PACKAGES = ("scanner_extractor", "manual_input", "scanner_dictionary", "dataflow_generator", "scanner_cli")


@click.group(
    cls=LazyGroup,
    lazy=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="kafka-lineage-scanner", message="scanner %(version)s")
@click.option("--verbose", is_flag=True, help="Say on stderr what is done, and where a defect of scanner's is.")
def cli(verbose: bool) -> None:
    """Read the metadata of a Kafka estate into a SQL dictionary, and ask it.

    \b
    Examples:
      scanner extract --config cluster.json
      scanner query --broker kafka-1:9092 --topic orders
      scanner dataflow --output flow
      scanner explain schema order.avsc

    \b
    Exit status: 0 done; 1 failed, nothing stored; 2 input invalid; 3 partial: some source
    could not be read, its earlier facts stay; 4 asked for something unknown.
    """
    if verbose:
        _log()


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and give its exit status; errors of ours are told on stderr, never as a traceback."""
    try:
        result = cli.main(args=arguments, prog_name="scanner", standalone_mode=False)
        return int(result) if isinstance(result, int) else Exit.DONE
    except ScannerError as error:
        return _told(error)
    except click.ClickException as error:
        from scanner_cli.usage_errors import usage_error

        return _told(usage_error(error))
    except (KeyboardInterrupt, click.Abort):
        echo_err(INTERRUPTED)
        return Exit.FAILED
    except OSError as error:
        # What we write to has told its name before; only the answer has none.
        return _told(ScannerError(error.strerror or str(error), where=str(error.filename or "standard output")))


def main() -> NoReturn:
    """Run the command line of this process."""
    protect_std_streams()
    configure_utf8()
    # Facts are many, live to the end and hold no cycles: looking for garbage among them each 700 objects is idle work.
    gc.set_threshold(100_000, 20, 100)
    status = run()
    flush_streams()
    # Threads that still wait for a server must not keep a finished or interrupted program alive.
    os._exit(status)


def _told(error: ScannerError) -> Exit:
    report_error(error)
    return exit_status(error)


def _log() -> None:
    import logging

    from scanner_model.text import visible

    class Visible(logging.Formatter):
        """Writes a record, its traceback too, without anything that a terminal obeys."""

        def format(self, record: logging.LogRecord) -> str:
            """Return the lines of *record*."""
            return visible(super().format(record), lines=True)

    # Other people's libraries stay silent: they would log addresses with whatever stands in them.
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Visible("%(name)s: %(message)s"))
    loggers = [logging.getLogger(package) for package in _PACKAGES]
    logging.getLogger().addHandler(handler)
    for logger in loggers:
        logger.setLevel(logging.DEBUG)

    def hush() -> None:
        """Leave logging as it was: who runs one command after another gives each a stderr of its own."""
        logging.getLogger().removeHandler(handler)
        for logger in loggers:
            logger.setLevel(logging.NOTSET)

    click.get_current_context().call_on_close(hush)
