"""The engines that generate a graph, this process or Spark: which one is chosen, and what each can write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from dataflow_generator.build import store as graph_store
from dataflow_generator.build.assemble import build_graph, read_flows
from dataflow_generator.build.dictionary_source import DictionarySource, SnapshotSource
from dataflow_generator.build.snapshot import load_snapshot
from dataflow_generator.build.targets import JdbcTarget, Written
from dataflow_generator.graph import FlowGraph
from scanner_api.files import GraphProgress, Notify, ignore
from scanner_api.graph.parquet import write_files
from scanner_api.spark import SparkChoice
from scanner_dictionary.engine.open import Engine, from_anywhere
from scanner_dictionary.graph.store import StoredGraph
from scanner_dictionary.lineage_inputs.topics import column_count

LARGE = 2_000_000
"""Columns from which `--engine auto` has Spark write files: below, starting a JVM costs more than it saves."""


class Generation(NamedTuple):
    """What one engine can do: store the graph in a dictionary, yield its rows, write them as Parquet or by JDBC."""

    store: Callable[[Engine], StoredGraph]
    graph: Callable[[], AbstractContextManager[FlowGraph]]
    parquet: Callable[[Path], Written]
    database: Callable[[JdbcTarget], Written] | None = None


@dataclass(frozen=True, slots=True)
class Engines:
    """The engines for the dictionary at *url*, or for a Parquet export of it, *snapshot*."""

    url: str = field(repr=False)
    snapshot: Path | None
    spark: SparkChoice
    notify: Notify = field(default=ignore, repr=False)

    def choose(self, *, in_parts: bool) -> str:
        """Return `local` or `spark`; for auto Spark where many columns are written *in_parts*, and notify why.

        One process writes the dictionary and single files: rows that tasks build take longer to get there.
        """
        if self.spark.wanted != "auto" or self.spark.remote:
            return self.spark.choose(0, LARGE, "columns", self.notify)
        if not in_parts:
            return "local"
        with self.source().connected() as conn:
            columns = column_count(conn)
        return self.spark.choose(columns, LARGE, "columns", self.notify)

    @contextmanager
    def started(self, engine: str, progress: GraphProgress, *, light: bool = False) -> Iterator[Generation]:
        """Start *engine* for the `with` block, reporting to *progress*; *light*: only Parquet is written."""
        if engine == "spark":
            source = replace(self, url=from_anywhere(self.url)).source()
            with self.spark.session(light=light) as spark, spark.report(progress):
                yield Generation(
                    lambda engine: graph_store.store(engine, spark.graph(source)),
                    lambda: nullcontext(spark.graph(source)),
                    lambda directory: spark.write_files(source, directory),
                    lambda target: spark.write_tables(source, target),
                )
        else:
            source = self.source()
            yield Generation(
                lambda engine: self._store_local(engine, source, progress),
                lambda: _local(source),
                lambda directory: write_files(source, directory, progress),
            )

    def source(self) -> DictionarySource:
        """Return the dictionary, or the snapshot of it, that the graph is built from."""
        return DictionarySource(self.url) if self.snapshot is None else SnapshotSource(str(self.snapshot.absolute()))

    def _store_local(self, engine: Engine, source: DictionarySource, progress: GraphProgress) -> StoredGraph:
        if self.snapshot is None:
            return graph_store.generate(engine, progress)
        with _local(source) as graph:
            return graph_store.store(engine, graph)


@contextmanager
def _local(source: DictionarySource) -> Iterator[FlowGraph]:
    with source.connected() as conn:
        snapshot = load_snapshot(conn)
        flows = read_flows(snapshot)
        # A transaction that has read would keep the dictionary from being written.
        conn.rollback()
        yield build_graph(snapshot, flows)
