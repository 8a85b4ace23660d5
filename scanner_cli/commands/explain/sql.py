"""`scanner explain sql`: what statements of ksqlDB or Flink read, write and make of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from scanner_cli.console import echo_err
from scanner_cli.exit_codes import Exit
from scanner_cli.options import one_of
from scanner_cli.output.render import Format, format_option, show
from scanner_cli.output.sql import SHOWN, sql_document, sql_rows
from scanner_model.redaction import mask_statement

if TYPE_CHECKING:
    from dataflow_generator.sql import StatementFlows

_DIALECTS = ("ksqldb", "flink")


@click.command()
@click.argument("file", metavar="FILE")
@one_of("--dialect", "named", words=_DIALECTS, text="Whose SQL it is; told from the text if left out.")
@click.option("--catalog", metavar="FILE", help="Tables that are known beside the text's own DDL, as SQL or JSON.")
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
    Exit status: 0 also where a part could not be read, which is told as a problem;
    2 no statement could be read, or a file cannot be opened.
    """
    from dataflow_generator.sql import EMPTY_CATALOG, Dialect, guess_dialect, read_sql
    from dataflow_generator.sql.catalog_file import catalog_of
    from scanner_cli.input_files import schema_text

    text = mask_statement(schema_text(file, "SQL"))
    tables = schema_text(catalog, "catalog") if catalog else ""
    ddl = "" if tables.lstrip().startswith(("{", "[")) else mask_statement(tables)
    dialect = Dialect(named) if named else guess_dialect(f"{ddl}\n{text}")
    known = catalog_of(ddl or tables, dialect, catalog) if catalog else EMPTY_CATALOG
    found = read_sql(text, dialect, known)
    show(list(sql_rows(found)), SHOWN, style, document=[sql_document(one) for one in found])
    for one in found if style != Format.JSON else ():
        for problem in (*one.problems, *one.unresolved):
            echo_err(f"warning: {file}:{problem}")
    return _status(found)


def _status(found: Sequence[StatementFlows]) -> Exit:
    unread = [one for one in found if one.problems and not one.sources and not one.sinks]
    return Exit.INPUT_INVALID if found and len(unread) == len(found) else Exit.DONE
