"""Tests for the question where personal data are, on the bundled example."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_api.questions.personal_data import personal_data
from scanner_model.errors import NameUnknown

EXAMPLE = Path(__file__).parents[3] / "examples" / "retail"


@pytest.fixture(scope="module")
def dictionary(tmp_path_factory: pytest.TempPathFactory) -> Dictionary:
    """Scan the bundled example, and generate its graph."""
    dictionary = scanner_api.open_dictionary(tmp_path_factory.mktemp("retail") / "dictionary.db", create=True)
    scanner_api.scan([EXAMPLE / "cluster.json"], dictionary, replay=EXAMPLE / "capture")
    scanner_api.generate(dictionary)
    return dictionary


def test_declared_inherited_and_suggested_columns_are_told_apart(dictionary) -> None:
    rows = personal_data(dictionary)
    counts = Counter(row.found for row in rows)

    assert (counts["declared"], counts["inherited"], counts["masked"]) == (8, 13, 0)
    assert rows.complete
    suggested = {f"{row.dataset}.{row.column}" for row in rows if row.found == "suggested"}
    assert "customers.born" in suggested
    assert "payments.iban" in suggested
    others = {f"{row.dataset}.{row.column}" for row in rows if row.found in ("declared", "inherited")}
    assert suggested.isdisjoint(others)


def test_what_leaves_is_outside_or_has_a_reader(dictionary) -> None:
    rows = personal_data(dictionary, outside=True)
    readers = {(row.dataset, row.reader) for row in rows if row.reader}

    assert readers == {
        ("orders", "consumer-group analytics"),
        ("orders", "consumer-group nightly-report"),
        ("orders", "consumer-group order-service"),
        ("orders-enriched", "consumer-group analytics"),
    }
    assert {row.dataset.rpartition("/")[2] for row in rows if row.outside} == {
        "orders.txt",
        "warehouse.public.crm_customers",
        "warehouse.public.order_facts",
    }
    assert all(row.cluster == "retail" for row in rows)


def test_pages_and_filters_select_from_the_same_list(dictionary) -> None:
    every = personal_data(dictionary)
    page = personal_data(dictionary, limit=10)

    assert (*page, *personal_data(dictionary, cursor=page.next_cursor)) == tuple(every)
    only = personal_data(dictionary, found="inherited", tag="pii", cluster="retail")
    assert tuple(only) == tuple(row for row in every if row.found == "inherited")


def test_since_a_scan_only_new_inherited_columns_are_listed(dictionary) -> None:
    assert tuple(personal_data(dictionary, since="1")) == ()
    with pytest.raises(NameUnknown):
        personal_data(dictionary, since="7")
