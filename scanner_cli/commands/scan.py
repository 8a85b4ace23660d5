"""`scanner scan`: scan the sources of each cluster.json, one transaction a cluster, and generate the data flow."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scanner_cli import library
from scanner_cli.command import command, section
from scanner_cli.console import echo_err
from scanner_cli.options import (
    cluster_files,
    dictionary_option,
    directory_option,
    lock_timeout_option,
    one_of,
    optional_config_option,
    repository_options,
)
from scanner_cli.output.graph import graph_summary
from scanner_cli.output.progress import progress_on, steps_on
from scanner_cli.output.render import json_text
from scanner_cli.output.scan_report import loss_text, report_document, report_text, scan_status
from scanner_cli.spark_options import spark_options
from scanner_cli.usage_errors import Exit, combined_status

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary
    from scanner_api.scanning.clusters import ScanReport
    from scanner_api.spark import SparkChoice

_spark_options = partial(spark_options, text="Where the texts of schemas are parsed; auto decides by their number.")


@command()
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=click.Path(path_type=Path))
@optional_config_option
@repository_options
@click.option("--open", "opens", is_flag=True, help="Then serve the page and open it in the browser.")
@section(
    "What is read",
    click.option(
        "--only",
        multiple=True,
        metavar="SOURCE,…",
        help="Read only these: a kind (kafka, connect, flink, schema_registry, …) or a source's id; repeatable.",
    ),
    click.option("--skip", multiple=True, metavar="SOURCE,…", help="Do not read these; their earlier facts stay."),
    one_of(
        "--mode",
        words=("full", "extract", "enrich"),
        text="extract: without table catalogs and metrics; enrich: only these, added to the last scan.",
        default="full",
        show_default=True,
    ),
    directory_option("--capture", "Record the raw responses in a new directory, secrets removed."),
    directory_option("--replay", "Scan from a capture, without a network."),
)
@section(
    "How it runs",
    click.option("--graph/--no-graph", default=True, help="Generate the data flow graph, too (the default)."),
    click.option(
        "--workers",
        type=click.IntRange(min=1, max=64),
        default=4,
        show_default=True,
        metavar="N",
        help="How many clusters to read in parallel; they are stored one after the other.",
    ),
    _spark_options,
)
@dictionary_option
@lock_timeout_option
@click.option("--report", type=click.Path(path_type=Path), metavar="FILE", help="Write the report as JSON, too.")
@click.option("--quiet", is_flag=True, help="No progress and no report; only what could not be read.")
def scan_command(
    paths: Sequence[Path],
    files: Sequence[str],
    directories: Sequence[Path],
    variables: Mapping[str, str],
    dictionary: Dictionary,
    only: Sequence[str],
    skip: Sequence[str],
    mode: str,
    workers: int,
    capture: Path | None,
    replay: Path | None,
    report: Path | None,
    quiet: bool,
    graph: bool,
    opens: bool,
    spark: SparkChoice,
) -> int:
    """Scan a repository, or the sources of a cluster.json, and generate the data flow.

    If PATH is a directory, scanner reads its files and contacts no server: it finds schemas, statements, connectors,
    topics and programs by content. Several directories are scanned as one installation. If PATH is a file, it is a
    cluster.json. Without PATH, scanner reads cluster.json of the current directory.

    Each cluster is stored in one transaction: until it commits, and after any failure, the dictionary holds the last
    scan. The earlier facts of a source that does not respond stay, marked stale. While another scan is being stored
    in the same dictionary, this one waits for it.

    \b
    Examples:
      scanner scan .
      scanner scan . --open
      scanner scan --config cluster.json
      scanner scan --config eu.json --config us.json --dictionary postgresql://scanner@db/dictionary
      scanner scan --config cluster.json --mode enrich
      scanner scan --config cluster.json --capture support-case
      scanner scan --config cluster.json --replay support-case --dictionary copy.db

    \b
    Exit status: 0 every source was read; 1 none was, nothing is stored; 2 a file or an option
    is invalid, nothing was requested; 3 some source was not (fully) read, the rest is stored.
    """
    files, directories = _inputs(paths, files, directories)
    reports: list[ScanReport] = []

    def add(result: ScanReport) -> None:
        reports.append(result)
        _print(result, quiet=quiet)

    with _report_file(report, reports), progress_on(sys.stderr, quiet=quiet) as progress:
        library.scan(
            files,
            dictionary,
            directories=directories,
            variables=variables,
            only=only,
            skip=skip,
            mode=mode,
            workers=workers,
            capture=capture,
            replay=replay,
            spark=spark,
            progress=progress,
            notify=echo_err,
            on_report=add,
        )
    if graph and any(result.stored for result in reports):
        _generate(dictionary, quiet=quiet)
    status = combined_status([scan_status(result) for result in reports])
    if opens and status in (Exit.DONE, Exit.PARTIAL):
        _serve(dictionary)
    elif graph and not quiet and status is Exit.DONE and sys.stderr.isatty():
        echo_err(_NEXT.format(dictionary.shown), lines=True)
    return status


_NEXT = """
Stored in {}; `scanner check` skips that file.

Next:
  scanner serve            open the page
  scanner search NAME      find a topic, column, table or job
  scanner impact NAME      what breaks if it changes, and whom to ask"""


def _inputs(
    paths: Sequence[Path], files: Sequence[str], directories: Sequence[Path]
) -> tuple[Sequence[str], Sequence[Path]]:
    """Return the cluster.json files and the directories to scan; raises InputInvalid if none is named or found."""
    files = [*files, *(str(path) for path in paths if path.is_file())]
    directories = [*directories, *(path for path in paths if not path.is_file())]
    return (files, directories) if files or directories else (cluster_files((), "scanner scan"), [])


def _generate(dictionary: Dictionary, *, quiet: bool) -> None:
    with steps_on(sys.stderr) as progress:
        result = library.generate(dictionary, store=True, progress=progress, notify=echo_err)
    if result.stored and not quiet:
        echo_err(graph_summary(result.stored))


def _serve(dictionary: Dictionary) -> None:
    context = click.get_current_context()
    serve = context.find_root().command.get_command(context, "serve")  # type: ignore[attr-defined]
    context.invoke(serve, url=dictionary.url, opens=True)


def _print(report: ScanReport, *, quiet: bool) -> None:
    text = loss_text(report) if quiet else report_text(report)
    if text:
        echo_err(text.removesuffix("\n"), lines=True)


@contextmanager
def _report_file(file: Path | None, reports: Sequence[ScanReport]) -> Iterator[None]:
    """Write *reports* into *file* at the end, also if an error in a later cluster ends the program."""
    if file:
        library.check_file(file, "--report")
    try:
        yield
    finally:
        if file and reports:
            library.write_text(file, json_text([report_document(result) for result in reports]) + "\n")
