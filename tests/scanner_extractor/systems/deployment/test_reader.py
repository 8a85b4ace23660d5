"""Deployment files as a source: every file alone, within limits, and kept so that a replay needs none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scanner_extractor.http.recording import Recorder, Replay
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.runner import Task, kind_tasks
from scanner_extractor.settings.cluster import Settings
from scanner_extractor.settings.sources import FileSettings
from scanner_extractor.systems.deployment.reader import (
    LARGEST,
    deployment_document,
    read_deployment,
    read_deployment_document,
)
from scanner_extractor.systems.deployment.section import deployment_files, deployment_probes
from scanner_extractor.systems.deployment.settings import DeploymentSettings
from scanner_model.declarations import DECLARED
from scanner_model.errors import InputInvalid, SourceUnreachable
from scanner_model.kafka import Connector, Topic
from scanner_model.manual import DeclaredFlow
from scanner_model.names import ClusterName, SourceId
from scanner_model.scan import SourceStatus
from scanner_model.streaming_sql import StreamingStatement

TOPIC = "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata: {name: %s}\nspec: {partitions: 3}\n"
CONNECTOR = {"name": "lake", "config": {"connector.class": "S3", "topics": "a", "s3.secret.key": "zqAzq"}}
ALL = f"""{TOPIC % "orders"}---
{json.dumps(CONNECTOR)}
---
services: {{billing: {{type: application, consumes: [orders], produces: [paid]}}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: sql}}
data: {{a.sql: "INSERT INTO b SELECT 'x' FROM a -- password=zqBzq"}}
---
apiVersion: kafka.strimzi.io/v1
kind: KafkaConnect
metadata: {{name: main}}
spec: {{configStorageTopic: c}}
---
name: {{{{ .Values.x }}}}
"""


def settings(base: Path, pattern: str = ".", name: str = "") -> DeploymentSettings:
    files = FileSettings(pattern=pattern, base=base, files=deployment_files(pattern, base))
    return DeploymentSettings(files=files, name=name)


def read(base: Path, *, access: Connections | None = None, **more: Any) -> Reading:
    source = settings(base, **more)
    cluster = Settings(cluster=ClusterName("c"), brokers=(), file=base / "cluster.json", others={"files": (source,)})
    (task,) = kind_tasks("collections and connectors", cluster, access or Connections())
    assert isinstance(task, Task)
    return task.run(no_progress)  # type: ignore[return-value]


def test_facts_are_those_of_a_server_that_runs_what_is_declared(tmp_path: Path) -> None:
    """The graph and the check of changes read them as any others."""
    (tmp_path / "all.yaml").write_text(ALL)

    result = read(tmp_path)

    assert [(topic.name, topic.partitions, topic.internal) for topic in result.of(Topic)] == [
        ("orders", 3, False),
        ("c", None, True),
    ]
    (connector,) = result.of(Connector)
    assert (connector.name, connector.connector_class, connector.state) == ("lake", "S3", DECLARED)
    assert [(s.name, s.kind, s.detail) for s in result.of(StreamingStatement)] == [
        ("sql/a.sql", "SCRIPT", "all.yaml:13")
    ]
    assert [(flow.job, flow.origin.name, flow.target.name) for flow in result.of(DeclaredFlow)] == [
        ("billing", "orders", ""),
        ("billing", "", "paid"),
    ]
    assert {fact.source for fact in (*result.of(Topic), *result.of(Connector), *result.of(DeclaredFlow))} == {"files:."}


def test_a_template_is_a_problem_and_everything_else_is_read(tmp_path: Path) -> None:
    """It is there to stay: a scan that it made partial would never be whole."""
    (tmp_path / "all.yaml").write_text(ALL)

    result = read(tmp_path)

    assert result.outcome.status is SourceStatus.READ
    assert [(problem.where, problem.what) for problem in result.problems] == [
        ("files:. all.yaml:20", "it is a template: a key is not a text")
    ]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"\xff", "it is not UTF-8 at byte 0"),
        (b"a: [", "it is not YAML"),
        (b"#" * (LARGEST + 1), "it is larger than 16 MiB"),
        (b"a: \x00", "it is not YAML"),
    ],
)
def test_a_file_that_cannot_be_read_costs_itself(tmp_path: Path, content: bytes, what: str) -> None:
    """The source is partly read: what the file declared before stays."""
    (tmp_path / "bad.yml").write_bytes(content)
    (tmp_path / "good.yaml").write_text(TOPIC % "orders")

    result = read(tmp_path)

    assert [topic.name for topic in result.of(Topic)] == ["orders"]
    assert result.outcome.status is SourceStatus.PARTIAL
    assert (result.outcome.received, result.outcome.requested) == (1, 2)
    (problem,) = result.problems
    assert "bad.yml" in problem.where
    assert what in problem.what


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ('{"a": 1,\nb}', "bad.json:2", "it is not JSON: "),
        ("[" * 300 + "]" * 300, "bad.json:1", "nested too deeply"),
        ("[" + "1," * 500_001 + "1]", "bad.json:1", "more than 500000 values"),
    ],
)
def test_json_is_read_as_json(tmp_path: Path, text: str, where: str, what: str) -> None:
    """YAML is not quite a superset of it, and its errors name the wrong language."""
    (tmp_path / "bad.json").write_text(text)

    (problem,) = read(tmp_path).problems

    assert problem.where == f"files:. {where}"
    assert what in problem.what


@pytest.mark.parametrize(
    ("text", "status"),
    [("// settings\n{}", SourceStatus.READ), ('{"connector.class": "x",', SourceStatus.PARTIAL)],
)
def test_json_of_another_program_costs_itself(tmp_path: Path, text: str, status: SourceStatus) -> None:
    """A directory has files of other programs; one that may declare something keeps what it declared."""
    (tmp_path / "good.json").write_text('{"name": "c", "config": {"connector.class": "x"}}')
    (tmp_path / "bad.json").write_text(text)

    result = read(tmp_path)

    assert [connector.name for connector in result.of(Connector)] == ["c"]
    assert result.outcome.status is status
    assert len(result.problems) == 1


def test_nothing_that_can_be_read_is_no_answer(tmp_path: Path) -> None:
    """It is not the same as files that declare nothing: that would delete what is known."""
    with pytest.raises(SourceUnreachable, match="matches no file"):
        read(tmp_path, pattern="*.yaml")
    (tmp_path / "a.yaml").write_bytes(b"\xff")
    with pytest.raises(SourceUnreachable, match="none of its 1 files can be read"):
        read(tmp_path)


def test_files_are_named_from_cluster_json_and_chosen_by_their_ending(tmp_path: Path) -> None:
    """A directory of deployments has scripts and read-mes; a file that is named itself is read whatever its ending."""
    for name in ("a.yaml", "deep/er/b.YML", "c.json", "d.md", "deep/e.sql"):
        (tmp_path / "deploy" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "deploy" / name).write_text("{}")

    def names(pattern: str) -> list[str]:
        return [path.relative_to(tmp_path).as_posix() for path in deployment_files(pattern, tmp_path)]

    assert names("deploy") == ["deploy/a.yaml", "deploy/c.json", "deploy/deep/er/b.YML"]
    assert names("deploy/**/*.YML") == ["deploy/deep/er/b.YML"]
    assert names("deploy/*") == ["deploy/a.yaml", "deploy/c.json"]
    assert names("deploy/d.md") == ["deploy/d.md"]
    assert settings(tmp_path, "deploy").source == "files:deploy"
    assert settings(tmp_path, "deploy", name="shop").source == "files:shop"


def test_a_replay_needs_no_file_and_a_capture_has_no_secret(tmp_path: Path) -> None:
    """A capture is read elsewhere, and gives the same facts and problems."""
    (tmp_path / "deploy").mkdir()
    file = tmp_path / "deploy" / "all.yaml"
    file.write_text(ALL)
    first = read(tmp_path, pattern="deploy", access=Connections(recorder=Recorder(tmp_path / "kept")))
    file.unlink()

    again = read(tmp_path, pattern="deploy", access=Connections(replay=Replay(tmp_path / "kept")))

    assert again == first
    kept = "".join(path.read_text() for path in (tmp_path / "kept").rglob("*.json"))
    assert "billing" in kept
    assert "zq" not in kept + repr(first)


@pytest.mark.parametrize("damage", [{"files": None}, {"declarations": [{"kind": "x"}]}, {"problems": 3}, {"uses": [1]}])
def test_damaged_capture_is_refused(tmp_path: Path, damage: dict[str, Any]) -> None:
    """A capture may have been edited."""
    (tmp_path / "all.yaml").write_text(ALL)
    document = deployment_document(read_deployment(settings(tmp_path), no_progress))
    broken = {name: value for name, value in (document | damage).items() if value is not None}

    with pytest.raises(InputInvalid, match="damaged"):
        read_deployment_document(broken, SourceId("files:."))


def test_progress_counts_files(tmp_path: Path) -> None:
    """Ten thousand files take a while."""
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text("{}")
    steps: list[tuple[int, int | None]] = []

    read_deployment(settings(tmp_path), lambda _, done, total: steps.append((done, total)))

    assert steps == [(1, 2), (2, 2)]


def test_check_counts_what_is_read_and_what_is_not(tmp_path: Path) -> None:
    """The reasons are there before the first scan."""
    (tmp_path / "all.yaml").write_text(f"{ALL}---\napiVersion: apps/v1\nkind: Deployment\n")
    (probe,) = deployment_probes(settings(tmp_path), Connections())

    assert probe.run() == (
        "1 files with 6 documents, 1 topics, 1 connectors, 1 jobs with SQL, "
        "1 not read (1 Deployment of apps), 1 problems"
    )


def test_check_fails_where_a_file_cannot_be_read(tmp_path: Path) -> None:
    """With the place of the first problem."""
    (tmp_path / "a.yaml").write_text("a: [")
    (probe,) = deployment_probes(settings(tmp_path), Connections())

    with pytest.raises(SourceUnreachable, match=r"a\.yaml:\d+: it is not YAML"):
        probe.run()
