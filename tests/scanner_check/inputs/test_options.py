"""A change is judged by the settings, policy and baseline of its base, and each edit of these is a finding."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from committed_repository import commit_all, git

from scanner_check.commits import check_commits
from scanner_check.inputs.options import (
    FILE,
    SETTINGS_SCHEMA,
    CheckOptions,
    Judging,
    RepositorySettings,
    parse_settings,
    read_judging,
)
from scanner_check.model import ChangeReport, Verdict
from scanner_model.errors import InputInvalid

pytestmark = pytest.mark.slow

Files = Mapping[str, str | None]
TAGGED = json.dumps(
    {
        "type": "record",
        "name": "Customer",
        "fields": [{"name": "id", "type": "string"}, {"name": "email", "type": "string", "confluent:tags": ["PII"]}],
    }
)
SINK = json.dumps(
    {
        "name": "lake",
        "config": {
            "connector.class": "io.confluent.connect.s3.S3SinkConnector",
            "topics": "customers",
            "s3.bucket.name": "lake",
        },
    }
)
RULES = [{"tag": "PII", "systems": ["s3://*"]}]
WAIVER = {"rule": "policy-forbidden-flow", "where": "*", "reason": "x", "expires": "2099-12-31"}


def cluster(**policy: Any) -> str:
    return json.dumps({"cluster": "c", "brokers": ["k:9092"], "policy": policy})


BASE = {
    "schemas/customers-value.avsc": TAGGED,
    "cluster.json": cluster(forbidden=RULES),
    "deploy.sh": "kafka-topics --create --topic customers --bootstrap-server k:9092\n",
    FILE: "policy: cluster.json\nfail-on: breaks\n",
}
Commit = Callable[[Files], None]


@pytest.fixture
def commit(tmp_path: Path) -> Commit:
    """Return a function that commits files (None deletes one)."""
    git(tmp_path, "init", "-q")

    def run(files: Files) -> None:
        for name, text in files.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.unlink(missing_ok=True)
            if text is not None:
                file.write_text(text)
        commit_all(tmp_path)

    return run


def judging(top: Path, **named: Path) -> Judging:
    return read_judging("HEAD~1..HEAD", top, **named)


def check(top: Path, **named: Path) -> ChangeReport:
    judged = judging(top, **named)
    options = CheckOptions(rules=judged.policy, accepted=judged.accepted, settings_changes=judged.changes)
    return check_commits("HEAD~1..HEAD", options, directory=top)


def test_the_policy_of_the_settings_file_applies(commit: Commit, tmp_path: Path) -> None:
    """The control of the tests below: the sink alone breaks the policy, and no setting is changed."""
    commit(BASE)
    commit({"connectors/lake.json": SINK})
    report = check(tmp_path)

    assert report.verdict is Verdict.BREAKS
    assert "settings-changed" not in {finding.rule for finding in report.findings}


@pytest.mark.parametrize(
    ("edits", "item"),
    [
        ({"cluster.json": cluster(forbidden=RULES, waivers=[WAIVER])}, "cluster.json"),
        ({"cluster.json": cluster()}, "cluster.json"),
        ({"cluster.json": None}, "cluster.json"),
        ({"cluster.json": "{"}, "cluster.json"),
        ({FILE: None}, FILE),
        ({FILE: "policy: empty.json\nfail-on: none\n", "empty.json": cluster()}, FILE),
        ({FILE: "policy: [\n"}, FILE),
        ({"schemas/customers-value.avsc": TAGGED.replace("PII", "X")}, "customers.email"),
        ({"schemas/customers-value.avsc": TAGGED.replace("PII", "X").replace("email", "mail")}, "customers.email"),
    ],
)
def test_no_edit_of_the_change_lifts_the_policy(edits: Files, item: str, commit: Commit, tmp_path: Path) -> None:
    """The sink breaks the policy of the base, whatever the same change does to policy, settings and tags."""
    commit(BASE)
    commit({"connectors/lake.json": SINK, **edits})
    report = check(tmp_path)

    counted = {finding.rule: finding for finding in report.findings if finding.counts}
    edited = counted.get("settings-changed") or counted["tag-removed"]
    assert edited.item == item
    assert report.verdict is Verdict.BREAKS or "mail" in str(edits)
    assert read_judging("HEAD~1..HEAD", tmp_path).settings.fail_on == "breaks"


def test_a_policy_that_moves_is_the_one_of_the_base(commit: Commit, tmp_path: Path) -> None:
    commit({**BASE, FILE: None})
    commit({"connectors/lake.json": SINK, "conf/cluster.json": cluster(), "cluster.json": None})
    judged = judging(tmp_path, policy=tmp_path / "conf" / "cluster.json")

    assert [rule.tag for rule in judged.policy.forbidden] == ["PII"]
    assert [finding.item for finding in judged.changes] == ["conf/cluster.json"]


def test_a_policy_that_becomes_a_link_is_the_one_of_the_base(commit: Commit, tmp_path: Path) -> None:
    """The target of a link is outside of the repository, and would not be read from a commit."""
    top = tmp_path / "inside"
    top.mkdir()
    git(top, "init", "-q")
    (tmp_path / "empty.json").write_text(cluster())
    (top / "cluster.json").write_text(cluster(forbidden=RULES))
    commit_all(top)
    (top / "cluster.json").unlink()
    (top / "cluster.json").symlink_to(tmp_path / "empty.json")
    commit_all(top)
    judged = judging(top, policy=top / "cluster.json")

    assert judged.policy.forbidden
    assert [finding.item for finding in judged.changes] == ["cluster.json"]


def test_a_baseline_of_the_same_change_accepts_nothing(commit: Commit, tmp_path: Path) -> None:
    commit(BASE)
    commit({"connectors/lake.json": SINK})
    entries = [
        {"fingerprint": finding.fingerprint, "reason": "x", "expires": "2099-12-31"}
        for finding in check(tmp_path).findings
    ]
    commit({"connectors/lake.json": None})
    commit({"connectors/lake.json": SINK, ".scanner-baseline.json": json.dumps({"accepted": entries})})
    assert check(tmp_path).verdict is Verdict.BREAKS
    commit({"connectors/lake.json": None})
    commit({"connectors/lake.json": SINK})
    assert check(tmp_path).verdict is Verdict.FINE


def test_what_does_not_judge_is_no_finding(commit: Commit, tmp_path: Path) -> None:
    """Other members of cluster.json, and layout, change nothing of the check."""
    commit(BASE)
    other = {**json.loads(BASE["cluster.json"]), "brokers": ["other:9092"]}
    commit({"cluster.json": json.dumps(other, indent=2), FILE: f"# comment\n{BASE[FILE]}"})

    assert judging(tmp_path).changes == ()


def test_a_file_outside_of_the_repository_is_read_from_disk(commit: Commit, tmp_path: Path) -> None:
    """A pipeline may fetch the policy of its organisation."""
    top = tmp_path / "inside"
    top.mkdir()
    git(top, "init", "-q")
    commit_all(top)
    commit_all(top)
    (tmp_path / "cluster.json").write_text(cluster(forbidden=RULES))

    assert judging(top, policy=tmp_path / "cluster.json").policy.forbidden
    with pytest.raises(InputInvalid):
        judging(top, policy=top / "missing.json")


def test_settings_are_read_and_mistakes_have_their_line() -> None:
    text = "map: ['schemas/{subject}.avsc']\nstrict: true\nmax-age: 24h\n"
    assert parse_settings(text, FILE) == RepositorySettings(map=("schemas/{subject}.avsc",), strict=True, max_age="24h")
    assert parse_settings("# nothing\n", FILE) == RepositorySettings()
    for wrong in ("map: []\nfail_on: none\n", "map: []\nfail-on: never\n", "map: []\n- x\n"):
        with pytest.raises(InputInvalid) as error:
            parse_settings(wrong, FILE)
        assert f"{FILE}:2" in str(error.value)
    assert set(SETTINGS_SCHEMA["properties"]) == {name.replace("_", "-") for name in RepositorySettings.__slots__}


def test_an_expression_of_topic_files_is_checked_with_its_place():
    text = "fail-on: none\ntopic-files:\n  - {files: '*.yaml', topic: '@.name['}\n"

    with pytest.raises(InputInvalid) as raised:
        parse_settings(text, ".scanner.yaml")

    assert raised.value.where == ".scanner.yaml:2 topic-files[0].topic"
