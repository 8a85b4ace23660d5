"""SQL in the members of JSON and YAML files, such as the requests of Aiven's API for Flink applications.

The statements of one object are one job: those of the nearest object that has both tables and a statement that uses
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scanner_extractor.repository.context import Context
from scanner_extractor.repository.files import RepositoryFile
from scanner_extractor.repository.sql_files import add_sql
from scanner_extractor.repository.statements import DATABASE, SqlStatement, engine_of, moves_data, statements_of
from scanner_extractor.repository.topic_files.mapping import documents
from scanner_model.payload import Json

EMBEDDED = "SQL in a document"
"""The kind of these files, as they are counted."""
_ENDINGS = frozenset((".json", ".yaml", ".yml"))
_INSERTS, _SELECTS = (re.compile(rf"\b{words}\b", re.IGNORECASE) for words in (r"INSERT\s+INTO", "SELECT"))
_CREATES = re.compile(r"\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMPORARY\s+)?(?:TABLE|STREAM|VIEW)\b", re.IGNORECASE)
_STREAMS = re.compile(r"\b(?:connector|kafka_topic)\b|\bEMIT\s+CHANGES\b", re.IGNORECASE)
_OTHER = re.compile(r"\"?\bapiVersion\"?:|\bdbt_schema_version\b|^services:", re.MULTILINE)
"""Signs of Kubernetes, dbt and Compose, whose statements are read with the rest of the file."""
_BEGINS = re.compile(r"\s*+(?:(?P<moves>INSERT|EXECUTE|BEGIN)|CREATE(?=\s))\b", re.IGNORECASE)
_OBJECT = re.compile(r"\(|\b(?:VIEW|TABLE|STREAM)\b", re.IGNORECASE)
_QUERY = re.compile(r"\bAS\s++(?:SELECT|WITH)\b", re.IGNORECASE)


class _Script(NamedTuple):
    """Statements that belong together, and the line of the first."""

    statements: tuple[SqlStatement, ...]
    line: int

    @property
    def is_complete(self) -> bool:
        """Return whether it has a statement that moves data, and another that says of what."""
        using = sum(1 for statement in self.statements if _uses_others(statement.code))
        return 0 < using < len(self.statements)


def _uses_others(code: str) -> bool:
    """Return whether a statement moves data: an INSERT, a job, or an object that is created from a query."""
    begins = _BEGINS.match(code)
    if begins is None or begins["moves"]:
        return begins is not None
    made = _OBJECT.search(code, begins.end())
    return made is not None and made[0] != "(" and _QUERY.search(code, made.end()) is not None


def has_embedded_sql(file: RepositoryFile) -> bool:
    """Check whether a document may have statements of SQL in its members."""
    if file.ending not in _ENDINGS or _OTHER.search(file.text):
        return False
    signs = ((_INSERTS, _SELECTS), (_CREATES, _STREAMS))
    return any(all(sign.search(file.text) for sign in pair) for pair in signs)


def read_embedded_sql(files: Sequence[RepositoryFile], context: Context) -> None:
    """Add the statements of each document that an engine of streams runs; those of databases are left out."""
    for file in files:
        found: list[_Script] = []
        for parsed in documents(file, context, EMBEDDED):
            left = _scripts(parsed.value, getattr(parsed.value, "line", parsed.line), found)
            found += (left,) if left.statements else ()
        scripts = [script for script in found if _is_streaming(script)]
        for script in scripts:
            place = file.path if len(scripts) == 1 else f"{file.path}:{script.line}"
            add_sql(script.statements, place, context)


def _is_streaming(script: _Script) -> bool:
    statements = list(script.statements)
    return moves_data(statements) and engine_of(statements) != DATABASE


def _scripts(value: Json, line: int, found: list[_Script]) -> _Script:
    """Add the complete scripts in a value to *found*, and return the statements that belong to what contains it."""
    if isinstance(value, str):
        statements = tuple(statements_of(value)) if _STATEMENT.match(value) else ()
        return _Script(statements if moves_data(list(statements)) else (), line)
    parts = [_scripts(inside, at, found) for inside, at in _members(value, line)]
    parts = [part for part in parts if part.statements]
    script = _Script(
        tuple(statement for part in parts for statement in part.statements),
        min([part.line for part in parts], default=line),
    )
    if not script.is_complete:
        return script
    tables_first = sorted(script.statements, key=lambda statement: _uses_others(statement.code))
    found.append(script._replace(statements=tuple(tables_first)))
    return _Script((), line)


_STATEMENT = re.compile(
    r"\s*+(?:--[^\n]*+\n\s*+|/\*(?:[^*]|\*(?!/))*+\*/\s*+)*+(?:CREATE|INSERT|EXECUTE|BEGIN|SET|USE)\b", re.IGNORECASE
)


def _members(value: Json, line: int) -> Iterator[tuple[Json, int]]:
    if isinstance(value, dict):
        lines = getattr(value, "lines", {})
        yield from ((inside, lines.get(key, line)) for key, inside in value.items())
    elif isinstance(value, list):
        yield from ((inside, getattr(inside, "line", line)) for inside in value)
