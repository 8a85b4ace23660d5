"""The rows of the table of forms: topics, schemas, connectors, uses and rights of documents as each tool has them."""

from __future__ import annotations

import json

import pytest

from scanner_extractor.repository.reading import RepositoryReading
from scanner_model.clients import AclRule
from scanner_model.declarations import Declaration, UnreadFile
from scanner_model.kafka import Topic
from scanner_model.manual import DeclaredFlow
from scanner_model.schemas import SchemaVersion

AVRO = '{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "long"}]}'
JSON_SCHEMA = '{"type": "object", "properties": {"id": {"type": "integer"}}}'
PROTO = 'syntax = "proto3"; message Order { int64 id = 1; }'


def declared(reading: RepositoryReading) -> set[tuple[str, str]]:
    return {(str(entry.kind), entry.name) for entry in reading.of(Declaration)}


def subjects(reading: RepositoryReading) -> dict[str, str]:
    return {str(version.subject): version.format for version in reading.of(SchemaVersion)}


def used(reading: RepositoryReading) -> set[tuple[str, str, str]]:
    return {
        (flow.job, "reads" if flow.origin.name else "writes", flow.origin.name or flow.target.name)
        for flow in reading.of(DeclaredFlow)
    }


TOPICS = {
    "Conduktor": "apiVersion: kafka/v2\nkind: Topic\nmetadata: {cluster: prod, name: orders}\nspec: {partitions: 3}\n",
    "ns4kafka": "apiVersion: v1\nkind: Topic\nmetadata:\n  name: orders\nspec:\n  partitions: 3\n",
    "Redpanda": """\
apiVersion: cluster.redpanda.com/v1alpha2
kind: Topic
metadata: {name: orders-topic}
spec: {overwriteTopicName: orders, partitions: 3}
""",
    "Crossplane": """\
apiVersion: topic.kafka.crossplane.io/v1alpha1
kind: Topic
metadata:
  name: orders-1
  annotations:
    crossplane.io/external-name: orders
spec: {forProvider: {partitions: 3, replicationFactor: 1}}
""",
    "Koperator": """\
apiVersion: kafka.banzaicloud.io/v1alpha1
kind: KafkaTopic
metadata: {name: t1}
spec: {name: orders, partitions: 3, clusterRef: {name: kafka}}
""",
    "subgroup of an API": """\
apiVersion: apps.cpc.platform.confluent.io/v1beta1
kind: KafkaTopic
metadata: {name: orders}
spec: {parameters: {partitions: 3}}
""",
    "IBM Event Streams": """\
apiVersion: eventstreams.ibm.com/v1beta2
kind: KafkaTopic
metadata: {name: o, labels: {eventstreams.ibm.com/cluster: main}}
spec: {topicName: orders, partitions: 3, replicas: 2}
""",
    "resource in a play of Ansible": """\
- hosts: localhost
  tasks:
  - name: create
    kubernetes.core.k8s:
      definition:
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaTopic
        metadata: {name: orders}
        spec: {partitions: 3}
""",
    "resource of another operator in a wrapping one": """\
apiVersion: kubernetes.crossplane.io/v1alpha2
kind: Object
metadata: {name: wrapped}
spec:
  forProvider:
    manifest:
      apiVersion: aiven.io/v1alpha1
      kind: KafkaTopic
      metadata: {name: orders}
      spec: {partitions: 3}
""",
    "template with placeholders beside the name": """\
apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata: {name: orders, labels: {strimzi.io/cluster: "x"}}
spec:
  partitions: 3
  config:
    retention.ms: {{ retention }}
""",
    "list of topics of a tool of a house": """\
topics:
- {name: orders, partitions: 3, replicationFactor: 2, retentionMs: 1000}
""",
    "catalog of topics without replicas": """\
topics:
- {name: orders, partitions: 3, retention_ms: 1000, producers: [shop], consumers: [billing, "*"]}
""",
    "topics in values of a chart": """\
provisioning:
  enabled: true
  topics:
  - {topic_name: orders, num_partitions: 3, replication_factor: 2}
""",
    "Quix": """\
deployments: [{name: Sink, application: sink}]
topics: [{name: orders, configuration: {partitions: 3, replicationFactor: 2}}]
""",
    "topicctl": "meta: {name: orders, cluster: local, environment: dev}\nspec: {partitions: 3, replicationFactor: 2}\n",
    "Pulumi": """\
name: shop
runtime: yaml
resources:
  orders-topic:
    type: kafka:index/topic:Topic
    properties: {name: orders, partitions: 3}
""",
    "CloudFormation": json.dumps(
        {"Resources": {"T": {"Type": "AWS::MSK::Topic", "Properties": {"TopicName": "orders", "PartitionCount": 3}}}}
    ),
}


@pytest.mark.parametrize("text", TOPICS.values(), ids=TOPICS)
def test_topics_are_read_with_their_partitions(text, read_repository):
    reading = read_repository({"deploy/orders.yaml": text})

    assert [(entry.name, entry.partitions) for entry in reading.of(Declaration)] == [("orders", 3)]


CREATED = "KAFKA_CREATE_TOPICS"


@pytest.mark.parametrize(
    "text",
    [
        f"services: {{k: {{environment: {{{CREATED}: 'orders:3:1,items:1:1:compact'}}}}}}\n",
        f"services:\n  k:\n    environment:\n      - {CREATED}=orders:3:1, items:1:1\n",
        f"services:\n  k:\n    environment:\n      {CREATED}: |\n        orders:3:1\n        items:1:1\n",
        "kind: Pod\napiVersion: v1\nspec:\n  containers:\n"
        f"  - env: [{{name: {CREATED}, value: 'orders:1:1,items:1:1'}}]\n",
    ],
)
def test_topics_that_an_image_creates_are_a_list_in_one_text(text, read_repository):
    assert {name for _, name in declared(read_repository({"compose.yaml": text}))} == {"orders", "items"}


SCHEMAS = {
    "jikkou": f"""\
apiVersion: schemaregistry.jikkou.io/v1beta2
kind: SchemaRegistrySubject
metadata: {{name: orders-value}}
spec:
  schemaType: JSON
  schema: '{JSON_SCHEMA}'
""",
    "Redpanda": f"""\
apiVersion: cluster.redpanda.com/v1alpha2
kind: Schema
metadata: {{name: orders-value}}
spec:
  schemaType: json
  text: |
    {JSON_SCHEMA}
""",
    "operator that names the topic": f"""\
apiVersion: kafka.incubly.oss/v1beta1
kind: KafkaSchema
metadata: {{name: s}}
spec:
  topicName: orders
  data: {{format: JSON, schema: '{JSON_SCHEMA}'}}
""",
    "Glue in jikkou": f"""\
apiVersion: aws.jikkou.io/v1
kind: AwsGlueSchema
metadata: {{name: orders-value}}
spec: {{dataFormat: JSON, schemaDefinition: '{JSON_SCHEMA}'}}
""",
    "schema-registry-gitops": f"subjects:\n- {{name: orders-value, type: JSON, schema: '{JSON_SCHEMA}'}}\n",
    "answer of a registry": json.dumps([{"subject": "orders-value", "schemaType": "JSON", "schema": JSON_SCHEMA}]),
    "export by subject": json.dumps({"orders-value": {"id": 7, "schema": JSON_SCHEMA}}),
    "versions by subject": json.dumps({"orders-value": [{"version": 1, "schema": JSON_SCHEMA}]}),
    "object": json.dumps({"subject": "orders-value", "schema": json.loads(JSON_SCHEMA)}),
    "xRegistry": json.dumps(
        {
            "schemagroups": {
                "g": {
                    "schemas": {
                        "orders-value": {
                            "versions": {"1": {"format": "JSONSchema/7", "schema": json.loads(JSON_SCHEMA)}}
                        }
                    }
                }
            }
        }
    ),
    "request to Glue": json.dumps(
        {"SchemaName": "orders-value", "DataFormat": "JSON", "SchemaDefinition": JSON_SCHEMA}
    ),
}


@pytest.mark.parametrize("text", SCHEMAS.values(), ids=SCHEMAS)
def test_schemas_are_read_with_their_subject_and_format(text, read_repository):
    path = "registry/a.json" if text.startswith(("{", "[")) else "registry/a.yaml"

    assert subjects(read_repository({path: text})) == {"orders-value": "JSON"}


@pytest.mark.parametrize(("text", "kind"), [(AVRO, "AVRO"), (JSON_SCHEMA, "JSON"), (PROTO, "PROTOBUF")])
def test_the_format_of_a_payload_is_that_of_its_text(text, kind, read_repository):
    reading = read_repository({"payloads/orders-value.json": json.dumps({"schema": text})})

    assert subjects(reading) == {"orders-value": kind}


def test_a_member_schema_of_something_else_is_no_schema(read_repository):
    reading = read_repository({"a.json": json.dumps({"schema": "public"}), "b.json": json.dumps({"schema": "{id}"})})

    assert subjects(reading) == {}


def test_versions_of_an_export_keep_their_numbers_and_references(read_repository):
    user = '{"type": "record", "name": "Order", "fields": [{"name": "by", "type": "acme.User"}]}'
    other = '{"type": "record", "namespace": "acme", "name": "User", "fields": []}'
    reference = {"name": "acme.User", "subject": "users-value", "version": 1}
    rows = [
        {"subject": "orders-value", "version": 3, "schema": AVRO},
        {"subject": "orders-value", "version": 4, "schema": user, "references": [reference]},
        {"subject": "users-value", "version": 2, "schema": other},
    ]
    versions = read_repository({"export.json": json.dumps(rows)}).of(SchemaVersion)

    assert [(str(one.subject), one.version) for one in versions] == [
        ("orders-value", 3),
        ("orders-value", 4),
        ("users-value", 2),
    ]
    assert {(one.name, one.version) for one in versions[1].references} == {("acme.User", 2)}


CONFLUENT = """\
apiVersion: platform.confluent.io/v1beta1
kind: Schema
metadata: {name: orders-value}
spec:
  data: {configRef: orders-config, format: avro}
"""


def test_a_schema_of_confluent_for_kubernetes_is_in_a_config_map_of_any_file(read_repository):
    config_map = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: orders-config}}\ndata:\n  schema: |\n    {AVRO}\n"
    reading = read_repository({"a/schema.yaml": CONFLUENT, "z/data.yaml": config_map})

    assert subjects(reading) == {"orders-value": "AVRO"}
    assert reading.schema_files == {"z/data.yaml": ("orders-value",)}


def test_a_schema_whose_config_map_is_missing_is_unread(read_repository):
    (unread,) = read_repository({"a/schema.yaml": CONFLUENT}).of(UnreadFile)

    assert unread.name == "a/schema.yaml"


USES = {
    "list of topics with their programs": (
        '{"topics": [{"topic": "orders", "partitions": 3, "producers": [], "consumers": ["billing"]}]}',
        ("billing", "reads", "orders"),
    ),
    "NiFi": (
        '{"flowContents": {"processors": [{"name": "out", "type": "org.apache.nifi.processors.kafka.PublishKafka_2_6",'
        ' "properties": {"topic": "orders"}}]}}',
        ("nifi:out", "writes", "orders"),
    ),
    "Zilla": (
        "bindings:\n  sse: {type: sse-kafka, kind: proxy, routes: [{with: {topic: orders}}]}\n",
        ("zilla:sse", "reads", "orders"),
    ),
    "Zilla produces": (
        "bindings:\n  http: {type: http-kafka, kind: proxy, routes: [{with: {capability: produce, topic: orders}}]}\n",
        ("zilla:http", "writes", "orders"),
    ),
    "Quix": (
        "deployments:\n- {application: sink, variables: [{name: in, inputType: InputTopic, value: orders}]}\n",
        ("sink", "reads", "orders"),
    ),
    "Camel": ("- route: {from: {uri: 'kafka:orders?brokers=b:9092', steps: [log: x]}}\n", ("a", "reads", "orders")),
    "Camel to": ("- from: {uri: 'timer:t', steps: [{to: 'kafka:orders'}]}\n", ("a", "writes", "orders")),
    "Camel parameters": (
        "- from: {uri: 'timer:t', steps: [{to: {uri: kafka, parameters: {topic: orders}}}]}\n",
        ("a", "writes", "orders"),
    ),
    "Vector": ("sinks: {out: {type: kafka, topic: orders}}\n", ("vector:out", "writes", "orders")),
    "OpenTelemetry Collector": (
        "exporters: {kafka/logs: {brokers: ['b:9092'], topic: orders}}\n",
        ("otelcol:kafka/logs", "writes", "orders"),
    ),
    "Vector in a ConfigMap": (
        "kind: ConfigMap\ndata:\n  vector.yaml: |\n    sinks: {out: {type: kafka, topic: orders}}\n",
        ("vector:out", "writes", "orders"),
    ),
    "Logstash in a ConfigMap": (
        "kind: ConfigMap\ndata:\n  in.conf: |\n    input {\n      kafka { topics => ['orders'] }\n    }\n",
        ("logstash:a", "reads", "orders"),
    ),
    "operator of OpenTelemetry": (
        "apiVersion: opentelemetry.io/v1beta1\nkind: OpenTelemetryCollector\nmetadata: {name: otel}\n"
        "spec: {config: {exporters: {kafka: {brokers: ['b:9092'], topic: orders}}}}\n",
        ("otel:kafka", "writes", "orders"),
    ),
    "Quickwit": (
        "source_id: shop\nsource_type: kafka\nparams: {topic: orders, client_params: {bootstrap.servers: 'b:9092'}}\n",
        ("shop", "reads", "orders"),
    ),
    "Data Prepper": (
        "in:\n  source: {kafka: {topics: [{name: orders, group_id: g}]}}\n  sink: [{opensearch: {index: o}}]\n",
        ("in", "reads", "orders"),
    ),
    "Data Prepper writes": (
        "out:\n  source: {http: {}}\n  sink: [{kafka: {topic: {name: orders}}}]\n",
        ("out", "writes", "orders"),
    ),
    "xRegistry": (
        '{"endpoints": {"shop": {"usage": ["producer"], "protocol": "KAFKA", "protocoloptions":'
        ' {"options": {"topic": "orders"}}}}}',
        ("shop", "writes", "orders"),
    ),
    "OpenShift": (
        "apiVersion: observability.openshift.io/v1\nkind: ClusterLogForwarder\nmetadata: {name: logs}\n"
        "spec: {outputs: [{name: app, type: kafka, kafka: {url: 'tls://b:9093/orders'}}]}\n",
        ("logs-app", "writes", "orders"),
    ),
    "Aiven": (
        "apiVersion: aiven.io/v1alpha1\nkind: ServiceIntegration\nmetadata: {name: i}\nspec:\n"
        "  destinationServiceName: ch\n  clickhouseKafka: {tables: [{name: t, topics: [{name: orders}]}]}\n",
        ("ch.t", "reads", "orders"),
    ),
    "DMS": (
        "Resources: {T: {Type: 'AWS::DMS::Endpoint', Properties: {KafkaSettings: {Topic: orders}}}}\n",
        ("T", "writes", "orders"),
    ),
    "replicator": (
        "Resources: {R: {Type: 'AWS::MSK::Replicator', Properties: {ReplicationInfoList:"
        " [{TopicReplication: {TopicsToReplicate: [orders]}}]}}}\n",
        ("R", "reads", "orders"),
    ),
    "records of jikkou": (
        "apiVersion: kafka.jikkou.io/v1\nkind: KafkaTableRecord\nspec: {topic: orders, value: {data: x}}\n",
        ("jikkou:a", "writes", "orders"),
    ),
    "Filebeat": ("output.kafka: {hosts: ['b:9092'], topic: orders}\n", ("a", "writes", "orders")),
    "Fluent Bit": (
        "pipeline: {outputs: [{name: kafka, brokers: 'b:9092', topics: orders}]}\n",
        ("fluent-bit:a", "writes", "orders"),
    ),
    "Knative": (
        "apiVersion: sources.knative.dev/v1\nkind: KafkaSource\nmetadata: {name: s}\n"
        "spec: {topics: [orders], sink: {ref: {name: shop}}}\n",
        ("shop", "reads", "orders"),
    ),
    "KEDA": (
        "apiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: s}\nspec:\n"
        "  scaleTargetRef: {name: shop}\n  triggers:\n  - {type: kafka, metadata: {topic: orders, consumerGroup: g}}\n",
        ("shop", "reads", "orders"),
    ),
    "Argo sensor": (
        "apiVersion: argoproj.io/v1alpha1\nkind: Sensor\nmetadata: {name: shop}\nspec:\n  triggers:\n"
        "  - template: {name: k, kafka: {url: 'k:9092', topic: orders}}\n",
        ("shop", "writes", "orders"),
    ),
    "SAM": (
        "Resources:\n  shop:\n    Type: AWS::Serverless::Function\n    Properties:\n      Events:\n        E:\n"
        "          Type: SelfManagedKafka\n          Properties: {Topics: [orders]}\n",
        ("shop", "reads", "orders"),
    ),
    "SAM with a parameter": (
        "Parameters:\n  Input: {Type: String, Default: orders}\nResources:\n  shop:\n"
        "    Type: AWS::Serverless::Function\n    Properties:\n      Events:\n        E:\n"
        "          Type: MSK\n          Properties: {Stream: !Ref Cluster, Topics: [!Ref Input]}\n",
        ("shop", "reads", "orders"),
    ),
    "a mapping of a stack to its function": (
        '{"Resources": {"shop": {"Type": "AWS::Serverless::Function", "Properties": {}}, "in": {"Type":'
        ' "AWS::MSK::Topic", "Properties": {"TopicName": "orders"}}, "m": {"Type": "AWS::Lambda::EventSourceMapping",'
        ' "Properties": {"FunctionName": {"Fn::GetAtt": ["shop", "Arn"]}, "Topics": [{"Ref": "in"}]}}}}',
        ("shop", "reads", "orders"),
    ),
    "Firehose": (
        "Resources:\n  shop:\n    Type: AWS::KinesisFirehose::DeliveryStream\n    Properties:\n"
        "      MSKSourceConfiguration: {TopicName: orders}\n",
        ("shop", "reads", "orders"),
    ),
    "Kamelet": (
        "apiVersion: camel.apache.org/v1\nkind: Pipe\nmetadata: {name: shop}\nspec:\n"
        "  source: {ref: {kind: Kamelet, name: mqtt-source}, properties: {topic: plant/1}}\n"
        "  sink: {ref: {kind: Kamelet, name: kafka-scram-sink}, properties: {topic: orders}}\n",
        ("shop", "writes", "orders"),
    ),
    "binding to a topic of Strimzi": (
        "apiVersion: camel.apache.org/v1alpha1\nkind: KameletBinding\nmetadata: {name: shop}\nspec:\n"
        "  source: {ref: {kind: KafkaTopic, apiVersion: kafka.strimzi.io/v1beta2, name: orders}}\n"
        "  sink: {uri: 'log:info'}\n",
        ("shop", "reads", "orders"),
    ),
    "consumer group of jikkou": (
        "apiVersion: kafka.jikkou.io/v1beta1\nkind: KafkaConsumerGroup\nmetadata: {name: shop}\n"
        "status: {offsets: [{topic: orders, partition: 0, offset: 7}]}\n",
        ("shop", "reads", "orders"),
    ),
    "ACK": (
        "apiVersion: lambda.services.k8s.aws/v1alpha1\nkind: EventSourceMapping\nmetadata: {name: m}\n"
        "spec: {functionName: shop, topics: [orders]}\n",
        ("shop", "reads", "orders"),
    ),
    "Crossplane, functions of AWS": (
        "apiVersion: lambda.aws.upbound.io/v1beta1\nkind: EventSourceMapping\nmetadata: {name: m}\n"
        "spec: {forProvider: {functionNameRef: {name: shop}, topics: [a, orders]}}\n",
        ("shop", "reads", "orders"),
    ),
    "Knative broker": (
        "apiVersion: eventing.knative.dev/v1\nkind: Broker\nmetadata:\n  name: shop\n"
        "  annotations: {kafka.eventing.knative.dev/external.topic: orders}\n",
        ("shop", "reads", "orders"),
    ),
    "Numaflow": (
        "apiVersion: numaflow.numaproj.io/v1alpha1\nkind: Pipeline\nmetadata: {name: p}\n"
        "spec: {vertices: [{name: in, source: {kafka: {topic: a}}}, {name: out, sink: {kafka: {topic: orders}}}]}\n",
        ("p-out", "writes", "orders"),
    ),
    "OpenTelemetry, several topics": (
        "receivers: {kafka: {brokers: ['b:9092'], logs: {topics: [a, orders]}}}\nexporters: {}\n",
        ("otelcol:kafka", "reads", "orders"),
    ),
    "Fluent Bit, several topics": (
        "pipeline: {inputs: [{name: kafka, brokers: 'b:9092', topics: 'a, orders'}]}\n",
        ("fluent-bit:a", "reads", "orders"),
    ),
    "Druid": (
        '{"type": "kafka", "dataSchema": {"dataSource": "ds"}, "ioConfig": {"topic": "orders"}}',
        ("druid:ds", "reads", "orders"),
    ),
    "Pinot": (
        '{"realtime": {"tableName": "t", "tableType": "REALTIME", "ingestionConfig": {"streamIngestionConfig":'
        ' {"streamConfigMaps": [{"stream.kafka.topic.name": "orders"}]}}}}',
        ("pinot:t", "reads", "orders"),
    ),
    "Trino": (
        '{"tableName": "t", "schemaName": "s", "topicName": "orders", "message": {"dataFormat": "json", "fields": []}}',
        ("trino:s.t", "reads", "orders"),
    ),
    "Presto": (
        '{"tableName": "t", "topicName": "orders", "key": {"dataFormat": "raw", "fields": [{"name": "k"}]}}',
        ("trino:t", "reads", "orders"),
    ),
    "Redpanda transform": (
        "name: shop\ninput-topic: in\noutput-topic: orders\nlanguage: rust\n",
        ("shop", "writes", "orders"),
    ),
}


@pytest.mark.parametrize(("text", "use"), USES.values(), ids=USES)
def test_programs_are_read_with_the_topics_they_use(text, use, read_repository):
    assert use in used(read_repository({"deploy/a.yaml": text}))


SEATUNNEL = """\
env {
  job.name = "copy" # of the night
}
source {
  Kafka {
    bootstrap.servers = "k:9092"
    topic = "orders"
    schema = { fields { id = "int", kafka = "string" } }
  }
}
sink {
  kafka {
    topic = "bills"
    kafka.config = { acks = "all" }
  }
  kafka { topic = sums, query = '''select a { from b''' }
}
"""


@pytest.mark.parametrize(
    ("path", "text", "use"),
    [
        ("vector.toml", '[sources.in]\ntype = "kafka"\ntopics = ["orders"]\n', ("vector:in", "reads", "orders")),
        ("t.conf", '[[inputs.kafka_consumer]]\n  topics = ["orders"]\n', ("telegraf:t", "reads", "orders")),
        ("l.conf", 'input {\n  kafka {\n    topics => ["orders", "x"]\n  }\n}\n', ("logstash:l", "reads", "orders")),
        (
            "l.conf",
            "output {\n  if [type] == 'a' {\n    kafka { topic_id => 'orders' }\n  } else { stdout {} }\n}\n",
            ("logstash:l", "writes", "orders"),
        ),
        (
            "l.conf",
            "output { kafka { bootstrap_servers => 'b:9092' topic_id => 'orders' codec => json } }\n",
            ("logstash:l", "writes", "orders"),
        ),
        ("s.conf", SEATUNNEL, ("copy", "reads", "orders")),
        ("s.conf", SEATUNNEL, ("copy", "writes", "bills")),
        ("s.conf", SEATUNNEL, ("copy", "writes", "sums")),
        ("t.conf", '[[outputs.kafka]]\n  topic = "orders"\n', ("telegraf:t", "writes", "orders")),
        (
            "f.conf",
            "[INPUT]\n  Name cpu\n[OUTPUT]\n  Name   kafka\n  Brokers b:9092\n  Topics orders\n",
            ("fluent-bit:f", "writes", "orders"),
        ),
        (
            "r.conf",
            'module(load="omkafka")\naction(type="omkafka" broker=["b:9092"]\n  topic="orders")\n',
            ("rsyslog:r", "writes", "orders"),
        ),
        (
            "c.alloy",
            'loki.source.kafka "shop" {\n  brokers = ["b:9092"]\n  topics = ["orders"]\n}\n',
            ("alloy:c", "reads", "orders"),
        ),
        ("u.datasource", "SCHEMA >\n  `id` String\n\nKAFKA_TOPIC 'orders'\n", ("tinybird:u", "reads", "orders")),
        (
            "x.xml",
            '<routes xmlns="urn:c"><route><from uri="timer:t"/>\n<c:to uri="kafka:orders?brokers=b"/></route></routes>',
            ("x", "writes", "orders"),
        ),
    ],
)
def test_agents_and_pipelines_are_read_in_their_own_syntax(path, text, use, read_repository):
    assert use in used(read_repository({path: text}))


@pytest.mark.parametrize("path", ["kafka-topics.yaml", "deploy/my_kafka_topics.yml", "kafka/topics.yaml"])
@pytest.mark.parametrize("entry", ["orders", "{name: orders, retention_days: 3, producer: shop, consumers: [billing]}"])
def test_a_file_that_says_it_has_topics_of_kafka_is_a_list_of_them(path, entry, read_repository):
    """A name in braces is one that a program completes, so that the file is not read completely."""
    reading = read_repository({path: f"topics:\n- {entry}\n- {{name: '{{stack}}-orders'}}\n"})

    assert [topic.name for topic in reading.of(Topic)] == ["orders"]
    assert ["is not the name of a topic" in problem.what for problem in reading.problems] == [True]
    assert len(reading.of(DeclaredFlow)) == (2 if "shop" in entry else 0)


@pytest.mark.parametrize(
    "text",
    [
        "tables: [{name: orders, partitions: [a, b], replicas: 2}]\n",
        "nodes: [{name: orders, partitions: 3}]\n",
        "- hosts: db\n  from: {uri: 'kafka.example:9092'}\n",
        '{"tableName": "t_REALTIME", "tableType": "REALTIME", "streamConfigs": {"stream.pulsar.topic.name": "a"}}',
    ],
)
def test_what_only_looks_like_a_topic_is_neither_read_nor_listed(text, read_repository):
    reading = read_repository({"deploy/a.yaml": text})

    assert (reading.of(Declaration), used(reading), reading.of(UnreadFile)) == ((), set(), ())


def test_parameter_of_a_stack_without_a_value_is_not_a_topic(read_repository):
    text = (
        "Parameters:\n  Input: {Type: String}\nResources:\n  shop:\n    Type: AWS::Lambda::EventSourceMapping\n"
        "    Properties: {FunctionName: shop, Topics: [!Ref Input, !ImportValue other]}\n"
    )
    reading = read_repository({"deploy/a.yaml": text})

    assert used(reading) == set()
    assert ["${Input}" in str(problem) for problem in reading.problems] == [True, False]


RIGHTS = {
    "IBM Event Streams": """\
apiVersion: eventstreams.ibm.com/v1beta2
kind: KafkaUser
metadata: {name: billing}
spec: {authorization: {acls: [{resource: {type: topic, name: orders, patternType: prefix}, operations: [Read]}]}}
""",
    "Strimzi": """\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaUser
metadata: {name: billing}
spec:
  authorization:
    acls:
    - resource: {type: topic, name: orders, patternType: prefix}
      operations: [Read]
    - resource: {type: group, name: g}
      operations: [Read]
""",
    "Conduktor": """\
apiVersion: self-serve/v1
kind: ApplicationInstancePermission
metadata: {name: a}
spec:
  resource: {type: TOPIC, name: orders, patternType: PREFIXED}
  serviceAccountPermission: READ
  grantedTo: billing
""",
    "ns4kafka": """\
apiVersion: v1
kind: AccessControlEntry
metadata: {name: a}
spec: {resourceType: TOPIC, resource: orders, resourcePatternType: PREFIXED, permission: READ, grantedTo: billing}
""",
}


@pytest.mark.parametrize("text", RIGHTS.values(), ids=RIGHTS)
def test_rights_on_topics_are_read_and_others_left_out(text, read_repository):
    (rule,) = read_repository({"deploy/a.yaml": text}).of(AclRule)

    assert (rule.principal, rule.operation, rule.pattern_type, rule.name) == (
        "User:billing",
        "READ",
        "PREFIXED",
        "orders",
    )


def test_a_right_that_forbids_is_no_right_to_read(read_repository):
    text = RIGHTS["Strimzi"].replace(
        "operations: [Read]\n    - resource: {type: g", "type: deny\n    - resource: {type: g"
    )
    rules = read_repository({"a.yaml": text.replace("type: deny", "type: deny\n      operations: [Read]")}).of(AclRule)

    assert [rule.permission for rule in rules] == ["DENY"]


def test_a_resource_without_a_known_name_is_unread_and_not_silent(read_repository):
    text = "apiVersion: argoproj.io/v1alpha1\nkind: EventSource\nmetadata: {name: s}\nspec: {kafka: {e: {url: k}}}\n"
    (unread,) = read_repository({"deploy/a.yaml": text}).of(UnreadFile)

    assert unread.name == "deploy/a.yaml"


def test_a_topic_that_jikkou_deletes_is_not_declared(read_repository):
    text = SCHEMAS["jikkou"].replace(
        "{name: orders-value}", "{name: orders-value, annotations: {jikkou.io/delete: true}}"
    )
    reading = read_repository({"a.yaml": text})

    assert (subjects(reading), reading.of(UnreadFile)) == ({}, ())


def test_a_schema_file_that_is_missing_is_said(read_repository):
    (unread,) = read_repository({"a.yaml": "subjects:\n- {name: orders-value, file: gone.avsc}\n"}).of(UnreadFile)

    assert (unread.name, "gone.avsc" in unread.reason) == ("a.yaml", True)


def test_a_right_on_names_that_match_an_expression_is_unread(read_repository):
    text = RIGHTS["Strimzi"].replace("patternType: prefix", "patternType: match")
    reading = read_repository({"a.yaml": text})

    assert (reading.of(AclRule), [file.name for file in reading.of(UnreadFile)]) == ((), ["a.yaml"])


def test_a_file_that_only_names_the_files_of_subjects_is_read(read_repository):
    text = "subjects:\n- {name: orders-value, file: thing.avsc}\n"
    reading = read_repository({"a/subjects.yaml": text, "a/thing.avsc": AVRO})

    assert (subjects(reading), reading.of(UnreadFile)) == ({"orders-value": "AVRO"}, ())


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: kafka.strimzi.io/v1\nkind: KafkaUser\nmetadata: {name: u}\nspec: {authentication: {type: tls}}\n",
        "apiVersion: argoproj.io/v1alpha1\nkind: EventSource\nmetadata: {name: s}\nspec: {webhook: {a: {port: 1}}}\n",
    ],
)
def test_a_resource_that_has_nothing_of_what_is_read_is_not_listed(text, read_repository):
    assert read_repository({"a.yaml": text}).of(UnreadFile) == ()


@pytest.mark.parametrize("deleted", [True, False])
def test_a_dump_of_the_topic_of_schemas_is_read_line_by_line(deleted, read_repository):
    key = {"subject": "orders-value", "version": 1}
    value = {"subject": "orders-value", "version": 1, "id": 1, "schema": AVRO, "deleted": deleted}
    text = f"{json.dumps(key)}\t{json.dumps(value)}\n"

    assert len(read_repository({"dump.ndjson": text}).of(SchemaVersion)) == (not deleted)


def test_xml_with_entities_is_not_expanded(read_repository):
    text = '<!DOCTYPE r [<!ENTITY a "b">]><routes><from uri="kafka:orders"/></routes>'
    (left,) = read_repository({"a.xml": text}).of(UnreadFile)

    assert "entities" in left.reason


def test_places_in_a_config_map_are_lines_of_the_file_around_it(read_repository):
    vector = "    sinks:\n      out:\n        type: kafka\n        topic: orders\n"
    text = f"kind: ConfigMap\ndata:\n  a: b\n  vector.yaml: |\n{vector}"
    (flow,) = read_repository({"deploy/a.yaml": text}).of(DeclaredFlow)

    assert flow.evidence == "deploy/a.yaml:8"


def test_an_export_of_topics_is_a_list_of_them(read_repository):
    text = '[{"name": "orders", "is_internal": false, "replication_factor": 3, "partition_count": 6}]'
    (topic,) = read_repository({"topics.json": text}).of(Topic)

    assert (topic.name, topic.partitions, topic.replication) == ("orders", 6, 3)
