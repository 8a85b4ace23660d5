"""Registers the retail installation's schemas through a registry's Confluent-compatible API: `seed_registry.py URL`."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path
from urllib.parse import quote

import requests

INSTALLATION = Path(__file__).parent / "installation"

ADDRESS = [{"name": "com.acme.shared.Address", "subject": "com.acme.shared.Address", "version": 1}]
MONEY = [{"name": "money.proto", "subject": "money.proto", "version": 1}]
ADDRESS_JSON = [{"name": "address.schema.json", "subject": "address.schema.json", "version": 1}]

SCHEMAS = (
    ("com.acme.shared.Address", "AVRO", "address.avsc", []),
    ("orders-key", "AVRO", '"string"', []),
    ("orders-value", "AVRO", "order.v1.avsc", ADDRESS),
    ("orders-value", "AVRO", "order.avsc", ADDRESS),
    ("orders.RETRY-value", "AVRO", "retry.avsc", []),
    ("orders-com.acme.retail.Retry", "AVRO", "retry.avsc", []),
    ("catalog.categories-value", "AVRO", "category.avsc", []),
    ("money.proto", "PROTOBUF", "money.proto", []),
    ("payments-value", "PROTOBUF", "payment.proto", MONEY),
    ("com.acme.retail.Payment", "PROTOBUF", "payment.proto", MONEY),
    ("address.schema.json", "JSON", "address.schema.json", []),
    ("customers-value", "JSON", "customer.schema.json", ADDRESS_JSON),
    ("shipments-value", "AVRO", '{"type":"record","name":"Shipment","fields":[{"name":"id","type":"string"}]}', []),
    (
        "shipments-value",
        "AVRO",
        '{"type":"record","name":"Shipment","fields":[{"name":"id","type":"string"},'
        '{"name":"carrier","type":"string","default":""}]}',
        [],
    ),
)
DELETED = ("shipments-value", 1)


def versions() -> list[tuple[str, int, str, int]]:
    """Return what is registered: subject, number of the version, format, number of references."""
    subjects = [subject for subject, *_ in SCHEMAS]
    return [
        (subject, 1 + subjects[:index].count(subject), kind, len(references))
        for index, (subject, kind, _, references) in enumerate(SCHEMAS)
    ]


def seed(url: str, without: Collection[str] = ()) -> str:
    """Register every schema in order, then delete one version softly; leave a registry that has them alone.

    *without* are subjects that this registry rejects.
    """
    response = requests.get(f"{url}/subjects/{SCHEMAS[-1][0]}/versions", timeout=30)
    if response.ok:
        return "already there"
    for subject, kind, schema, references in SCHEMAS:
        if subject in without:
            continue
        text = (
            (INSTALLATION / schema).read_text("utf-8")
            if "." in schema and not schema.startswith(("{", '"'))
            else schema
        )
        body = {"schemaType": kind, "schema": text, "references": references}
        answer = requests.post(f"{url}/subjects/{quote(subject, safe='')}/versions", json=body, timeout=30)
        if not answer.ok:
            raise RuntimeError(f"{subject}: {answer.status_code} {answer.text[:300]}")
    subject, version = DELETED
    requests.delete(f"{url}/subjects/{subject}/versions/{version}", timeout=30).raise_for_status()
    return f"{len(SCHEMAS) - len(without)} versions, 1 deleted"


if __name__ == "__main__":
    sys.stdout.write(seed(sys.argv[1].rstrip("/")) + "\n")
