"""Schema texts that an earlier scan read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scanner_extractor.schemas.known import read_again, reading_of, text_digest
from scanner_extractor.schemas.parsing import ParseRequest, parse_one
from scanner_model.columns import StoredColumns
from scanner_model.names import RecordName

ORDER = '{"type": "record", "name": "Order", "namespace": "shop", "fields": [{"name": "id", "type": "string"}]}'
REQUEST = ParseRequest(format="AVRO", text=ORDER, texts={}, tags=(("shop.Order.id", ("PII",)),), record=None)
TAGGED = 'syntax = "proto3"; import "confluent/meta.proto"; message M { option (confluent.message_meta).tags = "T"; }'


@pytest.mark.parametrize(
    "request_",
    [
        REQUEST,
        replace(REQUEST, text="{"),
        replace(REQUEST, text='{"type": "record", "name": "R", "fields": [{"name": "\\ud800", "type": "no"}]}'),
        replace(REQUEST, format="PROTOBUF", text=TAGGED),
        replace(REQUEST, format="JSON", text='{"title": "O", "properties": {"a.b": {"$ref": "#/no"}}}'),
    ],
)
def test_a_known_text_is_read_to_what_parsing_it_returns(request_: ParseRequest) -> None:
    parsed = parse_one(request_)

    again = read_again(request_, reading_of(parsed))

    assert isinstance(again.columns, StoredColumns)
    assert len(again.columns) == len(parsed.columns)
    assert (again, again.tags) == (replace(parsed, empty=False), parsed.tags)


@pytest.mark.parametrize(
    "changed",
    [
        {"text": ORDER.replace("id", "no")},
        {"text": f"{ORDER} "},
        {"format": "JSON"},
        {"tags": ()},
        {"texts": {"a": ORDER, "b": ""}},
        {"texts": {"b": "", "a": ORDER}},
        {"record": RecordName("shop.Order")},
    ],
)
def test_whatever_reading_depends_on_makes_another_digest(changed: dict[str, object]) -> None:
    requests = [REQUEST, replace(REQUEST, **changed)]

    assert len(set(map(text_digest, requests))) == 2


def test_a_text_in_a_format_of_a_plug_in_has_no_digest() -> None:
    """A new version of the plug-in may read it otherwise."""
    assert text_digest(replace(REQUEST, format="THRIFT")) == ""


@pytest.mark.parametrize("damaged", ["[]", '{"name": "R"}', '["R", 1, null, [], []]'])
def test_a_text_whose_stored_reading_is_damaged_is_parsed(damaged: str) -> None:
    assert read_again(REQUEST, damaged) == parse_one(REQUEST)
