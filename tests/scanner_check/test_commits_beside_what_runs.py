"""Two commits with a dictionary: what runs is compared with that, the rest with the first commit, each thing once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from committed_repository import BASE, SCHEMA, SINK, commit_all, git

import scanner_api
from scanner_check.commits import check_commits
from scanner_check.model import ChangeFinding, ChangeReport, Verdict

pytestmark = pytest.mark.slow

Files = dict[str, str | None]
LESS = json.dumps({**SCHEMA, "fields": SCHEMA["fields"][:1]})
LAKE = SINK.replace('"s3"', '"lake"').replace('"BIG"', '"orders"')


@pytest.fixture
def check(tmp_path: Path) -> Callable[..., ChangeReport]:
    """Return a function that scans the files that run, and checks the change from BASE to other files beside them."""
    home = tmp_path / "repository"
    home.mkdir()
    git(home, "init", "-q")

    def write(files: Files) -> None:
        for name, text in files.items():
            if text is None:
                (home / name).unlink()
            else:
                (home / name).write_text(text, encoding="utf-8")

    def scanned(files: Files) -> scanner_api.Dictionary:
        write(files)
        config = {"cluster": "shop", "brokers": "localhost:9092", "repositories": [{"path": ".", "name": "shop"}]}
        (home / "cluster.json").write_text(json.dumps(config), encoding="utf-8")
        dictionary = scanner_api.open_dictionary(tmp_path / "running.db", create=True)
        scanner_api.scan([home / "cluster.json"], dictionary)
        scanner_api.generate(dictionary)
        write({"cluster.json": None, **dict.fromkeys(files)})
        return dictionary

    def run(files: Files, *, running: Files, base: Files | None = None) -> ChangeReport:
        base = {**BASE, **(base or {})}
        dictionary = scanned({**base, **running})
        write(base)
        commit_all(home)
        write(files)
        commit_all(home)
        return check_commits("HEAD~1...HEAD", directory=home, dictionary=dictionary)

    return run


def about(report: ChangeReport, rule: str, item: str) -> list[ChangeFinding]:
    return [finding for finding in report.findings if (finding.rule, finding.item) == (rule, item)]


def test_a_removed_column_is_one_finding_with_the_readers_of_both(check) -> None:
    """The statement of the repository and the connector that only runs are hit by one change."""
    report = check({"orders-value.avsc": LESS}, running={"lake.json": LAKE})

    (finding,) = about(report, "column-removed", "total")
    assert finding.verdict is Verdict.IMPACT
    assert {"CSAS_BIG", "lake"} <= {hit.name for hit in finding.affected}


def test_readers_that_only_the_repository_has_are_hit(check) -> None:
    """The dictionary was made before the statement was written."""
    report = check({"orders-value.avsc": LESS}, running={"a.ksql": ""})

    (finding,) = about(report, "column-removed", "total")
    assert "CSAS_BIG" in {hit.name for hit in finding.affected}


def test_a_column_that_what_runs_has_lost_already_may_still_be_read(check) -> None:
    """The registry took the new version before the pull request: the programs of the base commit read the old one."""
    report = check({"orders-value.avsc": LESS}, running={"orders-value.avsc": LESS})

    (finding,) = about(report, "column-removed", "total")
    assert "CSAS_BIG" in {hit.name for hit in finding.affected}


def test_a_connector_that_runs_and_is_new_in_the_repository_loses_what_it_wrote(check) -> None:
    """Somebody made it by hand: for the first commit it is new, and it takes nothing from anybody."""
    report = check({"lake.json": LAKE.replace('"b"', '"c"')}, running={"lake.json": LAKE})

    (finding,) = (finding for finding in report.findings if finding.rule == "output-lost")
    assert (finding.target, finding.verdict) == ("connector lake", Verdict.IMPACT)


def test_a_connector_of_both_is_compared_once(check) -> None:
    report = check({"sink.json": SINK.replace('"b"', '"c"')}, running={})

    (finding,) = (finding for finding in report.findings if finding.rule == "output-lost")
    assert finding.target == "connector s3"


def test_a_job_that_only_the_first_commit_has_is_compared_with_that(check) -> None:
    """That nothing of its name runs is no finding."""
    report = check({"sink.json": SINK.replace('"b"', '"c"')}, running={"sink.json": ""})

    assert [finding.target for finding in report.findings if finding.rule == "output-lost"] == ["job s3"]
    assert "unknown-name" not in {finding.rule for finding in report.findings}


_TOPIC = 'resource "confluent_kafka_topic" "{0}" {{\n  topic_name = "{0}"\n}}\n'


def test_a_topic_dropped_in_terraform_has_the_users_that_only_run(check) -> None:
    """No file of the repository uses the topic."""
    declared = {"topics.tf": _TOPIC.format("audit") + _TOPIC.format("bills")}
    lake = LAKE.replace('"orders"', '"audit"')
    report = check({"topics.tf": _TOPIC.format("bills")}, running={"lake.json": lake}, base=declared)

    (finding,) = (finding for finding in report.findings if finding.target == "topic audit")
    assert finding.verdict is Verdict.IMPACT
    assert "lake" in {hit.name for hit in finding.affected}
