"""`scanner extract`: scan the sources of each cluster.json, one transaction a cluster."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scanner_cli import library
from scanner_cli.console import echo_err
from scanner_cli.options import (
    dictionary_option,
    directory_option,
    lock_timeout_option,
    one_of,
    optional_config_option,
    repository_options,
)
from scanner_cli.output.progress import progress_on
from scanner_cli.output.render import json_text
from scanner_cli.output.scan_report import loss_text, report_document, report_text, scan_status
from scanner_cli.spark_options import spark_options
from scanner_cli.usage_errors import combined_status

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary
    from scanner_api.scanning.clusters import ScanReport
    from scanner_api.spark import SparkChoice

_spark_options = partial(spark_options, text="Where the texts of schemas are parsed; auto decides by their number.")


@click.command()
@optional_config_option
@repository_options
@dictionary_option
@lock_timeout_option
@click.option(
    "--only",
    multiple=True,
    metavar="SOURCE,…",
    help="Read only these: a kind (kafka, connect, flink, schema_registry, …) or a source's id; repeatable.",
)
@click.option("--skip", multiple=True, metavar="SOURCE,…", help="Do not read these; their earlier facts stay.")
@one_of(
    "--mode",
    words=("full", "extract", "enrich"),
    text="extract: without table catalogs and metrics; enrich: only these, added to the last scan.",
    default="full",
    show_default=True,
)
@click.option(
    "--workers",
    type=click.IntRange(min=1, max=64),
    default=4,
    show_default=True,
    metavar="N",
    help="How many clusters are read at once; they are stored one after the other.",
)
@directory_option("--capture", "Record the raw responses in a new directory, secrets removed.")
@directory_option("--replay", "Scan from a capture, without a network.")
@click.option("--report", type=click.Path(path_type=Path), metavar="FILE", help="Write the report as JSON too.")
@click.option("--quiet", is_flag=True, help="No progress and no report; only what could not be read.")
@_spark_options
def extract(
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
    spark: SparkChoice,
) -> int:
    """Scan the sources of a cluster.json, or the files of a repository, into the dictionary.

    With --from no server is read: schemas, statements, connectors and topics are found in the files of a directory by
    content. Several directories are one whole.

    Each cluster is stored in one transaction: until it commits, and after any failure, the dictionary holds the last
    scan. The earlier facts of a source that does not respond stay, marked stale. While another scan is being stored
    in the same dictionary, this one waits for it.

    \b
    Examples:
      scanner extract --from . --dictionary repository.db
      scanner extract --config cluster.json
      scanner extract --config eu.json --config us.json --dictionary postgresql://scanner@db/dictionary
      scanner extract --config cluster.json --mode enrich
      scanner extract --config cluster.json --capture support-case
      scanner extract --config cluster.json --replay support-case --dictionary copy.db
      scanner extract --config cluster.json --replay everything --engine spark --spark-conf spark.driver.memory=2g

    \b
    Exit status: 0 every source was read; 1 none was, nothing is stored; 2 a file or an option
    is invalid, nothing was requested; 3 some source was not (fully) read, the rest is stored.
    """
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
    return combined_status([scan_status(result) for result in reports])


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
