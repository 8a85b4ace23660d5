"""What a ksqlDB statement and its columns say of the records of a topic."""

from __future__ import annotations

import pytest

from scanner_model.columns import Column
from scanner_model.names import Role, SourceId, TopicName
from scanner_model.streaming_sql import (
    CollectionColumn,
    KsqlSource,
    header_paths,
    record_columns,
    timestamp_column,
    whole_columns,
    with_options,
)

AUNS = (
    "CREATE STREAM AUNS (K STRING KEY, V STRUCT<A INTEGER, B STRUCT<C STRING>>) WITH (CLEANUP_POLICY='delete',"
    " KAFKA_TOPIC='auns', KEY_FORMAT='KAFKA', PARTITIONS=1, VALUE_FORMAT='AVRO', WRAP_SINGLE_VALUE=false);"
)
"""As ksqlDB 8.3.1 writes it."""


def column(path: str, type_: str, role: Role | None = Role.VALUE, header: str = "") -> CollectionColumn:
    return CollectionColumn(column=Column(path=tuple(path.split(".")), type=type_), role=role, header=header)


def collection(*columns: CollectionColumn, statement: str = "", **formats: str) -> KsqlSource:
    given = {"key_format": "JSON", "value_format": "JSON"} | formats
    return KsqlSource(
        source=SourceId("ksqldb:http://ksql"),
        name="S",
        kind="STREAM",
        topic=TopicName("s"),
        statement=statement,
        columns=columns,
        **given,
    )


@pytest.mark.parametrize(
    ("statement", "options"),
    [
        (AUNS, {"KAFKA_TOPIC": "auns", "WRAP_SINGLE_VALUE": "false", "PARTITIONS": "1"}),
        ("CREATE STREAM A WITH (VALUE_DELIMITER='it''s)') AS SELECT * FROM B;", {"VALUE_DELIMITER": "it's)"}),
        ("create stream a with(kafka_topic = 'x')", {"KAFKA_TOPIC": "x"}),
        ("CREATE STREAM A AS SELECT ' WITH (TIMESTAMP=1)' FROM B JOIN C WITHIN (1 DAY, 2 DAYS) ON X = Y;", {}),
        ("CREATE STREAM A (`WITH (X=1)` INT);", {}),
        ("INSERT INTO A SELECT 'it''s' FROM B;", {}),
        ("'" * 2000, {}),
        ("", {}),
    ],
)
def test_options_are_those_of_the_with_clause(statement, options) -> None:
    """The same words in a text, or in a name, are none; any text is read in no time."""
    assert options.items() <= with_options(statement).items()
    assert bool(with_options(statement)) is bool(options)


@pytest.mark.parametrize(("output", "name"), [("PLACED", "PLACED"), ("placed", "PLACED"), ("`at`", "at"), ("", "")])
def test_timestamp_column_is_folded_as_other_names_are(output, name) -> None:
    """ksqlDB reads the option as a name of a column."""
    statement = f"CREATE STREAM A (X INT) WITH (KAFKA_TOPIC='a', TIMESTAMP='{output}');"

    assert timestamp_column(with_options(statement)) == name


def test_single_key_column_that_is_a_structure_is_the_whole_key() -> None:
    """8.3.1 writes the key `{"A":1,"B":"x"}` for `K STRUCT<A INT, B VARCHAR> KEY`: K is no step in it."""
    columns = column("K", "STRUCT", Role.KEY), column("K.A", "INTEGER", Role.KEY), column("V", "STRING")

    assert [record_column.name for record_column in record_columns(collection(*columns), Role.KEY)] == ["A"]
    assert [
        record_column.name for record_column in record_columns(collection(*columns, key_format="PROTOBUF"), Role.KEY)
    ] == ["K", "K.A"]


def test_several_key_columns_are_fields_and_a_plain_one_keeps_its_name() -> None:
    """Two key columns are written as a structure; of a plain key the name is all that describes it."""
    collection_column, two = column("K1", "INTEGER", Role.KEY), column("K2", "STRING", Role.KEY)

    assert whole_columns(collection(collection_column, two)) == {}
    assert [record_column.name for record_column in record_columns(collection(collection_column), Role.KEY)] == ["K1"]


def test_value_that_is_not_wrapped_is_its_only_column() -> None:
    """8.3.1 registers `"int"`, an array, or the structure itself for `WRAP_SINGLE_VALUE=false`."""
    array = column("V", "ARRAY"), column("V.[]", "STRUCT"), column("V.[].A", "INTEGER")
    structure = column("V", "STRUCT"), column("V.B", "STRUCT"), column("V.B.C", "STRING")
    unwrapped = [
        collection(*collection_columns, statement=AUNS)
        for collection_columns in (array, structure, (column("V", "INTEGER"),))
    ]

    assert [
        [record_column.name for record_column in record_columns(ksql_source, Role.VALUE)] for ksql_source in unwrapped
    ] == [
        ["", "[]", "[].A"],
        ["B", "B.C"],
        [""],
    ]
    assert [record_column.name for record_column in record_columns(collection(*array), Role.VALUE)] == [
        "V",
        "V.[]",
        "V.[].A",
    ]


def test_header_columns_have_a_place_beside_the_fields() -> None:
    """They are neither key nor value of a record."""
    columns = column("H", "ARRAY", None), column("H.[]", "STRUCT", None), column("T", "BYTES", None, "trace.id")

    assert header_paths(collection(*columns)) == {"H": ("$headers",), "T": ("$headers", "trace.id")}
