"""AWS Glue's Data Catalog: every call as boto3's model has it, nested types, formats, closed databases, captures."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from scanner_extractor.catalogs import CATALOGS
from scanner_extractor.http.client import Http
from scanner_extractor.http.recording import Recorder, Replay
from scanner_extractor.results import no_progress
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.settings.sources import CatalogSettings, Wanted
from scanner_model.catalogs import CatalogTable
from scanner_model.errors import SourceRefused
from scanner_model.scan import SourceStatus

PARQUET = "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"
ITEMS = "array<struct<sku:string,price:decimal(8,2)>>"


def storage(*columns: tuple[str, str], **more: object) -> dict[str, object]:
    return {"Columns": [{"Name": name, "Type": kind} for name, kind in columns], **more}


ORDERS = {
    "Name": "orders",
    "Owner": "lake",
    "Description": "what was bought",
    "CreateTime": datetime(2026, 1, 1, tzinfo=UTC),
    "UpdateTime": datetime(2026, 1, 2, tzinfo=UTC),
    "TableType": "EXTERNAL_TABLE",
    "Parameters": {"EXTERNAL": "TRUE", "aws.secret.key": "zqSECRETzq"},
    "PartitionKeys": [{"Name": "day", "Type": "date", "Comment": "of the order"}],
    "StorageDescriptor": storage(
        ("id", "bigint"),
        ("items", ITEMS),
        Location="s3://lake/topics/orders/",
        SerdeInfo={"SerializationLibrary": PARQUET, "Parameters": {"serialization.format": "1"}},
        NumberOfBuckets=-1,
    ),
}


def test_table_is_read_with_nested_columns_format_and_place(aws, read_aws) -> None:
    """Columns that it is partitioned by are columns, the last ones."""
    reading = read_aws("glue", aws.Catalog(tables={"lake": (ORDERS,)}))
    table = reading.of(CatalogTable)[0]

    assert (table.namespace, table.name) == ("arn:aws:glue:eu-central-1:123456789012", "table/lake/orders")
    assert (table.kind, table.table_format, table.serde, table.owner) == ("EXTERNAL_TABLE", "parquet", PARQUET, "lake")
    assert (table.created, table.updated) == ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z")
    assert table.symlinks == (("s3://lake", "topics/orders"),)
    assert table.partition_keys == ("day",)
    assert [(c.name, c.logical_type or c.type, c.doc) for c in table.columns] == [
        ("id", "bigint", None),
        ("items", "array", None),
        ("items.[]", "struct", None),
        ("items.[].sku", "string", None),
        ("items.[].price", "decimal(8,2)", None),
        ("day", "date", "of the order"),
    ]
    assert reading.outcome.status is SourceStatus.READ


def test_parameters_are_kept_and_secrets_hidden(aws, read_aws) -> None:
    """People keep keys where they do not belong."""
    table = read_aws("glue", aws.Catalog(tables={"lake": (ORDERS,)})).of(CatalogTable)[0]

    assert dict(table.parameters) == {
        "EXTERNAL": "TRUE",
        "SerdeInfo.Parameters": '{"serialization.format":"1"}',
        "StorageDescriptor.NumberOfBuckets": "-1",
        "aws.secret.key": "********",
    }


def test_former_columns_of_an_iceberg_table_are_none(aws, read_aws) -> None:
    """Glue keeps them for old readers."""
    now, once = {"iceberg.field.current": "true", "iceberg.field.optional": "false"}, {"iceberg.field.current": "false"}
    columns = [{"Name": "id", "Type": "int", "Parameters": now}, {"Name": "gone", "Type": "int", "Parameters": once}]
    parameters = {"table_type": "ICEBERG", "metadata_location": "s3://lake/orders/metadata/1.json"}
    iceberg = {"Name": "orders", "Parameters": parameters, "StorageDescriptor": {"Columns": columns}}
    table = read_aws("glue", aws.Catalog(tables={"lake": (iceberg,)})).of(CatalogTable)[0]

    assert (table.table_format, [(c.name, c.nullable) for c in table.columns]) == ("iceberg", [("id", False)])
    assert dict(table.parameters)["metadata_location"] == "s3://lake/orders/metadata/1.json"


def test_schema_that_spark_keeps_in_parts_is_that_of_the_table(aws, read_aws) -> None:
    """Of a Delta table Glue itself knows one column only, `col array<string>`."""
    schema = json.dumps({"type": "struct", "fields": [{"name": "CustomerId", "type": "long", "nullable": False}]})
    parts = {"spark.sql.sources.schema.part.0": schema[:20], "spark.sql.sources.schema.part.1": schema[20:]}
    parameters = {"spark.sql.sources.provider": "delta", "spark.sql.sources.schema.numParts": "2", **parts}
    delta = {"Name": "t", "Parameters": parameters, "StorageDescriptor": storage(("col", "array<string>"))}
    table = read_aws("glue", aws.Catalog(tables={"lake": (delta,)})).of(CatalogTable)[0]

    assert (table.table_format, [(c.name, c.type, c.nullable) for c in table.columns]) == (
        "delta",
        [("CustomerId", "long", False)],
    )
    assert [name for name, _ in table.parameters] == ["spark.sql.sources.provider"]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ({"Parameters": {"classification": "json"}}, "json"),
        ({"StorageDescriptor": {"InputFormat": "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat"}}, "orc"),
        ({"StorageDescriptor": {"InputFormat": "org.apache.hadoop.mapred.TextInputFormat"}}, "text"),
        ({"TableType": "VIRTUAL_VIEW", "ViewOriginalText": "SELECT 1"}, ""),
    ],
)
def test_format_is_what_is_reported_first(aws, read_aws, table, expected) -> None:
    """A table says its format in several places, and they may differ."""
    result = read_aws("glue", aws.Catalog(tables={"lake": ({"Name": "t", **table},)})).of(CatalogTable)[0]

    assert result.table_format == expected


def test_lists_are_read_page_by_page_and_only_what_matters(aws, read_aws) -> None:
    """One request a page of a database, not one a table."""
    tables = {name: tuple({"Name": f"t{number}"} for number in range(3)) for name in ("a", "b", "tmp")}
    server = aws.Catalog(tables=tables, page=2)
    reading = read_aws(
        "glue", server, wanted=Wanted(schemas=("a", "b"), tables=("t[01]",)), options={"account": "210987654321"}
    )

    assert [(table.namespace[-12:], table.name) for table in reading.of(CatalogTable)] == [
        ("210987654321", f"table/{name}/t{number}") for name in ("a", "b") for number in (0, 1)
    ]
    assert [operation for operation, _ in server.log].count("GetTables") == 4
    assert all(given["CatalogId"] == "210987654321" for _, given in server.log)
    assert reading.outcome.requests == 6


def test_database_that_is_closed_costs_itself(aws, read_aws) -> None:
    """What is known of it stays: nothing is proven gone."""
    server = aws.Catalog(tables={"open": ({"Name": "a"},), "shut": ({"Name": "b"},)}, denied=frozenset({"shut"}))
    reading = read_aws("glue", server)

    assert [table.name for table in reading.of(CatalogTable)] == ["table/open/a"]
    assert (reading.outcome.status, reading.outcome.unread) == (SourceStatus.PARTIAL, frozenset())
    assert [problem.where for problem in reading.problems] == ["catalog:glue:eu-central-1 shut"]


def test_denied_lists_state_which_rights_are_missing(aws, read_aws) -> None:
    """The page lists the policy."""
    with pytest.raises(SourceRefused) as caught:
        read_aws("glue", aws.Catalog(denied=frozenset({"GetDatabases"})))

    assert "docs/sources/catalogs.md" in caught.value.hint


def test_capture_gives_the_same_tables_without_aws(aws, read_aws, tmp_path) -> None:
    """No secret is in it, and no client is made."""
    live = read_aws("glue", aws.Catalog(tables={"lake": (ORDERS,)}), wrap=Recorder(tmp_path).recording)
    url = HttpSettings(url="https://glue.example", concurrency=3)
    settings = CatalogSettings(type="glue", http=url, options={"region": "eu-central-1"}, place="eu-central-1")
    with Http(settings.http, settings.source, exchange=Replay(tmp_path)) as http:
        replayed = CATALOGS["glue"].read(settings, http, no_progress)

    assert replayed.of(CatalogTable) == live.of(CatalogTable)
    assert "zqSECRETzq" not in "".join(file.read_text() for file in tmp_path.rglob("*.json"))
