"""Texts that made a reader's pattern take time that grows with the square: 400,000 characters took minutes to hours.

Each call returns soon or never: there is no clock in these tests.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dataflow_generator.connectors.dataset_names import without_users
from dataflow_generator.connectors.jdbc_urls import jdbc_server
from dataflow_generator.jobs.streams_topology import read_topology
from dataflow_generator.sql.lexer import Dialect, tokenize
from dataflow_generator.sql.relational.parsing import rewritten
from scanner_check.edits.documents import _without_template
from scanner_check.edits.libraries import _libraries
from scanner_extractor.repository.embedded_schemas import _texts
from scanner_extractor.repository.embedded_sql import _STATEMENT, _uses_others
from scanner_extractor.repository.globs import glob_expression
from scanner_extractor.repository.statements import SqlStatement, connector_of
from scanner_extractor.repository.topic_files.persister import _columns
from scanner_extractor.systems.clickhouse.engines import _tokens, target_table
from scanner_extractor.systems.databases.inspection import _COMMENT
from scanner_extractor.systems.databases.reader import type_parts
from scanner_model.redaction.statements import mask_statement

SIZE = 400_000


def _repeated(text: str) -> str:
    return text * (SIZE // len(text))


def _ksql(options: str) -> SqlStatement:
    text = f"CREATE SOURCE CONNECTOR a WITH ({options})"
    return SqlStatement(text, text, 1)


TEXTS: dict[str, Callable[[], object]] = {
    "template": lambda: _without_template(_repeated("{{")),
    "comment of a template": lambda: _without_template(_repeated("{{/*")),
    "libraries": lambda: _libraries(_repeated("-a.")),
    "schema in code": lambda: list(_texts('"' + _repeated('\\\\"'.replace("\\\\", "\\")))),
    "statement in a document": lambda: _STATEMENT.match(_repeated("/**/") + "x"),
    "object in a document": lambda: _uses_others("CREATE " + _repeated("VIEW ")),
    "pattern of owners": lambda: glob_expression(_repeated("[")),
    "options of a connector": lambda: connector_of(_ksql("'" + _repeated("''"))),
    "columns of a query": lambda: _columns("UPDATE t SET " + _repeated("a"), None),
    "engine of ClickHouse": lambda: list(_tokens("'" + _repeated("\\'"))),
    "view of ClickHouse": lambda: target_table("CREATE MATERIALIZED VIEW " + _repeated("a"), "d"),
    "type with comments": lambda: _COMMENT.sub("", _repeated("/* ")),
    "type of a database": lambda: type_parts(_repeated(" ") + "COLLATE"),
    "users in addresses": lambda: without_users("a://" + _repeated("/")),
    "parameters of SQL Server": lambda: jdbc_server("jdbc:sqlserver://h;" + _repeated("a{=")),
    "topology": lambda: read_topology("Topology:" + _repeated(" ") + "x"),
    "node of a topology": lambda: read_topology("Source: a" + _repeated(" ") + "x"),
    "variables of a statement": lambda: tokenize(_repeated("${"), Dialect.FLINK),
    "operators of a query": lambda: rewritten(_repeated("## ")),
    "strings of a query": lambda: rewritten(_repeated("E'\\'")),
    "strings to be masked": lambda: mask_statement("'\\''" + '"' + _repeated('\\"')),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_hostile_text_is_read_in_linear_time(name: str) -> None:
    TEXTS[name]()
