"""One set of names: each that a list prints is known to lineage, to impact and to the page's links, or has choices."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_model.columns import WHOLE_MESSAGE
from scanner_model.errors import InputInvalid, NameUnknown

EXAMPLE = Path(__file__).parents[2] / "examples/retail"
_WITHOUT_NODE = ("describes no topic", "has no flows")
"""Why something that a list prints has no place in the graph: a subject, a job."""
SEARCHED = ("orders", "shop", "note", "customer", "a", "e", "o")

FILES = {
    "schema.sql": "CREATE TABLE shop.orders (id BIGINT PRIMARY KEY, total NUMERIC);\n"
    "CREATE TABLE customers (id BIGINT);",
    "connectors/sink.json": '{"name": "lake", "config": {"topics": "payments.only-connector", '
    '"s3.bucket.name": "lake", '
    '"connector.class": "io.confluent.connect.s3.S3SinkConnector"}}',
    "connectors/cdc.json": '{"name": "cdc", "config": {"topic.prefix": "shop", "table.include.list": "shop.orders", '
    '"database.hostname": "db", "database.dbname": "shop", '
    '"connector.class": "io.debezium.connector.postgresql.PostgresConnector"}}',
    "orders-value.avsc": '{"type": "record", "name": "Order", "fields": [{"name": "note", "type": "string"}]}',
    "plain-key.avsc": '"string"',
    "sql/job.sql": "CREATE TABLE orders (note STRING) WITH ('connector' = 'kafka', 'topic' = 'orders', "
    "'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');\n"
    "CREATE TABLE notes (note STRING) WITH ('connector' = 'kafka', 'topic' = 'notes', "
    "'properties.bootstrap.servers' = 'k:9092', 'format' = 'json');\n"
    "INSERT INTO notes SELECT note FROM orders;\nINSERT INTO notes SELECT UPPER(note) FROM orders;",
    "sql/streams.ksql": "CREATE STREAM notes_again (note STRING) WITH (KAFKA_TOPIC = 'orders', VALUE_FORMAT = 'JSON');",
    "topics.yaml": "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaTopic\n"
    "metadata: {name: plain}\nspec: {partitions: 3}",
    "app.py": 'from kafka import KafkaConsumer\nconsumer = KafkaConsumer("orders", group_id="billing")',
}


def write(directory: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text, encoding="utf-8")
    return directory


def scanned(directory: Path, dictionary: Dictionary) -> Dictionary:
    scanner_api.scan([], dictionary, directories=[directory])
    scanner_api.generate(dictionary)
    return dictionary


@pytest.fixture(scope="module", params=["example", "repository"])
def dictionary(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Dictionary:
    place = tmp_path_factory.mktemp("names")
    dictionary = scanner_api.open_dictionary(place / "d.db", create=True)
    if request.param == "repository":
        return scanned(write(place / "shop", FILES), dictionary)
    scanner_api.scan([EXAMPLE / "cluster.json"], dictionary, replay=EXAMPLE / "capture")
    scanner_api.generate(dictionary)
    return dictionary


def printed_names(dictionary: Dictionary) -> Iterator[tuple[str, str]]:
    """Yield the names that lists print, with the list."""
    yield from (("topics", row.name) for row in scanner_api.topics(dictionary).items)
    yield from (("tables", row.name) for row in scanner_api.tables(dictionary).items)
    yield from (("jobs", row.name) for row in scanner_api.jobs(dictionary).items)
    for column in scanner_api.columns(dictionary).items:
        yield "columns", column.topic or column.dataset
        yield "columns", f"{column.topic or column.dataset}.{column.name or WHOLE_MESSAGE}"
    for use in scanner_api.clients(dictionary).items:
        yield from (("clients", name) for name in (use.topic, use.application))
    for word in SEARCHED:
        hits = scanner_api.search(dictionary, word).items
        yield from (("search", hit.node or hit.name) for hit in hits if hit.kind != "owner")


def test_each_printed_name_is_known(dictionary: Dictionary) -> None:
    """A name of several things lists them; a subject without a topic and a job without flows say so."""
    unknown: dict[str, str] = {}
    for source, name in sorted({(source, name) for source, name in printed_names(dictionary) if name}):
        for question in (scanner_api.lineage, scanner_api.impact):
            try:
                question(dictionary, name)
            except (InputInvalid, NameUnknown) as error:
                if not getattr(error, "choices", ()) and not error.what.endswith(_WITHOUT_NODE):
                    unknown[f"{source}: {name}"] = error.what

    assert unknown == {}


def test_each_topic_that_a_list_prints_is_known_to_every_question_about_topics(dictionary: Dictionary) -> None:
    """Connectors and statements mention topics that nothing lists: those are topics, too."""
    listed = {row.name for row in scanner_api.topics(dictionary).items}
    topics = listed | {use.topic for use in scanner_api.clients(dictionary).items}
    topics |= {column.topic for column in scanner_api.columns(dictionary).items if column.topic}
    topics |= {
        hit.name for word in SEARCHED for hit in scanner_api.search(dictionary, word).items if hit.kind == "topic"
    }
    unknown: dict[str, str] = {}
    for name in sorted(topics):
        try:
            scanner_api.topic_schemas(dictionary, topic=name)
            scanner_api.describe_topic(dictionary, topic=name)
            scanner_api.clients(dictionary, topic=name)
            scanner_api.may_delete(dictionary, topic=name)
        except (InputInvalid, NameUnknown) as error:
            unknown[name] = error.what

    assert unknown == {}
    assert topics == listed


def test_topics_that_only_jobs_mention_are_found_and_counted(tmp_path: Path) -> None:
    """Filters, orders and pages hold for them as for the topics that a file or a broker lists."""
    dictionary = scanner_api.open_dictionary(tmp_path / "d.db", create=True)
    scanned(write(tmp_path / "shop", FILES), dictionary)
    mentioned = [row.name for row in scanner_api.topics(dictionary).items if row.source == "data flow"]
    first = scanner_api.topics(dictionary, limit=2)

    def listed(**conditions: object) -> set[str]:
        return {row.name for row in scanner_api.topics(dictionary, **conditions).items}

    assert mentioned == ["notes", "shop.shop.orders"]
    assert listed(pattern="notes*") == {"notes"}
    assert "notes" not in listed(without_writer=True)
    assert "notes" in listed(without_reader=True)
    assert listed(owner="team") == listed(tag="PII") == set()
    assert scanner_api.topics(dictionary, sort="writers").items[0].name in mentioned
    rest = scanner_api.topics(dictionary, cursor=first.next_cursor)
    assert [*first.items, *rest.items] == list(scanner_api.topics(dictionary).items)
    assert "topic" in {hit.kind for hit in scanner_api.search(dictionary, "notes").items}


def test_each_hit_of_a_search_leads_somewhere(dictionary: Dictionary) -> None:
    """The page shows a subject, a tag and an owner in lists, anything else by its node."""
    hits = [hit for word in SEARCHED for hit in scanner_api.search(dictionary, word).items]

    assert [hit for hit in hits if hit.kind not in ("subject", "tag", "owner") and not hit.node] == []


def test_a_removed_name_is_told_with_the_scan_that_has_it(tmp_path: Path) -> None:
    """A renamed column and a topic that is gone: the graph of before shows them."""
    dictionary = scanner_api.open_dictionary(tmp_path / "d.db", create=True)
    scanned(write(tmp_path / "shop", FILES), dictionary)
    for name in ("topics.yaml", "plain-key.avsc"):
        (tmp_path / "shop" / name).unlink()
    renamed = {"schema.sql": FILES["schema.sql"].replace("total", "amount")}
    scanned(write(tmp_path / "shop", renamed), dictionary)

    for name in ("plain", "shop.shop.orders.total"):
        with pytest.raises(NameUnknown, match="scan 2 removed it") as raised:
            scanner_api.impact(dictionary, name)
        assert "--as-of 1" in raised.value.hint
    with pytest.raises(NameUnknown, match=r"no node 'nothing' \(|no node 'nothing'$"):
        scanner_api.impact(dictionary, "nothing")


def test_each_group_of_an_impact_reads_what_is_affected(dictionary: Dictionary) -> None:
    """A group through which a listed job reads is a part of that job, and counts as no other user."""
    reads = {(use.application, use.topic) for use in scanner_api.clients(dictionary).items if use.use == "reads"}
    for topic in scanner_api.topics(dictionary).items:
        try:
            answer = scanner_api.impact(dictionary, topic.name)
        except InputInvalid as several:  # a table has the same name
            (node,) = (name for name in several.choices if name.startswith("topic:"))
            answer = scanner_api.impact(dictionary, node)
        topics = {topic.name, *(node.name for node in answer.affected if node.kind == "topic")}
        groups = {node.name for node in answer.affected if node.kind == "consumer-group"}
        of_jobs = {name for node in answer.affected if node.kind == "job" for name in node.groups}

        assert {group for group in groups if not topics & {read for name, read in reads if name == group}} == set()
        assert groups & of_jobs == set()
