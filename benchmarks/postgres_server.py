"""A PostgreSQL of this machine for as long as a measurement takes."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

_SETTINGS = ("fsync=off", "shared_buffers=128MB", "max_wal_size=4GB", "unix_socket_directories=")
_PATIENCE = 60


class NoPostgres(Exception):
    """Raised when PostgreSQL's server programs are not installed."""


@contextmanager
def postgres() -> Iterator[str]:
    """Start a server with its own settings but for those above; give the URL of an empty database.

    Raises NoPostgres.
    """
    directory = Path(tempfile.mkdtemp(prefix="scanner-bench-postgres-"))
    port = free_port()
    url = f"postgresql://bench@127.0.0.1:{port}/postgres"
    try:
        if os.getuid() == 0:
            os.chown(directory, _account().pw_uid, _account().pw_gid)
        data = str(directory / "data")
        _run([_program("initdb"), "-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"])
        options = [part for setting in _SETTINGS for part in ("-c", setting)]
        command = _as_account([_program("postgres"), "-D", data, "-h", "127.0.0.1", "-p", str(port), *options])
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
        try:
            _wait(url)
            yield url
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _wait(url: str) -> None:
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            return psycopg.connect(url, connect_timeout=2).close()
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


def _program(name: str) -> str:
    """Find a server program on the path, or where Debian keeps it (the newest version)."""
    newest = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[4]))
    program = str(newest[-1]) if newest else shutil.which(name)
    if not program:
        raise NoPostgres(f"{name} is not installed (Debian: postgresql)")
    return program


def _run(command: list[str]) -> None:
    subprocess.run(_as_account(command), check=True, stdout=subprocess.DEVNULL, cwd="/")


def _as_account(command: list[str]) -> list[str]:
    """Let a program run as an account of its own where we are root, which PostgreSQL refuses."""
    if os.getuid():
        return command
    account = _account()
    return ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups", *command]


def _account() -> pwd.struct_passwd:
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    return known.get("postgres") or known["nobody"]


def free_port() -> int:
    """Return a port that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
