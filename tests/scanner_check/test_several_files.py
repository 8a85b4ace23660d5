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
from scanner_check.inputs.proposals import Proposal
from scanner_check.model import ChangeReport, Verdict
from scanner_extractor.evolution import Level
from scanner_model.columns import Column
from scanner_model.names import Role, SourceId, SubjectName, TopicName
from scanner_model.schemas import Reference
from scanner_model.streaming_sql import CollectionColumn, KsqlSource, Query, StreamingStatement

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
    statement = StreamingStatement(
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
            statements=(statement,),
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


FEE = {"type": "record", "name": "Fee", "namespace": "lib", "fields": [{"name": "cents", "type": "long"}]}
WITH_FEE = {**ORDERS, "fields": [*ORDERS["fields"], {"name": "fee", "type": ["null", "lib.Fee"], "default": None}]}
FEE_PROTO = 'syntax = "proto3"; package lib; message Fee { int64 cents = 1; }'
ORDER_PROTO = text_of(RECORDED["versions"]["PROTOBUF"][1])


def new_schema(file: str, text: Any, subject: str) -> Proposal:
    return Proposal(file=file, text=text_of(text), kind="schema", target=Target(subject=subject))


@pytest.mark.parametrize("subject", ["fee-value", "lib.Fee"])
def test_schema_refers_to_a_new_one_of_the_change(subject: str, shop: Stored) -> None:
    """The registry does not have it yet; that it is new is said, and nothing else."""
    report = check(shop, schema(WITH_FEE), new_schema("schemas/fee.avsc", FEE, subject))

    assert ("column-added", "fee", Verdict.FINE) in rules(report)
    assert {finding.rule for finding in report.findings} == {"column-added", "unknown-name"}
    assert "not-compared" in {finding.rule for finding in check(shop, schema(WITH_FEE)).findings}


def test_protobuf_imports_a_new_file_of_the_change(shop: Stored) -> None:
    """An import is a path, of which the repository's begins elsewhere."""
    head, _, rest = ORDER_PROTO.partition(";")
    text = f'{head}; import "lib/fee.proto";{rest}'.rstrip().removesuffix("}") + " lib.Fee fee = 99; }"
    order = Proposal(file="o.proto", text=text, kind="schema", target=Target(subject="orders.protobuf-value"))
    report = check(shop, order, new_schema("proto/lib/fee.proto", FEE_PROTO, "lib/fee.proto"))

    assert {finding.rule for finding in report.findings} == {"column-added", "unknown-name"}


def test_reader_that_is_not_in_the_change_is_hit(shop: Stored, store: Callable[..., Stored]) -> None:
    """That another statement follows does not help it."""
    scan = installation()
    outside = replace(scan.statements[0], name="outside.sql")
    stored = store(replace(scan, statements=(*scan.statements, outside)))
    report = check(stored, schema(RENAMED), replace(sql(FOLLOWING), target=Target(statement="shop.sql")))

    (renamed,) = (finding for finding in report.findings if finding.rule == "column-renamed")
    assert renamed.verdict is Verdict.IMPACT
    assert "outside.sql:1" in {hit.name for hit in renamed.affected}


def test_table_whose_file_the_change_deletes_is_not_there(store: Callable[..., Stored]) -> None:
    """A statement that still reads it is not read to its columns any more."""
    insert = "INSERT INTO paid_avro SELECT id, amount * 2 FROM orders_avro WHERE status = 'PAID';"
    scan = installation()
    (row,) = scan.statements
    rows = tuple(
        replace(row, name=name, statement=text)
        for name, text in (("ddl.sql", SCRIPT_TEXT.replace(insert, "")), ("job.sql", insert))
    )
    stored = store(replace(scan, statements=rows))
    same = sql(f"-- paid orders\n{insert}", "job.sql")

    assert check(stored, same).verdict is Verdict.FINE
    assert check(stored, same, sql(None, "ddl.sql")).verdict is not Verdict.FINE


KSQL = SourceId("ksqldb:http://ksql:8088")
STREAM = "CREATE STREAM ORDERS (ID BIGINT, EMAIL STRING{more}) WITH (KAFKA_TOPIC='orders.avro', VALUE_FORMAT='AVRO');"
MAILS = "CREATE STREAM MAILS WITH (KAFKA_TOPIC='paid.json') AS SELECT ID, {column} FROM {source} EMIT CHANGES;"


@pytest.fixture(scope="module")
def ksqldb(store: Callable[..., Stored]) -> Stored:
    """Store a stream over orders and a query that makes another one of it."""
    columns = [
        CollectionColumn(column=Column(path=(name,), type="STRING"), role=Role.VALUE) for name in ("ID", "EMAIL")
    ]
    collections = tuple(
        KsqlSource(
            source=KSQL,
            name=name,
            kind="STREAM",
            topic=TopicName(topic),
            key_format="KAFKA",
            value_format="AVRO",
            statement="",
            columns=tuple(columns),
        )
        for name, topic in (("ORDERS", "orders.avro"), ("MAILS", "paid.json"))
    )
    query = Query(
        source=KSQL,
        name="CSAS_MAILS_1",
        kind="PERSISTENT",
        state="RUNNING",
        statement=MAILS.format(column="EMAIL", source="ORDERS"),
        sources=("ORDERS",),
        sinks=("MAILS",),
        sink_topics=(TopicName("paid.json"),),
    )
    scan = installation()
    outcomes = (*scan.outcomes, read_result(KSQL))
    return store(replace(scan, ksql_sources=collections, queries=(query,), statements=(), outcomes=outcomes))


def ksql(text: str, file: str) -> Proposal:
    return Proposal(file=file, text=text, kind="sql", target=Target())


def test_query_of_ksqldb_reads_what_the_ddl_of_the_change_declares(ksqldb: Stored) -> None:
    """In whichever of the files it stands; alone the query names a column that nobody has."""
    stream = ksql(STREAM.format(more=", AMOUNT DOUBLE"), "a.ksql")
    query = ksql(MAILS.format(column="AMOUNT AS EMAIL", source="ORDERS"), "b.ksql")

    alone = rules(check(ksqldb, query))
    for proposals in ((stream, query), (query, stream)):
        report = check(ksqldb, *proposals)
        changed = {finding.why for finding in report.findings if finding.rule == "flow-changed"}
        assert any("orders.avro.amount" in why for whys in changed for why in whys)
        assert "not-read" not in {finding.rule for finding in report.findings}
    assert ("not-read", "CSAS_MAILS_1", Verdict.UNKNOWN) in alone


def test_query_of_ksqldb_reads_a_stream_that_a_query_of_the_change_makes(ksqldb: Stored) -> None:
    """The new stream is no collection of the server yet."""
    between = "CREATE STREAM BETWEEN WITH (KAFKA_TOPIC='paid.avro') AS SELECT ID, EMAIL FROM ORDERS EMIT CHANGES;"
    query = MAILS.format(column="EMAIL", source="`BETWEEN`")
    report = check(ksqldb, ksql(query, "a.ksql"), ksql(between.replace(" BETWEEN ", " `BETWEEN` "), "b.ksql"))

    assert "not-read" not in {finding.rule for finding in report.findings}
    assert ("input-gained", "paid.avro", Verdict.FINE) in rules(report)


def test_unchanged_ddl_of_ksqldb_changes_nothing(ksqldb: Stored) -> None:
    """Its types are another server's words."""
    stream = ksql(STREAM.format(more=""), "a.ksql")
    report = check(ksqldb, stream, ksql(MAILS.format(column="EMAIL", source="ORDERS"), "b.ksql"))

    assert rules(report) == set()
    assert [file.targets for file in report.files] == [(), ("query CSAS_MAILS_1",)]


def test_ddl_that_a_statement_outside_of_the_change_reads_by_changes_that(store: Callable[..., Stored]) -> None:
    """A file of tables alone moves nothing; what reads them does."""
    insert = "INSERT INTO paid_avro SELECT id, amount * 2 FROM orders_avro WHERE status = 'PAID';"
    ddl, scan = SCRIPT_TEXT.replace(insert, ""), installation()
    (row,) = scan.statements
    rows = tuple(replace(row, name=name, statement=text) for name, text in (("ddl.sql", ddl), ("job.sql", insert)))
    stored = store(replace(scan, statements=rows))
    moved = check(stored, sql(ddl.replace("'orders.avro'", "'orders.json'"), "ddl.sql"))

    assert check(stored, sql(ddl + "-- the same", "ddl.sql")).verdict is Verdict.FINE
    assert ("flow-changed", "paid.avro.total", Verdict.IMPACT) in rules(moved)
    assert ("input-lost", "orders.avro", Verdict.FINE) in rules(moved)
    assert ("not-judged", "ddl.sql", Verdict.UNKNOWN) in rules(moved)
    assert check(stored, sql(None, "ddl.sql")).verdict is not Verdict.FINE
    renamed = [
        sql(text.replace("orders_avro", "sales_avro"), row.name) for text, row in zip((ddl, insert), rows, strict=True)
    ]
    assert check(stored, *renamed).verdict is Verdict.FINE
    assert check(stored, renamed[0]).verdict is not Verdict.FINE
