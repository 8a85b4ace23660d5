"""Each mistake, and the place where it is reported."""

import json

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from manual_input.json_cursor import example
from manual_input.loader import ManualResult, check, read_manual_input
from scanner_model.errors import InputInvalid
from scanner_model.names import ClusterName


def schema_of(entry: str) -> str:
    return '{"topics": [{"name": "t", "schemas": [\n' + entry + "]}]}"


def flow_of(entry: str) -> str:
    return '{"topics": ["a"], "flows": [\n' + entry + "]}"


S = "$.topics[0].schemas[0]"
F = "$.flows[0]"

CASES = {
    "not JSON": ('{"topics": [}', "1:13"),
    "nothing at all": ("", "1:1"),
    "no object": ("[]", "1:1 $"),
    "unknown member": ('{"topcis": []}', "1:12 $.topcis"),
    "member twice": ('{"topics": [],\n "topics": []}', "2:12 $.topics"),
    "newer format": ('{"version": 2}', "1:13 $.version"),
    "broker": ('{"brokers": ["a:1", "a:x"]}', "1:21 $.brokers[1]"),
    "illegal topic": ('{"topics": ["a",\n  "a/b"]}', "2:3 $.topics[1]"),
    "topic of dots": ('{"topics": [".."]}', "1:13 $.topics[0]"),
    "topic twice": ('{"topics": ["a", {"name":\n"a"}]}', "2:1 $.topics[1].name"),
    "topic twice in a group": ('{"topics": [{"names": ["a", "a"]}]}', "1:29 $.topics[0].names[1]"),
    "topic without name": ('{"topics": [{}]}', "1:13 $.topics[0]"),
    "owner twice": ('{"owners": {"a": ["x"], "b": ["y",\n"x"]}}', "2:1 $.owners.b[1]"),
    "owner of a number": ('{"owners": {"a": [1]}}', "1:19 $.owners.a[0]"),
    "name and names": ('{"topics": [{"name": "a", "names": ["b"]}]}', "1:13 $.topics[0]"),
    "partitions": ('{"topics": [{"name": "a", "partitions": 0}]}', "1:41 $.topics[0].partitions"),
    "character": ('{"topics": [{"name": "a", "description": "\\ud800"}]}', "1:42 $.topics[0].description"),
    "character in a name": ('{"x-\\u0000": 1}', '1:14 $["x-\\u0000"]'),
    "no content": (schema_of('{"role": "key"}'), f"2:1 {S}"),
    "two contents": (schema_of('{"samples": ["in.json"], "columns": ["a"]}'), f"2:37 {S}.columns"),
    "references of columns": (schema_of('{"columns": ["a"], "references": {}}'), f"2:34 {S}.references"),
    "missing file": (schema_of('{"file": "no.avsc"}'), f"2:10 {S}.file"),
    "missing directory": (schema_of('"no/such/a.avsc"'), f"2:1 {S}"),
    "file is a directory": (schema_of('{"file": ".", "format": "AVRO"}'), f"2:10 {S}.file"),
    "file below a file": (schema_of('"in.json/a.avsc"'), f"2:1 {S}"),
    "file name too long": (schema_of('"' + "a" * 5000 + '.avsc"'), f"2:1 {S}"),
    "empty file": (schema_of('"empty.avsc"'), f"2:1 {S}"),
    "not UTF-8": (schema_of('"latin.avsc"'), f"2:1 {S}"),
    "missing reference": (
        schema_of('{"file": "in.json", "references": {"c": "c.proto"}}'),
        f"2:41 {S}.references.c",
    ),
    "format unknown": (schema_of('{"file": "in.json", "format": "AVOR"}'), f"2:31 {S}.format"),
    "format of samples": (schema_of('{"file": "in.json", "format": "JSON_PAYLOAD"}'), f"2:31 {S}.format"),
    "format untold": (schema_of('"latin.txt"'), f"2:1 {S}"),
    "no sample": (schema_of('{"samples": ["no/*.json"]}'), f"2:14 {S}.samples[0]"),
    "impossible glob": (schema_of('{"samples": ["**a"]}'), f"2:14 {S}.samples[0]"),
    "sample not JSON": (schema_of('{"samples": ["sample.txt"]}'), f"2:14 {S}.samples[0]"),
    "sample NaN": (schema_of('{"samples": ["nan.txt"]}'), f"2:14 {S}.samples[0]"),
    "sample deep": (schema_of('{"samples": ["deep.txt"]}'), f"2:14 {S}.samples[0]"),
    "role": (schema_of('{"columns": ["a"], "role": "vlaue"}'), f"2:28 {S}.role"),
    "version alone": (schema_of('{"columns": ["a"], "version": 1}'), f"2:31 {S}.version"),
    "same subject": (
        schema_of('{"columns": ["a"], "subject": "s"},\n{"columns": ["b"], "subject": "s"}'),
        "3:1 $.topics[0].schemas[1]",
    ),
    "same side": (schema_of('{"columns": ["a"]},\n{"columns": ["b"]}'), "3:1 $.topics[0].schemas[1]"),
    "use unknown": (schema_of('{"use": "x"}'), f"2:9 {S}.use"),
    "use and file": ('{"schemas": {"s": {"type": "x"}}, "topics": [{"name": "t", "schemas": [\n'
                     '{"use": "s", "file": "in.json"}]}]}', f"2:22 {S}.file"),
    "columns and type": (schema_of('{"columns": ["a"], "type": "x"}'), f"2:28 {S}.type"),
    "list and map": (schema_of('{"columns": [{"name": "a", "items": "x", "values": "y"}]}'), f"2:14 {S}.columns[0]"),
    "column without name": (schema_of('{"columns": [{"type": "x"}]}'), f"2:14 {S}.columns[0]"),
    "column twice": (schema_of('{"columns": ["a", {"name": "a"}]}'), f"2:19 {S}.columns[1]"),
    "default": (schema_of('{"columns": [{"name": "a", "default": 1e999}]}'), f"2:39 {S}.columns[0].default"),
    "assigned twice": ('{"subjects": {"S": ["a", "a"]}}', "1:26 $.subjects.S[1]"),
    "assigned to nothing": ('{"subjects": {"S": {}}}', "1:20 $.subjects.S"),
    "flow without end": (flow_of('{"from": "a"}'), f"2:1 {F}"),
    "end without dataset": (flow_of('{"from": "a", "to": {"column": "x"}}'), f"2:21 {F}.to"),
    "end of both kinds": (flow_of('{"from": "a", "to": {"topic": "a", "namespace": "n"}}'), f"2:21 {F}.to"),
    "namespace alone": (flow_of('{"from": "a", "to": {"namespace": "n"}}'), f"2:21 {F}.to"),
    "column path": (flow_of('{"from": "a", "to": {"topic": "a", "column": "x..y"}}'), f"2:46 {F}.to.column"),
    "columns twice": (
        flow_of('{"from": {"topic": "a", "column": "x"}, "to": "a", "columns": [{"from": "x", "to": "y"}]}'),
        f"2:35 {F}.from.column",
    ),
}  # fmt: skip


@pytest.fixture
def beside(tmp_path):
    """Lay the files that the cases name beside the document."""
    (tmp_path / "empty.avsc").write_text(" \n")
    (tmp_path / "latin.avsc").write_bytes(b"\xe4\xf6")
    (tmp_path / "latin.txt").write_text("x")
    (tmp_path / "sample.txt").write_text('{"a": 1}\n{"a": }')
    (tmp_path / "nan.txt").write_text("NaN")
    (tmp_path / "deep.txt").write_text("[" * 100_000)


@pytest.mark.parametrize(("text", "location"), CASES.values(), ids=CASES)
def test_error_is_reported_at_its_position(read, beside, text, location) -> None:
    """One mistake, one problem: at the line and column of what is wrong, and its JSON path."""
    with pytest.raises(InputInvalid) as caught:
        read(text)

    assert [problem.where for problem in caught.value.problems] == [f"in.json:{location}"]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ('{"topcis": []}', "did you mean 'topics'?"),
        (schema_of('{"columns": ["a"], "role": "vlaue"}'), "did you mean 'value'?"),
        (schema_of('"emtpy.avsc"'), "did you mean 'empty.avsc'"),
        (schema_of('{"file": "in.json", "format": "AVOR"}'), "did you mean 'AVRO'?"),
    ],
)
def test_slip_of_the_pen_is_met_with_the_nearest_name(read, beside, text, hint) -> None:
    """Most mistakes are one letter."""
    with pytest.raises(InputInvalid) as caught:
        read(text)

    assert caught.value.hint.startswith(hint)


def test_place_in_a_sample_file_is_reported_too(read, beside) -> None:
    """The mistake is in the sample; the document only names it."""
    with pytest.raises(InputInvalid) as caught:
        read(schema_of('{"samples": ["sample.txt"]}'))

    assert caught.value.what.startswith("sample.txt:2:7: not JSON")


def test_five_errors_are_five_problems_in_file_order(read) -> None:
    """Whoever mends a file wants to mend it once, from top to bottom."""
    text = """{
      "flows": [{"from": "a", "to": {"topic": "a", "column": "x..y"}}],
      "brokers": ["kafka-1:x"],
      "topics": [{"name": "a", "schemas": ["no.avsc"]}, "a"],
      "topcis": []
    }"""

    with pytest.raises(InputInvalid) as caught:
        read(text)

    assert [problem.where for problem in caught.value.problems] == [
        "in.json:2:62 $.flows[0].to.column",
        "in.json:3:19 $.brokers[0]",
        "in.json:4:44 $.topics[0].schemas[0]",
        "in.json:4:57 $.topics[1]",
        "in.json:5:17 $.topcis",
    ]


def test_problems_of_every_file_are_reported_at_once(read, write) -> None:
    """A topic may be declared by one file only; the other is named."""
    with pytest.raises(InputInvalid) as caught:
        read(
            {"topics": ["a", "!"]},
            write("two.json", {"topics": ["a"]}),
            write("none.json", "").with_name("gone.json"),
        )

    first, second, third = caught.value.problems
    assert first.where == "in.json:1:18 $.topics[1]"
    assert (second.where, second.hint) == ("two.json:1:13 $.topics[0]", "first at in.json:1:13 $.topics[0]")
    assert third.where == "gone.json"


def test_error_in_a_shared_schema_is_reported_once(read) -> None:
    """However many topics use it, it is mended in one place."""
    shared = {"columns": ["a"], "version": 1}

    with pytest.raises(InputInvalid) as caught:
        read({"schemas": {"s": shared}, "topics": [{"names": ["a", "b"], "schemas": [{"use": "s"}]}]})

    assert [problem.where for problem in caught.value.problems] == ["in.json:1:49 $.schemas.s.version"]


@pytest.mark.parametrize("depth", [20, 60, 400, 100_000])
def test_bottomless_nesting_is_a_problem(read, depth) -> None:
    """Neither the stack nor the patience of anybody is exhausted."""
    nested = '{"columns": [{"name": "a", "columns": [' * depth

    with pytest.raises(InputInvalid):
        read(schema_of(nested + "]}]}" * depth))


def test_number_of_ten_thousand_digits_is_a_problem(read) -> None:
    """Python itself refuses to convert it."""
    with pytest.raises(InputInvalid) as caught:
        read('{"version": ' + "1" * 10_000 + "}")

    assert caught.value.where.startswith("in.json")


WORDS = """cluster brokers topics schemas subjects flows name names columns items values type use file samples role id
version subject from to topic column default"""
KEYS = st.sampled_from(WORDS.split())
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | KEYS
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=20
)


@examples(150)
@given(document=st.dictionaries(KEYS, JSON, max_size=5) | JSON)
def test_any_json_is_read_or_refused(tmp_path_factory, document) -> None:
    """Nothing that a person can write ends in a traceback."""
    file = tmp_path_factory.getbasetemp() / "any.json"
    file.write_text(json.dumps(document), encoding="utf-8")

    try:
        outcome = read_manual_input([file], ClusterName("cluster"), ())
    except InputInvalid as error:
        outcome = error

    assert isinstance(outcome, ManualResult) or outcome.problems


def places_in(value):
    yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from places_in(inner)


@examples(150)
@given(data=st.data())
def test_example_with_anything_in_it_is_read_or_refused(tmp_path_factory, data) -> None:
    """A document that is nearly right reaches deeper than one that is all wrong."""
    document = json.loads(example())
    holder = data.draw(
        st.sampled_from([location for location in places_in(document) if isinstance(location, dict | list)])
    )
    key = data.draw(st.sampled_from([*holder] if isinstance(holder, dict) else range(len(holder))))
    holder[key] = data.draw(JSON)
    file = tmp_path_factory.getbasetemp() / "example.json"
    file.write_text(json.dumps(document), encoding="utf-8")

    result = check([file])

    assert all(row.what and row.where for row in result.rows)


@examples(60)
@given(text=st.text(max_size=60))
def test_any_text_is_read_or_refused(tmp_path_factory, text) -> None:
    """A file cut off in the middle is as good an input as any."""
    file = tmp_path_factory.getbasetemp() / "any.txt"
    file.write_text('{"topics": [' + text, encoding="utf-8", errors="surrogatepass")

    with pytest.raises(InputInvalid):
        read_manual_input([file], ClusterName("cluster"), ())
