"""Questions to a graph in Parquet files that is too large for one process: its rows, and what hangs together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dataflow_generator.analysis.connectivity import CONNECTED, Component, Share, build_components
from dataflow_generator.parquet.dataset import ABOVE, EDGES, NODES, RowFilter
from dataflow_generator.parquet.manifest import GraphManifest
from dataflow_generator.parquet.reader import graph_in
from dataflow_generator.parquet.schema import ORDER, Record
from dataflow_generator.parquet.suggestions import likely
from dataflow_generator.query.stored_graph import GeneratedGraph
from dataflow_generator.query.traversal import Kinds

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_NODE, _COMPONENT = "node", "component"
_LISTED = 100
"""Values that are written into the question; more are a table that the rows are joined with."""


def graph_on_spark(spark: SparkSession, directory: Path, about: GraphManifest) -> GeneratedGraph:
    """Return the graph in *directory*, which every task must reach, read by Spark's tasks."""
    return graph_in(SparkTables(spark, directory), directory, about, lambda: _together(spark, directory))


class SparkTables:
    """The tables of the graph in *directory*: a question is a job, of which only the rows asked for come back."""

    def __init__(self, spark: SparkSession, directory: Path) -> None:
        self._spark = spark
        self._tables = {name: spark.read.parquet(f"{directory}/{name}") for name in (NODES, EDGES)}

    def rows(self, table: str, wanted: RowFilter, columns: Sequence[str] = ()) -> Iterator[Record]:
        """Read some rows."""
        frame = self._tables[table]
        found = frame.where(_condition(frame, wanted))
        if wanted.column and len(wanted.values) > _LISTED:
            values = [(value,) for value in sorted(wanted.values)]
            found = found.join(
                self._spark.createDataFrame(values, f"{wanted.column} string"), wanted.column, "left_semi"
            )
        chosen = found.select(*columns, *ORDER) if columns else found
        return (row.asDict() for row in chosen.orderBy(*ORDER).collect())

    def likely(self, wanted: RowFilter, text: str) -> Iterator[Record]:
        """Read likely names; each task gives those of its own."""

        def found(batches: Iterator[Any]) -> Iterator[Any]:
            return (batch for table in likely(batches, text) for batch in table.to_batches())

        frame = self._tables[NODES]
        named = frame.where(_condition(frame, wanted)).select("name", "path")
        return (row.asDict() for row in named.mapInArrow(found, "name string, path array<string>").collect())

    def every_row(self, table: str) -> Iterator[Record]:
        """Read all rows."""
        ordered = self._tables[table].orderBy(*ORDER)
        return (row.asDict() for row in ordered.toLocalIterator(prefetchPartitions=True))


def _condition(frame: DataFrame, wanted: RowFilter) -> Column:
    found = frame["rank"].isin(sorted(wanted.ranks))
    if wanted.kinds:
        found &= frame["kind"].isin(sorted(map(str, wanted.kinds)))
    if wanted.column and len(wanted.values) <= _LISTED:
        found &= frame[wanted.column].isin(sorted(wanted.values))
    spans = [frame["place"].between(first, last) for first, last in wanted.few_spans]
    return found & reduce(lambda one, other: one | other, spans) if spans else found


def _together(spark: SparkSession, directory: Path) -> tuple[Component, ...]:
    """Return what hangs together; of each component only how many nodes of a kind it has comes back."""
    from pyspark.sql import functions as f

    found = components(spark, str(directory), CONNECTED).withColumn("kind", f.substring_index(_NODE, ":", 1))
    shares = found.groupBy(_COMPONENT, "kind").agg(f.count(_NODE), f.min(_NODE))
    return build_components(Share(*row) for row in shares.collect())


def components(spark: SparkSession, directory: str, kinds: Kinds) -> DataFrame:
    """Return `node` and `component` of every node with an edge of *kinds*: the least key of all that hang together.

    In a round each node takes the least key around it, then what that one has, so that long chains take few rounds.
    Checkpoints keep rounds apart, so that plans do not grow.
    """
    from pyspark.sql import functions as f

    frame = spark.read.parquet(f"{directory}/{EDGES}")
    edges = frame.where(frame["rank"].isin(*ABOVE) & frame["kind"].isin(sorted(kinds)))
    ways = edges.select("source", "target").union(edges.select("target", "source")).distinct()
    links = ways.toDF("from", _NODE).localCheckpoint()
    found = links.select(_NODE).distinct().withColumn(_COMPONENT, f.col(_NODE)).localCheckpoint()
    while True:
        around = links.join(found, _NODE).groupBy(f.col("from").alias(_NODE)).agg(f.min(_COMPONENT).alias("least"))
        nearer = found.join(around, _NODE).select(_NODE, f.least(_COMPONENT, "least").alias("to"))
        above = found.select(f.col(_NODE).alias("to"), f.col(_COMPONENT).alias("above"))
        new = nearer.join(above, "to").select(_NODE, f.least("to", "above").alias(_COMPONENT)).localCheckpoint()
        changed = new.join(found.withColumnRenamed(_COMPONENT, "old"), _NODE).where(f.col(_COMPONENT) != f.col("old"))
        if changed.isEmpty():
            return new
        found = new
