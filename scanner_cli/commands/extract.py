"""`scanner extract`: scan the sources of each cluster.json, one transaction a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from scanner_cli.main import Exit
from scanner_cli.options import config_option, dictionary_option
from scanner_cli.progress import progress_on
from scanner_cli.report import ScanReport, report_document, report_text
from scanner_cli.scanning import Wanted, load, scan_cluster
from scanner_cli.show import json_text
from scanner_model.errors import InputInvalid


@click.command()
@config_option
@dictionary_option
@click.option(
    "--only",
    multiple=True,
    metavar="SOURCE,…",
    help="Ask only these: kafka, ksqldb, schema_registry, or a source's id.",
)
@click.option("--skip", multiple=True, metavar="SOURCE,…", help="Do not ask these.")
@click.option(
    "--capture",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keep the raw answers in a new directory, secrets removed.",
)
@click.option(
    "--replay",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Scan from a capture, without a network.",
)
@click.option(
    "--report", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write the report as JSON too."
)
@click.option("--quiet", is_flag=True, help="No progress and no report; errors only.")
def extract(
    files: Sequence[str],
    url: str,
    only: Sequence[str],
    skip: Sequence[str],
    capture: Path | None,
    replay: Path | None,
    report: Path | None,
    quiet: bool,
) -> int:
    """Scan the sources of a cluster.json into the dictionary.

    Each cluster is stored in one transaction: until it commits, and after any failure, the dictionary holds the last
    scan. A source that does not answer leaves its earlier facts, marked stale.

    \b
    Examples:
      scanner extract --config cluster.json
      scanner extract --config eu.json --config us.json --dictionary postgresql://scanner@db/dictionary
      scanner extract --config cluster.json --only schema_registry
      scanner extract --config cluster.json --capture support-case
    """
    if capture and replay:
        raise InputInvalid("a replay is a capture already", where="--capture --replay", hint="use one of them")
    clusters = load(files)
    wanted = Wanted(url=url, only=_listed(only), skip=_listed(skip), capture=capture, replay=replay)
    reports: list[ScanReport] = []
    for cluster in clusters:
        with progress_on(quiet=quiet) as progress:
            reports.append(scan_cluster(cluster, wanted, progress, several=len(clusters) > 1))
        if not quiet:
            click.echo(report_text(reports[-1]), err=True, nl=False)
    if report:
        report.write_text(json_text([report_document(one) for one in reports]) + "\n", encoding="utf-8")
    return max(_status(one) for one in reports)


def _listed(options: Sequence[str]) -> frozenset[str]:
    return frozenset(name.strip() for option in options for name in option.split(",") if name.strip())


def _status(report: ScanReport) -> Exit:
    if not report.stored:
        return Exit.FAILED
    return Exit.PARTIAL if report.is_partial else Exit.DONE
