"""Search engines: Elasticsearch and OpenSearch; one index per topic."""

from __future__ import annotations

from dataflow_generator.connectors.dataset_names import addresses
from dataflow_generator.connectors.model import Connector, ConnectorFlows, ConnectorReader, Dataset
from dataflow_generator.connectors.sink_columns import in_index
from dataflow_generator.connectors.sinks import sink, to

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
