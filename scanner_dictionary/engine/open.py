"""Open a dictionary by its URL: create or migrate it where needed, and refuse one that a newer program wrote."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

from sqlalchemy import Connection as Connection
from sqlalchemy import Engine as Engine
from sqlalchemy import create_engine, event, inspect, text
from sqlalchemy.engine import URL, Dialect, ExceptionContext, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.engine.mock import MockConnection
from sqlalchemy.exc import ArgumentError, DBAPIError

from scanner_dictionary.engine.soundness import check_objects
from scanner_dictionary.engine.sqlite import (
    OPTION,
    Notify,
    Waiting,
    beside_readers,
    check_file,
    for_writing,
    needs_recovery,
    only_read,
    postgres_writer,
    private_copy,
    reading_sqlite_engine,
    sqlite_engine,
    waiting_of,
)
from scanner_dictionary.schema.tables import metadata, scan
from scanner_dictionary.schema.views import VIEWS
from scanner_model.errors import DictionaryBusy, DictionaryUnusable, InputInvalid
from scanner_model.redaction import mask_text

_WAIT = "try again when it has finished, or wait longer with --lock-timeout"
_TOO_OLD = "scan into a new one: `scanner scan --dictionary NEW.db`, with the same files; this one was not touched"
_LACKS = ("lacks what this version of scanner needs: another version wrote it", _TOO_OLD)
_HINTS = (
    ("SQLITE_LACKS", *_LACKS),
    ("42P01", *_LACKS),
    ("42703", *_LACKS),
    ("SQLITE_NOTADB", "is not a dictionary", "name another file; this one was not touched"),
    ("SQLITE_CORRUPT", "is damaged", "restore a copy, or remove the file and run `scanner scan` again"),
    ("SQLITE_FULL", "cannot be written: the disk is full", "free some space; the last scan is still stored"),
    ("SQLITE_IOERR", "cannot be read or written", "look at the disk and its free space; the last scan is still stored"),
    ("SQLITE_READONLY", "cannot be written", "give the file and its directory write permission"),
    ("SQLITE_BUSY", "is in use by another program", _WAIT),
    ("SQLITE_LOCKED", "is in use by another program", _WAIT),
    ("SQLITE_CANTOPEN", "cannot be opened", "look at the path and at the rights of the file and its directory"),
    ("SQLITE_INTERRUPT", "was too slow: the statement was cancelled", "ask for less"),
    ("SQLITE_TOOBIG", "cannot hold a text this long", "leave the source out of the scan and report it"),
    ("53", "cannot be written: the server has no room left", "free some space; the last scan is still stored"),
    ("25006", "cannot be written: the server is read-only", "name the primary server"),
    ("28", "refused the user or password", "look at user and password in the dictionary's URL"),
    ("2BP01", "cannot be migrated: something of yours depends on it", "drop that, and create it after the update"),
    ("3D000", "does not exist on the server", "create it: createdb NAME"),
    ("42501", "does not allow this", "grant the user CREATE on the schema and rights on its tables"),
    ("42P06", "is being created by another program", "try again"),
    ("42P07", "is being created by another program", "try again"),
    ("55P03", "is in use by another program", _WAIT),
    ("57014", "was too slow: the server cancelled the statement", "raise its statement_timeout"),
    ("", "cannot be reached", "look at host, port and database in the dictionary's URL"),
)
_OTHER = ("cannot be used", "")
_MISSING = re.compile(r"no such (?:table|column|index|view): |table \S+ has no column named ")
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
    matching = (row[1:] for row in _HINTS if code is not None and _has_code(row[0], code))
    what, hint = next(matching, _OTHER)
    lines = str(error).strip().splitlines()
    kind = DictionaryBusy if code in _BUSY else DictionaryUnusable
    return kind(f"the dictionary {what}: {mask_text(lines[0])}" if lines else what, where=shown, hint=hint)


def _has_code(known: str, code: str) -> bool:
    return code.startswith(known) if known else not code


def _code(error: BaseException) -> str | None:
    """Return SQLite's error name or PostgreSQL's SQLSTATE; empty where no server answered, None for another error."""
    if isinstance(error, sqlite3.Error):
        if _MISSING.match(str(error)):
            return "SQLITE_LACKS"
        return getattr(error, "sqlite_errorname", None)
    return getattr(error, "sqlstate", None) or ("" if "connect" in str(error) else None)


_SCHEME = re.compile(r"^(?P<name>[a-z][a-z0-9]+)(?:\+(?P<driver>[a-z0-9_]+))?:", re.IGNORECASE)
_LOGIN = re.compile(r"//\S{1,500}@")
_H2 = "export to H2 instead: `scanner dictionary export --format h2` writes a script that H2's RunScript loads"
_ENCODE = "write %40 for @, %2F for / and %3A for : in user and password"
_FORMS = "write a file name, sqlite:///file or postgresql://user:password@host/database"


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """The location of a dictionary: *url* to connect to, *file* of SQLite (None: a server), *shown* to users.

    *shown* holds no password and no query string, which may hold one.
    """

    url: URL
    file: Path | None
    shown: str


def resolve_url(text: str) -> Location:
    """Resolve a file name or URL; raises InputInvalid where it cannot be a dictionary."""
    scheme = _SCHEME.match(text)
    if not scheme:
        return _in_file(text)
    name = scheme["name"].lower()
    if name in ("h2", "jdbc"):
        raise InputInvalid("a dictionary cannot be stored in H2", where=f"{name}:…", hint=_H2)
    if name not in _KINDS:
        raise InputInvalid(f"a dictionary cannot be stored in {name!r}", where=f"{name}:…", hint=_FORMS)
    return _KINDS[name](_url(text, name))


def from_anywhere(text: str) -> str:
    """Return *text* so that processes with another working directory open the same file."""
    file = resolve_url(text).file
    return text if file is None else str(file.absolute())


def _url(text: str, name: str) -> URL:
    """Parse a URL; errors do not quote it, because it may contain the password."""
    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise InputInvalid("the dictionary's URL cannot be read", where=f"{name}:…", hint=_FORMS) from error
    parts = (url.host or "", url.database or "", text.partition("?")[2].partition("=")[0])
    if name != "sqlite" and any("@" in part for part in parts):
        raise InputInvalid("the password in the dictionary's URL is not encoded", where=f"{name}:…", hint=_ENCODE)
    return url


def _in_file(text: str) -> Location:
    if text.endswith(".mv.db"):
        raise InputInvalid("a dictionary cannot be stored in H2", where=text, hint=_H2)
    if not text.strip() or "\0" in text:
        raise InputInvalid("the dictionary's location is empty", hint=_FORMS)
    file = Path(text).expanduser()
    return Location(url=URL.create("sqlite", database=str(file)), file=file, shown=_LOGIN.sub("//", mask_text(text)))


def _sqlite(url: URL) -> Location:
    if not url.database or url.host:
        hint = "write sqlite:///dictionary.db, or sqlite:////absolute/path.db"
        raise InputInvalid("the dictionary's URL names no file", where="sqlite:…", hint=hint)
    if url.query:
        hint = "a file whose name has a ? is named without sqlite:///"
        raise InputInvalid("the URL of a file has no options after ?", where="sqlite:…", hint=hint)
    return _in_file(url.database)


def _postgres(url: URL) -> Location:
    plain = url.drivername in ("postgres", "postgresql")
    url = url.set(drivername="postgresql+psycopg") if plain else url
    shown = url.set(query={}, drivername="postgresql").render_as_string(hide_password=True)
    return Location(url=url, file=None, shown=shown)


_KINDS = {"sqlite": _sqlite, "postgres": _postgres, "postgresql": _postgres}


MIGRATIONS = Path(__file__).parents[1] / "migrations"

_REVISIONS = sorted(
    file.name[:4] for file in files("scanner_dictionary.migrations.versions").iterdir() if file.name[0] == "0"
)
FIRST_REVISION, REVISION = _REVISIONS[0], _REVISIONS[-1]
"""The oldest revision that is migrated, and the newest, from the names of the files (also in an archive).

Opening need not import Alembic for it.
"""

VERSION_TABLE = "dictionary_version"

_PATIENCE = 10.0
_CONNECTING, _CONNECTING_AGAIN = 10, 5
"""Seconds to wait for a database server; the shorter time for a pool, whose next reader tries again."""
COPIED = "scanner_copied"
"""The execution option of an engine over a private copy, which later changes of the dictionary do not reach."""

_WATCHED = "scanner_dictionary.engine.watched_postgres"
"""It imports psycopg, which a dictionary in a file does not need."""

_MIGRATING = 7_226_637
"""The key of PostgreSQL's advisory lock under which tables are created: no table exists yet to lock."""


def open_dictionary(
    url: str, *, create: bool = True, patience: float = _PATIENCE, notify: Notify | None = None
) -> Engine:
    """Open the dictionary at *url* (a file or a URL), creating or migrating it.

    *create* is False for queries: a missing dictionary is an error then. *patience* is the number of seconds to wait
    for another writer; *notify* gets a message when it waits. Raises DictionaryUnusable, also later from every
    statement of the engine.
    """
    location = resolve_url(url)
    engine = _engine(location, create=create, patience=patience)
    waiting = Waiting(seconds=patience, shown=location.shown)
    engine.update_execution_options(**{OPTION: replace(waiting, notify=notify) if notify else waiting})
    translate_errors(engine, location.shown)
    if _checked_revision(engine, location, create=create) != REVISION:
        _migrate(engine)
    return engine


def _checked_revision(engine: Engine, location: Location, *, create: bool = False) -> str:
    """Return the revision of a dictionary after a look at its objects, bounded in work; raises DictionaryUnusable."""
    with engine.connect() as conn:
        if location.file is not None:
            only_read(conn)
            check_objects(conn, (*metadata.tables, VERSION_TABLE), location.shown)
        revision = _revision(conn)
        if revision != REVISION:
            _check_revision(conn, revision, location, create=create)
    return revision


@contextmanager
def open_for_reading(url: str, *, patience: float = _PATIENCE, size: int = 0) -> Iterator[Engine]:
    """Open the dictionary at *url* for questions: it may be another's, and is never written; up to *size* stay open.

    A file of an earlier version, or one that a killed program left in the middle of a write, is read through a private
    copy, which is migrated. Raises DictionaryUnusable, also later from every statement of the engine; for an earlier
    version on a server, too.
    """
    location = resolve_url(url)
    with ExitStack() as stack:
        if location.file is not None:
            check_file(location.file, location.shown, create=False)
            if needs_recovery(location.file, patience):
                location = _copied(location, stack)
        engine = _reading_engine(location, patience, size)
        if _checked_revision(engine, location) != REVISION:
            engine.dispose()
            location = _copied(location, stack)
            open_dictionary(str(location.file), create=False).dispose()
            engine = _reading_engine(location, patience, size)
        stack.callback(engine.dispose)
        engine.update_execution_options(**{COPIED: location != resolve_url(url)})
        yield engine


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Return the one writing connection, in a transaction committed at the end; until then readers see the old state.

    Another writer waits for its turn.
    """
    with _transaction(engine) as conn:
        if conn.dialect.name == "postgresql":
            # SQLite has one writer anyway; in PostgreSQL two could choose the same keys. Readers are not blocked.
            _lock(conn, f"LOCK TABLE {scan.name} IN EXCLUSIVE MODE")
        yield conn


def _lock(conn: Connection, statement: str) -> None:
    """Take a lock of PostgreSQL; where another writer has it, report that and wait."""
    waiting = waiting_of(conn)
    conn.execute(text("SET LOCAL lock_timeout = 1"))
    try:
        with conn.begin_nested():
            conn.execute(text(statement))
    except DictionaryBusy:
        waiting.announce(postgres_writer(conn, scan.name))
        conn.execute(text(f"SET LOCAL lock_timeout = {max(int(waiting.seconds * 1000), 1)}"))
        conn.execute(text(statement))
    conn.execute(text(f"SET LOCAL lock_timeout = {max(int(waiting.seconds * 1000), 1)}"))


@contextmanager
def _transaction(engine: Engine) -> Iterator[Connection]:
    with engine.connect() as connection:
        conn = for_writing(connection)
        with beside_readers(conn) if conn.dialect.name == "sqlite" else nullcontext(), conn.begin():
            yield conn


def _engine(location: Location, *, create: bool, patience: float) -> Engine:
    if location.file is not None:
        check_file(location.file, location.shown, create=create)
        return sqlite_engine(location.file, create=create, patience=patience)
    return postgres_engine(location, connect_timeout=min(max(int(patience), 2), _CONNECTING))


def _reading_engine(location: Location, patience: float, size: int) -> Engine:
    if location.file is not None:
        engine = reading_sqlite_engine(location.file, patience=patience, size=size)
    else:
        options = {"pool_size": size, "max_overflow": 0, "pool_timeout": patience, "pool_pre_ping": True}
        timeout = _CONNECTING_AGAIN if size else min(max(int(patience), 2), _CONNECTING)
        engine = postgres_engine(location, connect_timeout=timeout, **(options if size else {}))
        engine.update_execution_options(postgresql_readonly=True)
    engine.update_execution_options(**{OPTION: Waiting(seconds=patience, shown=location.shown)})
    translate_errors(engine, location.shown)
    return engine


def _copied(location: Location, stack: ExitStack) -> Location:
    """Return a private copy of a dictionary until *stack* ends; raises DictionaryUnusable for one on a server."""
    if location.file is None:
        what = "an earlier version of scanner wrote the dictionary, and a question does not migrate it"
        raise DictionaryUnusable(
            what, where=location.shown, hint="run `scanner scan` or `scanner dictionary dataflow` into it"
        )
    try:
        file = stack.enter_context(private_copy(location.file))
    except OSError as error:
        what = f"the dictionary cannot be copied to be read: {error.strerror or error}"
        raise DictionaryUnusable(what, where=location.shown, hint="free some space for temporary files") from error
    return replace(location, file=file)


def postgres_engine(location: Location, *, connect_timeout: int, **options: Any) -> Engine:  # noqa: ANN401 - SQLAlchemy's
    """Return an engine over a server, which is given up where it stops answering; nothing is connected yet."""
    try:
        engine = create_engine(location.url, connect_args={"connect_timeout": connect_timeout}, **options)
    except ImportError as error:
        hint = "pip install 'kafka-lineage-scanner[postgres]'"
        raise DictionaryUnusable("PostgreSQL needs a driver", where=location.shown, hint=hint) from error

    def connect(_: Dialect, __: object, positional: list[Any], named: dict[str, Any]) -> DBAPIConnection:
        connection: DBAPIConnection = import_module(_WATCHED).connect(*positional, **named)
        return connection

    if engine.dialect.driver == "psycopg":
        event.listen(engine, "do_connect", connect)
    return engine


def _revision(conn: Connection) -> str:
    """Return the stored revision, empty if absent."""
    if not conn.dialect.has_table(conn, VERSION_TABLE):
        return ""
    return conn.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar() or ""  # noqa: S608 - our constant


def _check_revision(conn: Connection, revision: str, location: Location, *, create: bool) -> None:
    if revision > REVISION:
        what = f"a newer program wrote the dictionary (revision {revision}; this one knows {REVISION})"
        raise DictionaryUnusable(what, where=location.shown, hint="update scanner, or name another dictionary")
    if "" < revision < FIRST_REVISION:
        what = f"a program before 0.2.0 wrote the dictionary (revision {revision}; this one reads {FIRST_REVISION} on)"
        raise DictionaryUnusable(what, where=location.shown, hint=_TOO_OLD)
    if revision:
        return
    names = set(inspect(conn).get_table_names())
    if _revision(conn):
        return  # another program has created it meanwhile
    if names & set(metadata.tables) or (names and location.file):
        raise DictionaryUnusable("the database is something else's", where=location.shown, hint="name another one")
    if not create:
        raise DictionaryUnusable("the dictionary does not exist", where=location.shown, hint="run `scanner scan` first")


def _migrate(engine: Engine) -> None:
    """Create the tables, or apply the missing revisions, all or none."""
    with _transaction(engine) as conn:
        if conn.dialect.name == "postgresql":
            _lock(conn, f"SELECT pg_advisory_xact_lock({_MIGRATING})")
        revision = _revision(conn)
        if not revision:
            _create(conn)
        elif revision != REVISION:
            _upgrade(conn)


def _create(conn: Connection) -> None:
    """Create the tables and views as they are now, at the newest revision."""
    for statement in _creation(conn.dialect.name):
        conn.exec_driver_sql(statement)


@cache
def _creation(dialect_name: str) -> tuple[str, ...]:
    """Return the statements in a dialect of SQL; writing them takes longer than running them."""
    dialect = URL.create(dialect_name).get_dialect()()
    tables: list[str] = []
    metadata.create_all(
        MockConnection(dialect, lambda ddl, *_, **__: tables.append(str(ddl.compile(dialect=dialect)))),
        checkfirst=False,
    )
    key = f"CONSTRAINT {VERSION_TABLE}_pkc PRIMARY KEY (version_num)"  # as Alembic calls it
    return (
        *tables,
        *(view.statement for view in VIEWS),
        f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32) NOT NULL, {key})",
        f"INSERT INTO {VERSION_TABLE} VALUES ('{REVISION}')",  # noqa: S608 - our constants
    )


def _upgrade(conn: Connection) -> None:
    from alembic import command  # noqa: PLC0415 - takes 0.25 s, and few openings migrate
    from alembic.config import Config  # noqa: PLC0415 - the same

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes.update(connection=conn, version_table=VERSION_TABLE)
    command.upgrade(config, REVISION)
