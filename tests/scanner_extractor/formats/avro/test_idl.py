"""Avro IDL: the types are those that Avro's own tools make of the same text."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.formats.avro.idl import named_types
from scanner_model.errors import InputInvalid

SHOP = """\
/* Not documentation. */
@namespace("shop")
protocol Shop {
  import idl "common.avdl";

  /** A way of paying. */
  enum Payment { CARD, CASH } = CARD;
  fixed MD5(0x10);

  /**
   * An order.
   */
  @version(2)
  record Order {
    /** Its number. */
    string @order("ignore") id = "none", other;
    decimal(9,2) total;
    timestamp_ms placed_at;
    date? shipped;
    int? pieces = 1;
    union { null, Customer, common.Agent } buyer = null;
    array<map<`error`>> notes = [];
    @logicalType("timestamp-micros") long seen;
    Payment payment;
    MD5 hash;
  }

  @namespace("crm") record Customer { Address address; }
  error Failed { string reason; }

  Order find(string id) throws Failed;
  void ping() oneway;
}
"""


def test_types_are_those_of_avros_tools():
    types = {declared["name"]: declared for declared in named_types(SHOP)}

    assert list(types) == ["Payment", "MD5", "Order", "Customer", "Failed"]
    assert types["Payment"] == {
        "type": "enum",
        "name": "Payment",
        "namespace": "shop",
        "doc": "A way of paying.",
        "symbols": ["CARD", "CASH"],
        "default": "CARD",
    }
    assert types["MD5"]["size"] == 16
    assert types["Failed"]["type"] == "record"
    assert (types["Order"]["doc"], types["Order"]["version"]) == ("An order.", 2)


def test_fields_have_their_types_defaults_and_documentation():
    (order,) = (declared for declared in named_types(SHOP) if declared["name"] == "Order")

    assert order["fields"] == [
        {"name": "id", "type": "string", "doc": "Its number.", "default": "none", "order": "ignore"},
        {"name": "other", "type": "string", "doc": "Its number."},
        {"name": "total", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
        {"name": "placed_at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "shipped", "type": ["null", {"type": "int", "logicalType": "date"}]},
        {"name": "pieces", "type": ["int", "null"], "default": 1},
        {"name": "buyer", "type": ["null", "shop.Customer", "common.Agent"], "default": None},
        {"name": "notes", "type": {"type": "array", "items": {"type": "map", "values": "shop.error"}}, "default": []},
        {"name": "seen", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {"name": "payment", "type": "shop.Payment"},
        {"name": "hash", "type": "shop.MD5"},
    ]


def test_a_file_of_schemas_has_its_namespace():
    text = 'namespace a.b;\nschema Order;\nimport schema "x.avsc";\nrecord Order { Line line; }\n'

    (order,) = named_types(text)
    assert (order["namespace"], order["fields"][0]["type"]) == ("a.b", "a.b.Line")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("protocol P {\n  record A {\n    string id\n  }\n}", 4),
        ("protocol P {\n  record A {\n    array<string id;\n  }\n}", 3),
        ("record A {", 1),
        ("enum A { X = 1 }", 1),
    ],
)
def test_a_text_that_is_no_idl_is_refused_with_its_line(text, line):
    with pytest.raises(InputInvalid) as raised:
        named_types(text)

    assert raised.value.where == f"line {line}"


def test_nesting_has_a_limit():
    with pytest.raises(InputInvalid, match="nested too deeply"):
        named_types("record A { " + "array<" * 10_000 + "int" + ">" * 10_000 + " a; }")


@given(st.text(alphabet="record A{}<>();,=@?\"'`/*\n[]x1", max_size=60))
def test_any_text_has_types_or_is_refused(text):
    with contextlib.suppress(InputInvalid):
        assert isinstance(named_types(text), list)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("5L", 5),
        ("-7l", -7),
        ("010", 8),
        ("-017L", -15),
        ("0x1FL", 31),
        ("0", 0),
        ("1.5f", 1.5),
        ("3d", 3.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("-.5e1f", -5.0),
    ],
)
def test_numbers_are_written_as_in_java(written, value):
    """Java's suffixes and octal numbers, of which JSON has none."""
    (record,) = named_types(f"record R {{ double x = {written}; }}")

    assert record["fields"][0]["default"] == value


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('namespace a; @namespace("b") record R { Other x; }', "b.Other"),
        ("namespace a; record b.c.R { array<Other> x; }", {"type": "array", "items": "b.c.Other"}),
        ("protocol p.q.P { record R { Other x; } }", "p.q.Other"),
        ('@namespace("n") protocol P { record R { map<Other> x; } }', {"type": "map", "values": "n.Other"}),
        ('namespace a; @namespace("b") record R { int i; } record S { Other x; }', "a.Other"),
    ],
)
def test_short_names_are_of_the_namespace_of_the_record_they_are_in(text, kind):
    """A record's own namespace, by its annotation or its name, goes before that of the file or protocol."""
    fields = named_types(text)[-1]["fields"]

    assert fields[0]["type"] == kind
