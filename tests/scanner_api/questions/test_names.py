"""Counts and lists of the graph's nodes and of findings, for a home page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_api.questions.graph import lineage
from scanner_api.questions.impact import impact
from scanner_api.questions.listings import findings, tables
from scanner_api.questions.names import nodes, search, search_counts, summary
from scanner_api.questions.table import QUESTIONS
from scanner_model.errors import InputInvalid, NameUnknown

_LISTED = {name for question in QUESTIONS for name in question.counts} - {"tables"}
EXAMPLE = Path(__file__).parents[3] / "examples/retail"


@pytest.fixture(scope="module")
def retail(tmp_path_factory: pytest.TempPathFactory) -> Dictionary:
    """Scan the example, and generate its graph."""
    dictionary = scanner_api.open_dictionary(tmp_path_factory.mktemp("home") / "retail.db", create=True)
    scanner_api.scan([EXAMPLE / "cluster.json"], dictionary, replay=EXAMPLE / "capture")
    scanner_api.generate(dictionary)
    return dictionary


def test_summary_counts_what_the_lists_have(retail) -> None:
    """The home shows no other number than the list behind it."""
    counts = summary(retail)
    listed = nodes(retail)

    assert sum(each.count for each in counts.nodes) == len(listed) > 60
    assert {each.kind for each in counts.nodes} == {node.kind for node in listed}
    assert {each.rule: each.count for each in counts.findings} == {
        each.rule: len(findings(retail, rule=each.rule)) for each in counts.findings
    }
    assert [str(each.severity) for each in counts.findings] == ["error", "warning", "warning"]
    assert counts.coverage
    assert (counts.coverage["columns"], counts.coverage["unread"]) == (5, 0)
    assert (counts.coverage["connector_columns"], counts.coverage["problems"]) == (9, 5)
    assert {each.cluster for each in counts.nodes if each.kind == "topic"} == {"retail"}


def test_a_search_in_a_place_has_as_many_hits_as_are_counted_there(retail) -> None:
    """A place is a cluster with all of its nodes, or a namespace."""
    places = search_counts(retail, "orders").clusters

    assert {"retail", "connect://retail/lab", "postgres://127.0.0.1:29432"} <= set(places)
    assert places == {place: len(search(retail, "orders", cluster=place, limit=200)) for place in places}
    with pytest.raises(NameUnknown, match="no cluster 'nowhere'"):
        search(retail, "orders", cluster="nowhere")


def test_a_search_begins_with_what_has_flows(retail) -> None:
    """Of columns that are called alike, one that nothing is known of is a dead end."""
    hits = [hit for hit in search(retail, "amount") if hit.match == "exact"]
    flowing = [bool(lineage(retail, hit.node).edges) for hit in hits]

    assert flowing == sorted(flowing, reverse=True)
    assert len(set(flowing)) == 2
    assert search(retail, "customers.id").items[0].node.endswith("/customers#id")


@pytest.mark.parametrize("question", [each for each in QUESTIONS if each.counts], ids=lambda each: each.name)
def test_each_list_that_is_counted_has_as_many_rows(retail, question) -> None:
    counts = summary(retail).counts or {}

    assert sum(counts[name] for name in question.counts) == len(question.answer(retail))
    assert counts["tables"] == 0 < min(count for name, count in counts.items() if name in _LISTED)


def test_tables_of_catalogs_are_counted(tmp_path) -> None:
    (tmp_path / "shop.sql").write_text("CREATE TABLE orders (id INT);\nCREATE TABLE customers (id INT);\n")
    dictionary = scanner_api.open_dictionary(tmp_path / "repo.db", create=True)
    scanner_api.scan((), dictionary, directories=[tmp_path])
    scanner_api.generate(dictionary)

    assert (summary(dictionary).counts or {})["tables"] == len(tables(dictionary)) == 2


def test_table_of_ddl_on_a_server_that_a_connector_names_is_one_table(tmp_path) -> None:
    """Its columns are listed where they are; those of a table that no connector names as they are declared."""
    source = {"connector.class": "io.debezium.connector.postgresql.PostgresConnector", "topic.prefix": "cdc"}
    place = {"database.hostname": "db", "database.dbname": "shop", "table.include.list": "public.users"}
    (tmp_path / "source.json").write_text(json.dumps({"name": "source", "config": source | place}))
    ddl = "CREATE TABLE public.users (id INT, email TEXT);\nCREATE TABLE public.audit (email TEXT);\n"
    (tmp_path / "shop.sql").write_text(ddl)
    dictionary = scanner_api.open_dictionary(tmp_path / "repo.db", create=True)
    scanner_api.scan((), dictionary, directories=[tmp_path])
    scanner_api.generate(dictionary)

    listed = {row.dataset for row in scanner_api.columns(dictionary, name="email") if row.dataset}
    assert listed == {f"ddl://{tmp_path.name}/public.audit", "postgres://db:5432/shop.public.users"}
    assert {row.dataset for row in scanner_api.personal_data(dictionary) if row.dataset} >= listed


def test_name_of_a_topic_and_of_its_copy_is_that_of_the_topic(tmp_path) -> None:
    """A sink names its index after the topic: the answer is about the topic, and names the index."""
    sink = {"connector.class": "io.confluent.connect.elasticsearch.ElasticsearchSinkConnector", "topics": "users"}
    config = sink | {"connection.url": "http://es:9200"}
    (tmp_path / "sink.json").write_text(json.dumps({"name": "sink", "config": config}))
    (tmp_path / "users-value.avsc").write_text(
        '{"type": "record", "name": "User", "fields": [{"name": "email", "type": "string"}]}'
    )
    dictionary = scanner_api.open_dictionary(tmp_path / "repo.db", create=True)
    scanner_api.scan((), dictionary, directories=[tmp_path])
    scanner_api.generate(dictionary)

    for name, kind in (("users", "topic"), ("users.email", "column")):
        answer = scanner_api.impact(dictionary, name)
        assert answer.root.startswith(f"{kind}:kafka://"), name
        assert any("also elasticsearch://es:9200/users" in note for note in answer.notes), name


def test_nodes_are_listed_in_pages_without_a_gap(retail) -> None:
    """By namespace and name, whatever the size of a page."""
    whole = [node.id for node in nodes(retail, kind="job")]
    pages, cursor = [], None
    while cursor is not None or not pages:
        page = nodes(retail, kind="job", limit=4, cursor=cursor)
        pages += [node.id for node in page]
        cursor = page.next_cursor

    assert pages == whole
    assert len(whole) == 15


def test_a_connector_with_a_failed_task_is_listed_as_failed(retail) -> None:
    """Its worker calls it RUNNING."""
    (failed,) = nodes(retail, failed=True)

    assert failed.name == "orders-as-json"
    assert failed.attributes["state"] == "RUNNING"
    assert failed.attributes["failed"] == "1 of 1 tasks FAILED"
    assert "Tolerance exceeded" in str(failed.attributes["error"])


def test_nodes_are_limited_by_namespace_and_name(retail) -> None:
    """A glob, or a part of the name."""
    assert {node.namespace for node in nodes(retail, namespace="connect://retail/lab")} == {"connect://retail/lab"}
    assert [node.name for node in nodes(retail, pattern="orders.R*")] == ["orders.RETRY"]


def test_a_wrong_cursor_is_an_error(retail) -> None:
    """That of another list."""
    with pytest.raises(InputInvalid, match="cursor"):
        nodes(retail, limit=1, cursor="WzFd")


def test_without_a_graph_there_are_no_nodes(tmp_path) -> None:
    """And nothing fails."""
    empty = scanner_api.open_dictionary(tmp_path / "empty.db", create=True)

    assert summary(empty)[:3] == ((), (), None)
    assert set(summary(empty).counts.values()) == {0}
    assert nodes(empty).items == ()


def test_statements_in_files_have_the_code_owners_of_the_files(tmp_path) -> None:
    """Flink's are named after their file, those of ksqlDB after what they create."""
    (tmp_path / "CODEOWNERS").write_text("/sql/ @acme/streaming\n")
    (tmp_path / "sql").mkdir()
    kafka = "WITH ('connector' = 'kafka', 'topic' = '%s', 'properties.bootstrap.servers' = 'k:9092', 'format' = 'json')"
    tables = "".join(f"CREATE TABLE {name} (x INT) {kafka % name};\n" for name in ("a", "b"))
    (tmp_path / "sql/flink.sql").write_text(f"{tables}INSERT INTO b SELECT x FROM a;\n")
    stream = "CREATE STREAM c (x INT) WITH (KAFKA_TOPIC='c', VALUE_FORMAT='JSON');\n"
    (tmp_path / "sql/streams.ksql").write_text(f"{stream}CREATE STREAM d AS SELECT x FROM c EMIT CHANGES;\n")
    dictionary = scanner_api.open_dictionary(tmp_path / "repo.db", create=True)
    scanner_api.scan((), dictionary, directories=[tmp_path])
    scanner_api.generate(dictionary)

    owners = {job.name: job.attributes["owner"] for job in nodes(dictionary, kind="job")}
    assert owners == {"sql/flink.sql": "@acme/streaming", "CSAS_D": "@acme/streaming"}


def test_a_group_counts_beside_jobs_only_if_none_of_them_reads_through_it(retail) -> None:
    """Of every node: a group is listed or on the row of its job, and one that is listed reads what is on the way."""
    for node in nodes(retail):
        affected = impact(retail, node.id).affected
        listed = {row.name: row for row in affected if row.kind == "consumer-group"}
        assert listed.keys().isdisjoint(group for row in affected for group in row.groups)
        ways = impact(retail, node.id, way=True).affected if listed else ()
        for row in ways:
            if row.name in listed and row.way:
                assert row.way[-1].kind in ("reads", "column-flow")

    sentence = impact(retail, "shop.public.orders.total").sentence
    assert "4 jobs and 1 consumer group " in sentence


def test_a_file_that_is_not_read_is_no_statement(tmp_path) -> None:
    """A Ruby program is not SQL that could not be parsed, and is counted apart."""
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/a.rb").write_text("require 'kafka'\n")
    (tmp_path / "shop/topics.yaml").write_text(
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaTopic\nmetadata: {name: plain}\nspec: {partitions: 3}\n"
    )
    dictionary = scanner_api.open_dictionary(tmp_path / "d.db", create=True)
    scanner_api.scan([], dictionary, directories=[tmp_path / "shop"])
    scanner_api.generate(dictionary)

    coverage = summary(dictionary).coverage or {}
    assert (coverage["columns"], coverage["tables"], coverage["unread"], coverage["unread_files"]) == (0, 0, 0, 1)
