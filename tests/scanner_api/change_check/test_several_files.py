"""Files of one change see each other: what one proposes stands in place of what is stored, for the others."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from checked_installation import (
    RECORDED,
    SCRIPT_TEXT,
    Stored,
    installation,
    links_of,
    read_result,
    text_of,
    versions_of,
)

from scanner_api import CheckOptions, ProposedFiles, Target, check_change
from scanner_api.change_check.model import ChangeReport, Verdict
from scanner_api.change_check.proposals import Proposal
from scanner_extractor.evolution import Level
from scanner_model.names import SourceId, SubjectName
from scanner_model.schemas import Reference
from scanner_model.streaming_sql import FlinkStatement

ORDERS = json.loads(text_of(RECORDED["versions"]["AVRO"][1]))
RENAMED = text_of(ORDERS).replace('"name": "amount"', '"name": "gross", "aliases": ["amount"]')
FOLLOWING = SCRIPT_TEXT.replace(
    "orders_avro (id BIGINT, email STRING, amount", "orders_avro (id BIGINT, email STRING, gross", 1
).replace("amount * 2 FROM orders_avro", "gross * 2 FROM orders_avro")


def check(stored: Stored, *proposals: Proposal, level: Level = Level.BACKWARD) -> ChangeReport:
    """Check all files of one change."""
    files = ProposedFiles(proposals=proposals, between_commits=True)
    return check_change(stored.dictionary, files, CheckOptions(level=level))


def schema(text: Any, subject: str = "orders.avro-value") -> Proposal:
    return Proposal(file=f"{subject}.avsc", text=text_of(text), kind="schema", target=Target(subject=subject))


def sql(text: str | None, file: str = "shop.sql") -> Proposal:
    return Proposal(file=file, text=text, kind="sql", target=Target())


def rules(report: ChangeReport) -> set[tuple[str, str, Verdict]]:
    return {(finding.rule, finding.item, finding.verdict) for finding in report.findings}


def test_renamed_column_with_the_statement_that_follows_is_fine(shop: Stored) -> None:
    """An alias proves that it is the same column; alone, either of both hits those who use it."""
    assert check(shop, schema(RENAMED), sql(FOLLOWING)).verdict is Verdict.FINE
    assert check(shop, sql(FOLLOWING), schema(RENAMED)).verdict is Verdict.FINE
    assert check(shop, schema(RENAMED)).verdict is Verdict.IMPACT
    assert check(shop, sql(FOLLOWING)).verdict is Verdict.IMPACT


def test_statement_that_does_not_follow_is_hit(shop: Stored) -> None:
    """That it is in the same change does not help."""
    other = SCRIPT_TEXT.replace("status = 'PAID'", "status = 'SENT'")
    report = check(shop, schema(RENAMED), sql(other))

    (renamed,) = (finding for finding in report.findings if finding.rule == "column-renamed")
    assert renamed.verdict is Verdict.IMPACT
    assert "shop.sql:1" in {hit.name for hit in renamed.affected}


def test_statement_that_begins_to_read_a_removed_column_is_hit(shop: Stored) -> None:
    """The stored graph does not have it as a reader."""
    less = {**ORDERS, "fields": [field for field in ORDERS["fields"] if field["name"] != "email"]}
    text = SCRIPT_TEXT.replace("paid_avro (id BIGINT,", "paid_avro (mail STRING, id BIGINT,", 1)
    text = text.replace("SELECT id, amount * 2 FROM orders_avro", "SELECT email, id, amount * 2 FROM orders_avro")
    report = check(shop, schema(less), sql(text), level=Level.NONE)

    (removed,) = (finding for finding in report.findings if finding.rule == "column-removed")
    assert {"shop.sql:1", "paid.avro.mail"} <= {hit.shown for hit in removed.affected}


@pytest.mark.parametrize(
    "broken", ["INSRT INTO paid_avro SELECT id FROM orders_avro;", "INSERT INTO paid_avro SELECT FROM;"]
)
def test_statement_that_is_not_read_may_still_use_everything(broken: str, shop: Stored) -> None:
    """What it does not name it may use: its former flows count."""
    insert = "INSERT INTO paid_avro SELECT id, amount * 2 FROM orders_avro WHERE status = 'PAID';"
    assert insert in SCRIPT_TEXT
    report = check(shop, schema(RENAMED), sql(SCRIPT_TEXT.replace(insert, broken)))

    (renamed,) = (finding for finding in report.findings if finding.rule == "column-renamed")
    assert renamed.verdict is Verdict.IMPACT


def test_removed_column_with_the_end_of_its_reader(shop: Stored) -> None:
    """The schema hits nobody; the statement's end hits what it made."""
    less = {**ORDERS, "fields": [field for field in ORDERS["fields"] if field["name"] != "amount"]}
    report = check(shop, schema(less), sql(None), level=Level.NONE)

    assert ("column-removed", "amount", Verdict.FINE) in rules(report)
    assert ("output-lost", "paid.avro", Verdict.IMPACT) in rules(report)


PAID = {
    "type": "record",
    "name": "Paid",
    "fields": [{"name": "id", "type": "long"}, {"name": "total", "type": "double"}],
}


def with_note(record: dict[str, Any]) -> dict[str, Any]:
    note = {"name": "note", "type": ["null", "string"], "default": None}
    return {**record, "fields": [*record["fields"], note]}


@pytest.fixture(scope="module")
def inferred(store: Callable[..., Stored]) -> Stored:
    """Store a statement whose tables have the columns of their topics' schemas."""
    scan = installation()
    versions, definitions = versions_of("paid.avro-value", "AVRO", [text_of(PAID)])
    cloud = SourceId("flink:https://flink.eu.aws.confluent.cloud")
    statement = FlinkStatement(
        source=cloud,
        name="enrich",
        statement="INSERT INTO `paid.avro` SELECT id, amount FROM `orders.avro`;",
        compute_pool="lfcp-1",
    )
    return store(
        replace(
            scan,
            outcomes=(*scan.outcomes, read_result(cloud)),
            versions=(*scan.versions, *versions),
            definitions=(*scan.definitions, *definitions),
            topic_schemas=(*scan.topic_schemas, *links_of("paid.avro", versions)),
            flink_statements=(statement,),
        )
    )


def test_column_that_is_added_to_schemas_and_statement_is_fine(inferred: Stored) -> None:
    """The statement reads a column that the registry does not have yet."""
    text = "INSERT INTO `paid.avro` SELECT id, amount, note FROM `orders.avro`;"
    proposals = (
        schema(with_note(ORDERS)),
        schema(with_note(PAID), "paid.avro-value"),
        replace(sql(text), target=Target(statement="enrich")),
    )

    assert check(inferred, *proposals).verdict is Verdict.FINE
    assert check(inferred, proposals[-1]).verdict is not Verdict.FINE


def test_inferred_column_that_is_gone_is_no_reading(inferred: Stored) -> None:
    """A statement that still names it is hit, though it cannot be resolved any more."""
    less = {**ORDERS, "fields": [field for field in ORDERS["fields"] if field["name"] != "amount"]}
    text = "INSERT INTO `paid.avro` SELECT id, amount FROM `orders.avro` WHERE id > 1;"
    report = check(inferred, schema(less), replace(sql(text), target=Target(statement="enrich")), level=Level.NONE)

    (removed,) = (finding for finding in report.findings if finding.rule == "column-removed")
    assert {"enrich", "paid-to-warehouse"} <= {hit.name for hit in removed.affected}


def test_schema_is_read_with_the_proposed_text_of_a_reference(store: Callable[..., Stored]) -> None:
    """A field that is added to a shared type is there for those that refer to it."""
    money = {"type": "record", "name": "Money", "namespace": "lib", "fields": [{"name": "n", "type": "long"}]}
    order = {"type": "record", "name": "Order", "fields": [{"name": "price", "type": "lib.Money"}]}
    lib, lib_read = versions_of("lib.Money", "AVRO", [text_of(money)])
    reference = Reference(name="lib.Money", subject=SubjectName("lib.Money"), version=1)
    versions, read = versions_of(
        "priced-value", "AVRO", [text_of(order)], references=(reference,), referenced={"lib.Money": text_of(money)}
    )
    scan = replace(
        installation(),
        versions=(*lib, *versions),
        definitions=(*lib_read, *read),
        topic_schemas=tuple(links_of("orders.avro", versions)),
    )
    report = check(store(scan), schema(with_note(money), "lib.Money"), schema(order, "priced-value"))

    assert ("column-added", "price.note", Verdict.FINE) in rules(report)
