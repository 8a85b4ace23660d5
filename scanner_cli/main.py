"""The command `scanner`: its commands, and the one place where an error becomes a line and an exit status."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from typing import NoReturn

import click

from scanner_api.questions.table import BY_NAME
from scanner_cli.console import configure_utf8, echo_err, flush_streams, protect_std_streams, report_error
from scanner_cli.entry import INTERRUPTED
from scanner_cli.lazy_group import LazyGroup
from scanner_cli.usage_errors import Exit, exit_status, usage_error
from scanner_model.errors import ScannerError
from scanner_model.text import visible


def question(name: str) -> tuple[str, str]:
    """Return the row of a command that derives from a question."""
    return f":{name}", BY_NAME[name].summary


SECTIONS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Scan": {
        "demo": ("demo:demo", "Show what scanner answers, on a bundled example."),
        "scan": ("scan:scan_command", "Scan a repository or a cluster, and generate the data flow."),
        "init": ("init:init", "Write a cluster.json: query Confluent Cloud, or probe hosts."),
        "check": ("check:check", "Test every connection and permission; change nothing."),
        "watch": ("server.watch:watch", "Scan regularly, and post what changed."),
        "config": ("check:config", "Print the JSON Schema of cluster.json."),
        "explain": ("explain:explain", "Explain how one file or name is parsed."),
        "manual-input": ("manual_input:manual_input", "Check manual-input files; print schema, example."),
    },
    "Find": {
        "search": question("search"),
        "query": ("query:query", "Show the schemas and columns of a topic."),
        "topics": question("topics"),
        "schemas": question("schemas"),
        "columns": question("columns"),
        "pii": question("personal_data"),
        "clients": question("clients"),
        "connectors": ("connectors:connectors", "List the connectors, and what failed."),
        "statements": question("statements"),
        "tables": question("tables"),
    },
    "Lineage": {
        "dataflow": ("dataflow:dataflow", "Generate the data flow graph of the dictionary."),
        "lineage": ("lineage:lineage", "Trace where data comes from and where it goes."),
        "impact": ("lineage:impact_command", "List what breaks if a node changes, and whom to ask."),
        "export": ("export:export", "Write the graph or the dictionary for other programs."),
        "push": ("push:push", "Write the lineage into a catalog such as DataHub, or take it back."),
        "openlineage": ("openlineage:openlineage", "Import, receive and emit OpenLineage events."),
        "monitor": ("server.monitor:monitor", "Emit the runs of jobs as OpenLineage events."),
    },
    "Changes and problems": {
        "validate": ("validate:validate", "Find failures and inconsistencies."),
        "drift": ("validate:drift", "Compare deployment files with what runs."),
        "changes": question("changes"),
        "diff": ("diff:diff", "Compare two scans, with schema compatibility."),
        "history": ("diff:history", "Show what each scan changed of one topic, column, job or flow."),
        "scans": ("connectors:scans", "List the scans, or how each source of one responded."),
        "check-change": ("check_change:check_change", "Check a proposed schema, statement or connector."),
        "may-delete": ("may_delete:may_delete", "Find out whether a topic or schema may be deleted."),
    },
    "Serve": {
        "serve": ("server.serve:serve", "Serve the page, the JSON API, MCP and metrics."),
        "lsp": ("lsp:lsp", "Show an editor what a change breaks, over the Language Server Protocol."),
        "mcp": ("server.serve:mcp", "Answer an AI assistant over MCP on standard input and output."),
    },
    "Dictionary": {
        "dictionary": ("dictionary:dictionary_group", "Show, export, copy or prune the dictionary."),
    },
}
"""The commands by what they are for, in the order of the help."""

ALIASES: Mapping[str, str] = {"extract": "scan"}
"""Former names of commands; they work and are not listed."""

MEANINGS: Mapping[str, str] = {
    "failed": "connectors --failed",
    "graph": "dataflow",
    "jobs": "connectors",
    "owners": "topics --without-owner",
    "stale": "validate",
    "who": "impact NODE",
}
"""Words that people try → the command that answers."""

COMMANDS: Mapping[str, tuple[str, str]] = {name: row for section in SECTIONS.values() for name, row in section.items()}

_PACKAGES = (
    "scanner_extractor",
    "manual_input",
    "scanner_dictionary",
    "dataflow_generator",
    "scanner_api",
    "scanner_server",
    "scanner_cli",
)


@click.group(
    cls=LazyGroup,
    sections=SECTIONS,
    aliases=ALIASES,
    meanings=MEANINGS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="kafka-lineage-scanner", message="scanner %(version)s")
@click.option("--verbose", is_flag=True, help="Log to stderr what is done.")
def cli(verbose: bool) -> None:
    """See where every Kafka column comes from, where it goes, and what breaks if you change it.

    \b
    Examples:
      scanner demo
      scanner scan . --open
      scanner scan --config cluster.json
      scanner impact orders.total

    \b
    Exit status: 0 done; 1 failed, nothing stored; 2 input invalid; 3 partial: some source
    could not be read, its earlier facts stay; 4 an unknown name was requested.
    """
    if verbose:
        _log()


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status; a ScannerError becomes a line on stderr, never a traceback."""
    try:
        result = cli.main(args=arguments, prog_name="scanner", standalone_mode=False)
        return int(result) if isinstance(result, int) else Exit.DONE
    except ScannerError as error:
        return _report(error)
    except click.ClickException as error:
        return _report(usage_error(error))
    except (KeyboardInterrupt, click.Abort):
        echo_err(INTERRUPTED)
        return Exit.FAILED
    except OSError as error:
        # Files that are written are named in the error; without a name it is standard output.
        return _report(ScannerError(error.strerror or str(error), where=str(error.filename or "standard output")))


def main() -> NoReturn:
    """Run the command line of this process."""
    protect_std_streams()
    configure_utf8()
    # Facts are many, live to the end and have no cycles: collecting garbage every 700 objects is wasted work.
    gc.set_threshold(100_000, 20, 100)
    status = run()
    flush_streams()
    # Threads that still wait for a server must not keep a finished or interrupted program alive.
    os._exit(status)


def _report(error: ScannerError) -> Exit:
    report_error(error)
    return exit_status(error)


def _log() -> None:
    class Visible(logging.Formatter):
        """Formats a record and its traceback with control characters escaped."""

        def format(self, record: logging.LogRecord) -> str:
            """Return the lines of *record*."""
            return visible(super().format(record), lines=True)

    # Loggers of libraries stay off: they would log addresses with their credentials.
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Visible("%(name)s: %(message)s"))
    loggers = [logging.getLogger(package) for package in _PACKAGES]
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(logging.DEBUG)

    def restore() -> None:
        """Undo the configuration of logging: a process may run several commands, each with its own stderr."""
        for logger in loggers:
            logger.removeHandler(handler)
            logger.setLevel(logging.NOTSET)

    click.get_current_context().call_on_close(restore)
