"""Druid and Pinot: what is consumed from which topic, and what the columns are computed from."""

from __future__ import annotations

import json

import pytest

from scanner_extractor.catalogs.ingestion import fields_of
from scanner_extractor.settings.sources import Wanted
from scanner_model.catalogs import CatalogTable
from scanner_model.errors import PayloadUnexpected
from scanner_model.scan import SourceStatus


def kafka(table) -> dict[str, object]:
    words = {name.removeprefix("kafka."): value for name, value in table.parameters if name.startswith("kafka.")}
    return words | {"columns": json.loads(words.get("columns", "{}"))}


def columns(table) -> list[str]:
    return [f"{column.name} {column.type}" for column in table.columns]


def test_supervisor_of_druid_is_a_table_with_its_topic(olap, read) -> None:
    """Time, dimensions and metrics are columns; those that come from other fields say from which."""
    (table,) = read("druid", olap.Druid(), aliases=("druid-lb",)).of(CatalogTable)

    assert (table.namespace, table.name) == ("druid://druid.example:8888", "orders")
    assert table.symlinks == (("druid://druid-lb:8888", "orders"),)
    assert columns(table) == [
        *("__time long", "city string", "user long", "email string", "domain string", "rows count"),
        "revenue doubleSum",
    ]
    assert kafka(table) == {
        "topics": "orders",
        "brokers": "k-1:9092",
        "format": "json",
        "columns": {
            "__time": ["ts"],
            "domain": ["e mail"],
            "email": ["contact"],
            "revenue": ["amount"],
            "rows": [],
        },
    }
    assert "zqSECRETzq" not in repr(table)


def test_supervisors_of_other_versions_and_kinds(olap, read) -> None:
    """Old ones have one level less, a pattern stands in place of a topic, Kinesis is no topic."""
    stream = olap.IO_CONFIG | {"topic": None, "topicPattern": "eu-.*"}
    server = olap.Druid(
        supervisors=(
            olap.supervisor("old", {"dataSource": "old"}, stream, old=True),
            olap.supervisor("kinesis", olap.DATA_SCHEMA, {"stream": "s"}, kind="kinesis"),
            olap.supervisor("compaction", None, None, kind="autocompact"),
        )
    )
    (table,) = read("druid", server).of(CatalogTable)

    assert (table.name, kafka(table)["pattern"]) == ("old", "eu-.*")
    assert columns(table) == ["__time long"]
    assert kafka(table)["columns"] == {"__time": ["timestamp"]}
    assert read("druid", server, wanted=Wanted(tables=("x*",))).of(CatalogTable) == ()


def test_what_jq_selects_is_a_problem(olap, read) -> None:
    """Its language is not parsed."""
    flatten = {"fields": [{"type": "jq", "name": "email", "expr": ".a | .b"}]}
    stream = olap.IO_CONFIG | {"inputFormat": {"type": "json", "flattenSpec": flatten}}
    reading = read("druid", olap.Druid(supervisors=(olap.supervisor("o", olap.DATA_SCHEMA, stream),)))

    assert [problem.what for problem in reading.problems] == [
        "what it selects by jq is not connected with fields of the topic"
    ]


def test_address_of_another_server_is_one_clear_error(read) -> None:
    """The broker of Druid answers with something else."""

    class Other:
        def answer(self, *_):
            return 200, {"supervisors": 5, "tables": 5}

    for kind in ("druid", "pinot"):
        with pytest.raises(PayloadUnexpected):
            read(kind, Other())


def test_table_of_pinot_is_read_with_its_topic_and_schema(olap, read) -> None:
    """Transform functions and aggregations name the fields that columns come from."""
    (table,) = read("pinot", olap.Pinot()).of(CatalogTable)

    assert (table.namespace, table.name) == ("pinot://pinot.example:9000", "orders")
    assert columns(table) == [
        *("city STRING", "email STRING", "tags array", "tags.[] STRING", "revenue DOUBLE", "day INT"),
    ]
    assert [column.nullable for column in table.columns][:2] == [False, True]
    assert kafka(table) == {
        "topics": "orders",
        "brokers": "k-1:9092",
        "format": "JSONMessageDecoder",
        "columns": {"day": ["ts"], "email": ["contact"], "revenue": ["amount"]},
    }
    assert "zqSECRETzq" not in repr(table)


def test_older_and_offline_tables_of_pinot(olap, read) -> None:
    """Older ones have the stream beside the indexes; offline ones have none."""
    stream = olap.TABLE["REALTIME"]["ingestionConfig"]["streamIngestionConfig"]["streamConfigMaps"][0]
    older = {"REALTIME": {"tableType": "REALTIME", "tableIndexConfig": {"streamConfigs": stream}}}
    offline = {"OFFLINE": {"tableType": "OFFLINE", "ingestionConfig": {}}}
    server = olap.Pinot(tables={"old": (older, olap.SCHEMA), "off": (offline, olap.SCHEMA)})
    tables = {table.name: kafka(table) for table in read("pinot", server).of(CatalogTable)}

    assert (tables["old"]["topics"], tables["off"]) == ("orders", {"columns": {}})


def test_table_of_pinot_that_cannot_be_read_costs_itself(olap, read) -> None:
    """One that was dropped since it was listed is none any more."""
    reading = read("pinot", olap.Pinot(refused={"secret": 403, "gone": 404}))

    assert [table.name for table in reading.of(CatalogTable)] == ["orders"]
    assert (reading.outcome.status, reading.outcome.unread) == (SourceStatus.PARTIAL, frozenset({"secret"}))


@pytest.mark.parametrize(
    ("expression", "fields"),
    [
        ("concat(a, ' b ', \"c d\")", ("a", "c d")),
        ("case when x > 1.5e3 then y else NULL end", ("x", "y")),
        ("Groovy({arg0 + arg1}, p, p)", ("arg0", "arg1", "p")),
        ("count(*)", ()),
        ("", ()),
    ],
)
def test_fields_of_an_expression(expression, fields) -> None:
    """Functions, texts, numbers and words of SQL are none."""
    assert fields_of(expression) == fields
