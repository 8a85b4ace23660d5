"""What runs on a session of Spark; this module needs PySpark, and `spark.SparkChoice.session` alone imports it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dataflow_generator.build.dictionary_source import DictionarySource
from dataflow_generator.build.targets import JdbcTarget, Written
from dataflow_generator.graph import FlowGraph
from dataflow_generator.spark.assemble import assemble_on_spark, write_database, write_graph
from dataflow_generator.spark.session import map_bytes, report_tasks, spark_session
from scanner_api.files import GraphProgress


@dataclass(frozen=True, slots=True)
class SparkEngine:
    """A session of Spark with what scans and graph generations run on it."""

    session: Any

    def map(self, function: Callable[[bytes], bytes], items: Iterable[bytes]) -> Iterator[bytes]:
        """Return *function* of each of *items*, in their order; tasks on the workers call it."""
        return map_bytes(self.session, function, items)

    def report(self, progress: GraphProgress) -> AbstractContextManager[None]:
        """Report finished tasks to *progress* inside the `with` block."""
        return report_tasks(self.session, progress)

    def graph(self, source: DictionarySource) -> FlowGraph:
        """Return the graph of *source*; its rows are computed when they are read."""
        return assemble_on_spark(self.session, source)

    def write_files(self, source: DictionarySource, directory: Path) -> Written:
        """Write the graph of *source* as Parquet files into *directory*."""
        return write_graph(self.session, source, directory)

    def write_tables(self, source: DictionarySource, target: JdbcTarget) -> Written:
        """Write the graph of *source* into the tables of *target*."""
        return write_database(self.session, source, target)


@contextmanager
def spark_engine(settings: Mapping[str, str], remote: str, *, light: bool) -> Iterator[SparkEngine]:
    """Start Spark for the `with` block; *light*: rows do not pass through Java."""
    with spark_session(settings, remote=remote, light=light) as session:
        yield SparkEngine(session)
