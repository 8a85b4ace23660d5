"""Who writes and who reads, seen live: what all sources say together, and what each says alone."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.lab

_HERE = Path(__file__).parent
_UNKNOWN, _NO = 7, 6
"""Exit statuses of `may-delete`."""
_PARTIAL = 3
_PUSHES = 15
"""Scans until the application has pushed its topology, which it does with a heartbeat after it joined."""
_OPTIONAL = ("acls", "prometheus", "kafka_clients", "applications")
_MEASURED = {
    ("shop.clicks", "writes", "clicks"),
    ("shop.invoices", "writes", "billing"),
    ("shop.orders", "reads", "billing"),
    ("shop.orders", "writes", "order-intake"),
    ("shop.shipments", "writes", "shipping"),
}
_BY_PROTOCOL = {
    ("shop.invoices", "writes", "billing"),
    ("shop.orders", "reads", "auditors"),
    ("shop.orders", "reads", "billing"),
    ("shop.orders", "reads", "counter"),
}
"""An open transaction, a share group, a group of the new consumer protocol, and one of Kafka Streams' protocol."""


def _dictionary(lab, name: str, *sources: str) -> str:
    """Scan and generate with only these *sources* beside the topics, and give the dictionary's address."""
    document = json.loads((_HERE / "clients.json").read_text("utf-8"))
    for source in set(_OPTIONAL) - set(sources):
        document.pop(source)
    config = lab.directory / f"{name}.json"
    config.write_text(json.dumps(document), "utf-8")
    address = f"sqlite:///{lab.directory}/{name}.db"
    # The brokers list the groups of other protocols; what these read is asked for by `kafka_clients` only.
    expected = 0 if "kafka_clients" in sources else _PARTIAL
    lab.scanner("scan", "--no-graph", "--config", str(config), "--dictionary", address, "--quiet", expected=expected)
    lab.scanner("dataflow", "--dictionary", address)
    return address


def _clients(lab, address: str, *arguments: str) -> list[dict]:
    return json.loads(lab.scanner("clients", *arguments, "--dictionary", address, "--format", "json"))


@pytest.fixture(scope="module")
def everything(lab) -> str:
    """Scan with every source."""
    lab.needs("orders", "shipping", "clicks", "billing", "auditors", "counter", "prometheus")
    return _dictionary(lab, "clients", "acls", "prometheus", "applications")


def _uses(rows: list[dict]) -> set[tuple[str, str, str]]:
    return {(row["topic"], row["use"], row["application"]) for row in rows}


def test_every_client_with_metrics_is_observed_at_its_topics(lab, everything) -> None:
    """JMX exporter, Micrometer, OpenTelemetry of Java and of Python, through a real Prometheus."""
    rows = _clients(lab, everything, "--certainty", "observed")

    assert _uses(rows) == _MEASURED


def test_brokers_alone_name_the_members_of_every_protocol(lab) -> None:
    """Without a metric; an ordinary producer is no member of anything, and stays unknown."""
    pytest.importorskip("kafka", reason="needs the extra kafka-clients")
    lab.needs("billing", "auditors", "counter")
    alone = _dictionary(lab, "alone-protocol", "kafka_clients", "applications")

    assert _uses(_clients(lab, alone, "--certainty", "observed")) == _BY_PROTOCOL


def test_streams_group_names_its_internal_topics(lab) -> None:
    """From the broker alone; what it writes beside them is not told."""
    pytest.importorskip("kafka", reason="needs the extra kafka-clients")
    lab.needs("counter")
    alone = _dictionary(lab, "alone-streams", "kafka_clients")
    topics = {row["topic"] for row in _clients(lab, alone, "--certainty", "configured") if row["kind"] == "streams"}

    assert {topic for topic in topics if topic.startswith("counter-by-value-")} == {"counter-by-value-repartition"}
    assert "shop.counts" not in topics


def test_streams_group_names_what_it_writes_where_brokers_store_topologies(lab) -> None:
    """KIP-1331: a plug-in of the brokers stores what the application pushes, its sinks among it."""
    pytest.importorskip("kafka", reason="needs the extra kafka-clients")
    lab.needs("tally")
    config = lab.directory / "topologies.json"
    document = {"cluster": "open", "brokers": [lab.told["clients"]["open"]], "kafka": {}, "kafka_clients": {}}
    config.write_text(json.dumps(document), "utf-8")
    address = f"sqlite:///{lab.directory}/topologies.db"
    for _ in range(_PUSHES):
        done = lab.run("scan", "--no-graph", "--config", str(config), "--dictionary", address)
        if "do not say what" not in done.stderr:
            break
        time.sleep(2)
    lab.scanner("dataflow", "--dictionary", address)

    rows = _clients(lab, address, "--certainty", "configured")

    assert ("shop.counts", "writes", "tally") in _uses(rows)


def test_group_of_the_new_protocol_is_configured(lab, everything) -> None:
    """Its offsets say what it reads, as those of a classic group."""
    rows = _clients(lab, everything, "--certainty", "configured")

    assert _uses(rows) == {("shop.orders", "reads", "billing")}


@pytest.mark.parametrize(
    ("source", "certainties"), [("kafka", {"configured"}), ("acls", {"configured", "permitted"}),
                                ("prometheus", {"configured", "observed"})]
)  # fmt: skip
def test_each_source_alone_shows_its_certainty_only(lab, everything, source, certainties) -> None:
    """Groups are known with the topics; rules permit, and show no use."""
    alone = _dictionary(lab, f"alone-{source}", source)

    assert {row["certainty"] for row in _clients(lab, alone, "shop.orders")} == certainties


def test_owner_comes_from_the_mapping(lab, everything) -> None:
    """A client id and a principal are mapped to an application."""
    rows = _clients(lab, everything, "shop.orders", "--certainty", "observed")

    assert {row["application"]: (row["owner"], row["joined"]) for row in rows} == {
        "order-intake": ("team-orders", "mapping"),
        "billing": ("team-billing", "mapping"),
    }


def test_topic_that_only_an_ordinary_producer_writes_may_not_be_deleted(lab, everything) -> None:
    """Without Prometheus no group reads it, and who writes it is not known: the answer is unknown."""
    before = _dictionary(lab, "alone-kafka", "kafka")

    answers = [
        lab.scanner("may-delete", "--topic", "shop.shipments", "--dictionary", address, expected=expected)
        for address, expected in ((before, _UNKNOWN), (everything, _NO))
    ]

    assert "shipping" not in answers[0]
    assert "writes shop.shipments" in answers[1]
    assert "observed" in answers[1]


def test_instrumentation_of_python_makes_spans_without_a_topic(lab) -> None:
    """Version 0.48b0 for confluent-kafka has no metrics, and only the name of its span has the topic."""
    lab.needs("clicks")
    with Path(lab.told["clients"]["spans"]).open(encoding="utf-8") as file:
        span = json.loads(file.readline())

    assert span["name"] == "shop.clicks send"
    assert span["attributes"]["messaging.destination"] == "unknown"
