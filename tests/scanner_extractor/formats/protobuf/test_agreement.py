"""Our reader against the compiler: for a schema that protoc takes, both find the same columns."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from drawn import examples
from google.protobuf import descriptor_pb2, descriptor_pool
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from grpc_tools import _protoc_compiler
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scanner_extractor.formats.protobuf import protobuf_fields

Row = tuple[tuple[str, ...], str, bool, int | None, str | None, str | None]

_WORDS = {
    number: name.removeprefix("TYPE_").lower() for name, number in descriptor_pb2.FieldDescriptorProto.Type.items()
} | {FieldDescriptor.TYPE_GROUP: "message"}

_UNTOLD = "?"
"""The comment of a group: protoc gives it to the group's type, we give it to the field."""

FILES = {
    "proto3.proto": """
        // The licence.
        syntax = "proto3";
        package acme.shop.v1; // the package
        import public "money.proto";
        import "google/protobuf/timestamp.proto";
        import 'google/protobuf/struct.' "proto";
        option java_package = "com.acme";
        message Order { // an order
          // Identifies it.
          string id = 1; // unique
          /* Two
           * lines */ repeated .acme.shop.v1.Order.Line lines = 2 [packed = false];
          message Line {
            acme.common.Money price = 1; optional sint64 n = 2; map<string, Line> parts = 3;
            enum K { A = 0; } K k = 4;
          }
          oneof how { /* by card */ Card card = 3; bytes cash = 4; }
          // detached

          google.protobuf.Timestamp at = 0x5;
          map<fixed32, google.protobuf.Value> extra = 6; reserved 10, 20 to 30; reserved "old", "older";
          Order . Line first = 07;
          acme.common.Money total = 8; repeated Line.K kinds = 9;;
        }
        message Card { Card parent = 1; repeated Order orders = 2; }
        service Orders { rpc Get (Order) returns (stream Order) { option deprecated = true; } }
    """,
    "money.proto": """
        syntax = "proto3"; package acme.common; import public "unit.proto";
        message Money { int64 units = 1; Unit unit = 2; }
    """,
    "unit.proto": 'syntax = "proto3"; package acme.common; enum Unit { EUR = 0; USD = 1; }',
    "proto2.proto": """
        syntax = "proto2";
        import "google/protobuf/descriptor.proto";
        message Old {
          extensions 100 to 150 [declaration = { number: 150 full_name: ".x.y" type: "int32" }];
          extensions 151 to 199;
          required int32 a = 1;
          optional string b = 2 [default = "x;{}\\"", (note) = { text: "]};" more { text: 'a' } }, deprecated = true];
          repeated double c = 3 [packed = true];
          optional group Part = 4 { required float size = 1; optional Part inner = 2; } // a part
          oneof pick { int32 one = 5; group Two = 6 { optional bool two = 1; } }
          optional Level level = 7 [default = HIGH];
          map<int32, Level> levels = 8;
          optional .Old again = 9;
          enum Level { option allow_alias = true; LOW = 0; HIGH = 1; TOP = 1 [deprecated = true]; reserved 5 to max; }
        }
        message Note { optional string text = 1; optional Note more = 2; }
        extend google.protobuf.FieldOptions { optional Note note = 50001; }
        extend Old { optional group Late = 199 { optional int32 late = 1; } }
        extend Old { optional int32 plain = 198; }
    """,
    "edition.proto": """
        edition = "2023"; package ed;
        option features = { field_presence: IMPLICIT enum_type: OPEN };
        message A {
          int32 a = 1; int32 b = 2 [features.field_presence = EXPLICIT];
          B c = 3; B d = 4 [features.field_presence = LEGACY_REQUIRED, features.message_encoding = DELIMITED];
          repeated B e = 5; map<string, B> f = 6; oneof g { int32 h = 7; B i = 8; }
          message B { string s = 1; A up = 2; }
        }
    """,
    "edition24.proto": """
        edition = "2024"; package ed; import "unit.proto";
        export message A {
          int32 a = 1; acme.common.Unit u = 2; local message L { A up = 1; } L l = 3;
          local enum E { Z = 0; } E e = 4;
        }
        local message Hidden { A a = 1; }
    """,
    "names.proto": """
        syntax = "proto3"; package a.b;
        message X { int32 outer = 1; message Y { int32 deep = 1; } }
        message M {
          message X { int32 inner = 1; }
          X x = 1; .a.b.X y = 2; b.X z = 3; a.b.X.Y w = 4;
          int32 message = 5; string oneof = 6; bool map = 7; map<string, X> group = 8; bytes syntax = 9;
        }
    """,
}  # fmt: skip


_ONE_COLUMN = {"google.protobuf.Timestamp": "message", "google.protobuf.Value": "any"}
"""Well-known types of the files above: they are values, and their fields no columns."""


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def compiled(folder: Path, name: str) -> descriptor_pb2.FileDescriptorSet:
    standard = Path(_protoc_compiler.__file__).parent / "_proto"
    out = folder / "out.bin"
    arguments = ["protoc", f"-I{folder}", f"-I{standard}", "--include_imports", "--include_source_info"]
    arguments += [f"--descriptor_set_out={out}", name]
    assert _protoc_compiler.run_main([argument.encode() for argument in arguments]) == 0
    return descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes())


def plain(comment: str) -> str | None:
    return " ".join(re.sub(r"(?m)^\s*\*+|\*+$", "", comment).split()) or None


def docs(file: descriptor_pb2.FileDescriptorProto) -> dict[str, str | None]:
    """Return protoc's comments by full field name."""
    at = {tuple(location.path): location for location in file.source_code_info.location}
    result: dict[str, str | None] = {}

    def gather(message: descriptor_pb2.DescriptorProto, path: tuple[int, ...], scope: str) -> None:
        for index, field in enumerate(message.field):
            location = at.get((*path, 2, index))
            name = f"{scope}{message.name}.{field.name}"
            if field.type == field.TYPE_GROUP:
                result[name] = _UNTOLD
            elif location:
                result[name] = plain(location.leading_comments or location.trailing_comments)
        for index, inner in enumerate(message.nested_type):
            gather(inner, (*path, 3, index), f"{scope}{message.name}.")

    for index, message in enumerate(file.message_type):
        gather(message, (4, index), f"{file.package}." if file.package else "")
    return result


def rows(message: Descriptor, docs: dict[str, str | None]) -> list[Row]:
    """List what a plain walk over the compiler's descriptors finds."""
    result: list[Row] = []

    def value(
        path: tuple[str, ...], field: FieldDescriptor, above: frozenset[str], named: FieldDescriptor | None
    ) -> None:
        word = _WORDS[field.type]
        if field.message_type and field.message_type.full_name in _ONE_COLUMN:
            word = _ONE_COLUMN[field.message_type.full_name]
        cut = field.message_type.full_name if word == "message" and field.message_type.full_name in above else None
        nullable = bool(named) and field.has_presence and not field.is_required
        doc = docs.get(named.full_name) if named else None
        result.append((path, word, nullable, named.number if named else None, cut, doc))
        if word == "message" and not cut and field.message_type.full_name not in _ONE_COLUMN:
            fields(path, field.message_type, above)

    def fields(path: tuple[str, ...], message: Descriptor, above: frozenset[str]) -> None:
        for field in message.fields:
            inside, texts = above | {message.full_name}, (*path, field.name)
            entry = field.message_type if field.message_type and field.message_type.GetOptions().map_entry else None
            if not field.is_repeated:
                value(texts, field, inside, field)
                continue
            result.append((texts, "map" if entry else "array", False, field.number, None, docs.get(field.full_name)))
            inner = entry.fields_by_name["value"] if entry else field
            value((*texts, "{}" if entry else "[]"), inner, inside, None)

    fields((), message, frozenset())
    return result


def compare(folder: Path, name: str, files: dict[str, str]) -> None:
    """Assert that both readers find the same records, and for each the same columns."""
    write(folder, files)
    pool, comments = descriptor_pool.DescriptorPool(), {}
    for file in compiled(folder, name).file:
        comments |= docs(file)
        pool.Add(file)
    parsed = protobuf_fields(files[name], files.get, None)
    assert parsed.problems == ()
    for record in parsed.records:
        theirs = rows(pool.FindMessageTypeByName(record), comments)
        untold = {row[0] for row in theirs if row[5] == _UNTOLD}
        ours = [
            (c.path, c.type, c.nullable, c.number, c.recursive, _UNTOLD if c.path in untold else plain(c.doc or ""))
            for c in protobuf_fields(files[name], files.get, record).columns
        ]
        assert ours == theirs
    top = pool.FindFileByName(name).message_types_by_name.values()
    assert list(parsed.records[: len(top)]) == [message.full_name for message in top]


@pytest.mark.parametrize("name", [name for name in FILES if name != "unit.proto"])
def test_both_readers_agree_on_everything_the_grammar_has(name: str, tmp_path: Path) -> None:
    """Where they differ, one of them reports a user something false."""
    compare(tmp_path, name, FILES)


_SCALARS = st.sampled_from(["int32", "sint64", "fixed32", "double", "bool", "string", "bytes"])
_TYPES = st.one_of(_SCALARS, st.sampled_from(["A", "B", ".p.A", "p.B", "A.C", "E", "C"]))
_COMMENTS = st.sampled_from(["", "", "// one\n", "\n// two\n", "\n\n/* three */\n", "/* four */", "\n//five\n\n", "\n"])


@st.composite
def field(draw: st.DrawFn, number: int, syntax: str) -> str:
    """Build a field of any shape, with comments around it."""
    label = "optional " if syntax == "proto2" else draw(st.sampled_from(["", "", "optional ", "repeated "]))
    if syntax == "proto2":
        label = draw(st.sampled_from(["optional ", "required ", "repeated "]))
    if syntax == "2023":
        label = draw(st.sampled_from(["", "repeated "]))
    before, after = draw(_COMMENTS), draw(_COMMENTS)
    type_ = draw(_TYPES)
    shape = draw(st.integers(0, 9))
    if shape == 0:
        return f"{before}map<string, {type_}> f{number} = {number};{after}"
    if shape == 1:
        return f"{before}oneof o{number} {{ {after}{type_} f{number} = {number}; }}"
    if shape == 2 and syntax == "proto2":
        return f"{before}{label}group G{number} = {number} {{ optional {type_} g = 1; }}"
    return f"{before}{label}{type_} f{number} = {number};{after}"


@st.composite
def proto(draw: st.DrawFn) -> str:
    """Build a file of three messages that use each other."""
    syntax = draw(st.sampled_from(["proto2", "proto3", "2023"]))
    bodies = ["".join(draw(field(number, syntax)) for number in range(1, draw(st.integers(1, 4)))) for _ in range(3)]
    a, b, c = bodies
    word = "edition" if syntax == "2023" else "syntax"
    return (
        f'{word} = "{syntax}"; package p; message A {{ {a} message C {{ {c} }} }} message B {{ {b} message C {{}} }}'
        " message C {} enum E { Z = 0; }"
    )


@settings(examples(60), suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(proto())
def test_both_readers_agree_on_any_schema(tmp_path: Path, text: str) -> None:
    """Shapes, scopes, recursion and comments in every mixture."""
    compare(tmp_path, "any.proto", {"any.proto": text})


@examples(150)
@given(proto(), st.data())
def test_damaged_schema_never_raises_and_never_repeats_a_path(text: str, data: st.DataObject) -> None:
    """What arrives may be cut, doubled or overwritten anywhere."""
    at = data.draw(st.integers(0, len(text)))
    piece = data.draw(
        st.sampled_from(["", "{", "}", "[", "];", '"', "/*", "<", "=", "\0", "é", "message", "oneof x {"])
    )
    deleted = data.draw(st.integers(0, 12))

    parsed = protobuf_fields(text[:at] + piece + text[at + deleted :], lambda _: None, None)

    paths = [column.path for column in parsed.columns]
    assert len(set(paths)) == len(paths)


@examples(150)
@given(st.text(max_size=60))
def test_any_text_gives_an_answer(text: str) -> None:
    """No text raises; one without a message has a problem."""
    parsed = protobuf_fields(text, lambda _: None, None)

    assert parsed.records or parsed.problems
