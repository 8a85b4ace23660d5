"""No other part of a change makes its verdict milder: attributes, encodings, copies, links, further files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest
from committed_repository import commit_all, git

from scanner_check.commits import check_commits
from scanner_check.model import Verdict

Files = Mapping[str, str]
_ORDER = list(Verdict)
ALL = "ALL_SILENCERS" in os.environ


def avro(*fields: str) -> str:
    return json.dumps({"type": "record", "name": "Order", "fields": [{"name": f, "type": "string"} for f in fields]})


def sink(**settings: str) -> str:
    config = {
        "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
        "topics": "orders",
        "connection.url": "jdbc:postgresql://dw:5432/dw",
        "insert.mode": "upsert",
        "pk.mode": "record_key",
        "pk.fields": "id",
    }
    return json.dumps(
        {"name": "dw", "config": config | {k.replace("__", "."): v for k, v in settings.items()}}, indent=1
    )


FLINK = (
    "CREATE TABLE o (id STRING, amount STRING) WITH ('connector'='kafka','topic'='orders','format'='json');\n"
    "CREATE TABLE p (id STRING, amount STRING) WITH ('connector'='kafka','topic'='paid','format'='json');\n"
    "INSERT INTO p SELECT id, amount FROM o;\n"
)
TOPICS = "kafka-topics --create --topic orders --partitions 3\nkafka-topics --create --topic paid --partitions 3\n"
USER = """apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaUser
metadata:
  name: billing
spec:
  authorization:
    type: simple
    acls:
      - resource: {type: topic, name: orders, patternType: literal}
        operations: [Read, Describe]
"""
TOPIC = """apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaTopic
metadata:
  name: orders.kept
spec:
  partitions: 3
  config:
    cleanup.policy: delete
"""
CRON = """apiVersion: batch/v1
kind: CronJob
metadata:
  name: shop
spec:
  suspend: false
  jobTemplate:
    spec:
      template:
        spec:
          containers:
            - name: shop
              image: shop:1
              env:
                - name: MORE_TOPIC
                  value: orders
"""
COMPOSE = (
    "services:\n  shop:\n    image: shop:1\n    environment:\n      GROUP_ID: shop\n  db:\n    image: postgres:16\n"
)
PROGRAM = """from kafka import KafkaProducer
import json

producer = KafkaProducer()


def pay(order):
    producer.send("paid", json.dumps({"id": order.id, "amount": order.amount}).encode())
"""
READER = """import json
from kafka import KafkaConsumer

for message in KafkaConsumer("orders", "paid", group_id="billing"):
    print(json.loads(message.value)["amount"])
"""
SETTINGS = "kafka:\n  bootstrap-servers: k:9092\n  inputTopicName: orders\n"
TERRAFORM = 'resource "confluent_kafka_acl" "r" {\n  resource_name = "orders"\n  operation = "READ"\n}\n'

BASE: dict[str, str] = {
    "schemas/orders-value.avsc": avro("id", "amount"),
    "connect/dw.json": sink(),
    "flink/pay.sql": FLINK,
    "topics.sh": TOPICS,
    "k8s/user.yaml": USER,
    "k8s/topic.yaml": TOPIC,
    "k8s/cron.yaml": CRON,
    "compose.yaml": COMPOSE,
    "shop/requirements.txt": "kafka-python==2.0\n",
    "shop/main.py": PROGRAM,
    "shop/config.yaml": SETTINGS,
    "billing/requirements.txt": "kafka-python==2.0\n",
    "billing/main.py": READER,
    "main.tf": TERRAFORM,
}


class Change(NamedTuple):
    """One file with another text."""

    path: str
    old: str
    new: str


CHANGES: dict[str, Change] = {
    "field removed": Change("schemas/orders-value.avsc", ', {"name": "amount", "type": "string"}', ""),
    "field retyped": Change(
        "schemas/orders-value.avsc", '"name": "amount", "type": "string"', '"name": "amount", "type": "int"'
    ),
    "sink's topic": Change("connect/dw.json", '"topics": "orders"', '"topics": "paid"'),
    "sink's mode": Change("connect/dw.json", '"upsert"', '"insert"'),
    "filter added": Change("flink/pay.sql", "FROM o;", "FROM o WHERE amount <> '0';"),
    "column dropped": Change("flink/pay.sql", "SELECT id, amount", "SELECT id, CAST(NULL AS STRING)"),
    "format": Change("flink/pay.sql", "'paid','format'='json'", "'paid','format'='avro'"),
    "topic deleted": Change(
        "topics.sh", "kafka-topics --create --topic paid --partitions 3\n", "kafka-topics --delete --topic paid\n"
    ),
    "right lost": Change("k8s/user.yaml", "[Read, Describe]", "[Describe]"),
    "policy of a topic": Change("k8s/topic.yaml", "cleanup.policy: delete", "cleanup.policy: compact"),
    "job suspended": Change("k8s/cron.yaml", "suspend: false", "suspend: true"),
    "service removed": Change(
        "compose.yaml", "  shop:\n    image: shop:1\n    environment:\n      GROUP_ID: shop\n", ""
    ),
    "topic in settings": Change("shop/config.yaml", "inputTopicName: orders", "inputTopicName: orders2"),
    "field not sent": Change("shop/main.py", ', "amount": order.amount', ""),
    "library": Change("shop/requirements.txt", "2.0", "3.0"),
    "right in Terraform": Change("main.tf", '"READ"', '"DESCRIBE"'),
}


def _only(**files: str) -> Callable[[Path, Change], None]:
    """Return a silencer that adds files; `__` in a name is a slash."""

    def write(root: Path, _: Change) -> None:
        for name, text in files.items():
            put(root, name.replace("__", "/"), text)

    return write


def put(root: Path, path: str, text: str | bytes) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())


def _copied_to(folder: str) -> Callable[[Path, Change], None]:
    return lambda root, change: put(root, f"{folder}/{Path(change.path).name}", BASE[change.path])


def _rewritten(edit: Callable[[bytes], bytes]) -> Callable[[Path, Change], None]:
    def write(root: Path, change: Change) -> None:
        (root / change.path).write_bytes(edit((root / change.path).read_bytes()))

    return write


def _linked(root: Path, change: Change) -> None:
    (root / "linked").symlink_to(change.path)


SILENCERS: dict[str, Callable[[Path, Change], None]] = {
    "attributes: binary": lambda root, _: put(root, ".gitattributes", "* binary\n"),
    "attributes: no diff": lambda root, _: put(root, ".gitattributes", "* -diff -text linguist-generated\n"),
    "attributes: filter": lambda root, _: put(root, ".gitattributes", "*.sql filter=x diff=x merge=ours\n"),
    "ignored": lambda root, change: put(root, ".gitignore", f"{change.path}\n*\n"),
    "dockerignore": lambda root, change: put(root, ".dockerignore", f"{change.path}\n"),
    "excluded in Helm": lambda root, _: put(root, ".helmignore", "*\n"),
    **{
        f"copied to {folder}": _copied_to(folder)
        for folder in (
            "tests",
            "test/resources",
            "src/test/resources",
            "docs",
            "mocks",
            "fixtures",
            "old",
            "backup",
            "dist",
            "vendor",
            "examples",
            "node_modules/x",
            "target",
            "archive",
            "dev",
            "e2e",
            "benchmark",
        )
    },
    "copied beside": lambda root, change: put(root, f"{change.path}.bak", BASE[change.path]),
    "copied with another name": lambda root, change: put(root, f"copy-of-{Path(change.path).name}", BASE[change.path]),
    "byte order mark": _rewritten(lambda text: b"\xef\xbb\xbf" + text),
    "carriage returns": _rewritten(lambda text: text.replace(b"\n", b"\r\n")),
    "blank lines": _rewritten(lambda text: b"\n\n" + text + b"\n\n"),
    "no last line end": _rewritten(lambda text: text.rstrip(b"\n")),
    "linked": _linked,
    "a document": lambda root, _: put(root, "README.md", "orders is deprecated, and nobody reads it\n"),
    "a test": lambda root, _: put(root, "tests/test_orders.py", "TOPIC = 'orders'\n"),
    "a lock file": lambda root, _: put(root, "poetry.lock", "kafka-python==2.0\n"),
    "an unrelated sink": lambda root, _: put(
        root, "connect/more.json", sink(topics="orders").replace('"dw"', '"more"')
    ),
    "an unrelated topic": lambda root, _: put(root, "more.sh", "kafka-topics --create --topic more --partitions 1\n"),
    "an unrelated program": lambda root, _: put(root, "more/main.py", READER.replace("billing", "more")),
    "an unrelated statement": lambda root, _: put(root, "flink/more.sql", FLINK.replace("paid", "more")),
    "an unrelated schema": lambda root, _: put(root, "schemas/more-value.avsc", avro("id")),
    "a broken document": lambda root, _: put(root, "broken.yaml", "a: [\n  b: {\n"),
    "a broken configuration": lambda root, _: put(root, "broken.json", '{"connector.class": '),
    "a large file": lambda root, _: put(root, "large.txt", "orders " * 100_000),
    "many files": lambda root, _: [put(root, f"pages/{at}.md", f"{at}\n") for at in range(200)] and None,
    "a name with blanks": lambda root, _: put(root, "a b/ć\n.yaml", "orders: fine\n"),
    "a baseline": lambda root, _: put(root, ".scanner-baseline.json", '{"accepted": []}'),
}


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with the base on its branch `base`."""
    root = tmp_path_factory.mktemp("silenced")
    git(root, "init", "-q", "-b", "base")
    for path, text in BASE.items():
        put(root, path, text)
    commit_all(root)
    return root


def verdict_of(root: Path, change: Change, *silencers: Callable[[Path, Change], None]) -> Verdict:
    git(root, "checkout", "-qf", "base")
    git(root, "clean", "-qfdx")
    git(root, "checkout", "-qB", "change")
    put(root, change.path, BASE[change.path].replace(change.old, change.new))
    for silence in silencers:
        silence(root, change)
    git(root, "add", "-Af", ".")
    git(root, "commit", "-qm", "change")
    return check_commits("base...change", directory=root).verdict


@pytest.fixture(scope="session")
def plain(repository: Path) -> dict[str, Verdict]:
    """Return the verdict of each change alone."""
    return {name: verdict_of(repository, change) for name, change in CHANGES.items()}


@pytest.mark.slow
def test_each_change_alone_is_not_fine(plain: dict[str, Verdict]) -> None:
    assert [name for name, verdict in plain.items() if verdict is Verdict.FINE] == []


@pytest.mark.slow
@pytest.mark.parametrize("silencer", SILENCERS)
def test_no_other_part_makes_a_change_milder(repository: Path, plain: dict[str, Verdict], silencer: str) -> None:
    """Each run tries every silencer with a quarter of the changes, all of them if the environment has ALL_SILENCERS."""
    at = list(SILENCERS).index(silencer)
    chosen = [name for number, name in enumerate(CHANGES) if ALL or (number + at) % 4 == 0]
    milder = [
        name
        for name in chosen
        if _ORDER.index(verdict_of(repository, CHANGES[name], SILENCERS[silencer])) < _ORDER.index(plain[name])
    ]
    assert milder == []
