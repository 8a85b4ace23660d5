"""`scanner explain sql`: what statements of ksqlDB or Flink read and write, down to columns."""

from __future__ import annotations

from collections.abc import Sequence

import click

from dataflow_generator.sql import StatementFlows
from scanner_api.parsing import parse_sql
from scanner_cli.console import echo_err
from scanner_cli.exit_codes import Exit
from scanner_cli.input_files import read_text
from scanner_cli.options import one_of
from scanner_cli.output.render import Format, format_option, show
from scanner_cli.output.sql import SHOWN, sql_document, sql_rows

_DIALECTS = ("ksqldb", "flink")


@click.command()
@click.argument("file", metavar="FILE")
@one_of("--dialect", "named", words=_DIALECTS, text="The SQL dialect; by default detected from the text.")
@click.option("--catalog", metavar="FILE", help="Tables that are known in addition to the DDL in FILE, as SQL or JSON.")
@format_option()
def sql(file: str, named: str | None, catalog: str | None, style: str) -> int:
    """Show what each statement of a SQL file reads and writes, down to columns (`-` for standard input).

    \b
    Examples:
      scanner explain sql pipeline.sql
      scanner explain sql queries.ksql --dialect ksqldb --format json
      scanner explain sql insert.sql --catalog tables.sql
      scanner explain sql insert.sql --catalog tables.json

    \b
    Exit status: 0 also where a part could not be parsed, which is reported as a problem;
    2 no statement could be parsed, or a file cannot be opened.
    """
    tables = read_text(catalog, "catalog") if catalog else None
    statements = parse_sql(read_text(file, "SQL"), named, catalog=tables, catalog_file=catalog or "")
    show(list(sql_rows(statements)), SHOWN, style, document=[sql_document(statement) for statement in statements])
    for statement in statements if style != Format.JSON else ():
        for problem in (*statement.problems, *statement.unresolved):
            echo_err(f"warning: {file}:{problem}")
    return _status(statements)


def _status(statements: Sequence[StatementFlows]) -> Exit:
    unparsed = [each for each in statements if each.problems and not each.sources and not each.sinks]
    return Exit.INPUT_INVALID if statements and len(unparsed) == len(statements) else Exit.DONE
