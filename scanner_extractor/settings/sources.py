"""Settings that several systems share: catalogs of tables, services of AWS, files."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from scanner_extractor.settings.cluster import HttpSettings
from scanner_model.names import SourceId


class Lineage(StrEnum):
    """How much lineage is read from a catalog; each level costs more requests."""

    NONE = "none"
    TABLES = "tables"
    COLUMNS = "columns"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which tables matter: globs of names, none of a kind for all of it.

    *catalogs* are catalogs or projects; *schemas* schemas, databases, datasets or namespaces; *tables* the tables' own
    names.
    """

    catalogs: tuple[str, ...] = ()
    schemas: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()

    def catalog(self, name: str) -> bool:
        """Return whether a catalog may hold tables that matter."""
        return _fits(name, self.catalogs)

    def schema(self, name: str) -> bool:
        """Return whether a schema may hold tables that matter."""
        return _fits(name, self.schemas)

    def table(self, name: str) -> bool:
        """Return whether a table of a schema that matters does so itself."""
        return _fits(name, self.tables)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogSettings:
    """One catalog of tables; *type* is its entry in the table of catalogs, *name* the user's name for it (or empty).

    *options* are the settings of its type: members of cluster.json, for a plug-in what its `parse` makes of them.
    *place* tells it apart from others of its type; empty: its address does. *aliases* are other addresses of the
    server: `host` or `host:port`, of an Iceberg catalog whole ones.
    """

    type: str
    http: HttpSettings
    name: str = ""
    wanted: Wanted = Wanted()
    lineage: Lineage = Lineage.TABLES
    options: Any = field(default_factory=dict, repr=False)
    place: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan; a name stays when the address changes."""
        return SourceId(f"catalog:{self.name or f'{self.type}:{self.place or self.http.url}'}")


def _fits(name: str, patterns: tuple[str, ...]) -> bool:
    return not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSettings:
    """Files that define jobs: what *pattern* matched when cluster.json was read, sorted; *base* is its directory.

    *secret_names* are names whose values are masked in the texts, in addition to those that always are.
    """

    pattern: str
    base: Path
    files: tuple[Path, ...] = ()
    secret_names: frozenset[str] = frozenset()
