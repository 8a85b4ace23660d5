"""Tags of data contracts: the names by which Confluent's registry knows fields, and its wildcards."""

from __future__ import annotations

import json
import re

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.schemas.definitions import metadata_tags
from scanner_extractor.schemas.parsing import ParseRequest, matches, parse_one

INNER = {
    "type": "record",
    "name": "Inner",
    "fields": [{"name": "secret", "type": "string"}, {"name": "plain", "type": "string"}],
}
OUTER = {
    "type": "record",
    "name": "Outer",
    "namespace": "com.acme",
    "fields": [
        {"name": "inner", "type": INNER},
        {"name": "list", "type": {"type": "array", "items": "Inner"}},
        {"name": "maybe", "type": ["null", "Inner"], "default": None},
        {"name": "either", "type": ["int", "Inner"]},
        {"name": "byName", "type": {"type": "map", "values": "Inner"}},
        {"name": "top", "type": "string"},
    ],
}
SEEN = {
    "com.acme.Inner.secret": ["T-EXACT"],
    "com.acme.*.plain": ["T-STAR"],
    "**.secret": ["T-STARSTAR"],
    "*.secret": ["T-ONESTAR"],
    "com.acme.Outer.top": ["T-ROOT"],
    "top": ["T-BARE"],
    "inner.secret": ["T-PATH"],
    "com.acme.Outer.inner.secret": ["T-ROOTPATH"],
}
"""Patterns that were registered with Confluent 8.3.1, whose own matcher told which fields they mean."""

PROTO = """syntax = "proto3"; package acme.p;
message Outer {
  message Inner { string secret = 1; }
  Inner inner = 1; repeated Inner list = 2; map<string, Inner> names = 3;
  oneof way { string card = 4; }
}"""
CLICK = {
    "type": "object",
    "title": "Click",
    "properties": {
        "mail": {"type": "string"},
        "addr": {"type": "object", "properties": {"street": {"type": "string"}, "a.b": {"type": "string"}}},
        "phones": {"type": "array", "items": {"type": "object", "properties": {"number": {"type": "string"}}}},
        "more": {"additionalProperties": {"type": "object", "properties": {"mail": {"type": "string"}}}},
    },
}


def tagged(format_name: str, text: str, tags: dict[str, list[str]]) -> dict[str, set[str]]:
    """Return the tags by column of a text whose metadata lays *tags* on it."""
    patterns = metadata_tags(json.dumps({"tags": tags}))
    parsed = parse_one(ParseRequest(format=format_name, text=text, texts={}, tags=patterns, record=None))
    return {column.name: set(column.tags) for column in parsed.columns if column.tags}


def test_avro_fields_are_known_by_the_record_that_declares_them() -> None:
    """Wherever that record is used; the way to it is no part of the name."""
    secret, plain = {"T-EXACT", "T-STARSTAR"}, {"T-STAR"}
    places = ("inner", "list.[]", "maybe", "either.<com.acme.Inner>", "byName.{}")

    assert tagged("AVRO", json.dumps(OUTER), SEEN) == {
        **{f"{place}.secret": secret for place in places},
        **{f"{place}.plain": plain for place in places},
        "top": {"T-ROOT"},
    }


def test_protobuf_fields_are_known_by_the_message_that_declares_them() -> None:
    """A message inside a message bears both names; a choice of one is no level."""
    tags = {"acme.p.Outer.Inner.secret": ["EXACT"], "acme.p.Outer.card": ["CARD"], "acme.p.Outer.*": ["TOP"]}

    assert tagged("PROTOBUF", PROTO, tags) == {
        "inner": {"TOP"},
        "inner.secret": {"EXACT"},
        "list": {"TOP"},
        "list.[].secret": {"EXACT"},
        "names": {"TOP"},
        "names.{}.secret": {"EXACT"},
        "card": {"CARD", "TOP"},
    }


def test_json_properties_are_known_by_their_path() -> None:
    """From `$`; what additionalProperties describe is not looked into, and an index in brackets matches nothing."""
    tags = {
        "$.mail": ["MAIL"],
        "$.addr.street": ["STREET"],
        "$.addr.a.b": ["DOT"],
        "$.phones[0].number": ["NEVER"],
        "$.phones*.number": ["NUMBER"],
        "**.mail": ["ANY"],
        "mail": ["BARE"],
        "Click.mail": ["TITLE"],
    }

    assert tagged("JSON", json.dumps(CLICK), tags) == {
        "mail": {"MAIL", "ANY"},
        "addr.street": {"STREET"},
        "addr.`a.b`": {"DOT"},
        "phones.[].number": {"NUMBER"},
    }


def test_tags_of_the_text_come_first() -> None:
    """They are the schema's own."""
    text = json.dumps({**OUTER, "fields": [{"name": "top", "type": "string", "confluent:tags": ["OWN"]}]})
    patterns = metadata_tags('{"tags": {"com.acme.Outer.top": ["LAID", "OWN"]}}')
    parsed = parse_one(ParseRequest(format="AVRO", text=text, texts={}, tags=patterns, record=None))

    assert [column.tags for column in parsed.columns] == [("OWN", "LAID")]


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("alice.bob.eve", "alice.bob.eve", True),
        ("a*.bob.e*", "alice.bob.eve", True),
        ("a*", "alice.bob.eve", False),
        ("a**", "alice.bob.eve", True),
        ("alice.bob*", "alice.bob.eve", False),
        ("alice.bob**", "alice.bob.eve", True),
        ("**.*", "eve", True),
        ("**.eve", "eve", False),
        ("*.eve", "bob.eve", True),
        ("bob.ev?", "bob.eve", True),
        ("bob?eve", "bob.eve", False),
        ("bob.e+e", "bob.eee", False),
        ("$.a[0].b", "$.a[0].b", False),
        ("$.[", "$.[", False),
        ("acme.Order.[em]*", "acme.Order.mail", True),
        ("acme.Order.[em]*", "acme.Order.top", False),
        ("acme.Order.line[1-3]", "acme.Order.line2", True),
        ("acme.Order.line[1-3]", "acme.Order.line-", False),
        ("acme.Order.[^em]*", "acme.Order.top", False),
        ("$.a[*].b", "$.aX.b", True),
        ("$.a[?].b", "$.a..b", False),
        ("$.a?0].b", "$.a[0].b", True),
        ("a[]].b", "a].b", True),
        ("**.field[]", "acme.field[]", False),
        ("a[[b]]", "ab", False),
        ("a[3-1]", "a2", False),
    ],
)
def test_wildcards_are_those_of_confluent(pattern, name, expected) -> None:
    """One star stays within a name, two cross dots, a question mark is no dot, brackets are a set of characters.

    A `^` does not negate, since Confluent escapes it.
    """
    assert matches(pattern, name) is expected


@examples(100)
@given(
    pieces=st.lists(st.sampled_from(["a", "b", ".", "*", "**", "?", "[ab]", "[a-b.]"]), max_size=6),
    name=st.text(alphabet="ab.", max_size=8),
)
def test_wildcards_mean_what_regular_expressions_of_them_would(pieces, name) -> None:
    """`*` is anything without a dot, `**` anything at all, `?` one character but a dot, sets are the same."""
    pattern = "".join(pieces).replace("**.*", "**")
    parts = {"**": ".*", "*": "[^.]*", "?": "[^.]"}
    split = re.split(r"(\*\*|\*|\?|\[.*?\])", pattern)
    expression = "".join(parts.get(one, one if one.startswith("[") else re.escape(one)) for one in split)

    assert matches("".join(pieces), name) is bool(re.fullmatch(expression, name))


def test_a_pattern_of_many_stars_ends() -> None:
    """A data contract is written by anybody; an expression with thirty `.*` would try more ways than can be counted."""
    assert not matches("**a" * 30 + "b", "a" * 300)


LATITUDE = {"name": "lat", "type": "int"}
TAGGED_AVRO = {
    "type": "record",
    "name": "Person",
    "confluent:tags": ["PII"],
    "fields": [
        {"name": "id", "type": "string", "confluent:tags": ["ID"]},
        {"name": "home", "type": {"type": "record", "name": "H", "confluent:tags": ["GEO"], "fields": [LATITUDE]}},
        {"name": "mail", "type": "string", "confluent:tags": ["PII"]},
    ],
}
TAGGED_PROTO = """syntax = "proto3"; import "confluent/meta.proto";
message Person {
  option (confluent.message_meta) = { doc: "x", tags: ["PII"] };
  message H { option (confluent.message_meta).tags = "GEO"; int32 lat = 1; }
  string id = 1 [(confluent.field_meta).tags = "ID"];
  H home = 2;
  string mail = 3 [(confluent.field_meta).tags = "PII"];
}"""
TAGGED_JSON = {
    "type": "object",
    "confluent:tags": ["PII"],
    "properties": {"id": {"type": "string", "confluent:tags": ["ID"]}, "mail": {"confluent:tags": ["PII"]}},
}
OF_RECORDS = {
    "id": (("ID", "PII"), ("PII",)),
    "home": (("GEO", "PII"), ("PII",)),
    "home.lat": (("PII", "GEO"), ("PII", "GEO")),
    "mail": (("PII",), ()),
}


@pytest.mark.parametrize(
    ("format_name", "text", "expected"),
    [
        ("AVRO", json.dumps(TAGGED_AVRO), OF_RECORDS),
        ("PROTOBUF", TAGGED_PROTO, OF_RECORDS),
        ("JSON", json.dumps(TAGGED_JSON), {name: OF_RECORDS[name] for name in ("id", "mail")}),
    ],
)
def test_tags_of_a_record_are_inherited_by_its_columns(format_name, text, expected) -> None:
    """Whoever looks for PII finds the columns of a record that is; they are marked, since the tag is the record's."""
    parsed = parse_one(ParseRequest(format=format_name, text=text, texts={}, tags=(), record=None))

    assert {column.name: (column.tags, column.inherited_tags) for column in parsed.columns} == expected
    assert parsed.tags == ("PII",)


def test_tag_that_a_contract_lays_on_a_column_is_its_own() -> None:
    """Even where its record has it, too."""
    patterns = metadata_tags('{"tags": {"Person.id": ["PII"]}}')
    text = json.dumps(TAGGED_AVRO)
    parsed = parse_one(ParseRequest(format="AVRO", text=text, texts={}, tags=patterns, record=None))

    assert (parsed.columns[0].tags, parsed.columns[0].inherited_tags) == (("ID", "PII"), ())
