"""Settings of Flink: servers, and files of SQL."""

from __future__ import annotations

from dataclasses import dataclass

from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.settings.sources import FileSettings
from scanner_model.names import SourceId

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
