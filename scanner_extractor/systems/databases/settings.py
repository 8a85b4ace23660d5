"""Settings of databases."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from scanner_model.names import SourceId


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseSettings:
    """One database; *name* is the user's name for it, *url* SQLAlchemy's, which may hold a password.

    *password* takes the place of the one in *url*, empty if absent. *schemas* are globs of names, none for
    every schema that is not the database's own. *aliases* are other addresses of the server, `host` or `host:port`.
    Times in seconds; *max_bytes* bounds all answers of one read together. *secret_names* are names whose values
    are masked in SQL texts in addition to the known ones. *base* is the directory that the path of a SQLite
    file is relative to.
    """

    name: str
    url: str = field(repr=False)
    password: str = field(default="", repr=False)
    schemas: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    connect_timeout: float = 10.0
    read_timeout: float = 60.0
    max_bytes: int = 256 * 1024 * 1024
    secret_names: frozenset[str] = frozenset()
    base: Path = Path()

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan; the name stays when the address changes."""
        return SourceId(f"database:{self.name}")

    def wants(self, schema: str) -> bool:
        """Return whether a schema is listed; every one is where none is listed."""
        return not self.schemas or any(fnmatchcase(schema, pattern) for pattern in self.schemas)
