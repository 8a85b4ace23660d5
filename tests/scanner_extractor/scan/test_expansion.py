"""From an organisation to the sources of one cluster: whose key, whose address, and what has none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scanner_extractor.scan.expansion import expanded
from scanner_extractor.settings.cluster import (
    BasicAuth,
    BearerAuth,
    HttpSettings,
    KafkaSettings,
    OffsetSettings,
    RegistrySettings,
    Settings,
)
from scanner_extractor.systems.confluent_cloud.settings import (
    CloudCluster,
    CloudKsql,
    CloudRegistry,
    CloudSettings,
    ComputePool,
    Environment,
    FlinkRegion,
    MetricsSettings,
    Organization,
    Plane,
)
from scanner_extractor.systems.ksqldb.settings import KsqlSettings
from scanner_model.names import ClusterName

CLOUD_KEY = BasicAuth(user="CLOUD", password="cloud-secret")
OWN = BasicAuth(user="OWN", password="own-secret")
CLUSTER = CloudCluster(
    id="lkc-1",
    name="billing",
    environment="env-a",
    kind="Standard",
    brokers=("pkc-1:9092",),
    url="https://pkc-1",
    crn="crn://confluent.cloud/organization=o-1/environment=env-a/cloud-cluster=lkc-1",
)
FOUND = Organization(
    id="o-1",
    environments=(Environment(id="env-a", name="prod"),),
    clusters=(CLUSTER, replace(CLUSTER, id="lkc-2")),
    registries=(
        CloudRegistry(id="lsrc-1", environment="env-a", url="https://sr", catalog_url="https://catalog"),
        CloudRegistry(id="lsrc-2", environment="env-b", url="https://other", catalog_url="https://other"),
    ),
    ksqldb=(
        CloudKsql(id="k1", name="k", kafka="lkc-1", url="https://k1"),
        CloudKsql(id="k2", name="k", kafka="lkc-2", url="https://k2"),
    ),
    pools=(
        ComputePool(id="p1", environment="env-a", cloud="AWS", region="eu-central-1"),
        ComputePool(id="p2", environment="env-a", cloud="AWS", region="us-east-2"),
        ComputePool(id="p3", environment="env-a", cloud="AWS", region="eu-central-1"),
    ),
    regions=(FlinkRegion(cloud="AWS", region="eu-central-1", url="https://flink-eu"),),
)


def cloud(*planes: Plane, **more: HttpSettings) -> CloudSettings:
    keys = {plane: HttpSettings(url="", auth=OWN) for plane in planes} | {Plane(name): more[name] for name in more}
    return CloudSettings(http=HttpSettings(url="https://api.example.org", auth=CLOUD_KEY), cluster="lkc-1", planes=keys)


def settings(**members: Any) -> Settings:
    return Settings(**{"cluster": ClusterName("billing"), "brokers": (), "file": Path("cluster.json")} | members)


def expand(*planes: Plane, output: Settings | None = None, **more: HttpSettings) -> Settings:
    return expanded(output or settings(), cloud(*planes, **more), FOUND)


def test_every_plane_with_a_key_is_queried_with_it() -> None:
    """Keys are scoped: one never serves all planes."""
    settings = expand(*Plane)

    http = [
        value.http
        for value in (
            *settings.registries,
            *settings.stream_catalogs,
            *settings.ksqldb,
            *settings.flink,
            *settings.connect,
        )
    ]
    assert [item.url for item in http] == [
        "https://sr",
        "https://catalog",
        "https://k1",
        "https://flink-eu",
        "https://flink.us-east-2.aws.confluent.cloud",
        "https://api.example.org/connect/v1/environments/env-a/clusters/lkc-1",
    ]
    assert {item.auth for item in http} == {OWN}
    assert settings.lacking == ()


def test_cloud_key_is_used_where_it_can_work() -> None:
    """Managed connectors, Tableflow and metrics; nowhere else, where it would only be refused."""
    settings = expand()

    assert [item.http.auth for item in settings.connect] == [CLOUD_KEY]
    assert settings.tableflow
    assert settings.metrics
    assert isinstance(settings.metrics, MetricsSettings)
    assert (settings.tableflow.http.auth, settings.metrics.http.auth) == (CLOUD_KEY, CLOUD_KEY)
    assert (settings.registries, settings.ksqldb, settings.flink, settings.kafka, settings.kafka_rest) == (
        (),
        (),
        (),
        None,
        None,
    )


def test_plane_that_is_there_without_a_key_is_lacking() -> None:
    """That is not the same as none: what is known of it must stay."""
    settings = expand()

    assert [(lacking.source, lacking.kind) for lacking in settings.lacking] == [
        ("kafka_rest:https://pkc-1:lkc-1", "kafka"),
        ("schema_registry:https://sr", "schema_registry"),
        ("stream_catalog:https://catalog:lkc-1", "stream_catalog"),
        ("ksqldb:https://k1", "ksqldb"),
        ("flink:https://flink-eu/env-a", "flink"),
        ("flink:https://flink.us-east-2.aws.confluent.cloud/env-a", "flink"),
    ]
    assert {lacking.what for lacking in settings.lacking[:2]} == {
        "no key for this plane (kafka)",
        "no key for this plane (schema_registry)",
    }


def test_lacking_source_is_the_one_that_a_key_would_have_queried() -> None:
    """A key that is lost for a day must not make another source of the same thing."""
    settings, lacking = expand(*Plane), {lacking.source for lacking in expand().lacking}

    sources = (*settings.registries, *settings.stream_catalogs, *settings.ksqldb, *settings.flink)
    assert {source.source for source in sources} < lacking


def test_empty_key_is_none() -> None:
    """`scanner init` writes variables that may stay unset."""
    empty = HttpSettings(url="", auth=BasicAuth(user="", password=""))

    settings = expand(kafka=empty, tableflow=empty)
    assert (settings.kafka, settings.kafka_rest) == (None, None)
    assert settings.tableflow
    assert settings.tableflow.http.auth == CLOUD_KEY


def test_kafka_key_opens_protocol_and_rest() -> None:
    """REST reports mirrors, the protocol which topics groups read; lags are for Dedicated clusters."""
    settings = expand(Plane.KAFKA)

    assert settings.kafka
    assert settings.kafka_rest
    assert dict(settings.kafka.properties)["sasl.username"] == "OWN"
    assert (settings.brokers, settings.kafka.brokers) == (("pkc-1:9092",), ("pkc-1:9092",))
    assert (settings.kafka_rest.cluster, settings.kafka_rest.lags) == ("lkc-1", False)


def test_token_opens_rest_only() -> None:
    """librdkafka wants more than a fixed token."""
    settings = expand(kafka=HttpSettings(url="", auth=BearerAuth(token="t")))

    assert settings.kafka is None
    assert settings.kafka_rest


def test_address_of_ones_own_comes_before_the_one_found() -> None:
    """Behind private endpoints, the public address is of no use."""
    private = HttpSettings(url="https://private", auth=OWN)

    settings = expand(kafka=private, schema_registry=private)
    assert settings.kafka_rest
    assert settings.kafka_rest.http.url == "https://private"
    assert [registry.http.url for registry in settings.registries] == ["https://private"]


def test_what_the_file_names_itself_is_not_found_twice() -> None:
    """It comes first, with its own settings."""
    registry = RegistrySettings(type="confluent", http=HttpSettings(url="https://sr"), deleted=False)
    ksqldb = KsqlSettings(http=HttpSettings(url="https://mine"))
    output = settings(registries=(registry,), ksqldb=(ksqldb,), brokers=("b:1",))

    result = expand(*Plane, output=output)
    assert result.registries == (registry,)
    assert [item.http.url for item in result.ksqldb] == ["https://mine", "https://k1"]
    assert result.brokers == ("b:1",)


def test_properties_of_kafka_get_the_brokers_that_were_found() -> None:
    """And so do offsets."""
    kafka = KafkaSettings(brokers=(), properties={"a": "b"})
    output = settings(kafka=kafka, metrics=OffsetSettings(brokers=()))

    result = expand(output=output)
    assert result.kafka
    assert isinstance(result.metrics, OffsetSettings)
    assert (result.kafka.brokers, result.metrics.brokers) == (("pkc-1:9092",), ("pkc-1:9092",))
    assert dict(result.metrics.properties) == {"a": "b"}
    assert "kafka" not in {lacking.kind for lacking in result.lacking}


def test_every_way_to_the_cluster_is_an_alias() -> None:
    """Id, CRN, display name, and the environment that Flink calls a catalog."""
    settings = expand()

    assert settings.identity == "lkc-1"
    assert dict(settings.aliases) == {
        "cluster_id": "lkc-1",
        "crn": CLUSTER.crn,
        "display_name": "billing",
        "environment": "env-a",
        "environment_name": "prod",
    }


@pytest.mark.parametrize("secret", ["cloud-secret", "own-secret"])
def test_no_secret_is_in_the_repr(secret: str) -> None:
    """Settings are shown in tracebacks and logs."""
    assert secret not in repr(expand(*Plane))
