"""Proposed deployment files: several connectors and jobs in one, each compared with what is known under its name."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from scanner_check.check import check_change
from scanner_check.inputs.deployment import declared_by
from scanner_check.inputs.files import ProposedFiles, git_files, proposed_files
from scanner_check.inputs.options import CheckOptions
from scanner_check.inputs.proposals import PathRule, Target
from scanner_check.model import ChangeReport, Verdict
from scanner_extractor.config.loader import read_cluster_file
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.merge import merge_results
from scanner_extractor.scan.runner import read_sources
from scanner_model.errors import InputInvalid

CONNECTOR = """\
apiVersion: kafka.strimzi.io/v1
kind: KafkaConnector
metadata: {name: %s}
spec:
  class: io.confluent.connect.jdbc.JdbcSinkConnector
  config:
    topics: orders
    connection.url: jdbc:postgresql://db:5432/shop
    table.name.format: %s
"""
SQL = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: flink}
data:
  paid.sql: |
    CREATE TABLE a (x INT) WITH ('connector' = 'kafka', 'topic' = 'a');
    CREATE TABLE b (x INT) WITH ('connector' = 'kafka', 'topic' = '%s');
    INSERT INTO b SELECT x FROM a;
"""
TOPIC = """\
apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata: {name: %s}
spec: {partitions: %s}
"""
TWO = CONNECTOR % ("lake", "t") + "---\n" + CONNECTOR % ("attic", "u") + "---\n" + SQL % "b"


@pytest.fixture
def deployed(tmp_path: Path, store):
    """Return a dictionary of these files alone, with its graph."""
    (tmp_path / "scanned").mkdir()
    (tmp_path / "scanned" / "all.yaml").write_text(TWO)
    (tmp_path / "scanned" / "topics.yaml").write_text(TOPIC % ("orders", 3))
    config = tmp_path / "scanned" / "cluster.json"
    config.write_text('{"cluster": "retail", "brokers": ["kafka-1:9092"], "files": [{"path": "*.yaml"}]}')
    settings = read_cluster_file(config, {}, ("confluent",))
    return store(merge_results(settings, read_sources(settings, Connections()))).dictionary


def check(deployed, files: ProposedFiles) -> list[tuple[str, str, str, int]]:
    report: ChangeReport = check_change(deployed, files, CheckOptions())
    return [(one.rule, one.target, one.place.file.rpartition("/")[2], one.place.line) for one in report.findings]


def proposed(tmp_path: Path, text: str, **more) -> ProposedFiles:
    (tmp_path / "new.yaml").write_text(text)
    return proposed_files([str(tmp_path / "new.yaml")], **more)


def test_unchanged_file_changes_nothing(deployed, tmp_path) -> None:
    """The same text, read as it was scanned; the columns of topics without a schema stay unknown, as before."""
    assert check(deployed, proposed(tmp_path, TWO)) == []


def test_each_connector_is_compared_with_the_one_of_its_name(deployed, tmp_path) -> None:
    """At the line of what changed in it, not of the first connector of the file."""
    found = check(deployed, proposed(tmp_path, TWO.replace("format: u", "format: v")))

    assert found == [
        ("output-lost", "connector attic", "new.yaml", 19),
        ("output-gained", "connector attic", "new.yaml", 19),
    ]


def test_sql_is_compared_with_the_job_of_its_name(deployed, tmp_path) -> None:
    """At the line where its text begins."""
    found = check(deployed, proposed(tmp_path, TWO.replace("'topic' = 'b'", "'topic' = 'c'")))

    assert ("output-lost", "statement flink/paid.sql", "new.yaml", 25) in found


def test_new_connector_is_read_before_it_runs(deployed, tmp_path) -> None:
    """It has no name to be mistaken: what it writes is gained."""
    found = check(deployed, proposed(tmp_path, CONNECTOR % ("new", "n")))

    assert ("output-gained", "connector new", "new.yaml", 1) in found


def test_what_cannot_be_read_is_unknown(deployed, tmp_path) -> None:
    """Unknown is not fine: a template may hold any connector."""
    files = proposed(tmp_path, f"name: {{{{ .Values.x }}}}\n---\n{TWO}")
    report = check_change(deployed, files, CheckOptions())

    (finding,) = report.findings
    assert (finding.rule, finding.verdict, finding.place.line) == ("not-read", Verdict.UNKNOWN, 1)
    assert finding.what.startswith("it is a template")


def test_one_connector_of_several_is_chosen_by_name(deployed, tmp_path) -> None:
    """As `--connector` does; a name that the file does not have is refused with those that it has."""
    files = proposed(tmp_path, TWO.replace("format: ", "format: x"), target=Target(connector="lake"))
    assert {target for _, target, _, _ in check(deployed, files)} == {"connector lake"}

    with pytest.raises(InputInvalid) as caught:
        proposed(tmp_path, TWO, target=Target(connector="lak"))
    assert caught.value.hint == "it declares lake, attic, flink/paid.sql"
    with pytest.raises(InputInvalid, match="does not declare 'orders-value'"):
        proposed(tmp_path, TWO, target=Target(subject="orders-value"))


def test_file_without_connectors_is_refused_where_it_is_the_only_one(tmp_path) -> None:
    """In a directory it is counted."""
    with pytest.raises(InputInvalid, match="declares no connector and no SQL"):
        proposed(tmp_path, "topics: {a: {partitions: 1}}")
    (tmp_path / "other.yaml").write_text(TWO)
    files = proposed_files([str(tmp_path)])

    assert [Path(skipped.file).name for skipped in files.skipped] == ["new.yaml"]
    assert len(files.proposals) == 3


def test_topics_of_a_file_are_counted() -> None:
    """No rule is about them."""
    assert declared_by("a.yaml", f"topics: {{a: {{partitions: 1}}}}\n---\n{TWO}").topics == ("a",)


@pytest.fixture
def repository(tmp_path: Path):
    """Return what commits these files by name, all others deleted; and the directory."""
    directory = tmp_path / "repository"
    directory.mkdir()

    def git(*arguments: str) -> None:
        identity = ("-c", "user.email=a@example.org", "-c", "user.name=a")
        subprocess.run(("git", *identity, *arguments), cwd=directory, check=True, capture_output=True)

    def commit(**files: str) -> Path:
        for old in directory.glob("*.yaml"):
            old.unlink()
        for name, text in files.items():
            (directory / f"{name}.yaml").write_text(text)
        git("add", "-A")
        git("commit", "-q", "-m", "x", "--allow-empty")
        return directory

    git("init", "-q")
    return commit


def test_connector_that_no_file_declares_any_more_is_deleted(deployed, repository) -> None:
    """Moved to another file, it stays; a file without connectors is counted."""
    repository(a=TWO, b="x: 1")
    directory = repository(b="x: 2", c=CONNECTOR % ("lake", "t") + "---\n" + SQL % "b")
    for commits in ("HEAD~1..HEAD", "HEAD~1...HEAD"):
        files = git_files(commits, (), directory)

        assert files.skipped == (("b.yaml", "it declares no connector, SQL or topic (no form that is known)"),)
        assert check(deployed, files) == [
            ("output-lost", "connector attic", "a.yaml", 1),
            ("input-lost", "connector attic", "a.yaml", 1),
        ]


def test_rules_of_paths_are_for_other_files(repository) -> None:
    """A deployment file has its names in it."""
    repository()
    directory = repository(a=TWO)
    files = git_files("HEAD~1..HEAD", (PathRule.parse("{connector}.json"),), directory)

    assert [proposal.connector.name for proposal in files.proposals if proposal.connector] == ["lake", "attic"]


def test_topic_that_is_renamed_is_the_deletion_of_the_old_one(deployed, repository) -> None:
    """Who reads the old name reads nothing more."""
    repository(a=TOPIC % ("orders", 3))
    directory = repository(a=TOPIC % ("orders.v2", 3))
    report = check_change(deployed, git_files("HEAD~1..HEAD", (), directory))

    (finding,) = (finding for finding in report.findings if finding.rule == "file-deleted")
    assert (finding.target, finding.verdict) == ("topic orders", Verdict.IMPACT)
    assert {affected.name for affected in finding.affected} >= {"lake", "attic"}


def test_settings_of_a_topic_are_skipped_with_the_reason(deployed, repository) -> None:
    """Nothing was judged, so nothing can be fine."""
    repository(a=TOPIC % ("orders", 3))
    directory = repository(a=TOPIC % ("orders", 6))
    report = check_change(deployed, git_files("HEAD~1..HEAD", (), directory))

    assert [(finding.rule, finding.verdict) for finding in report.findings] == [("nothing-checked", Verdict.UNKNOWN)]
    assert "scanner validate --drift" in report.skipped[0].why


def test_connector_of_a_json_file_needs_no_rule(deployed, repository) -> None:
    """Its name is in it; one that was there before and is not any more is deleted."""
    config = {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector", "topics": "orders"}
    directory = repository()
    for name in ("lake", "lake.v2"):
        (directory / "sink.json").write_text(json.dumps({"name": name, "config": config}))
        repository()
    report = check_change(deployed, git_files("HEAD~1..HEAD", (), directory))

    assert {finding.target for finding in report.findings} >= {"connector lake", "connector lake.v2"}
    assert ("output-lost", "connector lake") in {(finding.rule, finding.target) for finding in report.findings}
