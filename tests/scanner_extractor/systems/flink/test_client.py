"""Self-hosted Flink: jobs with their plans, and a gateway that reports nothing but that it is there."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.systems.flink.client import (
    FLINK_SOURCES,
    read_cause,
    read_gateway,
    read_jobs,
    read_plan,
    read_version,
)
from scanner_extractor.systems.flink.settings import JOB_MANAGER, SQL_GATEWAY, FlinkSettings
from scanner_model.errors import PayloadUnexpected, SourceUnreachable
from scanner_model.names import SourceId
from scanner_model.payload import Unread
from scanner_model.scan import SourceStatus
from scanner_model.streaming_sql import FlinkJob

NO_PAUSE = Clock(pause=lambda _: None)
PLAN = {"jid": "a", "name": "insert-into_t", "nodes": [{"id": "1", "description": "Source: orders[1]<br/>+- Sink: t"}]}

Read = Callable[..., Reading]


@pytest.fixture
def read(flink) -> Read:
    """Read a fake Flink over loopback."""

    def query(server: Any, kind: str = JOB_MANAGER) -> Reading:
        with flink.serving(server) as url:
            settings = FlinkSettings(type=kind, http=HttpSettings(url=url, concurrency=2))
            with Http(settings.http, SourceId("flink:x"), clock=NO_PAUSE) as http:
                return FLINK_SOURCES[kind].read(settings, http, no_progress)

    return query


def test_jobs_arrive_with_state_start_and_plan(flink, read: Read) -> None:
    """Those that ended are reported too, as long as the job manager remembers them."""
    server = flink.Flink(
        jobs=[flink.job("b", state="FINISHED", started=-1), flink.job("a")], plans={"a": PLAN, "b": {"nodes": []}}
    )

    reading = read(server)
    a, b = reading.of(FlinkJob)
    assert (a.name, a.title, a.state, a.started) == ("a", "insert-into_t", "RUNNING", "2026-05-01T10:00:00.000+00:00")
    assert (json.loads(a.plan), b.state, b.started) == (PLAN, "FINISHED", "")
    assert (reading.outcome.status, reading.outcome.received, reading.outcome.requests) == (SourceStatus.READ, 2, 4)
    assert sorted(server.asked) == ["/applications/overview", "/jobs/a/plan", "/jobs/b/plan", "/jobs/overview"]


def test_application_without_a_job_is_reported(flink, read: Read) -> None:
    """Its program failed before it submitted a job, or has not done so yet: the list of jobs is empty then."""
    applications = [
        flink.application("com.acme.Orders", RUNNING=1),
        flink.application("com.acme.Failed", "FAILED"),
        flink.application("com.acme.Over", "FINISHED"),
    ]
    reading = read(flink.Flink(jobs=[flink.job("a")], plans={"a": PLAN}, applications=applications))

    assert [problem.what for problem in reading.problems] == [
        "application com.acme.Failed is FAILED and has no job: what it reads and writes is unknown"
    ]
    assert reading.outcome.status is SourceStatus.READ


def test_job_that_was_forgotten_meanwhile_has_no_plan(flink, read: Read) -> None:
    """It was there when it was listed."""
    reading = read(flink.Flink(jobs=[flink.job("a")]))

    assert ([(job.name, job.plan) for job in reading.of(FlinkJob)], reading.outcome.status) == (
        [("a", "")],
        SourceStatus.READ,
    )


def test_job_whose_plan_fails_stays_as_it_was(flink, read: Read) -> None:
    """Half a job must not replace a whole one; that there are hundreds is said once."""
    failing = [flink.job(f"f{number}") for number in range(5)]
    plans = {"a": PLAN} | {job["jid"]: 500 for job in failing}

    reading = read(flink.Flink(jobs=[flink.job("a"), *failing], plans=plans))

    assert ([job.name for job in reading.of(FlinkJob)], reading.outcome.status) == (["a"], SourceStatus.PARTIAL)
    assert reading.outcome.unread == {"f0", "f1", "f2", "f3", "f4"}
    assert reading.outcome.reason == "the plans of 5 of its jobs could not be read"
    assert reading.problems[-1].what == "nor could the plans of 2 more of its jobs"


def test_gateway_is_there_or_not(flink, read: Read) -> None:
    """It lists no sessions, so there is nothing else to ask."""
    server = flink.Flink()

    assert (read(server, SQL_GATEWAY).outcome.status, server.asked) == (SourceStatus.READ, ["/v1/info"])


def test_gateway_that_is_not_available_is_unreachable(canned) -> None:
    """As behind a proxy, while it starts."""
    canned.get("http://flink.example/v1/info", status=503)
    settings = FlinkSettings(type=SQL_GATEWAY, http=HttpSettings(url="http://flink.example"))

    with Http(settings.http, settings.source, clock=NO_PAUSE) as http, pytest.raises(SourceUnreachable):
        FLINK_SOURCES[SQL_GATEWAY].read(settings, http, no_progress)


@pytest.mark.parametrize(
    "reader", [lambda reported: read_jobs(reported, Unread(SourceId("s"))), read_plan, read_version, read_gateway]
)
@pytest.mark.parametrize("reported", [None, [], {}, {"jobs": 1}, {"plan": []}, {"flink-version": 1}, "x"])
def test_another_answer_is_refused(reader, reported) -> None:
    """Something else listens there."""
    with pytest.raises(PayloadUnexpected):
        reader(reported)


@pytest.mark.parametrize("started", [None, "now", -1, 10**20])
def test_start_that_is_no_time_is_unknown(started) -> None:
    """A job that waits for its slots has none."""
    (job,) = read_jobs({"jobs": [{"jid": "a", "start-time": started}]}, Unread(SourceId("s")))

    assert (job.started, job.title, job.state) == ("", "", "")


def test_job_that_cannot_be_read_costs_itself() -> None:
    """An id stands in the paths of requests, so that not any text is one."""
    unread = Unread(SourceId("s"))
    odd = [{"name": "none"}, 7, {"jid": "\ud800/.."}, {"jid": "b", "start-time": True}]
    jobs = read_jobs({"jobs": [{"jid": "a"}, *odd]}, unread)

    assert ([job.name for job in jobs], len(unread), unread.known) == (["a"], 4, frozenset())


def test_secrets_of_a_plan_are_hidden() -> None:
    """A connector may put its options into the name of its operator."""
    plan = read_plan({"plan": {"nodes": [{"description": "Sink: x(url=jdbc:db://u:zqPASSzq@h/d, password=zqPASSzq)"}]}})

    assert "zqPASSzq" not in plan
    assert "Sink: x" in plan


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"exceptionHistory": {"entries": [{"stacktrace": "new"}, {"stacktrace": "old"}]}}, "new"),
        ({"exceptionHistory": {"entries": []}, "root-exception": "of Flink 1"}, "of Flink 1"),
        ({"exceptionHistory": {"entries": []}}, ""),
        ({"exceptionHistory": {"entries": [{"stacktrace": 7}]}}, ""),
        ({"root-exception": "no jdbc:postgresql://u:hunter22@db/x"}, "no jdbc:postgresql://db/x"),
        ({}, ""),
    ],
)
def test_newest_failure_of_a_job_is_its_cause(payload, expected) -> None:
    """Older versions have one member for it; nothing secret stays."""
    assert read_cause(payload) == expected


def test_cause_of_another_shape_is_none() -> None:
    """A web page is not the trace of a job."""
    with pytest.raises(PayloadUnexpected):
        read_cause([])
