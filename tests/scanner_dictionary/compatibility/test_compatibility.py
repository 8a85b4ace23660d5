"""Which readers a changed column breaks, by the rules of Avro, Protobuf and JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from scanner_dictionary.compatibility.changes import SchemaChange, Verdict
from scanner_dictionary.compatibility.compare import FORMAT_RULES, compare
from scanner_model.columns import Column, parse_path
from scanner_model.errors import Problem
from scanner_model.names import Fingerprint, RecordName
from scanner_model.schemas import Definition

PROTO2, PROTO3 = 'syntax = "proto2";', 'syntax = "proto3";'
YES, MAYBE, NO = Verdict.COMPATIBLE, Verdict.UNKNOWN, Verdict.BREAKS


def col(path: str, type_: str, **more: Any) -> Column:
    return Column(path=parse_path(path), type=type_, **more)


def definition(format_: str, *columns: Column, text: str = "", name: str = "shop.Order", **more: Any) -> Definition:
    return Definition(
        fingerprint=Fingerprint(text), format=format_, text=text, name=RecordName(name), columns=columns, **more
    )


def changed(format_: str, before: Sequence[Column], after: Sequence[Column], *texts: str) -> SchemaChange:
    old, new = texts if len(texts) == 2 else (*texts, *texts) or ("", "")
    return compare(definition(format_, *before, text=old), definition(format_, *after, text=new))


def verdicts(change: SchemaChange) -> tuple[Verdict, Verdict]:
    return change.backward.verdict, change.forward.verdict


RECORD = (col("x", "record"), col("x.a", "string"))
UNION = (
    col("x", "union"),
    col("x.<shop.Card>", "record", nullable=True),
    col("x.<shop.Cash>", "record", nullable=True),
)
LIST = (col("x", "array"), col("x.[]", "string"))
MAP = (col("x", "map"), col("x.{}", "string"))

AVRO = {
    "added without default": ([], [col("x", "string")], NO, YES),
    "added with default": ([], [col("x", "string", default='""')], YES, YES),
    "added, nullable, without default": ([], [col("x", "string", nullable=True)], NO, YES),
    "added, nullable, with default": ([], [col("x", "string", nullable=True, default="null")], YES, YES),
    "removed without default": ([col("x", "string")], [], YES, NO),
    "removed with default": ([col("x", "string", default='""')], [], YES, YES),
    "renamed is removed and added": ([col("x", "int")], [col("y", "int")], NO, NO),
    "int becomes long": ([col("x", "int")], [col("x", "long")], YES, NO),
    "int becomes double": ([col("x", "int")], [col("x", "double")], YES, NO),
    "long becomes float": ([col("x", "long")], [col("x", "float")], YES, NO),
    "double becomes float": ([col("x", "double")], [col("x", "float")], NO, YES),
    "string becomes bytes": ([col("x", "string")], [col("x", "bytes")], YES, YES),
    "bytes becomes fixed": ([col("x", "bytes")], [col("x", "fixed")], NO, NO),
    "string becomes enum": ([col("x", "string")], [col("x", "enum")], NO, NO),
    "boolean becomes int": ([col("x", "boolean")], [col("x", "int")], NO, NO),
    "made nullable": ([col("x", "string")], [col("x", "string", nullable=True)], YES, NO),
    "made required": ([col("x", "string", nullable=True)], [col("x", "string")], NO, YES),
    "made nullable and wider": ([col("x", "int")], [col("x", "long", nullable=True)], YES, NO),
    "a default comes": ([col("x", "string")], [col("x", "string", default='"?"')], YES, YES),
    "a value becomes one of two": (
        [col("x", "string")],
        [col("x", "union", branches=("int", "string"))],
        YES,
        NO,
    ),
    "a branch comes": (
        [col("x", "union", branches=("int", "string"))],
        [col("x", "union", branches=("int", "string", "boolean"))],
        YES,
        NO,
    ),
    "a branch comes that another one reads": (
        [col("x", "union", branches=("double", "string"))],
        [col("x", "union", branches=("double", "int", "string"))],
        YES,
        YES,
    ),
    "a branch goes": (
        [col("x", "union", branches=("int", "string"))],
        [col("x", "string")],
        NO,
        YES,
    ),
    "a branch of a logical type goes": (
        [col("x", "union", branches=("date", "string"))],
        [col("x", "int", logical_type="date")],
        NO,
        YES,
    ),
    "decimals in a union differ": (
        [col("x", "union", branches=("decimal(8,2)", "int"))],
        [col("x", "union", branches=("decimal(8,3)", "int"))],
        NO,
        NO,
    ),
    "an enum of a union becomes another": (
        [col("x", "union", branches=("shop.Color", "int"))],
        [col("x", "union", branches=("shop.Size", "int"))],
        NO,
        NO,
    ),
    "an enum of a union moves to another namespace": (
        [col("x", "union", branches=("shop.Color", "int"))],
        [col("x", "union", branches=("store.Color", "int"))],
        YES,
        YES,
    ),
    "an enum becomes one branch": (
        [col("x", "enum")],
        [col("x", "union", branches=("shop.Color", "int"))],
        MAYBE,
        NO,
    ),
    "a record branch comes": (UNION[:2], UNION, YES, NO),
    "a record branch goes": (UNION, UNION[:2], NO, YES),
    "a record becomes one of two": (RECORD, UNION, MAYBE, MAYBE),
    "decimal of another scale": (
        [col("x", "bytes", logical_type="decimal(8,2)")],
        [col("x", "bytes", logical_type="decimal(8,3)")],
        NO,
        NO,
    ),
    "a number becomes a time": ([col("x", "long")], [col("x", "long", logical_type="timestamp-millis")], MAYBE, MAYBE),
    "array becomes map": (LIST, MAP, NO, NO),
    "a record comes with its fields": ([], RECORD, NO, YES),
    "a field of a record comes": (RECORD[:1], RECORD, NO, YES),
    "a record becomes a string": (RECORD, [col("x", "string")], NO, NO),
    "elements become nullable": (LIST, [LIST[0], col("x.[]", "string", nullable=True)], YES, NO),
    "a recursion is cut elsewhere": (
        [col("x", "record", recursive="shop.Node")],
        [col("x", "record"), col("x.id", "int")],
        MAYBE,
        MAYBE,
    ),
    "a type that nobody defines": ([col("x", "shop.Gone")], [col("x", "string")], MAYBE, MAYBE),
    "a message becomes one value": (RECORD, [col("", "string")], NO, NO),
    "a value becomes wider": ([col("", "int")], [col("", "long")], YES, NO),
}


@pytest.mark.parametrize(("before", "after", "backward", "forward"), AVRO.values(), ids=AVRO)
def test_avro_readers(before: Any, after: Any, backward: Verdict, forward: Verdict) -> None:
    """Schema Resolution decides: readers promote, skip what they lack, and need a default for what data lacks."""
    change = changed("AVRO", before, after)

    assert verdicts(change) == (backward, forward)
    assert change.columns


PROTOBUF = {
    "added": ([], [col("x", "string", number=1)], PROTO3, YES, YES),
    "removed": ([col("x", "string", number=1)], [], PROTO3, YES, YES),
    "renamed": ([col("x", "string", number=1)], [col("y", "string", number=1)], PROTO3, YES, YES),
    "renumbered": ([col("x", "string", number=1)], [col("x", "string", number=2)], PROTO3, NO, NO),
    "number used again": ([col("x", "string", number=1)], [col("y", "int32", number=1)], PROTO3, NO, NO),
    "int32 becomes bool": ([col("x", "int32", number=1)], [col("x", "bool", number=1)], PROTO3, YES, YES),
    "enum becomes int32": ([col("x", "enum", number=1)], [col("x", "int32", number=1)], PROTO3, YES, YES),
    "sint32 becomes sint64": ([col("x", "sint32", number=1)], [col("x", "sint64", number=1)], PROTO3, YES, YES),
    "sint32 becomes int32": ([col("x", "sint32", number=1)], [col("x", "int32", number=1)], PROTO3, NO, NO),
    "fixed32 becomes sfixed32": ([col("x", "fixed32", number=1)], [col("x", "sfixed32", number=1)], PROTO3, YES, YES),
    "fixed32 becomes fixed64": ([col("x", "fixed32", number=1)], [col("x", "fixed64", number=1)], PROTO3, NO, NO),
    "float becomes double": ([col("x", "float", number=1)], [col("x", "double", number=1)], PROTO3, NO, NO),
    "string becomes bytes": ([col("x", "string", number=1)], [col("x", "bytes", number=1)], PROTO3, YES, MAYBE),
    "message becomes bytes": (
        [col("x", "message", number=1, nullable=True), col("x.a", "int32", number=1)],
        [col("x", "bytes", number=1)],
        PROTO3,
        MAYBE,
        MAYBE,
    ),
    "optional comes": (
        [col("x", "int32", number=1)],
        [col("x", "int32", number=1, nullable=True)],
        PROTO3,
        YES,
        YES,
    ),
    "required comes": ([], [col("x", "int32", number=1)], PROTO2, NO, YES),
    "required goes": ([col("x", "int32", number=1)], [], PROTO2, YES, NO),
    "required becomes optional": (
        [col("x", "int32", number=1)],
        [col("x", "int32", number=1, nullable=True)],
        PROTO2,
        YES,
        NO,
    ),
    "a file without syntax is proto2": ([], [col("x", "int32", number=1)], "message Order {}", NO, YES),
    "an edition requires nothing": ([], [col("x", "int32", number=1)], 'edition = "2023";', YES, YES),
    "an edition may require": (
        [],
        [col("x", "int32", number=1)],
        'edition = "2023"; // field_presence = LEGACY_REQUIRED',
        MAYBE,
        YES,
    ),
    "a field of an imported message comes": (
        [col("x", "message", number=1, nullable=True)],
        [col("x", "message", number=1, nullable=True), col("x.a", "int32", number=1)],
        f'{PROTO2}\nimport "money.proto";',
        MAYBE,
        YES,
    ),
    "one string becomes several": (
        [col("x", "string", number=1)],
        [col("x", "array", number=1), col("x.[]", "string")],
        PROTO3,
        YES,
        YES,
    ),
    "one number becomes several": (
        [col("x", "int32", number=1)],
        [col("x", "array", number=1), col("x.[]", "int64")],
        PROTO3,
        YES,
        NO,
    ),
    "one string becomes several numbers": (
        [col("x", "string", number=1)],
        [col("x", "array", number=1), col("x.[]", "int64")],
        PROTO3,
        NO,
        NO,
    ),
    "entries become a map": (
        [col("x", "array", number=1), col("x.[]", "message"), col("x.[].key", "string", number=1)],
        [col("x", "map", number=1), col("x.{}", "string")],
        PROTO3,
        MAYBE,
        MAYBE,
    ),
    "a list of strings becomes a map": (
        [col("x", "array", number=1), col("x.[]", "string")],
        [col("x", "map", number=1), col("x.{}", "string")],
        PROTO3,
        NO,
        NO,
    ),
    "a map becomes a string": (
        [col("x", "map", number=1), col("x.{}", "string")],
        [col("x", "string", number=1)],
        PROTO3,
        NO,
        NO,
    ),
    "a well-known type becomes another": (
        [col("x", "message", number=1, nullable=True, logical_type="google.protobuf.Timestamp")],
        [col("x", "message", number=1, nullable=True, logical_type="google.protobuf.Duration")],
        PROTO3,
        MAYBE,
        MAYBE,
    ),
    "a string is wrapped": (
        [col("x", "string", number=1)],
        [col("x", "string", number=1, nullable=True, logical_type="google.protobuf.StringValue")],
        PROTO3,
        NO,
        NO,
    ),
    "a wrapper becomes any value": (
        [col("x", "string", number=1, nullable=True, logical_type="google.protobuf.StringValue")],
        [col("x", "any", number=1, nullable=True, logical_type="google.protobuf.Value")],
        PROTO3,
        MAYBE,
        MAYBE,
    ),
    "a recursion is cut elsewhere": (
        [col("x", "message", number=1, nullable=True, recursive="shop.Node")],
        [col("x", "message", number=1, nullable=True)],
        PROTO3,
        MAYBE,
        MAYBE,
    ),
    "a type that nobody declares": ([col("x", "Money", number=1)], [col("x", "int32", number=1)], PROTO3, MAYBE, MAYBE),
}


@pytest.mark.parametrize(("before", "after", "text", "backward", "forward"), PROTOBUF.values(), ids=PROTOBUF)
def test_protobuf_readers(before: Any, after: Any, text: str, backward: Verdict, forward: Verdict) -> None:
    """The wire knows numbers and a few forms of values; only proto2 requires anything."""
    assert verdicts(changed("PROTOBUF", before, after, text)) == (backward, forward)


OPEN = '{"properties": {}}'
CLOSED = '{"properties": {}, "additionalProperties": false}'
MIXED = f'{{"properties": {{"y": {CLOSED}}}}}'
NULLS = '{"properties": {"x": {"type": ["string", "null"]}}}'
FOREIGN = '{"properties": {"x": {"$ref": "other.json"}}}'

JSON_SCHEMA = {
    "required comes": ([], [col("x", "string")], OPEN, NO, YES),
    "required comes into a closed object": ([], [col("x", "string")], CLOSED, NO, NO),
    "optional comes": ([], [col("x", "string", nullable=True)], OPEN, MAYBE, YES),
    "optional comes into a closed object": ([], [col("x", "string", nullable=True)], CLOSED, YES, NO),
    "optional comes where some objects are closed": ([], [col("x", "string", nullable=True)], MIXED, MAYBE, MAYBE),
    "required or null comes": ([], [col("x", "string", nullable=True)], NULLS, MAYBE, YES),
    "what another file says": ([], [col("x", "string", nullable=True)], FOREIGN, MAYBE, MAYBE),
    "required goes": ([col("x", "string")], [], OPEN, YES, NO),
    "made optional": ([col("x", "string")], [col("x", "string", nullable=True)], OPEN, YES, NO),
    "made required": ([col("x", "string", nullable=True)], [col("x", "string")], OPEN, NO, YES),
    "integer becomes number": ([col("x", "integer")], [col("x", "number")], OPEN, YES, NO),
    "string becomes integer": ([col("x", "string")], [col("x", "integer")], OPEN, NO, NO),
    "anything becomes a string": ([col("x", "any")], [col("x", "string")], OPEN, NO, YES),
    "one type becomes two": (
        [col("x", "string")],
        [col("x", "union", branches=("integer", "string"))],
        OPEN,
        YES,
        NO,
    ),
    "an object becomes a map": (RECORD, MAP, OPEN, NO, NO),
    "properties become a map's values": (
        [col("x", "object")],
        [col("x", "map"), col("x.{}", "string")],
        OPEN,
        MAYBE,
        MAYBE,
    ),
    "a format comes": ([col("x", "string")], [col("x", "string", logical_type="date")], OPEN, MAYBE, MAYBE),
    "elements get a type": (LIST[:1], LIST, OPEN, MAYBE, YES),
    "a branch of another type comes": (
        [col("x", "union"), col("x.<A>", "object", nullable=True)],
        [col("x", "union"), col("x.<A>", "object", nullable=True), col("x.<array>", "array", nullable=True)],
        OPEN,
        YES,
        NO,
    ),
    "a branch that is also an object comes": (
        [col("x", "union"), col("x.<A>", "object", nullable=True)],
        [col("x", "union"), col("x.<A>", "object", nullable=True), col("x.<B>", "object", nullable=True)],
        OPEN,
        YES,
        MAYBE,
    ),
    "a recursion is cut elsewhere": (
        [col("x", "object", recursive="#")],
        [col("x", "object")],
        OPEN,
        MAYBE,
        MAYBE,
    ),
}


@pytest.mark.parametrize(("before", "after", "text", "backward", "forward"), JSON_SCHEMA.values(), ids=JSON_SCHEMA)
def test_json_schema_readers(before: Any, after: Any, text: str, backward: Verdict, forward: Verdict) -> None:
    """A validator decides: what is required must be there, and open objects take what they do not name."""
    assert verdicts(changed("JSON", before, after, text)) == (backward, forward)


def avro_text(*symbols: str, **more: Any) -> str:
    return json.dumps(
        {"type": "record", "fields": [{"type": {"type": "enum", "name": "a.C", "symbols": symbols} | more}]}
    )


def test_enum_of_old_readers_lacks_a_new_symbol() -> None:
    """No column shows symbols, yet a new one is the most common change that breaks old Avro readers."""
    columns = [col("c", "enum")]

    change = changed("AVRO", columns, columns, avro_text("RED"), avro_text("RED", "BLUE"))

    assert verdicts(change) == (YES, NO)
    assert "BLUE" in change.forward.why
    assert change.columns == ()


def test_enum_with_a_default_reads_new_symbols() -> None:
    """Since Avro 1.9 a reader's enum may name the symbol that stands for those it lacks."""
    change = changed("AVRO", [], [], avro_text("RED", default="RED"), avro_text("RED", "BLUE", default="RED"))

    assert verdicts(change) == (YES, YES)


@pytest.mark.parametrize(
    ("old", "new", "both"),
    [
        ({"type": "fixed", "size": 4}, {"type": "fixed", "size": 8}, NO),
        ({"type": "fixed", "size": 4}, {"type": "fixed", "size": 4, "doc": "four"}, YES),
        ({"type": "fixed", "size": 4}, {"type": "enum", "symbols": []}, NO),
        ({"type": "enum", "symbols": "?"}, {"type": "enum", "symbols": []}, MAYBE),
    ],
)
def test_named_types_are_compared_by_what_defines_them(old: Any, new: Any, both: Verdict) -> None:
    """Sizes must be the same; a text that the registry took in spite of Avro's rules proves nothing."""
    change = changed("AVRO", [], [], json.dumps(old | {"name": "N"}), json.dumps(new | {"name": "N"}))

    assert verdicts(change) == (both, both)


def test_record_that_is_renamed_may_be_matched_by_an_alias() -> None:
    """Resolution wants one unqualified name; aliases are not stored, so this stays open."""
    moved = compare(definition("AVRO", name="a.Order"), definition("AVRO", name="b.Order"))
    renamed = compare(definition("AVRO", name="a.Order"), definition("AVRO", name="a.Sale"))

    assert verdicts(moved) == (YES, YES)
    assert verdicts(renamed) == (MAYBE, MAYBE)


def test_limits_of_json_values_are_not_judged() -> None:
    """Whether one pattern allows what another does is unknown, so silence would be a lie."""
    change = changed("JSON", [], [], '{"pattern": "^a"}', '{"pattern": "^b"}')

    assert verdicts(change) == (MAYBE, MAYBE)


def test_what_stands_below_an_added_column_shares_its_finding() -> None:
    """One missing default is one reason, not one for each nested field."""
    nested = [col("x", "record", default="{}"), col("x.a", "record"), col("x.a.b", "string")]

    change = changed("AVRO", [], nested)

    assert {column.backward for column in change.columns} == {change.columns[0].backward}
    assert change.backward.verdict is YES


@pytest.mark.parametrize("format_", [*FORMAT_RULES, "CSV"])
def test_documentation_and_tags_break_nobody(format_: str) -> None:
    """They are words for people in every format."""
    change = changed(format_, [col("x", "string")], [col("x", "string", doc="paid", tags=("PII",))])

    assert verdicts(change) == (YES, YES)
    assert change.columns[0].differs == ("doc", "tags")


def test_format_without_rules_is_compared_and_not_judged() -> None:
    """What a CSV reader does with a new column nobody can know."""
    change = changed("CSV", [col("x", "string")], [col("y", "string")])

    assert [(column.action, column.column.name) for column in change.columns] == [("removed", "x"), ("added", "y")]
    assert verdicts(change) == (MAYBE, MAYBE)


def test_another_format_breaks_every_reader() -> None:
    """A deserialiser of one format reads nothing of another, whatever the columns."""
    same = [col("x", "string")]

    change = compare(definition("AVRO", *same), definition("JSON", *same))

    assert verdicts(change) == (NO, NO)
    assert change.columns == ()


def test_schema_that_could_not_be_read_is_not_taken_for_an_empty_one() -> None:
    """Else an unreadable text would look like a removal of every column."""
    unread = definition("AVRO", problems=(Problem("$", "not JSON"),))

    change = compare(definition("AVRO", col("x", "string")), unread)

    assert verdicts(change) == (MAYBE, MAYBE)


def test_renamed_protobuf_field_keeps_its_children() -> None:
    """The number names it: nothing below a renamed message field was removed or added."""
    before = [col("a", "message", number=1, nullable=True), col("a.id", "int32", number=1)]
    after = [col("b", "message", number=1, nullable=True), col("b.id", "int32", number=1)]

    change = changed("PROTOBUF", before, after, PROTO3)

    assert [(column.column.name, column.differs) for column in change.columns] == [("b", ("name",))]


def test_two_fields_with_one_number_are_both_kept() -> None:
    """No registry takes it, manual input may; neither field may disappear from the comparison."""
    twice = [col("a", "int32", number=1), col("b", "int32", number=1)]

    change = changed("PROTOBUF", [], twice, PROTO3)

    assert [column.column.name for column in change.columns] == ["a", "b"]


def test_finding_states_why_once() -> None:
    """Both directions often have one reason."""
    change = changed("AVRO", [col("x", "bytes", logical_type="date")], [col("x", "bytes")]).columns[0]

    assert change.why == "date is read as a plain value: the meaning may differ; " + change.forward.why


WORDS = st.sampled_from(["string", "int", "union", "record", "array", "map", "any", "message", "int32", "?"])
SEGMENTS = st.sampled_from(["a", "b", "[]", "{}", "<A>", "<B>", "[0]"])
COLUMNS = st.lists(
    st.builds(
        Column,
        path=st.lists(SEGMENTS, max_size=3).map(tuple),
        type=WORDS,
        nullable=st.booleans(),
        default=st.sampled_from([None, "1"]),
        number=st.sampled_from([None, 1, 2]),
        branches=st.lists(WORDS, max_size=2).map(tuple),
        recursive=st.sampled_from([None, "A"]),
    ),
    max_size=6,
    unique_by=lambda column: column.path,
)
TEXTS = st.sampled_from(["", OPEN, CLOSED, PROTO2, PROTO3, "[" * 100_000, "{"])


@examples(150)
@given(COLUMNS, COLUMNS, TEXTS, TEXTS, st.sampled_from([*FORMAT_RULES, "CSV"]))
def test_directions_are_mirrors(old: list[Column], new: list[Column], text: str, newer: str, format_: str) -> None:
    """New readers of old data are old readers of new data once the two change places, for any columns whatever."""
    before, after = definition(format_, *old, text=text), definition(format_, *new, text=newer)

    remote, back = compare(before, after), compare(after, before)

    assert remote.backward.verdict is back.forward.verdict
    assert {(column.before, column.after) for column in remote.columns} == {
        (column.after, column.before) for column in back.columns
    }


@examples(50)
@given(COLUMNS, TEXTS, st.sampled_from([*FORMAT_RULES, "CSV"]))
def test_same_definition_has_no_changes(columns: list[Column], text: str, format_: str) -> None:
    """A definition reads its own data, odd as it may be."""
    same = definition(format_, *columns, text=text)

    assert compare(same, same).columns == ()
    assert verdicts(compare(same, same)) == (YES, YES)


def test_text_is_read_once_for_all_columns(calls: Any) -> None:
    """Twenty thousand properties, each of which read the whole text again, held a server for minutes."""

    def work(count: int) -> int:
        names = [f"p{index}" for index in range(count)]
        text = json.dumps({"properties": {name: {"type": "string"} for name in names}})
        columns = [col(name, "string", nullable=True) for name in names]
        return sum(calls(lambda: changed("JSON", columns, [], text, OPEN)).values())

    assert work(400) < 5 * work(100)
