"""Writes the installation's records with Confluent's own serializers, which register what they need; run in `clients`.

Each of the three subject name strategies is used by at least one topic.
"""

from __future__ import annotations

import json
import sys
from decimal import Decimal
from pathlib import Path

import places
from confluent_kafka import Producer
from confluent_kafka.schema_registry import (
    Schema,
    SchemaReference,
    SchemaRegistryClient,
    record_subject_name_strategy,
    topic_record_subject_name_strategy,
    topic_subject_name_strategy,
)
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONSerializer
from confluent_kafka.serialization import MessageField, SerializationContext, StringSerializer

INSTALLATION = Path(__file__).parent / "installation"
ADDRESS = [SchemaReference("com.acme.shared.Address", "com.acme.shared.Address", 1)]

ORDERS = [
    {
        "id": f"00000000-0000-4000-8000-00000000000{number}",
        "placed_at": 1_760_000_000_000 + number,
        "customer": {"id": number, "email": f"c{number}@acme.example", "address": None},
        "lines": [{"sku": f"sku-{number}", "quantity": number, "price": Decimal("9.90")}],
        "payment": {"last4": f"000{number}"},
        "attributes": {"channel": "web"},
    }
    for number in range(1, 6)
]
RETRIES = [{"order_id": ORDERS[0]["id"], "attempt": 1, "reason": "timeout"}]
RETURNS = [{"order_id": ORDERS[1]["id"], "reason": "too small", "refund": {"currency": "EUR", "cents": 990}}]
PARCELS = [{"number": "P-1", "order_id": ORDERS[2]["id"], "weight": 1.5}]
REVIEWS = [{"sku": "sku-1", "stars": 5, "author": {"name": "Eva"}}]
CATEGORIES = [{"name": "shoes", "parent": {"name": "clothes", "parent": None, "children": []}, "children": []}]


def main() -> None:
    """Write every topic's records."""
    client = SchemaRegistryClient({"url": places.REGISTRY_URL})
    producer = Producer({"bootstrap.servers": places.PLAINTEXT})
    written = 0
    for topic, serializer, records in _writers(client):
        for record in records:
            value = serializer(record, SerializationContext(topic, MessageField.VALUE))
            producer.produce(topic, key=StringSerializer()(str(record.get("id", topic))), value=value)
            written += 1
    for number in range(20):
        producer.produce("clicks", value=json.dumps({"page": f"/p/{number}", "customer": number % 5, "ms": 10}))
    unsent = producer.flush(30)
    if unsent:
        raise SystemExit(f"{unsent} records were not taken")
    sys.stdout.write(f"{written} with a schema, 20 without\n")


def _writers(client: SchemaRegistryClient):
    yield "orders", _avro(client, "order.avsc", topic_subject_name_strategy, ADDRESS), ORDERS
    yield "orders.RETRY", _avro(client, "retry.avsc", topic_record_subject_name_strategy), RETRIES
    yield "returns", _avro(client, "return.avsc", topic_record_subject_name_strategy), RETURNS
    yield "parcels", _avro(client, "parcel.avsc", record_subject_name_strategy), PARCELS
    yield "catalog.categories", _avro(client, "category.avsc", topic_subject_name_strategy), CATEGORIES
    text = (INSTALLATION / "review.schema.json").read_text("utf-8")
    yield "reviews", JSONSerializer(text, client, conf={"auto.register.schemas": True}), REVIEWS


def _avro(client: SchemaRegistryClient, file: str, strategy: object, references: object = ()) -> AvroSerializer:
    schema = Schema((INSTALLATION / file).read_text("utf-8"), "AVRO", list(references))
    return AvroSerializer(client, schema, conf={"auto.register.schemas": True, "subject.name.strategy": strategy})


if __name__ == "__main__":
    main()
