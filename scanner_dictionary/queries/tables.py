"""The list of tables outside Kafka: those of catalogs and databases, and topics that are kept as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row

from scanner_dictionary.queries.columns import column_fact
from scanner_dictionary.queries.facts import children_of, fact_of, fact_state, newest_scans, stored_rows
from scanner_dictionary.queries.topics import name_filter
from scanner_dictionary.schema import tables as t
from scanner_model.catalogs import CatalogTable
from scanner_model.names import SourceId

_SERVICE = "tableflow"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLine(CatalogTable):
    """A table as last reported; *topic* is the topic that it materializes, empty for a catalog's own.

    *provider* is the kind of catalog; *state* and *write_mode* are those of a materialized topic, else empty. A
    catalog may list a table of a materialized topic, too: then both are lines. *stale*: its source could not be read
    since.
    """

    cluster: str
    stale: bool
    gone: bool
    topic: str = ""
    state: str = ""
    write_mode: str = ""
    detail: str = ""


def tables(
    conn: Connection,
    *,
    cluster: str | None = None,
    provider: str | None = None,
    pattern: str | None = None,
    include_gone: bool = False,
) -> Iterator[TableLine]:
    """List tables by cluster, provider, namespace, name and topic; *pattern* is a glob, or a part of the name."""
    newest, columns = newest_scans(conn), children_of(conn, t.catalog_column, column_fact)
    of_catalogs, of_topics = (
        conn.execute(stored_rows(table, cluster, include_gone=include_gone))
        for table in (t.catalog_table, t.materialization)
    )
    lines = [
        *(fact_of(TableLine, row, columns=columns.get(row.id, ()), **fact_state(row, newest)) for row in of_catalogs),
        *(_materialization(row, newest) for row in of_topics),
    ]
    fits = name_filter(pattern)
    matching = (line for line in lines if provider in (None, line.provider) and (fits(line.name) or fits(line.topic)))
    return iter(sorted(matching, key=_line_order))


def _line_order(line: TableLine) -> tuple[str, ...]:
    return line.cluster, line.provider, line.namespace, line.name, line.topic, line.table_format, line.source


def _materialization(row: Row[Any], newest: Mapping[int, int]) -> TableLine:
    return TableLine(
        source=SourceId(row.source_name),
        provider=row.catalog_kind.lower() or _SERVICE,
        namespace=row.namespace,
        name=row.name,
        topic=row.topic,
        kind=row.storage,
        table_format=row.table_format.lower(),
        state="SUSPENDED" if row.suspended else row.state,
        write_mode=row.write_mode,
        location=row.location,
        detail=row.detail,
        **fact_state(row, newest),
    )
