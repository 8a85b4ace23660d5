"""Write DataFrames to database tables through JDBC: into staging tables, which then replace the tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as f

from dataflow_generator.build.targets import JdbcTarget
from scanner_model.errors import InputInvalid, ScannerError
from scanner_model.redaction import mask_text

_ROWS_AT_ONCE = "10000"


def check_reachable(spark: SparkSession, target: JdbcTarget) -> None:
    """Connect once, before any work is done; raises what `replace_tables` raises."""
    with _database_errors(target), _connected(spark, target):
        return


def replace_tables(spark: SparkSession, frames: Mapping[str, DataFrame], target: JdbcTarget) -> dict[str, int]:
    """Replace the tables of these names by *frames*, in one transaction where the database supports it for DDL.

    Tasks write staging tables `NAME_new`. Returns the row count of each. Raises InputInvalid for an unreachable
    database, ScannerError where it reports an error, or where a retried task wrote its rows twice: the tables are then
    unchanged.
    """
    with _database_errors(target):
        counts = {name: _stage(frame, f"{name}_new", target) for name, frame in frames.items()}
        with _connected(spark, target) as connection:
            for name, rows in counts.items():
                _check(connection, f"{name}_new", rows, target)
            _swap(connection, counts)
    return counts


def _stage(frame: DataFrame, table: str, target: JdbcTarget) -> int:
    """Write *frame* as *table*; return the number of rows of successful tasks."""
    observation = Observation()
    written = frame.observe(observation, f.count(f.lit(1)).alias("rows")).write.option("batchsize", _ROWS_AT_ONCE)
    written.jdbc(target.url, table, mode="overwrite", properties=target.properties)
    return int(observation.get["rows"])


def _check(connection: Any, table: str, rows: int, target: JdbcTarget) -> None:  # noqa: ANN401 - Java has no types here
    result = connection.createStatement().executeQuery(f"SELECT COUNT(*) FROM {table}")  # noqa: S608 - our own names
    result.next()
    if result.getLong(1) != rows:
        what = f"{table} has {result.getLong(1)} rows instead of {rows}: a task was retried"
        raise ScannerError(what, where=target.masked_url, hint="run it again; the tables are unchanged")


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
    properties = java.PythonUtils.toScalaMap(target.properties)
    options = java.org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions(target.url, "any", properties)
    dialect = java.org.apache.spark.sql.jdbc.JdbcDialects.get(target.url)
    connection = dialect.createConnectionFactory(options).apply(-1)
    try:
        yield connection
    finally:
        connection.close()


@contextmanager
def _database_errors(target: JdbcTarget) -> Iterator[None]:
    """Raise ScannerError for errors of the database or its driver, without the Java stack trace."""
    try:
        yield
    except Py4JJavaError as error:
        cause = error.java_exception
        while cause.getCause() is not None:
            cause = cause.getCause()
        message = mask_text(str(cause.getMessage()).splitlines()[0])
        if cause.getClass().getSimpleName() == "ClassNotFoundException":
            hint = "add its jar: --spark-conf spark.jars=/path/driver.jar"
            raise InputInvalid(f"driver {message} not found", where="--jdbc-url", hint=hint) from error
        hint = "check the database; its tables are unchanged"
        raise ScannerError(f"the database reported: {message}", where=target.masked_url, hint=hint) from error
