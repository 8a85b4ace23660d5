"""Ways through the whole installation: records that really take them, and the graph that has them from metadata."""

from __future__ import annotations

import html
import json
import re
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import psycopg
import pytest
import requests

pytestmark = pytest.mark.lab

SQL = "examples/retail/flink/retail.sql"
AMOUNT = "warehouse.public.order_facts.amount"
SPENT = "default.spent_by_customer.spent"
# The source of a table. Since Flink 2.3 it has no list of its fields: the steps chained to it state what they use.
_SOURCE = re.compile(r"Source: KafkaSource-default_catalog\.default_database\.(\w+)")
_SINK = re.compile(r"(\w+)\[\d+\]: Writer")
_PATIENCE = 60.0


class Plan(NamedTuple):
    """Sources and sinks of a Flink job by its own plan, with the words used by the steps chained to each source."""

    sources: dict[str, set[str]]
    sinks: set[str]


@pytest.fixture(scope="module")
def trace(lab, dictionary) -> Callable[..., Any]:
    """Query for lineage upstream, down to columns, of the graph with the events of Spark and Flink in it, too."""
    lab.needs("flink-sql", "spark-report")
    lab.scanner("openlineage", "import", lab.told["events"], lab.told["flink_events"], "--dictionary", dictionary)
    lab.scanner("dataflow", "--dictionary", dictionary)
    requests = ("--upstream", "--columns", "--format", "json", "--dictionary", dictionary)
    return lambda node: json.loads(lab.scanner("lineage", node, *requests))


@pytest.fixture(scope="module")
def plans(lab) -> list[Plan]:
    """Read the plan of every job that runs."""
    lab.needs("flink-sql")
    jobs = requests.get(f"{lab.told['flink']}/jobs/overview", timeout=10).json()["jobs"]
    running = [job["jid"] for job in jobs if job["state"] == "RUNNING"]
    requested = [requests.get(f"{lab.told['flink']}/jobs/{job}/plan", timeout=10).json() for job in running]
    return [_plan([html.unescape(node["description"]) for node in item["plan"]["nodes"]]) for item in requested]


def _plan(steps: list[str]) -> Plan:
    sources = {match[1]: set(re.findall(r"\w+", step)) for step in steps if (match := _SOURCE.match(step))}
    return Plan(sources, {sink for step in steps for sink in _SINK.findall(step)})


def _steps(answer: Any) -> set[tuple[str, str, str]]:
    """Return the flows of columns of an answer: the ends without their namespaces, and how."""
    short = {node["id"]: _short(node) for node in answer["nodes"]}
    return {
        (short[edge["source"]], short[edge["target"]], edge["subtype"])
        for edge in answer["edges"]
        if edge["kind"] == "column-flow"
    }


def _short(node: Any) -> str:
    return ".".join([node["name"], *(node["path"] or ())])


def test_a_row_of_the_shop_arrives_in_the_warehouse(lab) -> None:
    """Through Debezium, a topic, two transforms, Flink, another topic and a sink: nothing of the way is drawn only."""
    lab.needs("flink-sql")
    order = str(uuid.uuid4())

    with psycopg.connect(lab.told["postgres"]["shop"]) as shop:
        shop.execute("insert into orders values (%s, 3, now(), 42.50, null)", (order,))

    assert _arrived(lab, order) == ("Zoe", "zoe@acme.example", 42.5)


def _arrived(lab, order: str) -> Any:
    wanted = "select customer_name, email, amount from order_facts where order_id = %s"
    deadline = time.monotonic() + _PATIENCE
    with psycopg.connect(lab.told["postgres"]["warehouse"], autocommit=True) as warehouse:
        while time.monotonic() < deadline:
            if result := warehouse.execute(wanted, (order,)).fetchone():
                return result
            time.sleep(0.5)
    return None


def test_a_column_of_the_warehouse_is_traced_to_the_database(trace) -> None:
    """Every step that the record took, each with what says so."""
    answer = trace(AMOUNT)

    assert {
        ("shop.public.orders.total", "cdc.orders.payload.total", "IDENTITY"),
        ("cdc.orders.payload.total", "orders-enriched.total", "TRANSFORMATION"),
        ("orders-enriched.total", AMOUNT, "IDENTITY"),
        ("shop.public.customers.id", "cdc.customers.payload.id", "IDENTITY"),
        ("cdc.customers.payload.id", "orders-enriched", "JOIN"),
    } <= _steps(answer)
    assert all(edge["evidence"] for edge in answer["edges"])


def test_a_column_of_spark_is_traced_to_the_database(trace) -> None:
    """Spark's own events join the graph of connectors and statements at the warehouse's table."""
    steps = _steps(trace(SPENT))

    assert {target for source, target, _ in steps if source == AMOUNT} >= {SPENT}
    assert ("shop.public.orders.total", "cdc.orders.payload.total", "IDENTITY") in steps


def test_flink_s_plans_read_and_write_the_tables_that_we_read_in_the_statements(lab, plans) -> None:
    """The engine's own word against ours, for every job; two inserts of a statement set are one job."""
    ours = {sink: set(statement["sources"]) for statement in _statements(lab) for sink in statement["sinks"]}

    theirs = {frozenset(plan.sinks): set(plan.sources) for plan in plans}

    assert theirs == {sinks: set().union(*(ours[sink] for sink in sinks)) for sinks in theirs}
    assert set().union(*theirs) == set(ours)


def test_flink_s_plans_read_the_columns_that_we_read_in_the_statements(lab, plans) -> None:
    """A scan lists what it takes of a source: every column of ours is one of these."""
    fields = {name: taken for plan in plans for name, taken in plan.sources.items()}
    columns = [item["source"] for statement in _statements(lab) for item in statement["columns"]]

    ours = {(column["dataset"], column["path"][0]) for column in columns if column["path"]}

    assert ours
    assert not [item for item in ours if item[1] not in fields[item[0]]]


def test_flink_s_own_events_report_the_topics_that_we_read_in_the_statements(lab) -> None:
    """OpenLineage's listener sees the engine's lineage; it reports no columns, we do."""
    lab.needs("flink-sql")
    events = [json.loads(line) for line in Path(lab.told["flink_events"]).read_text("utf-8").splitlines()]
    ours = defaultdict(set)
    for statement in _statements(lab):
        topics = {item["name"]: set(item["topics"]) for item in statement["datasets"]}
        for sink in statement["sinks"]:
            ours[frozenset(topics[sink])] |= set().union(*(topics[name] for name in statement["sources"]))

    theirs = {
        frozenset(item["name"] for item in event["outputs"]): {item["name"] for item in event["inputs"]}
        for event in events
        if event.get("outputs")
    }

    assert len(theirs) == 3
    assert {frozenset([topic]): inputs for outputs, inputs in theirs.items() for topic in outputs} == ours


def _statements(lab) -> list[Any]:
    """Explain the statements that insert, views looked through, as the graph reports them."""
    reported = json.loads(lab.scanner("explain", "sql", SQL, "--dialect", "flink", "--format", "json"))
    return [item for item in reported if item["sinks"] and "VIEW" not in item["kind"]]


@pytest.mark.parametrize(
    ("topic", "number"), [("order-mails", 1), ("orders-enriched", 2), ("clicks-by-page", 3), ("slow-clicks", 4)]
)
def test_flink_s_own_job_is_the_statement_that_we_read(lab, trace, dictionary, topic, number) -> None:
    """Its listener reports a job for each insert, and of one for both inserts of a set; none is a node."""
    requests = ("lineage", topic, "--upstream", "--depth", "1", "--format", "json", "--dictionary", dictionary)
    nodes = json.loads(lab.scanner(*requests))["nodes"]

    assert [node["name"].rpartition("/")[2] for node in nodes if node["kind"] == "job"] == [f"retail.sql:{number}"]


def test_ksqldb_reports_the_sources_and_sinks_that_we_read_in_its_queries(lab, trace, dictionary) -> None:
    """The stand-in answers as the documentation does."""
    (config,) = json.loads(lab.config().read_text("utf-8"))["ksqldb"]
    reported = _ksql(config["url"], "SHOW QUERIES EXTENDED;")[0]["queryDescriptions"]
    topics = {name: topic for kind in ("STREAMS", "TABLES") for name, topic in _collections(config["url"], kind)}

    for query in reported:
        requests = ("lineage", query["id"], "--depth", "1", "--format", "json", "--dictionary", dictionary)
        edges = json.loads(lab.scanner(*requests))["edges"]
        ends = {(edge["kind"], edge["source" if edge["kind"] == "reads" else "target"].rpartition("/")[2])
                for edge in edges if edge["kind"] in {"reads", "writes"}}  # fmt: skip
        assert ends == {("reads", topics[name]) for name in query["sources"]} | {
            ("writes", topics[name]) for name in query["sinks"]
        }


def _collections(url: str, kind: str) -> Iterator[tuple[str, str]]:
    (listed,) = _ksql(url, f"DESCRIBE {kind};")
    return ((item["name"], item["topic"]) for item in listed["sourceDescriptions"])


def _ksql(url: str, statement: str) -> Any:
    return requests.post(f"{url}/ksql", json={"ksql": statement, "streamsProperties": {}}, timeout=10).json()
