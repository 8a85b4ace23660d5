"""Files in no known form: named if they have the settings of a client or name what is known, and no others."""

from __future__ import annotations

import pytest

from scanner_extractor.repository.undeclared import UNDECLARED
from scanner_model.declarations import UnreadFile

TOPIC = "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata: {name: shop.orders.v1}\nspec: {partitions: 1}\n"
INVENTED = "pump:\n  from: {cluster: main, channel: shop.orders.v1}\n  to: {bucket: lake}\n"


def undeclared(reading) -> dict[str, str]:
    return {file.name: file.reason for file in reading.of(UnreadFile) if file.kind == UNDECLARED}


@pytest.mark.parametrize("name", ["pumps/a.yaml", "pumps/a.json", "pumps/a.pump", "pumps/a.toml", "pumps/a.xml"])
def test_a_file_of_an_unknown_form_that_names_a_topic_is_unread(name, read_repository):
    found = undeclared(read_repository({"topic.yaml": TOPIC, name: INVENTED.replace("\n", " \n")}))

    assert set(found) == {name}
    assert "shop.orders.v1" in found[name]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("load.sql", "CREATE ROUTINE LOAD a.b ON c FROM KAFKA ('kafka_topic' = 'orders');"),
        (
            "role.yaml",
            "kind: RoleBinding\nspec: {crnPattern: 'crn://confluent.cloud/cloud-cluster=lkc-1/topic=orders'}\n",
        ),
        ("fdw.sql", "CREATE FOREIGN TABLE o (id int) SERVER kafka_server OPTIONS (format 'json', topic 'orders');"),
        ("dlt.sql", "SELECT * FROM STREAM read_kafka(bootstrapServers => 'k:9092', subscribe => 'orders');"),
        ("mm2.properties", "clusters = a, b\na.bootstrap.servers = k:9092\na->b.topics = orders\n"),
        ("nifi.json", '{"properties": {"bootstrap.servers": "k:9092", "topic": "orders"}}'),
        ("composition.yaml", "template: |\n  apiVersion: topic.kafka.crossplane.io/v1\n  kind: Topic\n  {{ end }}\n"),
        ("topics.ini", "[program:a]\ncommand=bash -c 'kafka-topics --zookeeper z:2181 --topic orders --create'\n"),
        (
            "register.ps1",
            "Invoke-RestMethod -Method Post -Uri http://sr:8081/subjects/orders-value/versions -Body $b\n",
        ),
        ("agent.hcl", 'sink "out" {\n  brokers = ["k:9092"]\n  topic = "orders"\n}\n'),
    ],
)
def test_settings_of_a_client_in_an_unknown_form_are_unread(name, text, read_repository):
    assert read_repository({f"etc/{name}": text}).of(UnreadFile)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("users.pipe", "SCHEMA >\n  `id` Int16\nKAFKA_CONNECTION_NAME 'c'\nKAFKA_TOPIC 'orders'\n"),
        ("topology.yaml", "kind: Topology\nspec:\n  kafka: main\n  topics: # of the team\n    - name: orders\n"),
        ("nifi.xml", "<type>PublishKafka</type>\n<entry>\n<key>topic</key>\n<value>orders</value>\n</entry>\n"),
        ("beans.xml", '<bean class="kafka.Sink"><property name="topic">orders</property></bean>\n'),
        ("deploy.yaml", "env:\n- name: KAFKA_URL\n  value: x\n- name: KAFKA_TOPIC\n  value: orders\n"),
        ("sync.sh", "flink run a.jar kafka_sync_table \\\n  --kafka_conf topic=orders \\\n  --x y\n"),
        ("engine.yml", "config:\n  engine: Kafka\n  settings: {kafka_topic_list: \"'orders'\"}\n"),
        ("job.toml", '[source]\nkind = "kafka"\ntopic = "orders"\n'),
        ("flow.json", '{"source": "redpanda", "inputTopics": ["orders"]}'),
        ("kafka.nix", '{ topics.orders = { partitions = 6; }; kafka.topic = "orders"; }\n'),
        ("topics.csv", "team,topic,partitions\nshop,orders,6\n"),
        ("topics.tsv", "Topic Name\tkafka cluster\n'orders'\tmain\n"),
        ("out.conf", "<match **>\n  @type kafka2\n  default_topic orders\n  topic_key: orders\n</match>\n"),
    ],
)
def test_a_file_that_speaks_of_kafka_is_unread_with_the_topic_that_a_member_names(name, text, read_repository):
    (unread,) = read_repository({f"etc/{name}": text}).of(UnreadFile)

    assert "orders" in unread.reason


@pytest.mark.parametrize("name", ["kafka/routes.yaml", "deploy/kafka-routes.json", "redpanda.toml"])
def test_a_path_that_speaks_of_kafka_is_enough_for_a_member_that_names_a_topic(name, read_repository):
    (unread,) = read_repository({name: 'routes: [\n{"topic": "orders"}\n]\n'}).of(UnreadFile)

    assert "orders" in unread.reason


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "compose.yaml",
            "services:\n  kafka:\n    image: kafka\n    environment:\n"
            "    - KAFKA_LISTENERS=PLAINTEXT://kafka:9092\n    - KAFKA_CONTROLLER_QUORUM_VOTERS=0@kafka:9093\n"
            "    healthcheck: {test: kafka-topics.sh --list --bootstrap-server localhost:9092}\n",
        ),
        (
            "worker.yaml",
            "services:\n  connect:\n    environment:\n      BOOTSTRAP_SERVERS: kafka:9092\n"
            "      CONFIG_STORAGE_TOPIC: c\n      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1\n",
        ),
        (
            "tools.yaml",
            "services:\n  ui:\n    environment: {KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS: 'kafka:9092'}\n"
            "  exporter:\n    command: ['--kafka.server=kafka:9092', '--topic.filter=.*']\n",
        ),
        ("hosts", "k1 kafka_broker_id=1\n[kafka_broker]\nk1\n"),
        ("play.yaml", "- name: Start consuming from Kafka, once its topics are there\n  debug: {}\n"),
        ("README.md", "`bootstrap.servers`, topic shop.orders.v1\n"),
        (
            ".github/workflows/ci.yaml",
            "services: {kafka: {image: 'apache/kafka:3.9.0'}}\nenv: {TOPIC: shop.orders.v1}\n",
        ),
        ("pom.xml", "<dependency><artifactId>kafka-clients</artifactId></dependency>\n<!-- topic -->"),
        ("libs.toml", 'streams = "org.apache.kafka:kafka-streams"\ntopic = 1\n'),
        ("prometheus.yaml", "scrape_configs:\n- job_name: kafka\n  static_configs: [{targets: [exporter:9308]}]\n"),
        ("src/test/resources/a.json", '{"bootstrap.servers": "k:9092", "topic": "a"}'),
        ("old.conf", "# bootstrap.servers = k:9092\n# topic = a\nx = 1\n"),
    ],
)
def test_documents_builds_tests_and_comments_are_no_uses(name, text, read_repository):
    assert undeclared(read_repository({name: text, "topic.yaml": TOPIC})) == {}


PANELS = '{"schemaVersion": 39, "title": "Lag", "panels": [{"targets": [{"expr": "lag{topic=\\"shop.orders.v1\\"}"}]}]}'
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: lag}\ndata:\n  lag.json: |-\n    "


@pytest.mark.parametrize(("name", "text"), [("lag.json", PANELS), ("lag.configmap.yaml", f"{CONFIG_MAP}{PANELS}\n")])
def test_dashboard_only_shows_what_it_names(name, text, read_repository):
    assert undeclared(read_repository({name: text, "topic.yaml": TOPIC})) == {}


def test_config_map_with_more_than_dashboards_is_unread(read_repository):
    text = f"{CONFIG_MAP}{PANELS}\n  pump.txt: shop.orders.v1\n"

    assert set(undeclared(read_repository({"lag.yaml": text, "topic.yaml": TOPIC}))) == {"lag.yaml"}


READER = """
from confluent_kafka import Consumer
import json

consumer = Consumer({"group.id": "billing", "bootstrap.servers": "kafka:9092"})
consumer.subscribe(["orders"])
while True:
    order = json.loads(consumer.poll(1.0).value())
    print(order["total"], order["customer"]["email"])
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("idl/order.thrift", "struct Order { 1: string id, 2: double total }\n"),
        ("orders.fbs", "table Order { id:string; total:double; }\n"),
        ("messages/Orders.capnp", "struct Order { total @0 :Float64; }\n"),
        ("xsd/orders.xsd", '<xs:element name="total" type="xs:decimal"/>\n'),
        ("contracts/placed.json", '{"properties": {"total": {}, "customer": {"properties": {"email": {}}}}}'),
        ("contracts/placed.yml", "type: object\nproperties:\n  total: {}\n  customer: {properties: {email: {}}}\n"),
    ],
)
def test_a_description_of_the_records_that_a_program_reads_is_unread(name, text, read_repository):
    assert "topic orders" in undeclared(read_repository({"billing.py": READER, name: text}))[name]


def test_a_table_of_data_that_has_few_of_the_fields_is_no_description(read_repository):
    reader = READER.replace('order["total"]', 'order["total"], order["id"], order["placedAt"]')
    data = "number,day,status,email\nA1,2013-01-01,paid,a@b.c\n"

    assert undeclared(read_repository({"billing.py": reader, "data/orders.csv": data})) == {}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("web/orders.html", "<h1>Orders</h1>\n"),
        ("config.schema.json", '{"properties": {"port": {"type": "number"}, "total": {}}}'),
        ("openapi.json", '{"openapi": "3.0.0", "x": {"properties": {"total": {}, "email": {}}}}'),
    ],
)
def test_a_file_that_only_shares_a_name_with_records_is_no_description(name, text, read_repository):
    assert undeclared(read_repository({"billing.py": READER, name: text})) == {}


def test_a_file_that_is_read_is_not_listed_again(read_repository):
    text = "topics: [shop.orders.v1]\nproducer: shop\nreader: mail\n"
    settings = "topic-files:\n- {files: '*.pump.yaml', topic: '$.topics[*]', readers: $.reader, writers: $.producer}\n"

    assert "a.pump.yaml" in undeclared(read_repository({"topic.yaml": TOPIC, "a.pump.yaml": text}))
    read = read_repository({"topic.yaml": TOPIC, "a.pump.yaml": text, ".scanner.yaml": settings})
    assert undeclared(read) == {}


def test_settings_of_a_program_that_is_read_are_not_listed(read_repository):
    program = (
        "import os\nfrom kafka import KafkaProducer\n"
        "KafkaProducer(bootstrap_servers='k').send(os.environ['TOPIC'], b'')\n"
    )
    compose = "services:\n  shop:\n    build: .\n    environment:\n      TOPIC: orders\n      KAFKA_BROKER: k:9092\n"

    assert undeclared(read_repository({"shop.py": program, "compose.yaml": compose})) == {}


LISTENER = """package shop;
import org.springframework.kafka.annotation.KafkaListener;
class Billing {
  @KafkaListener(topics = "${app.topics.orders}")
  void on(String order) { System.out.println(order); }
}
"""


def test_settings_file_of_a_module_that_is_read_names_its_own_topics(read_repository):
    """Another topic that it names may be used in a way that is not read."""
    settings = "server: {port: 8080}\napp:\n  topics: {orders: shop.orders.v1, more: shop.more.v1}\n"
    path = "src/main/resources/application.yml"
    files = {"topic.yaml": TOPIC, "src/main/java/Billing.java": LISTENER, path: settings}
    other = TOPIC.replace("orders", "more")

    assert undeclared(read_repository(files)) == {}
    found = undeclared(read_repository({**files, "more.yaml": other}))
    assert "shop.more.v1" in found[path]
    assert "shop.orders.v1" not in found[path]
