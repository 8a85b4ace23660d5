"""Two commits of a kustomization, or of a chart's values, around a program: what reaches the program."""

from __future__ import annotations

import pytest
from committed_repository import rules

from scanner_check.model import Verdict

pytestmark = pytest.mark.slow

PROGRAM = """import os
from kafka import KafkaConsumer, KafkaProducer

producer = KafkaProducer(bootstrap_servers=os.environ["KAFKA"])
for one in KafkaConsumer(os.environ["ORDERS_TOPIC"], group_id=os.environ["KAFKA_GROUP"]):
    producer.send("invoices", one.value)
"""
DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata: {name: billing}
spec:
  replicas: 2
  template:
    spec:
      containers: [{name: billing, image: shop/billing, envFrom: [{configMapRef: {name: billing}}]}]
"""
BASE = """resources: [deploy.yaml]
configMapGenerator:
- name: billing
  literals: [ORDERS_TOPIC=orders, LOG_LEVEL=info, KAFKA_GROUP=billing]
"""
OPERATIONS = """resources: [../base]
patches:
- target: {kind: Deployment, name: billing}
  patch: |-
    - {op: replace, path: /spec/replicas, value: 3}
"""
PART = """resources: [../base]
patches:
- patch: |-
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: billing}
    spec: {replicas: 3}
"""
FILES = {
    "billing/main.py": PROGRAM,
    "billing/setup.py": "",
    "base/deploy.yaml": DEPLOYMENT,
    "base/kustomization.yaml": BASE,
    "prod/kustomization.yaml": OPERATIONS,
    "stage/kustomization.yaml": PART,
}


def checked(check, path: str, old: str, new: str):
    assert old in FILES[path]
    return check({path: FILES[path].replace(old, new)}, FILES)


@pytest.mark.parametrize("new", ["ORDERS_TOPIC=orders-v2", "KAFKA_GROUP=other"])
def test_text_of_a_generated_config_map_is_a_setting_of_the_program(check, new) -> None:
    name = new.partition("=")[0]
    old = next(one for one in ("ORDERS_TOPIC=orders", "KAFKA_GROUP=billing") if one.startswith(name))
    report = checked(check, "base/kustomization.yaml", old, new)

    assert report.verdict in (Verdict.UNKNOWN, Verdict.IMPACT), rules(report)
    assert any("billing" in finding.target for finding in report.findings)


def test_text_that_only_logs_is_fine(check) -> None:
    report = checked(check, "base/kustomization.yaml", "LOG_LEVEL=info", "LOG_LEVEL=debug")

    assert report.verdict is Verdict.FINE, rules(report)


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("prod/kustomization.yaml", "value: 3", "value: {}"),
        ("stage/kustomization.yaml", "replicas: 3", "replicas: {}"),
    ],
)
def test_patch_is_judged_by_what_it_sets(check, path, old, new) -> None:
    stopped = checked(check, path, old, new.format(0))
    scaled = checked(check, path, old, new.format(5))

    assert [one.target for one in stopped.findings if one.rule == "job-stopped"] == ["job billing"]
    assert scaled.verdict is Verdict.FINE, rules(scaled)


def test_chart_without_replicas_is_one_whose_program_stops(check) -> None:
    chart = {
        "chart/Chart.yaml": "apiVersion: v2\nname: billing\n",
        "chart/values.yaml": "replicaCount: 2\n",
        "billing/main.py": PROGRAM,
        "billing/setup.py": "",
    }

    assert "job-stopped" in {rule for rule, _ in rules(check({"chart/values.yaml": "replicaCount: 0\n"}, chart))}
    assert check({"chart/values.yaml": "replicaCount: 3\n"}, chart).verdict is Verdict.FINE
