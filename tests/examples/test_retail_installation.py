"""The bundled example, scanned from its capture: the whole way from recorded answers to the graph."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from scanner_cli.main import run

pytestmark = pytest.mark.slow

RETAIL = Path(__file__).parents[2] / "examples" / "retail"
REPLAY = ("--config", str(RETAIL / "cluster.json"), "--replay", str(RETAIL / "capture"), "--quiet")
TIMES = {"scan": {"started", "finished"}, "scan_outcome": {"seconds"}}


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scan the example once."""
    file = tmp_path_factory.mktemp("retail") / "dictionary.db"
    assert run(["extract", *REPLAY, "--dictionary", str(file)]) == 0
    return file


@pytest.fixture
def dictionary(scanned: Path, tmp_path: Path) -> Path:
    """Return the dictionary of one scan of the example."""
    return Path(shutil.copy(scanned, tmp_path))


def rows(file: Path, table: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(file) as conn:
        names = [name for _, name, *_ in conn.execute(f"PRAGMA table_info({table})")]
        text = ", ".join(name for name in names if name not in TIMES.get(table, ()))
        return sorted(conn.execute(f"SELECT {text} FROM {table}"), key=repr)


def tables(file: Path) -> dict[str, list[tuple[object, ...]]]:
    with sqlite3.connect(file) as conn:
        names = [name for (name,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    return {name: rows(file, name) for name in names}


def request(capsys: pytest.CaptureFixture[str], *arguments: str) -> object:
    assert run([*arguments, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_every_topic_has_the_schemas_that_somebody_reported(dictionary, capsys) -> None:
    """Registry, ksqlDB and people: each reports a part."""
    topics = request(capsys, "topics", "--dictionary", str(dictionary))
    schemas = {topic["name"]: topic["schemas"] for topic in topics}

    assert schemas["orders"] == 3
    assert schemas["orders.RETRY"] == 2
    assert schemas["clicks"] == 2
    assert schemas["legacy.invoices"] == 2


def test_any_broker_finds_the_topic_whatever_way_it_is_written(dictionary, capsys) -> None:
    """The lineage platform knows one of the addresses."""
    requests = [
        request(capsys, "query", "--broker", broker, "--topic", "payments", "--dictionary", str(dictionary))
        for broker in ("127.0.0.1:29092", "SASL_SSL://LOCALHOST:29095", "nobody:1,localhost:29194")
    ]

    assert requests[0] == requests[1] == requests[2]
    assert {answer["subject"] for answer in requests[0]} == {"payments-value", "com.acme.retail.Payment"}


def test_a_second_scan_changes_nothing(dictionary) -> None:
    """Writing twice adds a scan, and nothing else."""
    before = {name: rows(dictionary, name) for name in ("topic_schema", "schema_definition", "schema_column")}
    run(["extract", *REPLAY, "--dictionary", str(dictionary)])
    with sqlite3.connect(dictionary) as conn:
        changes = conn.execute("SELECT count(*) FROM change_log WHERE scan_id = 2").fetchone()

    assert changes == (0,)
    assert rows(dictionary, "schema_definition") == before["schema_definition"]
    assert rows(dictionary, "schema_column") == before["schema_column"]
    assert len(rows(dictionary, "topic_schema")) == len(before["topic_schema"])


@pytest.mark.process
def test_the_same_answers_give_the_same_bytes(tmp_path) -> None:
    """Neither hashing nor threads show in the dictionary."""
    for seed in ("1", "2"):
        command = [sys.executable, "-c", "from scanner_cli.main import main; main()", "extract", *REPLAY]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([*command, "--dictionary", str(tmp_path / f"{seed}.db")], check=True, env=environment)

    assert tables(tmp_path / "1.db") == tables(tmp_path / "2.db")


def test_a_subject_that_the_registry_lost_is_gone_and_an_outage_is_not(dictionary, tmp_path, capsys) -> None:
    """Empty, unknown and failed are three answers."""
    capture = tmp_path / "capture"
    shutil.copytree(RETAIL / "capture", capture)
    for file in capture.glob("schema_registry*/*"):
        file.unlink()
    replay = ("--config", str(RETAIL / "cluster.json"), "--replay", str(capture), "--dictionary", str(dictionary))

    assert run(["extract", *replay, "--quiet"]) == 3
    answers = request(
        capsys, "query", "--broker", "localhost:29095", "--topic", "orders", "--dictionary", str(dictionary)
    )
    assert [answer["stale"] for answer in answers] == [True, True, True]
    with sqlite3.connect(dictionary) as conn:
        assert conn.execute("SELECT count(*) FROM change_log WHERE scan_id = 2").fetchone() == (0,)


def test_a_graph_holds_every_column_once(dictionary, tmp_path) -> None:
    """Two topics that share a schema share its columns."""
    assert run(["dataflow", "--engine", "local", "--output", str(tmp_path), "--dictionary", str(dictionary)]) == 0
    graph = json.loads((tmp_path / "graph.json").read_text())
    keys = [node["id"] for node in graph["nodes"]]

    assert len(keys) == len(set(keys))
    assert {edge["source"] for edge in graph["edges"]} | {edge["target"] for edge in graph["edges"]} <= set(keys)
    assert len(rows(dictionary, "flow_node")) == len(keys)


@pytest.fixture
def graph(dictionary, tmp_path) -> dict[str, list[dict[str, object]]]:
    """Return the graph of the example."""
    assert run(["dataflow", "--output", str(tmp_path), "--dictionary", str(dictionary)]) == 0
    return json.loads((tmp_path / "graph.json").read_text())


def flows(graph: dict[str, list[dict[str, object]]]) -> set[tuple[str, str, str, str]]:
    edges = (edge for edge in graph["edges"] if edge["kind"] == "column-flow")
    return {
        (*(str(edge[end]).rpartition("/")[2] for end in ("source", "target")), edge["subtype"], edge["certainty"])
        for edge in edges
    }


def test_a_statement_of_ksqldb_reports_where_a_column_comes_from(graph) -> None:
    """CITY is the city of GEO; the count is of all rows, which the window and the groups cut."""
    assert {
        ("clicks#GEO.CITY", "clicks.per.city#@key.CITY", "IDENTITY", "derived"),
        ("clicks#GEO.CITY", "clicks.per.city", "GROUP_BY", "derived"),
        ("clicks#ROWTIME", "clicks.per.city", "WINDOW", "derived"),
    } <= flows(graph)


def test_what_people_declared_flows_too(graph) -> None:
    """Nobody but them knows the nightly job."""
    assert ("payments#order_id", "legacy.invoices#invoice_no", "", "declared") in flows(graph)
    uses = {
        (edge["kind"], edge["evidence"]) for edge in graph["edges"] if "nightly-inv" in edge["source"] + edge["target"]
    }
    assert uses == {(kind, "manual/legacy.json $.flows[0].columns[0]") for kind in ("reads", "writes")}


def test_it_is_reported_how_much_was_read(dictionary, capsys) -> None:
    """What was not understood must show."""
    run(["dataflow", "--dictionary", str(dictionary)])
    err = capsys.readouterr().err

    assert "statements: 5 read to columns, 0 to tables, 0 not read" in err
    assert "connectors: 9 read to columns, 0 to datasets, 0 of unknown classes" in err
    assert "statement flink/retail.sql:3 of flink:retail, 73:1: ms of clicks is not a field of the topic clicks" in err


def test_a_database_table_is_upstream_of_what_its_change_feed_writes(dictionary, capsys) -> None:
    """From PostgreSQL through Debezium to a topic and on into the warehouse, from configuration alone."""
    run(["dataflow", "--dictionary", str(dictionary)])
    variant = request(capsys, "lineage", "cdc.customers", "--both", "--dictionary", str(dictionary))
    named = {node["name"] for node in variant["nodes"]}

    assert {"shop.public.customers", "shop-cdc", "warehouse-customers", "warehouse.public.crm_customers"} <= named


def test_a_column_goes_from_the_database_into_the_warehouse(graph) -> None:
    """Through Debezium, a topic whose JSON has an envelope, and a transform that renames; a birthday stays behind."""
    result = flows(graph)

    assert ("shop.public.customers#name", "cdc.customers#payload.name", "IDENTITY", "derived") in result
    assert ("cdc.customers#payload.name", "warehouse.public.crm_customers#full_name", "IDENTITY", "derived") in result
    assert ("cdc.customers#@key.payload.id", "warehouse.public.crm_customers#id", "IDENTITY", "derived") in result
    assert not [target for source, target, *_ in result if "born" in source and "crm" in target]


def test_a_column_goes_through_flink_where_no_schema_describes_a_topic(graph) -> None:
    """Flink's DDL reports the columns of both topics; the envelope of Connect's JSON is looked through."""
    assert {
        ("shop.public.orders#total", "cdc.orders#payload.total", "IDENTITY", "derived"),
        ("cdc.orders#payload.total", "orders-enriched#total", "TRANSFORMATION", "derived"),
        ("cdc.customers#payload.id", "orders-enriched", "JOIN", "derived"),
        ("orders-enriched#total", "warehouse.public.order_facts#amount", "IDENTITY", "derived"),
    } <= flows(graph)


def test_a_mirror_leads_from_a_topic_to_its_own_copy(graph, dictionary, capsys) -> None:
    """It copies payments, too, and that is another pair."""
    variant = request(capsys, "lineage", "retail.orders", "--dictionary", str(dictionary))

    assert {node["name"] for node in variant["nodes"]} == {"orders", "orders-to-dr", "retail.orders"}


def test_a_sink_s_consumer_group_is_its_member(graph) -> None:
    """It reads nothing that the connector does not; other groups read."""
    edges = [edge for edge in graph["edges"] if str(edge["source"]).startswith("consumer-group:")]
    names = {str(edge["source"]).rpartition("/")[2]: str(edge["target"]).rpartition("/")[2] for edge in edges}
    readers = {str(edge["target"]).rpartition("/")[2] for edge in graph["edges"] if edge["kind"] == "reads"}

    assert names["connect-clicks-to-file"] == "clicks-to-file"
    assert names["flink-orders"] in {"retail.sql:1", "retail.sql:2"}
    assert "analytics" in readers
    assert "flink-orders" not in readers
    assert "connect-clicks-to-file" not in readers


def test_lineage_is_queried_by_the_names_that_people_know(graph, dictionary, capsys) -> None:
    """Any broker's address, and the column as ksqlDB writes it."""
    requests = [
        request(capsys, "lineage", name, "--dictionary", str(dictionary))
        for name in ("clicks.GEO.CITY", "kafka://LOCALHOST:29095/clicks.GEO.CITY")
    ]

    assert requests[0] == requests[1]
    assert requests[0]["root"] == "column:kafka://127.0.0.1:29092/clicks#GEO.CITY"
    assert [edge["subtype"] for edge in requests[0]["edges"]] == ["IDENTITY", "IDENTITY", "GROUP_BY"]
    assert {node["id"] for node in requests[0]["nodes"]} == {
        end for edge in requests[0]["edges"] for end in (edge["source"], edge["target"])
    }


def test_lineage_of_a_topic_reports_each_step_with_its_evidence(graph, dictionary, capsys) -> None:
    """One line a step."""
    options = ("--upstream", "--evidence", "--format", "table")
    run(["lineage", "legacy.invoices", *options, "--dictionary", str(dictionary)])
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]

    assert lines[1:] == [
        ["nightly-invoicing", "writes", "legacy.invoices", "declared", "manual/legacy.json", "$.flows[0].columns[0]"],
        ["payments", "reads", "nightly-invoicing", "declared", "manual/legacy.json", "$.flows[0].columns[0]"],
    ]


def test_a_structure_leads_to_its_parts_that_flow(graph, dictionary, capsys) -> None:
    """A structure and its parts are columns of their own; to tell of one only would mislead."""
    run(["lineage", "clicks.GEO", "--dictionary", str(dictionary)])
    err = capsys.readouterr().err
    run(["lineage", "clicks.GEO.CITY", "--dictionary", str(dictionary)])

    assert "note: there are flows of clicks.GEO.CITY, clicks.GEO.COUNTRY\n" in err
    assert "note: there are flows of clicks.GEO\n" in capsys.readouterr().err


@pytest.mark.spark
@pytest.mark.xdist_group("spark")
def test_spark_gives_the_same_bytes(dictionary, tmp_path) -> None:
    """Large and small give the same answer."""
    pytest.importorskip("pyspark", reason="pip install 'kafka-lineage-scanner[spark]' runs this")
    if not shutil.which("java"):
        pytest.skip("no Java on this machine; Java 17 runs this")
    for engine in ("local", "spark"):
        output = ("--output", str(tmp_path / engine), "--dictionary", str(dictionary))
        assert run(["dataflow", "--engine", engine, *output]) == 0

    for name in ("graph.json", "graph.dot"):
        assert (tmp_path / "local" / name).read_bytes() == (tmp_path / "spark" / name).read_bytes()
