"""Many schema texts read apart from each other: the same as one after the other in this process."""

from functools import partial

import pytest

from scanner_extractor.schemas.definitions import define
from scanner_extractor.schemas.parsing import (
    MULTIPLIED,
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


def importing(number: int) -> ParseRequest:
    """Return a file with a message that has all fields of ten others."""
    texts = {f"m{at}.proto": f"message M{at} {{ string a = 1; string b = 2; }}" for at in range(10)}
    imports = "".join(f'import "{name}";' for name in texts)
    fields = "".join(f"M{at} f{at} = {at + 1};" for at in range(10))
    return unread(f"{imports} message Root{number} {{ {fields} }}", "PROTOBUF", texts=texts)


def test_texts_whose_types_multiply_are_read_up_to_a_number_of_columns() -> None:
    """A repository of files that import each other has more columns than its text has characters."""
    schemas = list(parse_in_process([importing(number) for number in range(40)], most=300))
    counts = [len(schema.columns) for schema in schemas]

    read = counts.index(0)
    assert 300 <= sum(counts) <= 300 + 40 * len(importing(1).text) // 20 + counts[0]
    assert [schema.problems for schema in schemas[read:]] == [(MULTIPLIED,)] * (40 - read)


def test_texts_that_list_their_columns_are_all_read() -> None:
    """However many there are: only columns beyond those that a text can list count."""
    listing = [unread(ORDER.replace("Order", f"O{at}")) for at in range(50)]

    assert all(schema.columns for schema in parse_in_process(listing, most=0))


def test_a_text_that_is_not_read_is_read_by_the_next_scan_that_can() -> None:
    """Its definition is another one, and it is not known."""
    files = [version(f"s{at}", 1, ORDER.replace("Order", f"O{at}")) for at in (1, 2)]
    first = define(files, partial(parse_in_process, most=-100))
    known = {text.digest: text for text in first.texts}
    second = define(files, known=lambda digests: {mark: known[mark] for mark in digests if mark in known})

    assert [problem.what for problem in first.problems] == [MULTIPLIED.what] * 2
    assert second.problems == ()
    assert {len(definition.columns) for definition in second.definitions.values()} == {1}
    assert not first.definitions.keys() & second.definitions.keys()
