"""Probing: what an address is, by its answers; and the file that comes of it."""

from __future__ import annotations

import json
import re
import socket
from pathlib import Path
from typing import Any

import pytest

from scanner_extractor.config.loader import read_cluster_file
from scanner_extractor.config.templates import PORTS, SILENT, Kind, Probed, Prober, listens, probed_file
from scanner_extractor.results import no_progress
from scanner_extractor.settings.cluster import KafkaSettings
from scanner_model.errors import InputInvalid, SourceUnreachable


def no_brokers(settings: KafkaSettings) -> tuple[str, int]:
    raise SourceUnreachable("nobody speaks Kafka")


PROBER = Prober(brokers=no_brokers, reachable=lambda host, port: True)


@pytest.fixture
def probed(canned):
    """Probe a server that answers one path and gives 404 for any other."""

    def query(path: str, answer: Any) -> Probed:
        known = {"status": answer} if isinstance(answer, int) else {"json": answer}
        canned.get(f"http://probed.example:8080{path}", **known)
        canned.get(re.compile(r"http://probed\.example:8080/.*"), status=404, json={})
        return next(iter(PROBER.probe("probed.example:8080", no_progress)))

    return query


@pytest.mark.parametrize(
    ("path", "answer", "kind", "type_"),
    [
        ("/", {"version": "4.3", "commit": "1", "kafka_cluster_id": "c"}, Kind.CONNECT, ""),
        ("/info", {"KsqlServerInfo": {"version": "7.9"}}, Kind.KSQLDB, ""),
        ("/config", {"flink-version": "2.1", "refresh-interval": 3}, Kind.FLINK, "jobmanager"),
        ("/v1/info", {"productName": "Apache Flink", "version": "2.1"}, Kind.FLINK, "sql-gateway"),
        ("/subjects", ["a-value"], Kind.REGISTRY, "confluent"),
        ("/_health", {"karapace_version": "5.0"}, Kind.REGISTRY, "karapace"),
        ("/apis/registry/v3/system/info", {"name": "Apicurio Registry", "version": "3"}, Kind.REGISTRY, "apicurio"),
        ("/v3/clusters", {"kind": "KafkaClusterList", "data": [{"cluster_id": "c"}]}, Kind.KAFKA_REST, ""),
    ],
)
def test_answer_reports_what_it_is(probed, path: str, answer: Any, kind: Kind, type_: str) -> None:
    """Each by a documented GET."""
    result = probed(path, answer)

    assert (result.kind, result.type) == (kind, type_)


@pytest.mark.parametrize("answer", [[], {"version": 1}, ["a", 5], "text"])
def test_answer_of_something_else_is_not_known(probed, answer: Any) -> None:
    """A web server that answers everything with JSON is none of them."""
    assert probed("/info", answer).kind is None


@pytest.mark.parametrize("body", [b"{}", b"[5]", b"<html>", b'{"version": 1, "name": 2}'])
def test_server_that_answers_everything_alike_is_not_known(canned, body: bytes) -> None:
    """Each sign wants an answer of its own shape."""
    canned.get(re.compile(r"http://probed\.example:8080/.*"), body=body, content_type="application/json")

    assert [each.kind for each in PROBER.probe("probed.example:8080", no_progress)] == [None]


def test_server_that_wants_a_login_reports_it(probed) -> None:
    """That is more than nothing: it is there."""
    assert "wants credentials" in probed("/subjects", 401).detail


def test_broker_is_found_where_nobody_speaks_http() -> None:
    """A broker hangs up on HTTP."""
    prober = Prober(brokers=lambda settings: ("c-1", 3), reachable=lambda host, port: True)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        server.close()
        probe = list(prober.probe(f"127.0.0.1:{port}", no_progress))

    assert [(probed.url, probed.kind, probed.cluster_id) for probed in probe] == [
        (f"127.0.0.1:{port}", Kind.KAFKA, "c-1")
    ]


def test_host_alone_is_queried_at_the_usual_ports() -> None:
    """One that nothing listens on is not worth a word; that it is so of all of them is."""
    requests: list[int] = []
    prober = Prober(brokers=no_brokers, reachable=lambda host, port: bool(requests.append(port)))

    assert [probed.url for probed in prober.probe("Host", no_progress)] == ["host"]
    assert tuple(requests) == PORTS


def test_address_with_the_default_port_is_that_port() -> None:
    """Who writes :9092 means one port."""
    prober = Prober(brokers=no_brokers, reachable=lambda host, port: False)

    assert [probed.detail for probed in prober.probe("host:9092", no_progress)] == [SILENT]


def test_listening_is_distinguished_from_silence() -> None:
    """Without sending a byte."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert listens("127.0.0.1", port)

    assert not listens("127.0.0.1", port)


def test_file_of_what_answered_can_be_read(tmp_path: Path) -> None:
    """One cluster, with everything around it."""
    probed = [
        Probed(url="k-1:9092", kind=Kind.KAFKA, cluster_id="c"),
        Probed(url="k-2:9092", kind=Kind.KAFKA, cluster_id="c"),
        Probed(url="http://r:8081", kind=Kind.REGISTRY, type="karapace"),
        Probed(url="http://c:8083", kind=Kind.CONNECT),
        Probed(url="http://f:8081", kind=Kind.FLINK, type="jobmanager"),
        Probed(url="http://p:8082", kind=Kind.KAFKA_REST, cluster_id="c"),
        Probed(url="x:1"),
    ]

    initial = probed_file(probed, "Web Shop")
    (tmp_path / initial.file).write_text(json.dumps(initial.document))
    settings = read_cluster_file(tmp_path / "web-shop.json", {}, ("karapace",))
    assert settings.brokers == ("k-1:9092", "k-2:9092")
    assert [value.type for value in (*settings.registries, *settings.flink)] == ["karapace", "jobmanager"]
    assert settings.kafka_rest
    assert settings.kafka_rest.cluster == "c"


def test_brokers_of_two_clusters_make_no_file() -> None:
    """One file is one cluster."""
    probed = [Probed(url=f"k-{name}:9092", kind=Kind.KAFKA, cluster_id=name) for name in "ab"]

    with pytest.raises(InputInvalid, match="2 Kafka clusters"):
        probed_file(probed, "x")


def test_a_host_that_is_silent_lists_the_ports_that_were_tried() -> None:
    """Whoever uses another port sees why nothing was found."""
    prober = Prober(brokers=lambda _: ("", 0), reachable=lambda *_: False)

    (probed,) = prober.probe("host", no_progress)

    assert all(str(port) in probed.detail for port in PORTS)
