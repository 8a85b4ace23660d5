"""Every format in the table answers for any text, within bounds, with columns that can be stored and named."""

from __future__ import annotations

import json
import sys
from subprocess import run

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from scanner_dictionary.compatibility.changes import objects
from scanner_extractor.evolution import SchemaText, differences, rejection
from scanner_extractor.formats import FORMATS, read_columns
from scanner_extractor.formats.limits import read_json
from scanner_model.columns import ParsedSchema, parse_path
from scanner_model.names import RecordName

MOST_COLUMNS = 200_000
MOST_CALLS = 40
"""For each character, beside 50,000 for any text: four times what the worst one needs."""

SCHEMAS = {
    "AVRO": (
        '{"type":"record","name":"R","fields":[{"name":"a.b","type":["null","int"]},{"name":"[]","type":{"type":"array",'
        '"items":"R"}},{"name":"m","type":{"type":"map","values":["int",{"type":"fixed","name":"F","size":2}]}},'
        '{"name":"u","type":["string",{"type":"record","name":"x.Y","fields":[{"name":"v","type":"gone.Z"}]}]}]}'
    ),
    "JSON": (
        '{"title":"R","type":"object","required":["a.b"],"properties":{"a.b":{"type":"integer"},"[]":{"type":"array",'
        '"items":{"$ref":"#"}},"m":{"type":"object","additionalProperties":{"$ref":"gone.json"}},"u":{"oneOf":['
        '{"type":"string"},{"title":"Y","type":"object","properties":{"v":true}}]}}}'
    ),
    "JSON_PAYLOAD": '{"a.b":1,"[]":[{"x":null},{"x":"2024-01-01"}],"u":[1,{"v":[]}]}\n{"a.b":"x","<y>":{}}',
    "PROTOBUF": (
        'syntax = "proto3"; package p; import "gone.proto"; message R { int32 a = 1; repeated R r = 2; '
        "map<string, R> m = 3; oneof o { string s = 4; bytes b = 5; } enum E { X = 0; } E e = 6; }"
    ),
}
"""One ordinary schema a format, which broken texts are made of."""

WRONG = {
    "empty": "",
    "space": " \n\t ",
    "nul": "\x00",
    "half a surrogate pair": '"\ud800"',
    "half a surrogate pair as a name": '{"type":"record","name":"\ud800","\ud801":1,"fields":[]}',
    "byte order mark": "\ufeff",
    "null": "null",
    "number": "1e999",
    "digits": "9" * 10_000,
    "open lists": "[" * 100_000,
    "lists": "[" * 5000 + "]" * 5000,
    "objects": '{"type":' * 5000 + "1" + "}" * 5000,
    "arrays of arrays": '{"type":"array","items":' * 1500 + '"int"' + "}" * 1500,
    "properties": '{"properties":{"a":' * 1500 + "true" + "}}" * 1500,
    "open messages": 'syntax="proto3";' + "message M {" * 3000,
    "messages": "message M {" * 300 + "}" * 300,
    "open comment": "/*" + "*" * 100_000,
    "open text": '"' + "\\" * 100_001,
    "long": "a" * 1_000_000,
    "other": "<xml/>",
}

FORMAT = pytest.mark.parametrize("name", FORMATS)


def read(name: str, text: str) -> ParsedSchema:
    return FORMATS[name](text, lambda _: None, None)


def check(parsed: ParsedSchema) -> None:
    """Check what every reader promises of its columns."""
    paths = [column.path for column in parsed.columns]
    before: set[tuple[str, ...]] = {()}
    for path in paths:
        assert path[:-1] in before, f"{path} comes before its parent, or has none"
        before.add(path)
    assert len(set(paths)) == len(paths) <= MOST_COLUMNS
    assert all(parse_path(column.name) == column.path for column in parsed.columns)
    assert all(column.type for column in parsed.columns)
    stored = [text for column in parsed.columns for text in (column.name, column.doc, column.default)]
    "".join([*filter(None, stored), *map(str, parsed.problems)]).encode("utf-8")


@FORMAT
def test_ordinary_schema_of_every_format_is_here(name: str) -> None:
    """A format that enters the table brings one."""
    assert read(name, SCHEMAS[name]).columns


@pytest.mark.no_cover
@FORMAT
@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_reader_answers_for_wrong_text_with_work_that_grows_with_it(name: str, text: str, calls) -> None:
    """Registries hold anything; one text must not end a scan, nor hold it up."""
    parsed: list[ParsedSchema] = []
    counted = calls(lambda: parsed.append(read(name, text)))

    check(*parsed)
    assert counted.total() < 50_000 + MOST_CALLS * len(text)


@FORMAT
@pytest.mark.parametrize("text", SCHEMAS.values(), ids=SCHEMAS)
def test_reader_answers_for_the_schemas_of_other_formats(name: str, text: str) -> None:
    """A schema is registered under the wrong format now and then."""
    check(read(name, text))


@FORMAT
@examples(25)
@given(data=st.data())
def test_reader_answers_for_broken_schemas(name: str, data: st.DataObject) -> None:
    """A piece cut out, doubled or replaced: what is left may be read, and may not raise."""
    text = SCHEMAS[name]
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    piece = data.draw(
        st.sampled_from(["", text[start:end] * 2, '"', "{", "]", "null", "7", "[]"]) | st.text(max_size=5)
    )

    check(read(name, text[:start] + piece + text[end:]))


@FORMAT
@examples(25)
@given(text=st.text(max_size=60))
def test_reader_answers_for_any_text(name: str, text: str) -> None:
    """A text that is no schema at all is a problem, never an exception."""
    check(read(name, text))


_PIECES = st.text(max_size=3) | st.sampled_from(["\ud800", "a", "R", "x.Y", "int", "#", "#/definitions/a"])
_KEYS = st.sampled_from(
    [
        "type",
        "name",
        "namespace",
        "fields",
        "items",
        "values",
        "symbols",
        "size",
        "logicalType",
        "precision",
        "default",
        "properties",
        "definitions",
        "allOf",
        "oneOf",
        "$ref",
        "$id",
        "required",
        "enum",
        "title",
        "doc",
        "description",
    ]
)
_DOCUMENTS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | _PIECES
    | st.sampled_from(["record", "object", "array", "map", "fixed"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS | _PIECES, inner, max_size=4),
    max_leaves=12,
)
_TOKENS = st.sampled_from(
    [
        "message",
        "enum",
        "oneof",
        "map<string,",
        ">",
        "{",
        "}",
        "=",
        "1",
        ";",
        "[default=",
        "]",
        "A",
        "b",
        ".A.b",
        "repeated",
        "import",
        "package",
        "extend",
        "group",
        "reserved",
        "option",
        '"\\ud800"',
        "google.protobuf.Any",
        "// \ud800\n",
    ]
)


@FORMAT
@examples(60)
@given(document=_DOCUMENTS, tokens=st.lists(_TOKENS, max_size=25), other=_DOCUMENTS)
def test_reader_answers_for_random_structures(name: str, document: object, tokens: list[str], other: object) -> None:
    """Whatever stands where: a problem, never an exception, and nothing that no UTF-8 file could hold."""
    texts = (" ".join(tokens), " ".join(tokens)) if name == "PROTOBUF" else (json.dumps(document), json.dumps(other))
    parsed = read_columns(name, texts[0], lambda _: texts[1])

    check(parsed)
    "".join([parsed.name, *parsed.records, *(tag for column in parsed.columns for tag in column.tags)]).encode("utf-8")


@FORMAT
def test_text_with_half_a_surrogate_pair_costs_a_problem_at_most(name: str) -> None:
    """A text cut in the middle of an emoji holds it; the columns are read all the same."""
    text = SCHEMAS[name]
    cut = f"// \ud83d\n{text}" if name == "PROTOBUF" else text.replace("a.b", "a\ud83d")
    parsed = read_columns(name, cut, lambda _: None)

    check(parsed)
    assert len(parsed.columns) == len(read(name, text).columns)
    assert "half a surrogate pair" in parsed.problems[0].what


LONG = "n" * 1_000_000
OVERSIZED = {
    "AVRO": json.dumps(
        {"type": "record", "name": "R", "namespace": LONG, "fields": [
            {"name": f"f{n}", "type": {"type": "record", "name": f"N{n}", "fields": []}} for n in range(2000)]}
    ),
    "JSON": json.dumps({"properties": {LONG: {"properties": {f"p{n}": {} for n in range(2000)}}}}),
    "JSON_PAYLOAD": json.dumps({LONG: {f"p{n}": 1 for n in range(2000)}}),
    "PROTOBUF": f"syntax='proto3'; package {LONG}; message A {{"
    + "".join(f"B f{n} = {n + 1};" for n in range(2000))
    + "}",
}  # fmt: skip


@FORMAT
def test_names_without_end_do_not_multiply(name: str) -> None:
    """Every column repeats the names above it: two thousand of a megabyte would be two gigabytes."""
    parsed = read(name, OVERSIZED[name])

    assert sum(len(segment) for column in parsed.columns for segment in column.path) < 60_000_000
    assert parsed.problems


def test_problems_of_one_schema_are_listed_up_to_a_bound() -> None:
    """Thirty thousand lines about one text hide all others; how many there are is reported."""
    fields = [{"name": f"f{n}", "type": f"Gone{n}"} for n in range(300)]
    parsed = read_columns("AVRO", json.dumps({"type": "record", "name": "R", "fields": fields}), lambda _: None)

    assert (len(parsed.columns), len(parsed.problems)) == (300, 101)
    assert parsed.problems[-1].what == "200 more problems of this schema"


@FORMAT
def test_reader_gives_the_same_answer_twice(name: str) -> None:
    """Same input, same bytes."""
    assert repr(read(name, SCHEMAS[name])) == repr(read(name, SCHEMAS[name]))


@FORMAT
def test_reader_takes_a_record_that_is_not_there(name: str) -> None:
    """A subject may carry any name; the columns stay those of the default root."""
    reading = FORMATS[name](SCHEMAS[name], lambda _: None, RecordName("not.There"))

    assert reading.columns == read(name, SCHEMAS[name]).columns


@FORMAT
def test_reader_survives_a_lookup_that_answers_with_nonsense(name: str) -> None:
    """What a reference leads to was registered by anybody."""
    for text in ("", "[" * 5000, SCHEMAS[name], "\ud800"):
        check(FORMATS[name](SCHEMAS[name], lambda _, text=text: text, None))


def test_format_that_nobody_reads_is_a_problem() -> None:
    """The text is kept; somebody may add a reader."""
    parsed = read_columns("THRIFT", "struct S {}", lambda _: None)

    assert (parsed.columns, [problem.where for problem in parsed.problems]) == ((), ["$"])


def test_format_may_be_named_in_any_case() -> None:
    """One registry writes `avro`, another `AVRO`."""
    assert read_columns("avro", '"int"', lambda _: None).columns


def test_table_is_imported_without_any_reader() -> None:
    """`scanner --help` must not wait for a compiler of Protobuf."""
    heavy = "'fastavro', 'google.protobuf', 'grpc_tools', 'referencing', 'jsonschema', "
    heavy += "'scanner_extractor.formats.avro.reader'"
    script = f"import sys, scanner_extractor.formats; print([m for m in ({heavy}) if m in sys.modules])"
    ran = run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert ran.stdout.strip() == "[]"


def test_format_of_another_package_is_read_by_its_entry_point(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plug-in is a function of the same type as ours; its package is on the path, nothing else is needed."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "csv_heads.py").write_text(
        "from scanner_model.columns import Column, ParsedSchema\n"
        "def fields(text, lookup, record):\n"
        "    return ParsedSchema(columns=tuple(Column(path=(n,), type='text') for n in text.split(',')))\n"
    )
    info = folder / "csv_heads-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: csv-heads\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[scanner.schema_formats]\nCSV_HEAD = csv_heads:fields\nBROKEN = gone:x\n")
    monkeypatch.syspath_prepend(str(folder))

    assert [column.name for column in read_columns("csv_head", "a,b", lambda _: None).columns] == ["a", "b"]
    assert read_columns("broken", "", lambda _: None).problems[0].where == "csv-heads scanner.schema_formats:BROKEN"


@pytest.mark.parametrize("name", ["AVRO", "JSON"])
def test_what_reads_a_schema_changes_nothing_in_it(name):
    """A text is parsed once for all that read it: columns, rules of registries, words."""
    text, other = SCHEMAS[name], SCHEMAS[name].replace('"a.b"', '"a.c"')
    first = read_json(text)
    for one in (text, other):
        read_columns(name, one, lambda _: None)
        differences(name, SchemaText(one), SchemaText(text))
        rejection(name, SchemaText(one))
        list(objects(one))
    assert first is read_json(text)
    assert first == json.loads(text)
