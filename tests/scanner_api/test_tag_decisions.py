"""Decisions on tags in the text of a cluster.json: only they change."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_api import Dictionary
from scanner_api.tag_decisions import decide_tag, with_decision
from scanner_model.errors import InputInvalid

ITEM = {"dataset": "orders", "column": "email", "tag": "PII", "decision": "accepted", "by": "ann", "on": "2026-11-28"}
OTHER = {**ITEM, "column": "name"}
VALUES = st.sampled_from([1, "}],", [], {}, ["x"], {"y": "]"}])
MEMBERS = st.dictionaries(st.sampled_from(["brokers", 'a "b"', "é", "{"]), VALUES)
INDENTS = st.sampled_from([None, 0, 2, 4, "\t"])
ENDS = st.sampled_from(["", "\n", "\r\n "])
PERSONAL: list[dict[str, Any]] = [
    {},
    {"personal_data": {}},
    {"personal_data": {"rules": []}},
    {"personal_data": {"decisions": []}},
    {"personal_data": {"decisions": [OTHER]}},
    {"personal_data": {"decisions": [OTHER, {**ITEM, "decision": "rejected"}], "rules": ["r.toml"]}},
]


def expected(document: dict[str, Any]) -> dict[str, Any]:
    personal = document.get("personal_data", {})
    kept = [ITEM if decision["column"] == "email" else decision for decision in personal.get("decisions", [])]
    kept += [] if ITEM in kept else [ITEM]
    return {**document, "personal_data": {**personal, "decisions": kept}}


@given(
    MEMBERS,
    st.sampled_from(PERSONAL),
    MEMBERS,
    st.sampled_from([None, 0, 2, 4, "\t"]),
    st.sampled_from(["", "\n", "\r\n "]),
)
def test_a_decision_is_written_and_nothing_else_changes(before, personal, after, indent, end) -> None:
    """However the file is laid out; the members keep their order."""
    document = {"cluster": "shop", **before, **personal, **after}
    text = json.dumps(document, indent=indent, ensure_ascii=False) + end

    changed, _ = with_decision(text, ITEM)

    assert json.loads(changed) == expected(document)
    assert list(json.loads(changed)) == list(expected(document))
    assert with_decision(changed, ITEM)[0] == changed
    assert changed.endswith(end)


@given(st.sampled_from([2, 4, "\t"]), st.sampled_from(PERSONAL))
def test_the_lines_of_a_laid_out_file_stay(indent, personal) -> None:
    """A reviewer sees the decision, and no reformatted file; a comma may be added to the last line."""
    text = json.dumps({"cluster": "shop", "brokers": [], **personal}, indent=indent)
    changed, replaced = with_decision(text, ITEM)
    gone = {line.rstrip(",") for line in text.splitlines()} - {line.rstrip(",") for line in changed.splitlines()}

    assert len(gone) <= (10 if replaced else 1), gone


INVALID = [
    "",
    "[]",
    "{",
    '{"a": 1}',
    '{"cluster": "a", "personal_data": 1}',
    '{"cluster": "a", "personal_data": {"decisions": {}}}',
]


@pytest.mark.parametrize("text", INVALID)
def test_a_file_that_cannot_hold_decisions_stays(text: str, tmp_path: Path, scanned_orders: Dictionary) -> None:
    file = tmp_path / "cluster.json"
    file.write_text(text)

    with pytest.raises(InputInvalid):
        decide_tag(scanned_orders, file, "orders.email", "PII", by="ann", on=date(2026, 11, 28))
    assert file.read_text() == text


@pytest.fixture
def scanned_orders(tmp_path: Path) -> Dictionary:
    import scanner_api as scanner

    schema = {"type": "record", "name": "O", "fields": [{"name": "email", "type": "string"}]}
    home = tmp_path / "schemas"
    home.mkdir()
    (home / "orders-value.avsc").write_text(json.dumps(schema))
    dictionary = scanner.open_dictionary(tmp_path / "d.db", create=True)
    scanner.scan([], dictionary, directories=[home])
    return dictionary
