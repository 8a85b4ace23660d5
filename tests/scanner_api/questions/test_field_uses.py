"""Which programs use which column: the questions about clients, columns, impact and lineage, and the check."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scanner_api import CheckOptions, ProposedFiles, Target, check_change, open_dictionary
from scanner_api.dictionary import Dictionary
from scanner_api.graph.generate import generate
from scanner_api.questions.clients import clients
from scanner_api.questions.graph import lineage
from scanner_api.questions.impact import impact
from scanner_api.questions.listings import columns
from scanner_api.scanning.run import scan
from scanner_check.inputs.proposals import Proposal
from scanner_check.model import ChangeFinding

FIELDS = ("order_id", "total", "note")
BILLING = """
import org.springframework.kafka.annotation.KafkaListener;
class Billing { public static void main(String[] a) {}
  @KafkaListener(topics = "orders")
  void on(Order order) { charge(order.getTotal()); } }
"""
SHOP = """
from kafka import KafkaProducer
def place(order_id):
    producer.send("orders", {"order_id": order_id, "total": 3})
"""
LEGACY = """
package main
import "github.com/segmentio/kafka-go"
func main() { kafka.NewReader(kafka.ReaderConfig{Topic: "orders"}) }
"""


def schema(*names: str) -> str:
    fields = [{"name": name, "type": "string"} for name in names]
    return json.dumps({"type": "record", "name": "Order", "namespace": "shop", "fields": fields})


def scanned(directory: Path, files: dict[str, str]) -> Dictionary:
    for path, text in files.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_text(text, encoding="utf-8")
    url = f"sqlite:///{directory.parent / 'dictionary.db'}"
    scan([], Dictionary(url), directories=[directory])
    dictionary = open_dictionary(url)
    generate(dictionary)
    return dictionary


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Dictionary:
    """Return a dictionary of two programs at a topic with a schema."""
    files = {
        "billing/src/Billing.java": BILLING,
        "billing/pom.xml": "<project><artifactId>billing</artifactId>kafka</project>",
        "shop/shop.py": SHOP,
        "schemas/orders-value.avsc": schema(*FIELDS),
    }
    return scanned(tmp_path_factory.mktemp("shop") / "repository", files)


def finding_of(shop: Dictionary, *names: str) -> ChangeFinding:
    target = Target(subject="orders-value")
    proposal = Proposal(file="orders-value.avsc", text=schema(*names), kind="schema", target=target)
    report = check_change(shop, ProposedFiles(proposals=(proposal,)), CheckOptions())
    return next(finding for finding in report.findings if finding.item)


def test_clients_by_column_name_the_line(shop: Dictionary) -> None:
    """Who reads this field, and where, is the question of every review."""
    rows = {(row.application, row.use, row.column, row.evidence) for row in clients(shop, topic="orders", columns=True)}

    assert rows == {
        ("billing", "reads", "total", "billing/src/Billing.java:5"),
        ("shop", "writes", "order_id", "shop/shop.py:4"),
        ("shop", "writes", "total", "shop/shop.py:4"),
    }


def test_columns_without_a_reader(shop: Dictionary) -> None:
    """A column that no program reads may be removed; a writer is no reader."""
    assert [(row.name, row.unseen) for row in columns(shop, unread=True)] == [("order_id", ()), ("note", ())]


def test_unread_columns_list_readers_of_unknown_fields(tmp_path: Path) -> None:
    """A program that cannot be followed may read any column: no all-clear."""
    files = {"legacy/main.go": LEGACY, "orders-value.avsc": schema("total")}
    dictionary = scanned(tmp_path / "repository", files)

    assert [(row.name, row.unseen) for row in columns(dictionary, unread=True)] == [("total", ("legacy",))]


def test_impact_and_lineage_of_a_column_have_the_same_users(shop: Dictionary) -> None:
    """One question has one answer."""
    users = impact(shop, "orders.total").field_users

    assert [(user.application, user.use) for user in users] == [("billing", "reads"), ("shop", "writes")]
    assert lineage(shop, "orders.total").field_users == users


def test_a_removed_field_names_its_reader_at_the_line(shop: Dictionary) -> None:
    """The author of the change sees which line to change first."""
    finding = finding_of(shop, "order_id", "note")

    assert "billing reads it: billing/src/Billing.java:5" in finding.why
    assert [reader.place for reader in finding.readers] == ["billing/src/Billing.java:5"]


def test_a_field_without_a_reader_says_so(shop: Dictionary) -> None:
    """The reader of the topic stays listed: what code shows is a suggestion."""
    finding = finding_of(shop, "order_id", "total")

    assert "no known program reads it" in finding.why
    assert "by their source code these read other fields only: billing" in finding.why
    assert [reader.name for reader in finding.readers] == ["billing"]
