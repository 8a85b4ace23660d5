"""Settings of sources of one kind each: catalogs, databases, Flink, Kafka Streams, dbt projects, deployment files."""

from __future__ import annotations

from collections.abc import Mapping
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


CONFLUENT, CMF, JOB_MANAGER, SQL_GATEWAY, SQL_FILES = "confluent", "cmf", "jobmanager", "sql-gateway", "sql-files"
"""The kinds of Flink source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlinkSettings:
    """One Flink server; *type* is its entry in the table of Flink sources.

    *environment* is Confluent's, *organization* and *region* (cloud and region) Confluent Cloud's; empty elsewhere.
    """

    type: str
    http: HttpSettings
    name: str = ""
    organization: str = ""
    environment: str = ""
    region: str = ""

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan; a name stays when the address changes."""
        address = "/".join(filter(None, (self.http.url, self.environment)))
        return SourceId(f"flink:{self.name or address}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSettings:
    """Files that define jobs: what *pattern* matched when cluster.json was read, sorted; *base* is its directory.

    *secret_names* are names whose values are masked in the texts, in addition to those that always are.
    """

    pattern: str
    base: Path
    files: tuple[Path, ...] = ()
    secret_names: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlFilesSettings:
    """Files of Flink SQL; unqualified names in them resolve through *catalog* and *database*, which may be empty."""

    files: FileSettings
    name: str = ""
    catalog: str = ""
    database: str = ""

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan."""
        return SourceId(f"flink:{self.name or self.files.pattern}")


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamsSettings:
    """Topologies of Kafka Streams; *name* is the application id, empty where each file's stem is one."""

    files: FileSettings
    name: str = ""

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan."""
        return SourceId(f"streams:{self.name or self.files.pattern}")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class DbtSettings:
    """One dbt project by its manifest; *namespace* is OpenLineage's of the warehouse that it builds tables in."""

    files: FileSettings
    namespace: str
    name: str = ""

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan; a name stays when the file moves."""
        return SourceId(f"dbt:{self.name or self.files.pattern}")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentSettings:
    """Files that declare topics and connectors."""

    files: FileSettings
    name: str = ""

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan; a name stays when the files move."""
        return SourceId(f"files:{self.name or self.files.pattern}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicFiles:
    """Files that describe topics and their users: the pattern of their paths, and where each member is in them.

    *each* is the JSONPath of the entries of a document. The members hold expressions, and the first with a result
    counts: a JSONPath from the document (`$.name`) or the entry (`@.name`), or a text with such paths in braces. A
    description is of a *topic* with its *readers* and *writers*, or of a *program* with the topics that it *reads* and
    *writes*. *schemas* and *key_schemas* are names of schema files.
    """

    files: str
    each: str = "$"
    topic: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()
    writers: tuple[str, ...] = ()
    program: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    owner: tuple[str, ...] = ()
    description: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    schemas: tuple[str, ...] = ()
    key_schemas: tuple[str, ...] = ()


SUBJECT = "{subject}"
"""What stands for the subject in the pattern of schema files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositorySettings:
    """A directory of files as teams keep them in git, in which the files that are read are found by content.

    *pattern* is as it was written, *directory* what it means; a pattern of schema files may have SUBJECT. *kinds* are
    the kinds of files that are read; empty: all. *files* are the patterns of paths in the directory that are read;
    empty: all. *variables* are values for placeholders. *engine* is the SQL engine of statements; empty: it is
    recognised. *topic_files* are descriptions of topics in forms of the user's own, in addition to those that
    `.scanner.yaml` of the directory lists. *beside* are the directories of the cluster's other repositories: places
    then start with the name of the repository, and libraries in the others are followed.
    """

    pattern: str
    directory: Path
    name: str = ""
    kinds: frozenset[str] = frozenset()
    files: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    engine: str = ""
    secret_names: frozenset[str] = frozenset()
    topic_files: tuple[TopicFiles, ...] = ()
    beside: tuple[Path, ...] = ()

    @property
    def source(self) -> SourceId:
        """Return the identity of this source in every scan; a name stays when the directory moves."""
        return SourceId(f"repository:{self.name or self.pattern}")
