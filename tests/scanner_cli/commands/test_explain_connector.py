"""`scanner explain connector`: every form of a configuration, one result, and no secret in it."""

import json

import pytest

CONFIG = {
    "connector.class": "io.confluent.connect.s3.S3SinkConnector",
    "topics": "orders",
    "s3.bucket.name": "lake",
    "aws.secret.access.key": "S3cr3t",
}
CDC = """\
# made by hand
name = shop-cdc
connector.class: io.debezium.connector.postgresql.PostgresConnector
database.hostname pg
database.dbname=shop
database.password=S3cr3t
topic.prefix=shop
table.include.list=public.customers,\\
    public.orders
transforms=unwrap
transforms.unwrap.type=io.debezium.transforms.ExtractNewRecordState
"""


def explained(scanner, tmp_path, document: object, *options: object):
    file = tmp_path / "lake.json"
    file.write_text(document if isinstance(document, str) else json.dumps(document))
    return scanner("explain", "connector", file, *options)


@pytest.mark.parametrize(
    ("document", "name"),
    [
        ({"name": "c", "config": CONFIG}, "c"),
        (CONFIG, "lake"),
        (CONFIG | {"name": "own"}, "own"),
        ({"c": {"info": {"name": "c", "config": CONFIG, "type": "sink"}, "status": {}}}, "c"),
        ({"name": "c", "config": [{"config": key, "value": value} for key, value in CONFIG.items()]}, "c"),
        ("\n".join(f"{key}={value}" for key, value in CONFIG.items()), "lake"),
    ],
)
def test_every_form_of_a_configuration_has_the_same_answer(scanner, tmp_path, document, name) -> None:
    """REST bodies, bare objects and properties are all in use."""
    answer = explained(scanner, tmp_path, document, "--format", "json").json

    assert (answer["name"], answer["class"], answer["direction"]) == (name, CONFIG["connector.class"], "sink")
    assert answer["inputs"] == [{"namespace": "kafka://localhost:9092", "name": "orders"}]
    assert answer["outputs"] == [{"namespace": "s3://lake", "name": "topics/orders"}]
    assert [(flow["source"], flow["target"]) for flow in answer["flows"]] == [(*answer["inputs"], *answer["outputs"])]


def test_properties_are_read_as_java_does(scanner, tmp_path) -> None:
    """Comments, continued lines, three ways to write a pair."""
    result = explained(scanner, tmp_path, CDC, "--broker", "K-1", "--format", "json")

    assert [dataset["name"] for dataset in result.json["outputs"]] == ["shop.public.customers", "shop.public.orders"]
    assert {dataset["namespace"] for dataset in result.json["outputs"]} == {"kafka://k-1:9092"}
    assert "S3cr3t" not in result.out + result.err


def test_people_see_flows_columns_and_problems(scanner, tmp_path) -> None:
    """Warnings go to stderr, the table is the answer."""
    result = explained(scanner, tmp_path, CDC, "--column", "id", "--table", "public.customers")

    assert "postgres://pg:5432 shop.public.customers" in result.out
    assert "copied" in result.out
    assert (result.status, result.err) == (0, "")


def test_columns_come_with_what_happened_to_them(scanner, tmp_path) -> None:
    """A masked column keeps its name, and its data stay out."""
    mask = {"transforms": "m", "transforms.m.type": "MaskField$Value", "transforms.m.fields": "ssn"}
    answer = explained(scanner, tmp_path, CONFIG | mask, "--column", "ssn", "--column", "a.b", "--format", "json").json

    assert [(column["target"]["path"], column["subtype"], column["masked"]) for column in answer["columns"]] == [
        (["ssn"], "TRANSFORMATION", True),
        (["a", "b"], "IDENTITY", False),
    ]


def test_topics_that_are_named_resolve_patterns(scanner, tmp_path) -> None:
    """Without them, only the pattern is known."""
    config = {**CONFIG, "topics": "", "topics.regex": "o.*"}

    assert explained(scanner, tmp_path, config, "--format", "json").json["inputs"][0]["name"] == "regex:o.*"
    named = explained(scanner, tmp_path, config, "--topic", "orders", "--topic", "x", "--format", "json").json
    assert [dataset["name"] for dataset in named["inputs"]] == ["orders"]


def test_an_unknown_class_is_an_answer_with_a_warning(scanner, tmp_path) -> None:
    """It is neither an error nor a guess."""
    unknown = {"transforms": "x", "transforms.x.type": "com.acme.X"}
    result = explained(
        scanner, tmp_path, {"connector.class": "com.acme.OwnSink", "topics": "a"} | unknown, "--column", "a"
    )

    assert result.status == 0
    assert "'com.acme.OwnSink'" in result.err
    assert "the output columns are unknown" in result.err


@pytest.mark.parametrize("text", ["{", "[]", "{}", "", '{"a": {"b": 1}}', "[" * 100000, "\0=1", "[1]"])
def test_what_is_no_configuration_is_one_line_and_status_2(scanner, tmp_path, text) -> None:
    """The message names the file and what to hand over, and repeats nothing of it."""
    result = explained(scanner, tmp_path, text)

    assert (result.status, result.out) == (2, "")
    assert "lake.json" in result.err
    assert len(result.err.splitlines()) == 1


def test_a_broker_that_is_no_address_is_one_line(scanner, tmp_path) -> None:
    """As everywhere."""
    assert explained(scanner, tmp_path, CONFIG, "--broker", "a b").status == 2


@pytest.mark.parametrize(
    ("config", "columns"),
    [
        (
            {
                "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
                "database.hostname": "pg",
                "database.dbname": "shop",
                "topic.prefix": "s",
                "table.include.list": "public.users",
                "column.exclude.list": "public.users.secret",
                "transforms": "u",
                "transforms.u.type": "io.debezium.transforms.ExtractNewRecordState",
            },
            {("id", "id")},
        ),
        (
            {
                "connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
                "connection.url": "jdbc:postgresql://dw/w",
                "topics": "t",
                "fields.whitelist": "id",
            },
            {("id", "id")},
        ),
        (
            {
                "connector.class": "SnowflakeSink",
                "snowflake.url.name": "o-a.snowflakecomputing.com",
                "topics": "t",
            },
            {("id", "RECORD_CONTENT.id"), ("secret", "RECORD_CONTENT.secret")},
        ),
    ],
)
def test_columns_are_those_that_the_configuration_lets_through(scanner, tmp_path, config, columns) -> None:
    """What a list leaves out does not flow, and a table has the names that the sink writes."""
    result = explained(scanner, tmp_path, config, "--column", "id", "--column", "secret", "--format", "json")

    columns_read = json.loads(result.out)["columns"]
    assert {
        (".".join(column["source"]["path"]), ".".join(column["target"]["path"])) for column in columns_read
    } == columns


def test_columns_of_a_query_are_those_that_it_gives(scanner, tmp_path) -> None:
    """They need not be named: the SQL has their origins and tables."""
    config = {
        "connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
        "connection.url": "jdbc:postgresql://pg/shop",
        "topic.prefix": "sold",
        "query": "SELECT o.*, upper(c.name) AS buyer, now() AS at FROM orders o JOIN customers c ON c.id = o.customer",
    }
    result = explained(scanner, tmp_path, config, "--column", "id", "--format", "json")

    columns_read = json.loads(result.out)["columns"]
    ends = {
        (
            column["target"]["path"][0],
            column["source"] and (column["source"]["dataset"]["name"], *column["source"]["path"]),
        )
        for column in columns_read
    }
    assert (len(columns_read), ends) == (
        3,
        {
            ("id", ("shop.public.orders", "id")),
            ("buyer", ("shop.public.customers", "name")),
            ("at", None),
        },
    )
