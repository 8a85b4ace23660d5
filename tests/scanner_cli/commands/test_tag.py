"""`scanner tag`: a decision that the next scan applies."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[3] / "examples" / "retail"


@pytest.fixture
def shop(scanner, tmp_path, monkeypatch) -> Path:
    """Scan a copy of the example in the current directory."""
    shutil.copytree(EXAMPLE, tmp_path / "shop")
    monkeypatch.chdir(tmp_path / "shop")
    monkeypatch.delenv("SCANNER_DICTIONARY", raising=False)
    assert scanner("scan", "--quiet", "--replay", "capture").status == 0
    return tmp_path / "shop"


def found(scanner, kind: str) -> set[tuple[str, str]]:
    rows = scanner("columns", "--tag", "PII", "--found", kind, "--format", "json").json
    return {(row["dataset"].rpartition("/")[2], row["column"]) for row in rows}


def test_every_name_that_columns_prints_can_be_tagged_and_is_after_the_next_scan(scanner, shop) -> None:
    """Of topics, of keys, of tables with and without their server; of suggested and of other columns."""
    names = {
        "payments.iban": ("payments", "iban"),
        "orders.@key": ("orders", "@key"),
        "cdc.customers.@key.payload.id": ("cdc.customers", "@key.payload.id"),
        "orders.lines.[].sku": ("orders", "lines.[].sku"),
        "warehouse.public.order_facts.amount": ("warehouse.public.order_facts", "amount"),
    }

    for name in names:
        assert scanner("tag", name, "PII", "--by", "ann").status == 0
    assert scanner("scan", "--quiet", "--replay", "capture").status == 0

    assert set(names.values()) <= found(scanner, "declared")
    assert scanner("validate", "--rule", "decision-without-column", "--strict").status == 0


def test_a_rejected_suggestion_is_not_made_again(scanner, shop) -> None:
    assert ("payments", "iban") in found(scanner, "suggested")

    scanner("tag", "payments.iban", "PII", "--reject", "--reason", "of a company")
    scanner("scan", "--quiet", "--replay", "capture")

    assert ("payments", "iban") not in found(scanner, "suggested")


def test_a_later_decision_replaces_the_earlier_one(scanner, shop) -> None:
    scanner("tag", "payments.iban", "PII", "--by", "ann")
    done = scanner("tag", "payments.iban", "PII", "--reject", "--by", "bob")
    decisions = json.loads((shop / "cluster.json").read_text())["personal_data"]["decisions"]

    assert "in place of: accepted by ann" in done.out
    assert [(each["by"], each["decision"]) for each in decisions] == [("bob", "rejected")]


@pytest.mark.parametrize("misspelt", ["orders.custmer.email", "orders.customer.emial"])
def test_a_misspelt_column_is_refused_with_the_nearest(scanner, shop, misspelt) -> None:
    """A decision on a column that does not exist would look like one that was made."""
    before = (shop / "cluster.json").read_text()
    done = scanner("tag", misspelt, "PII")

    assert (done.status, "orders.customer.email" in done.err) == (4, True)
    assert (shop / "cluster.json").read_text() == before


def test_without_a_cluster_json_the_error_says_how_to_get_one(scanner, shop, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = scanner("tag", "orders.id", "PII", "--dictionary", shop / "dictionary.db")

    assert done.status == 2
    assert "scanner init" in done.err
