"""Configurations of connectors are found in any wrapping."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.repository.connectors import connectors_in, name_in_url, posted_file
from scanner_extractor.repository.files import UnreadText

FLAT = '{"connector.class": "S3Sink", "topics": "orders"}'


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('{"name": "a", "config": ' + FLAT + "}", ["a"]),
        ("[" + FLAT.replace("{", '{"name": "a",') + ', {"name": "b", "config": ' + FLAT + "}]", ["a", "b"]),
        ('{"first": ' + FLAT + ', "second": {"config": ' + FLAT + "}}", ["first", "second"]),
        ('curl -d {"name": "a", "config": ' + FLAT + "} http://c", ["a"]),
        ("name=a\nconnector.class=S3Sink\ntopics=orders\n", ["a"]),
        ('{"name": "a", "tasks.max": $TASKS, "connector.class": "S3Sink",}', ["a"]),
        ('{"name": "a", "connector.class": "S3Sink", "t": "X\\$Value"}', ["a"]),
        ("nothing about connector.class here", []),
        ("no class", []),
    ],
)
def test_names(text, names):
    assert [connector.name for connector in connectors_in(text)] == names


def test_a_dollar_sign_that_a_script_escapes_stays():
    (found,) = connectors_in('{"connector.class": "S3Sink", "t": "ExtractField\\$Value"}')
    assert found.config["t"] == "ExtractField$Value"


def test_a_request_names_the_connector_and_the_file():
    words = ("curl", "-X", "PUT", "-d", "@config/s3.json", "http://connect:8083/connectors/orders-s3/config")
    assert name_in_url(words) == "orders-s3"
    assert posted_file(words, "") == "config/s3.json"
    assert posted_file(("http", "PUT", "connect/connectors/a/config"), "a.json") == "a.json"


@given(st.text(alphabet='{}[]":,\\ connectr.las$a\n', max_size=200))
def test_no_text_raises(text):
    for found in connectors_in(text + "connector.class" + text):
        assert found.line >= 1


@pytest.mark.parametrize(
    "part",
    ['{ "connector.class"', '{"connector.class": ', '{"config": {"connector.class": "a"', "{{{ connector.class "],
)
def test_braces_that_never_end_are_too_much_to_look_at(part):
    with pytest.raises(UnreadText, match="braces"):
        list(connectors_in(part * 50_000))


def test_every_connector_of_a_long_list_is_found():
    listed = [{"name": f"c{number}", "config": {"connector.class": "S3Sink"}} for number in range(1_200)]
    assert len(list(connectors_in(json.dumps(listed)))) == 1_200
    assert len(list(connectors_in("curl -d '" + "' x\n'".join(map(json.dumps, listed)) + "'"))) == 1_200


_SERVER = """
debezium.sink.type=kafka
debezium.sink.kafka.producer.bootstrap.servers=k:9092
debezium.source.connector.class=io.debezium.connector.postgresql.PostgresConnector
debezium.source.topic.prefix=shop
debezium.source.table.include.list=public.orders
debezium.transforms=unwrap
debezium.transforms.unwrap.type=io.debezium.transforms.ExtractNewRecordState
"""


def test_connector_of_a_debezium_server_has_its_settings_without_their_prefix():
    (found,) = connectors_in(_SERVER)

    assert found.name == "shop"
    assert found.config["table.include.list"] == "public.orders"
    assert found.config["transforms.unwrap.type"] == "io.debezium.transforms.ExtractNewRecordState"
    assert "sink.type" not in found.config


@pytest.mark.parametrize(
    ("written", "value"),
    [(r"(.*)\\.(.*)", r"(.*)\.(.*)"), (r"a\:b\=c", "a:b=c"), (r"\u0041\tb", "A\tb"), (r"a\.b", "a.b")],
)
def test_escapes_of_a_properties_file_are_those_of_java(written, value):
    """A pattern has two backslashes for one; before any other character a backslash is dropped."""
    (found,) = connectors_in(f"name=a\nconnector.class=S3Sink\ntransforms.r.regex={written}\n")

    assert found.config["transforms.r.regex"] == value


def test_debezium_server_that_writes_elsewhere_has_no_connector():
    assert list(connectors_in(_SERVER.replace("sink.type=kafka", "sink.type=redis"))) == []


MIRRORS = """\
clusters = east, west-2
east.bootstrap.servers = e:9092
west-2.bootstrap.servers = w:9092
replication.policy.separator = _
east->west-2.enabled = true
east->west-2.topics = orders, \\
    bills
east->west-2.replication.policy.separator = -
west-2->east.topics = .*
"""


def test_each_enabled_flow_of_mirror_maker_is_a_connector():
    (found,) = connectors_in(MIRRORS)

    assert (found.name, found.line) == ("east->west-2.MirrorSourceConnector", 5)
    assert found.config == {
        "connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
        "topics": "orders, bills",
        "replication.policy.separator": "-",
        "source.cluster.alias": "east",
        "source.cluster.bootstrap.servers": "e:9092",
        "target.cluster.alias": "west-2",
        "target.cluster.bootstrap.servers": "w:9092",
    }


@pytest.mark.parametrize("sign", [" = ", "=", ": ", " "])
def test_mirror_maker_replicates_all_topics_by_default(sign):
    (found,) = connectors_in(f"clusters{sign}a,b\na->b.enabled{sign}true\n")

    assert found.config["topics"] == ".*"
