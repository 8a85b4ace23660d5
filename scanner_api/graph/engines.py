"""The engines that generate or read a graph, this process or Spark: which one is chosen, and what each can write."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scanner_api.files import GraphProgress, Notify, ignore

if TYPE_CHECKING:
    from dataflow_generator.build.dictionary_source import DictionarySource
    from dataflow_generator.build.targets import JdbcTarget, Written
    from dataflow_generator.graph import FlowGraph
    from scanner_dictionary.engine.open import Engine
    from scanner_dictionary.graph.store import StoredGraph

ENGINES = ("auto", "local", "spark")

LARGE = 2_000_000
"""Columns from which `--engine auto` chooses Spark: below, starting a JVM costs more than it saves."""


class Generation(NamedTuple):
    """What one engine can do: store the graph in a dictionary, yield its rows, write them as Parquet or by JDBC."""

    store: Callable[[Engine], StoredGraph]
    graph: Callable[[], AbstractContextManager[FlowGraph]]
    parquet: Callable[[Path], Written]
    database: Callable[[JdbcTarget], Written] | None = None


@dataclass(frozen=True, slots=True)
class SparkChoice:
    """The requested engine: *wanted* is auto, local or spark.

    *settings* are Spark's (`spark.driver.memory`: `4g`); *remote* is the address of a Spark Connect server, or empty.
    """

    wanted: str = "auto"
    settings: Mapping[str, str] = field(default_factory=dict, repr=False)
    remote: str = field(default="", repr=False)

    @property
    def is_requested(self) -> bool:
        """Return whether Spark itself was requested or configured."""
        return self.wanted == "spark" or bool(self.remote or self.settings)

    def choose(self, size: int, large: int, what: str, notify: Notify = ignore) -> str:
        """Return `local` or `spark`; for auto by *size*, counted in *what*, and *notify* gets which one and why."""
        if self.wanted != "auto":
            return self.wanted
        if self.remote:
            notify("engine spark: --spark-remote names a server")
            return "spark"
        chosen = "spark" if size >= large else "local"
        notify(f"engine {chosen}: {size} {what} (Spark from {large})")
        return chosen

    def session(self, *, light: bool = False) -> AbstractContextManager[Any]:
        """Start Spark for the `with` block; *light*: rows do not pass through Java."""
        from dataflow_generator.spark.session import spark_session

        return spark_session(self.settings, remote=self.remote, light=light)


@dataclass(frozen=True, slots=True)
class Engines:
    """The engines for the dictionary at *url*, or for a Parquet export of it, *snapshot*."""

    url: str = field(repr=False)
    snapshot: Path | None
    spark: SparkChoice
    notify: Notify = field(default=ignore, repr=False)

    def choose(self) -> str:
        """Return `local` or `spark`; for auto by the number of columns, and notify which one and why."""
        if self.spark.wanted != "auto" or self.spark.remote:
            return self.spark.choose(0, LARGE, "columns", self.notify)
        from scanner_dictionary.lineage_inputs.topics import column_count

        with self.source().connected() as conn:
            columns = column_count(conn)
        return self.spark.choose(columns, LARGE, "columns", self.notify)

    @contextmanager
    def started(self, engine: str, progress: GraphProgress, *, light: bool = False) -> Iterator[Generation]:
        """Start *engine* for the `with` block, reporting to *progress*; *light*: only Parquet is written."""
        if engine == "spark":
            from dataflow_generator.spark.assemble import assemble_on_spark, write_database, write_graph
            from dataflow_generator.spark.progress import report_tasks
            from scanner_dictionary.engine.open import from_anywhere

            source = replace(self, url=from_anywhere(self.url)).source()

            with self.spark.session(light=light) as session, report_tasks(session, progress):
                yield Generation(
                    lambda engine: _store(engine, nullcontext(assemble_on_spark(session, source))),
                    lambda: nullcontext(assemble_on_spark(session, source)),
                    lambda file: write_graph(session, source, file),
                    lambda target: write_database(session, source, target),
                )
        else:
            source = self.source()
            yield Generation(
                lambda engine: (
                    _store_local(engine, progress) if self.snapshot is None else _store(engine, _local(source))
                ),
                lambda: _local(source),
                lambda file: _write_local(source, file, progress),
            )

    def source(self) -> DictionarySource:
        """Return the dictionary, or the snapshot of it, that the graph is built from."""
        from dataflow_generator.build.dictionary_source import DictionarySource, SnapshotSource

        return DictionarySource(self.url) if self.snapshot is None else SnapshotSource(str(self.snapshot.absolute()))


def _store_local(engine: Engine, progress: GraphProgress) -> StoredGraph:
    from dataflow_generator.build.store import generate

    return generate(engine, progress)


def _store(engine: Engine, opened: AbstractContextManager[FlowGraph]) -> StoredGraph:
    from dataflow_generator.build.store import store

    with opened as graph:
        return store(engine, graph)


def _write_local(source: DictionarySource, file: Path, progress: GraphProgress) -> Written:
    from dataflow_generator.parquet.writer import write_graph

    return write_graph(source, file, progress)


@contextmanager
def _local(source: DictionarySource) -> Iterator[FlowGraph]:
    from dataflow_generator.build.assemble import build_graph, read_flows
    from dataflow_generator.build.snapshot import load_snapshot

    with source.connected() as conn:
        snapshot = load_snapshot(conn)
        flows = read_flows(snapshot)
        # A transaction that has read would keep the dictionary from being written.
        conn.rollback()
        yield build_graph(snapshot, flows)
