"""Targets of a generated graph other than the dictionary: a directory of Parquet files, a database by JDBC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from dataflow_generator.build.coverage import Coverage
from scanner_dictionary.graph.store import StoredGraph
from scanner_model.errors import InputInvalid
from scanner_model.redaction import mask_url

PARQUET_DIRECTORY = "graph.parquet"
"""The directory of a graph, inside the one that `--output` names."""

DRIVERS: Mapping[str, str] = {
    "db2": "com.ibm.db2.jcc.DB2Driver",
    "h2": "org.h2.Driver",
    "mariadb": "org.mariadb.jdbc.Driver",
    "mysql": "com.mysql.cj.jdbc.Driver",
    "oracle": "oracle.jdbc.OracleDriver",
    "postgresql": "org.postgresql.Driver",
    "sqlserver": "com.microsoft.sqlserver.jdbc.SQLServerDriver",
}
"""The driver class by JDBC subprotocol; Java does not discover drivers in jars that Spark was given."""

_FASTER = {"postgresql": {"reWriteBatchedInserts": "true"}}


class Written(NamedTuple):
    """The manifest of a written graph, and its coverage."""

    about: StoredGraph
    coverage: Coverage


@dataclass(frozen=True, slots=True, kw_only=True)
class JdbcTarget:
    """A database by its JDBC *url*; *driver* is a class name, empty for known ones."""

    url: str = field(repr=False)
    user: str = ""
    password: str = field(default="", repr=False)
    driver: str = ""

    @property
    def masked_url(self) -> str:
        """Return the URL without secrets."""
        return mask_url(self.url)

    @property
    def kind(self) -> str:
        """Return the subprotocol, `h2` of `jdbc:h2:mem:`; raises InputInvalid for an invalid URL."""
        begin, _, rest = self.url.partition(":")
        kind, colon, _ = rest.partition(":")
        if begin != "jdbc" or not (kind and colon):
            raise InputInvalid(
                "is not a JDBC URL", where=f"--jdbc-url {self.masked_url}", hint="as in jdbc:postgresql://host/db"
            )
        return kind

    @property
    def properties(self) -> dict[str, str]:
        """Return the connection properties; raises InputInvalid for an unknown driver class."""
        driver = self.driver or DRIVERS.get(self.kind)
        if not driver:
            hint = f"name its class with --jdbc-driver; known are {', '.join(DRIVERS)}"
            raise InputInvalid(f"no driver is known for {self.kind!r}", where="--jdbc-url", hint=hint)
        properties = {"user": self.user, "password": self.password, "driver": driver}
        return {name: value for name, value in properties.items() if value} | _FASTER.get(self.kind, {})
