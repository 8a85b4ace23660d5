"""Figures of deployment files: a repository of topics and connectors, read without a server."""

from __future__ import annotations

import json
from pathlib import Path

from measure import Row, medians, scanner, sized

_TOPIC = """\
---
apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata:
  name: orders-{number}
  labels:
    strimzi.io/cluster: shop
spec:
  partitions: 12
  replicas: 3
  config:
    cleanup.policy: compact
    retention.ms: 7200000
    min.insync.replicas: 2
"""
_CONNECTOR = """\
---
apiVersion: kafka.strimzi.io/v1
kind: KafkaConnector
metadata:
  name: lake-{number}
  labels:
    strimzi.io/cluster: main
spec:
  class: io.confluent.connect.jdbc.JdbcSinkConnector
  tasksMax: 2
  config:
    topics: orders-{number}
    connection.url: jdbc:postgresql://db:5432/shop
    connection.user: ${{secrets:shop/db:user}}
    connection.password: ${{secrets:shop/db:password}}
    insert.mode: upsert
    pk.mode: record_key
    pk.fields: id
    table.name.format: lake.${{topic}}
    transforms: unwrap
    transforms.unwrap.type: io.debezium.transforms.ExtractNewRecordState
"""
_DOCUMENTS, _FILES = sized(10_000), 100


def deployment_row(directory: Path) -> list[Row]:
    """Ten thousand documents in a hundred files, a tenth of them connectors: read, then scanned into a dictionary."""
    config = _write(directory / "deployment")
    read = medians(lambda: [scanner(), "check", "--config", str(config)], runs=3)
    stored = directory / "deployment.db"
    command = [scanner(), "extract", "--config", str(config), "--dictionary", f"sqlite:///{stored}", "--quiet"]
    scan = medians(lambda: command, runs=3, before=lambda: stored.unlink(missing_ok=True))
    detail = f"{_DOCUMENTS:,} documents in {_FILES} files, whole process"
    return [
        Row(
            name=name,
            ours=measured.processor,
            unit="s of processor",
            target="≤ 5 s",
            met=measured.processor <= 5,
            detail=f"{detail}; by the clock {measured.seconds:.1f} s; {measured.memory:.0f} MiB",
        )
        for name, measured in (("reading deployment files", read), ("scan of deployment files", scan))
    ]


def _write(directory: Path) -> Path:
    directory.mkdir()
    per_file = _DOCUMENTS // _FILES
    for file in range(_FILES):
        numbers = range(file * per_file, (file + 1) * per_file)
        parts = ((_TOPIC if number % 10 else _CONNECTOR).format(number=number) for number in numbers)
        (directory / f"{file:03}.yaml").write_text("".join(parts), encoding="utf-8")
    config = directory / "cluster.json"
    config.write_text(json.dumps({"cluster": "shop", "brokers": ["kafka-1"], "files": [{"path": "*.yaml"}]}))
    return config
