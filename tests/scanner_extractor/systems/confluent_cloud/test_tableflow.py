"""Tableflow: topics that are kept as tables, and what each catalog calls them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.systems.confluent_cloud.settings import TableflowSettings
from scanner_extractor.systems.confluent_cloud.tableflow import read_tableflow
from scanner_model.catalogs import Materialization
from scanner_model.errors import SourceRefused
from scanner_model.scan import SourceStatus

NO_PAUSE = Clock(pause=lambda _: None)

UNITY = {"kind": "Unity", "workspace_endpoint": "https://dbc-1.cloud.databricks.com/", "catalog_name": "lake"}
GLUE = {"kind": "AwsGlue", "provider_integration_id": "cspi-1"}
SNOWFLAKE = {"kind": "Snowflake", "endpoint": "https://acme-eu1.snowflakecomputing.com/polaris", "warehouse": "wh"}

Read = Callable[..., Reading]


@pytest.fixture
def read(cloud) -> Read:
    """Read the tables of `lkc-1` in `env-x1` of a fake Confluent Cloud over loopback."""

    def query(*tables: Any, integrations: Any = (), **members: Any) -> Reading:
        cluster = cloud.Cluster(id="lkc-1", tables=tables, integrations=tuple(integrations))
        server = cloud.Cloud(environments=(cloud.Environment(clusters=(cluster,)),), **members)
        with cloud.serving(server) as url:
            given = TableflowSettings(
                http=HttpSettings(url=url), environment="env-x1", cluster="lkc-1", aws_account="42"
            )
            with Http(given.http, given.source, clock=NO_PAUSE) as http:
                return read_tableflow(given, http, no_progress)

    return query


def table(name: str = "shop.orders", formats: Any = ("DELTA",), syncs: Any = None, **spec: Any) -> dict[str, Any]:
    storage = {"kind": "ByobAws", "bucket_region": "eu-central-1", "table_path": f"s3://lake/10/{name}"}
    members = {"display_name": name, "suspended": False, "table_formats": list(formats), "storage": storage} | spec
    return {"spec": members, "status": {"phase": "RUNNING", "write_mode": "APPEND", "catalog_sync_statuses": syncs}}


def sync(identity: str, state: str = "SYNCED", **members: Any) -> dict[str, Any]:
    return {"catalog_integration_id": identity, "sync_status": state} | members


def catalog(identity: str, config: Any) -> dict[str, Any]:
    return {"id": identity, "spec": {"config": config}, "status": {"phase": "CONNECTED"}}


def test_table_is_named_by_its_place(read: Read) -> None:
    """OpenLineage names Delta and Iceberg tables by where their files lie."""
    materializations = read(table(), table("b", ["ICEBERG"])).of(Materialization)

    assert [
        (materialization.topic, materialization.table_format, materialization.namespace, materialization.name)
        for materialization in materializations
    ] == [
        ("b", "ICEBERG", "s3://lake", "10/b"),
        ("shop.orders", "DELTA", "s3://lake", "10/shop.orders"),
    ]
    assert {
        (materialization.state, materialization.write_mode, materialization.storage, materialization.catalog)
        for materialization in materializations
    } == {("RUNNING", "APPEND", "ByobAws", "")}


@pytest.mark.parametrize(
    ("config", "form", "namespace", "name"),
    [
        (UNITY, "DELTA", "unitycatalog://dbc-1.cloud.databricks.com", "lake.lkc-1.shop_orders"),
        (
            UNITY | {"custom_schema": "kafka"},
            "DELTA",
            "unitycatalog://dbc-1.cloud.databricks.com",
            "lake.kafka.shop_orders",
        ),
        (GLUE, "ICEBERG", "arn:aws:glue:eu-central-1:42", "table/lkc-1/shop.orders"),
        (GLUE | {"custom_database": "raw"}, "ICEBERG", "arn:aws:glue:eu-central-1:42", "table/raw/shop.orders"),
        (SNOWFLAKE, "ICEBERG", "snowflake://acme-eu1", "wh.lkc-1.shop.orders"),
        ({"kind": "BigLakeMetastore"}, "ICEBERG", "tableflow://tci-1", "lkc-1.shop.orders"),
    ],
)
def test_catalog_names_the_table_its_own_way(read: Read, config: Any, form: str, namespace: str, name: str) -> None:
    """So that lineage meets what the catalog itself, or Spark, says of the same table; an unknown kind is kept."""
    listed = table(formats=["DELTA", "ICEBERG"], syncs=[sync("tci-1")])

    materializations = read(listed, integrations=[catalog("tci-1", config)]).of(Materialization)
    remote = [item for item in materializations if item.catalog == "tci-1" and item.table_format == form]
    assert [(item.namespace, item.name, item.state, item.catalog_kind) for item in remote] == [
        (namespace, name, "SYNCED", config["kind"])
    ]


def test_integration_alone_proves_no_sync(read: Read) -> None:
    """Only the topic's own statuses tell which catalogs know its table."""
    materializations = read(table(), integrations=[catalog("tci-1", UNITY)]).of(Materialization)

    assert [materialization.catalog for materialization in materializations] == [""]


def test_delta_goes_to_unity_and_iceberg_elsewhere(read: Read) -> None:
    """A topic in both formats is one table in each catalog."""
    listed = table(formats=["ICEBERG", "DELTA"], syncs=[sync("u"), sync("g", "FAILED", error_message="no role")])

    materializations = read(listed, integrations=[catalog("u", UNITY), catalog("g", GLUE)]).of(Materialization)
    assert [
        (materialization.table_format, materialization.catalog, materialization.state, materialization.detail)
        for materialization in materializations
    ] == [
        ("DELTA", "", "RUNNING", ""),
        ("DELTA", "u", "SYNCED", ""),
        ("ICEBERG", "", "RUNNING", ""),
        ("ICEBERG", "g", "FAILED", "no role"),
    ]


def test_failing_format_fails_alone(read: Read) -> None:
    """Delta may fail while Iceberg runs."""
    listed = table(formats=["DELTA", "ICEBERG"])
    listed["status"]["failing_table_formats"] = [{"table_format": "DELTA", "error_message": "bad schema"}]

    materializations = read(listed).of(Materialization)
    assert [
        (materialization.table_format, materialization.state, materialization.detail)
        for materialization in materializations
    ] == [
        ("DELTA", "FAILED", "bad schema"),
        ("ICEBERG", "RUNNING", ""),
    ]


def test_every_page_is_read_and_an_empty_one_ends_nothing(read: Read) -> None:
    """100 a page whatever is queried for; the second page is empty, the last has a `next` with an empty token."""
    tables = [table(f"t{number:03}") for number in range(250)]

    result = read(*tables, hollow=True)
    assert (len(result.of(Materialization)), result.outcome.status) == (250, SourceStatus.READ)


def test_topic_without_place_or_catalog_has_a_name(read: Read) -> None:
    """Managed storage reports no path; `topic_name` stands in some samples."""
    managed = {"spec": {"topic_name": "a", "storage": {"kind": "Managed"}, "suspended": True}}

    materializations = read(managed, {"spec": {}}, {}).of(Materialization)
    assert [
        (materialization.topic, materialization.namespace, materialization.name, materialization.suspended)
        for materialization in materializations
    ] == [("a", "tableflow://env-x1", "lkc-1.a", True)]


def test_without_integrations_tables_are_reported_and_the_answer_is_partial(read: Read) -> None:
    """One right may be missing and the other not."""
    result = read(table(syncs=[sync("u", catalog_type="Unity")]), refused={"/tableflow/v1/catalog": 403})

    assert result.outcome.status is SourceStatus.PARTIAL
    assert [materialization.catalog_kind for materialization in result.of(Materialization)] == ["", "Unity"]


def test_wrong_key_is_no_empty_tableflow(read: Read) -> None:
    """A Kafka key does not open it."""
    with pytest.raises(SourceRefused):
        read(table(), refused={"/tableflow": 401})
