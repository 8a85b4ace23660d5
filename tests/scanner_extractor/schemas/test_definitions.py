"""Definitions: each distinct text read once, with its references, its record and its tags."""

from dataclasses import replace

import pytest

from scanner_extractor.schemas.definitions import define, define_text, metadata_tags
from scanner_model.names import RecordName, SourceId, SubjectName
from scanner_model.schemas import Reference, SchemaVersion

ORDER = '{"type": "record", "name": "Order", "namespace": "shop", "fields": [{"name": "id", "type": "string"}]}'
USER = '{"type": "record", "name": "User", "namespace": "shop", "fields": [{"name": "home", "type": "shop.Address"}]}'
ADDRESS = '{"type": "record", "name": "Address", "namespace": "shop", "fields": [{"name": "%s", "type": "string"}]}'
TWO = 'syntax = "proto3"; package shop; message Order { string id = 1; } message Payment { int64 sum = 1; }'


def version(subject: str, number: int = 1, text: str = ORDER, **more) -> SchemaVersion:
    kind = "PROTOBUF" if text.startswith("syntax") else "AVRO"
    return SchemaVersion(
        source=SourceId("schema_registry:https://sr"),
        subject=SubjectName(subject),
        version=number,
        schema_id=str(number),
        format=kind,
        text=text,
        **more,
    )


def to_address(number: int) -> Reference:
    return Reference(name="shop.Address", subject=SubjectName("address"), version=number)


def test_subjects_with_one_text_share_one_definition() -> None:
    """Ten topics with one schema must not store its columns ten times."""
    defined = define([version("orders-value"), version("orders_copy-value")])

    assert len(defined.definitions) == 1
    assert defined.versions[0].fingerprint == defined.versions[1].fingerprint != ""


SPELLED = """{ "type" : "record",
 "namespace":"shop", "name":"Line", "doc":"caf\\u00e9", "fields":[
 {"name":"id","type":{"type":"string"},"order":"ascending","aliases":[]},
 {"name":"next","type":["null","shop.Line"],"default":null},
 {"name":"state","type":{"type":"enum","namespace":"shop","name":"State","symbols":["A"]}},
 {"name":"price","type":"double","default":1.50} ] }"""
PRINTED = (
    '{"type":"record","name":"Line","namespace":"shop","doc":"café","fields":[{"name":"id","type":"string"},'
    '{"name":"next","type":["null","Line"],"default":null},'
    '{"name":"state","type":{"type":"enum","name":"State","symbols":["A"]}},'
    '{"name":"price","type":"double","default":1.5}]}'
)


def test_an_avro_schema_as_registered_and_as_its_registry_prints_it_is_one_definition() -> None:
    """Apicurio answers in one way over its own API and in the other over the compatible one; each keeps its text."""
    defined = define([version("lines-value", text=SPELLED), version("lines-value", 2, PRINTED)])

    assert len(defined.definitions) == 1
    assert [each.text for each in defined.versions] == [SPELLED, PRINTED]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("café", "tea"),
        ('"namespace":"shop"', '"namespace":"store"'),
        ('"default":null', '"default":null,"aliases":["later"]'),
        ('["A"]', '["A","B"]'),
        ("1.5", "1.6"),
        ('["null","Line"]', '["Line","null"]'),
        ('"type":"string"', '"type":{"type":"string","logicalType":"uuid"}'),
    ],
)
def test_avro_schemas_that_differ_in_more_than_spelling_are_two_definitions(before: str, after: str) -> None:
    """Names, documentation, defaults, aliases, symbols and properties are what columns are made of."""
    defined = define([version("a-value", text=PRINTED), version("b-value", text=PRINTED.replace(before, after))])

    assert len(defined.definitions) == 2


def test_one_text_with_two_references_is_two_definitions() -> None:
    """What a reference resolves to is part of what the text means."""
    defined = define(
        [
            version("address", 1, ADDRESS % "street"),
            version("address", 2, ADDRESS % "line"),
            version("users-value", 1, USER, references=(to_address(1),)),
            version("users-value", 2, USER, references=(to_address(2),)),
        ]
    )
    first, second = (defined.definitions[v.fingerprint] for v in defined.versions[2:])

    assert [c.name for c in first.columns] == ["home", "home.street"]
    assert [c.name for c in second.columns] == ["home", "home.line"]


def test_the_newest_version_of_a_reference_prefers_a_live_one() -> None:
    """Version -1 is the newest; a deleted one is taken only where nothing else is there."""
    versions = [
        version("address", 1, ADDRESS % "street"),
        version("address", 2, ADDRESS % "line", deleted=True),
        version("users-value", 1, USER, references=(to_address(-1),)),
    ]

    live, deleted = define(versions), define([replace(versions[0], deleted=True), *versions[1:]])

    assert live.definitions[live.versions[2].fingerprint].columns[1].name == "home.street"
    assert deleted.definitions[deleted.versions[2].fingerprint].columns[1].name == "home.line"


def test_a_missing_reference_of_a_deleted_version_is_no_problem() -> None:
    """A registry may lose what only deleted versions refer to; what live ones need is reported with them."""
    deleted = version("users-value", 1, USER, references=(to_address(1),), deleted=True)
    live = version(
        "all-value", 1, USER, references=(Reference(name="U", subject=SubjectName("users-value"), version=1),)
    )

    assert define([deleted]).problems == ()
    assert [problem.where for problem in define([deleted, live]).problems[:1]] == ["'users-value' version 1"]


def test_a_missing_reference_is_a_problem_that_names_the_subject() -> None:
    """The version stays, with what can be read of it."""
    defined = define([version("users-value", 1, USER, references=(to_address(1),))])

    assert len(defined.definitions) == 1
    assert any("address" in str(problem) for problem in defined.problems)


def test_a_subject_named_after_the_second_message_gets_its_columns() -> None:
    """Record naming strategies name the message that is really written, not the first of the file."""
    defined = define(
        [version("t-value", text=TWO), version("shop.Payment", text=TWO), version("t-shop.Payment", text=TWO)]
    )
    names = [defined.definitions[v.fingerprint].columns[0].name for v in defined.versions]

    assert names == ["id", "sum", "sum"]
    assert len(defined.definitions) == 2


def test_a_text_that_cannot_be_read_keeps_its_version() -> None:
    """A schema that its registry accepted is never dropped."""
    defined = define([version("broken-value", text="{")])
    (definition,) = defined.definitions.values()

    assert definition.columns == ()
    assert definition.text == "{"
    assert [problem.where.split(" ")[0] for problem in defined.problems] == ["'broken-value'"]


def test_problems_of_deleted_versions_are_not_reported() -> None:
    """Nobody can mend them; their definition still says what was wrong."""
    defined = define([version("broken-value", text="{", deleted=True)])

    assert defined.problems == ()
    assert next(iter(defined.definitions.values())).problems


def test_tags_of_the_metadata_reach_the_columns_that_their_path_names() -> None:
    """Governance tags are often laid over a schema instead of into it."""
    metadata = '{"tags": {"shop.Order.id": ["PII"], "nothing": ["X"]}}'
    defined = define([version("orders-value", metadata=metadata)])

    assert next(iter(defined.definitions.values())).columns[0].tags == ("PII",)


def test_metadata_of_another_shape_has_no_tags() -> None:
    """Registries keep what they are given."""
    assert metadata_tags('{"tags": [], "properties": {"owner": "x"}}') == ()
    assert metadata_tags("") == ()
    assert metadata_tags("[1]") == ()


def test_a_text_without_a_registry_is_read_the_same() -> None:
    """Manual input uses the same readers."""
    definition = define_text("AVRO", ORDER, {})

    assert definition.name == "shop.Order"
    assert definition.columns[0].name == "id"


def test_one_of_several_records_can_be_named() -> None:
    """A file of messages describes as many topics."""
    definition = define_text("PROTOBUF", TWO, {}, RecordName("shop.Payment"))

    assert [column.name for column in definition.columns] == ["sum"]
