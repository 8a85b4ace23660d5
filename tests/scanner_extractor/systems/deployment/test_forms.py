"""Each form of deployment file: documents of the shapes that the tools' documentation and examples have."""

from __future__ import annotations

import json
from textwrap import dedent
from typing import Any

import pytest

from scanner_extractor.repository.declared import Collector
from scanner_extractor.systems.deployment.reader import read_text
from scanner_model.declarations import DeclaredKind
from scanner_model.names import SourceId

TOPIC, CONNECTOR = DeclaredKind.TOPIC, DeclaredKind.CONNECTOR


def read(text: str, name: str = "deploy/a.yaml") -> Collector:
    collector = Collector(source=SourceId("files:deploy"))
    read_text(name, dedent(text), collector)
    return collector


def only(text: str, name: str = "deploy/a.yaml") -> Any:
    (declaration,) = read(text, name).declarations.values()
    return declaration


@pytest.mark.parametrize("version", ["v1", "v1beta2"])
def test_strimzi_topic(version: str) -> None:
    """`spec.topicName` is the name where a resource cannot be called so; -1 leaves a number to the cluster."""
    topic = only(
        f"""
        apiVersion: kafka.strimzi.io/{version}
        kind: KafkaTopic
        metadata:
          name: orders-placed
          labels: {{strimzi.io/cluster: shop}}
        spec:
          topicName: Orders_Placed
          partitions: 12
          replicas: -1
          config:
            retention.ms: 7200000
            cleanup.policy: [compact, delete]
            unclean.leader.election.enable: no
        """
    )

    assert (topic.kind, topic.name, topic.tool, topic.place) == (TOPIC, "Orders_Placed", "strimzi", "deploy/a.yaml:2")
    assert (topic.partitions, topic.replication) == (12, None)
    assert dict(topic.config) == {
        "cleanup.policy": "compact,delete",
        "retention.ms": "7200000",
        "unclean.leader.election.enable": "false",
    }


@pytest.mark.parametrize(
    ("spec", "state"),
    [("", "running"), ("pause: true", "paused"), ("state: stopped", "stopped"), ("pause: no", "running")],
)
def test_strimzi_connector(spec: str, state: str) -> None:
    """Class and tasks are members of their own; without a state the operator lets it run."""
    connector = only(
        f"""
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnector
        metadata: {{name: lake, labels: {{strimzi.io/cluster: main}}}}
        spec:
          class: io.confluent.connect.jdbc.JdbcSinkConnector
          tasksMax: 2
          {spec}
          config: {{topics: orders, auto.create: true, batch.size: 3000}}
        """
    )

    assert (connector.kind, connector.name, connector.parent, connector.state) == (CONNECTOR, "lake", "main", state)
    assert dict(connector.config) == {
        "auto.create": "true",
        "batch.size": "3000",
        "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
        "tasks.max": "2",
        "topics": "orders",
    }


def test_topics_of_a_connect_cluster_are_internal() -> None:
    """No schema is missing on them, and nobody has to declare them."""
    collector = read(
        """
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaConnect
        metadata: {name: main}
        spec: {configStorageTopic: c, offsetStorageTopic: o, statusStorageTopic: s}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnect
        metadata: {name: other}
        spec: {config: {group.id: g, config.storage.topic: c2, offset.storage.topic: o2, status.storage.topic: "${x}"}}
        """
    )

    assert sorted(collector.internal) == ["c", "c2", "o", "o2", "s"]
    assert not collector.declarations


MIRRORS = {
    "v1": """
        target: {alias: b, bootstrapServers: "b:9092", configStorageTopic: __c}
        mirrors:
        - source: {alias: a, bootstrapServers: "a:9092"}
          sourceConnector: {tasksMax: 3, config: {replication.factor: -1}}
          checkpointConnector: {state: paused}
          topicsPattern: "orders|paid"
          topicsExcludePattern: ".*internal"
          groupsPattern: ".*"
    """,
    "v1beta2": """
        connectCluster: b
        clusters:
        - {alias: a, bootstrapServers: "a:9092"}
        - {alias: b, bootstrapServers: "b:9092", config: {config.storage.topic: __c}}
        mirrors:
        - sourceCluster: a
          targetCluster: b
          sourceConnector: {tasksMax: 3, config: {replication.factor: -1}}
          checkpointConnector: {pause: true}
          topicsPattern: "orders|paid"
          topicsBlacklistPattern: ".*internal"
          groupsPattern: ".*"
    """,
}


@pytest.mark.parametrize("version", MIRRORS)
def test_mirror_maker_is_the_connectors_that_its_operator_creates(version: str) -> None:
    """Both versions of the resource say the same; the operator adds settings of security by itself."""
    head = f"apiVersion: kafka.strimzi.io/{version}\nkind: KafkaMirrorMaker2\nmetadata: {{name: mm}}\nspec:"
    collector = read(head + MIRRORS[version].replace("\n        ", "\n  "))
    source = collector.declarations[CONNECTOR, "a->b.MirrorSourceConnector"]
    checkpoint = collector.declarations[CONNECTOR, "a->b.MirrorCheckpointConnector"]

    assert len(collector.declarations) == 2
    assert list(collector.internal) == ["__c"]
    assert (source.parent, source.state, checkpoint.state, source.whole) == ("mm", "running", "paused", False)
    assert dict(source.config) == {
        "connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
        "groups": ".*",
        "replication.factor": "-1",
        "source.cluster.alias": "a",
        "source.cluster.bootstrap.servers": "a:9092",
        "target.cluster.alias": "b",
        "target.cluster.bootstrap.servers": "b:9092",
        "tasks.max": "3",
        "topics": "orders|paid",
        "topics.exclude": ".*internal",
    }


def test_jikkou_topics_share_the_settings_of_a_config_map() -> None:
    """A list has the kind of its items; what the tool shall delete is not declared."""
    collector = read(
        """
        apiVersion: kafka.jikkou.io/v1beta2
        kind: KafkaTopicList
        items:
        - metadata: {name: one}
          spec: {partitions: 3, replicas: 1, configs: {retention.ms: 1}, configMapRefs: [Shared]}
        - metadata: {name: two, annotations: {jikkou.io/delete: true}}
          spec: {}
        ---
        apiVersion: kafka.jikkou.io/v1
        kind: KafkaTopic
        metadata: {name: three}
        spec: {partitions: 1, replicas: 1, configMapRefs: [Elsewhere]}
        ---
        apiVersion: core.jikkou.io/v1
        kind: ConfigMap
        metadata: {name: Shared}
        data: {retention.ms: 5, cleanup.policy: compact}
        """
    )

    assert [name for _, name in collector.declarations] == ["one", "three"]
    assert dict(collector.declarations[TOPIC, "one"].config) == {"retention.ms": "1", "cleanup.policy": "compact"}
    assert [problem.what for problem in collector.problems] == ["the ConfigMap 'Elsewhere' is not in this file"]
    assert collector.others == {"KafkaTopic to be deleted": 1, "ConfigMap of jikkou": 1}


def test_jikkou_connector() -> None:
    """Its label names the Connect cluster."""
    connector = only(
        """
        apiVersion: kafka.jikkou.io/v1
        kind: KafkaConnector
        metadata: {name: local-file-sink, labels: {kafka.jikkou.io/connect-cluster: main}}
        spec: {connectorClass: FileStreamSink, tasksMax: 1, state: STOPPED, config: {topics: t}}
        """
    )

    assert (connector.name, connector.parent, connector.state, connector.tool) == (
        "local-file-sink", "main", "stopped", "jikkou",
    )  # fmt: skip
    assert dict(connector.config)["connector.class"] == "FileStreamSink"


def test_resources_of_confluent_for_kubernetes() -> None:
    """Other words for the same: `partitionCount`, `configs`, `taskMax`; the name may be in the specification."""
    collector = read(
        """
        apiVersion: platform.confluent.io/v1beta1
        kind: KafkaTopic
        metadata: {name: orders-resource}
        spec: {name: orders, partitionCount: 6, replicas: 3, configs: {cleanup.policy: compact}}
        ---
        apiVersion: platform.confluent.io/v1beta1
        kind: Connector
        metadata: {name: src}
        spec: {class: a.B, taskMax: 4, connectClusterRef: {name: connect}, configs: {topic.prefix: q-}}
        """
    )
    topic, connector = collector.declarations.values()

    assert (topic.name, topic.partitions, topic.replication) == ("orders", 6, 3)
    assert (connector.name, connector.parent, connector.state) == ("src", "connect", "")
    assert dict(connector.config) == {"connector.class": "a.B", "tasks.max": "4", "topic.prefix": "q-"}


GITOPS = """
settings: {topics: {defaults: {replication: 2}}}
topics:
  orders: {partitions: 6, configs: {cleanup.policy: compact}}
  paid:
    partitions: 3
    replication: 1
services:
  billing: {type: application, principal: "User:b", consumes: [orders], produces: [paid]}
  loads:
    type: kafka-connect
    storage-topics: {config: loads-config}
    connectors:
      shop-source: {produces: [orders]}
"""


def test_kafka_gitops_reports_who_reads_and_writes() -> None:
    """A service is a job; a connector of a Connect service is one too."""
    collector = read(GITOPS)
    orders, paid = collector.declarations.values()

    assert (orders.partitions, orders.replication, paid.replication, paid.place) == (6, 2, 1, "deploy/a.yaml:5")
    assert [(use.job, use.topic, use.writes) for use in collector.uses.values()] == [
        ("billing", "orders", False),
        ("billing", "paid", True),
        ("shop-source", "orders", True),
    ]
    assert list(collector.internal) == ["loads-config"]
    assert {(rule.principal, rule.name, rule.operation) for rule in collector.rights} == {
        ("User:b", "orders", "READ"), ("User:b", "paid", "WRITE"), ("User:loads", "orders", "WRITE"),
    }  # fmt: skip


def test_rules_beside_the_services_of_kafka_gitops_are_rights() -> None:
    """A rule has its own principal, that of its user or service, or a user of that name."""
    collector = read(
        """
        users: {ann: {principal: "User:a"}}
        customUserAcls:
          ann: {read-all: {name: shop., type: TOPIC, pattern: PREFIXED, operation: DESCRIBE_CONFIGS, permission: ALLOW}}
          bob: {any: {name: orders, type: TOPIC, pattern: LITERAL, operation: READ, permission: DENY}}
          cluster: {alter: {name: kafka-cluster, type: CLUSTER, operation: ALTER}}
        """
    )

    assert {(one.principal, one.pattern_type, one.name, one.operation, one.permission) for one in collector.rights} == {
        ("User:a", "PREFIXED", "shop.", "DESCRIBE_CONFIGS", "ALLOW"),
        ("User:bob", "LITERAL", "orders", "READ", "DENY"),
    }


def test_compose_file_is_no_kafka_gitops() -> None:
    """It has `services` too, and a workflow of CI may have `topics`."""
    collector = read("services:\n  kafka: {image: apache/kafka, ports: ['9092:9092']}\n---\ntopics: [a, b]\n")

    assert not collector.declarations
    assert not collector.uses
    assert collector.others == {"no form that is known": 2}


JULIE = """
context: acme
company: shop
projects:
- name: sales
  consumers: [{principal: "User:App0"}]
  producers: [{principal: "User:App3"}]
  streams:
  - {principal: "User:S0", applicationId: enricher, topics: {read: [x], write: [y]}}
  connectors:
  - {principal: "User:C1", status_topic: st, topics: {read: [x]}}
  topics:
  - name: orders
    dataType: avro
    config: {replication.factor: "3", num.partitions: "6", retention.ms: "1"}
  - name: paid
    consumers: [{principal: "User:App4"}]
special_topics:
- name: audit
"""


def test_julieops_topic_is_named_by_context_project_and_type() -> None:
    """Further members of the root are part of the name, in their order; special topics have their own."""
    collector = read(JULIE)
    names = {name: declaration for (_, name), declaration in collector.declarations.items()}
    orders = names["acme.shop.sales.orders.avro"]

    assert set(names) == {"acme.shop.sales.orders.avro", "acme.shop.sales.paid", "audit"}
    assert (orders.partitions, orders.replication, orders.config) == (6, 3, (("retention.ms", "1"),))


def test_julieops_principals_use_the_topics_of_their_project() -> None:
    """Consumers of a project read all of its topics, those of a topic that one; streams name theirs in full."""
    uses = {(use.job, use.topic, use.writes) for use in read(JULIE).uses.values()}
    orders, paid = "acme.shop.sales.orders.avro", "acme.shop.sales.paid"

    assert uses == {
        ("App0", orders, False), ("App0", paid, False), ("App3", orders, True), ("App3", paid, True),
        ("App4", paid, False), ("enricher", "x", False), ("enricher", "y", True), ("C1", "x", False),
    }  # fmt: skip


def test_a_project_with_too_many_uses_is_reported() -> None:
    """Everybody uses every topic: the facts grow with the square of the file."""
    people = "\n".join(f"  - principal: User:u{number}" for number in range(300))
    topics = "\n".join(f"  - name: t{number}" for number in range(100))
    collector = read(f"context: c\nprojects:\n- name: p\n  consumers:\n{people}\n  topics:\n{topics}\n")

    assert not collector.uses
    assert [problem.what for problem in collector.problems] == ["300 consumers of 100 topics are too many"]


def test_a_tool_gives_the_right_to_each_use() -> None:
    """What takes the line takes the right, too."""
    rules = {(rule.principal, rule.name, rule.operation) for rule in read(JULIE).rights}

    assert {("User:App4", "acme.shop.sales.paid", "READ"), ("User:S0", "y", "WRITE")} <= rules


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ({"name": "lake", "config": {"connector.class": "S3", "topics": "a"}}, "lake"),
        ({"name": "lake", "connector.class": "S3", "topics": "a"}, "lake"),
        ({"connector.class": "S3", "topics": "a"}, "a"),
        ([{"name": "lake", "config": {"connector.class": "S3", "topics": "a", "tasks.max": 3}}], "lake"),
    ],
)
def test_connector_json_in_each_of_its_forms(content: Any, name: str) -> None:
    """As `POST /connectors` takes it, as `PUT …/config` takes it (then the file names it), and a list."""
    connector = only(json.dumps(content), "deploy/a.json")

    assert (connector.name, connector.tool) == (name, "connect")
    assert dict(connector.config)["topics"] == "a"


def test_resources_in_a_list_of_kubectl() -> None:
    """`kubectl get kafkatopics -o json` has every resource in one list."""
    item = {"apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaTopic", "metadata": {"name": "a"}, "spec": {}}

    assert only(json.dumps({"apiVersion": "v1", "kind": "List", "items": [item]}), "a.json").name == "a"


SQL = "CREATE TABLE a (x INT) WITH ('connector'='kafka','topic'='a'); INSERT INTO b SELECT x FROM a;"


@pytest.mark.parametrize(
    "spec",
    [
        {"job": {"args": ["--x", SQL]}},
        {"podTemplate": {"spec": {"containers": [{"env": [{"name": "SQL_STATEMENTS", "value": SQL}]}]}}},
    ],
)
def test_sql_of_a_flink_job_is_in_its_arguments_or_variables(spec: Any) -> None:
    """SQL runners take the text itself."""
    resource = {"apiVersion": "flink.apache.org/v1beta1", "kind": "FlinkDeployment", "metadata": {"name": "etl"}}
    collector = read(json.dumps(resource | {"spec": spec}), "a.json")

    assert collector.statements["etl"].statement.startswith("CREATE TABLE a")
    assert "INSERT INTO b" in collector.statements["etl"].statement


def test_flink_job_whose_sql_is_elsewhere_is_counted() -> None:
    """A path to a script in the image says nothing of its flows; a ConfigMap may hold the script."""
    collector = read(
        """
        apiVersion: flink.apache.org/v1beta1
        kind: FlinkSessionJob
        metadata: {name: etl}
        spec: {job: {jarURI: local:///runner.jar, args: [/opt/scripts/simple.sql]}}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: scripts}
        data:
          readme.md: hello
          simple.sql: |
            INSERT INTO b SELECT x FROM a;
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: plain}
        data: {a: b}
        """
    )

    assert collector.others == {"Flink job whose SQL is not in the file": 1, "ConfigMap without a .sql file": 1}
    (sql,) = collector.statements.values()
    assert (sql.name, sql.statement, sql.place) == (
        "scripts/simple.sql", "INSERT INTO b SELECT x FROM a;\n", "deploy/a.yaml:12",
    )  # fmt: skip


def connector(**settings: str) -> dict[str, str]:
    content = {"name": "c", "config": {"connector.class": "a.B", **settings}}
    return dict(only(json.dumps(content), "c.json").config)


@pytest.mark.parametrize(
    "placeholder",
    [
        "${secrets:ns/db:password}",
        "${file:/run/db.properties:pw}",
        "${env:PW}",
        "${DB_PASSWORD}",
        "$(PW)",
        "{{ .Values.pw }}",
    ],
)
def test_placeholder_of_a_secret_stays(placeholder: str) -> None:
    """It says where the secret is, and is none."""
    assert connector(**{"connection.password": placeholder})["connection.password"] == placeholder


def test_secrets_are_masked() -> None:
    """Neither a value, nor the default of a placeholder, nor the secret of a template's function is stored."""
    config = connector(
        **{
            "connection.password": "zqAzq",
            "connection.url": "jdbc:postgresql://u:zqBzq@h/d",
            "aws.secret.access.key": "${AWS_KEY:-zqCzq}",
            "basic.auth.password": '{{ .Values.pw | default "zqDzq" }}',
            "topics": "${TOPIC:-orders}",
        }
    )

    assert "zq" not in repr(config)
    assert config["topics"] == "${TOPIC:-orders}"
    assert config["aws.secret.access.key"].startswith("${AWS_KEY:-")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{apiVersion: kafka.strimzi.io/v1, kind: KafkaTopic}", "a topic has no name"),
        ("{name: '${ENV}-c', connector.class: a.B}", "the name of the connector is a placeholder: '${ENV}-c'"),
        (
            "{apiVersion: kafka.strimzi.io/v1, kind: KafkaConnector, metadata: {name: c}}",
            "the connector 'c' has no class",
        ),
        (
            "{name: c, connector.class: a.B, x: {y: 1}}",
            "the setting 'x' of the connector 'c' is neither text nor number",
        ),
    ],
)
def test_what_cannot_be_read_of_an_object_is_a_problem_with_its_place(text: str, what: str) -> None:
    """Everything else is read."""
    (problem,) = read(f"# first\n{text}").problems

    assert (problem.where, problem.what) == ("files:deploy deploy/a.yaml:2", what)
    assert problem.hint


def test_overlay_that_differs_is_reported_and_the_same_twice_is_not() -> None:
    """Of the files of two environments one alone is meant."""
    topic = "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata: {name: a}\nspec: {partitions: %d}\n"
    collector = read("---\n".join(topic % partitions for partitions in (3, 3, 5)))

    assert collector.declarations[TOPIC, "a"].partitions == 3
    assert [problem.what for problem in collector.problems] == [
        "the topic 'a' is declared otherwise than at deploy/a.yaml:1"
    ]


@pytest.mark.parametrize(
    "value", ["", "a", "[a, [b]]", "{a: {b: [c, {d: e}]}}", "context: x\nprojects: [y, {topics: [z]}]"]
)
def test_yaml_of_any_form_is_no_error(value: str) -> None:
    """A repository has more files than those of the tools."""
    assert not read(value).declarations


@pytest.mark.parametrize("member", ["metadata", "spec", "items"])
@pytest.mark.parametrize("value", [None, "x", [], [None], {"a": []}, {"config": "x", "labels": 3, "mirrors": [1]}])
@pytest.mark.parametrize(
    "kind", ["KafkaTopic", "KafkaConnector", "KafkaConnect", "KafkaMirrorMaker2", "KafkaTopicList"]
)
def test_resource_of_a_wrong_shape_is_no_error(kind: str, member: str, value: Any) -> None:
    """What the operator refuses is declared all the same, or a problem."""
    resource = {"apiVersion": "kafka.strimzi.io/v1", "kind": kind, "metadata": {"name": "n"}, member: value}
    collector = read(json.dumps(resource), "a.json")

    assert all(declaration.name == "n" for declaration in collector.declarations.values())
