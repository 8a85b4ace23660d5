"""The dashboard of Grafana and the alert rules of Prometheus: they ask for metrics, labels and values that exist."""

from __future__ import annotations

import json
import re
import runpy
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
FILES = ROOT / "charts/scanner/files"
ALERTS = FILES / "alerts.yaml"
DASHBOARD = FILES / "dashboard.json"
_METRIC = re.compile(r"\b(scanner_\w+)(?:\{([^}]*)\})?")
_SAMPLE = re.compile(r"^(scanner_\w+)(?:\{(.*)\})? ", re.MULTILINE)
_LABEL = re.compile(r'(\w+)(=~|!~|=|!=)"([^"]*)"')


def rules() -> list[dict[str, Any]]:
    groups = yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def panels() -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    return listed


def expressions() -> Iterator[str]:
    yield from (rule["expr"] for rule in rules())
    yield from (target["expr"] for panel in panels() for target in panel.get("targets", ()))
    variables = json.loads(DASHBOARD.read_text(encoding="utf-8"))["templating"]["list"]
    yield from (variable["query"]["query"] for variable in variables if variable["type"] == "query")


@pytest.fixture(scope="module")
def answer() -> str:
    """Return what the server answers with all its parts, over the bundled example."""
    text: str = runpy.run_path(str(ROOT / "tools/pages/generate_metrics.py"))["_answer"]()
    return text


@pytest.mark.parametrize("expression", sorted(set(expressions())))
def test_an_expression_asks_for_what_the_server_has(expression: str, answer: str) -> None:
    """A misspelt metric or label never raises an alarm."""
    declared = set(re.findall(r"^# TYPE (\w+)", answer, re.MULTILINE))
    labels: dict[str, set[str]] = {name: set() for name in declared}
    values: dict[str, set[str]] = {}
    for name, inner in _SAMPLE.findall(answer):
        for label, _, value in _LABEL.findall(inner):
            labels[name].add(label)
            values.setdefault(f"{name} {label}", set()).add(value)
    asked = _METRIC.findall(expression)

    assert asked
    for name, inner in asked:
        assert name in declared
        for label, operator, value in _LABEL.findall(inner):
            assert label in labels[name]
            if operator in ("=", "!=") and label in ("what", "result"):
                assert value in values[f"{name} {label}"]
    for group in re.findall(r"\bby \(([^)]*)\)", expression):
        assert {label.strip() for label in group.split(",")} <= set().union(*(labels[name] for name, _ in asked))


def test_every_metric_is_on_the_dashboard(answer: str) -> None:
    shown = {name for text in expressions() for name, _ in _METRIC.findall(text)}

    assert set(re.findall(r"^# TYPE (\w+)", answer, re.MULTILINE)) == shown


def test_every_alert_says_what_happened_and_what_to_do() -> None:
    for rule in rules():
        assert set(rule["annotations"]) == {"summary", "description"}
        assert rule["labels"]["severity"] in ("warning", "critical")


def test_panels_do_not_overlap() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in panels():
        at = panel["gridPos"]
        cells = {(at["x"] + x, at["y"] + y) for x in range(at["w"]) for y in range(at["h"])}
        assert at["x"] + at["w"] <= 24
        assert not cells & taken
        taken |= cells


@pytest.mark.process
def test_promtool_accepts_the_alerts_and_the_metrics(answer: str) -> None:
    promtool = shutil.which("promtool")
    if not promtool:
        pytest.skip("promtool is not installed (Debian: apt-get install prometheus)")
    checked = subprocess.run([promtool, "check", "rules", ALERTS], capture_output=True, text=True, check=False)
    metrics = subprocess.run([promtool, "check", "metrics"], input=answer, capture_output=True, text=True, check=False)

    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert metrics.returncode == 0, metrics.stdout + metrics.stderr
