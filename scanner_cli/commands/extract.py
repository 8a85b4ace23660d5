"""`scanner extract`: scan the sources of each cluster.json, one transaction a cluster."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scanner_cli.engines import SparkChoice, spark_options
from scanner_cli.exits import together
from scanner_cli.options import (
    config_option,
    dictionary_option,
    directory_option,
    lock_timeout_option,
    one_of,
    writable,
)
from scanner_cli.outputs import check_file, write_text
from scanner_cli.progress import progress_on
from scanner_cli.show import json_text
from scanner_cli.telling import say
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from scanner_cli.report import ScanReport


_spark_options = partial(spark_options, text="Where the texts of schemas are read; auto goes by their number.")


@click.command()
@config_option
@dictionary_option
@lock_timeout_option
@click.option(
    "--only",
    multiple=True,
    metavar="SOURCE,…",
    help="Ask only these: a kind (kafka, connect, flink, schema_registry, …) or a source's id; repeatable.",
)
@click.option("--skip", multiple=True, metavar="SOURCE,…", help="Do not ask these; what they told earlier stays.")
@one_of(
    "--mode",
    words=("full", "extract", "enrich"),
    text="extract: no catalogs of tables and no figures; enrich: only these, beside what the last scan stored.",
    default="full",
    show_default=True,
)
@click.option(
    "--workers",
    type=click.IntRange(min=1, max=64),
    default=4,
    show_default=True,
    metavar="N",
    help="How many clusters are asked side by side; each is stored in its turn.",
)
@directory_option("--capture", "Keep the raw answers in a new directory, secrets removed.")
@directory_option("--replay", "Scan from a capture, without a network.")
@click.option("--report", type=click.Path(path_type=Path), metavar="FILE", help="Write the report as JSON too.")
@click.option("--quiet", is_flag=True, help="No progress and no report; only what could not be read.")
@_spark_options
def extract(
    files: Sequence[str],
    url: str,
    patience: float,
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
    """Scan the sources of a cluster.json into the dictionary.

    Each cluster is stored in one transaction: until it commits, and after any failure, the dictionary holds the last
    scan. A source that does not answer leaves its earlier facts, marked stale. Where another scan is being stored in
    the same dictionary, this one waits for it.

    \b
    Examples:
      scanner extract --config cluster.json
      scanner extract --config eu.json --config us.json --dictionary postgresql://scanner@db/dictionary
      scanner extract --config cluster.json --mode enrich
      scanner extract --config cluster.json --capture support-case
      scanner extract --config cluster.json --replay support-case --dictionary copy.db
      scanner extract --config cluster.json --replay everything --engine spark --spark-conf spark.driver.memory=2g

    \b
    Exit status: 0 every source was read; 1 none was, nothing is stored; 2 a file or an option
    is invalid, nobody was asked; 3 some source was not (fully) read, the rest is stored.
    """
    from scanner_cli.clusters import chosen, load
    from scanner_cli.scanning import Wanted, accesses, scan_clusters
    from scanner_cli.schema_engines import schema_engine
    from scanner_extractor.phases import Mode

    _check(capture, replay)
    clusters = load(files, replayed=replay is not None)
    choice = replace(chosen(only, skip, [one.settings for one in clusters]), mode=Mode(mode))
    reports: list[ScanReport] = []
    with _written(report, reports):
        ways = accesses(clusters, capture, replay)
        engine = writable(url, patience)
        with schema_engine(spark) as read, progress_on(sys.stderr, quiet=quiet) as progress:
            wanted = Wanted(engine=engine, choice=choice, progress=progress, read=read)
            for one in scan_clusters(clusters, ways, wanted, workers=workers):
                reports.append(one)
                _tell(one, quiet=quiet)
    return together([one.status for one in reports])


def _check(capture: Path | None, replay: Path | None) -> None:
    if capture and replay:
        raise InputInvalid("a replay is a capture already", where="--capture --replay", hint="use one of them")


def _tell(report: ScanReport, *, quiet: bool) -> None:
    from scanner_cli.report import loss_text, report_text

    text = loss_text(report) if quiet else report_text(report)
    if text:
        say(text.removesuffix("\n"), lines=True)


@contextmanager
def _written(file: Path | None, reports: Sequence[ScanReport]) -> Iterator[None]:
    """Write the report of what was scanned, also where a later cluster ends the program."""
    from scanner_cli.report import report_document

    if file:
        check_file(file, "--report")
    try:
        yield
    finally:
        if file and reports:
            write_text(file, json_text([report_document(one) for one in reports]) + "\n")
