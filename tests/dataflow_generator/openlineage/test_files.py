"""Events in files of every layout."""

import gzip
import io
import json

import pytest

from dataflow_generator.openlineage.importer import event_files, texts_in, texts_of
from scanner_model.errors import InputInvalid

A, B = {"a": 1}, {"b": [2]}


def texts(data: bytes) -> list[tuple[str, object]]:
    result = []
    for where, text in texts_in(io.BytesIO(data), "f"):
        try:
            result.append((where, json.loads(text)))
        except ValueError:
            result.append((where, text.strip()))
    return result


def lines(*documents: object) -> bytes:
    return b"".join(json.dumps(document).encode() + b"\n" for document in documents)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\n \n", []),
        (lines(A, B), [("f:1", A), ("f:2", B)]),
        (b"\xef\xbb\xbf\r\n" + json.dumps(A).encode() + b"\r\n\r\n" + json.dumps(B).encode(), [("f:2", A), ("f:4", B)]),
        (lines([A, B]), [("f:1[0]", A), ("f:1[1]", B)]),
        (json.dumps(A, indent=1).encode(), [("f", A)]),
        (json.dumps([A, B], indent=1).encode(), [("f[0]", A), ("f[1]", B)]),
        (json.dumps(A, indent=1).encode() + b"\n" + json.dumps(B, indent=1).encode(), [("f[0]", A), ("f[1]", B)]),
        (gzip.compress(lines(A, B), mtime=0), [("f:1", A), ("f:2", B)]),
    ],
)
def test_events_are_found_in_every_layout(data, expected) -> None:
    """One on each line, an array, a document, several documents, packed or not."""
    assert texts(data) == expected


def test_a_broken_line_costs_itself_only() -> None:
    """Wherever it stands, the first line too."""
    broken = b'{"a": \n'

    assert texts(lines(A) + broken + lines(B)) == [("f:1", A), ("f:2", '{"a":'), ("f:3", B)]
    assert texts(broken + lines(A, B)) == [("f:1", '{"a":'), ("f:2", A), ("f:3", B)]


def test_a_document_with_something_after_it_is_given_whole_to_be_refused() -> None:
    """Half of it must not pass for all of it."""
    text = json.dumps(A, indent=1) + "\n}"

    assert texts(text.encode()) == [("f", text)]


def test_a_damaged_packed_file_is_reported() -> None:
    """It was cut off on its way."""
    with pytest.raises(InputInvalid) as error:
        texts(gzip.compress(lines(*[A] * 100))[:-20])

    assert error.value.where == "f"


def test_a_directory_is_all_files_below_it_but_hidden_ones(tmp_path) -> None:
    """A program may be writing into a hidden one."""
    (tmp_path / "b").mkdir()
    for name in ("b/2.ndjson", "1.json", ".part", "b/.hidden"):
        (tmp_path / name).write_bytes(lines(A))

    assert [str(event_file.relative_to(tmp_path)) for event_file in event_files(tmp_path)] == ["1.json", "b/2.ndjson"]
    assert [text.where for text in texts_of(tmp_path / "1.json")] == [f"{tmp_path}/1.json:1"]


def test_a_place_without_files_is_reported(tmp_path) -> None:
    """An empty answer would look like a success."""
    for location in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(InputInvalid):
            event_files(location)


def test_a_packed_line_without_an_end_is_refused() -> None:
    """A few kilobytes of gzip may be a line of gigabytes."""
    packed = gzip.compress(b"0" * 1_000_001)

    with pytest.raises(InputInvalid, match="longer than"):
        list(texts_in(io.BytesIO(packed), "x", longest=1_000_000))


def test_a_line_of_very_many_values_is_given_to_be_refused() -> None:
    """As objects they would take gigabytes."""
    text = "[" + "{}," * 3_000_000 + "{}]"

    (event_text,) = texts_in(io.BytesIO(text.encode()), "x")

    assert event_text.text == text
