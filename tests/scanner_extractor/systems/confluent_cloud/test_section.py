"""What cluster.json says of Confluent Cloud and of what is fed from it: read, and every way to be wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scanner_api.configuration import State, probe_sources
from scanner_extractor.config.loader import read_cluster_file
from scanner_extractor.http.messages import Request, Response
from scanner_extractor.settings.cluster import BasicAuth, OffsetSettings, Settings
from scanner_extractor.systems.confluent_cloud.settings import MetricsSettings, Plane, has_key
from scanner_model.errors import InputInvalid

LEAST: dict[str, Any] = {"cluster": "retail", "brokers": "k:9092"}
LOGIN = {"basic": {"user": "K", "password": "S"}}
CLOUD = {"auth": LOGIN, "cluster": "lkc-1"}


def read(directory: Path, **members: Any) -> Settings:
    (directory / "cluster.json").write_text(json.dumps(LEAST | members))
    return read_cluster_file(directory / "cluster.json", {}, ("confluent",))


def problems(directory: Path, **members: Any) -> list[str]:
    with pytest.raises(InputInvalid) as caught:
        read(directory, **members)
    return [f"{problem.where.partition(' ')[2]} {problem.what}" for problem in caught.value.problems]


def test_two_lines_are_enough(tmp_path: Path) -> None:
    """Brokers and sources are found when a scan starts."""
    (tmp_path / "c.json").write_text(json.dumps({"cluster": "billing", "confluent_cloud": CLOUD}))

    settings = read_cluster_file(tmp_path / "c.json", {}, ("confluent",))
    assert settings.cloud
    assert (settings.brokers, settings.cloud.http.url, settings.cloud.planes) == ((), "https://api.confluent.cloud", {})
    assert settings.cloud.http.auth == BasicAuth(user="K", password="S")


def test_without_cloud_brokers_are_wanted(tmp_path: Path) -> None:
    """Nobody else knows them."""
    (tmp_path / "c.json").write_text('{"cluster": "billing"}')

    with pytest.raises(InputInvalid, match="brokers"):
        read_cluster_file(tmp_path / "c.json", {}, ("confluent",))


def test_planes_have_keys_and_addresses_of_their_own(tmp_path: Path) -> None:
    """An empty key is none; an address that is not reported is found."""
    empty = {"basic": {"user": "", "password": ""}}
    planes = {"kafka": {"auth": LOGIN}, "flink": {"auth": empty}, "metrics": {"url": "https://m.example.org"}}

    cloud = read(tmp_path, confluent_cloud=CLOUD | planes).cloud
    assert cloud
    members = {plane: (http.url, has_key(http)) for plane, http in cloud.planes.items()}
    assert members == {
        Plane.KAFKA: ("", True),
        Plane.FLINK: ("", False),
        Plane.METRICS: ("https://m.example.org", False),
    }


def test_defaults_are_those_of_the_public_services(tmp_path: Path) -> None:
    """Every host is a setting all the same. The Metrics API takes 60 requests a minute."""
    settings = read(
        tmp_path,
        tableflow={"environment": "env-1", "cluster": "lkc-1", "auth": LOGIN, "aws_account": "42"},
        metrics={"type": "confluent", "cluster": "lkc-1", "auth": LOGIN, "look_back_minutes": 15},
    )

    assert settings.tableflow
    assert isinstance(settings.metrics, MetricsSettings)
    assert (settings.tableflow.http.url, settings.tableflow.aws_account) == ("https://api.confluent.cloud", "42")
    assert settings.metrics.http.url == "https://api.telemetry.confluent.cloud"
    assert (settings.metrics.look_back, settings.metrics.http.requests_per_second) == (15, 1.0)


def test_limit_that_is_written_stays(tmp_path: Path) -> None:
    """And a host of ones own has none of ours."""
    members = {"type": "confluent", "cluster": "lkc-1"}
    written, own = ({"requests_per_second": 5}, 5), ({"url": "http://m"}, None)

    for more, limit in (written, own):
        metrics = read(tmp_path, metrics=members | more).metrics
        assert isinstance(metrics, MetricsSettings)
        assert metrics.http.requests_per_second == limit


def test_offsets_are_queried_of_the_brokers(tmp_path: Path) -> None:
    """With the properties of `kafka`, which hold secrets."""
    metrics = read(tmp_path, kafka={"sasl.password": "hidden-9"}, metrics={"type": "offsets"}).metrics

    assert isinstance(metrics, OffsetSettings)
    assert (metrics.brokers, dict(metrics.properties)) == (("k:9092",), {"sasl.password": "hidden-9"})
    assert "hidden-9" not in repr(metrics)


@pytest.mark.parametrize(
    ("members", "reported"),
    [
        ({"metrics": {"type": "offsets"}}, "$.metrics.type offsets come from the brokers, and there is no `kafka`"),
        (
            {"kafka": {}, "metrics": {"type": "offsets", "cluster": "c"}},
            "$.metrics.cluster 'cluster' is not for offsets",
        ),
        ({"kafka_rest": {"url": "nowhere"}}, '$.kafka_rest.url "nowhere" is not a web address'),
        (
            {"confluent_cloud": CLOUD | {"kafka": {"url": "nowhere"}}},
            '$.confluent_cloud.kafka.url "nowhere" is not a web address',
        ),
        (
            {"stream_catalogs": [{"url": "http://c", "cluster": "a"}, {"url": "http://C/", "cluster": "a"}]},
            "$.stream_catalogs[1].url this source is named twice",
        ),
        (
            {"tableflow": {"environment": "e", "cluster": "c", "tls": {"ca": "none.pem"}}},
            '$.tableflow.tls.ca there is no file "none.pem"',
        ),
    ],
)
def test_what_does_not_fit_together_is_reported(tmp_path: Path, members: dict[str, Any], reported: str) -> None:
    """With its place."""
    assert problems(tmp_path, **members) == [reported]


@pytest.mark.parametrize(
    "members",
    [
        {"metrics": {"type": "confluent"}},
        {"metrics": {"type": "jmx"}},
        {"confluent_cloud": {"auth": LOGIN}},
        {"confluent_cloud": {"cluster": "lkc-1"}},
        {"stream_catalogs": [{"url": "http://c"}]},
        {"tableflow": {"cluster": "c"}},
        {"kafka_rest": []},
        {"stream_catalogs": {}},
        {"confluent_cloud": {"auth": LOGIN, "cluster": "lkc-1", "kafka": [5]}},
        {"metrics": {"type": "confluent", "cluster": "c", "look_back_minutes": 0}},
    ],
)
def test_wrong_form_is_reported_and_nothing_breaks(tmp_path: Path, members: dict[str, Any]) -> None:
    """The judge skips what has not the right form."""
    assert len(problems(tmp_path, **members)) == 1


def test_unchecked_certificate_is_warned_of(tmp_path: Path) -> None:
    """Of these sources as of all others."""
    plane = {"kafka": {"auth": LOGIN, "tls": {"verify": False}}}

    warnings = read(tmp_path, confluent_cloud=CLOUD | plane).warnings
    assert [warning.what for warning in warnings] == ["the server's certificate is not checked"]


def test_check_tries_each_source(tmp_path: Path) -> None:
    """One request each, and what it found."""
    settings = read(
        tmp_path,
        kafka_rest={"url": "http://k", "cluster": "lkc-1"},
        stream_catalogs=[{"url": "http://c", "cluster": "lkc-1"}],
        tableflow={"url": "http://t", "environment": "env-1", "cluster": "lkc-1"},
        metrics={"url": "http://m", "type": "confluent", "cluster": "lkc-1"},
    )

    def exchange(request: Request) -> Response:
        body = {"entities": [{}], "data": [] if "graphql" not in request.url else {"kafka_topic": []}}
        return Response(status=200, body=json.dumps(body).encode())

    reported = [
        (row.tried, row.state, row.detail) for row in probe_sources(settings, probe=lambda _: "", exchange=exchange)
    ]
    assert reported == [
        ("list topics", State.OK, "0 topics"),
        ("search topics", State.OK, "at least 1 topic"),
        ("query GraphQL", State.OK, "no topic"),
        ("list tables of topics", State.OK, "0 topics as tables"),
        ("query a metric", State.OK, "0 rows"),
    ]


def test_check_states_which_list_of_the_control_plane_is_refused(cloud, tmp_path: Path) -> None:
    """The cluster is found all the same."""
    server = cloud.Cloud(
        environments=(cloud.Environment(clusters=(cloud.Cluster(id="lkc-1"),)),), refused={"/fcpm": 403}
    )
    with cloud.serving(server) as url:
        own = {"url": url, "auth": LOGIN}
        settings = read(tmp_path, confluent_cloud=CLOUD | {"url": url, "metrics": own, "kafka": {"auth": LOGIN}})
        rows = list(probe_sources(settings, probe=lambda _: "3 brokers"))

    reported = [(row.source.partition(":")[0], row.tried, row.state) for row in rows]
    assert reported[:3] == [
        ("confluent_cloud", "find the cluster", State.OK),
        ("confluent_cloud", "list what is beside it", State.REFUSED),
        ("schema_registry", "look for a key", State.REFUSED),
    ]
    assert ("kafka", "read metadata of the brokers", State.OK) in reported
