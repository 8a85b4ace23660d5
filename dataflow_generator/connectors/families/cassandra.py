"""Cassandra sinks: DataStax's with its mappings, and Confluent's."""

from __future__ import annotations

import re

from dataflow_generator.connectors.config import Config
from dataflow_generator.connectors.dataset_names import addresses
from dataflow_generator.connectors.model import Connector, ConnectorFlows, Dataset
from dataflow_generator.connectors.sink_columns import by_mapping
from dataflow_generator.connectors.sinks import SinkTargets, sink, to

_CONTACTS = ("contactPoints", "datastax-java-driver.basic.contact-points.0", "cassandra.contact.points")
_PORTS = ("port", "cassandra.port")
_MAPPING = re.compile(r"(?P<keyspace>[^.]+)\.(?P<table>[^.]+)\.mapping")


def _namespace(config: Config) -> str:
    first = config.text(*_CONTACTS).partition(",")[0]
    return addresses("cassandra", first, config.text(*_PORTS, default="9042"))


def datastax_sink(connector: Connector) -> ConnectorFlows:
    """Read DataStax's sink: each `topic.<topic>.<keyspace>.<table>.mapping` names a table of a topic."""
    config = connector.config
    place = _namespace(config)

    def targets(name: str) -> tuple[Dataset, ...]:
        # The known topic is removed whole, because it may contain dots; the rest has two parts.
        matches = (_MAPPING.fullmatch(key) for key, _ in config.under(f"topic.{name}.").pairs)
        return tuple(Dataset(place, f"{match['keyspace']}.{match['table']}") for match in matches if match)

    keys = f"topic.….mapping, {config.key(*_CONTACTS)}"
    return sink(connector, SinkTargets(targets=targets, keys=keys, sink_columns=by_mapping))


def confluent_sink(connector: Connector) -> ConnectorFlows:
    """Read Confluent's sink: in one keyspace, a table named after the topic."""
    config = connector.config
    keyspace = config.text("cassandra.keyspace")
    place = _namespace(config)
    return sink(
        connector, to(lambda name: Dataset(place, ".".join(filter(None, (keyspace, name)))), "cassandra.keyspace")
    )
