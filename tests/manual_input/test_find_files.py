"""Which files a path, a glob and a directory stand for."""

import pytest

from manual_input.json_cursor import find_files
from scanner_model.errors import InputInvalid


@pytest.fixture
def find(tmp_path):
    """Find files by patterns, told relative to the test's directory."""
    return lambda *patterns: [file.relative_to(tmp_path).as_posix() for file in find_files(patterns, tmp_path)]


def test_directory_stands_for_what_looks_like_manual_input(find, write) -> None:
    """Schemas and samples lie beside the documents that name them."""
    write("m/b.json", {"topics": []})
    write("m/deep/a.json", {"subjects": {}})
    write("m/flows.json", {"flows": []})
    write("m/schema.json", {"type": "object", "properties": {"topics": {}}})
    write("m/topics.json", {"topics": 5})
    write("m/sample.json", "[]")
    write("m/order.avsc", {"topics": []})

    assert find("m") == ["m/b.json", "m/deep/a.json", "m/flows.json"]


def test_broken_document_in_a_directory_is_not_overlooked(find, write, tmp_path) -> None:
    """A comma too many must lead to a message, not to silence."""
    write("m/broken.json", '{"topics": [,]}')
    write("m/lines.json", '{"a": 1}\n{"a": 2}')
    write("m/deep.json", "[" * 100_000)
    (tmp_path / "m" / "latin.json").write_bytes(b"\xff")

    assert find("m") == ["m/broken.json", "m/latin.json"]


def test_file_and_glob_are_taken_at_their_word(find, write) -> None:
    """Who names a file means it, whatever is in it; each is listed once, sorted."""
    write("b.json", "[]")
    write("a[1].json", "[]")
    write("d/c.json", {"topics": []})

    assert find("b.json", "*.json", "a[1].json", "d*") == ["a[1].json", "b.json", "d/c.json"]


def test_absolute_glob_is_found(find, write, tmp_path) -> None:
    """The base is for relative patterns only."""
    write("a.json", "[]")

    assert find(f"{tmp_path}/*.json") == ["a.json"]


def test_every_pattern_without_a_file_is_a_problem(find, write) -> None:
    """A glob that matches nothing is a mistake, not an empty answer."""
    write("a.json", "[]")
    write("empty/x.txt", "")

    with pytest.raises(InputInvalid) as caught:
        find("a.json", "no.json", "no*/**", "empty", "**x", "a\0b")

    assert [problem.where for problem in caught.value.problems] == ["no.json", "no*/**", "empty", "**x", "a\0b"]
