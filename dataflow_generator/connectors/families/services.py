"""Queues, caches, SaaS and other services whose dataset is named by a few keys: one row each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from dataflow_generator.connectors.config import Config, split_outside
from dataflow_generator.connectors.dataset_names import addresses, web_dataset
from dataflow_generator.connectors.families.jdbc import managed_sink
from dataflow_generator.connectors.model import Connector, ConnectorFlows, ConnectorReader, Dataset
from dataflow_generator.connectors.sinks import SinkTargets, sink, to
from dataflow_generator.connectors.sources import SourceRead, SourceReads, fixed, source
from dataflow_generator.connectors.topics import ReadTopics, topics_written
from dataflow_generator.connectors.transforms.topic_templates import quoted
from scanner_model.documents.json_input import load_text
from scanner_model.text import has_placeholder

_URLS = ("http.api.url", "http.api.base.url", "http.url", "http.request.url", "sse.uri", "url")
_TOPICS = ("topic.name.pattern", "kafka.topic", "topic")
_HTTP_ENTITY = "${entityName}"
_API = re.compile(r"(api\d+)\.(?:http\.api\.path|topics|topic|http\.api\.topic)")


def http_sink(connector: Connector) -> ConnectorFlows:
    """Read a sink with one endpoint; `${topic}` in its URL is replaced by the topic."""
    url = connector.config.text(*_URLS)
    key = connector.config.key(*_URLS)
    return sink(connector, to(lambda name: web_dataset(url.replace("${topic}", name)) if url else None, key))


def http_sink_v2(connector: Connector) -> ConnectorFlows:
    """Read a sink with one endpoint per group of topics: `api<n>.topics` and `api<n>.http.api.path`."""
    apis = tuple(_apis(connector.config))
    base = connector.config.text(*_URLS)
    if not apis:
        return http_sink(connector)

    def targets(name: str) -> tuple[Dataset, ...]:
        paths = (path for topics, path, _ in apis if name in topics or not topics)
        return tuple(dataset for path in paths if (dataset := web_dataset(base, path.replace("${topic}", name))))

    listed = tuple(dict.fromkeys(name for topics, _, _ in apis for name in topics))
    read = ReadTopics(listed, "", "api.topics") if listed and not connector.config.text("topics") else None
    return sink(connector, SinkTargets(targets=targets, keys="http.api.base.url, http.api.path", read=read))


def http_source(connector: Connector) -> ConnectorFlows:
    """Read a source with one endpoint or several, each with its topic."""
    config = connector.config
    base = config.text(*_URLS)
    apis = tuple(_apis(config))
    if apis:
        reads = [
            SourceRead(source=web_dataset(base, path) if base else None, topic=name, because=f"{api}.topics")
            for topics, path, api in apis
            for name in topics
        ]
        return source(connector, SourceReads(reads=tuple(reads)))
    pattern = config.text(*_TOPICS)
    entities = config.items("entity.names") if _HTTP_ENTITY in pattern + base else ()
    if entities:
        return source(
            connector, SourceReads(reads=tuple(_of_entity(config, base, pattern, entity) for entity in entities))
        )
    names = [pattern] if pattern and not has_placeholder(pattern) else []
    key = config.key(*_URLS)
    return fixed(connector, web_dataset(base) if base else None, names, ", ".join(filter(None, (key, "topic"))))


def _of_entity(config: Config, base: str, pattern: str, entity: str) -> SourceRead:
    """Read the endpoint and the topic of one entity (Confluent's HTTP Source, `entity.names`)."""
    url, topic = (text.replace(_HTTP_ENTITY, entity) for text in (base, pattern))
    keys = (config.key(*_URLS), "entity.names", config.key(*_TOPICS))
    known = topic if not has_placeholder(topic) else ""
    return SourceRead(source=web_dataset(url) if url else None, topic=known, because=", ".join(filter(None, keys)))


def _apis(config: Config) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Return topics, path and name of each API, by number."""
    numbered = sorted(
        {match[1] for key, _ in config.pairs if (match := _API.fullmatch(key))}, key=lambda api: int(api[3:])
    )
    for api in numbered:
        names = config.items(f"{api}.topics", f"{api}.topic", f"{api}.http.api.topic")
        yield names, config.text(f"{api}.http.api.path"), api


_TOPIC_KEYS = (
    *("kafka.topic", "topic", "kafka.topics", "topics", "topic.name", "connect.topic", "mqtt.kafka.topic"),
    "neo4j.query.topic",
)
_MQ_PORT = re.compile(r"\((\d+)\)")
"""IBM MQ writes the port of a host in brackets: `mq-1(1414),mq-2(1414)`."""

_ENTITY = re.compile(r"\$\{(?:entity|resource|table)Name\}")
_HOLE = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True, slots=True)
class Service:
    """How a service's datasets are named: templates with `{key|other=default}`.

    `{}` and a default `@` are the topic. A template whose keys have neither value nor default names nothing. *entities*
    are keys of lists whose items a source writes to `topic.name.pattern`. *prefixed*: without a topic, a source writes
    to `topic.prefix` and the dataset's name. *tables* is the key, after `table<n>.`, that names the dataset of
    `table<n>.topic`.
    """

    namespace: str
    name: str
    address: tuple[str, ...] = ()
    port: str = ""
    entities: tuple[str, ...] = ()
    prefixed: bool = False
    tables: str = "name"

    @property
    def keys(self) -> tuple[str, ...]:
        """Return the keys that may name it, in order of precedence."""
        return tuple(key for hole in _HOLE.findall(self.name) for key in hole.partition("=")[0].split("|"))

    def datasets(self, config: Config) -> tuple[Dataset, ...]:
        """Return the datasets that a source reads; a key of its name may list several."""
        whole = self.dataset(config)
        return tuple(Dataset(whole.namespace, name) for name in split_outside(whole.name, ",")) if whole else ()

    def dataset(self, config: Config, topic: str = "") -> Dataset | None:
        """Return the dataset of a configuration, and for sinks of a topic."""
        name = _filled(self.name, config, topic)
        if not name:
            return None
        if self.address:
            hosts = _MQ_PORT.sub(r":\1", config.text(*self.address))
            return Dataset(addresses(self.namespace, hosts, self.port), name)
        namespace = _filled(self.namespace, config, topic)
        return Dataset(namespace, name) if namespace else None

    def table(self, config: Config, group: str) -> Dataset | None:
        """Return the dataset of a numbered group of settings, `table1.name`."""
        name = config.text(f"{group}.{self.tables}")
        return Dataset(addresses(self.namespace, config.text(*self.address), self.port), name) if name else None


def _filled(template: str, config: Config, topic: str) -> str:
    missing = False

    def value(match: re.Match[str]) -> str:
        nonlocal missing
        keys, _, default = match[1].partition("=")
        default = topic if default == "@" else default
        setting = config.text(*keys.split("|"), default=default).replace("${topic}", topic)
        if keys.endswith("region"):  # the SDK's own names are accepted too: US_WEST_2
            setting = setting.lower().replace("_", "-")
        missing = missing or not setting
        return setting

    text = _HOLE.sub(value, template.replace("{}", topic or "\0"))
    return "" if missing or "\0" in text or "${" in text.replace("${env:", "").replace("${file:", "") else text


def from_service(service: Service) -> ConnectorReader:
    """Build the reader of a source that reads datasets of a service into one topic, or one per entity."""

    def read(connector: Connector) -> ConnectorFlows:
        config = connector.config
        key = config.key(*_TOPIC_KEYS)
        names = config.items(*_TOPIC_KEYS)
        datasets = service.datasets(config)
        numbered = [named for named in topics_written(config) if named.group]
        if names:
            reads = [
                SourceRead(source=dataset, topic=name, because=key)
                for dataset, name in product(datasets or (None,), names)
            ]
        elif numbered:
            reads = [
                SourceRead(source=service.table(config, named.group), topic=named.name, because=named.key)
                for named in numbered
            ]
        elif config.items(*service.entities):
            reads = [*_of_entities(service, config, datasets)]
        else:
            prefix = config.text("topic.prefix") if service.prefixed else ""
            reads = [*_of_use(config, config.key(*service.keys), datasets, prefix)]
        return source(connector, SourceReads(reads=tuple(reads)))

    return read


def _of_use(config: Config, key: str, datasets: tuple[Dataset, ...], prefix: str) -> Iterator[SourceRead]:
    """Read datasets into topics that are not configured; of several, each into those that end with its name.

    With a prefix, the topic is the prefix and the dataset's name, or with `topic.mapper` a measurement's name.
    """
    for dataset in datasets or (None,):
        if prefix:
            whole = dataset is not None and config.text("topic.mapper", default="db") in ("db", "bucket")
            topic = f"{prefix}{dataset.name}" if dataset and whole else ""
            pattern = "" if topic else f"{quoted(prefix)}.*"
            yield SourceRead(source=dataset, topic=topic, pattern=pattern, because=f"{key}, topic.prefix")
            continue
        pattern = f".*{quoted(dataset.name)}" if dataset and len(datasets) > 1 else ""
        yield SourceRead(source=dataset, pattern=pattern, because=key)


def _of_entities(service: Service, config: Config, datasets: tuple[Dataset, ...]) -> Iterator[SourceRead]:
    """Read every entity into its topic, from the dataset of its name, or else from all."""
    pattern = config.text("topic.name.pattern", default="${entityName}")
    because = f"{config.key(*service.entities)}, topic.name.pattern"
    for entity in config.items(*service.entities):
        own = [dataset for dataset in datasets if dataset.name == entity]
        name = entity.join(_ENTITY.split(pattern))
        for dataset in own or datasets or (None,):
            yield SourceRead(source=dataset, topic="" if has_placeholder(name) else name, because=because)


def couchbase_source(connector: Connector) -> ConnectorFlows:
    """Read a bucket: into one topic, or by `${bucket}.${scope}.${collection}`, the default since version 4."""
    config = connector.config
    bucket = COUCHBASE.dataset(config)
    key = config.key("couchbase.topic", "topic.name", *_TOPIC_KEYS)
    form = config.text(key, default="${bucket}.${scope}.${collection}")
    form = form.replace("${bucket}", bucket.name if bucket else "${bucket}")
    because = ", ".join(filter(None, (config.key(*COUCHBASE.keys), key)))
    names = [_collection_topic(form, item) for item in config.items("couchbase.collections")] or [form]
    reads = [
        SourceRead(source=bucket, topic="" if "${" in name else name, pattern=_any_collection(name), because=because)
        for name in dict.fromkeys(names)
    ]
    return source(connector, SourceReads(reads=tuple(reads)))


def _collection_topic(form: str, item: str) -> str:
    scope, _, collection = item.rpartition(".")
    return form.replace("${scope}", scope or "_default").replace("${collection}", collection)


def _any_collection(name: str) -> str:
    """Return the pattern of the topics of all collections; empty for one topic, or where the bucket is unknown."""
    start, sign, _ = name.partition("${")
    return f"{quoted(start)}.*" if sign and start else ""


def kudu_sink(connector: Connector) -> ConnectorFlows:
    """Read a sink that writes Kudu tables by Kudu's own client, or Confluent's, which writes through Impala."""
    return to_service(KUDU)(connector) if connector.config.key(*KUDU.address) else managed_sink("impala")(connector)


def to_service(service: Service) -> ConnectorReader:
    """Build the reader of a sink that writes topics to a service."""

    def read(connector: Connector) -> ConnectorFlows:
        key = connector.config.key(*service.keys)
        return sink(connector, to(lambda topic: service.dataset(connector.config, topic), key))

    return read


def no_outside(connector: Connector) -> ConnectorFlows:
    """Read a source that generates its data."""
    key = connector.config.key(*_TOPIC_KEYS)
    names = connector.config.items(*_TOPIC_KEYS) or ("",)
    reads = tuple(SourceRead(source=None, topic=name, because=key) for name in names)
    return source(connector, SourceReads(reads=reads, isolated=True))


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
COUCHBASE = Service(
    "couchbase", "{couchbase.bucket|connection.bucket}", ("couchbase.seed.nodes", "connection.cluster_address")
)
RABBITMQ = Service("rabbitmq", "{rabbitmq.queue|rabbitmq.exchange}", ("rabbitmq.host", "rabbitmq.uri"), "5672")
MQTT = Service("mqtt", "{mqtt.topics|mqtt.topic=@}", ("mqtt.server.uri", "connect.mqtt.hosts"))
IBM_MQ = Service("ibmmq", "{mq.queue|jms.destination.name}", ("mq.connection.name.list", "mq.hostname"))
ACTIVE_MQ = Service("activemq", "{jms.destination.name}", ("activemq.url",))
JMS = Service("jms", "{jms.destination.name}", ("java.naming.provider.url", "connection.url"))
INFLUXDB = Service("influxdb", "{influxdb.db|influxdb.database|influxdb.bucket}", ("influxdb.url",), prefixed=True)
SPLUNK = Service("splunk", "{splunk.indexes=main}", ("splunk.hec.uri",))
KUDU = Service("kudu", "{kudu.table.default.name|kudu.sink.table=@}", ("kudu.masters", "kudu.master"))
HBASE = Service("hbase", "{table.name.format|hbase.table.name=@}", ("hbase.zookeeper.quorum",))
SINGLESTORE = Service("singlestore", "{connection.database}.{}", ("connection.ddlEndpoint",), "3306")
GITHUB = Service("https://api.github.com", "{github.repositories}", entities=("github.resources", "github.tables"))
JIRA = Service("jira", "{jira.resources|jira.tables}", ("jira.url",), entities=("jira.resources", "jira.tables"))
SERVICE_NOW = Service("servicenow", "{servicenow.table}", ("servicenow.url",))
ZENDESK = Service("zendesk", "{zendesk.tables}", ("zendesk.url",), entities=("zendesk.tables",))


def sqs_source(connector: Connector) -> ConnectorFlows:
    """Read a queue of SQS; its URL contains region, account and queue."""
    web = web_dataset(connector.config.text("sqs.url", "sqs.queue.url"))
    queue = Dataset(f"sqs://{web.namespace.partition('://')[2]}", web.name.lstrip("/")) if web else None
    return fixed(connector, queue, connector.config.items(*_TOPIC_KEYS), "sqs.url")


def dynamodb_sink(connector: Connector) -> ConnectorFlows:
    """Read a DynamoDB sink: a table per topic, at the configured endpoint, or else in the region."""
    endpoint = web_dataset(connector.config.text("aws.dynamodb.endpoint"))
    service = Service(f"dynamodb://{endpoint.namespace.partition('://')[2]}", DYNAMODB_SINK.name) if endpoint else None
    return to_service(service or DYNAMODB_SINK)(connector)


def lambda_sink(connector: Connector) -> ConnectorFlows:
    """Read a Lambda sink: the function that the topic is mapped to (`topic;function`), else the default one."""
    config = connector.config
    functions = config.mapping("aws.lambda.topic2function.map", sign=";")
    namespace = _filled(LAMBDA.namespace, config, "")

    def target(name: str) -> Dataset | None:
        return Dataset(namespace, functions[name]) if name in functions else LAMBDA.dataset(config, name)

    return sink(connector, to(target, config.key("aws.lambda.topic2function.map", *LAMBDA.keys)))


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
        rows = load_text(text.replace("'", '"')) if text else []
    except (ValueError, RecursionError):
        return []
    listed = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return [(str(row.get("topic", "")), f"{row.get('db', '')}/{row.get('table', '')}") for row in listed]
