"""Questions to a graph in Parquet that is too large for one process: its neighbourhoods, and what hangs together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from dataflow_generator.columnar.schema import ORDER, SCHEMAS
from dataflow_generator.columnar.walking import hops
from dataflow_generator.graph import Edge
from dataflow_generator.lineage import Ahead, Hop, Kinds

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_NODE, _COMPONENT = "node", "component"


def ahead_on_spark(spark: SparkSession, directory: str) -> Ahead[str, Edge]:
    """Give what looks ahead in the graph in *directory*: a job a step, which brings back the edges of the step only."""
    edges = _edges(spark, directory).persist()

    def ahead(nodes: Sequence[str], forward: bool, kinds: Kinds) -> Iterable[Hop[str, Edge]]:
        near = "source" if forward else "target"
        frontier = spark.createDataFrame([(node,) for node in nodes], f"{near} string")
        wanted = edges.where(edges.kind.isin(sorted(kinds))).join(frontier, near, "left_semi")
        return hops(row.asDict() for row in wanted.orderBy(*ORDER).collect())

    return ahead


def components(spark: SparkSession, directory: str, kinds: Kinds) -> DataFrame:
    """Give `node` and `component` of every node with an edge of *kinds*: the least key of all that hang together.

    In a round each node takes the least key around it, then what that one has, so that long chains take few rounds.
    Checkpoints keep rounds apart, so that plans do not grow.
    """
    from pyspark.sql import functions as f

    edges = _edges(spark, directory).where(f.col("kind").isin(sorted(kinds)))
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


def _edges(spark: SparkSession, directory: str) -> DataFrame:
    frame = spark.read.parquet(f"{directory}/edges")
    return frame.where(frame["rank"] < SCHEMAS)
