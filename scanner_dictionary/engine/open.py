"""Opens a dictionary: creates or migrates it where needed, and refuses one that a newer program wrote."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

from sqlalchemy import Connection as Connection
from sqlalchemy import Engine as Engine
from sqlalchemy import create_engine, inspect, text

from scanner_dictionary.engine.errors import translate_errors
from scanner_dictionary.engine.sqlite import beside_readers, check_file, for_writing, sqlite_engine
from scanner_dictionary.engine.url import Location, resolve_url
from scanner_dictionary.schema.tables import metadata, scan
from scanner_dictionary.waiting import OPTION, Say, Waiting, postgres_writer, waiting_of
from scanner_model.errors import DictionaryBusy, DictionaryUnusable

REVISION = "0008"
"""The newest revision under migrations/; a test compares. It is here so that opening need not import Alembic."""

VERSION_TABLE = "dictionary_version"

_PATIENCE = 10.0
_CONNECTING = 10

_MIGRATING = 7_226_637
"""The key of PostgreSQL's advisory lock under which tables are created: there is none yet that could be locked."""


def open_dictionary(url: str, *, create: bool = True, patience: float = _PATIENCE, say: Say | None = None) -> Engine:
    """Open the dictionary at *url* (a file or a URL), creating or migrating it.

    *create* is False for queries: a missing dictionary is an error then. *patience* is the number of seconds to wait
    for another writer; *say* gets a message when it waits. Raises DictionaryUnusable, also later from every
    statement of the engine.
    """
    location = resolve_url(url)
    engine = _engine(location, create=create, patience=patience)
    waiting = Waiting(seconds=patience, shown=location.shown)
    engine.update_execution_options(**{OPTION: replace(waiting, say=say) if say else waiting})
    translate_errors(engine, location.shown)
    with engine.connect() as conn:
        revision = _revision(conn)
        if revision != REVISION:
            _check_revision(conn, revision, location, create=create)
    if revision != REVISION:
        _migrate(engine)
    return engine


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
    try:
        return create_engine(location.url, connect_args={"connect_timeout": min(max(int(patience), 2), _CONNECTING)})
    except ImportError as error:
        hint = "pip install 'kafka-lineage-scanner[postgres]'"
        raise DictionaryUnusable("PostgreSQL needs a driver", where=location.shown, hint=hint) from error


def _revision(conn: Connection) -> str:
    """Return the stored revision, empty where there is none."""
    if not conn.dialect.has_table(conn, VERSION_TABLE):
        return ""
    return conn.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar() or ""  # noqa: S608 - our constant


def _check_revision(conn: Connection, revision: str, location: Location, *, create: bool) -> None:
    if revision > REVISION:
        what = f"a newer program wrote the dictionary (revision {revision}; this one knows {REVISION})"
        raise DictionaryUnusable(what, where=location.shown, hint="update scanner, or name another dictionary")
    if revision:
        return
    names = set(inspect(conn).get_table_names())
    if _revision(conn):
        return  # another program has created it meanwhile
    if names & set(metadata.tables) or (names and location.file):
        raise DictionaryUnusable("the database is something else's", where=location.shown, hint="name another one")
    if not create:
        raise DictionaryUnusable("there is no dictionary", where=location.shown, hint="run `scanner extract` first")


def _migrate(engine: Engine) -> None:
    """Apply the missing revisions, all or none."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parents[1] / "migrations").replace("%", "%%"))
    with _transaction(engine) as conn:
        if conn.dialect.name == "postgresql":
            _lock(conn, f"SELECT pg_advisory_xact_lock({_MIGRATING})")
        config.attributes.update(connection=conn, version_table=VERSION_TABLE)
        if _revision(conn) != REVISION:
            command.upgrade(config, REVISION)
