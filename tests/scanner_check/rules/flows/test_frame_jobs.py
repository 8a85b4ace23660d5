"""Two commits of a job of Spark: what it no longer writes hits who reads it."""

from __future__ import annotations

import pytest
from committed_repository import rules

from scanner_check.model import Verdict

pytestmark = pytest.mark.slow

WRITER = """
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.appName("mails").getOrCreate()
raw = spark.readStream.format("kafka").option("subscribe", "customers").load()
c = raw.select(F.from_json(F.col("value").cast("string"), "id STRING, mail STRING").alias("c")).select("c.*")
out = c.select(F.to_json(F.struct("id", "mail")).alias("value"))
out.writeStream.format("kafka").option("topic", "mails").start()
"""
READER = """
from pyspark.sql import SparkSession, functions as F
spark = SparkSession.builder.appName("news").getOrCreate()
raw = spark.readStream.format("kafka").option("subscribe", "mails").load()
m = raw.select(F.from_json(F.col("value").cast("string"), "id STRING, mail STRING").alias("m")).select("m.*")
m.select("mail").writeStream.toTable("news.receivers")
"""
FILES = {"mails.py": WRITER, "news.py": READER}


def test_column_that_a_job_no_longer_fills_hits_its_readers(check) -> None:
    """The lost column and the field that is no longer set are one finding."""
    report = check({"mails.py": WRITER.replace('F.struct("id", "mail")', 'F.struct("id")')}, FILES)

    assert report.verdict is Verdict.IMPACT
    assert rules(report) == {("column-lost", "mails.mail")}
    (finding,) = report.findings
    assert {"news", "news.receivers"} <= {hit.name for hit in finding.affected}


def test_column_that_is_computed_from_another_field_is_reported(check) -> None:
    report = check({"news.py": READER.replace('m.select("mail")', 'm.select(F.col("id").alias("mail"))')}, FILES)

    assert ("flow-changed", "news.receivers.mail") in rules(report)
