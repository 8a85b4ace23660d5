"""Files in a form of the user's own, as `topic_files` of cluster.json or `topic-files` of .scanner.yaml describe it."""

from __future__ import annotations

import pytest

from scanner_extractor.repository.topic_files.settings import parse_topic_files
from scanner_model.catalogs import Annotation
from scanner_model.declarations import UnreadFile
from scanner_model.errors import InputInvalid
from scanner_model.manual import DeclaredFlow

STREAMS = """\
domain: shop
topics:
  - name: orders
    owner: team-orders
    producer: {service: checkout}
    consumers:
      - {service: billing}
      - {service: "${MAILER}"}
    schema: orders.avsc
"""
SETTINGS = """\
topic-files:
  - files: streams/*.yaml
    each: $.topics[*]
    topic: "{$.domain}.{@.name}"
    writers: "@.producer.service"
    readers: "@.consumers[*].service"
    owner: "@.owner"
    schemas: "@.schema"
"""
AVRO = '{"type": "record", "name": "Order", "fields": [{"name": "id", "type": "string"}]}'


def flows(reading):
    return {(flow.job, flow.origin.name, flow.target.name, flow.evidence) for flow in reading.of(DeclaredFlow)}


def test_scanner_yaml_describes_the_files_of_its_repository(read_repository):
    files = {".scanner.yaml": SETTINGS, "streams/shop.yaml": STREAMS, "streams/orders.avsc": AVRO}
    reading = read_repository(files, variables={"MAILER": "mailer"})

    assert flows(reading) == {
        ("checkout", "", "shop.orders", "streams/shop.yaml:5"),
        ("billing", "shop.orders", "", "streams/shop.yaml:7"),
        ("mailer", "shop.orders", "", "streams/shop.yaml:8"),
    }
    assert reading.schema_files == {"streams/orders.avsc": ("shop.orders-value",)}
    assert [(note.topic, note.owner) for note in reading.of(Annotation)] == [("shop.orders", "team-orders")]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{"svc": {\n\t"name": "checkout",\n\t"kafka": {"out": ["orders"], "in": ["payments"]}\n}}'),
        ("a.toml", '[svc]\nname = "checkout"\n[svc.kafka]\nout = ["orders"]\nin = ["payments"]\n'),
        ("a.yml", "svc:\n  name: checkout\n  kafka: {out: [orders], in: [payments]}\n"),
    ],
)
def test_programs_list_their_topics_in_json_toml_and_yaml(read_repository, name, text):
    members = {"files": "*", "each": "$.svc", "program": "@.name", "reads": "@.kafka.in[*]", "writes": "@.kafka.out[*]"}
    reading = read_repository({name: text}, topic_files=parse_topic_files([members]))

    assert {(job, origin, target) for job, origin, target, _ in flows(reading)} == {
        ("checkout", "payments", ""),
        ("checkout", "", "orders"),
    }


def test_the_key_of_an_entry_and_the_names_of_its_file_are_parts_of_names(read_repository):
    text = "orders: {users: [billing]}\npayments: {users: [billing]}\n"
    members = {"files": "**/topics.yaml", "each": "$.*", "topic": "{directory}.{key}", "readers": "@.users[*]"}
    reading = read_repository({"teams/shop/topics.yaml": text}, topic_files=parse_topic_files([members]))

    assert {origin for _, origin, _, _ in flows(reading)} == {"shop.orders", "shop.payments"}


def test_a_listed_file_without_topics_is_unread(read_repository):
    """A form that changed must not look like a repository without topics."""
    reading = read_repository({".scanner.yaml": SETTINGS, "streams/shop.yaml": "kafka: {topics: []}\n"})

    (file,) = reading.of(UnreadFile)
    assert (file.name, file.kind) == ("streams/shop.yaml", "topic file")


def test_an_unknown_variable_is_a_problem(read_repository):
    reading = read_repository({".scanner.yaml": SETTINGS, "streams/shop.yaml": STREAMS})

    assert "mailer" not in {job for job, *_ in flows(reading)}
    assert any("${MAILER}" in problem.what for problem in reading.problems)


def test_settings_that_are_not_valid_are_listed(read_repository):
    reading = read_repository({".scanner.yaml": SETTINGS.replace('"@.owner"', '"@.owner["')})

    (file,) = reading.of(UnreadFile)
    assert (file.name, file.kind) == (".scanner.yaml", "topic-files")
    assert "$.owner[" in file.reason


@pytest.mark.parametrize(
    "members",
    [
        {"files": "*", "topic": "{name}"},
        {"files": "*", "topic": "@.a["},
        {"files": "*", "topic": "$..a..b"},
        {"files": "*", "topic": "$.a[?search(@.b, '(a+)+$')]"},
        {"files": "*", "owner": "$.team"},
        {"topic": "$.name"},
        {"files": "*", "topic": "$.name", "consumers": "$.c"},
    ],
)
def test_members_that_are_not_valid_are_refused(members):
    with pytest.raises(InputInvalid):
        parse_topic_files([members])


def test_a_source_of_one_kind_of_files_reads_no_topic_files(read_repository):
    """`schemas` of cluster.json is such a source, perhaps of a directory that is a repository, too."""
    reading = read_repository({".scanner.yaml": SETTINGS, "streams/shop.yaml": STREAMS}, kinds=frozenset({"schema"}))

    assert not reading.of(DeclaredFlow)
