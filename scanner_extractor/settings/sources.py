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
class AwsSettings:
    """Where a service of AWS is; *profile* is one of AWS's configuration files, empty for the default credentials.

    *endpoint_url* replaces the region's public endpoint.
    """

    region: str
    profile: str = ""
    endpoint_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which tables matter: globs of names, none of a kind for all of it.

    *catalogs* are Unity's catalogs or Google's projects; *schemas* Unity's schemas, Glue's databases, BigQuery's
    datasets; *tables* the tables' own names.
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

    *aws* is None where it is not AWS's. *account* is the AWS account whose Glue catalog is meant, *domain* DataZone's,
    *location* where Google keeps the lineage, *warehouse* the SQL warehouse that Databricks' system tables are asked
    through, or Iceberg's; each is empty where it is not set. *lineage_days* bounds how old lineage from there may be.
    *endpoints* replace Google's public ones, by service. *options* are a plug-in's own settings: the JSON object
    of cluster.json, and for the plug-in's functions what its `parse` makes of it. *aliases* are other addresses of the
    server: `host` or `host:port`, of an Iceberg catalog whole ones.
    """

    type: str
    http: HttpSettings
    name: str = ""
    wanted: Wanted = Wanted()
    lineage: Lineage = Lineage.TABLES
    aws: AwsSettings | None = None
    account: str = ""
    domain: str = ""
    location: str = ""
    warehouse: str = ""
    lineage_days: int = 90
    endpoints: tuple[tuple[str, str], ...] = field(default=())
    options: Any = field(default_factory=dict, repr=False)
    aliases: tuple[str, ...] = ()

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan; a name stays when the address changes."""
        return SourceId(f"catalog:{self.name or self._address}")

    @property
    def _address(self) -> str:
        if self.aws:
            parts = (self.type, self.aws.endpoint_url or self.aws.region, self.aws.profile, self.account or self.domain)
            return ":".join(part for part in parts if part)
        if self.type == "iceberg" and self.warehouse:
            return f"{self.type}:{self.http.url}:{self.warehouse}"
        return f"{self.type}:{','.join(self.wanted.catalogs) if self.type == 'google' else self.http.url}"


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
