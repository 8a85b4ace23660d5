"""Columns of ksqlDB's collections in the records of their topics, as ksqlDB 8.3.1 writes and infers them."""

from __future__ import annotations

import pytest

from dataflow_generator.jobs.ksqldb import StatementReading, ksql_jobs
from dataflow_generator.jobs.model import Naming
from scanner_model.columns import Column, parse_path
from scanner_model.names import Role, SourceId, TopicName
from scanner_model.streaming_sql import CollectionColumn, KsqlSource, Query

KSQL = SourceId("ksqldb:http://ksql:8088")
NAMING = Naming([("lab", ("kafka:9092",))])
UNWRAPPED = "CREATE STREAM S (V INT) WITH (KAFKA_TOPIC='s', VALUE_FORMAT='AVRO', WRAP_SINGLE_VALUE=false);"


def collection(name: str, *columns: tuple[str, str, Role | None], statement: str = "", form: str = "AVRO"):
    return KsqlSource(
        source=KSQL,
        name=name,
        kind="STREAM",
        topic=TopicName(name.lower()),
        key_format=form,
        value_format=form,
        statement=statement,
        columns=tuple(
            CollectionColumn(column=Column(path=parse_path(path), type=type_), role=role, header="" if role else "x-h")
            for path, type_, role in columns
        ),
    )


def value(path: str, type_: str = "STRING") -> tuple[str, str, Role | None]:
    return path, type_, Role.VALUE


def key(path: str, type_: str = "STRING") -> tuple[str, str, Role | None]:
    return path, type_, Role.KEY


def fields(*paths: str | Column) -> tuple[Column, ...]:
    return tuple(one if isinstance(one, Column) else Column(path=parse_path(one), type="x") for one in paths)


def read(items: str, source: KsqlSource, there: tuple[Column, ...], sink: KsqlSource | None = None) -> StatementReading:
    """Read a query that selects *items* of *source*, whose topic has the fields *there*."""
    sink = sink or collection("OUT", value("X"))
    query = Query(
        source=KSQL,
        name="Q",
        kind="PERSISTENT",
        state="RUNNING",
        statement=f"CREATE STREAM OUT AS SELECT {items} FROM S EMIT CHANGES;",
        sources=("S",),
        sinks=("OUT",),
    )
    known = {("lab", "s"): there, ("lab", "out"): tuple(one.column for one in sink.columns)}
    (reading,) = ksql_jobs([("lab", source), ("lab", sink)], [("lab", query)], known, NAMING)
    return reading


def flows(reading: StatementReading) -> list[tuple[str, str]]:
    ends = ((flow.source.key, flow.target.key) for flow in reading.flows.columns)
    return sorted((source.rpartition("#")[2], target.rpartition("#")[2]) for source, target in ends)


STRUCT_KEY = collection("S", key("K", "STRUCT"), key("K.A", "INTEGER"), key("K.B"), value("V"))


def test_field_of_a_structured_key_is_a_field_of_the_whole_key() -> None:
    """A topic of Debezium's or Connect's has such keys: `ROWKEY STRUCT<ORDERID BIGINT, …> KEY`."""
    reading = read("K->A AS X", STRUCT_KEY, fields("@key.a", "@key.b", "v"))

    assert (flows(reading), reading.problems) == ([("@key.a", "X")], ())


def test_copied_key_is_copied_field_by_field() -> None:
    """The whole key has no field of its own that could be its place."""
    sink = collection("OUT", key("K", "STRUCT"), key("K.A", "INTEGER"), key("K.B"), value("V"))
    there = fields("@key.a", "@key.b", "v")
    known = {("lab", "s"): there, ("lab", "out"): fields("@key.A", "@key.B", "V")}
    statement = "CREATE STREAM OUT AS SELECT K, V FROM S EMIT CHANGES;"
    query = Query(source=KSQL, name="Q", kind="PERSISTENT", state="RUNNING", statement=statement, sinks=("OUT",))

    (reading,) = ksql_jobs([("lab", STRUCT_KEY), ("lab", sink)], [("lab", query)], known, NAMING)

    assert flows(reading) == [("@key.a", "@key.A"), ("@key.b", "@key.B"), ("v", "V")]
    assert reading.problems == ()


def test_structure_that_becomes_the_key_is_copied_field_by_field() -> None:
    """In the value it is a field, in the key there is only what is in it."""
    source = collection("S", value("P", "STRUCT"), value("P.X"), value("P.Y"))
    sink = collection("OUT", key("K", "STRUCT"), key("K.X"), key("K.Y"))
    known = {("lab", "s"): fields("p", "p.x", "p.y"), ("lab", "out"): fields("@key.X", "@key.Y")}
    statement = "CREATE STREAM OUT AS SELECT P AS K FROM S PARTITION BY P EMIT CHANGES;"
    query = Query(source=KSQL, name="Q", kind="PERSISTENT", state="RUNNING", statement=statement, sinks=("OUT",))

    (reading,) = ksql_jobs([("lab", source), ("lab", sink)], [("lab", query)], known, NAMING)

    assert flows(reading) == [("p.x", "@key.X"), ("p.y", "@key.Y")]


@pytest.mark.parametrize(
    ("columns", "items", "there", "expected"),
    [
        ([value("V", "INTEGER")], "V AS X", fields(""), ""),
        ([value("V", "STRUCT"), value("V.B", "STRUCT"), value("V.B.C")], "V->B->C AS X", fields("B", "B.C"), "B.C"),
        ([value("V", "ARRAY"), value("V.[]", "STRUCT"), value("V.[].A")], "V[1]->A AS X", fields("", "[].A"), "[].A"),
    ],
)
def test_value_that_is_not_wrapped_is_the_whole_message(columns, items, there, expected) -> None:
    """The registered schemas are `"int"`, the record itself, an array."""
    reading = read(items, collection("S", *columns, statement=UNWRAPPED), there)

    assert (flows(reading), reading.problems) == ([(expected, "X")], ())


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ("`[]` AS X", [("`[]`", "X")]),
        ("S.`{}` AS X", [("`{}`", "X")]),
        ("L[1]->`[]` AS X", [("L.[].`[]`", "X")]),
    ],
)
def test_name_of_a_column_is_no_mark(items, expected) -> None:
    """ksqlDB takes any name in backticks; `[]` is not the element of an array then."""
    columns = (value("`[]`"), value("`{}`"), value("L", "ARRAY"), value("L.[]", "STRUCT"), value("L.[].`[]`"))
    source = collection("S", *columns)
    reading = read(items, source, tuple(entry.column for entry in source.columns))

    assert (flows(reading), reading.problems) == (expected, ())


def test_header_is_no_field_and_no_problem() -> None:
    """A topic's schemas say nothing of headers; Flink's `headers` have the same place."""
    reading = read("FROM_BYTES(H, 'utf8') AS X", collection("S", ("H", "BYTES", None), value("V")), fields("v"))

    assert (flows(reading), reading.problems) == ([("$headers.x-h", "X")], ())


ONEOF = collection(
    "S", value("WHAT_0", "STRUCT"), value("WHAT_0.ATEXT"), value("WHAT_0.ANUMBER"), value("ID"), form="PROTOBUF"
)


@pytest.mark.parametrize(
    ("items", "expected"),
    [("WHAT_0->ATEXT AS X", ["aText"]), ("WHAT_0 AS X", ["aNumber", "aText"])],
)
def test_members_of_a_oneof_are_fields_of_their_message(items, expected) -> None:
    """ksqlDB makes a structure of a oneof, which is nothing on the wire."""
    reading = read(items, ONEOF, fields("aText", "aNumber", "id"))

    assert (flows(reading), reading.problems) == ([(each, "X") for each in expected], ())


UNION = collection("S", value("CHOICE", "STRUCT"), value("CHOICE.INT", "INTEGER"), value("CHOICE.ORDER", "STRUCT"))


@pytest.mark.parametrize(
    ("items", "there", "expected"),
    [
        ("CHOICE->INT AS X", Column(path=("choice",), type="union", branches=("int", "string")), "choice"),
        ("CHOICE->`ORDER` AS X", Column(path=("choice", "<com.acme.Order>"), type="record"), "choice.<com.acme.Order>"),
    ],
)
def test_branch_of_a_union_is_its_field(items, there, expected) -> None:
    """ksqlDB makes a structure of a union, a field for each branch."""
    reading = read(items, UNION, fields("choice", there) if there.path != ("choice",) else (there,))

    assert (flows(reading), reading.problems) == ([(expected, "X")], ())


def test_column_that_is_no_field_is_still_reported() -> None:
    """What looks like a oneof is one in Protobuf only, and only where its members are there."""
    wrong = read(
        "WHAT_0->ATEXT AS X",
        collection("S", *[(each.column.name, each.column.type, each.role) for each in ONEOF.columns]),
        fields("aText"),
    )
    lost = read("WHAT_0->ATEXT AS X", ONEOF, fields("id"))

    assert [[each.what for each in one.problems] for one in (wrong, lost)] == [
        ["WHAT_0.ATEXT of S is not a field of the topic s"]
    ] * 2
