"""Spark as the lab's jobs run it: in one process, watched by OpenLineage's listener; run in `spark`."""

from __future__ import annotations

import places
from pyspark.sql import SparkSession


def session(name: str) -> SparkSession:
    """Open a session for the application *name*."""
    result = (
        *(places.CACHE / "spark-jars").glob("*.jar"),
        *(places.CACHE / "plugins").glob("*jdbc*/**/postgresql-*.jar"),
    )
    jars = ",".join(sorted(map(str, result)))
    settings = {
        "spark.jars": jars,
        "spark.driver.bindAddress": places.HOST,
        "spark.driver.host": places.HOST,
        "spark.driver.memory": "768m",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(places.data("spark") / "warehouse"),
        "spark.local.dir": str(places.data("spark")),
        "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
        "spark.openlineage.namespace": "retail-jobs",
        "spark.openlineage.transport.type": "file",
        "spark.openlineage.transport.location": str(places.EVENTS),
    }
    builder = SparkSession.builder.master("local[2]").appName(name)
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
