"""Helm charts: templates are read as Helm renders them, or left with the reason."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from scanner_extractor.repository.reader import directory_reading
from scanner_extractor.repository.reading import RepositoryReading
from scanner_extractor.repository.settings import RepositorySettings
from scanner_extractor.results import no_progress
from scanner_model.declarations import Declaration, UnreadFile
from scanner_model.kafka import Topic

TOPIC = """\
{{- range .Values.topics }}
---
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaTopic
metadata:
  name: {{ .name }}
  labels: {strimzi.io/cluster: c}
spec:
  partitions: {{ .partitions }}
{{- end }}
"""
CHART = {
    "deploy/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\ndependencies:\n  - {name: a, version: 1.x}\n",
    "deploy/values.yaml": "topics:\n  - {name: orders, partitions: 3}\n  - {name: payments, partitions: 1}\n",
    "deploy/templates/topics.yaml": TOPIC,
}
RENDERED = """\
---
# Source: shop/templates/topics.yaml
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaTopic
metadata: {name: orders}
spec: {partitions: 3}
---
# Source: shop/templates/topics.yaml
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaTopic
metadata: {name: payments}
spec: {partitions: 1}
"""


@pytest.fixture
def read(tmp_path):
    """Write a chart and read its directory with a program that stands in for Helm: a script, or None."""

    def reading(script: str | None, files: dict[str, str] = CHART) -> RepositoryReading:
        for path, text in files.items():
            file = tmp_path / "repository" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        program = _program(tmp_path / "helm", script) if script else None
        settings = RepositorySettings(pattern=".", directory=tmp_path / "repository", name="shop")
        return directory_reading(settings, no_progress, lambda: program)

    return reading


def _program(path: Path, script: str) -> str:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def topics(reading: RepositoryReading) -> dict[str, int | None]:
    return {str(topic.name): topic.partitions for topic in reading.of(Topic)}


def test_topics_of_a_rendered_chart_are_declared_in_its_template(read):
    reading = read(f"cat <<'END'\n{RENDERED}END")

    assert topics(reading) == {"orders": 3, "payments": 1}
    assert {entry.place.partition(":")[0] for entry in reading.of(Declaration)} == {"deploy/templates/topics.yaml"}
    assert not reading.of(UnreadFile)


def test_without_helm_a_template_is_unread(read):
    reading = read(None)

    assert topics(reading) == {}
    assert [file.name for file in reading.of(UnreadFile)] == ["deploy/templates/topics.yaml"]


def test_a_chart_that_fails_is_unread_with_the_reason(read):
    reading = read("echo 'Error: nil pointer evaluating .Values.region' >&2; exit 1")

    reasons = {file.name: file.reason for file in reading.of(UnreadFile)}
    assert "nil pointer evaluating .Values.region" in reasons["deploy/Chart.yaml"]
    assert "deploy/templates/topics.yaml" in reasons


def test_helm_gets_neither_the_environment_nor_the_directory(read, monkeypatch):
    """A chart of another team must not read secrets of the machine that scans it."""
    monkeypatch.setenv("KAFKA_PASSWORD", "hunter2")
    reading = read('echo "$(env) $(pwd)" >&2; exit 1')

    assert "hunter2" not in str(reading)
    assert "/repository" not in next(file.reason for file in reading.of(UnreadFile) if file.name.endswith("Chart.yaml"))


@pytest.mark.parametrize(
    "path",
    [
        *("values.schema.json", "charts/a/values.schema.json", "charts/a/charts/b/values.schema.json"),
        *("Values.Schema.JSON", "templates/values.schema.json"),
    ],
)
def test_helm_gets_no_schema_of_values(read, path):
    """Helm loads what its references name, from networks and disks: also in charts inside a chart."""
    schema = '{"properties": {"a": {"$ref": "http://169.254.169.254/latest/meta-data"}}}'
    reading = read('find "$3" -iname values.schema.json >&2; exit 1', {**CHART, f"deploy/{path}": schema})

    assert "schema" not in next(file.reason for file in reading.of(UnreadFile) if file.name.endswith("Chart.yaml"))


def test_a_chart_without_kafka_is_not_rendered(read):
    chart = {**CHART, "deploy/templates/topics.yaml": "kind: Service\nspec: {{ .Values.spec }}\n"}

    assert not read("exit 1", chart).of(UnreadFile)


@pytest.mark.skipif(shutil.which("helm") is None, reason="Helm is not installed")
def test_helm_itself_renders_the_chart(read):
    assert topics(read(f'exec {shutil.which("helm")} "$@"')) == {"orders": 3, "payments": 1}
