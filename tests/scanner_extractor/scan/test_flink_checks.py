"""Checks of Flink's servers and of files: one row an attempt, and never an exception."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scanner_api.configuration import State, probe_sources
from scanner_extractor.http.messages import Request, Response
from scanner_extractor.settings.cluster import HttpSettings, Settings
from scanner_extractor.settings.sources import FileSettings
from scanner_extractor.systems.flink.settings import FlinkSettings, SqlFilesSettings
from scanner_extractor.systems.streams.settings import StreamsSettings
from scanner_model.names import ClusterName

OK, REFUSED, UNREACHABLE, UNEXPECTED = State
LIST = "/sql/v1/organizations/o/environments/e/statements?page_size=100"


def rows(kind: str, answers: dict[str, object]) -> list[tuple[str, State, str]]:
    """Check one server that answers paths with JSON or a status."""

    def exchange(request: Request) -> Response:
        output = answers.get(request.url.removeprefix("http://f"), 404)
        return (
            Response(status=output)
            if isinstance(output, int)
            else Response(status=200, body=json.dumps(output).encode())
        )

    server = FlinkSettings(type=kind, http=HttpSettings(url="http://f"), organization="o", environment="e")
    return checked(flink=(server,), exchange=exchange)


def checked(exchange=None, **sources: object) -> list[tuple[str, State, str]]:
    settings = Settings(cluster=ClusterName("c"), brokers=(), file=Path("cluster.json"), **sources)
    return [
        (row.tried, row.state, row.detail) for row in probe_sources(settings, probe=lambda _: "", exchange=exchange)
    ]


@pytest.mark.parametrize(
    ("page", "result"),
    [
        ({"data": [{}, {}], "metadata": {"next": ""}}, "2 statements"),
        ({"data": [{}], "metadata": {"next": "http://x?page_token=2"}}, "1 and more statements"),
    ],
)
def test_cloud_is_requested_one_page(page, result) -> None:
    """The right to list is all that a scan needs."""
    assert rows("confluent", {LIST: page}) == [("list statements", OK, result)]


def test_manager_is_requested_one_page() -> None:
    """It has thousands."""
    path = "/cmf/api/v1/environments/e/statements?page=0&size=100"

    assert rows("cmf", {path: {"items": [{}]}}) == [("list statements", OK, "1 statements on the first page")]


def test_job_manager_is_reached_and_lists_jobs() -> None:
    """Where it is not reached, the second could only fail the same way."""
    overview = {"flink-version": "2.2.1"}

    assert rows("jobmanager", {"/overview": overview, "/jobs/overview": {"jobs": []}}) == [
        ("reach the job manager", OK, "Flink 2.2.1"),
        ("list jobs", OK, "0 jobs"),
    ]
    assert [state for _, state, _ in rows("jobmanager", {"/overview": 503})] == [UNREACHABLE]


@pytest.mark.parametrize(("output", "state"), [(403, REFUSED), ({}, UNEXPECTED), ("x", UNEXPECTED)])
def test_gateway_that_is_none_is_reported(output, state) -> None:
    """A job manager listens on the next port."""
    assert [row[:2] for row in rows("sql-gateway", {"/v1/info": output})] == [("reach the gateway", state)]


def test_files_are_counted_or_the_first_that_fails_is_named(tmp_path) -> None:
    """Nothing of what stands in them is shown."""
    (tmp_path / "a.sql").write_text("SELECT 1")
    (tmp_path / "b.sql").write_bytes(b"\xff")
    good = FileSettings(pattern="a.sql", base=tmp_path, files=(tmp_path / "a.sql",))
    bad = FileSettings(pattern="*.sql", base=tmp_path, files=(tmp_path / "a.sql", tmp_path / "b.sql"))
    none = FileSettings(pattern="no.txt", base=tmp_path)

    result = checked(
        sql_files=(SqlFilesSettings(files=good), SqlFilesSettings(files=bad)),
        others={"streams": (StreamsSettings(files=none),)},
    )

    assert result == [
        ("read its files", OK, "1 files"),
        ("read its files", UNREACHABLE, "b.sql: it is not UTF-8 at byte 0"),
        ("read its files", UNREACHABLE, "streams:no.txt: 'no.txt' matches no file"),
    ]
