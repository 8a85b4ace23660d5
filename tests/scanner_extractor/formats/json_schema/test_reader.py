"""What is read from JSON Schemas: places, types, nullability, words of people and of Kafka Connect."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable

import pytest

from scanner_extractor.formats.json_schema.reader import json_schema_fields
from scanner_model.columns import Column, ParsedSchema


def read(schema: object) -> ParsedSchema:
    return json_schema_fields(json.dumps(schema), lambda _name: None, None)


def single(schema: object, *, required: bool = True) -> Column:
    """Read an object with the one property `f`, and give that property's column."""
    return read({"properties": {"f": schema}, "required": ["f"] if required else []}).columns[0]


def shown(schema: object) -> list[str]:
    """Show the columns as `name type`, with `?` behind what may be null or absent."""
    return [f"{column.name} {column.type}{'?' * column.nullable}" for column in read(schema).columns]


class TestPlaces:
    def test_parents_stand_before_their_children_in_document_order(self) -> None:
        """The order of the document is the order that people know."""
        inner = {"type": "object", "properties": {"z": {"type": "string"}, "y": {"type": "integer"}}}

        columns = shown({"properties": {"b": inner, "a": {"type": "array", "items": {"type": "boolean"}}}})

        assert columns == ["b object?", "b.z string?", "b.y integer?", "a array?", "a.[] boolean"]

    def test_object_at_the_root_has_no_column_of_its_own(self) -> None:
        """The message itself is no column of the message."""
        assert shown({"type": "object", "properties": {}}) == []

    def test_root_that_is_no_object_is_the_root_column(self) -> None:
        """A key is often a plain value."""
        assert shown({"type": "array", "items": {"type": "integer"}}) == [" array", "[] integer"]

    def test_root_true_is_any_value(self) -> None:
        """`true` is a schema, and everything matches it."""
        assert shown(True) == [" any?"]

    def test_object_of_unlisted_names_is_a_map(self) -> None:
        """What its names are is data, so they cannot be columns."""
        assert shown({"additionalProperties": {"type": "integer"}}) == [" map", "{} integer"]

    def test_object_with_listed_and_unlisted_names_has_both(self) -> None:
        """A map beside known properties must not hide them, nor they it."""
        schema = {"properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "integer"}}

        assert shown(schema) == ["a string?", "{} integer"]

    def test_what_nothing_else_evaluates_is_described_too(self) -> None:
        """Since 2019-09, `unevaluatedProperties` and `unevaluatedItems` say it of all that a schema is made of."""
        schema = {
            "allOf": [{"properties": {"a": {"type": "string"}}}],
            "properties": {"l": {"prefixItems": [{"type": "string"}], "unevaluatedItems": {"type": "integer"}}},
            "unevaluatedProperties": {"type": "integer"},
        }

        assert shown(schema) == ["l array?", "l.[0] string", "l.[] integer", "a string?", "{} integer"]

    @pytest.mark.parametrize("rest", [True, False])
    def test_rest_that_is_only_allowed_or_not_is_no_column(self, rest: bool) -> None:
        """`additionalProperties: true` says nothing that is not the default."""
        assert shown({"properties": {"a": {"type": "string"}}, "additionalProperties": rest}) == ["a string?"]

    def test_patterns_that_differ_are_a_union_at_the_value(self) -> None:
        """A pattern is no name; what it allows stands where a map's values stand."""
        columns = read({"patternProperties": {"^i": {"type": "integer"}, "^s": {"type": "string"}}}).columns

        assert (columns[1].name, columns[1].type, columns[1].branches) == ("{}", "union", ("integer", "string"))

    def test_two_patterns_with_objects_stay_apart(self) -> None:
        """Values of the one never have the other's properties."""
        patterns = {"^a": {"properties": {"x": {"type": "string"}}}, "^b": {"properties": {"y": {"type": "string"}}}}

        assert [column.name for column in read({"patternProperties": patterns}).columns] == [
            "",
            "{}",
            "{}.<object>",
            "{}.<object>.x",
            "{}.<object 2>",
            "{}.<object 2>.y",
        ]

    @pytest.mark.parametrize(
        "schema",
        [
            {"items": [{"type": "string"}, {"type": "integer"}], "additionalItems": {"type": "boolean"}},
            {"prefixItems": [{"type": "string"}, {"type": "integer"}], "items": {"type": "boolean"}},
        ],
        ids=["until 2019-09", "2020-12"],
    )
    def test_tuple_places_are_numbered_and_the_rest_follows(self, schema: object) -> None:
        """Both ways to write a tuple are read whatever draft is named, because generators leave the draft unsaid."""
        assert shown(schema) == [" array", "[0] string", "[1] integer", "[] boolean"]

    def test_array_of_which_nothing_is_reported_has_no_element(self) -> None:
        """There is nothing to say of what is not described; `items: {}` describes it as anything."""
        assert shown({"type": "array"}) == [" array"]
        assert shown({"type": "array", "items": True}) == [" array", "[] any?"]

    def test_property_that_cannot_occur_is_left_out(self) -> None:
        """`false` matches nothing, so no message has such a column; that is no problem."""
        parsed = read({"properties": {"gone": False, "here": {"type": "string"}, "too": {"allOf": [False]}}})

        assert [column.name for column in parsed.columns] == ["here"]
        assert parsed.problems == ()

    def test_property_named_like_a_mark_or_with_a_dot_stays_one_name(self) -> None:
        """Names are opaque: any text names a property."""
        parsed = read({"properties": {"[]": {}, "a.b": {}, "$ref": {}, "": {}}})

        assert [column.path for column in parsed.columns] == [("`[]`",), ("a.b",), ("$ref",), ("",)]


class TestNullability:
    @pytest.mark.parametrize(
        "schema",
        [
            {"type": ["null", "string"]},
            {"type": "string", "nullable": True},
            {"enum": ["a", None]},
            {"const": None},
            {"oneOf": [{"type": "null"}, {"type": "string"}]},
            {"anyOf": [{"type": "string"}, {"anyOf": [{"type": "null"}, {"type": "integer"}]}]},
            {"allOf": [{"type": ["string", "null"]}, {"minLength": 3}]},
            {},
        ],
    )
    def test_required_property_that_allows_null_is_nullable(self, schema: object) -> None:
        """Null is written in many ways."""
        assert single(schema).nullable

    @pytest.mark.parametrize(
        "schema",
        [
            {"type": "string"},
            {"properties": {}},
            {"enum": ["a"]},
            {"type": "string", "enum": ["a", None]},
            {"type": "string", "oneOf": [{"type": "null"}, {"minLength": 3}]},
            {"allOf": [{"type": ["string", "null"]}, {"type": "string"}]},
        ],
    )
    def test_required_property_that_does_not_is_not(self, schema: object) -> None:
        """Everything that applies must allow null; an `enum` cannot widen its `type`."""
        assert not single(schema).nullable

    def test_required_of_the_own_object_counts(self) -> None:
        """`id` is required in the inner object only."""
        inner = {"properties": {"id": {"type": "string"}}, "required": ["id"]}

        assert shown({"properties": {"id": {"type": "string"}, "in": inner}, "required": ["in"]}) == [
            "id string?",
            "in object",
            "in.id string",
        ]

    def test_element_and_value_are_nullable_by_their_own_type_only(self) -> None:
        """An array that may be absent has no element that is null."""
        array = {"type": "array", "items": {"additionalProperties": {"type": "string"}}}
        nulls = {"type": ["array", "null"], "items": {"type": ["string", "null"]}}

        columns = shown({"properties": {"must": array, "may": array, "nulls": nulls}, "required": ["must"]})

        assert columns == [
            "must array",
            "must.[] map",
            "must.[].{} string",
            "may array?",
            "may.[] map",
            "may.[].{} string",
            "nulls array?",
            "nulls.[] string?",
        ]


class TestTypes:
    @pytest.mark.parametrize(
        ("schema", "word"),
        [
            ({"type": "number"}, "number"),
            ({"required": ["a"]}, "object"),
            ({"uniqueItems": True}, "array"),
            ({"pattern": "a"}, "string"),
            ({"format": "date-time"}, "string"),
            ({"format": "int64"}, "integer"),
            ({"format": "double"}, "number"),
            ({"maximum": 3}, "number"),
            ({"const": 1}, "integer"),
            ({"const": True}, "boolean"),
            ({"const": 1.5}, "number"),
            ({"const": [1]}, "array"),
            ({"const": {}}, "object"),
            ({"const": None}, "null"),
            ({"type": ["integer"]}, "integer"),
            ({"type": "number", "enum": [1, 2]}, "number"),
            ({"type": ["string", "integer"], "enum": ["a"]}, "string"),
            ({"type": "int"}, "int"),
            ({"type": ""}, "any"),
            ({"type": ["", "integer"]}, "integer"),
            ({"description": "whatever"}, "any"),
        ],
    )
    def test_type_is_stated_or_follows_from_the_other_keywords(self, schema: object, word: str) -> None:
        """Many schemas leave `type` out; a word that is not JSON Schema's is kept as it was written."""
        assert single(schema).type == word

    @pytest.mark.parametrize(
        "schema", [{"type": ["string", "null", "integer"]}, {"enum": ["a", 1, "b", None]}], ids=["type", "enum"]
    )
    def test_several_plain_types_are_a_union_without_columns(self, schema: object) -> None:
        """Null is no branch."""
        column = single(schema)

        assert (column.type, column.branches, column.nullable) == ("union", ("string", "integer"), True)

    def test_integer_beside_number_adds_no_branch_to_what_is_inside(self) -> None:
        """Every integer is a number, so that the two overlap."""
        schema = {"type": ["number", "integer", "object"], "properties": {"a": {"type": "string"}}}

        assert shown(schema) == [
            " union",
            "<number> number?",
            "<integer> integer?",
            "<object> object?",
            "<object>.a string?",
        ]

    def test_several_types_of_which_one_has_columns_are_branches(self) -> None:
        """The properties belong to the object only."""
        schema = {"type": ["object", "string"], "properties": {"id": {"type": "integer"}}, "required": ["id"]}

        assert shown(schema) == [" union", "<object> object?", "<object>.id integer", "<string> string?"]

    @pytest.mark.parametrize(
        ("schema", "logical"),
        [
            ({"type": "string", "format": "uuid"}, "uuid"),
            ({"type": "integer", "connect.type": "int16"}, "int16"),
            ({"type": "string", "connect.type": "bytes"}, "bytes"),
            ({"type": "integer", "format": "int32", "connect.type": "int32"}, "int32"),
            ({"type": "array", "connect.type": "map"}, None),
            ({"type": "string", "title": "Name"}, None),
            ({"type": "integer", "title": "org.apache.kafka.connect.data.Date", "connect.type": "int32"}, "date"),
            ({"type": "integer", "title": "org.apache.kafka.connect.data.Time"}, "time-millis"),
            ({"type": "integer", "title": "org.apache.kafka.connect.data.Timestamp"}, "timestamp-millis"),
            ({"type": "integer", "title": "io.debezium.time.MicroTimestamp"}, "io.debezium.time.MicroTimestamp"),
            ({"oneOf": [{"type": "null"}, {"type": "string", "format": "date"}]}, "date"),
            ({"anyOf": [{"type": "string", "format": "date"}, {"type": "string", "format": "time"}]}, None),
            ({"type": "string", "maxLength": 10}, "varchar(10)"),
            ({"type": ["null", "string"], "minLength": 3, "maxLength": 3}, "char(3)"),
            ({"type": "string", "format": "uuid", "maxLength": 36}, "uuid"),
            ({"type": "string", "minLength": 2}, None),
            ({"type": "integer", "maxLength": 3}, None),
        ],
    )
    def test_logical_type_is_what_refines_the_type(self, schema: object, logical: str | None) -> None:
        """Connect writes it in the title, others in `format`; where branches disagree there is none."""
        assert single(schema).logical_type == logical

    @pytest.mark.parametrize(
        ("parameters", "logical"),
        [
            ({"connect.decimal.precision": "9", "scale": "2"}, "decimal(9,2)"),
            ({"scale": "2"}, "decimal(38,2)"),
            (None, "decimal(38,18)"),
        ],
    )
    def test_connect_decimal_reports_precision_and_scale(self, parameters: object, logical: str) -> None:
        """Connect's parameters are text, and the precision is often missing."""
        title = "org.apache.kafka.connect.data.Decimal"

        column = single({"type": "number", "title": title, "connect.type": "bytes", "connect.parameters": parameters})

        assert (column.type, column.logical_type) == ("number", logical)


class TestConnect:
    def test_columns_stand_in_the_order_of_connect(self) -> None:
        """JSON objects may be written in any order; Connect numbers its fields. What has no number follows."""
        properties = {"new": {}, "b": {"connect.index": 1}, "a": {"oneOf": [{"type": "null"}, {}], "connect.index": 0}}

        assert [column.name for column in read({"properties": properties}).columns] == ["a", "b", "new"]

    def test_array_of_entries_is_the_map_that_it_stands_for(self) -> None:
        """Connect writes a map whose keys are no text as an array of key and value."""
        entry = {"type": "object", "properties": {"key": {"type": "integer"}, "value": {"type": "string"}}}

        columns = shown({"type": "array", "connect.type": "map", "items": entry})

        assert columns == [" map", "{} string"]

    def test_array_of_other_objects_stays_one_whatever_connect_states(self) -> None:
        """Only {key, value} is an entry."""
        item = {"properties": {"key": {"type": "integer"}, "other": {"type": "string"}}}

        assert shown({"type": "array", "connect.type": "map", "items": item})[:2] == [" array", "[] object"]


class TestWords:
    def test_documentation_default_and_tags_are_read(self) -> None:
        """They are what a governance team works with; the title is a name and no documentation."""
        column = single({"title": "T", "description": "d", "default": {"a": "ü"}, "confluent:tags": ["PII", "PII", 3]})

        assert (column.doc, column.default, column.tags) == ("d", '{"a": "ü"}', ("PII",))

    def test_default_null_and_no_default_are_two_answers(self) -> None:
        """A default of null is one."""
        assert single({"default": None}).default == "null"
        assert single({}).default is None

    def test_title_names_the_record(self) -> None:
        """Registries form the record name of the naming strategies from the title."""
        parsed = read({"title": "Order - v1", "type": "object"})

        assert (parsed.name, parsed.records) == ("Order - v1", ("Order - v1",))

    def test_schema_without_title_names_no_record(self) -> None:
        """No name is better than an invented one; a title that is no text is none."""
        assert (read({"title": 5}).name, read({"title": 5}).records) == ("", ())


class TestTexts:
    def test_text_that_is_not_json_gives_a_problem_with_its_place(self) -> None:
        """The registry may hold what its own check did not see."""
        parsed = json_schema_fields('{"type": ', lambda _name: None, None)

        assert parsed.columns == ()
        assert parsed.problems[0].where == "1:10"

    @pytest.mark.parametrize("value", ["text", 1, None, [{}]])
    def test_json_that_is_no_schema_gives_a_problem(self, value: object) -> None:
        """A schema is an object or a boolean."""
        parsed = read(value)

        assert parsed.columns == ()
        assert "not a JSON Schema" in parsed.problems[0].what

    def test_root_that_nothing_matches_gives_a_problem(self) -> None:
        """No columns without a word would look like an empty message."""
        assert read(False).problems[0].where == "$"

    def test_part_that_is_no_schema_is_any_and_a_problem_that_names_the_place(self) -> None:
        """The rest of the schema is worth having."""
        parsed = read({"properties": {"a": 5, "b": {"type": "string"}}})

        assert [(column.name, column.type) for column in parsed.columns] == [("a", "any"), ("b", "string")]
        assert parsed.problems[0].where == "a"

    def test_keywords_with_values_of_a_wrong_kind_are_passed_over(self) -> None:
        """Nobody but a validator of schemas looks at them, and registries need not run one."""
        unusual = {
            "type": 5,
            "required": {},
            "enum": {},
            "oneOf": {},
            "items": "x",
            "$ref": 7,
            "$id": 9,
            "dependencies": [],
        }

        assert read({"properties": {"a": {**unusual, "type": "string"}}, "title": []}).problems == ()

    def test_nesting_beyond_the_limit_is_a_problem(self) -> None:
        """Whatever the version of Python reads."""
        deep = "[" * 3000 + "]" * 3000

        parsed = json_schema_fields(f'{{"properties": {{"a": {{"default": {deep}}}}}}}', lambda _name: None, None)

        assert (parsed.columns, [problem.what for problem in parsed.problems]) == (
            (),
            ["the text cannot be read: it is nested too deeply: more than 800 levels"],
        )


class TestBounds:
    @pytest.mark.slow
    @pytest.mark.no_cover
    def test_definitions_that_multiply_are_cut_evenly_with_a_problem(self) -> None:
        """Two references to the next definition, forty times over, would be 2^40 columns."""
        twice = {
            f"d{at}": {"properties": {name: {"$ref": f"#/definitions/d{at + 1}"} for name in "ab"}} for at in range(40)
        }

        parsed = read({"$ref": "#/definitions/d0", "definitions": {**twice, "d40": {"type": "string"}}})

        depths = {len(column.path) for column in parsed.columns}
        assert len(parsed.columns) < 60_000
        assert max(depths) < 20
        assert [problem.what for problem in parsed.problems] == ["more than 50000 columns"]

    def test_nesting_without_end_is_cut_with_a_problem(self) -> None:
        """What nests that deep was made by a machine, and a path of it helps nobody."""
        text = '{"properties":{"a":' * 300 + "{}" + "}}" * 300

        parsed = json_schema_fields(text, lambda _name: None, None)

        assert len(parsed.columns) == 200
        assert "200 levels" in parsed.problems[0].what
        assert len(parsed.problems[0].where) < 100

    @pytest.mark.parametrize(
        "member",
        [
            lambda n: {"properties": {f"p{n}": {"type": "string"}}},
            lambda n: {"properties": {"a": {"properties": {f"p{n}": {}}}}},
            lambda n: {"if": {"properties": {"k": {"const": n}}}, "then": {"properties": {f"p{n}": {}}}},
            lambda n: {"oneOf": [{"properties": {f"p{n}": {}}}, {"properties": {f"q{n}": {}}}]},
        ],
        ids=["properties", "one property", "conditions", "unions"],
    )
    def test_many_members_of_all_of_take_memory_in_proportion(self, member: Callable[[int], object]) -> None:
        """A text of a megabyte has 10,000 of them, and their square ends a scan."""
        peaks = []
        for many in (100, 400):
            text = json.dumps({"allOf": [member(n) for n in range(many)]})
            tracemalloc.start()
            columns = json_schema_fields(text, lambda _name: None, None).columns
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
            assert len(columns) >= many
        assert peaks[1] < 6 * peaks[0]

    @pytest.mark.slow
    def test_columns_beside_each_other_end_at_a_bound(self) -> None:
        """Not only what lies deep is too much."""
        properties = {f"p{n}": True for n in range(100_500)}
        parsed = json_schema_fields(json.dumps({"properties": properties}), lambda _name: None, None)

        assert 99_000 < len(parsed.columns) <= 100_000
        assert [problem.what for problem in parsed.problems] == ["more than 50000 columns"]

    @pytest.mark.parametrize("keyword", ["allOf", "then"])
    def test_merging_without_end_is_cut_with_a_problem(self, keyword: str) -> None:
        """The columns found until then stay."""
        schema: object = {}
        for _ in range(200):
            schema = {keyword: [schema] if keyword == "allOf" else schema, "if": {}, "properties": {"a": {}}}

        parsed = read(schema)

        assert [column.name for column in parsed.columns] == ["a"]
        assert "too many others" in parsed.problems[0].what
