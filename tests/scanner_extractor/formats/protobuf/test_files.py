"""Protobuf schemas of several files, and those in which something is wrong, too large or hostile."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from waiting import PATIENCE

from scanner_extractor.formats.protobuf import protobuf_fields
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


def hints(parsed: ParsedSchema) -> str:
    return " ".join(f"{problem.what} {problem.hint}" for problem in parsed.problems)


class TestImports:
    def test_imports_are_followed_to_the_end(self) -> None:
        """A imports B imports C: B's field needs C."""
        parsed = read(
            'import "b.proto"; message A { B b = 1; }',
            b='syntax = "proto3"; import "c/d.proto"; message B { C c = 1; }',
            c__d='syntax = "proto3"; message C { int32 n = 1; }',
        )

        assert not parsed.problems
        assert shown(parsed)[-1] == ("b.c.n", "int32", False)

    def test_public_import_passes_its_types_on(self) -> None:
        """It is how files are moved."""
        parsed = read(
            'import "b.proto"; message A { C c = 1; }',
            b='syntax = "proto3"; import public "c.proto";',
            c='syntax = "proto3"; message C { int32 n = 1; }',
        )

        assert (len(parsed.columns), parsed.problems) == (2, ())

    def test_type_of_an_indirect_import_is_read_and_reported(self) -> None:
        """protoc wants the import written; registries do not."""
        parsed = read(
            'import "b.proto"; message A { C c = 1; }',
            b='syntax = "proto3"; import "c.proto"; message B { C c = 1; }',
            c='syntax = "proto3"; message C { int32 n = 1; }',
        )

        assert shown(parsed)[-1] == ("c.n", "int32", False)
        assert "protoc rejects" in hints(parsed)

    def test_a_missing_import_that_only_has_options_is_no_problem(self) -> None:
        """Rules of validation, for example: no type of a field is from it, so the data are known."""
        text = 'syntax = "proto3"; import "rules/field.proto"; message A { string a = 1 [(rules.field).email = true]; '
        parsed = protobuf_fields(text + "B b = 2; message B {} }", {}.get)

        assert not parsed.problems
        assert [column.name for column in parsed.columns] == ["a", "b"]
        assert protobuf_fields(text + "repeated rules.Field b = 2; }", {}.get).problems
        assert protobuf_fields('syntax = "proto3"; import public "rules/field.proto";', {}.get).problems

    def test_missing_import_leaves_the_other_columns(self) -> None:
        """One lost file must not cost the schema."""
        parsed = read('import "gone.proto"; message A { int32 a = 1; acme.Gone b = 2; repeated acme.Gone c = 3; }')

        assert shown(parsed) == [
            ("a", "int32", False), ("b", "acme.Gone", True), ("c", "array", False), ("c.[]", "acme.Gone", False),
        ]  # fmt: skip
        assert {problem.where for problem in parsed.problems} == {"A.b", "A.c", "import 'gone.proto'"}

    def test_import_cycle_ends_and_is_reported(self) -> None:
        """Two texts that import each other can be registered by hand."""
        parsed = read(
            'import "b.proto"; message A { B b = 1; }', b='syntax = "proto3"; import "b.proto"; message B { B b = 1; }'
        )

        assert [column.name for column in parsed.columns] == ["b", "b.b"]
        assert "recursively imports itself" in hints(parsed)

    @pytest.mark.parametrize("name", ["../up.proto", "/etc/passwd", "a/../../b.proto", "..\\\\b.proto"])
    def test_import_that_leaves_its_place_is_not_even_looked_up(self, name: str) -> None:
        """A lookup may stand on files."""
        requests: list[str] = []

        parsed = protobuf_fields(
            f'syntax = "proto3"; import "{name}"; message A {{ int32 a = 1; }}',
            lambda name: requests.append(name),
            None,
        )

        assert (requests, len(parsed.columns)) == ([], 1)
        assert "below the schema's own" in parsed.problems[0].what

    @pytest.mark.parametrize("name", ["a b.proto", "a#b.proto", "заказ.proto", "schema.proto", "_schema.proto", "x"])
    def test_unusual_file_names_are_names_like_others(self, name: str) -> None:
        """A reference's name is free text, also the one that we would have chosen."""
        files = {name: 'syntax = "proto3"; message B { int32 n = 1; }'}

        parsed = protobuf_fields(f'syntax = "proto3"; import "{name}"; message A {{ B b = 1; }}', files.get, None)

        assert (len(parsed.columns), parsed.problems) == (2, ())

    @pytest.mark.parametrize("name", ["a\\\\b.proto", f"{'l' * 300}.proto", "c:/b.proto", "./b.proto", "a//b.proto"])
    def test_names_that_no_file_can_have_are_read_and_reported(self, name: str) -> None:
        """Only protoc needs files."""
        parsed = protobuf_fields(
            f'syntax = "proto3"; import "{name}"; message A {{ B b = 1; }}', lambda _: "message B { }", None
        )

        assert parsed.columns[0].type == "message"
        assert "protoc rejects" in hints(parsed)

    def test_import_named_like_the_folder_of_another_is_reported(self) -> None:
        """`a` and `a/b` cannot be files side by side; the columns do not care."""
        parsed = read(
            'import "a.proto"; import "a.proto/b.proto"; message A { B b = 1; }', a="", **{"a.proto__b": "message B {}"}
        )

        assert parsed.columns[0].type == "message"
        assert "protoc rejects" in hints(parsed)

    def test_own_file_wins_over_one_that_everybody_has(self) -> None:
        """A registry may hold its own copy of a common file."""
        parsed = read(
            'import "google/type/money.proto"; message A { google.type.Coin m = 1; }',
            google__type__money='syntax = "proto3"; package google.type; message Coin { int32 cents = 1; }',
        )

        assert (shown(parsed)[-1], parsed.problems) == (("m.cents", "int32", False), ())

    def test_foreign_text_under_a_standard_name_does_not_reach_protoc(self) -> None:
        """protoc ends the process over a descriptor.proto that lacks what it relies on."""
        parsed = read(
            'import "google/protobuf/descriptor.proto"; message A { google.protobuf.X x = 1; }',
            google__protobuf__descriptor='syntax = "proto3"; package google.protobuf; message X { int32 n = 1; }',
        )

        assert shown(parsed)[-1] == ("x.n", "int32", False)

    @pytest.mark.parametrize("name", DECLARED)
    def test_every_file_that_we_bring_along_compiles(self, name: str) -> None:
        """Our declarations are read by the same rules as everybody's."""
        parsed = protobuf_fields(f'syntax = "proto3"; import "{name}"; message A {{ }}', lambda _: None, None)

        assert parsed.problems == ()
        assert protobuf_fields(DECLARED[name], lambda _: None, None).columns

    def test_same_message_name_in_two_schemas_is_two_messages(self) -> None:
        """Nothing is shared between readings but the text itself."""
        first = read('import "b.proto"; message A { B b = 1; }', b='syntax = "proto3"; message B { int32 x = 1; }')
        second = read('import "b.proto"; message A { B b = 1; }', b='syntax = "proto3"; message B { int32 y = 1; }')

        assert [first.columns[1].name, second.columns[1].name] == ["b.x", "b.y"]


class TestScope:
    def test_innermost_declaration_wins(self) -> None:
        """Names are looked for from the inside out, and a leading dot starts at the outside."""
        parsed = read(
            "package p; message B { int32 outer = 1; }"
            " message A { B a = 1; .p.B b = 2; p.B c = 3; p . B d = 4; message B { int32 inner = 1; } }",
            "A",
        )

        assert not parsed.problems
        assert [column.name for column in parsed.columns if "." in column.name] == [
            "a.inner", "b.outer", "c.outer", "d.outer",
        ]  # fmt: skip

    def test_nearer_package_of_an_import_wins(self) -> None:
        """The scope decides, not the file."""
        parsed = read(
            'package a.b; import "x.proto"; import "y.proto"; message M { T t = 1; }',
            x='syntax = "proto3"; package a; message T { int32 far = 1; }',
            y='syntax = "proto3"; package a.b; message T { int32 near = 1; }',
        )

        assert shown(parsed)[-1] == ("t.near", "int32", False)


class TestRefused:
    def test_refused_schema_keeps_its_columns(self) -> None:
        """Registries took schemas that use Confluent's options without importing them."""
        parsed = read('message A { string a = 1 [(confluent.field_meta) = { tags: "PII" }]; }')

        assert only(parsed).tags == ("PII",)
        assert "(confluent.field_meta)" in parsed.problems[0].hint

    def test_what_cannot_be_read_is_reported_with_line_and_column(self) -> None:
        """The rest of the message stands."""
        parsed = read('syntax = "proto3";\nmessage A {\n  string a = 1;\n  string b = ;\n  string c = 3;\n}\n')

        assert [column.name for column in parsed.columns] == ["a", "c"]
        assert parsed.problems[0].where == "4:14"
        assert parsed.problems[1].hint.startswith("4:14: ")

    def test_problem_of_an_import_names_it(self) -> None:
        """The one who mends it opens that file."""
        parsed = read('import "b.proto"; message A { B b = 1; }', b='syntax = "proto3";\nmessage B { oops }')

        assert parsed.problems[0].where == "import 'b.proto' 2:18"
        assert parsed.problems[-1].hint.startswith("b.proto 2:18: ")

    @pytest.mark.parametrize(
        "field",
        [
            "string a = 0;",
            "string a = 536870912;",
            "string a = 99999999999999999999999;",
            "string a = 09;",
            "string = 1;",
            "map<string> a = 1;",
            "string a 1;",
            "message { }",
            "oneof { }",
            "enum E;",
            "string a = 1",
            "#",
            "group G = 1 [x = ] { }",
        ],
    )
    def test_field_that_is_none_costs_only_itself(self, field: str) -> None:
        """Each is reported by us and by protoc."""
        parsed = read(f"message A {{ int32 before = 7; {field} }} message B {{ int32 b = 1; }}")

        assert parsed.columns[0].name == "before"
        assert "B" in parsed.records
        assert len(parsed.problems) >= 2

    def test_field_with_unreadable_options_stays(self) -> None:
        """Its name, type and number are known."""
        parsed = read("message A { string a = 1 [(x = { a: 1; b: 2 }]; string b = 2; }")

        assert [column.name for column in parsed.columns] == ["a", "b"]

    @pytest.mark.parametrize(
        "value", ["{ a: 1", "{ [x.y/p.Q] { } a: [1, 2] }", "{ [x.y: 1 }", "- ;", "'a' \"b\"", "{ a: }"]
    )
    def test_option_of_any_value_costs_no_field(self, value: str) -> None:
        """Option values are the least regular part of the language."""
        parsed = read(f"message A {{ string a = 1; option (x) = {value}; }} message B {{ string b = 1; }}")

        assert parsed.columns[0].name == "a"
        assert parsed.problems

    def test_second_field_of_a_name_is_left_out(self) -> None:
        """A path names one column."""
        parsed = read("message A { string a = 1; oneof o { int32 a = 2; } }")

        assert only(parsed).type == "string"
        assert "defined twice" in parsed.problems[0].what

    def test_end_inside_a_message_is_reported(self) -> None:
        """A text cut off in transport still shows what arrived."""
        parsed = read("message A { string a = 1; message B { string b = 1;")

        assert [column.name for column in parsed.columns] == ["a"]
        assert "found the end" in parsed.problems[0].what

    @pytest.mark.parametrize(
        "text", ["", "{}", '{"type": "record"}', "\0\ud800", "syntax = 3", "}" * 99, "//", '"' * 9]
    )
    def test_garbage_has_no_columns_and_a_problem(self, text: str) -> None:
        """A text of another format must not pass for an empty schema."""
        parsed = protobuf_fields(text, lambda _: None, None)

        assert (parsed.columns, parsed.records, parsed.name) == ((), (), "")
        assert parsed.problems


class TestBounds:
    def test_deep_nesting_is_cut_and_never_reaches_protoc(self) -> None:
        """Ten thousand brackets in an option's value end a process that asks protoc."""
        text = "message A { option (o) = " + "{a:" * 20_000 + "{}" + "}" * 20_000 + "; int32 a = 1; }"

        assert [column.name for column in read(text).columns] == ["a"]

    def test_messages_inside_each_other_end_at_a_bound(self) -> None:
        """No text makes the reader recurse without end."""
        parsed = read("message A { int32 a = 1; " * 5000 + "}" * 5000)

        assert parsed.columns[0].name == "a"
        assert "at most 64" in parsed.problems[0].what

    def test_long_chain_of_messages_is_cut_and_reported(self) -> None:
        """Each message is a level; a thousand are more than anybody can read."""
        parsed = read("".join(f"message A{i} {{ A{i + 1} x = 1; }}" for i in range(1200)) + "message A1200 {}")

        assert len(parsed.columns) == 1000
        assert "deeper" in parsed.problems[0].what

    @pytest.mark.smoke
    @pytest.mark.slow
    @pytest.mark.no_cover
    def test_explosion_shows_each_message_once(self) -> None:
        """Messages that all contain each other have more paths than atoms; each stays visible."""
        parsed = read(
            "".join(
                f"message M{i} {{ {''.join(f'M{j} m{j} = {j + 1};' for j in range(12) if j != i)} }}" for i in range(12)
            )
        )

        assert len(parsed.columns) == 12 * 11
        assert "first use only" in hints(parsed)


class TestQuiet:
    def test_nothing_is_written_to_the_terminal_or_left_behind(self, tmp_path: Path) -> None:
        """protoc warns and complains on stderr, which is the user's, and ten thousand schemas must not fill a disk."""
        program = (
            "from scanner_extractor.formats.protobuf import protobuf_fields as read\n"
            "texts = ['', 'message A {', 'message A { optional X a = 1; }', 'syntax = \"proto9\";',\n"
            "    'import \"google/protobuf/any.proto\"; message A {}', 'import \"b c\"; message A {}']\n"
            "for text in texts: read(text, {'b c': 'message B { oops }'}.get, None)\n"
        )

        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", program],
            capture_output=True,
            check=True,
            timeout=PATIENCE,
            env={**os.environ, "TMPDIR": str(tmp_path)},
        )

        assert (done.stdout, done.stderr) == (b"", b"")
        assert not list(tmp_path.iterdir())

    def test_threads_do_not_disturb_each_other(self) -> None:
        """Nobody has to know that only one thread reads."""
        result: list[tuple[int, str]] = []

        def work(number: int) -> None:
            for _ in range(20):
                parsed = read(
                    f'import "b.proto"; message A {{ B b{number} = 1; }}', b='syntax = "proto3"; message B {}'
                )
                result.append((len(parsed.problems), parsed.columns[0].name.removesuffix(str(number))))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert set(result) == {(0, "b")}
        assert len(result) == 80
