"""A consumer of OpenLineage events that others wrote takes ours and the engines' own, and answers with the same path.

Data.Rentgen reads run events from a topic of Kafka; it names what it cannot read in another one.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import requests
from confluent_kafka import Consumer, Producer, TopicPartition

pytestmark = pytest.mark.lab

SPENT = ("default.spent_by_customer", "spent")
PATH = [
    ("shop.public.orders", "total"),
    ("cdc.orders", "payload.total"),
    ("orders-enriched", "total"),
    ("warehouse.public.order_facts", "amount"),
    SPENT,
]
_GROUP, _PATIENCE = "data-rentgen", 60.0
Flow = tuple[tuple[str, str], tuple[str, str]]


@pytest.fixture(scope="module")
def generated(lab, dictionary) -> str:
    """Build the graph with the events of Spark and Flink in it, too."""
    lab.needs("flink-sql", "spark-report", "rentgen-consumer", "rentgen-server")
    lab.scanner("openlineage", "import", lab.told["events"], lab.told["flink_events"], "--dictionary", dictionary)
    lab.scanner("dataflow", "--dictionary", dictionary)
    return dictionary


@pytest.fixture(scope="module")
def ours(lab, generated) -> list[Any]:
    """Return our events."""
    lines = lab.scanner("openlineage", "emit", "--as", "run", "--dry-run", "--dictionary", generated).splitlines()
    return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def taken(lab, generated, ours) -> dict[str, int]:
    """Send our events, a monitor's, and those of Spark and Flink as they are; count by topic what was added."""
    reported = lab.told["rentgen"]
    before = _ends(reported)
    lab.scanner("openlineage", "emit", "--as", "run", "--dictionary", generated, **_transport(reported))
    state = str(lab.directory / "foreign-monitor.json")
    lab.scanner("monitor", "all", "--config", str(lab.config()), "--once", "--state", state, **_transport(reported))
    _send(
        reported,
        (line for name in ("events", "flink_events") for line in Path(lab.told[name]).read_bytes().splitlines()),
    )
    deadline = time.monotonic() + _PATIENCE
    while _read(reported) < _ends(reported)[reported["topic"]]:
        assert time.monotonic() < deadline, "events are left in the topic"
        time.sleep(0.3)
    return {topic: end - before[topic] for topic, end in _ends(reported).items()}


@pytest.fixture(scope="module")
def rentgen(lab, taken) -> Callable[..., Any]:
    """Query the consumer's own server."""
    url = lab.told["rentgen"]["url"]
    login = {"grant_type": "password", "username": "lab", "password": "any"}
    token = requests.post(f"{url}/v1/auth/token", data=login, timeout=10).json()["access_token"]

    def rentgen(path: str, **query: Any) -> Any:
        answer = requests.get(url + path, params=query, headers={"Authorization": f"Bearer {token}"}, timeout=30)
        assert answer.ok, answer.text
        return answer.json()

    return rentgen


@pytest.fixture(scope="module")
def answer(rentgen) -> Any:
    """Query where Spark's table comes from, down to columns."""
    (table,) = [
        item for item in rentgen("/v1/datasets", search_query=SPENT[0])["items"] if item["data"]["name"] == SPENT[0]
    ]
    since = (datetime.now(UTC) - timedelta(days=7)).isoformat()
    how = {"direction": "UPSTREAM", "depth": 10, "granularity": "JOB", "include_column_lineage": True, "since": since}
    return rentgen("/v1/datasets/lineage", start_node_id=table["id"], **how)


def _transport(reported: Any) -> dict[str, str]:
    """Report in the words of openlineage-python where events go."""
    return {
        "OPENLINEAGE__TRANSPORT__TYPE": "kafka",
        "OPENLINEAGE__TRANSPORT__TOPIC": reported["topic"],
        "OPENLINEAGE__TRANSPORT__CONFIG": json.dumps({"bootstrap.servers": reported["broker"]}),
    }


def _send(reported: Any, lines: Iterable[bytes]) -> None:
    producer = Producer({"bootstrap.servers": reported["broker"]})
    for line in lines:
        producer.produce(reported["topic"], line)
    assert producer.flush(20) == 0


def _ends(reported: Any) -> dict[str, int]:
    """Count what was ever put into the topic, and into the one for what cannot be read."""
    consumer = _consumer(reported)
    topics = (reported["topic"], f"{reported['topic']}__malformed")
    result = {name: consumer.get_watermark_offsets(TopicPartition(name, 0), timeout=10)[1] for name in topics}
    consumer.close()
    return result


def _read(reported: Any) -> int:
    """Return how far the consumer came; it says so when the events are in its tables."""
    consumer = _consumer(reported)
    (committed,) = consumer.committed([TopicPartition(reported["topic"], 0)], timeout=10)
    consumer.close()
    return committed.offset


def _consumer(reported: Any) -> Consumer:
    return Consumer({"bootstrap.servers": reported["broker"], "group.id": _GROUP, "enable.auto.commit": False})


def test_every_event_is_taken(lab, ours, taken) -> None:
    """What it cannot read it would put aside."""
    theirs = sum(len(Path(lab.told[name]).read_bytes().splitlines()) for name in ("events", "flink_events"))
    topic = lab.told["rentgen"]["topic"]

    assert ours
    assert taken[topic] > len(ours) + theirs > len(ours)
    assert taken[f"{topic}__malformed"] == 0


def test_it_keeps_of_each_of_our_runs_what_it_reads_and_writes_down_to_columns(ours, rentgen) -> None:
    """Accepted is not yet kept: of some types of jobs it keeps neither inputs nor outputs."""
    since = (datetime.now(UTC) - timedelta(days=7)).isoformat()

    for event in ours:
        run = event["run"]["runId"]
        assert [item["id"] for item in rentgen("/v1/runs", run_id=run)["items"]] == [run]
        how = {"direction": "BOTH", "granularity": "RUN", "since": since, "include_column_lineage": True}
        retained = rentgen("/v1/runs/lineage", start_node_id=run, **how)
        inputs = [item for item in retained["relations"]["inputs"] if item["to"]["id"] == run]
        outputs = [item for item in retained["relations"]["outputs"] if item["from"]["id"] == run]
        assert (len(inputs), len(outputs)) == (len(event["inputs"]), len(event["outputs"])), event["job"]
        assert set(_told(event)) <= set(_flows(retained)), event["job"]


def test_its_answer_leads_from_spark_s_column_to_the_database_s(answer) -> None:
    """Through Debezium, a topic, Flink, another topic and a sink."""
    flows = set(_flows(answer))

    assert all(step in flows for step in pairwise(PATH))
    assert {end for end in _reached(flows, SPENT) if end[0].startswith("shop.")} == {PATH[0]}


def test_it_knows_the_jobs_of_each_step(answer) -> None:
    """Flink's listener reports of its job, too, without columns."""
    jobs = answer["nodes"]["jobs"].values()

    assert sorted(job["name"].rpartition("/")[2] for job in jobs) == [
        "insert-into_default_catalog.default_database.orders_enriched",
        "orders_report",
        "retail.sql:2",
        "shop-cdc",
        "warehouse-orders",
    ]


def test_its_answer_and_ours_are_the_same_path(lab, generated, answer) -> None:
    """Column for column, as far as data itself is taken on."""
    requests = ("lineage", ".".join(SPENT), "--upstream", "--columns", "--format", "json", "--dictionary", generated)
    mine = json.loads(lab.scanner(*requests))
    ends = {item["id"]: (item["name"], ".".join(item["path"] or ())) for item in mine["nodes"]}
    flows = {(ends[edge["source"]], ends[edge["target"]]) for edge in mine["edges"] if edge["type"] == "DIRECT"}

    assert _reached(flows, SPENT) == _reached(set(_flows(answer)), SPENT) == set(PATH)


def _told(event: Any) -> Iterator[Flow]:
    """List the flows of columns of an event of ours that take data on."""
    for output in event["outputs"]:
        for column, field in output["facets"].get("columnLineage", {"fields": {}})["fields"].items():
            for origin in field["inputFields"]:
                if any(item["type"] == "DIRECT" for item in origin["transformations"]):
                    yield (origin["name"], origin["field"]), (output["name"], column)


def _flows(answer: Any) -> Iterator[Flow]:
    """List the flows of columns of the consumer's answer that take data on."""
    names = {key: item["name"] for key, item in answer["nodes"]["datasets"].items()}
    for relation in answer["relations"]["direct_column_lineage"]:
        source, target = names[relation["from"]["id"]], names[relation["to"]["id"]]
        for column, origins in relation["fields"].items():
            yield from (((source, origin["field"]), (target, column)) for origin in origins)


def _reached(flows: set[Flow], end: tuple[str, str]) -> set[tuple[str, str]]:
    result, waiting = {end}, [end]
    while waiting:
        at = waiting.pop()
        new = {source for source, target in flows if target == at} - result
        result |= new
        waiting += new
    return result
