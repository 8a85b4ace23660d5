"""The engines that generate a graph: which one is taken, and what each can make of a dictionary or a snapshot of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scanner_cli.telling import say
from scanner_model.errors import InputInvalid

if TYPE_CHECKING:
    from dataflow_generator.columnar.about import Written
    from dataflow_generator.graph import FlowGraph
    from dataflow_generator.source import DictionarySource

LARGE = 2_000_000
"""Columns from which `--engine auto` chooses Spark: below, starting a JVM costs more than it saves."""


class Generation(NamedTuple):
    """One engine's ways to make the graph: its rows one after the other, or all of them as Parquet."""

    graph: Callable[[], AbstractContextManager[FlowGraph]]
    parquet: Callable[[Path], Written]


@dataclass(frozen=True, slots=True)
class Engines:
    """The engines for the dictionary at *url*, or its *snapshot*; *settings* and *remote* are Spark's."""

    url: str = field(repr=False)
    snapshot: Path | None
    settings: Mapping[str, str] = field(repr=False)
    remote: str

    def choose(self, wanted: str) -> str:
        """Give the engine *wanted*; of `auto` the one that fits the number of columns, and say which and why."""
        if wanted != "auto":
            return wanted
        if self.remote:
            say("engine spark: --spark-remote names a server")
            return "spark"
        from scanner_dictionary.queries.graph_input import column_count

        with self._source().connected() as conn:
            columns = column_count(conn)
        chosen = "spark" if columns >= LARGE else "local"
        say(f"engine {chosen}: {columns} columns (Spark from {LARGE})")
        return chosen

    @contextmanager
    def started(self, engine: str) -> Iterator[Generation]:
        """Start *engine*, and stop it afterwards."""
        source = self._source()
        if engine == "spark":
            from dataflow_generator.spark.assemble import assemble_on_spark, write_graph
            from dataflow_generator.spark.session import spark_session

            with spark_session(self.settings, remote=self.remote) as session:
                yield Generation(
                    lambda: nullcontext(assemble_on_spark(session, source)),
                    lambda file: write_graph(session, source, file),
                )
        else:
            from dataflow_generator.columnar.writing import write_graph as write_here

            yield Generation(lambda: _local(source), lambda file: write_here(source, file))

    def _source(self) -> DictionarySource:
        from dataflow_generator.source import DictionarySource, SnapshotSource

        return DictionarySource(self.url) if self.snapshot is None else SnapshotSource(str(self.snapshot.absolute()))


def spark_setting(text: str) -> tuple[str, str]:
    """Read NAME=VALUE; raises InputInvalid for anything else."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        hint = "as in --spark-conf spark.driver.memory=4g"
        raise InputInvalid(f"{text!r} is not NAME=VALUE", where="--spark-conf", hint=hint)
    return name, value


@contextmanager
def _local(source: DictionarySource) -> Iterator[FlowGraph]:
    from dataflow_generator.assemble import assemble, read_flows

    # A connection that has read would keep the dictionary from being written.
    with source.connected() as conn:
        flows = read_flows(conn)
    with source.connected() as conn:
        yield assemble(conn, flows)
