# ruff: noqa: E501 - texts of files
"""What runs a program, or lets it read and write, is judged by its kind; what only describes it is fine."""

from __future__ import annotations

import pytest

from scanner_check.model import Verdict

FILES = {
    "pay/go.mod": "module pay\n\nrequire github.com/segmentio/kafka-go v0.4.47\n",
    "pay/main.go": 'package main\n\nimport (\n\t"context"\n\t"os"\n\n\t"github.com/segmentio/kafka-go"\n)\n\nfunc main() {\n'
    '\tw := &kafka.Writer{Addr: kafka.TCP("b:9092"), Topic: "pay.events"}\n'
    '\tw.WriteMessages(context.Background(), kafka.Message{Value: []byte(os.Getenv("PAY_CURRENCY"))})\n}\n',
    "audit/requirements.txt": "confluent-kafka==2.3.0\n",
    "audit/main.py": "from confluent_kafka import Consumer\n"
    'c = Consumer({"group.id": "audit"})\nc.subscribe(["pay.events"])\n',
    "deploy/pay.yaml": "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: pay}\nspec:\n  replicas: 2\n  template:\n"
    "    spec:\n      containers:\n      - name: pay\n        image: reg/pay:1.0\n        command: [/pay]\n        env:\n"
    "        - {name: PAY_CURRENCY, value: EUR}\n        - {name: LOG_LEVEL, value: info}\n",
    "deploy/hpa.yaml": "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: pay}\n"
    "spec: {minReplicas: 1, maxReplicas: 4}\n",
    "deploy/user.yaml": "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaUser\nmetadata: {name: audit}\nspec:\n"
    "  authorization:\n    acls:\n    - resource: {type: topic, name: pay, patternType: prefix}\n      operation: Read\n"
    "  quotas: {producerByteRate: 100}\n",
    "deploy/kustomization.yaml": "resources:\n- pay.yaml\n- hpa.yaml\n- user.yaml\n",
    "chart/values.yaml": 'pay:\n  enabled: true\n  image: {tag: "1"}\n  kafka: {acks: all, clientId: pay}\n',
    "app/application.properties": "spring.kafka.producer.acks=all\nserver.port=80\n",
    "infra/main.tf": 'resource "kafka_topic" "pay" {\n  name = "pay.events"\n  partitions = 3\n  config = {\n'
    '    "retention.ms" = "1000"\n    "segment.ms" = "10"\n  }\n}\n',
    "topics.sh": "kafka-topics --create --topic pay.events --partitions 3\n",
    "pay/Dockerfile": 'FROM golang:1.22\nCMD ["/pay"]\n',
    "locale/de.json": '{"topic": "Thema"}',
}


def edited(path: str, old: str, new: str) -> dict[str, str]:
    assert old in FILES[path]
    return {path: FILES[path].replace(old, new, 1)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("deploy/pay.yaml", "replicas: 2", "replicas: 0"),
        ("deploy/pay.yaml", "[/pay]", "[sleep, infinity]"),
        ("deploy/pay.yaml", "[/pay]", "[/pay, --dry-run]"),
        ("deploy/pay.yaml", "value: EUR", "value: CHF"),
        ("deploy/hpa.yaml", "maxReplicas: 4", "maxReplicas: 0"),
        ("deploy/user.yaml", "operation: Read", "operation: Describe"),
        ("deploy/kustomization.yaml", "- pay.yaml\n", ""),
        ("deploy/kustomization.yaml", "- user.yaml\n", ""),
        ("chart/values.yaml", "enabled: true", "enabled: false"),
        ("chart/values.yaml", "acks: all", "acks: 1"),
        ("app/application.properties", "acks=all", "acks=0"),
        ("infra/main.tf", '"1000"', '"10"'),
        ("infra/main.tf", "partitions = 3", "partitions = 6"),
        ("pay/Dockerfile", 'CMD ["/pay"]', 'CMD ["/bin/true"]'),
    ],
)
def test_what_stops_a_program_or_changes_its_records_is_not_fine(check, path: str, old: str, new: str) -> None:
    assert check(edited(path, old, new), FILES).verdict is not Verdict.FINE


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("deploy/pay.yaml", "replicas: 2", "replicas: 5"),
        ("deploy/pay.yaml", "pay:1.0", "pay:1.1"),
        ("deploy/pay.yaml", "value: info", "value: debug"),
        ("deploy/hpa.yaml", "maxReplicas: 4", "maxReplicas: 9"),
        ("deploy/user.yaml", "Rate: 100", "Rate: 200"),
        ("deploy/kustomization.yaml", "- hpa.yaml\n", ""),
        ("chart/values.yaml", 'tag: "1"', 'tag: "2"'),
        ("chart/values.yaml", "clientId: pay", "clientId: pay2"),
        ("app/application.properties", "port=80", "port=81"),
        ("infra/main.tf", '"10"', '"20"'),
        ("pay/Dockerfile", "1.22", "1.23"),
        ("locale/de.json", "Thema", "Gegenstand"),
    ],
)
def test_what_describes_a_program_is_fine(check, path: str, old: str, new: str) -> None:
    assert check(edited(path, old, new), FILES).verdict is Verdict.FINE


COMPOSE = {
    "compose.yml": "services:\n  db:\n    image: postgres:16\n  worker:\n    image: acme/pay:latest\n    environment:\n"
    "      PAY_CURRENCY: EUR\n      LOG_LEVEL: debug\n",
    "pay/go.mod": FILES["pay/go.mod"],
    "pay/main.go": FILES["pay/main.go"],
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ({"  worker:": "  payments:", "acme/pay": "registry.example.org/pay"}, Verdict.FINE),
        ({"  worker:": "  payments:", "EUR": "CHF"}, Verdict.UNKNOWN),
        ({"  worker:": "  payments:", "acme/pay": "acme/other"}, Verdict.IMPACT),
    ],
)
@pytest.mark.parametrize("path", ["compose.yml", "dev/full-stack.yml"])
def test_service_with_another_name_is_compared_with_its_former_self(check, path, edits, expected) -> None:
    """A compose file is one by its services, whatever it is called."""
    text = COMPOSE["compose.yml"]
    for old, new in edits.items():
        text = text.replace(old, new)

    files = {**COMPOSE, path: COMPOSE["compose.yml"]}

    assert check({path: text}, {name: files[name] for name in (path, "pay/go.mod", "pay/main.go")}).verdict is expected


@pytest.mark.slow
@pytest.mark.parametrize(("other", "expected"), [("dev/stack.yaml", Verdict.FINE), ("dev/notes.yaml", Verdict.IMPACT)])
def test_service_that_another_compose_file_runs_is_not_stopped(check, other, expected) -> None:
    service = "    image: acme/pay:latest\n" if expected is Verdict.FINE else "    owner: payments\n"
    files = {**COMPOSE, other: f"services:\n  worker:\n{service}"}

    assert check({"compose.yml": COMPOSE["compose.yml"].partition("  worker:")[0]}, files).verdict is expected


GENERATED = {
    "base/kustomization.yaml": "resources:\n- feed.yaml\nconfigMapGenerator:\n- name: feed\n  literals:\n  - OUT=rates\n"
    "  - LOG_LEVEL=info\n  envs: [feed.env]\n",
    "base/feed.env": "IN=ticks\n",
    "base/feed.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: feed}\nspec:\n  template:\n    spec:\n"
    "      containers:\n      - {name: feed, image: reg/feed:1, envFrom: [{configMapRef: {name: feed}}]}\n",
    "feed/requirements.txt": "confluent-kafka==2.3.0\n",
    "feed/main.py": "import os\nfrom confluent_kafka import Consumer, Producer\nc = Consumer({'group.id': 'feed'})\n"
    "c.subscribe([os.environ['IN']])\np = Producer({})\np.produce(os.environ['OUT'], value=c.poll(1).value())\n",
    "audit/requirements.txt": FILES["audit/requirements.txt"],
    "audit/main.py": FILES["audit/main.py"].replace("pay.events", "rates"),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "old", "new", "expected"),
    [
        ("base/kustomization.yaml", "OUT=rates", "OUT=prices", Verdict.IMPACT),
        ("base/kustomization.yaml", "=info", "=debug", Verdict.FINE),
        ("base/feed.env", "IN=ticks", "IN=quotes", Verdict.IMPACT),
    ],
)
def test_values_that_a_kustomization_generates_are_those_of_the_program(check, path, old, new, expected) -> None:
    assert check({path: GENERATED[path].replace(old, new)}, GENERATED).verdict is expected


READS_ADDRESS = {
    "feed/Cargo.toml": '[package]\nname = "feed"\n\n[dependencies]\nrdkafka = "0.36"\n',
    "feed/src/main.rs": "use rdkafka::producer::{FutureProducer, FutureRecord};\n\nstruct Config {\n    feed_home: String,\n}\n\n"
    'async fn run(config: Config, producer: FutureProducer) {\n    producer.send(FutureRecord::to("feed").key("a").payload("b"), 0).await;\n}\n',
    "feed/config/dev.yaml": "feed_home: kafka_dev:9092\n",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "expected"),
    [("127.0.0.1:9092,127.0.0.1:9093", Verdict.FINE), ("ssl://kafka:9093", Verdict.FINE), ("other", Verdict.UNKNOWN)],
)
def test_address_that_is_another_address_only_connects(check, value: str, expected: Verdict) -> None:
    assert check({"feed/config/dev.yaml": f"feed_home: {value}\n"}, READS_ADDRESS).verdict is expected


LISTENER = {
    "app/pom.xml": "<project><artifactId>app</artifactId></project>",
    "app/src/main/java/a/L.java": "package a;\nimport org.springframework.kafka.annotation.KafkaListener;\n"
    'class L { @KafkaListener(topics = "orders", groupId = "${mail.team}") void on(String s) { System.out.println(s); } }\n',
    "app/src/main/resources/application.properties": "spring.kafka.consumer.auto-offset-reset=earliest\n"
    "spring.kafka.consumer.group-id=mails\nspring.kafka.producer.acks=all\ndb.schema=a\nmail.team=t1\nmail.text=Hello\n",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("earliest", "latest", Verdict.UNKNOWN),
        ("group-id=mails", "group-id=letters", Verdict.UNKNOWN),
        ("=t1", "=t2", Verdict.UNKNOWN),
        ("Hello", "Dear", Verdict.FINE),
        ("acks=all", "acks=1", Verdict.FINE),
        ("schema=a", "schema=b", Verdict.FINE),
    ],
)
def test_how_a_program_reads_counts_even_if_it_writes_nothing(check, old, new, expected) -> None:
    path = "app/src/main/resources/application.properties"

    assert check({path: LISTENER[path].replace(old, new)}, LISTENER).verdict is expected


TERRAFORM = "".join(
    f'resource "confluent_kafka_topic" "{name}" {{\n  topic_name       = "{name}"\n  partitions_count = 6\n}}\n\n'
    for name in ("orders", "refunds")
)


@pytest.mark.slow
def test_topic_that_leaves_terraform_has_one_finding(check) -> None:
    """It is dropped, which names its users: that its resource is gone is the same."""
    audit = FILES["audit/main.py"].replace("pay.events", "refunds")
    files = {"topics.tf": TERRAFORM, "audit/main.py": audit, "audit/requirements.txt": "confluent-kafka==2.3.0\n"}
    report = check({"topics.tf": TERRAFORM.partition("\n\n")[0] + "\n"}, files)

    assert [finding.rule for finding in report.findings if finding.counts] == ["topic-gone"]
