"""Read all lineage of a Unity metastore from Databricks' system tables, through the SQL statements API."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_extractor.catalogs.collector import CatalogCollector, Endpoint, Name
from scanner_extractor.catalogs.json_fields import items, location_name, member, objects, text
from scanner_extractor.http.messages import Json
from scanner_extractor.http.pagination import MOST_PAGES
from scanner_extractor.http.rate_limit import Clock
from scanner_extractor.settings.catalogs import Lineage
from scanner_model.column_path import field_segment
from scanner_model.errors import PayloadUnexpected, ScannerError, SourceRefused, SourceUnreachable

_API = ("api", "2.0", "sql", "statements")
_ENDS = ("source_table_full_name", "source_path", "target_table_full_name", "target_path")
_COLUMNS = ("source_column_name", "target_column_name")
_PROCESS = ("entity_type", "entity_id")
_WAITING = frozenset({"PENDING", "RUNNING"})
_POLLS = 600
_PAUSE = 2.0
"""Seconds between polls of a running statement."""

Row = dict[str, str]


def system_lineage(collector: CatalogCollector, namespace: str, clock: Clock) -> None:
    """Keep the flows of `system.access` that begin or end at a table that was read.

    Columns are queried where the settings request them. Failures are problems, and known flows are retained.
    """
    _ask(collector, namespace, clock, "table_lineage", ())
    if collector.settings.lineage is Lineage.COLUMNS:
        _ask(collector, namespace, clock, "column_lineage", _COLUMNS)


def _ask(collector: CatalogCollector, namespace: str, clock: Clock, table: str, columns: tuple[str, ...]) -> None:
    members = (*_ENDS, *columns, *_PROCESS)
    statement = (
        f"SELECT DISTINCT {', '.join(members)} FROM system.access.{table} "  # noqa: S608  of constants
        "WHERE event_date >= date_sub(current_date(), :days)"
    )
    try:
        for row in _rows(collector, clock, statement, members):
            _keep(collector, namespace, row)
    except ScannerError as error:
        collector.without_lineage += 1
        collector.report_problem(f"system.access.{table}", "it could not be read", error)


def _keep(collector: CatalogCollector, namespace: str, row: Row) -> None:
    origin, target = (_name(row, end, namespace) for end in ("source", "target"))
    if not origin or not target or not {origin, target} & collector.tables.keys():
        return
    process = " ".join(part.lower() if name == "entity_type" else part for name in _PROCESS if (part := row[name]))
    paths = [(field_segment(row[name]),) if row.get(name) else None for name in _COLUMNS]
    if all(paths) or not any(paths):
        collector.link(Endpoint(origin, paths[0]), Endpoint(target, paths[1]), process)


def _name(row: Row, end: str, namespace: str) -> Name | None:
    table = row[f"{end}_table_full_name"]
    return (namespace, table) if table else location_name(row[f"{end}_path"])


def _rows(collector: CatalogCollector, clock: Clock, statement: str, members: tuple[str, ...]) -> Iterator[Row]:
    days = {"name": "days", "value": str(collector.settings.lineage_days), "type": "INT"}
    body = {
        "statement": statement,
        "warehouse_id": collector.settings.warehouse,
        "parameters": [days],
        "wait_timeout": "30s",
        "on_wait_timeout": "CONTINUE",
        "disposition": "INLINE",
        "format": "JSON_ARRAY",
    }
    answer = _finished(collector, clock, collector.http.post(*_API, body=body))
    names = [text(column, "name") for column in objects(member(member(answer, "manifest"), "schema"), "columns")]
    chunk = member(answer, "result")
    for _ in range(MOST_PAGES):
        for cells in items(chunk, "data_array"):
            values = dict(zip(names, cells if isinstance(cells, list) else (), strict=False))
            yield {name: str(values.get(name) or "") for name in members}
        following = member(chunk, "next_chunk_index")
        if not isinstance(following, int):
            return
        collector.progress(collector.settings.source, len(collector.tables), None)
        chunk = collector.http.get(*_API, text(answer, "statement_id"), "result", "chunks", following)
        if member(chunk, "chunk_index") not in (None, following):
            raise PayloadUnexpected("the response is not the requested part of the result")
    raise PayloadUnexpected("the result has no end")


def _finished(collector: CatalogCollector, clock: Clock, answer: Json) -> Json:
    """Wait for the statement; raises SourceRefused where it failed, as nearly always for rights that are missing."""
    for _ in range(_POLLS):
        status = member(answer, "status")
        state = text(status, "state")
        if state == "SUCCEEDED":
            return answer
        if state not in _WAITING:
            what = text(member(status, "error"), "message") or f"the statement is {state or 'in no state'}"
            raise SourceRefused(what, hint="grant SELECT on system.access, and USE on the warehouse")
        clock.pause(_PAUSE)
        collector.progress(collector.settings.source, len(collector.tables), None)
        answer = collector.http.get(*_API, text(answer, "statement_id"))
    raise SourceUnreachable("the statement does not finish", hint="is the SQL warehouse running?")
