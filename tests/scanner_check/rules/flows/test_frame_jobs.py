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


@pytest.mark.parametrize(
    "step", [".where('mail = 1')", '.dropDuplicates(["mail"])', '.join(spark.table("vip").select("id"), "id")']
)
def test_rows_that_a_job_decides_otherwise_hit_its_readers(check, step: str) -> None:
    """A filter over all columns is no additional column."""
    report = check({"news.py": READER.replace('m.select("mail")', f'm{step}.select("mail")')}, FILES)

    assert report.verdict is Verdict.IMPACT
    assert ("flow-changed", "news.receivers") in rules(report)


@pytest.mark.parametrize("step", [".limit(10)", '.where("1 = 0")', ".sample(0.1)"])
def test_statement_whose_effect_no_flow_shows_is_not_fine(check, step: str) -> None:
    """It does not name Kafka, and what it changes are the rows of a table."""
    text = WRITER.replace('out.writeStream.format("kafka").option("topic", "mails")', "out.writeStream")
    text = text.replace(".start()", '.toTable("mails.silver")')

    report = check({"mails.py": text.replace("out.writeStream", f"out{step}.writeStream")}, {"mails.py": text})

    assert report.verdict is Verdict.UNKNOWN
    assert {rule for rule, _ in rules(report)} == {"code-changed"}


OTHER = WRITER.replace('"mails"', '"letters"').replace('"customers"', '"addresses"')


def test_change_of_a_job_concerns_what_this_job_writes(check) -> None:
    """Jobs beside it in one directory are other programs, unless they import it."""
    files = {**FILES, "letters.py": OTHER}
    edit = {"letters.py": OTHER.replace('"id", "mail"', '"id", F.upper("mail").alias("mail")')}

    alone = check({"news.py": READER.replace(".writeStream", ".limit(10).writeStream")}, files)
    imported = {**files, "mails.py": WRITER.replace("raw =", "import news\nraw =")}
    shared = check({"news.py": READER.replace(".writeStream", ".limit(10).writeStream")}, imported)
    several = check({"news.py": READER.replace(".writeStream", ".limit(10).writeStream"), **edit}, files)

    assert [finding.message.values[1] for finding in alone.findings] == [("news.receivers",)]
    assert [finding.message.values[1] for finding in shared.findings] == [("letters", "mails", "news.receivers")]
    assert {("flow-changed", "letters.mail"), ("code-changed", "")} <= rules(several)
