"""A MariaDB of this machine for as long as a measurement takes."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pymysql
from postgres_server import free_port

_SETTINGS = (
    "--skip-log-bin",
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-flush-method=nosync",
    "--innodb-file-per-table=OFF",
    "--innodb-buffer-pool-size=128M",
)
_PATIENCE = 60


class NoMariaDb(Exception):
    """Raised when MariaDB's server programs are not installed."""


@contextmanager
def mariadb() -> Iterator[str]:
    """Start a server with its own settings but for those above; yield the URL of an empty database.

    Raises NoMariaDb.
    """
    install, program = shutil.which("mariadb-install-db"), shutil.which("mariadbd")
    if install is None or program is None:
        raise NoMariaDb("mariadbd is not installed (Debian: mariadb-server)")
    account = "mysql" if os.geteuid() == 0 else None
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="scanner-bench-mariadb-", ignore_cleanup_errors=True) as directory:
        if account:
            shutil.chown(directory, account)
        data = ["--no-defaults", f"--datadir={directory}/data"]
        login = ["--auth-root-authentication-method=normal", "--skip-test-db"]
        subprocess.run([install, *data, *login], check=True, capture_output=True, user=account)
        network = [f"--port={port}", "--bind-address=127.0.0.1", f"--socket={directory}/socket"]
        server = subprocess.Popen([program, *data, *network, *_SETTINGS], stderr=subprocess.DEVNULL, user=account)
        try:
            _create_database(port)
            yield f"mysql://root@127.0.0.1:{port}/bench"
        finally:
            server.terminate()
            server.wait()


def _create_database(port: int) -> None:
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            with pymysql.connect(host="127.0.0.1", port=port, user="root") as connection:
                connection.cursor().execute("CREATE DATABASE bench")
                return
        except pymysql.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
