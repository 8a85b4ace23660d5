"""YAML that somebody else wrote: values as they stand, each document alone, and no document without a limit."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.repository.yaml_documents import (
    DEEPEST,
    MOST_CHARACTERS,
    MOST_VALUES,
    Parsed,
    parse_yaml,
)

LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 9)
)
LONG_TEXT = f"a: &a {'x' * 20_000}\nb: [{', '.join(['*a'] * 1_000)}]"
LONG_LIST = f"a: &a [{'x' * 20_000}, y]\nb: [{', '.join(['*a'] * 1_000)}]"


def parsed(text: str) -> list[Parsed]:
    return list(parse_yaml(text))


def value(text: str) -> Any:
    (document,) = parsed(text)
    assert not document.error
    return document.value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1.10", {"a": "1.10"}),
        ("a: 0123", {"a": "0123"}),
        ("a: yes\nb: Off\nc: 'true'", {"a": True, "b": False, "c": "true"}),
        ("a:\nb: ~\nc: null\nd: ''", {"a": None, "b": None, "c": None, "d": ""}),
        ("a: !!int 5\nb: !!python/object/apply:os.system [x]", {"a": "5", "b": ["x"]}),
        ("- |\n  SELECT 1;\n  --\n- >\n  a\n  b\n", ["SELECT 1;\n--\n", "a b\n"]),
        ("true: a\n1: b\n~: c", {"true": "a", "1": "b", "null": "c"}),
        ("a: ${secrets:ns/db:password}", {"a": "${secrets:ns/db:password}"}),
        ('a: "{{ .Values.x }}"', {"a": "{{ .Values.x }}"}),
    ],
)
def test_values_are_what_the_file_has(text: str, expected: Any) -> None:
    """A number that became a float would differ from the setting that runs; a tag must not create an object."""
    assert value(text) == expected


def test_text_with_a_tag_of_an_application_is_a_placeholder() -> None:
    """`!Ref orders` of CloudFormation is not the topic `orders`."""
    text = "a: !Ref orders\nb: !Sub 'x-${stage}'\nc: !!str 1\nd: ! 'plain'\ne: [!GetAtt t.Arn]"

    assert value(text) == {"a": "${orders}", "b": "x-${stage}", "c": "1", "d": "plain", "e": ["${t.Arn}"]}


def test_merge_keys_add_what_the_mapping_does_not_have() -> None:
    """Descriptors share settings through anchors."""
    text = "base: &b {a: 1, c: 1}\nother: &o {d: 4}\none: {<<: *b, a: 2}\ntwo: {<<: [*b, *o]}"

    assert value(text)["one"] == {"a": "2", "c": "1"}
    assert value(text)["two"] == {"a": "1", "c": "1", "d": "4"}


def test_keys_have_their_lines() -> None:
    """A problem of the third topic names the third topic's line."""
    (_, document) = parsed("a: 1\n---\n# comment\ntopics:\n  one: {}\n  two:\n    partitions: 3\n")

    assert document.value.lines == {"topics": 4}
    assert document.value["topics"].lines == {"one": 5, "two": 6}
    assert document.value["topics"]["two"].line == 7


def test_a_document_that_is_no_yaml_costs_itself() -> None:
    """The parser stops at an error; the documents after it are read all the same."""
    first, second, third = parsed("a: 1\n---\nb: [1\n---\r\nc: 3\n...\n")

    assert (first.value, third.value) == ({"a": "1"}, {"c": "3"})
    assert second.error.startswith("it is not YAML")
    assert second.line >= 3
    assert not second.template


@pytest.mark.parametrize(
    "text",
    [
        "metadata:\n  name: {{ .Values.name }}\n",
        "{{- if .Values.on }}\na: 1\n{{- end }}\n",
        "a:\n{% for x in xs %}\n  - b\n{% endfor %}\n",
        '{{ include "x" . }}: {{ y }}',
    ],
)
def test_a_template_is_known_as_one(text: str) -> None:
    """Its author has to render it: that is another step than to correct it."""
    (document,) = parsed(text)

    assert document.template
    assert document.value is None
    assert document.error


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (LAUGHS, f"more than {MOST_VALUES} values, aliases expanded"),
        (LONG_TEXT, f"more than {MOST_CHARACTERS} characters, aliases expanded"),
        (LONG_LIST, f"more than {MOST_CHARACTERS} characters, aliases expanded"),
        ("[" * 900, f"nested more than {DEEPEST} levels"),
        ("[" * 100_000, "nest"),  # the parser has a limit of its own from PyYAML 6.0.4 on
        ("- " * 5_000, f"nested more than {DEEPEST} levels"),
        ("a: &a [*a]", "an alias (`*…`) refers to nothing before it"),
        ("a: *b", "an alias (`*…`) refers to nothing before it"),
        ("a: \x07", "it is not YAML"),
    ],
)
def test_what_exceeds_a_limit_is_refused(text: str, what: str) -> None:
    """A billion laughs, a deep nest and a cycle cost nothing but a message."""
    (document,) = parsed(text)

    assert document.value is None
    assert what in document.error
    assert not document.template


def test_password_that_looks_like_an_alias_is_not_shown() -> None:
    """Somebody forgot to quote it; problems are stored and printed."""
    (document,) = parsed("password: *hunter2")

    assert document.error
    assert "hunter2" not in document.error


def test_an_anchor_does_not_reach_into_the_next_document() -> None:
    """YAML forgets anchors at the end of a document."""
    first, second = parsed("a: &x 1\n---\nb: *x\n")

    assert first.value == {"a": "1"}
    assert "an alias" in second.error


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Whatever stands in a file, the scan goes on."""
    for document in parse_yaml(text):
        assert document.line >= 1
        assert document.value is None or not document.error


PLAIN = st.recursive(
    st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=8), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@given(PLAIN)
def test_texts_lists_and_mappings_come_back_as_they_were_written(content: Any) -> None:
    """PyYAML's own writer quotes whatever would be something else."""
    text = yaml.safe_dump({"<": content}, allow_unicode=True)

    assert value(text) == {"<": content}
