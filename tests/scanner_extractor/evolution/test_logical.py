"""What the policy LOGICAL adds: the rules of Flink and Iceberg, engine by engine."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.evolution import Rules, SchemaText, differences, invalidities, logical

LOGICAL = Rules(logical=True)


def field(name: str, type: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": type, **more}


def record(*fields: dict[str, Any], name: str = "R") -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": list(fields)}


def text(schema: Any) -> SchemaText:
    return SchemaText(json.dumps(schema))


def added(reader: Any, writer: Any) -> set[tuple[str, str, str]]:
    """Return what LOGICAL adds to Avro's own rules: path, rule, and the engines."""
    return of_format("AVRO", text(reader), text(writer))


def of_format(format: str, reader: SchemaText, writer: SchemaText) -> set[tuple[str, str, str]]:
    native = set(differences(format, reader, writer))
    found = set(differences(format, reader, writer, LOGICAL)) - native
    return {(".".join(item.path), item.rule, item.why.rpartition("(")[2].rstrip(")")) for item in found}


A = field("a", "int")
DECIMAL = {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}
MILLIS, MICROS = ({"type": "long", "logicalType": f"timestamp-{unit}"} for unit in ("millis", "micros"))
LOCAL = {"type": "long", "logicalType": "local-timestamp-millis"}
UP_TO_4, UP_TO_9 = ({"type": "string", "flink.maxLength": length} for length in (4, 9))
BAG = {"type": "map", "values": "int", "flink.type": "multiset"}
INNER = record(field("x", "string"), name="Inner")
BOTH = "Flink and Iceberg"


def entries(key: str) -> dict[str, Any]:
    """Return a map as Kafka Connect writes one whose keys are not texts."""
    entry = record(field("key", key), field("value", "string"), name="MapEntry")
    return {"type": "array", "items": entry | {"namespace": "io.confluent.connect.avro"}}


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
        ([field("a", UP_TO_4)], [field("a", UP_TO_9)], set()),
        ([field("a", UP_TO_9)], [field("a", UP_TO_4)], {("a", "UNSUPPORTED_TYPE_CHANGE", "Flink")}),
        ([field("a", "string")], [field("a", UP_TO_9)], {("a", "UNSUPPORTED_TYPE_CHANGE", "Flink")}),
        ([field("a", UP_TO_4 | {"flink.minLength": 4})], [field("a", UP_TO_9)], set()),
        ([field("a", UP_TO_4)], [field("a", UP_TO_4 | {"flink.minLength": 4})],
         {("a", "UNSUPPORTED_TYPE_CHANGE", "Flink")}),
        ([field("a", BAG)], [field("a", {"type": "map", "values": "int"})], {("a", "TYPE_MISMATCH", "Flink")}),
        ([field("a", entries("int"))], [field("a", entries("long"))], {("a", "MAP_KEY_TYPE_MISMATCH", "Iceberg")}),
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
        ({"type": "int", "connect.type": "int32"}, "NOT_LOGICAL"),
        ({"type": "long", "logicalType": "timestamp-millis", "flink.precision": 6}, "NOT_LOGICAL"),
        ({"type": "map", "values": "long", "flink.type": "multiset"}, "NOT_LOGICAL"),
        ({"type": "string", "flink.minLength": 0, "flink.maxLength": 0}, "LENGTH_OUT_OF_RANGE"),
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
        {"type": "string", "flink.maxLength": "long"},
        {"type": "map", "values": "int", "logical.key.length": 4},
        {"type": "array", "logicalType": "map", "items": record(field("key", "int"), name="Entry")},
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


def proto(body: str, syntax: str = "proto3") -> SchemaText:
    imports = "".join(f'import "google/protobuf/{name}.proto"; ' for name in ("timestamp", "wrappers", "struct"))
    return SchemaText(f'syntax = "{syntax}"; {imports} message Order {{ {body} }}')


def params(**values: str) -> str:
    """Return field options as Confluent writes them; `_` stands for a dot."""
    listed = ", ".join(f'{{key: "{key.replace("_", ".")}", value: "{value}"}}' for key, value in values.items())
    return f"[(confluent.field_meta) = {{params: [{listed}]}}]"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("", "repeated string tags = 2;", set()),
        ("", "map<string, int64> counts = 2;", set()),
        ("", "optional int32 n = 2;", set()),
        ("", "google.protobuf.Int32Value n = 2;", set()),
        ("", "int32 n = 2;", {("n", "REQUIRED_FIELD_ADDED", "Flink"), ("n", "REQUIRED_FIELD_ADDED", "Iceberg")}),
        ("", "oneof kind { string card = 2; int32 cash = 3; }", set()),
        ("oneof kind { string card = 2; }", "oneof kind { string card = 2; int32 cash = 3; }", set()),
        ("int32 n = 2;", "", {("n", "FIELD_DELETED", "Iceberg")}),
        ("optional int32 n = 2;", "int32 n = 2;", {("n", "NULLABLE_TO_NON_NULLABLE", BOTH)}),
        ("int32 n = 2;", "int64 n = 2;", set()),
        ("int32 n = 2;", "uint32 n = 2;", set()),
        ("int64 n = 2;", "int32 n = 2;", {("n", "UNSUPPORTED_TYPE_CHANGE", BOTH)}),
        ("repeated int64 n = 2;", "repeated int32 n = 2;", {("n.[]", "UNSUPPORTED_TYPE_CHANGE", BOTH)}),
        ("map<int32, string> n = 2;", "map<int64, string> n = 2;", {("n", "MAP_KEY_TYPE_MISMATCH", "Iceberg")}),
        (f"string n = 2 {params(flink_maxLength='9')};", f"string n = 2 {params(flink_maxLength='4')};",
         {("n", "UNSUPPORTED_TYPE_CHANGE", "Flink")}),
        (f"int32 n = 2 {params(connect_type='int8')};", "int32 n = 2;", set()),
        ("repeated PairEntry n = 2; message PairEntry { string key = 1; int32 value = 2; }",
         "map<string, int32> n = 2;", set()),
        ("oneof kind { string card = 2; int64 cash = 3; }", "oneof kind { string card = 2; int32 cash = 3; }",
         {("cash", "UNSUPPORTED_TYPE_CHANGE", BOTH)}),
    ],
)  # fmt: skip
def test_rules_for_protobuf(before: str, after: str, expected: set[tuple[str, str, str]]) -> None:
    """What a field without a value reads as is no default, but for lists and maps."""
    found = of_format("PROTOBUF", proto(f"int64 id = 1; {after}"), proto(f"int64 id = 1; {before}"))

    assert found == expected


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("google.protobuf.Timestamp at = 1;", "UNREPRESENTABLE_TYPE"),
        (f"google.protobuf.Timestamp at = 1 {params(flink_precision='10')};", "NOT_LOGICAL"),
        ("string a = 1; string A = 2;", "FIELD_NAME_CASE_COLLISION"),
        ("optional Order parent = 1;", "CYCLIC_TYPE"),
        ("google.protobuf.Struct any = 1;", "NOT_LOGICAL"),
        ("string a = 1; } message Other { google.protobuf.Struct any = 1;", "NOT_LOGICAL"),
        ("", "EMPTY_STRUCT"),
        (f"string a = 1 {params(flink_wrapped='true')};", "NOT_DECIDED"),
        ("Elsewhere a = 1;", "NOT_DECIDED"),
    ],
)
def test_protobuf_that_no_table_has(body: str, rule: str) -> None:
    """All messages of a file are converted, and those that the first one uses are compared."""
    assert [found.rule for found in invalidities("PROTOBUF", proto(body), LOGICAL)] == [rule]
    millis = f"google.protobuf.Timestamp at = 1 {params(flink_precision='3')};"
    assert invalidities("PROTOBUF", proto(millis), LOGICAL) == ()


def test_an_edition_of_protobuf_is_undecided() -> None:
    """Its presence is a feature, which the registry reads in another way."""
    text = SchemaText('edition = "2023"; message Order { int64 id = 1; }')

    assert [found.certain for found in invalidities("PROTOBUF", text, LOGICAL)] == [False]


def test_fields_of_proto2_may_be_null() -> None:
    """Only a required scalar is not."""
    old, new = (
        proto(f"required int64 id = 1; {more}", "proto2") for more in ("", "optional int32 n = 2 [default = 3];")
    )

    assert differences("PROTOBUF", new, old, LOGICAL) == ()


def document(properties: dict[str, Any], *required: str, **more: Any) -> SchemaText:
    return text({"type": "object", "properties": properties, "required": list(required), **more})


INTEGER, NUMBER, STRING = ({"type": type} for type in ("integer", "number", "string"))
INT32 = INTEGER | {"connect.type": "int32"}
DATE = INT32 | {"title": "org.apache.kafka.connect.data.Date"}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({}, {"z": INTEGER}, set()),
        ({"z": INTEGER}, {}, {("z", "FIELD_DELETED", "Iceberg")}),
        ({}, {"b": INTEGER}, set()),
        ({"z": INT32}, {"z": INTEGER}, set()),
        ({"z": INTEGER}, {"z": NUMBER}, {("z", "UNSUPPORTED_TYPE_CHANGE", BOTH)}),
        ({"z": INTEGER | {"enum": [1]}}, {"z": NUMBER}, {("z", "UNSUPPORTED_TYPE_CHANGE", BOTH)}),
        ({"z": DATE}, {"z": INT32}, {("z", "UNSUPPORTED_TYPE_CHANGE", BOTH)}),
        ({"z": {"type": ["string", "null"]}}, {"z": STRING}, set()),
        ({"z": {"enum": ["A"]}}, {"z": STRING}, set()),
        ({"z": STRING | {"minLength": 4, "maxLength": 4}}, {"z": STRING | {"maxLength": 9}}, set()),
        ({"z": {"type": "array", "items": INT32}}, {"z": {"type": "array", "items": NUMBER}},
         {("z.[]", "UNSUPPORTED_TYPE_CHANGE", "Iceberg")}),
        ({"z": {"$ref": "#/definitions/Amount"}}, {"z": INTEGER}, {("z", "UNSUPPORTED_TYPE_CHANGE", BOTH)}),
        ({"z": {"oneOf": [STRING, INTEGER]}}, {"z": {"oneOf": [STRING, INTEGER | {"title": "count"}]}},
         {("z", "FIELD_DELETED", "Iceberg")}),
        ({"b": STRING | {"connect.index": 2}, "c": STRING | {"connect.index": 1}}, {"b": STRING, "c": STRING},
         {("b", "FIELD_REORDERED", "Iceberg"), ("c", "FIELD_REORDERED", "Iceberg")}),
    ],
)  # fmt: skip
def test_rules_for_json_schema(before: Any, after: Any, expected: set[tuple[str, str, str]]) -> None:
    """Columns are in the order of Connect's index, then of their names; what is not required may be null."""
    definitions = {"Amount": NUMBER}
    new, old = (document({"a": STRING} | fields, "a", definitions=definitions) for fields in (after, before))
    found = set(logical.differences("JSON", new, old))

    assert {(".".join(d.path), d.rule, d.why.rpartition("(")[2].rstrip(")")) for d in found} == expected


def test_a_required_property_has_a_column_that_is_not_null() -> None:
    """A default helps Flink only, and one of another type nobody."""
    old = document({"a": STRING}, "a")
    rules = [
        {(d.path, d.why.rpartition("(")[2]) for d in logical.differences("JSON", document(fields, *fields), old)}
        for fields in ({"a": STRING, "b": INTEGER | {"default": default}} for default in (1, "1"))
    ]

    assert rules == [{(("b",), "Iceberg)")}, {(("b",), "Flink)"), (("b",), "Iceberg)")}]


@pytest.mark.parametrize(
    ("schema", "rule"),
    [
        (STRING | {"minLength": 0, "maxLength": 0}, "LENGTH_OUT_OF_RANGE"),
        ({}, "UNREPRESENTABLE_TYPE"),
        ({"type": "object"}, "EMPTY_STRUCT"),
        ({"const": "A"}, "NOT_LOGICAL"),
        ({"type": "null"}, "NOT_LOGICAL"),
        ({"type": "array"}, "NOT_LOGICAL"),
        ({"enum": ["A", None]}, "NOT_LOGICAL"),
        ({"enum": ["two words"]}, "NOT_LOGICAL"),
        ({"type": "boolean", "enum": [True]}, "NOT_LOGICAL"),
        ({"allOf": [STRING, {"not": {"enum": ["A"]}}]}, "NOT_LOGICAL"),
        ({"allOf": [{"type": "object"}, {"$ref": "#/definitions/Amounts"}]}, "NOT_LOGICAL"),
        ({"type": "object", "connect.type": "map"}, "NOT_LOGICAL"),
        ({"oneOf": [STRING | {"title": "x"}, INTEGER | {"title": "x"}]}, "NOT_LOGICAL"),
        ({"$ref": "#"}, "CYCLIC_TYPE"),
        ({"$ref": "#/definitions/Amount", "title": "total"}, "NOT_DECIDED"),
        ({"$ref": "other.json"}, "NOT_DECIDED"),
        ({"oneOf": [STRING, INTEGER], "confluent:union": [{"name": "x"}]}, "NOT_DECIDED"),
        (INTEGER | {"connect.index": "1"}, "NOT_DECIDED"),
    ],
)
def test_json_schemas_that_no_table_has(schema: Any, rule: str) -> None:
    """Rejected wherever they are, too; what is not interpreted is neither accepted nor rejected."""
    definitions = {"Amount": NUMBER, "Amounts": {"type": "array", "items": NUMBER}}
    found = invalidities("JSON", document({"a": STRING, "b": schema}, definitions=definitions), LOGICAL)

    assert [difference.rule for difference in found] == [rule]


def test_a_new_draft_of_json_schema_is_undecided() -> None:
    """The registry reads it with another library."""
    schema = document({"a": STRING}, **{"$schema": "https://json-schema.org/draft/2020-12/schema"})

    assert [found.certain for found in invalidities("JSON", schema, LOGICAL)] == [False]


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


_FIELDS = st.lists(
    st.sampled_from(
        [
            "int32",
            "uint32",
            "double",
            "string",
            "bytes",
            "repeated int64",
            "map<string, bool>",
            "google.protobuf.BoolValue",
        ]
    ),
    min_size=1,
    max_size=5,
)


@given(types=_FIELDS, syntax=st.sampled_from(["proto2", "proto3"]))
def test_protobuf_reads_itself_and_an_optional_field_more(types: list[str], syntax: str) -> None:
    """Whatever the first message has."""
    label = "optional " if syntax == "proto2" else ""
    fields = " ".join(
        f"{'' if type.startswith(('repeated', 'map')) else label}{type} f{number} = {number};"
        for number, type in enumerate(types, 1)
    )
    old, new = proto(fields, syntax), proto(f"{fields} optional string more = 99;", syntax)

    assert invalidities("PROTOBUF", new, LOGICAL) == ()
    assert differences("PROTOBUF", new, old, LOGICAL) == ()
    assert differences("PROTOBUF", old, new, LOGICAL) != ()


_DOCUMENTS = st.recursive(
    st.sampled_from([INTEGER, NUMBER, STRING, INT32, DATE, {"enum": ["A"]}, {"type": ["string", "null"]}]),
    lambda inner: (
        inner.map(lambda item: {"type": "array", "items": item})
        | inner.map(lambda item: {"type": "object", "properties": {"x": item}})
        | inner.map(lambda item: {"type": "object", "connect.type": "map", "additionalProperties": item})
        | inner.map(lambda item: {"oneOf": [{"type": "null"}, item]})
    ),
    max_leaves=3,
)


@given(types=st.lists(_DOCUMENTS, min_size=1, max_size=4))
def test_json_schema_reads_itself_and_an_optional_property_more(types: list[Any]) -> None:
    """Whatever its properties are."""
    fields = {f"f{number}": type for number, type in enumerate(types)}
    old, new = document(fields), document(fields | {"more": STRING})

    assert invalidities("JSON", new, LOGICAL) == ()
    assert logical.differences("JSON", new, old) == logical.differences("JSON", old, old) == ()
    assert logical.differences("JSON", old, new) != ()
