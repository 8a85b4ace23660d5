"""The command `scanner`: its commands, and the one place where an error becomes a line and an exit status."""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from typing import NoReturn

import click

from scanner_api.questions.table import QUESTIONS
from scanner_cli.console import configure_utf8, echo_err, flush_streams, protect_std_streams, report_error
from scanner_cli.entry import INTERRUPTED
from scanner_cli.lazy_group import LazyGroup
from scanner_cli.usage_errors import Exit, exit_status, usage_error
from scanner_model.errors import ScannerError
from scanner_model.text import visible


def _derived(section: str) -> dict[str, tuple[str, str]]:
    """Return the rows of the commands that ask questions."""
    return {
        question.command: (question.runs or f":{question.name}", question.line)
        for question in QUESTIONS
        if question.section == section
    }


SECTIONS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Start": {
        "demo": ("demo:demo", "Show what scanner answers, on a bundled example."),
        "scan": ("scan:scan_command", "Scan a repository or a cluster and draw its data flow."),
        "init": ("init:init", "Write a cluster.json for a cluster or a repository."),
        "doctor": ("doctor:doctor", "Test every connection and permission of cluster.json."),
        "config": ("config:config", "Print schemas and examples of files, and validate them."),
        "explain": ("explain:explain", "Show how scanner parses one file or name."),
    },
    "Find": _derived("Find"),
    "Lineage": {
        **_derived("Lineage"),
        "export": ("export:export", "Write the graph or the dictionary for other programs."),
        "push": ("push:push", "Write the lineage into a catalog such as DataHub."),
        "openlineage": ("openlineage:openlineage", "Import, receive and emit OpenLineage events."),
    },
    "Change": {
        "check": ("check:check", "Check a change or a deletion before you make it."),
        "tag": ("tag:tag", "Write into cluster.json that a column is personal, or not."),
        **_derived("Change"),
    },
    "Run": {
        "serve": ("server.serve:serve", "Serve the page, the JSON API, MCP and metrics."),
        "watch": ("server.watch:watch", "Scan regularly, and post what changed."),
        "dictionary": ("dictionary:dictionary_group", "Show, copy or prune the dictionary; generate its graph."),
    },
}
"""The commands by what they are for, in the order of the help."""

UNLISTED: Mapping[str, tuple[str, str]] = {
    "completion": ("completion:completion", "Print the completion script of a shell."),
    "lsp": ("lsp:lsp", "Show in an editor what a change breaks."),
    "report": ("report:report", "Write who may read personal data, as a page to sign."),
}
"""Commands that the text of the help names instead of its list."""

ALIASES: Mapping[str, str] = {
    "check-change": "check",
    "connectors": "jobs --kind connector",
    "dataflow": "dictionary dataflow",
    "diff": "changes",
    "drift": "validate --drift",
    "extract": "scan",
    "history": "changes",
    "manual-input check": "config validate",
    "manual-input example": "config example --of manual-input",
    "manual-input schema": "config schema --of manual-input",
    "manual-input": "config",
    "may-delete": "check",
    "mcp": "serve --mcp",
    "monitor": "openlineage monitor",
    "pii": "columns --tag PII",
    "scans": "changes --scans",
    "statements": "jobs --kind statement",
}
"""Former names of commands → their words now; they work until 1.0 and are not listed."""

MEANINGS: Mapping[str, str] = {
    "failed": "jobs --failed",
    "graph": "dictionary dataflow",
    "decide": "tag COLUMN TAG",
    "owners": "topics --without-owner",
    "stale": "validate",
    "who": "impact NODE",
}
"""Words that people try → the command that answers."""

COMMANDS: Mapping[str, tuple[str, str]] = {name: row for section in SECTIONS.values() for name, row in section.items()}
"""The commands that the help lists."""

_PACKAGES = (
    "scanner_extractor",
    "scanner_programs",
    "manual_input",
    "scanner_dictionary",
    "dataflow_generator",
    "scanner_check",
    "scanner_api",
    "scanner_server",
    "scanner_cli",
)


@click.group(
    cls=LazyGroup,
    sections=SECTIONS,
    unlisted=UNLISTED,
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
      scanner check --git origin/main...HEAD

    `scanner completion SHELL` completes commands in bash, zsh, fish and PowerShell; editors start `scanner lsp`.
    `scanner report` writes who may read personal data.

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
    if os.environ.get("_SCANNER_COMPLETE", "").startswith("powershell"):
        from scanner_cli.shells import register  # noqa: PLC0415 - only that shell needs it

        register()
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
