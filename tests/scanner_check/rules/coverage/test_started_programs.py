"""What starts a program, is loaded with it or gives it values is judged, wherever a file says so."""

from __future__ import annotations

import pytest

from scanner_check.model import Verdict

pytestmark = pytest.mark.slow

WRITER = """import os
from confluent_kafka import Producer

producer = Producer({"bootstrap.servers": "b:9092"})


def run():
    producer.produce(os.environ["TOPIC"], os.environ["CURRENCY"].encode())
"""
MAP = """apiVersion: v1
kind: ConfigMap
metadata: {name: fares-config}
data: {target: fares, spare: tolls, money: EUR, level: info}
"""
WORKLOAD = """apiVersion: apps/v1
kind: Deployment
metadata: {name: fares}
spec:
  template:
    spec:
      containers:
      - name: fares
        image: registry.example.org/fares:1
        env:
        - {name: TOPIC, valueFrom: {configMapKeyRef: {name: fares-config, key: target}}}
        - {name: CURRENCY, valueFrom: {configMapKeyRef: {name: fares-config, key: money}}}
        - {name: LOG_LEVEL, valueFrom: {configMapKeyRef: {name: fares-config, key: level}}}
"""
RESOURCES = "resources: [map.yaml, fares.yaml]\n"
LISTENER = """const { Kafka } = require("kafkajs");
const kafka = new Kafka({ brokers: ["b:9092"] });
const consumer = kafka.consumer({ groupId: "meter" });
const producer = kafka.producer();
const rates = require("../rates.json");
async function main() {
  await consumer.subscribe({ topic: "fares" });
  await consumer.run({
    eachMessage: async ({ message }) => {
      const sum = JSON.parse(message.value).sum * rates.eur;
      await producer.send({ topic: "sums", messages: [{ value: JSON.stringify({ sum }) }] });
    },
  });
}
main();
"""
FILES = {
    "fares/fares.py": WRITER,
    "fares/pyproject.toml": '[project]\nname = "fares"\ndependencies = ["confluent-kafka"]\n'
    '[project.scripts]\nfares = "fares:run"\n',
    "k8s/map.yaml": MAP,
    "k8s/fares.yaml": WORKLOAD,
    "k8s/kustomization.yaml": f"{RESOURCES}patches: [{{path: patch.yaml}}]\n",
    "k8s/patch.yaml": MAP.replace("{target: fares, spare: tolls, money: EUR,", "{money: GBP,"),
    "meter/package.json": '{"name": "meter", "main": "src/meter.js", "dependencies": {"kafkajs": "2.2.4"}}\n',
    "meter/src/meter.js": LISTENER,
    "meter/rates.json": '{"eur": 1}\n',
}


def edited(path: str, old: str, new: str) -> dict[str, str]:
    assert old in FILES[path]
    return {path: FILES[path].replace(old, new, 1)}


@pytest.mark.parametrize(
    "change",
    [
        edited("k8s/map.yaml", "EUR", "CHF"),
        edited("k8s/patch.yaml", "GBP", "CHF"),
        edited("k8s/kustomization.yaml", "]\n", ", {path: other.yaml}]\n")
        | {"k8s/other.yaml": MAP.replace("target: fares", "target: tolls")},
        {
            "k8s/kustomization.yaml": f"{RESOURCES}replacements:\n"
            "- source: {kind: ConfigMap, name: fares-config, fieldPath: data.spare}\n"
            "  targets: [{select: {kind: ConfigMap, name: fares-config}, fieldPaths: [data.target]}]\n"
        },
        edited("fares/pyproject.toml", "fares:run", "other:run"),
        edited("meter/package.json", "src/meter.js", "src/quiet.js"),
        edited("meter/package.json", '"main"', '"scripts": {"start": "node src/quiet.js"}, "main"'),
        edited("meter/rates.json", "1", "2"),
        {"fares/sitecustomize.py": "import confluent_kafka\nconfluent_kafka.Producer.produce = print\n"},
    ],
)
def test_what_a_program_starts_with_is_not_fine(check, change: dict[str, str]) -> None:
    assert check(change, FILES).verdict is not Verdict.FINE


@pytest.mark.parametrize(
    "change",
    [
        edited("k8s/map.yaml", "info", "debug"),
        edited("k8s/patch.yaml", "info", "debug"),
        edited("fares/pyproject.toml", "[project.scripts]", "[tool.ruff]\nline-length = 100\n[project.scripts]"),
        edited("meter/package.json", '"main"', '"scripts": {"test": "jest"}, "main"'),
        edited("meter/package.json", '"main"', '"version": "1.0.1", "main"'),
    ],
)
def test_what_only_describes_or_tests_it_is_fine(check, change: dict[str, str]) -> None:
    assert check(change, FILES).verdict is Verdict.FINE
