"""`scanner init`: what it writes, what it never writes, and when it writes nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scanner_extractor.config.loader import read_cluster_file
from scanner_extractor.systems.confluent_cloud.settings import Plane

KEY, SECRET = "CLOUDKEY", "cloud-secret-9f8e7d"


@pytest.fixture
def fake_cloud(cloud) -> Any:
    """Return an organisation with two clusters of one name, and one of its own."""
    same = tuple(cloud.Cluster(id=f"lkc-{number}", name="billing") for number in (1, 2))
    own = cloud.Cluster(id="lkc-3", name="Web Shop", ksqldb=("lksqlc-7",))
    first = cloud.Environment(id="env-a", clusters=(*same, own), pools=(("AWS", "eu-central-1"),))
    return cloud.Cloud(environments=(first,), keys={"cloud": f"{KEY}:{SECRET}"})


@pytest.fixture
def url(cloud, fake_cloud, monkeypatch) -> Iterator[str]:
    """Serve the organisation, with the key in the environment."""
    monkeypatch.setenv("CONFLUENT_CLOUD_API_KEY", KEY)
    monkeypatch.setenv("CONFLUENT_CLOUD_API_SECRET", SECRET)
    with cloud.serving(fake_cloud) as address:
        yield address


def test_one_file_a_cluster_named_apart(scanner, url, tmp_path) -> None:
    """Display names may repeat; identity is the id."""
    result = scanner("init", "--cloud", "--url", url, "-o", tmp_path / "new", "--format", "json")

    assert result.status == 0
    assert [Path(row["file"]).name for row in result.json] == ["lkc-1.json", "lkc-2.json", "web-shop.json"]
    assert [row["cluster"] for row in result.json] == ["lkc-1", "lkc-2", "Web Shop"]


def test_no_secret_is_written_or_printed(scanner, url, tmp_path) -> None:
    """A file holds names of variables only."""
    result = scanner("init", "--cloud", "--url", url, "-o", tmp_path)

    texts = [file.read_text() for file in tmp_path.iterdir()]
    assert len(texts) == 3
    assert all(SECRET not in text and KEY not in text for text in (*texts, result.out, result.err))
    assert all("${CONFLUENT_CLOUD_API_SECRET}" in text for text in texts)


def test_what_is_written_can_be_read_with_the_cloud_key_alone(scanner, url, tmp_path) -> None:
    """Keys of single planes may stay unset: an empty key is none."""
    scanner("init", "--cloud", "--url", url, "-o", tmp_path, "--cluster", "lkc-3")

    settings = read_cluster_file(tmp_path / "web-shop.json", os.environ, ("confluent",))
    assert settings.cloud
    assert (settings.cloud.cluster, settings.cloud.environment) == ("lkc-3", "env-a")
    assert set(settings.cloud.planes) == {Plane.KAFKA, Plane.SCHEMA_REGISTRY, Plane.KSQLDB, Plane.FLINK}


def test_an_existing_file_is_not_overwritten(scanner, url, tmp_path) -> None:
    """And then no other is written either."""
    (tmp_path / "lkc-2.json").write_text("mine")

    result = scanner("init", "--cloud", "--url", url, "-o", tmp_path)
    assert result.status == 2
    assert "lkc-2.json" in result.err
    assert [file.name for file in tmp_path.iterdir()] == ["lkc-2.json"]


def test_force_writes_over(scanner, url, tmp_path) -> None:
    """`--force` states the intent."""
    (tmp_path / "lkc-2.json").write_text("mine")

    assert scanner("init", "--cloud", "--url", url, "-o", tmp_path, "--force").status == 0
    assert json.loads((tmp_path / "lkc-2.json").read_text())["cluster"] == "lkc-2"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--cloud, --from or --probe is missing"),
        (("--cloud", "--probe", "a:1"), "--cloud, --from or --probe is missing"),
        (("--cloud", "--url", "nowhere"), "not a web address"),
        (("--probe", "a b"), "not a broker address"),
    ],
)
def test_contradictory_options_are_reported(scanner, monkeypatch, arguments, message) -> None:
    """Where, what, and what next."""
    monkeypatch.setenv("CONFLUENT_CLOUD_API_KEY", KEY)
    monkeypatch.setenv("CONFLUENT_CLOUD_API_SECRET", SECRET)

    result = scanner("init", *arguments)
    assert (result.status, message in result.err) == (2, True)


def test_cloud_without_a_key_names_the_variables(scanner, monkeypatch) -> None:
    """They are those that Confluent's own tools read."""
    monkeypatch.delenv("CONFLUENT_CLOUD_API_KEY", raising=False)

    result = scanner("init", "--cloud")
    assert result.status == 2
    assert "CONFLUENT_CLOUD_API_KEY" in result.err


def test_bad_key_writes_nothing(scanner, url, tmp_path, monkeypatch) -> None:
    """An organisation that a key may not see is not an empty one."""
    monkeypatch.setenv("CONFLUENT_CLOUD_API_SECRET", "other")

    assert scanner("init", "--cloud", "--url", url, "-o", tmp_path).status == 1
    assert list(tmp_path.iterdir()) == []


def test_probe_without_a_broker_lists_what_it_found(scanner, connect, tmp_path) -> None:
    """A cluster.json needs brokers, and no other server knows them."""
    with connect.serving(connect.Connect()) as address:
        result = scanner("init", "--probe", address.removeprefix("http://"), "-o", tmp_path)

    assert result.status == 2
    assert "Kafka Connect at http://127.0.0.1" in result.err
    assert list(tmp_path.iterdir()) == []


def test_a_repository_gives_a_file_a_table_and_a_dictionary(scanner, tmp_path) -> None:
    """No line is written by hand."""
    shop = tmp_path / "shop"
    shop.mkdir()
    (shop / "a.ksql").write_text("CREATE STREAM s (a INT) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON');")
    (shop / "t.yaml").write_text("apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nname: {{ .Values.t }}\n")

    result = scanner("init", "--from", shop, "-o", shop, "--extract", tmp_path / "d.db", "--format", "json")
    assert result.status == 0
    assert {row["kind"]: row["files"] for row in json.loads(result.out)} == {"SQL": 1, "deployment file": 1}
    assert "render" in result.out
    document = json.loads((shop / "cluster.json").read_text())
    assert document == {"cluster": "shop", "repositories": [{"path": "."}]}
    listed = scanner("topics", "--format", "json", "--dictionary", tmp_path / "d.db")
    assert "orders" in listed.out
    found = scanner("validate", "--rule", "unread-file", "--dictionary", tmp_path / "d.db")
    assert "t.yaml" in found.out


def test_one_way_to_find_sources_is_named(scanner, tmp_path) -> None:
    """Nothing is written."""
    assert scanner("init", "--from", tmp_path, "--cloud", "-o", tmp_path).status == 2
    assert not list(tmp_path.iterdir())


def test_a_directory_without_anything_to_read_writes_nothing(scanner, tmp_path) -> None:
    """A cluster.json of nothing looks like a success."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("nothing of Kafka")

    result = scanner("init", "--from", tmp_path / "other", "-o", tmp_path)

    assert (result.status, result.out) == (2, "")
    assert "no file that scanner can read" in result.err
    assert not (tmp_path / "cluster.json").exists()
