"""`scanner query`: the query of the lineage platform, and its output for people and programs."""

import csv
import io
from dataclasses import replace

import pytest

from scanner_api.questions.documents import document
from scanner_api.questions.topic_schemas import SchemaAnswer


@pytest.fixture
def query(scanner, dictionary):
    """Run the query for a topic of the cluster."""
    return lambda topic="orders", *more, broker="kafka-1": scanner(
        "query", "--broker", broker, "--topic", topic, *more, *dictionary
    )


def test_every_current_schema_is_listed_key_first(query) -> None:
    """Broker and topic are enough."""
    answers = query("orders", "--format", "json").json

    assert [(answer["role"], answer["subject"], answer["version"], answer["schema_id"]) for answer in answers] == [
        ("key", "orders-key", 1, 10),
        ("value", "orders-value", 3, 13),
    ]
    assert [column["name"] for column in answers[1]["columns"]] == ["id", "label", "size", "parent", "price"]


def test_document_has_the_documented_members(query) -> None:
    """Programs rely on them."""
    answer = query("orders", "--version", "2", "--format", "json").json[0]

    assert {"cluster", "topic", "role", "subject", "version", "schema_id", "format", "columns"} <= answer.keys()
    assert {key: answer[key] for key in ("stale", "deleted", "gone", "current")} == {
        "stale": False,
        "deleted": False,
        "gone": False,
        "current": False,
    }
    assert answer["columns"][1] == {
        "path": ["note"],
        "name": "note",
        "type": "string",
        "logical_type": None,
        "nullable": True,
        "default": None,
        "has_default": True,
        "doc": None,
        "tags": [],
    }


def test_a_message_that_is_one_value_has_a_visible_column(query) -> None:
    """An empty name would be invisible."""
    result = query("orders", "--subject", "orders-key")

    assert result.out.splitlines()[-1].split() == ["(whole", "message)", "string"]


def test_table_shows_defaults_unions_and_recursion(query) -> None:
    """Null, the empty string and no default are three things."""
    lines = query("orders", "--version", "2").out.splitlines()
    columns = {line.split()[0]: " ".join(line.split()[1:]) for line in lines[3:]}

    assert columns == {
        "id": "string The shop's number.",
        "note": "string yes null",
        "label": 'string ""',
        "size": "union of string, int",
        "parent": "record ↻ shop.Order yes null",
    }


def test_csv_has_a_line_for_each_column_of_each_schema(query) -> None:
    """Spreadsheets take it as it is."""
    rows = list(csv.DictReader(io.StringIO(query("orders", "--format", "csv").out)))

    assert [row["column"] for row in rows] == ["(whole message)", "id", "label", "size", "parent", "price"]
    assert rows[2]["default"] == '""'
    assert [rows[4]["nullable"], rows[5]["nullable"], rows[5]["gone"]] == ["true", "false", "false"]


def test_a_topic_without_schema_is_an_empty_answer(query) -> None:
    """It is known, so nothing failed; a note gives the reason."""
    for style, out in (("json", "[]\n"), ("table", "")):
        result = query("clicks", "--format", style)
        assert (result.status, result.out) == (0, out)
        assert result.err == "note: no schema describes the topic 'clicks'\n"


UNKNOWN = {
    "topic": (["order"], "knows no topic 'order' (did you mean 'orders'?)"),
    "id": (["orders", "--schema-id", "99"], "knows no schema id '99' (this topic has "),
    "subject": (["orders", "--subject", "order-value"], "knows no subject 'order-value' (did you mean 'orders-value'"),
    "version": (["orders", "--subject", "orders-value", "--version", "9"], "knows no version '9' ("),
}


@pytest.mark.parametrize("kind", UNKNOWN)
def test_an_unknown_name_has_its_own_status_and_the_nearest_names(kind, query) -> None:
    """Nothing found and nothing known are two answers."""
    arguments, words = UNKNOWN[kind]
    result = query(*arguments)

    assert (result.status, result.out) == (4, "")
    assert words in result.err
    assert result.err.count("\n") == 1


def test_an_unknown_broker_has_that_status_too(query) -> None:
    """The platform queries clusters that were never scanned."""
    result = query("orders", broker="kafka-3:9092")

    assert result.status == 4
    assert "did you mean 'kafka-" in result.err


@pytest.mark.parametrize("version", ["x", "-5", "1.0", "9" * 5000])
def test_a_malformed_version_is_invalid_input(version, query) -> None:
    """It is not unknown: it can never be known."""
    result = query("orders", "--version", version)

    assert result.status == 2
    assert "(write a number or `latest`)" in result.err


@pytest.mark.parametrize("version", ["latest", "-1", "3"])
def test_the_newest_version_has_three_names(version, query) -> None:
    """Registries know all of them."""
    answers = query("orders", "--subject", "orders-value", "--version", version, "--format", "json").json

    assert [answer["version"] for answer in answers] == [3]


def test_what_is_stale_is_marked(scanner, own_dictionary, scanned, tmp_path) -> None:
    """A source that did not respond proves nothing new, and nothing wrong."""
    replay = scanned.replay(own_dictionary)
    assert scanner(*replay, "--skip", "schema_registry", "--quiet").status == 0
    result = scanner("query", "--broker", "kafka-2", "--topic", "orders", "--dictionary", own_dictionary)

    assert result.out.splitlines()[0].endswith(" [stale]")


def test_a_schema_id_that_is_no_number_stays_text() -> None:
    """Some registries name schemas by UUID."""
    answer = SchemaAnswer(
        **dict.fromkeys(("cluster", "topic", "role", "subject", "format", "name", "strategy", "evidence"), ""),
        version=1,
        schema_id=None,
        confidence="confirmed",
        stale=False,
        columns=(),
    )
    ids = ("17", "6f1c", "", None)

    assert [document(replace(answer, schema_id=text))["schema_id"] for text in ids] == [17, "6f1c", None, None]
