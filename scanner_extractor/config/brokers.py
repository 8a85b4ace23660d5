"""The brokers and the properties of the Kafka protocol in cluster.json."""

from __future__ import annotations

from pathlib import Path

from scanner_extractor.config.sections import (
    ParseContext,
)
from scanner_extractor.http.messages import Json
from scanner_extractor.settings.cluster import KafkaSettings
from scanner_model.names import broker_addresses


def parse_kafka(item: Json, context: ParseContext) -> KafkaSettings:
    """Return the settings of the Kafka protocol."""
    properties = {name: _property(name, value, context.base) for name, value in item.items()}
    clients = context.document.get("kafka_clients")
    return KafkaSettings(
        brokers=broker_list(context.document.get("brokers", [])),
        properties=properties,
        reads_other_groups=isinstance(clients, dict) and clients.get("groups", True),
    )


def broker_list(written: Json) -> tuple[str, ...]:
    """Return the brokers of a list or of a text with commas, each once; raises InputInvalid."""
    parts = [written] if isinstance(written, str) else written
    return tuple(dict.fromkeys(address for part in parts for address in broker_addresses(part)))


def _property(name: str, value: Json, base: Path) -> str:
    """Return a property as librdkafka takes it; a file beside cluster.json gets its whole path."""
    if isinstance(value, bool):
        return str(value).lower()
    names_file = name.endswith(".location") or name == "sasl.kerberos.keytab"
    if names_file and value and (base / str(value)).exists():  # `ssl.ca.location` may also be the word `probe`
        return str(base / str(value))
    return str(value)
