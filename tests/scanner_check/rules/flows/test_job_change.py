"""Proposed statements and connector configurations: what downstream loses, gains, and what is not known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from checked_installation import SCRIPT_TEXT, SINK, Stored, installation

from scanner_api import PathRule, ProposedFiles, Target, check_change
from scanner_check.inputs.proposals import Proposal
from scanner_check.model import ChangeReport, Verdict
from scanner_model.errors import InputInvalid, NameUnknown
from scanner_model.names import SourceId, TopicName
from scanner_model.scan import SourceResult, SourceStatus
from scanner_model.streaming_sql import KsqlSource, Query, StreamingStatement

Proposed = Callable[..., Path]
INSERT = "INSERT INTO paid_avro SELECT id, amount * 2 FROM orders_avro WHERE status = 'PAID';"


def told(report: ChangeReport) -> dict[tuple[str, str], set[str]]:
    """Return who is hit, by rule and item."""
    return {(finding.rule, finding.item): {one.shown for one in finding.affected} for finding in report.findings}


def test_text_that_is_stored_changes_nothing(shop: Stored, proposed: Proposed) -> None:
    """The name of a scanned file of SQL is its path."""
    report = shop.check(proposed("shop.sql", SCRIPT_TEXT))

    assert (report.findings, report.files[0].targets) == ((), ("statement shop.sql",))


def test_column_that_a_statement_no_longer_writes(shop: Stored, proposed: Proposed) -> None:
    """The warehouse's column goes with the topic's, through the sink."""
    text = SCRIPT_TEXT.replace(INSERT, "INSERT INTO paid_avro (id) SELECT id FROM orders_avro WHERE status = 'PAID';")
    report = shop.check(proposed("shop.sql", text))

    assert told(report) == {
        ("column-lost", "paid.avro.total"): {
            *("paid.avro.total", "public.paid.avro.total", "public.paid.avro", "paid-to-warehouse"),
        }
    }
    assert report.verdict is Verdict.IMPACT
    line = text.splitlines()[report.findings[0].place.line - 1]
    assert line.startswith("INSERT INTO paid_avro")


def test_statement_that_reads_another_topic(shop: Stored, proposed: Proposed) -> None:
    """The columns stay, and are made of something else: the finding shows both."""
    text = SCRIPT_TEXT.replace(INSERT, INSERT.replace("orders_avro", "orders_json"))
    report = shop.check(proposed("shop.sql", text))

    changed = {finding.item: finding.why for finding in report.findings if finding.rule == "flow-changed"}
    assert changed["paid.avro.total"] == (
        "before: orders.avro.amount (transformation)",
        "after: orders.json.amount (transformation)",
    )
    assert {(rule, item) for rule, item in told(report) if rule.startswith("input")} == {("input-lost", "orders.avro")}


def test_further_column_is_a_note(shop: Stored, proposed: Proposed) -> None:
    """What downstream gains breaks nobody."""
    text = SCRIPT_TEXT.replace("paid_avro (id BIGINT,", "paid_avro (mail STRING, id BIGINT,")
    text = text.replace(INSERT, INSERT.replace("SELECT id", "SELECT email, id"))
    report = shop.check(proposed("shop.sql", text))

    assert set(told(report)) == {("column-gained", "paid.avro.mail")}
    assert report.verdict is Verdict.FINE


def test_statement_is_found_by_what_it_writes(shop: Stored, proposed: Proposed) -> None:
    """A repository's file need not be called as the statement."""
    text = SCRIPT_TEXT.replace(INSERT, "")
    report = shop.check(proposed("renamed.sql", text))

    assert report.files[0].targets == ("statement shop.sql",)
    assert ("output-lost", "paid.avro") in told(report)


def test_construct_that_cannot_be_read_is_unknown(shop: Stored, proposed: Proposed) -> None:
    """A statement without columns must not look as if it lost none."""
    text = SCRIPT_TEXT.replace(INSERT, "INSERT INTO paid_avro SELECT * FROM no_such_function_table(1, 2);")
    report = shop.check(proposed("shop.sql", text))

    assert "not-read" in {rule for rule, _ in told(report)}
    assert report.verdict in (Verdict.UNKNOWN, Verdict.IMPACT)


def test_misspelt_statement_is_no_loss(shop: Stored, proposed: Proposed) -> None:
    """What it writes is not known: the finding has its place, and nothing is said to be written no more."""
    text = SCRIPT_TEXT.replace(INSERT, INSERT.replace("INSERT", "INSRT"))
    report = shop.check(proposed("shop.sql", text))

    lines = {finding.rule: text.splitlines()[finding.place.line - 1] for finding in report.findings}
    assert {finding.verdict for finding in report.findings} == {Verdict.UNKNOWN}
    assert set(lines) == {"not-read", "unparsed"}
    assert lines["unparsed"].startswith("INSRT")


@pytest.mark.parametrize(
    ("rule", "file", "stored_as"),
    [
        ("flink/{statement}.sql", "flink/enrich.sql", "flink/enrich.sql"),
        ("flink/{statement}.sql", "flink/enrich.sql", "enrich.sql"),
        ("flink/{statement}.sql", "flink/enrich.sql", "enrich"),
        ("sql/{statement}.sql", "sql/etl/enrich.sql", "jobs/sql/etl/enrich.sql"),
        ("{statement}", "flink/enrich.sql", "flink/enrich.sql"),
    ],
)
def test_rule_fits_statements_as_they_are_called(
    rule: str, file: str, stored_as: str, store: Callable[..., Stored], tmp_path: Path
) -> None:
    """A statement of a server has a name, one of a scanned file its path."""
    statements = (replace(installation().statements[0], name=stored_as),)
    stored = store(replace(installation(), statements=statements))
    text = SCRIPT_TEXT.replace(INSERT, "")
    target = PathRule.parse(rule).target(file)
    assert target
    for proposal in (
        Proposal(file=file, text=text, kind="sql", target=target),
        Proposal(file=file, text=None, kind="sql", target=target),
    ):
        report = check_change(stored.dictionary, ProposedFiles(proposals=(proposal,)))
        assert ("output-lost", "paid.avro") in told(report)


def test_deleted_file_of_an_unknown_statement_is_unknown(shop: Stored) -> None:
    """Nothing that was not found may look fine."""
    with pytest.raises(NameUnknown):
        deleted(shop, "sql", Target(statement="nope"))


@pytest.mark.parametrize("text", ["", "hello", "SELECT", "-- nothing"])
def test_text_without_a_statement_is_an_error(text: str, shop: Stored, proposed: Proposed) -> None:
    """Nothing that could not be read may look fine."""
    with pytest.raises(InputInvalid):
        shop.check(proposed("shop.sql", text))


def test_unknown_statement_is_an_error(shop: Stored, proposed: Proposed) -> None:
    """A misspelt name must not pass for a new statement."""
    with pytest.raises(NameUnknown):
        shop.check(proposed("x.sql", SCRIPT_TEXT), target=Target(statement="shpo.sql"))


KSQL = SourceId("ksqldb:http://ksql:8088")


def test_query_of_ksqldb(store: Callable[..., Stored], proposed: Proposed) -> None:
    """A query is found by its sink; its collections are those of the server."""
    scan = installation()
    collections = tuple(
        KsqlSource(
            source=KSQL,
            name=name,
            kind="STREAM",
            topic=TopicName(topic),
            key_format="KAFKA",
            value_format="AVRO",
            statement=f"CREATE STREAM {name} (ID BIGINT, EMAIL STRING) WITH (KAFKA_TOPIC='{topic}');",
            columns=(),
        )
        for name, topic in (("ORDERS", "orders.avro"), ("MAILS", "paid.json"))
    )
    sql = "CREATE STREAM MAILS WITH (KAFKA_TOPIC='paid.json') AS SELECT ID, EMAIL FROM ORDERS EMIT CHANGES;"
    query = Query(
        source=KSQL,
        name="CSAS_MAILS_1",
        kind="PERSISTENT",
        state="RUNNING",
        statement=sql,
        sources=("ORDERS",),
        sinks=("MAILS",),
        sink_topics=(TopicName("paid.json"),),
    )
    outcome = SourceResult(source=KSQL, kind="ksqldb", status=SourceStatus.READ)
    stored = store(
        replace(scan, ksql_sources=collections, queries=(query,), statements=(), outcomes=(*scan.outcomes, outcome))
    )

    same = stored.check(proposed("mails.sql", sql), dialect="ksqldb")
    less = stored.check(proposed("mails.sql", sql.replace("ID, EMAIL", "ID")), dialect="ksqldb")

    assert (same.files[0].targets, same.verdict) == (("query CSAS_MAILS_1",), Verdict.FINE)
    assert less.verdict is not Verdict.FINE


def connector(**changed: str) -> dict[str, object]:
    return {"name": "paid-to-warehouse", "config": {**SINK, **changed}}


def test_transform_that_drops_a_column(shop: Stored, proposed: Proposed) -> None:
    """The topic keeps it, the table loses it; the place is that of the new setting."""
    drop = {
        "transforms": "drop",
        "transforms.drop.type": "org.apache.kafka.connect.transforms.ReplaceField$Value",
        "transforms.drop.exclude": "total",
    }
    report = shop.check(proposed("sink.json", connector(**drop)))

    assert {item for _, item in told(report)} == {f"public.paid.{name}.total" for name in ("avro", "json", "protobuf")}
    assert {finding.rule for finding in report.findings} == {"column-lost"}
    assert report.findings[0].place.line > 1


def test_connector_that_leaves_a_topic(shop: Stored, proposed: Proposed) -> None:
    """Its table is written no more."""
    report = shop.check(proposed("sink.json", connector(topics="paid.avro,paid.json")))

    assert ("output-lost", "public.paid.protobuf") in told(report)
    assert ("input-lost", "paid.protobuf") in told(report)


def test_secret_of_a_configuration_is_not_shown(shop: Stored, proposed: Proposed) -> None:
    """A report is read by everybody who reads the pull request."""
    report = shop.check(proposed("sink.json", connector(**{"connection.password": "hunter2", "topics": "paid.avro"})))

    assert "hunter2" not in repr(report)


def test_new_connector_needs_no_stored_one(shop: Stored, proposed: Proposed) -> None:
    """What it writes is gained."""
    report = shop.check(proposed("other.json", {**connector(topics="paid.avro"), "name": "other"}))

    assert ("output-gained", "public.paid.avro") in told(report)
    assert report.verdict is Verdict.FINE


def test_configuration_of_an_unknown_class_is_unknown(shop: Stored, proposed: Proposed) -> None:
    """What it does to its topics nobody can tell."""
    report = shop.check(proposed("sink.json", connector(**{"connector.class": "com.acme.Sink"})))

    assert "not-read" in {rule for rule, _ in told(report)}


def deleted(stored: Stored, kind: str, target: Target) -> ChangeReport:
    """Check the deletion of a statement's or connector's file."""
    proposal = Proposal(file="gone", text=None, kind=kind, target=target)
    return check_change(stored.dictionary, ProposedFiles(proposals=(proposal,)))


def test_deleted_connector_writes_nothing_more(shop: Stored) -> None:
    """Its tables end with it."""
    report = deleted(shop, "connector", Target(connector="paid-to-warehouse"))

    lost = {item for rule, item in told(report) if rule == "output-lost"}
    assert lost == {f"public.paid.{name}" for name in ("avro", "json", "protobuf")}
    assert report.files[0].kind == "deleted"


def test_deleted_statement_writes_nothing_more(shop: Stored) -> None:
    """So does the sink behind it."""
    report = deleted(shop, "sql", Target(statement="shop.sql"))

    lost = {finding.item: {one.shown for one in finding.affected} for finding in report.findings}
    assert "paid-to-warehouse" in lost["paid.avro"]


def test_connector_without_a_stored_one_has_to_be_named_right(shop: Stored, proposed: Proposed) -> None:
    """With --connector a name is a statement that it exists."""
    with pytest.raises(NameUnknown):
        shop.check(proposed("sink.json", connector()), target=Target(connector="paid-to-warehuose"))


def test_new_query_of_ksqldb_gains(shop: Stored, proposed: Proposed) -> None:
    """There is no ksqlDB in the installation yet: what it reads is not known."""
    sql = "CREATE STREAM X WITH (KAFKA_TOPIC='x') AS SELECT ID FROM ORDERS EMIT CHANGES;"
    report = shop.check(proposed("x.sql", sql), dialect="ksqldb")

    assert report.files[0].targets == ("query X",)
    assert report.verdict is not Verdict.BREAKS
    with pytest.raises(NameUnknown):
        shop.check(proposed("x.sql", sql), dialect="ksqldb", target=Target(statement="CSAS_X_1"))


def test_flink_statement_of_a_server(store: Callable[..., Stored], proposed: Proposed) -> None:
    """A statement that a server runs is named, and is read with the DDL of its source."""
    ddl, insert = SCRIPT_TEXT.replace(INSERT, ""), INSERT
    source = SourceId("flink:shop")
    rows = tuple(
        StreamingStatement(source=source, name=name, statement=text, state="RUNNING", created=at)
        for name, text, at in (("tables", ddl, "2026-01-01"), ("enrich", insert, "2026-01-02"))
    )
    stored = store(replace(installation(), statements=rows))
    changed = insert.replace("amount * 2", "0.0")

    report = stored.check(proposed("anything.sql", changed), target=Target(statement="enrich"))

    assert ("column-lost", "paid.avro.total") in told(report) or ("flow-changed", "paid.avro.total") in told(report)
