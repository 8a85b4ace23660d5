"""A connector family: Acme's connectors between Kafka and NATS, whose datasets are subjects of a server."""

from __future__ import annotations

from dataflow_generator.connectors import Connector, ConnectorFlows, Dataset
from dataflow_generator.connectors.dataset_names import addresses
from dataflow_generator.connectors.sinks import sink, to
from dataflow_generator.connectors.sources import fixed


def _subject(connector: Connector, topic: str) -> Dataset | None:
    """Return the NATS subject of a configuration; *topic* replaces `${topic}` in it. None where no server is named."""
    servers, subject = connector.config.text("nats.servers"), connector.config.text("nats.subject")
    if not servers:
        return None
    return Dataset(
        addresses("nats", servers.replace("nats://", ""), "4222"), subject.replace("${topic}", topic) or topic
    )


def nats_sink(connector: Connector) -> ConnectorFlows:
    """Read a sink: each topic flows to one subject."""
    return sink(connector, to(lambda topic: _subject(connector, topic), "nats.subject"))


def nats_source(connector: Connector) -> ConnectorFlows:
    """Read a source: one subject flows to the topic of `kafka.topic`."""
    return fixed(connector, _subject(connector, ""), connector.config.items("kafka.topic"), "nats.subject")
