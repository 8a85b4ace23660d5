"""Discovery: what one Cloud key finds of an organisation, and what it may not see."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.results import Reading, no_progress
from scanner_extractor.settings.cluster import BasicAuth, HttpSettings
from scanner_extractor.systems.confluent_cloud.discovery import (
    read_cloud,
    read_clusters,
    read_environments,
    read_organization_id,
    read_regions,
    read_registries,
)
from scanner_extractor.systems.confluent_cloud.settings import CloudSettings, Organization
from scanner_model.errors import SourceRefused
from scanner_model.names import SourceId
from scanner_model.payload import Payload, Unread
from scanner_model.scan import SourceStatus

NO_PAUSE = Clock(pause=lambda _: None)

Read = Callable[..., Reading]


@pytest.fixture
def read(cloud) -> Read:
    """Read a fake organisation over loopback: all of it, or one cluster."""

    def query(*environments: Any, cluster: str = "", environment: str = "", **members: Any) -> Reading:
        with cloud.serving(cloud.Cloud(environments=environments, **members)) as url:
            login = BasicAuth(user="K", password="S")
            settings = CloudSettings(http=HttpSettings(url=url, auth=login), cluster=cluster, environment=environment)
            with Http(settings.http, settings.source, clock=NO_PAUSE) as http:
                return read_cloud(settings, http, no_progress)

    return query


UNREAD = Unread(SourceId("confluent_cloud"))


def rows_of(*rows: Any) -> list[Payload]:
    return Payload(list(rows)).list()


@pytest.fixture
def two(cloud) -> tuple[Any, Any]:
    """Two environments with a cluster of the same display name each."""
    return (
        cloud.Environment(id="env-a", name="prod", clusters=(cloud.Cluster(id="lkc-1", ksqldb=("k1",)),)),
        cloud.Environment(
            id="env-b",
            name="prod",
            clusters=(cloud.Cluster(id="lkc-2", ksqldb=("k2",)), cloud.Cluster(id="lkc-3")),
            pools=(("AWS", "eu-central-1"), ("AWS", "us-east-2"), ("AWS", "eu-central-1")),
            registry="v2",
        ),
    )


def test_whole_organisation_from_one_key(read: Read, two) -> None:
    """Identity is the id: display names repeat."""
    organization = read(*two).of(Organization)[0]

    assert [(cluster.id, cluster.name, cluster.environment) for cluster in organization.clusters] == [
        ("lkc-1", "billing", "env-a"),
        ("lkc-2", "billing", "env-b"),
        ("lkc-3", "billing", "env-b"),
    ]
    assert organization.id.startswith("0a1b2c3d")
    assert [registry.id for registry in organization.registries] == ["lsrc-env-a", "lsrc-env-b"]
    assert [(region.cloud, region.region) for region in organization.regions] == [
        ("AWS", "eu-central-1"),
        ("AWS", "us-east-2"),
    ]
    assert len(organization.pools) == 3


def test_one_cluster_brings_its_own_environment_only(read: Read, two) -> None:
    """What is beside another cluster is not asked for."""
    organization = read(*two, cluster="lkc-2").of(Organization)[0]

    assert [environment.id for environment in organization.environments] == ["env-b"]
    assert [cloud_ksql.id for cloud_ksql in organization.ksqldb] == ["k2"]
    assert organization.clusters[0].brokers == ("lkc-2.eu-central-1.aws.example.org:9092",)
    assert organization.clusters[0].crn.endswith("environment=env-b/cloud-cluster=lkc-2")


def test_named_environment_spares_the_search(read: Read, two) -> None:
    """And it need not be listed: a key may see inside without seeing the list."""
    result = read(*two, cluster="lkc-1", environment="env-a", refused={"/org/v2/environments": 403})

    assert [cluster.id for cluster in result.of(Organization)[0].clusters] == ["lkc-1"]


def test_every_page_is_read_and_an_empty_one_ends_nothing(read: Read, cloud) -> None:
    """10 a page unless asked for more, 100 at most; an empty page, and a `next` with an empty token."""
    many = tuple(cloud.Cluster(id=f"lkc-{number:03}") for number in range(230))

    result = read(cloud.Environment(clusters=many), hollow=True)
    assert len(result.of(Organization)[0].clusters) == 230


@pytest.mark.parametrize("plane", ["/ksqldbcm", "/fcpm", "/srcm"])
def test_plane_that_is_refused_is_unknown_not_empty(read: Read, two, plane: str) -> None:
    """The others are reported, and the answer is partial."""
    result = read(*two, cluster="lkc-2", refused={plane: 403})

    assert result.outcome.status is SourceStatus.PARTIAL
    assert len(result.problems) == 1
    assert result.of(Organization)[0].clusters


def test_cluster_that_the_key_does_not_show_is_refused(read: Read, two) -> None:
    """With what it does show, because a wrong id is soon seen beside the right one."""
    with pytest.raises(SourceRefused) as caught:
        read(*two, cluster="lkc-9")

    assert "lkc-1 (billing)" in caught.value.hint


def test_wrong_key_is_no_empty_organisation(read: Read, two) -> None:
    """401 everywhere must not become an empty answer."""
    with pytest.raises(SourceRefused):
        read(*two, keys={"cloud": "other:key"})


def test_organisation_is_named_by_the_crn_where_it_is_not_listed() -> None:
    """Flink's addresses want it."""
    crn = "crn://confluent.cloud/organization=0a1b/environment=env-1"
    environments = read_environments(rows_of({"id": "env-1", "metadata": {"resource_name": crn}}), UNREAD)

    assert read_organization_id([], environments) == "0a1b"


def test_bootstrap_address_comes_with_and_without_protocol() -> None:
    """Both were seen; an address that is none leaves the brokers unknown."""
    rows = [
        {"id": f"lkc-{number}", "spec": {"kafka_bootstrap_endpoint": address}}
        for number, address in enumerate(["SASL_SSL://pkc-1.x:9092", "pkc-2.x:9092", "no address at all", None])
    ]

    assert [cluster.brokers for cluster in read_clusters(rows_of(*rows), "env-1", UNREAD)] == [
        ("pkc-1.x:9092",),
        ("pkc-2.x:9092",),
        (),
        (),
    ]


def test_public_endpoint_comes_before_private_ones() -> None:
    """A cluster may have several, by access point."""
    endpoints = {
        "ap1": {"connection_type": "PRIVATE_LINK", "http_endpoint": "https://private"},
        "ap9": {"connection_type": "PUBLIC", "http_endpoint": "https://public"},
    }

    assert read_clusters(rows_of({"id": "a", "spec": {"endpoints": endpoints}}), "e", UNREAD)[0].url == "https://public"


def test_old_registry_api_reports_no_catalog_address() -> None:
    """Then it is the registry's."""
    v2, private = {"http_endpoint": "https://r"}, {"private_http_endpoint": "https://p"}
    rows = [{"id": "a", "spec": v2}, {"id": "b", "spec": private}, {"id": "c", "spec": {}}]

    registries = read_registries(rows_of(*rows), "env-1", UNREAD)
    assert [(cloud_registry.url, cloud_registry.catalog_url) for cloud_registry in registries] == [
        ("https://r", "https://r"),
        ("https://p", "https://p"),
    ]


def test_malformed_rows_are_reported() -> None:
    """Whatever a list holds, only what has an id counts, once."""
    unread = Unread(SourceId("confluent_cloud"))
    environments = read_environments(
        rows_of(None, {"id": 5}, {"id": "a"}, {"id": "a"}, {"id": "b", "metadata": 1}), unread
    )

    assert ([environment.id for environment in environments], unread.names) == (["a"], {"b"})
    assert unread.nameless


@pytest.mark.parametrize("address", ["https://[", "ftp://x", "nowhere", None])
def test_endpoint_that_is_no_address_is_none(address: Any) -> None:
    """Better nothing found than a scan that breaks on it."""
    spec = {"http_endpoint": address, "kafka_cluster": {"id": "lkc-1"}}

    assert read_clusters(rows_of({"id": "a", "spec": spec}), "e", UNREAD)[0].url == ""
    assert read_registries(rows_of({"id": "a", "spec": spec}), "e", UNREAD) == ()
    assert read_regions(rows_of({"cloud": "AWS", "region_name": "r", "http_endpoint": address})) == ()
