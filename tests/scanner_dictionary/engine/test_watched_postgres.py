"""Connections to a PostgreSQL server that stops answering."""

from __future__ import annotations

import psycopg
import pytest
from database_servers import freezing_postgres, serving, slow_postgres

from scanner_dictionary.engine.watched_postgres import connect


def connected(port: int) -> psycopg.Connection:
    url = f"postgresql://scanner@127.0.0.1:{port}/d?sslmode=disable"
    return connect(url, silence=0.2, autocommit=True, connect_timeout=2)


def test_server_that_answers_nobody_is_given_up() -> None:
    """It is frozen, or the network to it; its system still acknowledges what is sent."""
    with serving(freezing_postgres()) as port:
        connection = connected(port)
        with pytest.raises(psycopg.OperationalError, match="the server does not answer"):
            connection.execute("SET a.b = 1")

    assert connection.closed


def test_server_that_works_on_a_long_statement_is_waited_for() -> None:
    """It lets others connect meanwhile."""
    with serving(slow_postgres) as port, connected(port) as connection:
        cursor = connection.execute("SET a.b = 1")

        assert cursor.statusmessage == "SET"
