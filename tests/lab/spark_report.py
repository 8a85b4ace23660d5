"""Reads the warehouse's table with Spark as soon as orders arrived there, and writes a report; run in `spark`."""

from __future__ import annotations

import sys
import time

import credentials
import places
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from spark_session import session

_PATIENCE = 60.0


def main() -> None:
    """Write `spent_by_customer`, the end of the way that begins in the shop's database."""
    spark = session("orders_report")
    _arrived(spark).createOrReplaceTempView("order_facts")
    spark.sql(
        "create table spent_by_customer using parquet as "
        "select customer_name, email, sum(amount) as spent from order_facts group by customer_name, email"
    )
    sys.stdout.write(f"{spark.table('spent_by_customer').count()} rows\n")
    spark.stop()


def _arrived(spark: SparkSession) -> DataFrame:
    """Wait until the sink made its table and wrote to it."""
    address = f"jdbc:postgresql://{places.HOST}:{places.POSTGRES}/warehouse"
    account = {
        "user": "postgres",
        "password": credentials.password("postgres"),
        # Of jars that are given to a session, the driver manager finds no driver by itself.
        "driver": "org.postgresql.Driver",
    }
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            jdbc = spark.read.jdbc(address, "public.order_facts", properties=account)
            if not jdbc.isEmpty():
                return jdbc
        except PySparkException:
            if time.monotonic() > deadline:
                raise
        time.sleep(1)


if __name__ == "__main__":
    main()
