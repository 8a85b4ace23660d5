"""What the dictionary is: its revision and size, and how much of each thing it holds now."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, Table, func, select, text

from scanner_dictionary import tables as t
from scanner_dictionary.opening import REVISION

_SIZES = {
    "sqlite": "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
    "postgresql": "SELECT pg_database_size(current_database())",
}
_COUNTED: tuple[tuple[str, Table], ...] = (
    ("topics", t.topic),
    ("subjects", t.subject),
    ("versions", t.subject_version),
    ("schemas", t.schema_definition),
    ("columns", t.schema_column),
    ("consumer groups", t.consumer_group),
    ("collections", t.ksql_source),
    ("queries", t.ksql_query),
    ("connectors", t.connector),
    ("manual flows", t.manual_flow),
    ("lineage jobs", t.tables_openlineage.lineage_job),
    ("lineage datasets", t.tables_openlineage.lineage_dataset),
    ("graph nodes", t.flow_node),
    ("graph edges", t.flow_edge),
)


class Overview(NamedTuple):
    """The revision of the tables, the size in *bytes*, and (what, how many) pairs in a fixed order."""

    revision: str
    bytes: int
    counts: tuple[tuple[str, int], ...]


def overview(conn: Connection) -> Overview:
    """Count what is there now; what is gone is left out, and schemas and columns count that any topic ever had."""
    size = conn.execute(text(_SIZES[conn.dialect.name])).scalar_one()
    return Overview(REVISION, int(size), tuple((what, _count(conn, table)) for what, table in _COUNTED))


def _count(conn: Connection, table: Table) -> int:
    query = select(func.count()).select_from(table)
    query = query.where(table.c.gone.is_(None)) if "gone" in table.c else query
    return conn.execute(query).scalar_one()
