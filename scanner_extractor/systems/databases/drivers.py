"""Connections that are bounded in time and size, by the means of each driver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from threading import Timer
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, Dialect, ExceptionContext
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry, NullPool

from scanner_extractor.systems.databases.budget import Budget
from scanner_extractor.systems.databases.products import Location
from scanner_extractor.systems.databases.settings import DatabaseSettings

_BOUNDED = {
    "psycopg": "scanner_extractor.systems.databases.bounded_psycopg",
    "pymysql": "scanner_extractor.systems.databases.bounded_pymysql",
}
"""By driver, the module that connects within a budget."""

_TIMEOUTS: Mapping[str, Mapping[str, str]] = {
    "mysqlconnector": {"connection_timeout": "connect"},
    "mysqldb": {"connect_timeout": "connect", "read_timeout": "read"},
    "oracledb": {"tcp_connect_timeout": "connect"},
    "pg8000": {"timeout": "read"},
    "psycopg": {"connect_timeout": "connect"},
    "psycopg2": {"connect_timeout": "connect"},
    "pymssql": {"login_timeout": "connect", "timeout": "read"},
    "pymysql": {"connect_timeout": "connect", "read_timeout": "read"},
    "pyodbc": {"timeout": "connect"},
    "pysqlite": {"timeout": "connect"},
}
"""By driver, its arguments."""

_ENCRYPTED = frozenset({"require", "verify-ca", "verify-full"})
"""libpq's sslmodes that connect by TLS only."""
_NOT_IN_CLEAR: Mapping[str, str] = MappingProxyType({"require_auth": "!password"})
_REQUIRE_AUTH = 160_000
"""The version of libpq that knows `require_auth`."""


@dataclass(frozen=True, slots=True)
class Connector:
    """Connects to the database at *url*; all its connections share one budget, where the driver can be bounded."""

    url: URL
    settings: DatabaseSettings
    budget: Budget

    @classmethod
    def of(cls, settings: DatabaseSettings, url: URL) -> Connector:
        """Return what connects for one read."""
        return cls(url, settings, Budget(settings.read_timeout, settings.max_bytes))

    def connect(self, dialect: Dialect, positional: Sequence[Any], named: Mapping[str, Any]) -> DBAPIConnection:
        """Connect with the arguments of SQLAlchemy's *dialect*; raises errors of its driver, and ImportError."""
        arguments = {**named, **_timeouts(dialect.driver, self.settings), **self.login(dialect)}
        connection: DBAPIConnection
        if module := _BOUNDED.get(dialect.driver):
            connection = import_module(module).connect(self.budget, *positional, **arguments)
        else:
            connection = dialect.connect(*positional, **arguments)  # a dialect may have its own, as that of DuckDB
        return connection

    def login(self, dialect: Dialect) -> Mapping[str, str]:
        """Return the arguments by which libpq refuses to send the password itself without TLS."""
        query, host = self.url.query, self.url.host or self.url.query.get("host", "")
        is_local = not host or str(host).startswith("/")
        if dialect.driver != "psycopg" or is_local or query.get("sslmode") in _ENCRYPTED or "require_auth" in query:
            return {}
        return _NOT_IN_CLEAR if dialect.loaded_dbapi.pq.version() >= _REQUIRE_AUTH else {}


def new_engine(settings: DatabaseSettings, location: Location) -> Engine:
    """Return an engine whose connections are read-only where the product can be."""
    engine = create_engine(location.url, poolclass=NullPool, hide_parameters=True)
    connector = Connector.of(settings, location.url)
    statements = location.product.statements(settings.read_timeout)

    @event.listens_for(engine, "do_connect")
    def _connect(dialect: Dialect, _: object, positional: list[Any], named: dict[str, Any]) -> DBAPIConnection:
        return connector.connect(dialect, positional, named)

    @event.listens_for(engine, "connect")
    def _begin_session(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
        cursor = connection.cursor()
        for statement in statements:
            cursor.execute(statement)
        cursor.close()
        connection.commit()

    if engine.dialect.driver not in _BOUNDED:
        interrupt_after(engine, settings.read_timeout)
    return engine


def interrupt_after(engine: Engine, seconds: float) -> None:
    """Interrupt a statement that takes longer, where the driver can: `cancel` or `interrupt` of its connection."""
    timers: dict[Connection, Timer] = {}

    @event.listens_for(engine, "before_cursor_execute")
    def _begin(conn: Connection, *_: object) -> None:
        driver = conn.connection.driver_connection
        stop = getattr(driver, "interrupt", None) or getattr(driver, "cancel", None)
        if stop is not None:
            timers[conn] = Timer(seconds, stop)
            timers[conn].daemon = True
            timers[conn].start()

    @event.listens_for(engine, "after_cursor_execute")
    def _end(conn: Connection, *_: object) -> None:
        if timer := timers.pop(conn, None):
            timer.cancel()

    @event.listens_for(engine, "handle_error")
    def _fail(context: ExceptionContext) -> None:
        if context.connection is not None:
            _end(context.connection)


def _timeouts(driver: str, settings: DatabaseSettings) -> dict[str, int]:
    """Return the timeouts as arguments of a *driver*; empty for one whose arguments are not known."""
    whole = {"connect": max(1, round(settings.connect_timeout)), "read": max(1, round(settings.read_timeout))}
    return {argument: whole[kind] for argument, kind in _TIMEOUTS.get(driver, {}).items()}
