"""What is read from single answers of ksqlDB, whole and broken."""

from __future__ import annotations

from typing import Any

import pytest
from drawn import examples
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.systems.ksqldb.reader import Entity, read_entities
from scanner_model.errors import PayloadUnexpected
from scanner_model.names import SourceId

KSQL = SourceId("ksqldb:http://ksql:8088")
STRING = {"type": "STRING", "fields": None, "memberSchema": None}


def field(name: str, schema: Any = STRING, **more: Any) -> dict[str, Any]:
    return {"name": name, "schema": schema, **more}


def source(**given: Any) -> dict[str, Any]:
    return {
        "name": "BILLS",
        "type": "STREAM",
        "topic": "billing.bills",
        "keyFormat": "KAFKA",
        "valueFormat": "avro",
        "windowType": None,
        "partitions": 6,
        "replication": 3,
        "statement": "CREATE STREAM BILLS …",
        "fields": [field("ID", type="KEY"), field("SUM")],
        "readQueries": [],
        "writeQueries": [],
    } | given


def described(*sources: Any, **more: Any) -> Entity:
    (entity,) = read_entities([{"@type": "source_descriptions", "sourceDescriptions": list(sources), **more}], KSQL)
    return entity


def columns(*fields: dict[str, Any], kind: str = "STREAM") -> list[tuple[str, str, str | None]]:
    (collection,) = described(source(fields=list(fields), type=kind)).collections
    return [
        (column.column.name, column.column.type, column.role.value if column.role else None)
        for column in collection.columns
    ]


def test_collection_is_read_whole() -> None:
    """Topic, formats, size and statement are what the dictionary stores of it."""
    (read,) = described(source(windowType="HOPPING")).collections

    assert (read.name, read.kind, read.topic, read.window) == ("BILLS", "STREAM", "billing.bills", "HOPPING")
    assert (read.key_format, read.value_format, read.partitions, read.replication) == ("KAFKA", "AVRO", 6, 3)
    assert read.statement == "CREATE STREAM BILLS …"


def test_nested_types_become_columns_with_marks() -> None:
    """A map's `memberSchema` is its value; parents come before children."""
    line = {"type": "STRUCT", "fields": [field("SKU"), field("a.b")], "memberSchema": None}
    lines = {"type": "ARRAY", "fields": None, "memberSchema": line}
    tags = {"type": "MAP", "fields": [], "memberSchema": {"type": "BIGINT"}}

    assert columns(field("LINES", lines), field("TAGS", tags)) == [
        ("LINES", "ARRAY", "value"),
        ("LINES.[]", "STRUCT", "value"),
        ("LINES.[].SKU", "STRING", "value"),
        ("LINES.[].`a.b`", "STRING", "value"),
        ("TAGS", "MAP", "value"),
        ("TAGS.{}", "BIGINT", "value"),
    ]


def test_headers_are_on_no_side_and_name_their_key() -> None:
    """A header is no part of key or value."""
    (read,) = described(source(fields=[field("H", {"type": "BYTES"}, type="HEADER", headerKey="trace")])).collections

    assert [(column.role, column.header, column.column.type) for column in read.columns] == [(None, "trace", "BYTES")]


def test_pseudo_columns_of_old_servers_are_left_out() -> None:
    """ROWTIME is the message's time stamp, in no schema."""
    assert columns(field("ROWTIME", type="SYSTEM"), field("A")) == [("A", "STRING", "value")]


@pytest.mark.parametrize(("kind", "nullable"), [("TABLE", [False, True]), ("STREAM", [True, True])])
def test_only_a_tables_key_is_never_null(kind, nullable) -> None:
    """A table row without its key cannot be; everything else in ksqlDB may be null."""
    (read,) = described(source(type=kind)).collections

    assert [column.column.nullable for column in read.columns] == nullable


def test_decimal_reports_precision_and_scale() -> None:
    """They are the part of the type that a consumer must know."""
    decimal = {"type": "DECIMAL", "parameters": {"precision": 9, "scale": 2}}
    (read,) = described(source(fields=[field("SUM", decimal), field("BARE", {"type": "DECIMAL"})])).collections

    assert [column.column.logical_type for column in read.columns] == ["decimal(9,2)", None]


def test_topic_that_does_not_exist_has_no_size_and_is_missing() -> None:
    """The server says 0 partitions: unknown is not none."""
    entity = described(source(partitions=0, replication=0))

    assert (entity.collections[0].partitions, entity.collections[0].replication) == (None, None)
    assert entity.missing == {"billing.bills"}


def test_warnings_are_passed_on_once() -> None:
    """The server repeats them for each statement; people read them once."""
    entity = described(source(), warnings=[{"message": "oops"}, {"message": "oops"}])

    assert [problem.what for problem in entity.problems] == ["ksqlDB warns: oops"]


@pytest.mark.parametrize(
    "broken",
    [
        source(name="BAD", topic=None),
        source(name="BAD", fields=None),
        source(name="BAD", fields=[{"name": "A"}]),
        source(name="BAD", fields=[{"schema": STRING}]),
        source(name="BAD", fields=[field("A", {"type": "ARRAY", "memberSchema": None})]),
        source(name="BAD", readQueries=[{"id": None}]),
    ],
)
def test_broken_collection_costs_only_itself(broken) -> None:
    """One odd entity must not hide the other hundred."""
    entity = described(broken, source())

    assert [collection.name for collection in entity.collections] == ["BILLS"]
    assert entity.unread == {"BAD"}
    assert len(entity.problems) == 1


def test_nesting_without_end_is_refused() -> None:
    """No answer may bring the reader down."""
    schema: dict[str, Any] = STRING
    for _ in range(150):
        schema = {"type": "ARRAY", "memberSchema": schema}

    assert described(source(fields=[field("A", schema)])).unread == {"BILLS"}


@pytest.mark.parametrize(
    ("entity", "part"),
    [
        ({"@type": "variables", "variables": []}, "'variables'"),
        ({"statementText": "e", "errorMessage": "no"}, "reports an error: no"),
        ("text", "no type"),
    ],
)
def test_other_entities_are_reported_and_left(entity, part) -> None:
    """A newer server may answer what we do not know yet."""
    (read,) = read_entities([entity], KSQL)

    assert (read.kind, read.collections) == ("", ())
    assert part in read.problems[0].what


def test_answer_that_is_no_array_is_unexpected() -> None:
    """Then it is not ksqlDB that answers."""
    with pytest.raises(PayloadUnexpected):
        read_entities({"message": "hello"}, KSQL)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["name", "topic", "fields", "schema", "type", "id", "queries", "sourceDescriptions", "warnings"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@examples(150)
@given(entities=st.lists(JSON, max_size=3))
def test_any_array_is_read_without_a_crash(entities) -> None:
    """Whatever stands at that URL, the scan goes on."""
    assert len(read_entities(entities, KSQL)) == len(entities)


@pytest.mark.parametrize(
    ("output", "hosts", "expected"),
    [
        ("RUNNING", {"a:1": "RUNNING"}, "RUNNING"),
        ("RUNNING", {"a:1": "PAUSED", "b:1": "PAUSED"}, "PAUSED"),
        ("RUNNING", {"a:1": "PAUSED", "b:1": "RUNNING"}, "RUNNING"),
        ("RUNNING", {"a:1": "UNRESPONSIVE"}, "RUNNING"),
        ("ERROR", {"a:1": "PAUSED"}, "ERROR"),
        ("RUNNING", None, "RUNNING"),
        (None, {"a:1": "RUNNING", "b:1": "ERROR"}, "ERROR"),
    ],
)
def test_query_that_every_host_paused_is_paused(output, hosts, expected) -> None:
    """The server's one word says RUNNING for the sake of older clients."""
    reported = {"id": "Q", "state": output, "ksqlHostQueryStatus": hosts, "queryType": "PERSISTENT"}
    (entity,) = read_entities([{"@type": "query_descriptions", "queryDescriptions": [reported]}], KSQL)

    assert [query.state for query in entity.queries] == [expected]


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ([{"timestamp": 9, "errorMessage": "old"}, {"timestamp": 2000, "errorMessage": "new"}], [("Q", "new", 2)]),
        ([{"errorMessage": "at jdbc:postgresql://u:hunter22@db/x"}], [("Q", "at jdbc:postgresql://db/x", None)]),
        ([{"timestamp": 10**30, "errorMessage": "late"}], [("Q", "late", None)]),
        ([{"timestamp": 1, "errorMessage": None}, 7], []),
        ([], []),
        ("no list", []),
        (None, []),
    ],
)
def test_newest_error_of_a_query_is_kept_without_secrets(errors, expected) -> None:
    """A monitor reports it with the end of the run."""
    reported = {"id": "Q", "queryErrors": errors}
    (entity,) = read_entities([{"@type": "query_descriptions", "queryDescriptions": [reported]}], KSQL)

    result = [(name, error.message, error.at and error.at.timestamp()) for name, error in entity.errors]
    assert result == expected
