"""Queues, caches, SaaS and other services of which a few keys name the dataset: one row each."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.dataset_names import addresses, web_dataset
from dataflow_generator.connectors.flows import Connector, ConnectorFlows, ConnectorReader, Dataset
from dataflow_generator.connectors.sinks import sink, to
from dataflow_generator.connectors.sources import Read, Reads, fixed, source

_TOPIC_KEYS = ("kafka.topic", "topic", "kafka.topics", "topics", "connect.topic", "mqtt.kafka.topic", "couchbase.topic")
_HOLE = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True, slots=True)
class Service:
    """How a service's datasets are named: templates with `{key|other=default}`; `{}` and a default `@` are the topic.

    A template whose keys have no value and no default names nothing.
    """

    namespace: str
    name: str
    address: tuple[str, ...] = ()
    port: str = ""

    def dataset(self, config: Config, topic: str = "") -> Dataset | None:
        """Name the dataset of a configuration, and of a topic for sinks."""
        name = _filled(self.name, config, topic)
        if not name:
            return None
        if self.address:
            return Dataset(addresses(self.namespace, config.text(*self.address), self.port), name)
        namespace = _filled(self.namespace, config, topic)
        return Dataset(namespace, name) if namespace else None


def _filled(template: str, config: Config, topic: str) -> str:
    missing = False

    def value(match: re.Match[str]) -> str:
        nonlocal missing
        keys, _, default = match[1].partition("=")
        default = topic if default == "@" else default
        found = config.text(*keys.split("|"), default=default).replace("${topic}", topic)
        if keys.endswith("region"):  # the SDK's own names are taken too: US_WEST_2
            found = found.lower().replace("_", "-")
        missing = missing or not found
        return found

    text = _HOLE.sub(value, template.replace("{}", topic or "\0"))
    return "" if missing or "\0" in text or "${" in text.replace("${env:", "").replace("${file:", "") else text


def from_service(service: Service) -> ConnectorReader:
    """Make the reader of a source that reads one dataset of a service."""

    def read(connector: Connector) -> ConnectorFlows:
        key = connector.config.key(*_TOPIC_KEYS)
        names = [name for name in connector.config.items(*_TOPIC_KEYS) if "${" not in name]
        return fixed(connector, service.dataset(connector.config), names, key or "topics in use")

    return read


def to_service(service: Service) -> ConnectorReader:
    """Make the reader of a sink that writes topics to a service."""
    keys = tuple(key for hole in _HOLE.findall(service.name) for key in hole.partition("=")[0].split("|"))

    def read(connector: Connector) -> ConnectorFlows:
        return sink(connector, to(lambda topic: service.dataset(connector.config, topic), connector.config.key(*keys)))

    return read


def no_outside(connector: Connector) -> ConnectorFlows:
    """Read a source that makes its data itself."""
    key = connector.config.key(*_TOPIC_KEYS)
    return fixed(connector, None, connector.config.items(*_TOPIC_KEYS), key)


def salesforce(object_keys: str) -> Service:
    """Name an object, topic or event of a Salesforce instance."""
    return Service("salesforce", f"{{{object_keys}}}", ("salesforce.instance", "salesforce.host"))


_KINESIS = "kinesis://kinesis.{kinesis.region|aws.kinesis.region=us-east-1}.amazonaws.com"
_PUBSUB_PROJECT = "{gcp.pubsub.project.id|cps.project}"
_DYNAMODB = "dynamodb://dynamodb.{aws.dynamodb.region|dynamodb.region|aws.region=us-west-2}.amazonaws.com"

KINESIS = Service(_KINESIS, "{kinesis.stream|aws.kinesis.stream}")
PUBSUB_SUBSCRIPTION = Service(
    "pubsub", f"subscription:{_PUBSUB_PROJECT}:{{gcp.pubsub.subscription.id|cps.subscription}}"
)
PUBSUB_TOPIC = Service("pubsub", f"topic:{_PUBSUB_PROJECT}:{{gcp.pubsub.topic.id|cps.topic}}")
EVENT_HUBS = Service("eventhubs://{azure.eventhubs.namespace}.servicebus.windows.net", "{azure.eventhubs.hub.name}")
SERVICE_BUS = Service(
    "servicebus://{azure.servicebus.namespace}.servicebus.windows.net",
    "{azure.servicebus.entity.name|azure.servicebus.queue.name}",
)
SPANNER = Service(
    "spanner://{gcp.spanner.project.id}:{gcp.spanner.instance.id}",
    "{gcp.spanner.database.id}.{table.name.format=@}",
)
BIGTABLE = Service("bigtable://{gcp.bigtable.project.id}:{gcp.bigtable.instance.id}", "{table.name.format=@}")
DYNAMODB_SINK = Service(_DYNAMODB, "{table.name.format|aws.dynamodb.table=@}")
DYNAMODB_SOURCE = Service(_DYNAMODB, "{dynamodb.table.includelist|dynamodb.table.name|kafka.topic.table}")
LAMBDA = Service("lambda://lambda.{aws.lambda.region=us-east-1}.amazonaws.com", "{aws.lambda.function.name}")
REDIS = Service("redis", "{redis.database|redis.db=0}", ("redis.hosts", "redis.hostname", "redis.uri"), "6379")
NEO4J = Service("neo4j", "{neo4j.database=neo4j}", ("neo4j.uri", "neo4j.server.uri"), "7687")
COUCHBASE = Service("couchbase", "{couchbase.bucket}", ("couchbase.seed.nodes",))
RABBITMQ = Service("rabbitmq", "{rabbitmq.queue|rabbitmq.exchange}", ("rabbitmq.host", "rabbitmq.uri"), "5672")
MQTT = Service("mqtt", "{mqtt.topics|mqtt.topic=@}", ("mqtt.server.uri", "connect.mqtt.hosts"))
IBM_MQ = Service("ibmmq", "{mq.queue|jms.destination.name}", ("mq.connection.name.list", "mq.hostname"))
ACTIVE_MQ = Service("activemq", "{jms.destination.name}", ("activemq.url",))
JMS = Service("jms", "{jms.destination.name}", ("java.naming.provider.url", "connection.url"))
INFLUXDB = Service("influxdb", "{influxdb.db|influxdb.database}", ("influxdb.url",))
SPLUNK = Service("splunk", "{splunk.indexes=main}", ("splunk.hec.uri",))
KUDU = Service("kudu", "{kudu.table.default.name|kudu.sink.table=@}", ("kudu.masters", "kudu.master"))
HBASE = Service("hbase", "{table.name.format|hbase.table.name=@}", ("hbase.zookeeper.quorum",))
SINGLESTORE = Service("singlestore", "{connection.database}.{}", ("connection.ddlEndpoint",), "3306")
GITHUB = Service("https://api.github.com", "{github.repositories}")
JIRA = Service("jira", "{jira.resources|jira.tables}", ("jira.url",))
SERVICE_NOW = Service("servicenow", "{servicenow.table}", ("servicenow.url",))
ZENDESK = Service("zendesk", "{zendesk.tables}", ("zendesk.url",))


def sqs_source(connector: Connector) -> ConnectorFlows:
    """Read a queue of SQS; its URL names region, account and queue."""
    web = web_dataset(connector.config.text("sqs.url", "sqs.queue.url"))
    queue = Dataset(f"sqs://{web.namespace.partition('://')[2]}", web.name.lstrip("/")) if web else None
    return fixed(connector, queue, connector.config.items(*_TOPIC_KEYS), "sqs.url")


def dynamodb_sink(connector: Connector) -> ConnectorFlows:
    """Read a DynamoDB sink: a table a topic, of the endpoint where one is told, else of the region."""
    endpoint = web_dataset(connector.config.text("aws.dynamodb.endpoint"))
    told = Service(f"dynamodb://{endpoint.namespace.partition('://')[2]}", DYNAMODB_SINK.name) if endpoint else None
    return to_service(told or DYNAMODB_SINK)(connector)


def cosmos(config: Config) -> tuple[str, Mapping[str, str]]:
    """Give the namespace of a Cosmos database, and its containers by topic (`topic#container`)."""
    web = web_dataset(config.text("connect.cosmos.connection.endpoint", "azure.cosmos.account.endpoint"))
    host = web.namespace.partition("://")[2].partition(":")[0] if web else "unknown"
    database = config.text(
        "connect.cosmos.databasename", "azure.cosmos.source.database.name", "azure.cosmos.sink.database.name"
    )
    return f"azurecosmos://{host}/dbs/{database}", config.mapping("connect.cosmos.containers.topicmap", sign="#")


def cosmos_sink(connector: Connector) -> ConnectorFlows:
    """Read a Cosmos sink: the container that the topic is mapped to, or of its name."""
    place, containers = cosmos(connector.config)
    key = "connect.cosmos.containers.topicmap"
    return sink(connector, to(lambda name: Dataset(place, f"colls/{containers.get(name, name)}"), key))


def cosmos_source(connector: Connector) -> ConnectorFlows:
    """Read a Cosmos source: one container a topic."""
    place, containers = cosmos(connector.config)
    because = "connect.cosmos.containers.topicmap"
    reads = [
        Read(source=Dataset(place, f"colls/{container}"), topic=name, because=because)
        for name, container in containers.items()
    ]
    return source(connector, Reads(reads=tuple(reads) or (Read(source=None, because=because),)))


def kusto_sink(connector: Connector) -> ConnectorFlows:
    """Read a Kusto (Azure Data Explorer) sink: `kusto.tables.topics.mapping`."""
    config = connector.config
    web = web_dataset(config.text("kusto.ingestion.url", "kusto.query.url"))
    host = web.namespace.partition("://")[2].removeprefix("ingest-") if web else "unknown"
    tables = dict(_kusto_tables(config.text("kusto.tables.topics.mapping")))

    def target(name: str) -> Dataset | None:
        return Dataset(f"azurekusto://{host}", tables[name]) if name in tables else None

    return sink(connector, to(target, "kusto.tables.topics.mapping"))


def _kusto_tables(text: str) -> list[tuple[str, str]]:
    try:
        rows = json.loads(text.replace("'", '"')) if text else []
    except (ValueError, RecursionError):
        return []
    listed = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return [(str(row.get("topic", "")), f"{row.get('db', '')}/{row.get('table', '')}") for row in listed]
