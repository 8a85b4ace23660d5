"""Convert the result of reading a database to a JSON document for captures, and back."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from scanner_extractor.http.messages import Json
from scanner_extractor.results import CatalogResult
from scanner_model.catalogs import CatalogTable, TableKey
from scanner_model.columns import Column
from scanner_model.errors import InputInvalid, Problem
from scanner_model.names import SourceId
from scanner_model.scan import SourceResult, SourceStatus

DOCUMENT = "database"
"""The name under which a capture holds it."""

_PLAIN = ("provider", "namespace", "name", "kind", "description", "definition")
_LATER = ("table_format",)
"""Members that older captures lack."""
_PAIRS = ("parameters", "symlinks")


def database_document(reading: CatalogResult) -> Json:
    """Return *reading* as JSON; its members are described in `docs/capture.md`."""
    outcome = reading.outcome
    return {
        "tables": [_table_document(table) for table in reading.tables],
        "problems": [[problem.where, problem.what, problem.hint] for problem in reading.problems],
        "status": outcome.status.value,
        "requested": outcome.requested,
        "reason": outcome.reason,
        "hint": outcome.hint,
        "unread": sorted(outcome.unread),
    }


def read_database_document(document: Json, source: SourceId) -> CatalogResult:
    """Read what `database_document` gave; raises InputInvalid for anything else."""
    try:
        tables = tuple(_table(item, source) for item in document["tables"])
        return CatalogResult(
            outcome=SourceResult(
                source=source,
                kind="database",
                status=SourceStatus(document["status"]),
                received=len(tables),
                requested=int(document["requested"]),
                reason=str(document["reason"]),
                hint=str(document["hint"]),
                unread=frozenset(map(str, document["unread"])),
            ),
            tables=tables,
            problems=tuple(Problem(*map(str, problem)) for problem in document["problems"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        hint = "record the capture again"
        raise InputInvalid("the document in the capture is damaged", where=str(source), hint=hint) from error


def _table_document(table: CatalogTable) -> Json:
    keys = [[key.kind, list(key.columns), key.references, list(key.referenced)] for key in table.keys]
    columns = [_column_document(column) for column in table.columns]
    pairs = {member: [list(pair) for pair in getattr(table, member)] for member in _PAIRS}
    plain = {member: getattr(table, member) for member in (*_PLAIN, *_LATER)}
    return {**plain, **pairs, "keys": keys, "columns": columns}


_DEFAULTS = {field.name: field.default for field in fields(Column)}


def _column_document(column: Column) -> Json:
    """Return the members that are not their defaults: most are, of most columns."""
    members: dict[str, Any] = asdict(column)
    return {name: value for name, value in members.items() if value != _DEFAULTS[name]}


def _table(item: Json, source: SourceId) -> CatalogTable:
    plain: dict[str, Any] = {member: str(item[member]) for member in _PLAIN}
    plain |= {member: str(item.get(member, "")) for member in _LATER}
    plain |= {member: tuple((str(first), str(second)) for first, second in item[member]) for member in _PAIRS}
    return CatalogTable(
        source=source,
        **plain,
        keys=tuple(TableKey(kind, tuple(of), to, tuple(referenced)) for kind, of, to, referenced in item["keys"]),
        columns=tuple(Column(**{**column, "path": tuple(column["path"])}) for column in item["columns"]),
    )
