"""Servers that answer without end or not at all, or request the password itself, do no harm."""

from __future__ import annotations

import pytest
from database_servers import (
    cleartext_mysql,
    cleartext_postgres,
    endless_mysql,
    endless_postgres,
    serving,
    silent,
    silent_mysql,
    silent_postgres,
    slow_mysql,
)
from sqlalchemy import create_engine, text
from sqlalchemy.exc import OperationalError

from scanner_extractor.results import no_progress
from scanner_extractor.systems.databases.client import read_database
from scanner_extractor.systems.databases.drivers import Connector, interrupt_after
from scanner_extractor.systems.databases.settings import DatabaseSettings
from scanner_model.errors import ScannerError, SourceRefused, SourceUnreachable

pytestmark = pytest.mark.slow

DATABASES = ("postgresql", "mysql", "materialize", "starrocks")


def read(product: str, port: int, parameters: str = "", **more: object) -> ScannerError:
    url = f"{product}://scanner:hidden-word@127.0.0.1:{port}/shop{parameters}"
    settings = DatabaseSettings(name="shop", url=url, **{"connect_timeout": 2, "read_timeout": 60} | more)
    with pytest.raises(ScannerError) as caught:
        read_database(settings, no_progress)
    return caught.value


@pytest.mark.parametrize("product", DATABASES)
def test_answer_without_end_is_given_up(product) -> None:
    """Drivers collect an answer in memory as long as it comes; the engines' protocols are those of the others."""
    with serving(endless_postgres if product in ("postgresql", "materialize") else endless_mysql) as port:
        error = read(product, port, max_bytes=1_000_000)

    assert isinstance(error, SourceUnreachable)
    assert error.what == "the database was given up: it sent more than 1000000 bytes"
    assert error.hint == "raise its `max_bytes`, or list its `schemas`"


@pytest.mark.parametrize(
    ("product", "behave"),
    [
        ("postgresql", silent_postgres),
        ("materialize", silent_postgres),
        ("mysql", silent_mysql),
        ("starrocks", silent_mysql),
        ("postgresql", silent),
        ("mysql", silent),
    ],
)
def test_database_that_does_not_answer_is_given_up(product, behave) -> None:
    """Whether it lets the client log in or not; a server's own limit is of no use there."""
    with serving(behave) as port:
        error = read(product, port, read_timeout=1)

    assert isinstance(error, SourceUnreachable)
    assert "hidden-word" not in str(error)


def test_answer_that_comes_byte_by_byte_is_given_up() -> None:
    """Each byte is in time."""
    with serving(slow_mysql) as port:
        error = read("mysql", port, read_timeout=1)

    assert error.what == "the database was given up: an answer took longer than 1 s"


def test_password_is_not_sent_to_postgres_in_clear_text() -> None:
    """Anyone on the way, or at the address, would have it."""
    received: list[bytes] = []
    with serving(cleartext_postgres(received)) as port:
        error = read("postgresql", port)

    assert isinstance(error, SourceRefused)
    assert "not encrypted" in error.what
    assert error.hint == "use TLS: add ?sslmode=verify-full to its `url`"
    assert b"hidden-word" not in b"".join(received)


@pytest.mark.parametrize("method", [b"mysql_clear_password", b"dialog"])
def test_password_is_not_sent_to_mysql_in_clear_text(method) -> None:
    """The server chooses the method, whatever the account has."""
    received: list[bytes] = []
    with serving(cleartext_mysql(method, received)) as port:
        error = read("mysql", port)

    assert isinstance(error, SourceRefused)
    assert error.hint == "use TLS: add ?ssl_ca=/path/to/ca.pem to its `url`"
    assert b"hidden-word" not in b"".join(received)


@pytest.mark.parametrize(
    ("url", "refuses"),
    [
        ("postgresql+psycopg://db/shop", True),
        ("postgresql+psycopg://db/shop?sslmode=prefer", True),
        ("postgresql+psycopg://db/shop?sslmode=verify-full", False),
        ("postgresql+psycopg://db/shop?require_auth=password", False),
        ("postgresql+psycopg:///shop?host=/run/postgresql", False),
        ("postgresql+psycopg:///shop", False),
    ],
)
def test_password_itself_may_be_sent_over_tls_and_to_the_same_host(url, refuses) -> None:
    """As LDAP behind PostgreSQL needs it; or where the user says so."""
    engine = create_engine(url)
    connector = Connector.of(DatabaseSettings(name="shop", url=url), engine.url)

    assert bool(connector.login(engine.dialect)) is refuses


def test_driver_without_a_timeout_is_interrupted() -> None:
    """What a driver has for that is used: `interrupt` or `cancel`."""
    engine = create_engine("sqlite://")
    interrupt_after(engine, 0.01)
    without_end = text("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")

    with pytest.raises(OperationalError, match="interrupted"), engine.connect() as conn:
        conn.execute(without_end)
