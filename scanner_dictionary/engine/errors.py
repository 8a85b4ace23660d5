"""Translates database errors to DictionaryUnusable with a hint: one table, applied to every statement."""

from __future__ import annotations

import sqlite3

from sqlalchemy import Engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DBAPIError

from scanner_model.errors import DictionaryBusy, DictionaryUnusable
from scanner_model.redaction import mask_text

_WAIT = "try again when it has finished, or wait longer with --lock-timeout"
_HINTS = (
    ("SQLITE_NOTADB", "is not a dictionary", "name another file; this one was not touched"),
    ("SQLITE_CORRUPT", "is damaged", "restore a copy, or remove the file and run `scanner extract` again"),
    ("SQLITE_FULL", "cannot be written: the disk is full", "free some space; the last scan is still stored"),
    ("SQLITE_IOERR", "cannot be read or written", "look at the disk and its free space; the last scan is still stored"),
    ("SQLITE_READONLY", "cannot be written", "give the file and its directory write permission"),
    ("SQLITE_BUSY", "is in use by another program", _WAIT),
    ("SQLITE_LOCKED", "is in use by another program", _WAIT),
    ("SQLITE_CANTOPEN", "cannot be opened", "look at the path and at the rights of the file and its directory"),
    ("SQLITE_TOOBIG", "cannot hold a text this long", "leave the source out of the scan and report it"),
    ("53", "cannot be written: the server has no room left", "free some space; the last scan is still stored"),
    ("25006", "cannot be written: the server is read-only", "name the primary server"),
    ("28", "refused the user or password", "look at user and password in the dictionary's URL"),
    ("3D000", "does not exist on the server", "create it: createdb NAME"),
    ("42501", "does not allow this", "grant the user CREATE on the schema and rights on its tables"),
    ("42P06", "is being created by another program", "try again"),
    ("42P07", "is being created by another program", "try again"),
    ("55P03", "is in use by another program", _WAIT),
    ("57014", "was too slow: the server cancelled the statement", "raise its statement_timeout"),
    ("", "cannot be reached", "look at host, port and database in the dictionary's URL"),
)
_OTHER = ("cannot be used", "")
_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED", "55P03")


def translate_errors(engine: Engine, shown: str) -> None:
    """Translate every database error of *engine* to DictionaryUnusable, naming the dictionary as *shown*."""

    @event.listens_for(engine, "handle_error")
    def _translate(context: ExceptionContext) -> None:
        if isinstance(context.sqlalchemy_exception, DBAPIError):
            raise dictionary_error(context.original_exception, shown) from context.original_exception


def dictionary_error(error: BaseException, shown: str) -> DictionaryUnusable:
    """Return the error for *error* of a driver, naming the dictionary as *shown*; secrets are masked."""
    code = _code(error)
    matching = (row[1:] for row in _HINTS if code is not None and _fits(row[0], code))
    what, hint = next(matching, _OTHER)
    lines = str(error).strip().splitlines()
    kind = DictionaryBusy if code in _BUSY else DictionaryUnusable
    return kind(f"the dictionary {what}: {mask_text(lines[0])}" if lines else what, where=shown, hint=hint)


def _fits(known: str, code: str) -> bool:
    return code.startswith(known) if known else not code


def _code(error: BaseException) -> str | None:
    """Return SQLite's error name or PostgreSQL's SQLSTATE; empty where no server answered, None for another error."""
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorname", None)
    return getattr(error, "sqlstate", None) or ("" if "connect" in str(error) else None)
