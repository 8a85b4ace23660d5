"""Edits of settings are a path and two values, whatever the syntax, the layout and the order of the file."""

from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from scanner_check.edits.documents import read_documents
from scanner_check.edits.lines import hunks
from scanner_check.edits.settings import setting_edits

OBJECT = "apiVersion: v1\nkind: A\nmetadata:\n  name: x\nspec:\n  env:\n  - name: T\n    value: a\n  args: [a, b]\n"
SAME_VALUE = [
    ("a.yaml", "kafka:\n  topic: a\n"),
    ("a.json", '{"kafka": {"topic": "a"}}'),
    ("a.toml", '[kafka]\ntopic = "a"\n'),
    ("a.conf", "kafka {\n  topic = a\n}\n"),
    ("agent.conf", '[[outputs.kafka]]\n  topic = "a"\n'),
    ("a.ini", "[kafka]\ntopic = a\n"),
    ("a.properties", "kafka.topic=a\n"),
    ("a.xml", "<c><kafka><topic>a</topic></kafka></c>"),
    ("main.tf", 'locals {\n  kafka = {\n    topic = "a"\n  }\n}\n'),
    (".env", "KAFKA_TOPIC=a\n"),
    ("Dockerfile", "FROM x\nENV KAFKA_TOPIC=a\n"),
    ("a.yaml.j2", "kafka:\n  topic: a\n  host: {{ host }}\n"),
]


@pytest.mark.parametrize(("path", "text"), SAME_VALUE)
def test_a_value_that_differs_is_one_edit_in_every_syntax(path: str, text: str) -> None:
    (edit,) = setting_edits(path, text, text.replace("a", "b") if path == "Dockerfile" else _other(text)) or ()

    assert edit.before is not None
    assert edit.after is not None
    assert (edit.before.rpartition("=")[2][-1], edit.after.rpartition("=")[2][-1]) == ("a", "b")
    assert "topic" in ".".join((*edit.keys, edit.after)).lower()


def _other(text: str) -> str:
    """Return a text with its only value `a` as `b`."""
    for quoted in ('"a"', "=a\n", "= a\n", ": a\n", ">a<"):
        if quoted in text:
            return text.replace(quoted, quoted.replace("a", "b"))
    raise AssertionError(text)


@pytest.mark.parametrize(
    ("old", "new", "path", "values", "line"),
    [
        ("value: a", "value: b", ("spec", "env", "name=T", "value"), ("a", "b"), 8),
        ("args: [a, b]", "args: [a, b, c]", ("spec", "args", "-"), (None, "c"), 9),
        ("args: [a, b]", "args: [b, a]", ("spec", "args", "-"), ("a", "b"), 9),
        ("  args: [a, b]\n", "", ("spec", "args", "-"), ("a", None), 7),
    ],
)
def test_an_edit_of_an_object_has_its_place(
    old: str, new: str, path: tuple[str, ...], values: tuple[str | None, ...], line: int
) -> None:
    edit = (setting_edits("a.yaml", OBJECT, OBJECT.replace(old, new)) or ())[0]

    assert (edit.path, (edit.before, edit.after), edit.line) == (path, values, line)
    assert (edit.document.kind, edit.document.name) == ("A", "x")


def test_comments_layout_and_order_of_members_are_no_edits() -> None:
    other = "# why\nkind: A\napiVersion: v1\nspec:\n  args:\n  - a\n  - b\n  env: [{value: a, name: T}]\n"
    other += "metadata: {name: x}\n"

    assert setting_edits("a.yaml", OBJECT, other) == []


def test_an_object_that_moves_among_others_is_no_edit() -> None:
    other = OBJECT.replace("name: x", "name: y")

    assert setting_edits("a.yaml", f"{OBJECT}---\n{other}", f"{other}---\n{OBJECT}") == []


def test_an_object_that_is_added_is_known_as_such() -> None:
    edits = setting_edits("a.yaml", OBJECT, OBJECT + "---\n" + OBJECT.replace("name: x", "name: y")) or ()

    assert {(edit.is_added, edit.document.name) for edit in edits} == {(True, "y")}


def test_a_control_line_of_a_template_is_an_edit() -> None:
    text = "{{- if .Values.on }}\n" + OBJECT + "{{- end }}\n"
    (edit,) = setting_edits("a.yaml", text, text.replace(".on", ".off")) or ()

    assert (edit.document.kind, edit.line) == ("{{ }}", 1)


@pytest.mark.parametrize("path", ["a.yaml", "a.json", "a.toml", "a.xml", "main.tf"])
def test_a_text_that_its_parser_rejects_has_no_documents(path: str) -> None:
    assert setting_edits(path, "", "{[<broken") is None


def test_an_entity_is_not_expanded() -> None:
    assert read_documents("a.xml", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>') is None


_KEYS = st.text("abcxyz", min_size=1, max_size=5)
_VALUES = st.recursive(
    st.text("mnopq", min_size=1, max_size=5),
    lambda inner: st.dictionaries(_KEYS, inner, min_size=1, max_size=3) | st.lists(inner, min_size=1, max_size=3),
    max_leaves=8,
)
_TREES = st.dictionaries(_KEYS, _VALUES, min_size=1, max_size=4)


@given(tree=_TREES)
def test_the_same_values_are_no_edit_however_they_are_written(tree: dict[str, object]) -> None:
    wide, narrow = json.dumps(tree), json.dumps(dict(reversed(tree.items())), indent=3)

    assert setting_edits("a.json", wide, narrow) == []
    assert setting_edits("a.yaml", wide, yaml.safe_dump(tree)) == []


@given(before=_TREES, after=_TREES)
def test_every_difference_of_two_trees_is_an_edit(before: dict[str, object], after: dict[str, object]) -> None:
    edits = setting_edits("a.json", json.dumps(before), json.dumps(after))

    assert edits is not None
    assert bool(edits) is (before != after)
    assert all(edit.line >= 1 for edit in edits)


@given(text=st.text(max_size=200))
@pytest.mark.parametrize("path", sorted({path for path, _ in SAME_VALUE}))
def test_no_text_raises(path: str, text: str) -> None:
    documents = read_documents(path, text)

    assert documents is None or all(leaf.line >= 1 for document in documents for leaf in document.leaves)


@given(before=st.lists(st.sampled_from("abc"), max_size=12), after=st.lists(st.sampled_from("abc"), max_size=12))
def test_hunks_turn_one_text_into_the_other(before: list[str], after: list[str]) -> None:
    lines = list(before)
    for hunk in reversed(hunks("\n".join(before), "\n".join(after))):
        start = hunk.line_before - 1
        assert lines[start : start + len(hunk.before)] == list(hunk.before)
        lines[start : start + len(hunk.before)] = hunk.after

    assert lines == after


@pytest.mark.parametrize("name", ["PAY_API_KEY", "db.password", "clientSecret"])
def test_the_values_of_a_secret_are_not_shown(name: str) -> None:
    (edit,) = setting_edits("a.properties", f"{name}=first-hush\n", f"{name}=second-hush\n") or ()

    assert "hush" not in edit.shown
    assert name.rpartition(".")[2] in edit.shown


@pytest.mark.parametrize(
    ("after", "differs"),
    [
        ("CREATE TABLE a (\n  id INT\n);\nINSERT INTO b\n  SELECT id FROM a;", False),
        ("CREATE TABLE a (id INT); INSERT INTO b SELECT id FROM a WHERE id > 1;", True),
        ("CREATE  TABLE a (id INT); INSERT INTO b SELECT 'x  y' FROM a;", True),
    ],
)
def test_the_layout_of_a_statement_is_no_edit(after: str, differs: bool) -> None:
    before = "CREATE TABLE a (id INT); INSERT INTO b SELECT id FROM a;"

    texts = (json.dumps({"spec": {"job": {"args": [sql]}}}) for sql in (before, after))

    assert bool(setting_edits("etl.json", *texts)) is differs
