"""Reads a topic with Spark and writes two tables, watched by OpenLineage's listener; run in `spark`."""

from __future__ import annotations

import sys

import places
from pyspark.sql import SparkSession


def main() -> None:
    """Write `clicks_by_customer` and `vip_clicks`; the events go to the file that the state names."""
    spark = _session()
    records = (
        spark.read.format("kafka")
        .option("kafka.bootstrap.servers", places.PLAINTEXT)
        .option("subscribe", "clicks")
        .option("startingOffsets", "earliest")
        .load()
    )
    records.selectExpr("from_json(string(value), 'page string, customer bigint, ms int') as click").select(
        "click.*"
    ).createOrReplaceTempView("clicks")
    spark.sql("select customer, count(*) as clicks, max(ms) as slowest from clicks group by customer").write.mode(
        "overwrite"
    ).saveAsTable("clicks_by_customer")
    spark.sql(
        "create table vip_clicks using parquet as "
        "select c.page, t.customer, t.clicks as total from clicks c join clicks_by_customer t using (customer)"
    )
    sys.stdout.write(f"{spark.table('vip_clicks').count()} rows\n")
    spark.stop()


def _session() -> SparkSession:
    jars = ",".join(str(jar) for jar in sorted((places.CACHE / "spark-jars").glob("*.jar")))
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
    builder = SparkSession.builder.master("local[2]").appName("clicks_report")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


if __name__ == "__main__":
    main()
