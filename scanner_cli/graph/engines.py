"""The engines that generate or read a graph: which one is taken and why, and what each can make of a dictionary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from scanner_cli.console import echo_err
from scanner_cli.options import one_of
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from dataflow_generator.build.dictionary_source import DictionarySource
    from dataflow_generator.build.progress import ProgressCallback
    from dataflow_generator.graph import FlowGraph
    from dataflow_generator.parquet.manifest import Written
    from dataflow_generator.spark.jdbc import JdbcTarget
    from scanner_dictionary.engine.open import Engine
    from scanner_dictionary.graph.store import StoredGraph

ENGINES = ("auto", "local", "spark")

LARGE = 2_000_000
"""Columns from which `--engine auto` chooses Spark: below, starting a JVM costs more than it saves."""


class Generation(NamedTuple):
    """One engine's ways to generate the graph: into a dictionary, its rows one after the other, as Parquet, by JDBC."""

    store: Callable[[Engine], StoredGraph]
    graph: Callable[[], AbstractContextManager[FlowGraph]]
    parquet: Callable[[Path], Written]
    database: Callable[[JdbcTarget], Written] | None = None


@dataclass(frozen=True, slots=True)
class SparkChoice:
    """The engine that is *wanted*, auto, local or spark; *settings* and *remote* are Spark's."""

    wanted: str = "auto"
    settings: Mapping[str, str] = field(default_factory=dict, repr=False)
    remote: str = field(default="", repr=False)

    @property
    def asked(self) -> bool:
        """Report whether somebody asked for Spark, or told it something."""
        return self.wanted == "spark" or bool(self.remote or self.settings)

    def choose(self, size: int, large: int, what: str) -> str:
        """Return the engine wanted; of `auto` the one that fits *size* in *what*, and say which and why."""
        if self.wanted != "auto":
            return self.wanted
        if self.remote:
            echo_err("engine spark: --spark-remote names a server")
            return "spark"
        chosen = "spark" if size >= large else "local"
        echo_err(f"engine {chosen}: {size} {what} (Spark from {large})")
        return chosen

    def session(self, *, light: bool = False) -> AbstractContextManager[Any]:
        """Start Spark, and stop it afterwards; *light*: rows do not pass through Java."""
        from dataflow_generator.spark.session import spark_session

        return spark_session(self.settings, remote=self.remote, light=light)


def spark_options(command: Callable[..., Any], text: str) -> Callable[..., Any]:
    """Return a command the options that choose an engine and set Spark up, as its argument *spark*."""

    @wraps(command)
    def with_spark(*, engine: str, conf: Sequence[str], remote: str, **others: object) -> object:
        if remote and engine == "local":
            what = "a Spark server is named, and Spark is not wanted"
            raise InputInvalid(what, where="--engine local", hint="leave out --engine, or --spark-remote")
        return command(spark=SparkChoice(engine, dict(map(spark_setting, conf)), remote), **others)

    wanted = one_of("--engine", words=ENGINES, text=text, default="auto", show_default=True)
    text = "A setting of Spark; repeatable."
    conf = click.option("--spark-conf", "conf", multiple=True, metavar="NAME=VALUE", help=text)
    text = "Run in this Spark Connect server."
    remote = click.option("--spark-remote", "remote", default="", metavar="sc://HOST:PORT", help=text)
    return wanted(conf(remote(with_spark)))


@dataclass(frozen=True, slots=True)
class Engines:
    """The engines for the dictionary at *url*, or its *snapshot*."""

    url: str = field(repr=False)
    snapshot: Path | None
    spark: SparkChoice

    def choose(self) -> str:
        """Get the engine that is wanted; of `auto` the one that fits the number of columns, and say which and why."""
        if self.spark.wanted != "auto" or self.spark.remote:
            return self.spark.choose(0, LARGE, "columns")
        from scanner_dictionary.lineage_inputs.topics import column_count

        with self.source().connected() as conn:
            columns = column_count(conn)
        return self.spark.choose(columns, LARGE, "columns")

    @contextmanager
    def started(self, engine: str, told: ProgressCallback, *, light: bool = False) -> Iterator[Generation]:
        """Start *engine*, and stop it afterwards; *told* is told how far it is. *light*: only Parquet is written."""
        if engine == "spark":
            from dataflow_generator.spark.assemble import assemble_on_spark, write_database, write_graph
            from dataflow_generator.spark.progress import report_tasks
            from scanner_dictionary.engine.url import from_anywhere

            source = replace(self, url=from_anywhere(self.url)).source()

            with self.spark.session(light=light) as session, report_tasks(session, told):
                yield Generation(
                    lambda engine: _store(engine, nullcontext(assemble_on_spark(session, source))),
                    lambda: nullcontext(assemble_on_spark(session, source)),
                    lambda file: write_graph(session, source, file),
                    lambda target: write_database(session, source, target),
                )
        else:
            source = self.source()
            yield Generation(
                lambda engine: _store_here(engine, told) if self.snapshot is None else _store(engine, _local(source)),
                lambda: _local(source),
                lambda file: _write_here(source, file, told),
            )

    def source(self) -> DictionarySource:
        """Return what the graph is made of."""
        from dataflow_generator.build.dictionary_source import DictionarySource, SnapshotSource

        return DictionarySource(self.url) if self.snapshot is None else SnapshotSource(str(self.snapshot.absolute()))


def spark_setting(text: str) -> tuple[str, str]:
    """Read NAME=VALUE; raises InputInvalid for anything else."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        hint = "as in --spark-conf spark.driver.memory=4g"
        raise InputInvalid(f"{text!r} is not NAME=VALUE", where="--spark-conf", hint=hint)
    return name, value


def _store_here(engine: Engine, told: ProgressCallback) -> StoredGraph:
    from dataflow_generator.build.store import generate

    return generate(engine, told)


def _store(engine: Engine, made: AbstractContextManager[FlowGraph]) -> StoredGraph:
    from dataflow_generator.build.store import store

    with made as graph:
        return store(engine, graph)


def _write_here(source: DictionarySource, file: Path, told: ProgressCallback) -> Written:
    from dataflow_generator.parquet.writer import write_graph

    return write_graph(source, file, told)


@contextmanager
def _local(source: DictionarySource) -> Iterator[FlowGraph]:
    from dataflow_generator.build.assemble import build_graph, read_flows

    # A connection that has read would keep the dictionary from being written.
    with source.connected() as conn:
        flows = read_flows(conn)
    with source.connected() as conn:
        yield build_graph(conn, flows)
