"""MongoDB's source and sink, their managed equivalents, Debezium's sink, and other document and search stores."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.dataset_names import addresses, web_dataset
from dataflow_generator.connectors.model import Connector, ConnectorFlows, ConnectorReader, Dataset
from dataflow_generator.connectors.sinks import SinkTargets, by_mapping, in_documents, in_index, sink, to
from dataflow_generator.connectors.sources import SourceRead, SourceReads, source
from dataflow_generator.connectors.topics import candidate_topics
from dataflow_generator.connectors.transforms.topic_templates import quoted
from scanner_model.documents.json_input import load_text
from scanner_model.errors import Problem

_TOPIC = re.compile(r"[a-zA-Z0-9._-]+")
_ADDRESS = ("connection.uri", "mongodb.connection.string", "connection.host", "connection.url")


def mongodb_namespace(config: Config) -> str:
    """Name the deployment by its hosts as listed, without user, options and path."""
    return addresses("mongodb", config.text(*_ADDRESS))


def mongodb_source(connector: Connector) -> ConnectorFlows:
    """Read a change stream of a collection, of a database, or of the deployment."""
    config = connector.config
    database, collection = config.text("database"), config.text("collection")
    sign = config.text("topic.separator", default=".")
    before = f"{prefix}{sign}" if (prefix := config.text("topic.prefix")) else ""
    after = f"{sign}{suffix}" if (suffix := config.text("topic.suffix")) else ""
    mapped, problems = _namespace_map(config)
    namespace = mongodb_namespace(config)
    because = ", ".join(filter(None, (config.key("collection"), config.key("database"), config.key("topic.prefix"))))
    if collection:
        name = _mapped(mapped, database, collection, sign)
        dataset = Dataset(namespace, ".".join(filter(None, (database, collection))))
        reads = [SourceRead(source=dataset, topic=f"{before}{name}{after}", because=because)]
    else:
        reads = [*_mapped_reads(connector, namespace, (before, after, sign), mapped)]
        if database not in mapped:
            reads += _others(connector, Dataset(namespace, database), (before, after, sign), reads, mapped)
    return source(connector, SourceReads(reads=tuple(reads), problems=problems))


def _others(
    connector: Connector,
    whole: Dataset,
    naming: tuple[str, str, str],
    reads: Sequence[SourceRead],
    mapped: Mapping[str, str],
) -> list[SourceRead]:
    """Return the collections that the map does not name: those found in topics in use, else all of *whole*."""
    before, after, sign = naming
    everything = whole if whole.name else None
    if "*" in mapped:
        return [SourceRead(source=everything, because="topic.namespace.map")]
    because = ", ".join(filter(None, (connector.config.key("database"), connector.config.key("topic.prefix"))))
    start = f"{before}{whole.name}{sign}" if whole.name else before
    own = {read.topic for read in reads}
    observed = [
        read for read in _observed_reads(connector, whole, (start, after, sign), because) if read.topic not in own
    ]
    if observed or (reads and connector.active is not None):
        return observed
    return [
        SourceRead(source=everything, pattern=f"{quoted(start)}.*{quoted(after)}" if start else "", because=because)
    ]


def _observed_reads(
    connector: Connector, whole: Dataset, naming: tuple[str, str, str], because: str
) -> Iterator[SourceRead]:
    """Find collections in the topics in use: the text between prefix and suffix."""
    start, after, sign = naming
    if connector.active is None or connector.config.text("transforms"):
        return
    for name in candidate_topics(connector)[0]:
        inside = name[len(start) : len(name) - len(after)]
        if not (start and inside and name.startswith(start) and name.endswith(after)):
            continue
        if _TOPIC.fullmatch(name) and (whole.name or sign in inside):
            named = f"{whole.name}.{inside}" if whole.name else inside.replace(sign, ".", 1)
            yield SourceRead(source=Dataset(whole.namespace, named), topic=name, because=f"{because}, topics in use")


def _mapped_reads(
    connector: Connector, namespace: str, naming: tuple[str, str, str], mapped: Mapping[str, str]
) -> Iterator[SourceRead]:
    """Return the collections that the map names, and those of a mapped database found in topics in use."""
    before, after, sign = naming
    only = connector.config.text("database")
    used = (
        candidate_topics(connector)[0]
        if connector.active is not None and not connector.config.text("transforms")
        else ()
    )
    for key, name in mapped.items():
        database, _, collection = key.partition(".")
        if key == "*" or only not in ("", database):
            continue
        if collection:
            yield SourceRead(
                source=Dataset(namespace, key), topic=f"{before}{name}{after}", because="topic.namespace.map"
            )
            continue
        start = f"{before}{name}{sign}"
        inside = [topic[len(start) : len(topic) - len(after)] for topic in used if topic.startswith(start)]
        collections = [
            collection
            for collection in inside
            if collection and f"{start}{collection}{after}" in used and f"{database}.{collection}" not in mapped
        ]
        because = "topic.namespace.map, topics in use"
        for collection in collections:
            yield SourceRead(
                source=Dataset(namespace, f"{database}.{collection}"),
                topic=f"{start}{collection}{after}",
                because=because,
            )
        if not collections:
            pattern = f"{quoted(start)}.*{quoted(after)}"
            yield SourceRead(source=Dataset(namespace, database), pattern=pattern, because="topic.namespace.map")


def _namespace_map(config: Config) -> tuple[Mapping[str, str], tuple[Problem, ...]]:
    text = config.text("topic.namespace.map")
    try:
        value = load_text(text) if text else {}
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        return {}, (Problem("topic.namespace.map", "is not a JSON object; topics are derived without it"),)
    return {str(key): name for key, name in value.items() if isinstance(name, str)}, ()


def _mapped(mapped: Mapping[str, str], database: str, collection: str, sign: str) -> str:
    """Return a collection's topic: its own mapping, its database's, the default, or its name (DefaultTopicMapper)."""
    if own := mapped.get(f"{database}.{collection}"):
        return own
    if database in mapped:
        return f"{mapped[database]}{sign}{collection}"
    return mapped.get("*") or sign.join(filter(None, (database, collection)))


def mongodb_sink(connector: Connector) -> ConnectorFlows:
    """Read a sink: the collection is configured for the topic, else the default one, else the topic's name.

    Debezium's sink has underscores for the dots of the topic (DefaultCollectionNamingStrategy).
    """
    config = connector.config
    namespace = mongodb_namespace(config)
    dot = "_" if config.text("sink.database") else "."

    def target(name: str) -> Dataset | None:
        own = f"topic.override.{name}."
        database = config.text(f"{own}database", "database", "sink.database")
        form = config.text("collection.name.format", default="${topic}").replace("${topic}", name.replace(".", dot))
        collection = config.text(f"{own}collection", "collection") or form
        return Dataset(namespace, ".".join(filter(None, (database, collection)))) if "${" not in collection else None

    problems = (
        (Problem("namespace.mapper", "selects database and collection by data"),)
        if config.text("namespace.mapper", default="Default").rpartition(".")[2]
        not in ("Default", "DefaultNamespaceMapper")
        else ()
    )
    keys = (config.key("collection", "collection.name.format"), config.key("database", "sink.database"))
    return sink(connector, to(target, *keys, problems=problems, sink_columns=in_documents))


_CONTACTS = ("contactPoints", "datastax-java-driver.basic.contact-points.0", "cassandra.contact.points")
_PORTS = ("port", "cassandra.port")
_MAPPING = re.compile(r"(?P<keyspace>[^.]+)\.(?P<table>[^.]+)\.mapping")


def _cassandra_namespace(config: Config) -> str:
    first = config.text(*_CONTACTS).partition(",")[0]
    return addresses("cassandra", first, config.text(*_PORTS, default="9042"))


def datastax_cassandra_sink(connector: Connector) -> ConnectorFlows:
    """Read DataStax's sink: each `topic.<topic>.<keyspace>.<table>.mapping` names a table of a topic."""
    config = connector.config
    namespace = _cassandra_namespace(config)

    def targets(name: str) -> tuple[Dataset, ...]:
        # The known topic is removed whole, because it may contain dots; the rest has two parts.
        matches = (_MAPPING.fullmatch(key) for key, _ in config.under(f"topic.{name}.").pairs)
        return tuple(Dataset(namespace, f"{match['keyspace']}.{match['table']}") for match in matches if match)

    keys = f"topic.….mapping, {config.key(*_CONTACTS)}"
    return sink(connector, SinkTargets(targets=targets, keys=keys, sink_columns=by_mapping))


def confluent_cassandra_sink(connector: Connector) -> ConnectorFlows:
    """Read Confluent's sink: in one keyspace, a table named after the topic."""
    config = connector.config
    keyspace = config.text("cassandra.keyspace")
    namespace = _cassandra_namespace(config)
    return sink(
        connector, to(lambda name: Dataset(namespace, ".".join(filter(None, (keyspace, name)))), "cassandra.keyspace")
    )


def _cosmos(config: Config) -> tuple[str, Mapping[str, str]]:
    """Return the namespace of a Cosmos database, and its containers by topic (`topic#container`)."""
    web = web_dataset(config.text("connect.cosmos.connection.endpoint", "azure.cosmos.account.endpoint"))
    host = web.namespace.partition("://")[2].partition(":")[0] if web else "unknown"
    database = config.text(
        "connect.cosmos.databasename", "azure.cosmos.source.database.name", "azure.cosmos.sink.database.name"
    )
    return f"azurecosmos://{host}/dbs/{database}", config.mapping("connect.cosmos.containers.topicmap", sign="#")


def cosmos_sink(connector: Connector) -> ConnectorFlows:
    """Read a Cosmos sink: the container that the topic is mapped to, or of its name."""
    namespace, containers = _cosmos(connector.config)
    key = "connect.cosmos.containers.topicmap"
    return sink(connector, to(lambda name: Dataset(namespace, f"colls/{containers.get(name, name)}"), key))


def cosmos_source(connector: Connector) -> ConnectorFlows:
    """Read a Cosmos source: one container per topic."""
    namespace, containers = _cosmos(connector.config)
    because = "connect.cosmos.containers.topicmap"
    reads = [
        SourceRead(source=Dataset(namespace, f"colls/{container}"), topic=name, because=because)
        for name, container in containers.items()
    ]
    return source(connector, SourceReads(reads=tuple(reads) or (SourceRead(source=None, because=because),)))


_HOST = ("connection.url", "instance.url", "connection.urls", "opensearch.url")
_MAPS = (
    *("topic.to.external.resource.mapping", "topic.to.existing.resource.mapping"),
    *("topic.index.map", "topic.to.resource.mapping"),
)


def search_sink(scheme: str) -> ConnectorReader:
    """Build the reader of a sink; an index is named by a mapping, or by the topic in lower case."""

    def read(connector: Connector) -> ConnectorFlows:
        config = connector.config
        namespace = addresses(scheme, config.text(*_HOST))
        mapped = config.mapping(*_MAPS)
        stream = "-".join(filter(None, (config.text("data.stream.type"), config.text("data.stream.dataset"))))
        if stream.lower() == "none":
            stream = ""
        # Aiven's OpenSearch connector has a prefix instead of a type and a dataset.
        if config.is_on("data.stream.enabled"):
            stream = config.text("data.stream.prefix")

        def target(name: str) -> Dataset:
            last = config.text("data.stream.namespace", default="${topic}").replace("${topic}", name)
            return Dataset(namespace, mapped.get(name) or (f"{stream}-{last}" if stream else name).lower())

        return sink(connector, to(target, config.key(*_MAPS), config.key(*_HOST), sink_columns=in_index))

    return read
