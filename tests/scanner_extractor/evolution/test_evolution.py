"""Schema evolution as a real registry judged it: each case with the answers of Schema Registry 8.3.1, or of 8.4."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scanner_extractor.evolution import (
    COMPARISONS,
    Level,
    Rules,
    SchemaText,
    differences,
    removed_symbols,
    uncompared,
)
from scanner_extractor.evolution.configured import same_but_for_words

RECORDED = json.loads((Path(__file__).parent / "registry_answers.json").read_text())["cases"]


SINCE_8_4 = {
    "one field moved into a new oneof": ([], ["ONEOF_FIELD_REMOVED"]),
    "field moved into an existing oneof": (["FIELD_MOVED_TO_EXISTING_ONEOF"], []),
    "oneof member moved out": ([], ["FIELD_MOVED_TO_EXISTING_ONEOF"]),
    "type changes on the way into a new oneof": (["FIELD_SCALAR_KIND_CHANGED"], ["FIELD_SCALAR_KIND_CHANGED"]),
    "type changes on the way out of a removed oneof": (
        ["FIELD_SCALAR_KIND_CHANGED", "ONEOF_FIELD_REMOVED"],
        ["FIELD_SCALAR_KIND_CHANGED"],
    ),
}
"""Case → what 8.4 finds otherwise, which compares fields whatever oneof they are in."""


def text_of(schema: Any) -> SchemaText:
    return SchemaText(schema if isinstance(schema, str) else json.dumps(schema))


def rules(format: str, reader: SchemaText, writer: SchemaText, *, before_8_4: bool = False) -> list[str]:
    found = differences(format, reader, writer, Rules(before_8_4=before_8_4))
    return sorted({difference.rule for difference in found})


@pytest.mark.parametrize("case", RECORDED, ids=[f"{case['format']}-{case['name']}" for case in RECORDED])
def test_differences_are_those_of_the_real_registry(case: dict[str, Any]) -> None:
    """A check before the merge is worth nothing where the registry answers otherwise after it."""
    before, after = text_of(case["before"]), text_of(case["after"])

    backward, forward = SINCE_8_4.get(case["name"], (case["backward"], case["forward"]))

    assert rules(case["format"], after, before) == backward
    assert rules(case["format"], before, after) == forward


@pytest.mark.parametrize("name", SINCE_8_4)
def test_registry_before_8_4_compares_oneofs_by_their_names(name: str) -> None:
    """As the recorded one does, which is 8.3.1."""
    (case,) = (case for case in RECORDED if case["name"] == name)
    before, after = text_of(case["before"]), text_of(case["after"])

    assert rules("PROTOBUF", after, before, before_8_4=True) == case["backward"]
    assert rules("PROTOBUF", before, after, before_8_4=True) == case["forward"]


def test_recorded_answers_cover_the_three_formats_and_both_outcomes() -> None:
    """A table of compatible changes only would prove little."""
    outcomes = Counter((case["format"], bool(case["backward"])) for case in RECORDED)

    assert set(outcomes) == {(format, broken) for format in COMPARISONS for broken in (False, True)}
    assert min(outcomes.values()) >= 8


def test_paths_are_those_of_columns() -> None:
    """A difference has to meet the column whose use it is about."""
    inner = {"type": "record", "name": "C", "fields": [{"name": "a", "type": "int"}]}
    more = {**inner, "fields": [*inner["fields"], {"name": "b", "type": "int"}]}
    order, changed = (
        text_of({"type": "record", "name": "O", "fields": [{"name": "lines", "type": {"type": "array", "items": one}}]})
        for one in (inner, more)
    )

    (difference,) = differences("AVRO", changed, order)

    assert difference.path == ("lines", "[]", "b")


def test_message_path_leads_through_the_fields_that_hold_it() -> None:
    """The registry names the message, people look for the field."""
    text = 'syntax = "proto3"; message Order { Customer customer = 1; } message Customer { int32 age = 1; }'

    (difference,) = differences("PROTOBUF", SchemaText(text.replace("int32", "string")), SchemaText(text))

    assert difference.path == ("customer", "age")


def test_types_of_references_are_compared() -> None:
    """A referenced type may have changed with its version, while the text that uses it has not."""
    order = json.dumps({"type": "record", "name": "O", "fields": [{"name": "money", "type": "lib.Money"}]})
    money = {"type": "record", "name": "Money", "namespace": "lib", "fields": [{"name": "units", "type": "long"}]}
    changed = {**money, "fields": [*money["fields"], {"name": "nanos", "type": "int"}]}
    before, after = (SchemaText(order, {"money": json.dumps(one)}) for one in (money, changed))

    assert [one.path for one in differences("AVRO", after, before)] == [("money", "nanos")]
    assert not differences("AVRO", before, after)


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("AVRO", '{"type": "record", "name": "O", "fields": [{"name": "m", "type": "lib.Money"}]}'),
        ("JSON", '{"type": "object", "properties": {"m": {"$ref": "money.json"}}}'),
        ("JSON", "{"),
        ("AVRO", "[" * 100_000),
        ("THRIFT", "struct Order {}"),
    ],
)
def test_what_cannot_be_compared_is_undecided(format: str, text: str) -> None:
    """Neither compatible nor incompatible: a missing text may hold the difference."""
    found = differences(format, SchemaText(text), SchemaText(text))

    assert found
    assert not any(difference.certain for difference in found)


def test_branch_that_is_not_decided_is_no_certain_break() -> None:
    """What one branch leaves open, the whole leaves open, in a choice as in a conjunction."""
    before, after = (
        text_of({"oneOf": [{"type": "string"}, {"properties": {"a": {"$ref": name}}}]}) for name in ("a.json", "b.json")
    )

    assert [difference.certain for difference in differences("JSON", after, before)] == [False]


def test_recursive_types_end() -> None:
    """A list's node refers to itself; so does a schema through $ref."""
    node = {"type": "record", "name": "N", "fields": [{"name": "next", "type": ["null", "N"], "default": None}]}
    tree = {"$ref": "#/definitions/n", "definitions": {"n": {"properties": {"n": {"$ref": "#/definitions/n"}}}}}

    assert not differences("AVRO", text_of(node), text_of(node))
    assert not differences("JSON", text_of(tree), text_of(tree))


def test_work_grows_with_the_text_where_types_share_types(calls: Any) -> None:
    """Each of forty types uses the next one twice: followed use by use, that is 2**40 comparisons."""

    def chain(length: int) -> SchemaText:
        last: Any = "int"
        for index in range(length):
            last = {
                "type": "record",
                "name": f"T{index}",
                "fields": [{"name": "a", "type": last}, {"name": "b", "type": f"T{index - 1}" if index else "int"}],
            }
        return text_of(last)

    def work(length: int) -> int:
        text = chain(length)
        return sum(calls(lambda: differences("AVRO", text, text)).values())

    short, long = work(20), work(40)

    assert long < 3 * short


@pytest.mark.slow
def test_comparison_that_takes_too_many_steps_is_undecided() -> None:
    """Four thousand branches are sixteen million pairs; the answer must come, and must not be that all is well."""
    branches = [{"type": "record", "name": f"R{index}", "fields": []} for index in range(4000)]
    choice = {"oneOf": [{"properties": {f"p{index}": {"type": "string"}}} for index in range(4000)]}
    changed = text_of({"oneOf": [{"properties": {f"q{index}": {"type": "string"}}} for index in range(4000)]})

    for format, reader, writer in (("AVRO", text_of(branches), text_of(branches)), ("JSON", changed, text_of(choice))):
        (difference,) = differences(format, reader, writer)

        assert not difference.certain
        assert "steps" in difference.why


HOME = 'syntax = "proto3"; package %s; message Home { %s id = 1; message Room { int32 size = 1; } Room room = 2; }'


def importing(package: str, type: str = "int32") -> SchemaText:
    text = f'syntax = "proto3"; import "{package}.proto"; message Order {{ {package}.Home home = 1; }}'
    return SchemaText(text, {f"{package}.proto": HOME % (package, type)})


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (importing("lib"), importing("lib", "string"), [(("home", "id"), "FIELD_SCALAR_KIND_CHANGED")]),
        (importing("lib"), importing("other"), []),
        (importing("lib"), importing("other", "string"), [(("home", "id"), "FIELD_SCALAR_KIND_CHANGED")]),
        (importing("lib"), SchemaText(importing("lib").text), [(("home",), "NOT_DECIDED")]),
    ],
    ids=["changed import", "other package", "other package, changed", "import that is not known"],
)
def test_imported_messages_are_compared(
    before: SchemaText, after: SchemaText, expected: list[tuple[tuple[str, ...], str]]
) -> None:
    """The text that imports has not changed where the import has."""
    assert [(difference.path, difference.rule) for difference in differences("PROTOBUF", after, before)] == expected


def test_message_may_move_out_of_an_import() -> None:
    """Its name without the package counts."""
    own = 'syntax = "proto3"; message Order { Home home = 1; } ' + HOME.partition("%s; ")[2] % "int32"

    assert not differences("PROTOBUF", SchemaText(own), importing("lib"))
    assert rules("PROTOBUF", importing("lib"), SchemaText(own)) == ["MESSAGE_REMOVED"]


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(sorted(COMPARISONS)))
def test_any_texts_are_compared_without_an_error(reader: str, writer: str, format: str) -> None:
    """A file of a pull request may hold anything; each difference says why."""
    assert all(difference.why for difference in differences(format, SchemaText(reader), SchemaText(writer)))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["record", "int", "string", "O", "enum", "array"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("type", "name", "fields", "items", "values", "symbols", "size", "aliases", "default"),
                    *("properties", "required", "enum", "allOf", "$ref", "maximum", "multipleOf"),
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@example({"enum": None}, {"enum": None}, "JSON")
@example({"type": "enum"}, {"type": None, "enum": None}, "JSON")
@given(_JSON, _JSON, st.sampled_from(["AVRO", "JSON"]))
def test_any_json_is_compared_without_an_error(reader: Any, writer: Any, format: str) -> None:
    """Members may have any type, whatever the specification says; each difference says why."""
    assert all(difference.why for difference in differences(format, text_of(reader), text_of(writer)))


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (Level.NONE, (False, False, False)),
        (Level.BACKWARD, (True, False, False)),
        (Level.FORWARD_TRANSITIVE, (False, True, True)),
        (Level.FULL, (True, True, False)),
    ],
)
def test_level_determines_which_directions_and_versions_count(level: Level, expected: tuple[bool, bool, bool]) -> None:
    """The level is a word of the registry; its meaning is in one place."""
    assert (level.backward, level.forward, level.transitive) == expected


ENUMS = {
    "AVRO": (
        '{"type": "record", "name": "R", "fields": '
        '[{"name": "s", "type": {"type": "enum", "name": "S", "symbols": %s}}]}',
        '["A", "B", "C"]',
        '["A", "B"]',
    ),
    "JSON": (
        '{"properties": {"s": {"$ref": "#/definitions/s"}}, "definitions": {"s": {"type": "string", "enum": %s}}}',
        '["A", "B", "C"]',
        '["B", "A"]',
    ),
    "PROTOBUF": (
        'syntax = "proto3"; enum S { option allow_alias = true; %s } message R { S s = 1; }',
        "A = 0; B = 1 [deprecated = true]; X = 1; C = -2;",
        "A = 0; X = 1;",
    ),
}


@pytest.mark.parametrize("format", ENUMS)
def test_symbols_that_an_enum_lost_are_found_in_every_format(format: str) -> None:
    """A registry does not look at those of Protobuf."""
    text, *symbols = ENUMS[format]
    more, less = (SchemaText(text % listed) for listed in symbols)

    assert [(found.path, "C" in found.why) for found in removed_symbols(format, less, more)] == [(("s",), True)]
    assert removed_symbols(format, more, less) == ()


def test_symbol_that_a_reader_replaces_by_its_default_is_lost_all_the_same() -> None:
    """A registry accepts that: the record is read, with another value."""
    record = '{"type": "record", "name": "R", "fields": [{"name": "s", "type": '
    record += '{"type": "enum", "name": "S", "symbols": %s, "default": "A"}}]}'
    more, less = (SchemaText(record % listed) for listed in ('["A", "B", "C"]', '["B", "A"]'))

    assert differences("AVRO", less, more) == ()
    assert [(one.path, one.why) for one in removed_symbols("AVRO", less, more)] == [
        (("s",), "the reader's enum S lacks C")
    ]


@pytest.mark.parametrize("format", [*ENUMS, "XML"])
def test_symbols_of_a_text_that_is_no_schema_are_none(format: str) -> None:
    """That it cannot be compared is another finding."""
    assert removed_symbols(format, SchemaText("{"), SchemaText('"x" {')) == ()


@pytest.mark.parametrize(
    ("format", "first", "second", "same"),
    [
        ("AVRO", '{"type": "string", "doc": "a"}', '{"type": "string"}', True),
        ("AVRO", '{"type": "string"}', '{"type": "long"}', False),
        ("JSON", '{"properties": {"doc": {"type": "string"}}}', '{"properties": {}}', False),
        ("JSON", '{"default": {"title": "a"}}', '{"default": {"title": "b"}}', False),
        ("PROTOBUF", "message A { int32 a = 1; } // old", "message A {\n  int32 a = 1;\n}", True),
        ("PROTOBUF", 'option x = "//a";', 'option x = "//b";', False),
        ("JSON", "{", "{", False),
    ],
)
def test_documentation_is_no_change_for_any_policy(format: str, first: str, second: str, same: bool) -> None:
    """Everything else is, also a property that is called as documentation is."""
    assert same_but_for_words(format, first, second) is same


PROTO = (
    'syntax = "proto3";\nmessage Order {{ int64 id = 1; {} }}\nenum State {{ NONE = 0; {} }}\nservice Orders {{ {} }}\n'
)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (("reserved 2, 5 to 7;", "", ""), ("reserved 5 to 7, 2;", "", ""), []),
        (("reserved 2 to 3;", "", ""), ("reserved 2; reserved 3;", "", ""), []),
        (("reserved 2 to max;", "", ""), ("reserved 3 to max;", "", ""), ["2 to 536870911"]),
        (('reserved "a", "b";', "", ""), ("reserved 'a';", "", ""), ["no longer reserves b"]),
        (("reserved 2;", "", ""), ("string a = 2;", "", ""), ["a = 2"]),
        (("", "reserved -1, 4;", ""), ("", "OLD = 4; reserved -1;", ""), ["OLD = 4"]),
        (("", "", "rpc Get (A) returns (B);"), ("", "", "rpc Get(A) returns (B) {{ option deprecated = true; }}"), []),
        (("", "", "rpc Get (A) returns (B);"), ("", "", "rpc Get (A) returns (stream B);"), ["Orders.Get was"]),
        (("string a = 2;", "", ""), ('string a = 2 [json_name = "A"];', "", ""), ["JSON name of Order.a"]),
        (
            ("string a = 2;", "", ""),
            ("string a = 2 [(my.validate.field).min = 3];", "", ""),
            ["Order.a has other rules"],
        ),
        (("string a = 2 [(my.validate.field).min = 3];", "", ""), ("string a = 2 [(my.doc) = 'b'];", "", ""), []),
        (("", "", ""), ('string b = 2; reserved 9; reserved "z";', "", "rpc Put (A) returns (B);"), []),
    ],
)
def test_declarations_of_protobuf_that_no_registry_compares(
    before: tuple[str, ...], after: tuple[str, ...], expected: list[str]
) -> None:
    """Each is reported once, and what is only added or written otherwise is not."""
    old, new = (SchemaText(PROTO.format(*parts).replace("{{", "{").replace("}}", "}")) for parts in (before, after))

    found = uncompared("PROTOBUF", new, old)

    assert len(found) == len(expected)
    assert all(words in difference.why for words, difference in zip(expected, found, strict=True))
    assert not any(difference.certain for difference in found)


def test_conditions_of_json_schema_that_no_registry_compares() -> None:
    """Added or changed at any place; what is removed rejects nothing that was written."""
    plain = {"type": "object", "properties": {"a": {"type": "object"}}}
    narrowed = {"type": "object", "properties": {"a": {"type": "object", "propertyNames": {"maxLength": 3}}}}

    (difference,) = uncompared("JSON", text_of(narrowed), text_of(plain))

    assert difference.path == ("a",)
    assert uncompared("JSON", text_of(plain), text_of(narrowed)) == ()
    assert uncompared("AVRO", text_of("int"), text_of("long")) == ()
