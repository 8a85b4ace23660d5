"""Spark jobs over a topic and over the warehouse, which leave the events of OpenLineage's listener in a file."""

from __future__ import annotations

import places
from clients import run
from rows import Step


def _job() -> str:
    if places.EVENTS.is_file():
        return "already there"
    reported = run("spark", "spark_job.py")
    events = places.EVENTS.read_text("utf-8").count("\n")
    return f"{reported}, {events} events"


def _report() -> str:
    if "spent_by_customer" in places.EVENTS.read_text("utf-8"):
        return "already there"
    return run("spark", "spark_report.py")


ROWS = (
    Step(name="spark-job", needs=("spark", "spark-jars"), after=("records",), run=_job),
    Step(name="spark-report", after=("spark-job", "connectors", "flink-sql"), run=_report),
)
