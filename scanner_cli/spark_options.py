"""Options that choose an engine, configure Spark, and name the database that Spark writes a graph to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from scanner_cli import library
from scanner_cli.choices import ENGINES
from scanner_cli.console import echo_err
from scanner_cli.options import dictionary_option, directory_option, one_of
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from scanner_api.dictionary import Dictionary
    from scanner_api.graph.generate import JdbcTarget
    from scanner_api.spark import SparkChoice

Command = TypeVar("Command", bound=Callable[..., Any])


_AS_OF = "The graph of this scan, or the newest one at this date or time (ISO 8601), instead of the last one."


def graph_options(command: Command) -> Callable[..., Any]:
    """Add the options that locate the graph to a command, as its argument *source*."""

    @wraps(command)
    def with_source(*, dictionary: Dictionary, directory: Path | None, as_of: str | None, **others: object) -> object:
        return command(source=library.GraphSource(dictionary, directory, echo_err, as_of), **others)

    moment = click.option("--as-of", metavar="SCAN|DATE", help=_AS_OF)
    text = "Read the graph from Parquet files of `scanner dictionary dataflow --format parquet --output DIR` instead."
    return dictionary_option(directory_option("--graph", text, "directory")(moment(with_source)))


_URL = "Write the graph into tables graph_node, graph_edge and graph_about of this database, too, on Spark."
_DRIVER = "The Java class of its driver, if scanner does not know it; its jar: --spark-conf spark.jars=FILE."


def jdbc_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name a database to a command, as its argument *jdbc*; None where none is named."""

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
    if not url:
        return None
    target = library.JdbcTarget(url=url, user=user, password=password, driver=driver)
    target.properties  # noqa: B018 - raises for a bad URL before any work is done
    return target


def spark_for(jdbc: JdbcTarget | None, spark: SparkChoice) -> SparkChoice:
    """Return an engine choice that can write to *jdbc*; raises InputInvalid where *spark* rules it out."""
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


def spark_options(command: Callable[..., Any], text: str) -> Callable[..., Any]:
    """Add the options that choose an engine and configure Spark to a command, as its argument *spark*."""

    @wraps(command)
    def with_spark(*, engine: str, conf: Sequence[str], remote: str, **others: object) -> object:
        if remote and engine == "local":
            what = "a Spark server is named, but the engine is local"
            raise InputInvalid(what, where="--engine local", hint="leave out --engine, or --spark-remote")
        return command(spark=library.SparkChoice(engine, dict(map(spark_setting, conf)), remote), **others)

    wanted = one_of("--engine", words=ENGINES, text=text, default="auto", show_default=True)
    text = "A setting of Spark; repeatable."
    conf = click.option("--spark-conf", "conf", multiple=True, metavar="NAME=VALUE", help=text)
    text = "Run in this Spark Connect server."
    remote = click.option("--spark-remote", "remote", default="", metavar="sc://HOST:PORT", help=text)
    return wanted(conf(remote(with_spark)))


def spark_setting(text: str) -> tuple[str, str]:
    """Read NAME=VALUE; raises InputInvalid for anything else."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        hint = "as in --spark-conf spark.driver.memory=4g"
        raise InputInvalid(f"{text!r} is not NAME=VALUE", where="--spark-conf", hint=hint)
    return name, value
