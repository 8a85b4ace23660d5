"""The `brokers` and `kafka` of cluster.json."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from scanner_extractor.config.sections import Items, ParseContext, Section, ValidationContext
from scanner_extractor.http.messages import Json
from scanner_extractor.settings.cluster import KafkaSettings
from scanner_model.documents.schema_errors import ErrorMessage
from scanner_model.names import broker_addresses

_BOOTSTRAP = ("bootstrap.servers", "metadata.broker.list")

_KAFKA: Json = {
    "title": "Kafka protocol",
    "description": (
        "Properties of librdkafka. {} asks the brokers in plain text; without this member they are not asked."
    ),
    "type": "object",
    "additionalProperties": {"type": ["string", "number", "boolean"]},
    "examples": [
        {
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "PLAIN",
            "sasl.username": "${KAFKA_USER}",
            "sasl.password": "${KAFKA_PASSWORD}",
        }
    ],
}


def parse_kafka(item: Json, context: ParseContext) -> KafkaSettings:
    """Return the settings of the Kafka protocol."""
    properties = {name: _property(name, value, context.base) for name, value in item.items()}
    return KafkaSettings(brokers=broker_list(context.document.get("brokers", [])), properties=properties)


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


def validate_kafka(items: Items, _: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield properties that name brokers."""
    for path, item in items:
        for name in _BOOTSTRAP:
            if item.get(name) is not None:
                yield (*path, name), f"{name!r} stands in `kafka`", "name the brokers in `brokers` only"


KAFKA_SECTION = Section(member="kafka", schema=_KAFKA, parse=parse_kafka, validate=validate_kafka, over_http=False)
