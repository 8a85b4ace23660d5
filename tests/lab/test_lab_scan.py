"""The whole installation scanned by the program into a dictionary, and asked."""

from __future__ import annotations

import json
import subprocess

import pytest

pytestmark = pytest.mark.lab


def test_scan_reads_every_source(lab, dictionary, query) -> None:
    """Nothing of the installation is left out."""
    answers = {source["kind"]: source["status"] for source in query("scans", "1")}

    kinds = ["kafka", "ksqldb", "connect", "schema_registry", "flink", "metrics"]
    assert answers == dict.fromkeys(kinds, "read")


def test_reference_of_avro_schema_is_followed(columns) -> None:
    """The customer's address is a type of another subject."""
    assert {"customer.address.street", "lines.[].price", "attributes.{}"} <= columns("orders", "orders-value")


def test_older_version_keeps_its_columns(columns) -> None:
    """The means of payment came with version 2."""
    first = columns("orders", "orders-value", "--version", "1")

    assert columns("orders", "orders-value") - first >= {"payment", "attributes"}


def test_recursion_ends_at_the_second_sight(columns) -> None:
    """A category has categories."""
    assert columns("catalog.categories", "catalog.categories-value") == {"name", "parent", "children", "children.[]"}


def test_protobuf_with_import_is_read(columns) -> None:
    """Money comes from another file, the time from Google's."""
    assert {"amount.units", "paid_at", "labels.{}"} <= columns("payments", "payments-value")


def test_json_schema_with_reference_is_read(columns) -> None:
    """The address is another subject's schema."""
    assert "address.city" in columns("customers", "customers-value")


def test_schema_that_a_serializer_registered_is_bound(columns) -> None:
    """Confluent's own serializer with the topic-record strategy."""
    result = columns("returns", "returns-com.acme.retail.Return")

    assert result == {"order_id", "reason", "refund", "refund.currency", "refund.cents"}


def test_declared_subject_is_bound_to_its_topic(query) -> None:
    """A record's name says nothing of its topic; cluster.json does."""
    schemas = query("query", "--broker", "localhost:29095", "--topic", "payments")

    assert {schema["subject"]: schema["confidence"] for schema in schemas}["com.acme.retail.Payment"] == "declared"


def test_deleted_version_is_kept_and_marked(query) -> None:
    """It may still be the schema of records in the topic."""
    where = ("--broker", "localhost:29195", "--topic", "shipments", "--subject", "shipments-value", "--version", "1")
    (item,) = query("query", *where)

    assert (item["deleted"], item["current"]) == (True, False)


def test_dictionary_in_postgresql_holds_the_same(lab) -> None:
    """The second database that a dictionary may live in, and the same scan twice.

    A file is scanned beside it: other tests register versions meanwhile.
    """
    lab.needs("databases")
    server = lab.told["postgres"]["dictionary"].replace("postgresql://", "postgresql+psycopg://")
    addresses = (server, f"sqlite:///{lab.directory}/beside-postgresql.db")
    for address in (*addresses, *addresses):
        lab.scanner("scan", "--no-graph", "--config", str(lab.config()), "--dictionary", address, "--quiet")

    stored, beside = (
        json.loads(lab.scanner("schemas", "--dictionary", address, "--format", "json")) for address in addresses
    )

    assert stored
    assert stored == beside


def test_h2_loads_the_exported_dictionary(lab, dictionary, query) -> None:
    """By H2's own RunScript, and its own shell counts what came."""
    jars = sorted((lab.directory / lab.told["cache"] / "h2").glob("h2-*.jar"))
    if not jars:
        pytest.skip("H2 is not in the lab's cache")
    script = lab.directory / "dictionary.sql"
    lab.scanner("dictionary", "export", "--format", "h2", "-o", str(script), "--dictionary", dictionary)
    java = ["java", "-cp", str(jars[0])]
    database = ["-url", f"jdbc:h2:{lab.directory}/h2"]
    subprocess.run([*java, "org.h2.tools.RunScript", *database, "-script", str(script)], check=True, timeout=60)

    counting = [*java, "org.h2.tools.Shell", *database, "-sql", "select count(*) as n from topic"]
    reported = subprocess.run(counting, check=True, capture_output=True, text=True, timeout=60).stdout

    assert reported.split()[1] == str(len(query("topics")))
