"""Frames into tables of a database that Java has a driver for: beside the tables of those names, then for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scanner_model.errors import InputInvalid, ScannerError
from scanner_model.redaction import mask_text, mask_url

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

DRIVERS: Mapping[str, str] = {
    "db2": "com.ibm.db2.jcc.DB2Driver",
    "h2": "org.h2.Driver",
    "mariadb": "org.mariadb.jdbc.Driver",
    "mysql": "com.mysql.cj.jdbc.Driver",
    "oracle": "oracle.jdbc.OracleDriver",
    "postgresql": "org.postgresql.Driver",
    "sqlserver": "com.microsoft.sqlserver.jdbc.SQLServerDriver",
}
"""The class of the driver by what stands behind `jdbc:`; Java does not find one in a jar that Spark was given."""

_FASTER = {"postgresql": {"reWriteBatchedInserts": "true"}}
_ROWS_AT_ONCE = "10000"


@dataclass(frozen=True, slots=True, kw_only=True)
class JdbcTarget:
    """A database by its JDBC *url*; *driver* is a class's name, empty for the known ones."""

    url: str = field(repr=False)
    user: str = ""
    password: str = field(default="", repr=False)
    driver: str = ""

    @property
    def place(self) -> str:
        """Give the URL as it may be told."""
        return mask_url(self.url)

    @property
    def kind(self) -> str:
        """Give the word for the database: `h2` of `jdbc:h2:mem:`; raises InputInvalid for no such URL."""
        begin, _, rest = self.url.partition(":")
        kind, colon, _ = rest.partition(":")
        if begin != "jdbc" or not (kind and colon):
            raise InputInvalid(
                "is no JDBC URL", where=f"--jdbc-url {self.place}", hint="as in jdbc:postgresql://host/db"
            )
        return kind

    @property
    def properties(self) -> dict[str, str]:
        """Give what the driver is told; raises InputInvalid where nobody knows its class."""
        driver = self.driver or DRIVERS.get(self.kind)
        if not driver:
            hint = f"name its class with --jdbc-driver; known are {', '.join(DRIVERS)}"
            raise InputInvalid(f"no driver is known for {self.kind!r}", where="--jdbc-url", hint=hint)
        told = {"user": self.user, "password": self.password, "driver": driver}
        return {name: value for name, value in told.items() if value} | _FASTER.get(self.kind, {})


def check_reachable(spark: SparkSession, target: JdbcTarget) -> None:
    """Connect once, before any work is done; raises as `replace_tables` does."""
    with _told(target), _connected(spark, target):
        return


def replace_tables(spark: SparkSession, frames: Mapping[str, DataFrame], target: JdbcTarget) -> dict[str, int]:
    """Put *frames* in place of the tables of these names, in one transaction where the database has such ones.

    Tasks write `NAME_new` beside each table. Gives the rows of each. Raises InputInvalid where the database cannot be
    reached, ScannerError where it refuses, or where a task that was tried twice wrote its rows twice: the tables then
    stay as they were.
    """
    with _told(target):
        counts = {name: _stage(frame, f"{name}_new", target) for name, frame in frames.items()}
        with _connected(spark, target) as connection:
            for name, rows in counts.items():
                _check(connection, f"{name}_new", rows, target)
            _swap(connection, counts)
    return counts


def _stage(frame: DataFrame, table: str, target: JdbcTarget) -> int:
    """Write *frame* as *table*; give how many rows the tasks that count wrote."""
    from pyspark.sql import Observation
    from pyspark.sql import functions as f

    seen = Observation()
    written = frame.observe(seen, f.count(f.lit(1)).alias("rows")).write.option("batchsize", _ROWS_AT_ONCE)
    written.jdbc(target.url, table, mode="overwrite", properties=target.properties)
    return int(seen.get["rows"])


def _check(connection: Any, table: str, rows: int, target: JdbcTarget) -> None:  # noqa: ANN401 - Java has no types here
    found = connection.createStatement().executeQuery(f"SELECT COUNT(*) FROM {table}")  # noqa: S608 - our own names
    found.next()
    if found.getLong(1) != rows:
        what = f"{table} holds {found.getLong(1)} rows, and {rows} were made: a task was tried twice"
        raise ScannerError(what, where=target.place, hint="run it again; the tables are as they were before")


def _swap(connection: Any, names: Mapping[str, int]) -> None:  # noqa: ANN401 - Java has no types here
    connection.setAutoCommit(False)
    statement = connection.createStatement()
    for name in names:
        statement.executeUpdate(f"DROP TABLE IF EXISTS {name}")
        statement.executeUpdate(f"ALTER TABLE {name}_new RENAME TO {name}")
    connection.commit()


@contextmanager
def _connected(spark: SparkSession, target: JdbcTarget) -> Iterator[Any]:
    """Connect as Spark's own writer does, from its driver."""
    java: Any = spark._jvm
    told = java.PythonUtils.toScalaMap(target.properties)
    options = java.org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions(target.url, "any", told)
    dialect = java.org.apache.spark.sql.jdbc.JdbcDialects.get(target.url)
    connection = dialect.createConnectionFactory(options).apply(-1)
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def _told(target: JdbcTarget) -> Iterator[None]:
    """Say what the database or its driver said, without Java's trace; raises ScannerError."""
    from py4j.protocol import Py4JJavaError

    try:
        yield
    except Py4JJavaError as error:
        cause = error.java_exception
        while cause.getCause() is not None:
            cause = cause.getCause()
        said = mask_text(str(cause.getMessage()).splitlines()[0])
        if cause.getClass().getSimpleName() == "ClassNotFoundException":
            hint = "hand its jar over: --spark-conf spark.jars=/path/driver.jar"
            raise InputInvalid(f"the driver {said} was not found", where="--jdbc-url", hint=hint) from error
        hint = "look at the database; its tables are as they were before"
        raise ScannerError(f"the database refused: {said}", where=target.place, hint=hint) from error
