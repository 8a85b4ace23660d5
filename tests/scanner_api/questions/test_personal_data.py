"""Tests for the question where personal data are, on the bundled example."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_api.questions.listings import columns
from scanner_api.questions.personal_data import personal_data
from scanner_api.questions.tags import tags as tag_counts
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


@pytest.mark.parametrize("tag", ["PII", "pii", "finance"])
def test_stored_tags_are_those_that_flows_lead_to(dictionary, tmp_path, tag) -> None:
    """A dictionary without stored tags, or with a newer scan, follows the flows for each question: the same answers."""
    file = tmp_path / "computed.db"
    shutil.copy(Path(dictionary.url.removeprefix("sqlite:///")), file)
    with sqlite3.connect(file) as conn:
        assert conn.execute("UPDATE flow_graph SET tags_scan = NULL").rowcount == 1
        conn.execute("DELETE FROM column_tag")
    computed = scanner_api.open_dictionary(file)

    assert personal_data(dictionary, tag=tag) == personal_data(computed, tag=tag)
    for tags in ("declared", "known", "inherited"):
        stored = columns(dictionary, tag=tag, tags=tags)
        assert stored == columns(computed, tag=tag, tags=tags)
        assert columns(dictionary, tag=tag, tags=tags, cluster="retail") == columns(
            computed, tag=tag, tags=tags, cluster="retail"
        )


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
    assert all(row.cluster == "retail" for row in rows if row.found != "suggested")
    sources = {row.column for row in personal_data(dictionary) if row.dataset.endswith("/shop.public.customers")}
    assert sources == {"born", "email", "name"}


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


def test_masked_copies_are_named_with_the_setting_and_are_no_plain_copies(tmp_path) -> None:
    """MaskField of a sink and `MD5` of a statement: the tag ends there, and is not suggested for the names."""
    fields = ["id", {"name": "email", "tags": ["PII"]}, {"name": "phone", "tags": ["PII"]}]
    manual = {"topics": [{"name": "people", "schemas": [{"format": "JSON", "columns": fields}]}, {"name": "copies"}]}
    spec = {
        "class": "io.confluent.connect.jdbc.JdbcSinkConnector",
        "config": {
            "topics": "people",
            "connection.url": "jdbc:postgresql://dw/warehouse",
            "transforms": "hide",
            "transforms.hide.type": "org.apache.kafka.connect.transforms.MaskField$Value",
            "transforms.hide.fields": "email",
        },
    }
    connector = {
        "apiVersion": "kafka.strimzi.io/v1",
        "kind": "KafkaConnector",
        "metadata": {"name": "dw"},
        "spec": spec,
    }
    kafka = "'connector'='kafka','format'='json','properties.bootstrap.servers'='localhost:29095'"
    statements = (
        f"CREATE TABLE p (id STRING, phone STRING) WITH ({kafka},'topic'='people');"
        f"CREATE TABLE c (id STRING, phone STRING) WITH ({kafka},'topic'='copies');"
        "INSERT INTO c SELECT id, MD5(phone) FROM p;"
    )
    config = {
        "cluster": "shop",
        "brokers": "localhost:29095",
        "manual_input": ["topics.json"],
        "files": [{"path": "sink.yaml"}],
        "flink": [{"type": "sql-files", "name": "jobs", "path": "*.sql"}],
    }
    (tmp_path / "topics.json").write_text(json.dumps(manual), "utf-8")
    (tmp_path / "sink.yaml").write_text(json.dumps(connector), "utf-8")
    (tmp_path / "copy.sql").write_text(statements, "utf-8")
    (tmp_path / "cluster.json").write_text(json.dumps(config), "utf-8")
    dictionary = scanner_api.open_dictionary(tmp_path / "new.db", create=True)
    scanner_api.scan([tmp_path / "cluster.json"], dictionary)
    scanner_api.generate(dictionary)

    rows = personal_data(dictionary)
    masked = {(row.dataset, row.column): row.why for row in rows if row.found == "masked"}
    table = "postgres://dw:5432/warehouse.public.people"
    (why,) = masked["copies", "phone"]
    assert why == "people.phone → copies.phone: statement copy.sql of flink:jobs, 1:301: phone = MD5(phone)"
    assert masked[table, "email"][0].endswith(": connector dw: topics, connection.url, transforms.hide, masked")
    assert len(masked) == 2
    assert {f"{row.topic or row.dataset}.{row.name}" for row in columns(dictionary, tag="PII", tags="all")} == {
        "people.email",
        "people.phone",
        f"{table}.phone",
    }


def test_column_of_two_subjects_is_one_column(dictionary) -> None:
    """Both schemas of a topic have `iban`: there is one decision to make, and every answer counts it once."""
    suggested = [row for row in personal_data(dictionary) if row.found == "suggested"]

    assert (
        len(set(suggested))
        == len(suggested)
        == next(row.suggested for row in tag_counts(dictionary) if row.tag == "PII")
    )


def test_owner_of_a_reader_is_its_own(dictionary) -> None:
    """`nightly-report` of team-finance reads a topic of team-shop: whom to ask about the use is team-finance."""
    owners = {row.reader: row.owner for row in personal_data(dictionary, found="read")}

    assert (owners["consumer-group nightly-report"], owners["consumer-group analytics"]) == ("team-finance", "")


def test_report_calls_a_file_what_other_answers_call_it(dictionary) -> None:
    files = {row.dataset for row in scanner_api.personal_data_report(dictionary).access if "orders.txt" in row.dataset}

    assert files == {"file:///tmp/scanner-lab-0/data/connect/orders.txt"}


def test_report_lists_the_jobs_that_read(dictionary) -> None:
    rows = scanner_api.personal_data_report(dictionary).access
    readers = {row.principal for row in rows if (row.dataset, row.access) == ("cdc.customers", "reads")}

    assert "connector warehouse-customers of team-warehouse" in readers
    assert any(reader.startswith("flink ") for reader in readers)
