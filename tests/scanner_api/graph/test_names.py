"""A name that means something else than it says is announced, by every question about the graph."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scanner_api import Dictionary, ProposedFiles, Target, check_change, generate, impact, lineage, paths, scan
from scanner_check.inputs.proposals import Proposal

OTHER = "orders.total means postgres://h:5432/shop.public.orders.total; the topic orders has no such column"


@pytest.fixture
def dictionary(tmp_path: Path) -> Dictionary:
    """Return a dictionary where the topic `orders` has `id` only, and a table of that name has `total`."""
    csv = {"format": "CSV", "columns": [{"name": "id", "type": "int"}]}
    avro = {"format": "AVRO", "columns": [{"name": "id", "type": "int"}, {"name": "old", "type": "int"}]}
    table = {"namespace": "postgres://h:5432", "name": "shop.public.orders"}
    manual = {
        "version": 1,
        "cluster": "c",
        "topics": [
            {"name": "orders", "schemas": [csv]},
            {"name": "legacy", "schemas": [{**avro, "subject": "legacy-value", "version": 1}]},
            "paid",
        ],
        "flows": [{"job": "j", "from": table, "to": "paid", "columns": [{"from": "total", "to": "sum"}]}],
    }
    (tmp_path / "manual.json").write_text(json.dumps(manual))
    config = {"cluster": "c", "brokers": ["b:9092"], "manual_input": ["manual.json"]}
    (tmp_path / "c.json").write_text(json.dumps(config))
    dictionary = Dictionary(f"sqlite:///{tmp_path / 'd.db'}")
    scan([tmp_path / "c.json"], dictionary)
    generate(dictionary)
    return dictionary


def test_every_question_announces_what_a_name_means(dictionary: Dictionary) -> None:
    """A misspelt column of a topic must not become an answer about a table."""
    assert lineage(dictionary, "orders.total").notes == (OTHER,)
    assert impact(dictionary, "orders.total").notes == (OTHER,)
    assert paths(dictionary, "orders.total", "paid.sum").notes == (OTHER,)


@pytest.mark.parametrize("name", ["orders", "orders.id", "paid.sum", "shop.public.orders.total", "j", "kafka://b/paid"])
def test_name_that_says_what_it_means_has_no_note(dictionary: Dictionary, name: str) -> None:
    """A note on every answer would not be read."""
    assert lineage(dictionary, name).notes == ()


def test_subject_of_manual_input_can_be_checked(dictionary: Dictionary) -> None:
    """No registry has it; the file says which topic it describes."""
    text = '{"type": "record", "name": "L", "fields": [{"name": "id", "type": "int"}]}'
    proposal = Proposal(file="L.avsc", text=text, kind="schema", target=Target(subject="legacy-value"))

    report = check_change(dictionary, ProposedFiles(proposals=(proposal,)))

    assert ("column-removed", "old is removed") in [(finding.rule, finding.what) for finding in report.findings]
