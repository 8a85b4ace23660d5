"""The options that name a database for Spark's tasks to write to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from scanner_cli.console import echo_err
from scanner_cli.graph.engines import SparkChoice
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from dataflow_generator.spark.jdbc import JdbcTarget

_URL = "Write the graph into tables graph_node, graph_edge and graph_about of this database, too, on Spark."
_DRIVER = "The Java class of its driver, where scanner does not know it; its jar: --spark-conf spark.jars=FILE."


def jdbc_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command the options that name a database, as its argument *jdbc*; None where none is named."""

    @wraps(command)
    def with_target(*, jdbc_url: str, jdbc_user: str, jdbc_password: str, jdbc_driver: str, **others: object) -> object:
        return command(jdbc=_target(jdbc_url, jdbc_user, jdbc_password, jdbc_driver), **others)

    named = click.option("--jdbc-url", default="", metavar="jdbc:KIND:…", help=_URL)
    user = click.option(
        "--jdbc-user", envvar="SCANNER_JDBC_USER", default="", metavar="NAME", help="Else from SCANNER_JDBC_USER."
    )
    password = click.option(
        "--jdbc-password",
        envvar="SCANNER_JDBC_PASSWORD",
        default="",
        metavar="WORD",
        help="Better from SCANNER_JDBC_PASSWORD.",
    )
    driver = click.option("--jdbc-driver", default="", metavar="CLASS", help=_DRIVER)
    return named(user(password(driver(with_target))))


def _target(url: str, user: str, password: str, driver: str) -> JdbcTarget | None:
    from dataflow_generator.spark.jdbc import JdbcTarget

    if not url:
        return None
    target = JdbcTarget(url=url, user=user, password=password, driver=driver)
    target.properties  # noqa: B018 - says what is wrong with the URL before any work is done
    return target


def spark_for(jdbc: JdbcTarget | None, spark: SparkChoice) -> SparkChoice:
    """Choose an engine that can write to *jdbc*, and say so; raises InputInvalid where *spark* rules it out."""
    if jdbc is None or (spark.wanted == "spark" and not spark.remote):
        return spark
    if spark.remote:
        what = "a Spark Connect server does not let its clients swap tables"
        raise InputInvalid(
            what, where="--jdbc-url", hint="run it with spark-submit, or with --spark-conf spark.master=…"
        )
    if spark.wanted == "local":
        raise InputInvalid("Spark's tasks write to a database", where="--jdbc-url", hint="use --engine spark")
    echo_err("engine spark: its tasks write to --jdbc-url")
    return replace(spark, wanted="spark")
