"""What the policy LOGICAL adds for Avro: the rules of Flink and Iceberg, engine by engine."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.evolution import Rules, SchemaText, differences, invalidities

LOGICAL = Rules(logical=True)


def field(name: str, type: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": type, **more}


def record(*fields: dict[str, Any], name: str = "R") -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": list(fields)}


def text(schema: Any) -> SchemaText:
    return SchemaText(json.dumps(schema))


def added(reader: Any, writer: Any) -> set[tuple[str, str, str]]:
    """Return what LOGICAL adds to Avro's own rules: path, rule, and the engines."""
    native = set(differences("AVRO", text(reader), text(writer)))
    found = set(differences("AVRO", text(reader), text(writer), LOGICAL)) - native
    return {(".".join(item.path), item.rule, item.why.rpartition("(")[2].rstrip(")")) for item in found}


A = field("a", "int")
DECIMAL = {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}
MILLIS, MICROS = ({"type": "long", "logicalType": f"timestamp-{unit}"} for unit in ("millis", "micros"))
LOCAL = {"type": "long", "logicalType": "local-timestamp-millis"}
INNER = record(field("x", "string"), name="Inner")
BOTH = "Flink and Iceberg"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([A, field("b", "int")], [A], {("b", "FIELD_DELETED", "Iceberg")}),
        ([A], [A, field("b", "int", default=0)], {("b", "REQUIRED_FIELD_ADDED", "Iceberg")}),
        ([A], [A, field("b", ["null", "int"], default=None)], set()),
        ([A], [A, field("b", {"type": "array", "items": "int"}, default=[])], set()),
        ([A], [A, field("b", INNER, default={"x": ""})], {("b", "REQUIRED_FIELD_ADDED", "Iceberg")}),
        ([A, field("b", "int")], [field("b", "int"), A], {("a", "FIELD_REORDERED", "Iceberg")}),
        ([field("a", ["null", "int"])], [field("a", "int")], set()),
        ([field("a", "int", default=1)], [field("a", "int")], {("a", "NON_NULLABLE_DEFAULT_REMOVED", "Flink")}),
        ([field("a", "int")], [field("a", "long")], set()),
        ([field("a", "int")], [field("a", "double")], {("a", "UNSUPPORTED_TYPE_CHANGE", "Iceberg")}),
        ([field("a", "long")], [field("a", "double")], {("a", "UNSUPPORTED_TYPE_CHANGE", BOTH)}),
        ([field("a", "string")], [field("a", "bytes")], {("a", "UNSUPPORTED_TYPE_CHANGE", BOTH)}),
        ([field("a", MILLIS)], [field("a", MICROS)], {("a", "UNSUPPORTED_TYPE_CHANGE", "Flink")}),
        ([field("a", MILLIS)], [field("a", LOCAL)], {("a", "UNSUPPORTED_TYPE_CHANGE", BOTH)}),
        ([field("a", DECIMAL)], [field("a", DECIMAL | {"precision": 12})], set()),
        ([field("a", DECIMAL)], [field("a", DECIMAL | {"scale": 3})], {("a", "UNSUPPORTED_TYPE_CHANGE", BOTH)}),
        ([field("a", DECIMAL)], [field("a", "bytes")], {("a", "UNSUPPORTED_TYPE_CHANGE", BOTH)}),
        ([field("a", INNER)], [field("a", record(field("x", "string", aliases=["y"]), name="Inner"))], set()),
        ([field("a", "int")], [field("b", "int", aliases=["a"])],
         {("a", "FIELD_DELETED", "Iceberg"), ("b", "REQUIRED_FIELD_ADDED", "Flink"),
          ("b", "REQUIRED_FIELD_ADDED", "Iceberg")}),
        ([field("a", ["int", "string"])], [field("a", ["int", "string", "double"])], set()),
        ([field("a", "int")], [field("a", ["int", "string"])], {("a", "TYPE_MISMATCH", BOTH)}),
        ([field("a", {"type": "map", "values": ["null", "int"]})],
         [field("a", {"type": "map", "values": ["null", "long"]})],
         set()),
        ([field("a", {"type": "array", "items": "int"})], [field("a", {"type": "array", "items": "double"})],
         {("a.[]", "UNSUPPORTED_TYPE_CHANGE", "Iceberg")}),
        ([field("a", {"type": "enum", "name": "E", "symbols": ["X"]})],
         [field("a", {"type": "enum", "name": "E", "symbols": ["X", "Y"]})], set()),
    ],
)  # fmt: skip
def test_rules_of_flink_and_iceberg(before: list[Any], after: list[Any], expected: set[tuple[str, str, str]]) -> None:
    """Each engine by its own: Flink reads an int as a double, and Iceberg does not."""
    assert added(record(*after), record(*before)) == expected


@pytest.mark.parametrize(
    ("type", "rule"),
    [
        (record(name="Empty"), "EMPTY_STRUCT"),
        (record(field("x", "int"), field("X", "int"), name="Cases"), "FIELD_NAME_CASE_COLLISION"),
        (record(field("next", ["null", "Node"], default=None), name="Node"), "CYCLIC_TYPE"),
        (DECIMAL | {"precision": 39}, "PRECISION_OUT_OF_RANGE"),
        (DECIMAL | {"scale": 11}, "SCALE_OUT_OF_RANGE"),
        ({"type": "fixed", "name": "F", "size": 0}, "LENGTH_OUT_OF_RANGE"),
        ({"type": "long", "logicalType": "timestamp-nanos"}, "UNREPRESENTABLE_TYPE"),
        ("null", "NOT_LOGICAL"),
        (["null"], "EMPTY_STRUCT"),
    ],
)
def test_schemas_that_no_table_has(type: Any, rule: str) -> None:
    """Rejected at the first registration, too, in whatever field."""
    (difference,) = invalidities("AVRO", text(record(A, field("b", {"type": "array", "items": type}))), LOGICAL)

    assert (difference.rule, difference.certain) == (rule, True)
    assert invalidities("AVRO", text(record(A)), LOGICAL) == ()
    assert invalidities("AVRO", text(type), Rules()) == ()


@pytest.mark.parametrize(
    "type",
    [
        {"type": "string", "flink.maxLength": 9},
        {"type": "map", "values": "int", "flink.type": "multiset"},
        {"type": "int", "connect.type": "int32"},
        {"type": "array", "items": record(field("key", "int"), name="io.confluent.connect.avro.MapEntry")},
        record(field("metadata", "bytes"), field("value", "bytes"), name="confluent.type.Variant"),
        "Elsewhere",
    ],
)  # fmt: skip
def test_what_is_not_interpreted_is_undecided(type: Any) -> None:
    """Neither accepted nor rejected."""
    schema = record(A, field("b", type))

    assert [difference.certain for difference in invalidities("AVRO", text(schema), LOGICAL)] == [False]
    assert not all(difference.certain for difference in differences("AVRO", text(schema), text(record(A)), LOGICAL))


def test_a_type_that_references_define_is_compared() -> None:
    """The text behind a reference counts as if it stood in the schema."""
    outer = json.dumps(record(field("a", "Inner")))
    old, new = (
        SchemaText(outer, {"Inner": json.dumps(record(field("x", type), name="Inner"))}) for type in ("int", "double")
    )

    assert [d.path for d in differences("AVRO", new, old, LOGICAL)] == [("a", "x")]


_TYPES = st.recursive(
    st.sampled_from(["int", "long", "float", "double", "string", "bytes", "boolean", DECIMAL, MILLIS, MICROS]),
    lambda inner: (
        inner.map(lambda item: {"type": "array", "items": item})
        | inner.map(lambda item: {"type": "map", "values": item})
        | inner.map(lambda item: ["null", item] if not isinstance(item, list) else item)
    ),
    max_leaves=3,
)


@given(types=st.lists(_TYPES, min_size=1, max_size=4))
def test_a_schema_reads_itself_and_a_nullable_column_more(types: list[Any]) -> None:
    """Under every level and by both engines."""
    fields = [field(f"f{number}", type) for number, type in enumerate(types)]
    more = record(*fields, field("more", ["null", "string"], default=None))

    assert invalidities("AVRO", text(more), LOGICAL) == ()
    assert differences("AVRO", text(record(*fields)), text(record(*fields)), LOGICAL) == ()
    assert differences("AVRO", text(more), text(record(*fields)), LOGICAL) == ()
