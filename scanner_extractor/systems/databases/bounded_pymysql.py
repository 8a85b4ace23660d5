"""A connection of PyMySQL whose answers are bounded, and which sends no password in clear text without TLS."""

from __future__ import annotations

from typing import Any, NoReturn

from pymysql.connections import Connection
from pymysql.constants.CR import CR_SERVER_LOST
from pymysql.err import OperationalError

from scanner_extractor.systems.databases.budget import Budget
from scanner_extractor.systems.databases.errors import cleartext_refused
from scanner_model.errors import ScannerError

_IN_CLEAR = (b"mysql_clear_password", b"dialog")
"""Methods by which a server requests the password itself."""
_AT_ONCE = 1 << 16


def connect(budget: Budget, *positional: Any, **named: Any) -> Connection:  # noqa: ANN401 - PyMySQL's
    """Connect as PyMySQL does; beyond the *budget* OperationalError is raised, caused by a ScannerError."""
    connection = _Bounded(*positional, **named, defer_connect=True)
    connection.budget = budget
    connection.connect()
    return connection


class _Bounded(Connection):  # type: ignore[misc]  # PyMySQL has no types
    budget: Budget

    def connect(self, sock: Any = None) -> None:  # noqa: ANN401 - PyMySQL's
        self.budget.begin_answer()
        super().connect(sock)

    def _execute_command(self, command: int, sql: str | bytes) -> None:
        self.budget.begin_answer()
        super()._execute_command(command, sql)

    def _read_bytes(self, num_bytes: int) -> bytes:
        """Read as PyMySQL does, whose timeout begins again with each piece of an answer, however many come."""
        parts = bytearray()
        if self._sock is None:
            self._lose("the connection is closed")
        if self._sock.gettimeout() != self._read_timeout:
            self._sock.settimeout(self._read_timeout)
        try:
            while len(parts) < num_bytes and (part := self._rfile.read1(min(num_bytes - len(parts), _AT_ONCE))):
                parts += part
                self.budget.spend(len(part))
        except OSError as error:
            self._lose(str(error), error)
        except ScannerError as error:
            self._lose(error.what, error)
        if len(parts) < num_bytes:
            self._lose("the server closed the connection")
        return bytes(parts)

    def _process_auth(self, plugin_name: bytes, *positional: Any) -> Any:  # noqa: ANN401 - PyMySQL's
        if plugin_name in _IN_CLEAR and not self._secure:
            refused = cleartext_refused("?ssl_ca=/path/to/ca.pem")
            self._lose(refused.what, refused)
        return super()._process_auth(plugin_name, *positional)

    def _lose(self, what: str, cause: Exception | None = None) -> NoReturn:
        """Close the connection, and leave the rest of an answer that is being read."""
        self._force_close()
        if self._result is not None:
            self._result.unbuffered_active = False
        raise OperationalError(CR_SERVER_LOST, what) from cause
