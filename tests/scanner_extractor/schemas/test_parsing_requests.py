"""Many schema texts read apart from each other: the same as one after the other in this process."""

import pytest

from scanner_extractor.schemas.definitions import define
from scanner_extractor.schemas.parsing import (
    PackedColumns,
    ParseRequest,
    parse_bundle,
    parse_in_process,
    request_bundles,
    unpack_bundle,
)
from scanner_model.names import SourceId, SubjectName
from scanner_model.schemas import Reference, SchemaVersion

ORDER = '{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "string"}]}'
TWO = 'syntax = "proto3"; package shop; message Order { string id = 1; } message Payment { int64 sum = 1; }'


def unread(text: str, format_: str = "AVRO", **more) -> ParseRequest:
    return ParseRequest(**{"format": format_, "text": text, "texts": {}, "tags": (), "record": None, **more})


def apart(all_: list[ParseRequest], size: int = 200) -> list:
    return [
        parsed_schema for bundle in request_bundles(all_, size) for parsed_schema in unpack_bundle(parse_bundle(bundle))
    ]


def version(subject: str, number: int, text: str, *references: Reference, format_: str = "AVRO") -> SchemaVersion:
    members = {"source": SourceId("schema_registry:https://sr"), "subject": SubjectName(subject), "schema_id": subject}
    return SchemaVersion(**members, version=number, format=format_, text=text, references=references)


def test_texts_read_apart_are_read_as_here() -> None:
    """Whichever process reads a text, people see the same columns and the same complaints."""
    tagged = unread(ORDER, tags=(("*.id", ("PII",)),))
    texts = [unread(ORDER), unread("{"), tagged, unread(TWO, "PROTOBUF"), unread("?", "XSD")]

    assert apart(texts) == list(parse_in_process(texts))


def test_a_bundle_ends_where_it_is_large_enough() -> None:
    """A schema with fifty thousand fields is a task of its own, and nobody waits for a thousand behind it."""
    wide = unread(ORDER.replace("Order", "O" * 1000))

    assert [
        len(unpack_bundle(parse_bundle(request_bundle)))
        for request_bundle in request_bundles([unread(ORDER), wide, unread(ORDER)], 500)
    ] == [2, 1]
    assert list(request_bundles([], 500)) == []


def test_texts_behind_references_are_sent_once_a_bundle() -> None:
    """A type that every schema refers to must not be sent with each of them."""
    address = '{"type": "record", "name": "Address", "fields": []}' + " " * 5000
    texts = [unread(ORDER.replace("Order", f"O{at}"), texts={"Address": address}) for at in range(50)]

    (bundle,) = request_bundles(texts, 1_000_000)

    assert len(bundle) < 20_000


@pytest.mark.slow
@pytest.mark.no_cover
def test_columns_of_very_many_schemas_wait_as_bytes() -> None:
    """A scan of a million versions must not need a million times a list of objects."""
    fields = ",".join(f'{{"name": "f{at}", "type": "int"}}' for at in range(100_000))
    wide = unread(f'{{"type": "record", "name": "Wide", "fields": [{fields}]}}')

    first, *_, last = (parsed.columns for parsed in parse_in_process([wide] * 4))

    assert isinstance(last, PackedColumns)
    assert not isinstance(first, PackedColumns)
    assert last == first


def test_definitions_read_apart_are_those_read_here() -> None:
    """References reach across bundles, through each other, in circles and into nothing; a text may be of a record."""

    def to(name: str, number: int = 1) -> Reference:
        return Reference(name=name, subject=SubjectName(name), version=number)

    field = '{"type": "record", "name": "%s", "fields": [{"name": "in", "type": "%s"}]}'
    versions = [
        version("a", 1, field % ("a", "b"), to("b")),
        version("b", 1, field % ("b", "c"), to("c")),
        version("c", 1, field % ("c", "a"), to("a")),
        version("d", 1, field % ("d", "nowhere"), to("nowhere", -1)),
        version("e", 1, field % ("e", "b"), to("b", -1), to("b")),
        version("shop.Payment", 1, TWO, format_="PROTOBUF"),
    ]

    assert define(versions, lambda texts: apart(list(texts), 1)) == define(versions)
