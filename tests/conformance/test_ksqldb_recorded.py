"""What real ksqlDB servers answered to statements of ours, read as a scan reads it: 8.3.1 and 6.1.15, trimmed.

Recorded on 2026-11-22 over loopback; other people's collections, most functions, topologies and plans are left out,
everything else is as received. The statements are in the answers themselves.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dataflow_generator.jobs.ksqldb import StatementReading, ksql_jobs
from dataflow_generator.jobs.model import Naming
from scanner_extractor.http.client import Http
from scanner_extractor.http.messages import Request, Response
from scanner_extractor.results import KsqlServer, Reading, no_progress
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.systems.ksqldb.client import read_ksqldb
from scanner_extractor.systems.ksqldb.reader import collection_schemas
from scanner_extractor.systems.ksqldb.settings import KsqlSettings
from scanner_model.columns import KEY, Column
from scanner_model.names import Role
from scanner_model.scan import SourceStatus as Answered
from scanner_model.streaming_sql import KsqlSource, Query

RECORDED = Path(__file__).parent / "recorded"
SETTINGS = KsqlSettings(http=HttpSettings(url="http://ksql:8088"))
NAMING = Naming([("lab", ("kafka:9092",))])


class Recorded:
    """A server that answers what was recorded of *version*; another statement is a KeyError."""

    def __init__(self, version: str) -> None:
        document = json.loads((RECORDED / f"ksqldb_{version}.json").read_text(encoding="utf-8"))
        self.info, self.answers = document["info"], document["answers"]

    def __call__(self, request: Request) -> Response:
        if request.method == "GET":
            return _answer(200, self.info)
        recorded = self.answers[json.loads(request.body)["ksql"]]
        return _answer(recorded["status"], recorded["body"])


def _answer(status: int, body: Any) -> Response:
    return Response(status=status, headers={"content-type": "application/json"}, body=json.dumps(body).encode())


@pytest.fixture(scope="module", params=["8_3_1"])
def newest(request) -> Reading:
    return _read(request.param)


def _read(version: str) -> Reading:
    with Http(SETTINGS.http, SETTINGS.source, exchange=Recorded(version)) as http:
        return read_ksqldb(SETTINGS, http, no_progress)


def jobs(reading: Reading) -> dict[str, StatementReading]:
    """Return each query's job, the topics described by what ksqlDB declares of them."""
    fields: dict[tuple[str, str], tuple[Column, ...]] = {}
    for definition, link in collection_schemas(reading.of(KsqlSource), set()):
        prefix = (KEY,) if link.role is Role.KEY else ()
        columns = tuple(Column(path=(*prefix, *column.path), type=column.type) for column in definition.columns)
        fields["lab", link.topic] = (*fields.get(("lab", link.topic), ()), *columns)
    collections, queries = (
        [("lab", source) for source in reading.of(KsqlSource)],
        [("lab", query) for query in reading.of(Query)],
    )
    return {ksql_job.flows.job.name: ksql_job for ksql_job in ksql_jobs(collections, queries, fields, NAMING)}


def flows(reading: StatementReading) -> set[tuple[str, str, str]]:
    return {
        (column.source.key.rpartition("/")[2], column.target.key.rpartition("/")[2], column.subtype)
        for column in reading.flows.columns
    }


def test_newest_server_reports_everything_in_two_requests(newest) -> None:
    """8.3.1: a deleted topic is missing, the query of a source table is a query."""
    assert (newest.outcome.status, newest.outcome.requests, newest.of(KsqlServer)[0].service) == (
        Answered.READ,
        2,
        "wtk_",
    )
    assert (newest.problems, newest.of(KsqlServer)[0].missing) == ((), {"ksqldb-r-gone"})
    assert {query.name.partition("_")[0]: len(query.sinks) for query in newest.of(Query)} == {
        "CSAS": 1,
        "CST": 0,
        "CTAS": 1,
    }
    assert all(query.consumer_group == f"_confluent-ksql-wtk_query_{query.name}" for query in newest.of(Query))


def test_schemas_are_what_the_records_hold(newest) -> None:
    """A structured single key is the key itself, a value that is not wrapped has no name, a header is no field."""
    result = {
        (link.topic, link.role.value): [column.name for column in definition.columns]
        for definition, link in collection_schemas(newest.of(KsqlSource), set())
    }

    assert result["ksqldb-r-keyed", "key"] == ["A", "B"]
    assert result["ksqldb-r-keyed", "value"] == ["V", "at"]
    assert result["ksqldb-r-bare", "value"] == ["", "[]"]
    assert result["ksqldb-r-bare", "key"] == ["K"]


def test_every_statement_is_read_to_its_columns(newest) -> None:
    """Keys, headers, structures made here, and the time of records of the newest server; nothing is left open."""
    result = jobs(newest)
    by_kind = {name.partition("_KSQLDB_R_")[2].partition("_")[0]: reading for name, reading in result.items()}

    assert [reading.problems for reading in result.values()] == [()] * 4
    assert flows(by_kind["MADE"]) == {
        ("ksqldb-r-keyed#@key.A", "ksqldb-r-made#@key.A", "IDENTITY"),
        ("ksqldb-r-keyed#@key.B", "ksqldb-r-made#@key.B", "IDENTITY"),
        ("ksqldb-r-keyed#V", "ksqldb-r-made#ST.N", "IDENTITY"),
        ("ksqldb-r-keyed#@key.B", "ksqldb-r-made#ST.D.B", "IDENTITY"),
        ("ksqldb-r-keyed#$headers.`trace.id`", "ksqldb-r-made#TRACE", "TRANSFORMATION"),
    }
    assert ("ksqldb-r-bare#", "ksqldb-r-first#FIRST", "TRANSFORMATION") in flows(by_kind["FIRST"])
    assert {flow for flow in flows(by_kind["HOURLY"]) if flow[2] == "WINDOW"} == {
        ("ksqldb-r-keyed#at", "ksqldb-r-hourly", "WINDOW")
    }
    assert dict(by_kind["NAMES"].flows.job.attributes)["internal"] is True


def test_server_of_2020_is_queried_in_older_words() -> None:
    """6.1.15 takes `DESCRIBE STREAMS` for no statement at all, and `DESCRIBE TABLES` for a collection's name."""
    reading = _read("6_1_15")
    (job,) = jobs(reading).values()

    assert (reading.outcome.status, reading.problems, reading.outcome.requests) == (Answered.READ, (), 9)
    assert Counter(source.kind for source in reading.of(KsqlSource)) == {"STREAM": 1, "TABLE": 1}
    assert ("ksqldb-r-old#PLACED", "ksqldb-r-old-hourly", "WINDOW") in flows(job)
    assert job.problems == ()
