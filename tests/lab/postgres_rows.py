"""PostgreSQL with logical decoding: the shop's database, a warehouse, and an empty one for a dictionary."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import credentials
import places
import psycopg
from places import HOST, TREE
from psycopg import sql
from rows import Server, Step

DATABASES = ("shop", "warehouse", "dictionary")
_ACCOUNTS = ("postgres", "nobody")


def url(database: str) -> str:
    """Return the address of *database* with its password, as libpq and SQLAlchemy take it."""
    return f"postgresql://postgres:{credentials.password('postgres')}@{HOST}:{places.POSTGRES}/{database}"


def _program(name: str) -> str:
    """Find a server program on the path, or where Debian keeps it (the newest version)."""
    newest = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[4]))
    result = str(newest[-1]) if newest else shutil.which(name)
    if not result:
        raise FileNotFoundError(f"{name}: PostgreSQL's server programs are not installed (Debian: postgresql)")
    return result


def _account() -> pwd.struct_passwd | None:
    """Return the account that the server runs as where we are root, which it refuses."""
    if os.getuid():
        return None
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    return next(known[name] for name in _ACCOUNTS if name in known)


def _as_account(command: list[str]) -> list[str]:
    account = _account()
    if not account:
        return command
    return ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups", *command]


def _home() -> Path:
    return places.data("postgres")


def _prepare() -> None:
    if (_home() / "cluster" / "PG_VERSION").is_file():
        return
    password = _home() / "password"
    password.touch(mode=0o600)
    password.write_text(credentials.password("postgres"), "utf-8")
    account = _account()
    for path in (_home(), password) if account else ():
        os.chown(path, account.pw_uid, account.pw_gid)
    command = [_program("initdb"), "-D", str(_home() / "cluster"), "-U", "postgres", "-A", "scram-sha-256",
               f"--pwfile={password}", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]  # fmt: skip
    with places.log("postgres").open("ab") as output:
        subprocess.run(_as_account(command), check=True, stdout=output, stderr=output, cwd="/")
    password.unlink()


def _command() -> list[str]:
    settings = {"wal_level": "logical", "fsync": "off", "shared_buffers": "64MB", "unix_socket_directories": ""}
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    server = [_program("postgres"), "-D", str(_home() / "cluster"), "-h", HOST, "-p", str(places.POSTGRES), *options]
    return _as_account(server)


def _ready() -> bool:
    try:
        psycopg.connect(url("postgres"), connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


def _seed() -> str:
    with psycopg.connect(url("postgres"), autocommit=True) as connection:
        known = {name for (name,) in connection.execute("select datname from pg_database")}
        for name in DATABASES:
            if name not in known:
                connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    with psycopg.connect(url("shop")) as connection:
        if connection.execute("select to_regclass('public.orders')").fetchone() != (None,):
            return "already there"
        for statement in _statements(TREE / "installation" / "shop.sql"):
            connection.execute(statement)
    return ", ".join(DATABASES)


def _statements(file: Path) -> Iterator[str]:
    return filter(str.strip, file.read_text("utf-8").split(";"))


ROWS = (
    Server(name="postgres", port=places.POSTGRES, prepare=_prepare, command=_command, ready=_ready),
    Step(name="databases", after=("postgres",), run=_seed),
)
