"""The members of cluster.json about clients: what a wrong one costs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from scanner_extractor.config.loader import read_cluster_file
from scanner_model.errors import InputInvalid

SERVER = {"url": "https://prometheus.example.org", "cluster_selector": ""}
LEAST = {"cluster": "retail", "brokers": ["kafka-1:9092"]}


@pytest.fixture
def read(tmp_path):
    def read(**members: Any) -> Any:
        file = tmp_path / "cluster.json"
        file.write_text(json.dumps(LEAST | members), "utf-8")
        return read_cluster_file(file, {}, ("confluent",))

    return read


def test_long_name_of_a_metric_with_a_wrong_letter_is_refused_at_once(read) -> None:
    """A pattern with two ways to read each letter would take years for it."""
    profile = {"metric": "kafka_producer_topic_record_send_total_of_team-a", "direction": "writes"}
    with pytest.raises(InputInvalid):
        read(prometheus=[SERVER | {"profiles": [profile]}])


@pytest.mark.parametrize("metric", ["a", "job:kafka_sent:rate5m", "_x9"])
def test_names_that_prometheus_has_are_read(read, metric: str) -> None:
    """Recorded series have colons."""
    profile = {"metric": metric, "direction": "writes"}
    (settings,) = read(prometheus=[SERVER | {"profiles": [profile]}]).prometheus

    assert settings.profiles[0].metric == metric


def test_window_with_a_line_break_is_that_window(read) -> None:
    """The pattern of a schema lets one pass at the end."""
    (settings,) = read(prometheus=[SERVER | {"window": "2d\n"}]).prometheus

    assert settings.window == "2d"


@pytest.mark.parametrize("member", ["acls", "kafka_clients"])
def test_what_is_read_over_kafka_needs_kafka(read, member: str) -> None:
    """Without its properties there is no connection."""
    with pytest.raises(InputInvalid) as caught:
        read(**{member: {}})

    assert f"leave `{member}` out" in str(caught.value)


def test_settings_of_clients_that_brokers_know(read) -> None:
    """Everything is read unless it is left out."""
    settings = read(kafka={}, kafka_clients={"samples": 5, "groups": False}).others["kafka_clients"][0]

    assert (settings.transactions, settings.groups, settings.samples) == (True, False, 5)
    assert settings.source == "kafka_clients:kafka-1:9092"
