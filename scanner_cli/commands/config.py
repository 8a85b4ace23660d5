"""`scanner config`: JSON Schemas and examples of the files that users write, and their validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import click

from scanner_cli import library
from scanner_cli.console import echo
from scanner_cli.example import example_directory
from scanner_cli.lazy_group import Group
from scanner_cli.options import one_of
from scanner_cli.output.render import Format, format_option, json_text, table_text
from scanner_cli.usage_errors import Exit
from scanner_model.text import visible, visible_json

CLUSTER, MANUAL, SETTINGS = "cluster.json", "manual-input", ".scanner.yaml"
_SUMMARY = ("cluster", "files", "brokers", "topics", "schemas", "assignments", "flows", "owners")


@click.group(cls=Group)
def config() -> None:
    """Print the schema or an example of a file that you write, or validate it.

    These are cluster.json (the sources of a cluster), manual input (what no server knows), and .scanner.yaml (the
    settings of `scanner check` for a repository).

    \b
    Examples:
      scanner config schema > cluster.schema.json
      scanner config validate cluster.json manual/
    """


@config.command()
@one_of("--of", "file", words=(CLUSTER, MANUAL, SETTINGS), text="The file.", default=CLUSTER, show_default=True)
def schema(file: str) -> None:
    """Print the JSON Schema of a file, with which editors complete and check it.

    \b
    Examples:
      scanner config schema > cluster.schema.json
      # and in cluster.json: "$schema": "cluster.schema.json"
      scanner config schema --of .scanner.yaml > scanner.schema.json
      scanner config schema --of manual-input > manual.schema.json
    """
    schemas = {CLUSTER: library.cluster_schema, MANUAL: library.manual_input_schema}
    click.echo(visible_json(schemas[file]() if file in schemas else library.SETTINGS_SCHEMA))


@config.command()
@one_of("--of", "file", words=(CLUSTER, MANUAL), text="The file.", default=CLUSTER, show_default=True)
def example(file: str) -> None:
    """Print an example of a file: the cluster.json of `scanner demo`, or all parts of manual input.

    \b
    Examples:
      scanner config example
      scanner config example --of manual-input > manual/legacy.json
    """
    cluster = example_directory() / CLUSTER
    click.echo(cluster.read_text("utf-8") if file == CLUSTER else library.manual_input_example(), nl=False)


@config.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE|DIRECTORY|GLOB…")
@format_option(Format.TABLE, Format.JSON)
def validate(files: Sequence[str], style: str) -> int:
    """List every problem in cluster.json and manual-input files, with file, line and column.

    Their members distinguish the two kinds. No server is contacted. A variable of cluster.json that is not set is
    a problem.

    \b
    Examples:
      scanner config validate cluster.json
      scanner config validate manual/*.json --format json

    Exit status 2: there is an error; warnings alone are not one.
    """
    clusters = [file for file in files if library.is_cluster_file(file)]
    if clusters:
        library.read_clusters(clusters)
        for file in clusters if style == Format.TABLE else ():
            echo(visible(f"{file}: valid"))
    others = [file for file in files if file not in clusters]
    return _manual_input(others, style) if others or style == Format.JSON else Exit.DONE


def _manual_input(files: Sequence[str], style: str) -> Exit:
    result = library.check_manual_input(files)
    if style == Format.JSON:
        rows = {
            "problems": [asdict(row) for row in result.rows],
            "clusters": [asdict(summary) for summary in result.summaries],
        }
        echo(json_text({"valid": result.valid} | rows))
    else:
        for row in result.rows:
            echo(visible(f"{row.severity}: {row.where}: {row.what}" + (f" ({row.hint})" if row.hint else "")))
        echo(table_text([asdict(summary) for summary in result.summaries], _SUMMARY), end="")
    return Exit.DONE if result.valid else Exit.INPUT_INVALID
