"""How messages call the fields of classes that schemas generate."""

from __future__ import annotations

import pytest

from scanner_extractor.repository.applications.generated import GeneratedClasses

AVRO = """{"type": "record", "name": "Order", "namespace": "shop", "fields": [
  {"name": "order_id", "type": ["null", "string"]},
  {"name": "items", "type": {"type": "array", "items": {"type": "record", "name": "Item", "fields": [
    {"name": "unit_price", "type": "double"}]}}}]}"""
PROTO = "syntax = 'proto3'; message Order { string order_id = 1; repeated Money amounts = 2; }" + (
    "message Money { int64 minor_units = 1; }"
)


@pytest.mark.parametrize(
    ("name", "text", "path", "spelled"),
    [
        ("a.avsc", AVRO, ("orderId",), ("order_id",)),
        ("a.avsc", AVRO, ("items", "unitPrice"), ("items", "unit_price")),
        ("a.avsc", AVRO, ("other",), ("other",)),
        ("a.avsc", AVRO, ("orderId", "length"), ("order_id", "length")),
        ("a.proto", PROTO, ("amountsList", "MinorUnits"), ("amounts", "minor_units")),
        ("a.avsc", "{", ("orderId",), ("orderId",)),
    ],
)
def test_members_are_spelled_as_in_the_schema(name, text, path, spelled) -> None:
    """The code has the names that the generator makes."""
    assert GeneratedClasses({name: text}).spelled(path, ["Order"]) == spelled


def test_a_class_of_no_schema_has_its_own_names() -> None:
    """Only the class that a schema generates is renamed."""
    assert GeneratedClasses({"a.avsc": AVRO}).spelled(("orderId",), ["Invoice"]) == ("orderId",)
