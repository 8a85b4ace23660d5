"""The columns of .proto texts: types, presence, the root, comments, defaults and options."""

from __future__ import annotations

import re

import pytest

from scanner_extractor.formats.protobuf import protobuf_fields
from scanner_extractor.formats.protobuf.declarations import WELL_KNOWN
from scanner_extractor.formats.protobuf.files import DECLARED
from scanner_model.columns import Column, ParsedSchema
from scanner_model.names import RecordName


def read(text: str, record: str | None = None, **files: str) -> ParsedSchema:
    """Read a proto3 text (or one with its own first line); a file `a__b` is imported as `a/b.proto`."""
    named = {f"{name.replace('__', '/')}.proto": body for name, body in files.items()}
    head = "" if text.startswith(("syntax", "edition", "//", "message Old")) else 'syntax = "proto3"; '
    return protobuf_fields(head + text, named.get, RecordName(record) if record else None)


def shown(parsed: ParsedSchema) -> list[tuple[str, str, bool]]:
    return [(column.name, column.type, column.nullable) for column in parsed.columns]


def only(parsed: ParsedSchema) -> Column:
    [column] = parsed.columns
    return column


class TestTypes:
    def test_every_shape_of_a_field_has_its_path(self) -> None:
        """Elements and map values are places of their own, and their children stand below them."""
        parsed = read(
            "package shop; message Order { string id = 1; repeated Line lines = 2; map<int32, Line> by_no = 3;"
            " State state = 4; Line first = 5; message Line { double price = 7; } enum State { NEW = 0; } }"
        )

        assert not parsed.problems
        assert shown(parsed) == [
            ("id", "string", False),
            ("lines", "array", False),
            ("lines.[]", "message", False),
            ("lines.[].price", "double", False),
            ("by_no", "map", False),
            ("by_no.{}", "message", False),
            ("by_no.{}.price", "double", False),
            ("state", "enum", False),
            ("first", "message", True),
            ("first.price", "double", False),
        ]
        assert [column.number for column in parsed.columns] == [1, 2, None, 7, 3, None, 7, 4, 5, 7]

    def test_columns_keep_the_order_of_the_text(self) -> None:
        """People read the file from top to bottom; field numbers only order the wire."""
        parsed = read("message A { int32 z = 9; oneof o { int32 y = 8; int32 x = 1; } int32 a = 2; }")

        assert [column.name for column in parsed.columns] == ["z", "y", "x", "a"]

    def test_group_is_a_message_under_its_lower_case_name(self) -> None:
        """protoc names the field so, and the group's own name is the type's."""
        parsed = read(
            'syntax = "proto2"; message A { repeated group Item = 1 { required string id = 2; }'
            " oneof o { group Other = 3 { optional int32 n = 1; } } }"
        )

        assert shown(parsed) == [
            ("item", "array", False),
            ("item.[]", "message", False),
            ("item.[].id", "string", False),
            ("other", "message", True),
            ("other.n", "int32", True),
        ]
        assert parsed.records == ("A", "A.Item", "A.Other")

    @pytest.mark.parametrize("container", ["A next", "repeated A next", "map<string, A> next"])
    def test_recursion_is_cut_at_the_second_occurrence(self, container: str) -> None:
        """The schema of a tree has no end; the place says which message goes on."""
        last = read(f"package p; message A {{ {container} = 1; }}").columns[-1]

        assert (last.type, last.recursive) == ("message", "p.A")

    def test_mutual_recursion_is_cut_on_each_path_by_itself(self) -> None:
        """A message that is used twice side by side is no recursion."""
        parsed = read("message A { B b = 1; B c = 2; } message B { A a = 1; }")

        assert [(column.name, column.recursive) for column in parsed.columns] == [
            ("b", None), ("b.a", "A"), ("c", None), ("c.a", "A"),
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("name", "word", "logical"),
        [
            ("google.protobuf.Timestamp", "message", "timestamp"),
            ("google.protobuf.Duration", "message", "duration"),
            ("google.type.Date", "message", "date"),
            ("google.type.TimeOfDay", "message", "time"),
            ("google.type.Money", "message", "google.type.Money"),
            ("google.protobuf.StringValue", "string", "google.protobuf.StringValue"),
            ("google.protobuf.Int64Value", "int64", "google.protobuf.Int64Value"),
            ("google.protobuf.Struct", "any", "google.protobuf.Struct"),
            ("google.protobuf.Any", "any", "google.protobuf.Any"),
            ("google.protobuf.FieldMask", "message", "google.protobuf.FieldMask"),
        ],
    )
    def test_well_known_type_is_one_column(self, name: str, word: str, logical: str) -> None:
        """A user looks for `at`, not for `at.seconds`; the logical type says what it means."""
        file = {"Date": "date", "TimeOfDay": "timeofday", "Money": "money", "Timestamp": "timestamp"}
        file |= {"Duration": "duration", "Struct": "struct", "Any": "any", "FieldMask": "field_mask"}
        package, _, simple = name.rpartition(".")
        path = f"{package.replace('.', '/')}/{file.get(simple, 'wrappers')}.proto"
        parsed = read(f'syntax = "proto3"; import "{path}"; message A {{ {name} at = 1; repeated {name} all = 2; }}')

        assert [(column.name, column.type, column.nullable, column.logical_type) for column in parsed.columns] == [
            ("at", word, True, logical),
            ("all", "array", False, None),
            ("all.[]", word, False, logical),
        ]

    def test_every_message_that_everybody_has_is_one_column(self) -> None:
        """A message of Google's that only some lists name would have its fields shown, and others not."""
        texts = [text for name, text in DECLARED.items() if name.startswith("google/type/")]
        names = [f"google.type.{result}" for text in texts for result in re.findall(r"(?<!\{ )message (\w+)", text)]
        listed = [name for name in WELL_KNOWN if name.startswith("google.type.")]

        assert sorted(names) == sorted(listed)

    def test_well_known_type_that_is_itself_the_root_shows_its_fields(self) -> None:
        """Its file may be registered for others to refer to."""
        parsed = read(
            'syntax = "proto3"; package google.type; message Money { string currency_code = 1; int64 units = 2; }'
        )

        assert [column.name for column in parsed.columns] == ["currency_code", "units"]


class TestPresence:
    @pytest.mark.parametrize(
        ("text", "nullable"),
        [
            ('syntax = "proto3"; message A { int32 a = 1; }', False),
            ('syntax = "proto3"; message A { optional int32 a = 1; }', True),
            ('syntax = "proto3"; message A { oneof o { int32 a = 1; } }', True),
            ('syntax = "proto2"; message A { optional int32 a = 1; }', True),
            ('syntax = "proto2"; message A { optional int32 a = 1 [default = 3]; }', True),
            ('syntax = "proto2"; message A { required int32 a = 1; }', False),
            ("// without a version\nmessage A { required int32 a = 1; }", False),
            ('edition = "2023"; message A { int32 a = 1; }', True),
            ('edition = "2023"; message A { int32 a = 1 [features.field_presence = IMPLICIT]; }', False),
            ('edition = "2023"; message A { int32 a = 1 [features = { field_presence: LEGACY_REQUIRED }]; }', False),
            ('edition = "2023"; option features.field_presence = IMPLICIT; message A { int32 a = 1; }', False),
            (
                'edition = "2023"; option features.field_presence = IMPLICIT;'
                " message A { int32 a = 1 [features.field_presence = EXPLICIT]; }",
                True,
            ),
        ],
    )
    def test_nullable_is_what_can_be_absent(self, text: str, nullable: bool) -> None:
        """Without presence a reader gets the default, never nothing."""
        parsed = read(text)

        assert not parsed.problems
        assert only(parsed).nullable is nullable

    def test_edition_messages_are_nullable_unless_required(self) -> None:
        """Implicit presence exists for scalars and enums only."""
        parsed = read(
            'edition = "2024"; option features.field_presence = IMPLICIT; export message A { B b = 1;'
            " B c = 2 [features.field_presence = LEGACY_REQUIRED]; repeated B d = 3; local message B {} }"
        )

        assert not parsed.problems
        assert [column.nullable for column in parsed.columns] == [True, False, False, False]


class TestRoot:
    TEXT = (
        "package p.q; enum E { Z = 0; } message A { message C { int32 c = 1; } int32 a = 1; }"
        " message B { int32 b = 1; }"
    )

    def test_first_message_is_the_root_and_every_message_a_record(self) -> None:
        """Serialisers take the first by default, but may name any."""
        parsed = read(self.TEXT)

        assert (parsed.name, shown(parsed)) == ("p.q.A", [("a", "int32", False)])
        assert parsed.records == ("p.q.A", "p.q.B", "p.q.A.C")

    @pytest.mark.parametrize(
        ("record", "name"), [("p.q.B", "p.q.B"), ("B", "p.q.B"), ("C", "p.q.A.C"), ("A.C", "p.q.A.C")]
    )
    def test_record_is_found_by_full_name_or_its_end(self, record: str, name: str) -> None:
        """Apicurio's strategies carry the simple name alone."""
        parsed = read(self.TEXT, record)

        assert (parsed.name, parsed.problems) == (name, ())

    def test_unknown_record_is_reported(self) -> None:
        """Columns of another message must not pass for those asked for."""
        parsed = read(self.TEXT, "q.Z")

        assert parsed.name == "p.q.A"
        assert "'q.Z'" in parsed.problems[0].what

    def test_file_of_enums_has_one_column_without_a_name(self) -> None:
        """The registry names such a subject after the first enum."""
        parsed = read("package p; // how far\n\n/* How far. */\nenum State { A = 0; } enum Other { B = 0; }")

        assert (parsed.name, parsed.records) == ("p.State", ("p.State", "p.Other"))
        assert parsed.columns == (Column(path=(), type="enum", doc="How far."),)

    def test_empty_message_has_no_columns_and_no_problem(self) -> None:
        """Nothing is wrong with it."""
        assert read("message A {}") == ParsedSchema(name=RecordName("A"), records=(RecordName("A"),))

    def test_file_without_types_is_reported(self) -> None:
        """A file of imports is legal, yet somebody who expects columns wants to know."""
        parsed = read('import "google/protobuf/any.proto";')

        assert (parsed.columns, len(parsed.problems)) == ((), 1)


class TestWords:
    @pytest.mark.parametrize(
        ("text", "doc"),
        [
            ("// Before.\nint32 a = 1;", "Before."),
            ("int32 a = 1; // After.\n", "After."),
            ("// Before.\nint32 a = 1; // After.", "Before."),
            ("// Far.\n\nint32 a = 1;", None),
            ("// One.\n// Two.\nint32 a = 1;", "One.\nTwo."),
            ("/// One.\n//! Two.\nint32 a = 1;", "One.\nTwo."),
            ("/* One.\n * Two. */\nint32 a = 1;", "One.\nTwo."),
            ("/** One. **/ int32 a = 1;", None),
            ("\n/** One. **/ int32 a = 1;", "One."),
            ("int32 a = 1; /* After. */\n", "After."),
            ("int32 a = 1;\n// Below.\n\n", "Below."),
            ("//\nint32 a = 1;", None),
            ("int32 a = 1 [deprecated = true]; // After.\n// Next.\n", "After."),
            ("// Same line as the brace.\n// Second.\nint32 a = 1;", "Second."),
        ],
    )
    def test_doc_is_the_comment_that_protoc_attaches(self, text: str, doc: str | None) -> None:
        """Leading, else trailing; blank lines part a comment from a field."""
        text = text if text.startswith(("\n", "int32")) or doc == "Second." or doc is None else f"\n{text}"

        assert only(read(f"message A {{ {text} }}")).doc == doc

    @pytest.mark.parametrize(
        ("field", "default"),
        [
            ("int32 a = 1 [default = -0x1f]", "-31"),
            ("int32 a = 1 [default = 017]", "15"),
            ("uint64 a = 1 [default = 18446744073709551615]", "18446744073709551615"),
            ("double a = 1 [default = 1.5e3]", "1500.0"),
            ("float a = 1 [default = .5]", "0.5"),
            ("float a = 1 [default = -inf]", '"-Infinity"'),
            ("float a = 1 [default = nan]", '"NaN"'),
            ("bool a = 1 [default = true]", "true"),
            ('string a = 1 [default = "a\\"\\303\\251\\n" \'\\u00e9\\x41\']', '"a\\"é\\néA"'),
            ('bytes a = 1 [default = "\\377\\000"]', '"/wA="'),
            ("E a = 1 [default = ON]", '"ON"'),
            ("int32 a = 1", None),
        ],
    )
    def test_default_is_json(self, field: str, default: str | None) -> None:
        """As Protobuf's own JSON mapping writes the value, and whole numbers as numbers."""
        parsed = read(f'syntax = "proto2"; message A {{ optional {field}; }} enum E {{ ON = 0; }}')

        assert (only(parsed).default, parsed.problems) == (default, ())

    @pytest.mark.parametrize(
        "options",
        [
            '(confluent.field_meta) = { doc: "Told.", tags: ["PII", "GDPR"] }',
            '(.confluent.field_meta) = { doc: "Told." tags: "PII" tags: "GDPR" }',
            '(confluent.field_meta).doc = "Told.", (confluent.field_meta).tags = "PII",'
            ' (confluent.field_meta).tags = "GDPR"',
        ],
    )
    def test_field_options_of_confluent_give_doc_and_tags(self, options: str) -> None:
        """They are written for dictionaries; the comment is for programmers."""
        parsed = read(f'import "confluent/meta.proto"; message A {{\n// Comment.\nstring a = 1 [{options}]; }}')

        assert not parsed.problems
        assert (only(parsed).doc, only(parsed).tags) == ("Told.", ("PII", "GDPR"))

    @pytest.mark.parametrize(
        ("params", "logical"),
        [
            ('{ key: "precision", value: "8" }, { key: "scale", value: "2" }', "decimal(8,2)"),
            ('{ key: "precision" value: "8" }', "decimal(8,0)"),
            ('{ key: "precision" value: "many" }', "confluent.type.Decimal"),
            ("", "confluent.type.Decimal"),
        ],
    )
    def test_decimal_has_its_precision_and_scale(self, params: str, logical: str) -> None:
        """Confluent writes them beside the field, not into the type."""
        parsed = read(
            'import "confluent/meta.proto"; import "confluent/type/decimal.proto"; message A {'
            f" confluent.type.Decimal d = 1 [(confluent.field_meta) = {{ params: [{params}] }}]; }}"
        )

        assert (parsed.columns[0].logical_type, parsed.problems) == (logical, ())

    def test_custom_options_do_not_disturb(self) -> None:
        """Whatever value they have, whatever their names look like."""
        parsed = read(
            'import "google/protobuf/descriptor.proto"; message O { O o = 1; repeated int32 n = 2; double d = 3; }'
            " extend google.protobuf.FieldOptions { O opt = 50000; }"
            " message A { option deprecated = true;"
            " int32 a = 1 [(opt) = { o < n: [1, 2] o { d: -inf } > }, (opt).n = 3];"
            " reserved 5 to 7; reserved 'x'; }",
            "A",
        )

        assert (shown(parsed), parsed.problems) == ([("a", "int32", False)], ())

    def test_words_of_the_grammar_may_name_fields(self) -> None:
        """Protobuf has no reserved words."""
        names = ["message", "enum", "oneof", "optional", "map", "group", "package", "import", "local", "string", "to"]
        fields = " ".join(f"int32 {name} = {number};" for number, name in enumerate(names, 1))

        parsed = read(f"message message {{ {fields} }}")

        assert ([column.name for column in parsed.columns], parsed.problems) == (names, ())

    def test_extensions_are_types_not_columns(self) -> None:
        """A group inside declares a message; extension fields are not the message's own."""
        parsed = read(
            'syntax = "proto2"; message A { extensions 100 to max [verification = UNVERIFIED]; optional int32 a = 1;'
            " extend A { optional int32 e = 100; optional group G = 101 { optional int32 g = 1; } } optional G b = 2; }"
        )

        assert not parsed.problems
        assert [column.name for column in parsed.columns] == ["a", "b", "b.g"]


def test_a_field_number_used_twice_is_a_problem_where_protoc_is_not_run() -> None:
    """It is not run for large texts, nor where it is not installed; no reader can tell the values apart."""
    parsed = read(f"/*{' ' * 400_000}*/ message A {{ int32 a = 1; string b = 1; int32 c = 2; }}")

    assert [column.name for column in parsed.columns] == ["a", "b", "c"]
    assert [(problem.where, problem.what) for problem in parsed.problems] == [
        ("A", "the fields 'a' and 'b' have the same number 1")
    ]
