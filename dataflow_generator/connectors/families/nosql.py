"""NoSQL databases and search engines: Cassandra, Cosmos DB, Elasticsearch, OpenSearch."""

from __future__ import annotations

import re
from collections.abc import Mapping

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.dataset_names import addresses, web_dataset
from dataflow_generator.connectors.model import Connector, ConnectorFlows, ConnectorReader, Dataset
from dataflow_generator.connectors.sink_columns import by_mapping, in_index
from dataflow_generator.connectors.sinks import SinkTargets, sink, to
from dataflow_generator.connectors.sources import SourceRead, SourceReads, source

_CONTACTS = ("contactPoints", "datastax-java-driver.basic.contact-points.0", "cassandra.contact.points")
_PORTS = ("port", "cassandra.port")
_MAPPING = re.compile(r"(?P<keyspace>[^.]+)\.(?P<table>[^.]+)\.mapping")


def _cassandra_namespace(config: Config) -> str:
    first = config.text(*_CONTACTS).partition(",")[0]
    return addresses("cassandra", first, config.text(*_PORTS, default="9042"))


def datastax_cassandra_sink(connector: Connector) -> ConnectorFlows:
    """Read DataStax's sink: each `topic.<topic>.<keyspace>.<table>.mapping` names a table of a topic."""
    config = connector.config
    place = _cassandra_namespace(config)

    def targets(name: str) -> tuple[Dataset, ...]:
        # The known topic is removed whole, because it may contain dots; the rest has two parts.
        matches = (_MAPPING.fullmatch(key) for key, _ in config.under(f"topic.{name}.").pairs)
        return tuple(Dataset(place, f"{match['keyspace']}.{match['table']}") for match in matches if match)

    keys = f"topic.….mapping, {config.key(*_CONTACTS)}"
    return sink(connector, SinkTargets(targets=targets, keys=keys, sink_columns=by_mapping))


def confluent_cassandra_sink(connector: Connector) -> ConnectorFlows:
    """Read Confluent's sink: in one keyspace, a table named after the topic."""
    config = connector.config
    keyspace = config.text("cassandra.keyspace")
    place = _cassandra_namespace(config)
    return sink(
        connector, to(lambda name: Dataset(place, ".".join(filter(None, (keyspace, name)))), "cassandra.keyspace")
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
    place, containers = _cosmos(connector.config)
    key = "connect.cosmos.containers.topicmap"
    return sink(connector, to(lambda name: Dataset(place, f"colls/{containers.get(name, name)}"), key))


def cosmos_source(connector: Connector) -> ConnectorFlows:
    """Read a Cosmos source: one container per topic."""
    place, containers = _cosmos(connector.config)
    because = "connect.cosmos.containers.topicmap"
    reads = [
        SourceRead(source=Dataset(place, f"colls/{container}"), topic=name, because=because)
        for name, container in containers.items()
    ]
    return source(connector, SourceReads(reads=tuple(reads) or (SourceRead(source=None, because=because),)))


_ADDRESS = ("connection.url", "instance.url", "connection.urls", "opensearch.url")
_MAPS = ("topic.to.external.resource.mapping", "topic.index.map", "topic.to.resource.mapping")


def search_sink(scheme: str) -> ConnectorReader:
    """Build the reader of a sink; an index is named by a mapping, or by the topic in lower case."""

    def read(connector: Connector) -> ConnectorFlows:
        config = connector.config
        place = addresses(scheme, config.text(*_ADDRESS))
        mapped = config.mapping(*_MAPS)
        stream = "-".join(filter(None, (config.text("data.stream.type"), config.text("data.stream.dataset"))))
        if stream.lower() == "none":
            stream = ""

        def target(name: str) -> Dataset:
            last = config.text("data.stream.namespace", default="${topic}").replace("${topic}", name)
            return Dataset(place, mapped.get(name) or (f"{stream}-{last}" if stream else name).lower())

        return sink(connector, to(target, config.key(*_MAPS), config.key(*_ADDRESS), sink_columns=in_index))

    return read
