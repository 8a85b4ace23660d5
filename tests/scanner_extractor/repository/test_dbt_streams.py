"""Manifests that dbt wrote with its adapters for Confluent Cloud, Flink, RisingWave and Materialize."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scanner_extractor.repository.dbt_streams import read_streams
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.settings.sources import FileSettings
from scanner_extractor.systems.dbt.manifest import load_manifest
from scanner_extractor.systems.dbt.settings import DbtSettings
from scanner_model.catalogs import CatalogLink, CatalogTable
from scanner_model.declarations import UnreadFile
from scanner_model.kafka import Topic
from scanner_model.manual import DeclaredFlow
from scanner_model.scan import SourceStatus
from scanner_model.streaming_sql import StreamingStatement

MANIFESTS = Path(__file__).parents[2] / "data" / "dbt_streams"
SPACES = {"risingwave": "risingwave://rw:4566", "materialize": "materialize://mz:6875"}


@pytest.fixture
def read(tmp_path):
    """Read the manifest of an adapter, changed if at all."""

    def result(adapter: str, change: Any = None) -> Reading:
        manifest = json.loads((MANIFESTS / f"{adapter}.json").read_text())
        if change:
            change(manifest)
        path = tmp_path / "manifest.json"
        path.write_text(json.dumps(manifest))
        files = FileSettings(pattern="manifest.json", base=tmp_path, files=(path,))
        settings = DbtSettings(files=files, namespace=SPACES.get(adapter, ""), name="shop")
        return read_streams(load_manifest(settings), settings, no_progress)

    return result


def without_sql(manifest: dict[str, Any]) -> None:
    """Change a manifest to what `dbt parse` writes."""
    for node in manifest["nodes"].values():
        del node["compiled_code"]


def statements(result: Reading) -> dict[str, str]:
    return {statement.name: " ".join(statement.statement.split()) for statement in result.of(StreamingStatement)}


def topics(result: Reading) -> set[str]:
    return {str(topic.name) for topic in result.of(Topic)}


def test_a_model_of_confluent_is_a_topic_and_a_statement(read) -> None:
    """The relation `env-1`.`cluster_0`.`orders` is the topic orders of the Kafka cluster cluster_0."""
    result = read("confluent")

    assert topics(result) == {"orders", "big_orders", "totals"}
    assert statements(result)["model.shop.big_orders"] == (
        "CREATE TABLE `env-1`.`cluster_0`.`big_orders` WITH ('changelog.mode' = 'append') AS"
        " SELECT id, total AS amount FROM `env-1`.`cluster_0`.`orders` WHERE total > 100"
    )
    statement = result.of(StreamingStatement)[0]
    assert (statement.catalog_name, statement.database_name, statement.engine) == ("env-1", "cluster_0", "confluent")


def test_views_and_generated_tables_of_confluent_are_no_topics(read) -> None:
    found = statements(read("confluent"))

    assert found["model.shop.recent"].startswith("CREATE VIEW")
    assert found["model.shop.clicks"].endswith("WITH ('rows-per-second' = '10', 'connector' = 'faker')")


def test_an_exposure_reads_the_topics_behind_its_views(read) -> None:
    flows = read("confluent").of(DeclaredFlow)

    assert {(flow.origin.name, flow.target.namespace, flow.target.name) for flow in flows} == {
        ("totals", "dbt://shop", "revenue"),
        ("big_orders", "dbt://shop", "revenue"),
    }


def test_without_sql_a_model_reads_what_it_depends_on(read) -> None:
    result = read("confluent", without_sql)

    uses = {(flow.job, flow.origin.name, flow.target.name) for flow in result.of(DeclaredFlow)}
    assert {("model.shop.big_orders", "orders", "big_orders"), ("model.shop.totals", "big_orders", "totals")} <= uses
    assert any("no compiled SQL" in problem.what for problem in result.problems)


def test_models_of_another_kafka_cluster_are_no_topics_of_this_one(read) -> None:
    def change(manifest: dict[str, Any]) -> None:
        manifest["nodes"]["model.shop.totals"] |= {"schema": "other", "relation_name": "`env-1`.`other`.`totals`"}

    assert topics(read("confluent", change)) == {"orders", "big_orders"}


def test_tables_of_flink_have_the_topic_of_their_properties(read) -> None:
    result = read("flink")
    found = statements(result)

    assert topics(result) == {"shop.orders", "shop.big", "shop.copies"}
    assert "'topic' = 'shop.big'" in found["model.shop.big_orders"]
    assert found["model.shop.recent"] == "CREATE VIEW recent AS SELECT id, amount FROM big_orders"


def test_a_source_of_flink_is_declared_with_its_columns(read) -> None:
    source = statements(read("flink"))["source.shop.kafka.orders"]

    assert "`placed_at` TIMESTAMP(3) METADATA FROM 'timestamp'" in source
    assert "`cents` AS total * 100" in source
    assert "WATERMARK FOR `placed_at` AS placed_at - INTERVAL '5' SECOND" in source


def test_secrets_of_properties_are_masked(read) -> None:
    def change(manifest: dict[str, Any]) -> None:
        properties = manifest["nodes"]["model.shop.big_orders"]["config"]["connector_properties"]
        properties["properties.sasl.jaas.config"] = 'Plain required username="u" password="hunter2";'

    assert "hunter2" not in str(read("flink", change))


def test_objects_of_risingwave_read_and_write_topics(read) -> None:
    tables = {table.name: table for table in read("risingwave").of(CatalogTable)}

    assert tables["shop.orders"].kind == "TOPIC"
    assert dict(tables["dev.public.big_sink"].parameters)["kafka.topics"] == "shop.big"
    assert dict(tables["dev.public.raw_sink"].parameters)["kafka.topics"] == "shop.raw"
    assert tables["dev.public.big_orders"].definition.startswith("SELECT id, total AS amount")
    assert dict(tables["dev.public.totals"].parameters)["dbt.id"] == "model.shop.totals"


def test_a_topic_that_is_a_placeholder_is_reported(read) -> None:
    """What is not read of a model is said, as it is of a file of statements."""

    def change(manifest: dict[str, Any]) -> None:
        node = manifest["nodes"]["model.shop.raw_sink"]
        for member in ("compiled_code", "raw_code"):
            node[member] = node.get(member, "").replace("shop.raw", "${TOPIC}")

    result = read("risingwave", change)

    (file,) = result.of(UnreadFile)
    assert (file.kind, file.reason) == ("topic", "the topic of raw_sink is a placeholder: ${TOPIC}")
    assert [problem.what for problem in result.problems] == [f"topic: {file.reason}"]


def test_objects_of_materialize_read_and_write_topics(read) -> None:
    tables = {table.name: table for table in read("materialize").of(CatalogTable)}

    by_topic = {name: dict(table.parameters).get("kafka.topics") for name, table in tables.items()}
    assert by_topic["materialize.public.orders"] == "shop.orders"
    assert by_topic["materialize.public.big_sink"] == "shop.big"
    assert tables["materialize.public.big_sink"].columns == ()


def test_without_sql_tables_are_linked_with_what_they_depend_on(read) -> None:
    links = {(link.origin_name, link.target_name) for link in read("risingwave", without_sql).of(CatalogLink)}

    assert ("dev.public.big_orders", "dev.public.big_sink") in links


def test_a_node_that_cannot_be_read_leaves_the_rest(read) -> None:
    def change(manifest: dict[str, Any]) -> None:
        del manifest["nodes"]["model.shop.totals"]["relation_name"]

    result = read("confluent", change)

    assert result.outcome.status is SourceStatus.PARTIAL
    assert "model.shop.big_orders" in statements(result)
