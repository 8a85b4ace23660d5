"""Data contracts and AsyncAPI documents in a change: their columns are compared, and their tags count in its policy."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import scanner_api
from scanner_check.check import check_change
from scanner_check.commits import check_commits
from scanner_check.inputs.files import git_files, proposed_files
from scanner_check.inputs.options import CheckOptions
from scanner_check.model import ChangeFinding, ChangeReport, Verdict
from scanner_model.policy import ClusterPolicy, ForbiddenFlow, Waiver

pytestmark = pytest.mark.slow

CONTRACT: dict[str, Any] = {
    "apiVersion": "v3.1.0",
    "kind": "DataContract",
    "id": "people",
    "version": "1.0.0",
    "status": "active",
    "servers": [{"server": "k", "type": "kafka", "host": "localhost:9092", "format": "json"}],
    "schema": [
        {
            "name": "people",
            "physicalType": "topic",
            "properties": [
                {"name": "id", "logicalType": "integer", "physicalType": "long"},
                {"name": "mail", "logicalType": "string"},
            ],
        }
    ],
}
ASYNCAPI: dict[str, Any] = {
    "asyncapi": "3.0.0",
    "info": {"title": "shop", "version": "1"},
    "servers": {"k": {"host": "localhost:9092", "protocol": "kafka"}},
    "channels": {
        "people": {
            "address": "people",
            "messages": {
                "Person": {"name": "Person", "payload": {"type": "object", "properties": {"mail": {"type": "string"}}}}
            },
        }
    },
}
SINK = {
    "name": "lake",
    "config": {
        "connector.class": "io.confluent.connect.s3.S3SinkConnector",
        "topics": "people",
        "s3.bucket.name": "lake",
        "format.class": "io.confluent.connect.s3.format.json.JsonFormat",
    },
}
NO_LAKE = (ForbiddenFlow("PII", ("s3://*",)),)
NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


def with_columns(*properties: dict[str, Any]) -> str:
    """Return the contract with these columns."""
    return json.dumps({**CONTRACT, "schema": [{**CONTRACT["schema"][0], "properties": list(properties)}]})


def commit(directory: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (directory / name).write_text(text, "utf-8")
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@t"]
    subprocess.run([*git, "init", "-q"], cwd=directory, check=True)
    subprocess.run([*git, "add", "-A"], cwd=directory, check=True)
    subprocess.run([*git, "commit", "-qm", "x"], cwd=directory, check=True)


def of_rule(report: ChangeReport, rule: str) -> list[ChangeFinding]:
    return [finding for finding in report.findings if finding.rule == rule]


ID, MAIL = CONTRACT["schema"][0]["properties"]


@pytest.mark.parametrize(
    ("column", "rule", "what"),
    [
        ((ID,), "column-removed", "mail is removed"),
        ((ID, {**MAIL, "logicalType": "integer"}), "column-retyped", "mail was string and is integer"),
    ],
)
def test_a_column_that_a_contract_drops_or_retypes_hits_its_readers(tmp_path, column, rule, what) -> None:
    commit(tmp_path, {"people.odcs.yaml": json.dumps(CONTRACT), "lake.json": json.dumps(SINK)})
    commit(tmp_path, {"people.odcs.yaml": with_columns(*column)})
    report = check_commits("HEAD~1...HEAD", directory=tmp_path)

    (finding,) = of_rule(report, rule)
    assert (finding.verdict, finding.place.file, finding.item) == (Verdict.IMPACT, "people.odcs.yaml", "mail")
    assert "lake" in {hit.name for hit in finding.affected}
    assert finding.what == what


def test_a_column_that_an_asyncapi_document_renames_hits_its_readers(tmp_path) -> None:
    text = json.dumps(ASYNCAPI)
    commit(tmp_path, {"shop.asyncapi.json": text, "lake.json": json.dumps(SINK)})
    commit(tmp_path, {"shop.asyncapi.json": text.replace('"mail"', '"post"')})
    report = check_commits("HEAD~1...HEAD", directory=tmp_path)

    (finding,) = of_rule(report, "column-renamed")
    assert (finding.verdict, finding.what) == (Verdict.IMPACT, "mail is removed, perhaps renamed to post")
    assert "lake" in {hit.name for hit in finding.affected}


def test_a_change_of_words_in_a_contract_is_fine_and_a_contract_alone_is_not_compared(tmp_path) -> None:
    commit(tmp_path, {"people.odcs.yaml": json.dumps(CONTRACT), "lake.json": json.dumps(SINK)})
    dictionary = running(tmp_path)
    commit(tmp_path, {"people.odcs.yaml": with_columns(ID, {**MAIL, "description": "where to write to"})})

    assert check_commits("HEAD~1...HEAD", directory=tmp_path).verdict is Verdict.FINE
    alone = check_change(dictionary, proposed_files([str(tmp_path / "people.odcs.yaml")]), now=NOON)
    assert [finding.rule for finding in alone.findings] == ["not-compared"]
    assert alone.verdict is Verdict.UNKNOWN


def running(directory: Path, *manual: str) -> scanner_api.Dictionary:
    """Scan the contract as it is now as the topics of a cluster, and generate the graph."""
    config = {
        "cluster": "shop",
        "brokers": "localhost:9092",
        "repositories": [{"path": ".", "name": "shop"}],
        **({"manual_input": manual} if manual else {}),
    }
    (directory / "cluster.json").write_text(json.dumps(config), "utf-8")
    dictionary = scanner_api.open_dictionary(directory.parent / "running.db", create=True)
    scanner_api.scan([directory / "cluster.json"], dictionary)
    (directory / "cluster.json").unlink()
    scanner_api.generate(dictionary)
    return dictionary


PEOPLE = {
    "type": "record",
    "name": "People",
    "fields": [{"name": "id", "type": "long"}, {"name": "mail", "type": "string"}],
}
MANUAL = {
    "version": 1,
    "topics": [
        {
            "name": "people",
            "schemas": [{"columns": [{"name": "id", "type": "long"}, {"name": "mail", "type": "string"}]}],
        }
    ],
}


@pytest.mark.parametrize(
    ("file", "base", "member"),
    [
        ("people.odcs.yaml", CONTRACT, "tags"),
        ("people-value.avsc", PEOPLE, "confluent:tags"),
        ("people.json", MANUAL, "tags"),
    ],
)
def test_a_tag_alone_is_stopped_where_the_values_already_flow_to_a_forbidden_system(
    tmp_path, file, base, member
) -> None:
    """The sink runs, and the pull request says that what it writes is personal."""
    place = tmp_path / "repository"
    place.mkdir()
    sink, topic = json.dumps(SINK), "kafka-topics --create --topic people\n"
    commit(place, {file: json.dumps(base), "lake.json": sink, "topics.sh": topic})
    dictionary = running(place, *([file] if file == "people.json" else []))
    tagged = json.dumps(base).replace('"name": "mail",', f'"name": "mail", "{member}": ["PII"],')
    commit(place, {file: tagged})

    def check(*waivers: Waiver, tag: str = "PII") -> list[ChangeFinding]:
        rules = ClusterPolicy(forbidden=(ForbiddenFlow(tag, ("s3://*",)),), waivers=waivers)
        options = CheckOptions(allow_new=True, rules=rules)
        report = check_change(dictionary, git_files("HEAD~1...HEAD", (), place), options, now=NOON)
        return of_rule(report, "policy-forbidden-flow")

    (finding,) = check()
    assert finding.what.startswith("topics/people.mail gets PII, from people.mail, copied, 1 step; the policy")
    assert (finding.verdict, finding.place.file, finding.target) == (Verdict.BREAKS, file, "topic people")
    (waived,) = check(Waiver(finding.rule, "column topics/people.mail", "moved in January", NOON.date()))
    assert waived.accepted == "moved in January (until 2026-11-23)"
    assert check(tag="SECRET") == []


TERRAFORM = """
resource "confluent_schema" "people" {
  subject_name = "people-value"
  format       = "AVRO"
  schema       = <<EOT
%s
EOT
}
"""


@pytest.mark.parametrize("with_dictionary", [True, False])
@pytest.mark.parametrize(
    ("file", "form", "base", "member"),
    [
        ("main.tf", TERRAFORM, PEOPLE, "confluent:tags"),
        ("people-value.avsc", "%s", PEOPLE, "confluent:tags"),
        ("people.odcs.yaml", "%s", CONTRACT, "tags"),
    ],
)
def test_a_tag_alone_is_stopped_between_two_commits(tmp_path, file, form, base, member, with_dictionary) -> None:
    place = tmp_path / "repository"
    place.mkdir()
    before = json.dumps(base)
    sink, topic = json.dumps(SINK), "kafka-topics --create --topic people\n"
    commit(place, {file: form % before, "lake.json": sink, "topics.sh": topic})
    dictionary = running(place) if with_dictionary else None
    commit(place, {file: form % before.replace('"name": "mail",', f'"name": "mail", "{member}": ["PII"],')})

    def check(*waivers: Waiver) -> list[ChangeFinding]:
        options = CheckOptions(rules=ClusterPolicy(forbidden=NO_LAKE, waivers=waivers))
        report = check_commits("HEAD~1...HEAD", options, directory=place, dictionary=dictionary, now=NOON)
        return of_rule(report, "policy-forbidden-flow")

    (found,) = check()
    target = "topic people" if with_dictionary else "the change"
    assert (found.place.file, found.target, found.verdict) == (file, target, Verdict.BREAKS)
    (waived,) = check(Waiver(found.rule, "column topics/people.mail", "moved in January", NOON.date()))
    assert waived.accepted == "moved in January (until 2026-11-23)"


@pytest.mark.parametrize("tagged", ["contract", "schema"])
def test_a_tag_of_the_same_change_stops_its_new_sink_and_a_waiver_lets_it_pass_until_its_day(tmp_path, tagged) -> None:
    """Nothing that runs has the tag yet: the pull request adds it, and a sink of the column."""
    place = tmp_path / "repository"
    place.mkdir()
    fields = [{"name": "id", "type": "long"}, {"name": "mail", "type": "string"}]
    schema = {"type": "record", "name": "People", "fields": fields}
    file = "people.odcs.yaml" if tagged == "contract" else "people-value.avsc"
    base = json.dumps(CONTRACT) if tagged == "contract" else json.dumps(schema)
    commit(place, {file: base, "topics.sh": "kafka-topics --create --topic people\n"})
    dictionary = running(place)
    tags = [fields[0], {**fields[1], "confluent:tags": ["PII"]}]
    head = (
        with_columns(ID, {**MAIL, "tags": ["PII"]}) if tagged == "contract" else json.dumps({**schema, "fields": tags})
    )
    commit(place, {file: head, "lake.json": json.dumps(SINK)})

    def check(*waivers: Waiver, day: int = 1) -> ChangeReport:
        options = CheckOptions(allow_new=True, rules=ClusterPolicy(forbidden=NO_LAKE, waivers=waivers))
        files = [str(place / file), str(place / "lake.json")]
        now = datetime(2026, 12, day, 12, tzinfo=UTC)
        if tagged == "contract":
            return check_commits("HEAD~1...HEAD", options, directory=place, dictionary=dictionary, now=now)
        return check_change(dictionary, proposed_files(files), options, now=now)

    (finding,) = of_rule(check(), "policy-forbidden-flow")
    assert finding.what.startswith(
        "topics/people.mail gets PII, from people.mail, copied, 1 step; the policy forbids it"
    )
    assert check().verdict is Verdict.BREAKS
    last = datetime(2026, 12, 31, tzinfo=UTC).date()
    waiver = Waiver("policy-forbidden-flow", "column topics/people.mail", "moved in January", last)
    assert check(waiver, day=31).verdict is not Verdict.BREAKS
    assert (
        check(Waiver(waiver.rule, waiver.where, waiver.reason, last.replace(day=30)), day=31).verdict is Verdict.BREAKS
    )
