"""Reads a topic with Spark and writes two tables, watched by OpenLineage's listener; run in `spark`."""

from __future__ import annotations

import sys

import places
from spark_session import session


def main() -> None:
    """Write `clicks_by_customer` and `vip_clicks`; the events go to the file that the state names."""
    spark = session("clicks_report")
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


if __name__ == "__main__":
    main()
