"""Flink's own servers, asked as a scan asks them; and the installation's statements as a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.results import no_progress
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.systems.flink.client import FLINK_SOURCES
from scanner_extractor.systems.flink.settings import JOB_MANAGER, SQL_GATEWAY, FlinkSettings
from scanner_model.scan import SourceStatus
from scanner_model.streaming_sql import FlinkJob

pytestmark = pytest.mark.lab

FLINK = json.loads(Path(__file__).with_name("cluster.json").read_text())["flink"]
URLS = {item["type"]: item["url"] for item in FLINK if "url" in item}
INSTALLATION = Path(__file__).parents[2] / "examples" / "retail" / "flink" / "retail.sql"


def test_job_manager_reports_jobs_with_their_plans(lab) -> None:
    """One of an INSERT, one of a statement set; jobs that other tests ended are listed for an hour."""
    lab.needs("flink-sql")
    settings = FlinkSettings(type=JOB_MANAGER, http=HttpSettings(url=URLS[JOB_MANAGER]))

    with Http(settings.http, settings.source) as http:
        reading = FLINK_SOURCES[JOB_MANAGER].read(settings, http, no_progress)

    jobs = [job for job in reading.of(FlinkJob) if job.title.startswith("insert-into_")]
    assert (reading.outcome.status, {job.state for job in jobs}) == (SourceStatus.READ, {"RUNNING"})
    assert all(json.loads(job.plan)["nodes"] and job.started for job in jobs)


@pytest.mark.parametrize("kind", [JOB_MANAGER, SQL_GATEWAY])
def test_check_states_which_flink_it_is(lab, kind) -> None:
    """The version is what people look for first."""
    lab.needs("flink-sql")
    settings = FlinkSettings(type=kind, http=HttpSettings(url=URLS[kind]))

    with Http(settings.http, settings.source) as http:
        probe, *_ = FLINK_SOURCES[kind].check(settings, http)

        assert "Flink 2." in probe.run()


def test_statements_of_a_file_are_listed_beside_those_of_ksqldb(lab, tmp_path) -> None:
    """No server of Flink's reports the text."""
    lab.needs("fake-ksqldb")
    config = lab.config(kafka=None, metrics=None, schema_registries=None, connect=None, flink=[_files()])
    address = f"sqlite:///{tmp_path}/dictionary.db"
    lab.scanner("scan", "--no-graph", "--config", str(config), "--dictionary", address, "--quiet")

    result = json.loads(lab.scanner("statements", "--dictionary", address, "--format", "json"))

    assert {row["engine"] for row in result} == {"flink", "ksqldb"}
    assert INSTALLATION.read_text("utf-8") in [row["statement"] for row in result]


def _files() -> dict[str, str]:
    return {"type": "sql-files", "path": str(INSTALLATION), "name": "installation"}
