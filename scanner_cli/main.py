"""The command `scanner`: its commands, loaded when called, and the one place where an error becomes an exit status."""

from __future__ import annotations

import importlib
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import NoReturn

import click

from scanner_model.errors import InputInvalid, NameUnknown, ScannerError


class Exit(IntEnum):
    """What each exit status of `scanner` means."""

    DONE = 0
    FAILED = 1
    INPUT_INVALID = 2
    PARTIAL = 3
    UNKNOWN = 4


COMMANDS: Mapping[str, tuple[str, str]] = {
    "extract": ("extract:extract", "Scan the sources of a cluster.json into the dictionary."),
    "check": ("check:check", "Try every connection and right of a cluster.json; change nothing."),
    "query": ("query:query", "Which schemas, which columns does a topic have?"),
    "topics": ("listings:topics", "List the topics of the dictionary."),
    "schemas": ("listings:schemas", "List the subjects and their versions."),
    "scans": ("listings:scans", "List the scans, or what one of them asked and could not get."),
    "diff": ("diff:diff", "What changed between two scans, and does it break readers?"),
    "dataflow": ("dataflow:dataflow", "Generate the data flow graph of what the dictionary holds."),
    "explain": ("explain:explain", "Why: what our readers make of one file or name, without a dictionary."),
    "manual-input": ("manual:manual_input", "Check, describe and exemplify manual-input files."),
    "dictionary": ("dictionary:dictionary", "Export the dictionary, or show what it is."),
    "config": ("config:config", "The JSON Schema of cluster.json, and what a file says."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called, so that `scanner --help` stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the commands in the order in which people need them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command *cmd_name*; None where there is none."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(f"scanner_cli.commands.{module}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown one is answered with the nearest."""
        from scanner_model.places import nearest

        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            hint = nearest(args[0], list(COMMANDS)) or "see `scanner --help`"
            raise click.UsageError(f"there is no command {args[0]!r}: {hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="scanner", message="scanner %(version)s")
@click.option("--verbose", is_flag=True, help="Say on stderr what is asked, and show where a defect of scanner's is.")
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
        logging.basicConfig(level=logging.DEBUG, stream=sys.stderr, format="%(name)s: %(message)s")


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and give its exit status; errors of ours are told on stderr, never as a traceback."""
    try:
        result = cli.main(args=arguments, prog_name="scanner", standalone_mode=False)
        return int(result) if isinstance(result, int) else Exit.DONE
    except ScannerError as error:
        tell(error)
        return exit_status(error)
    except click.ClickException as error:
        error.show(sys.stderr)
        return Exit.INPUT_INVALID
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted: nothing of this was stored; the dictionary is as it was", err=True)
        return Exit.FAILED
    except BrokenPipeError:
        # The reader of a pipe (`| head`) has seen enough; Python would complain again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.DONE
    except OSError as error:
        tell(ScannerError(f"{error.strerror or error}", where=str(error.filename or "")))
        return Exit.FAILED


def main() -> NoReturn:
    """Run the command line of this process."""
    status = run()
    sys.stdout.flush()
    sys.stderr.flush()
    # Threads that still wait for a server must not keep a finished or interrupted program alive.
    os._exit(status)


def exit_status(error: ScannerError) -> Exit:
    """Give the exit status that *error* ends the program with."""
    match error:
        case InputInvalid():
            return Exit.INPUT_INVALID
        case NameUnknown():
            return Exit.UNKNOWN
        case _:
            return Exit.FAILED


def tell(error: ScannerError) -> None:
    """Say on stderr what is wrong, where, and what next: a line for each problem."""
    problems = getattr(error, "problems", ())
    if problems:
        click.echo(f"error: {error.what}", err=True)
        for problem in problems:
            click.echo(f"  {problem}", err=True)
    else:
        click.echo(f"error: {error}", err=True)
