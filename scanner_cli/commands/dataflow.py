"""`scanner dataflow`: generate the graph, into the dictionary and as files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from dataflow_generator.render import OUTPUTS
from scanner_cli.console import echo, echo_err
from scanner_cli.graph.engines import Engines, Generation, SparkChoice, spark_options
from scanner_cli.graph.jdbc_options import jdbc_options, spark_for
from scanner_cli.options import dictionary_option, directory_option, lock_timeout_option, reading, writable
from scanner_cli.output.files import check_directory, check_file, write_text
from scanner_cli.output.progress import steps_on
from scanner_cli.output.render import json_text
from scanner_model.errors import InputInvalid
from scanner_model.text import visible

if TYPE_CHECKING:
    from dataflow_generator.parquet.manifest import Written
    from dataflow_generator.spark.jdbc import JdbcTarget
    from scanner_dictionary.graph.store import StoredGraph


_spark_options = partial(spark_options, text="Where to generate; auto goes by the number of columns.")


@click.command()
@dictionary_option
@lock_timeout_option
@_spark_options
@directory_option("--output", "Write files into this directory, too.", "-o")
@click.option(
    "--format",
    "formats",
    multiple=True,
    default=("json", "dot"),
    show_default=True,
    metavar="|".join((*OUTPUTS, "parquet")),
    help="Which files; repeatable. parquet is a directory of tables for any size of graph.",
)
@click.option(
    "--store/--no-store",
    default=None,
    help="Into the dictionary, too; the default unless parquet or another database is asked for.",
)
@click.option("--report", type=click.Path(path_type=Path), metavar="FILE", help="Write the report as JSON too.")
@jdbc_options
@directory_option(
    "--snapshot", "Read this Parquet export of a dictionary instead; it is on every machine of the cluster."
)
def dataflow(
    url: str,
    patience: float,
    spark: SparkChoice,
    output: Path | None,
    formats: Sequence[str],
    store: bool | None,
    report: Path | None,
    snapshot: Path | None,
    jdbc: JdbcTarget | None,
) -> None:
    """Generate the data flow graph of what the dictionary holds.

    The graph replaces the one generated before. Every engine gives the same bytes; in Parquet, the same rows. How many
    statements were read, what of them was not understood, and what in the graph looks odd (topics that nobody uses,
    jobs without an end, circles, columns that no schema has) is told on stderr. The files' names are the answer on
    stdout.

    \b
    Examples:
      scanner dataflow
      scanner dataflow --output flow
      scanner dataflow --report report.json
      scanner dataflow --engine spark --spark-conf spark.driver.memory=2g --format parquet --output flow
      scanner dataflow --jdbc-url jdbc:postgresql://db/lineage --spark-conf spark.jars=postgresql-42.7.4.jar
    """
    from dataflow_generator.parquet.manifest import NAME

    engines = Engines(url, snapshot, spark_for(jdbc, spark))
    names, directory = _formats(formats), check_directory(output, "--output") if output else None
    file = check_file(report, "--report") if report else None
    _check_parquet(names, directory)
    rows = [name for name in names if name != "parquet"] if directory else []
    store = "parquet" not in names and snapshot is None and jdbc is None if store is None else store
    if file and not store:
        raise InputInvalid("the report is of a stored graph", where="--report", hint="add --store")
    chosen = engines.choose()
    files = directory / NAME if directory and "parquet" in names else None
    if not (files or store or rows or jdbc):
        return
    # Nothing is said while bars move: it would stand among them.
    with steps_on(sys.stderr) as told, engines.started(chosen, told, light=not (store or rows or jdbc)) as generation:
        tables = _write_tables(generation, files, jdbc)
        stored = generation.store(writable(url, patience, create=False)) if store else None
        written = _write_rows(generation, url if store else None, directory, rows)
    for table in tables:
        _tell(table.written, chosen, table.rest)
        echo(visible(table.place))
    for path in written:
        echo(visible(str(path)))
    if stored:
        _report(stored, chosen, url, file)


class _Table(NamedTuple):
    """What was written where, and where all that is told of it stands."""

    written: Written
    place: str
    rest: str


def _check_parquet(names: Sequence[str], directory: Path | None) -> None:
    if "parquet" in names and directory is None:
        raise InputInvalid("Parquet is written into a directory", where="--format parquet", hint="add --output DIR")


def _write_tables(generation: Generation, files: Path | None, jdbc: JdbcTarget | None) -> list[_Table]:
    found: list[_Table] = []
    if files:
        found.append(_Table(generation.parquet(files), str(files), "_about.json there"))
    if jdbc and generation.database:
        found.append(_Table(generation.database(jdbc), jdbc.masked_url, "graph_about there"))
    return found


def _write_rows(
    generation: Generation, stored: str | None, directory: Path | None, names: Sequence[str]
) -> tuple[Path, ...]:
    """Write files of the graph: of the one *stored* in a dictionary, where it is, so that it is not made twice."""
    from dataflow_generator.query.stored_graph import whole_graph
    from dataflow_generator.render.files import write_files
    from scanner_dictionary.graph.store import stored_graph

    if not (names and directory):
        return ()
    if stored:
        with reading(stored) as conn:
            about = stored_graph(conn)
            return write_files(whole_graph(conn, about), directory, names) if about else ()
    with generation.graph() as graph:
        return write_files(graph, directory, names)


def _report(stored: StoredGraph, engine: str, url: str, file: Path | None) -> None:
    """Return how much was read for the stored graph, and what in it looks odd; into *file*, too."""
    from dataflow_generator.analysis.findings import stored_findings
    from dataflow_generator.query.stored_graph import coverage_of
    from scanner_cli.output.graph_report import GraphReport, graph_document, graph_text

    with reading(url) as conn:
        found = stored_findings(conn)
    size = {"nodes": stored.nodes, "edges": stored.edges}
    report = GraphReport(engine=engine, coverage=coverage_of(stored), findings=found, **size)
    echo_err(graph_text(report).removesuffix("\n"), lines=True)
    if file:
        write_text(file, json_text(graph_document(report)) + "\n")


def _tell(written: Written, engine: str, rest: str) -> None:
    from scanner_cli.output.graph_report import coverage_lines

    for line in coverage_lines(written.coverage, rest):
        echo_err(line)
    echo_err(f"{written.about.nodes} nodes and {written.about.edges} edges generated by {engine}")


def _formats(names: Sequence[str]) -> tuple[str, ...]:
    from scanner_model.documents.json_positions import closest_match

    known = [*OUTPUTS, "parquet"]
    for name in names:
        if name not in known:
            hint = closest_match(name, known) or f"one of {', '.join(known)}"
            raise InputInvalid(f"{name!r} is not known", where="scanner dataflow --format", hint=hint)
    return tuple(dict.fromkeys(names))
