"""HOCON: keys, blocks, lists, references and comments."""

from __future__ import annotations

import pytest

from scanner_extractor.repository.applications.hocon import read_hocon


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a.b = "x"', {"a.b": "x"}),
        ("a : x y // rest", {"a": "x y"}),
        ("a { b { c = 1 }, d = 2 }", {"a.b.c": "1", "a.d": "2"}),
        ("a = {\n b = 1\n}\nc = 2", {"a.b": "1", "c": "2"}),
        ("a =\n{\n b = 1\n}", {"a.b": "1"}),
        ('a = ["x", "y"]', {"a": "x,y"}),
        ('a = [\n "x"\n "y"\n]\nb = 1', {"a": "x,y", "b": "1"}),
        ("a = [{ b = 1 }, { b = 2 }]", {"a[0].b": "1", "a[1].b": "2"}),
        ('a = "x"\na = ${?A}', {"a": "${A:x}"}),
        ("a = ${b}-c", {"a": "${b}-c"}),
        ("a = x # rest\n# b = y", {"a": "x"}),
        ('include "other"\na = 1', {"a": "1"}),
        ('a = """x\n"y" """', {"a": 'x\n"y"'}),
        ("url = host:80", {"url": "host:80"}),
        ("}}]] a = 1", {"a": "1"}),
        ("", {}),
    ],
)
def test_keys_with_their_values(text: str, expected: dict[str, str]):
    assert {key: value for key, value, _ in read_hocon(text)} == expected


def test_a_key_has_the_line_of_its_last_value():
    assert [(key, line) for key, _, line in read_hocon("a {\n  b = 1\n}\nc = 2")] == [("a.b", 2), ("c", 4)]


@pytest.mark.parametrize(
    "text", ['"' * 100_000, "{" * 100_000, "${" * 100_000, '"""' + '"' * 100_000, "a = [" * 50_000]
)
def test_the_time_grows_with_the_text(text: str):
    """With its square, each of these takes minutes: the test does not end."""
    assert len(list(read_hocon(text))) <= 1
