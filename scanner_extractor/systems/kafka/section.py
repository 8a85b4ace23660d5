"""The `kafka` of cluster.json."""

from __future__ import annotations

from collections.abc import Iterator

from scanner_extractor.config.brokers import parse_kafka
from scanner_extractor.config.sections import (
    Items,
    Section,
    ValidationContext,
)
from scanner_extractor.http.messages import Json
from scanner_model.documents.schema_errors import ErrorMessage

_BOOTSTRAP = ("bootstrap.servers", "metadata.broker.list")

_KAFKA: Json = {
    "title": "Kafka protocol",
    "description": (
        "Properties of librdkafka. {} connects without encryption; without this member the brokers are not contacted."
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


def validate_kafka(items: Items, _: ValidationContext) -> Iterator[ErrorMessage]:
    """Yield properties that name brokers."""
    for path, item in items:
        for name in _BOOTSTRAP:
            if item.get(name) is not None:
                yield (*path, name), f"{name!r} is in `kafka`", "name the brokers in `brokers` only"


KAFKA_SECTION = Section(member="kafka", schema=_KAFKA, parse=parse_kafka, validate=validate_kafka, over_http=False)
