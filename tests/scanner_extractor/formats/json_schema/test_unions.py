"""What JSON Schema's `allOf`, `oneOf`, `anyOf` and conditions make of columns."""

from __future__ import annotations

import json

import pytest

from scanner_extractor.formats.json_schema.reader import json_schema_fields
from scanner_model.columns import Column, ParsedSchema

STRING = {"type": "string"}
INTEGER = {"type": "integer"}


def read(schema: object) -> ParsedSchema:
    return json_schema_fields(json.dumps(schema), lambda _name: None, None)


def single(schema: object) -> Column:
    """Read an object with the one required property `f`, and give that property's column."""
    return read({"properties": {"f": schema}, "required": ["f"]}).columns[0]


def shown(schema: object) -> list[str]:
    """Show the columns as `name type`, with `?` behind what may be null or absent."""
    return [f"{column.name} {column.type}{'?' * column.nullable}" for column in read(schema).columns]


def titled(title: str, **properties: object) -> dict[str, object]:
    return {"title": title, "type": "object", "properties": properties}


class TestAllOf:
    def test_own_properties_come_first_then_those_of_each_part(self) -> None:
        """All of them apply, so all are columns; what any part requires is required."""
        parts = [{"properties": {"b": STRING}, "required": ["a"]}, {"properties": {"c": INTEGER}, "required": ["c"]}]

        columns = shown({"allOf": parts, "properties": {"a": STRING}})

        assert columns == ["a string", "b string?", "c integer"]

    def test_property_in_several_parts_is_one_column_of_all_that_is_reported(self) -> None:
        """Each part adds to it."""
        parts = [{"properties": {"a": {"properties": {"x": STRING}}}}, {"properties": {"a": {"required": ["x"]}}}]

        assert shown({"allOf": parts}) == ["a object?", "a.x string"]

    def test_narrower_type_wins_and_else_the_first(self) -> None:
        """An integer is a number; a string is no object, so the schema contradicts itself and its first word stands."""
        assert single({"allOf": [{"type": "number"}, INTEGER]}).type == "integer"
        assert single({"allOf": [STRING, {"type": "object"}]}).type == "string"

    def test_first_words_stand(self) -> None:
        """A schema's own description is of this use; the part's is of all uses."""
        column = single(
            {"description": "here", "allOf": [{"description": "there", "default": 1, "confluent:tags": ["T"]}]}
        )

        assert (column.doc, column.default, column.tags) == ("here", "1", ("T",))

    def test_element_and_value_merge_too(self) -> None:
        """Parts may describe the same array."""
        assert shown({"allOf": [{"items": STRING}, {"items": {"minLength": 1}}]}) == [" array", "[] string"]

    def test_unions_of_objects_that_both_apply_are_one_object(self) -> None:
        """A value is one of each, so it may have any of the properties."""
        first = {"anyOf": [titled("A", a=STRING), titled("B", b=STRING)]}
        second = {"anyOf": [titled("C", c=STRING), titled("D", d=STRING)]}

        assert shown({"allOf": [first, second]}) == ["a string?", "b string?", "c string?", "d string?"]


class TestUnions:
    def test_plain_branches_are_the_words_of_a_leaf(self) -> None:
        """There is nothing inside them that needs a path."""
        column = single({"oneOf": [STRING, INTEGER, {"minLength": 3}]})

        assert (column.type, column.branches) == ("union", ("string", "integer"))

    def test_branches_of_one_plain_type_are_that_type(self) -> None:
        """Branches often only distinguish formats or values."""
        column = single({"anyOf": [{"enum": ["a"]}, STRING, {"type": "string", "pattern": "b"}]})

        assert (column.type, column.branches, column.nullable) == ("string", (), False)

    def test_single_branch_is_no_union(self) -> None:
        """`oneOf` with one entry is how generators attach words to a `$ref`."""
        assert shown({"properties": {"f": {"oneOf": [titled("A", a=STRING)]}}}) == ["f object?", "f.a string?"]

    def test_branches_are_named_by_title_or_else_by_type(self) -> None:
        """Without a mark in the path two branches' columns would collide."""
        branches = [titled("A", f=STRING), INTEGER, {"type": "array", "items": {"properties": {"f": INTEGER}}}]

        columns = shown({"properties": {"u": {"oneOf": branches}}, "required": ["u"]})

        assert columns == [
            "u union",
            "u.<A> object?",
            "u.<A>.f string?",
            "u.<integer> integer?",
            "u.<array> array?",
            "u.<array>.[] object",
            "u.<array>.[].f integer?",
        ]

    def test_branches_that_collide_are_named_by_reference_or_numbered(self) -> None:
        """No two columns share a path."""
        branches = [{"$ref": "#/definitions/Cat"}, {"properties": {"b": STRING}}, {"properties": {"c": STRING}}]

        columns = shown({"oneOf": branches, "definitions": {"Cat": {"properties": {"a": STRING}}}})

        assert [name for name in columns if name.count(".") == 0] == [
            " union",
            "<Cat> object?",
            "<object> object?",
            "<object 2> object?",
        ]

    def test_union_inside_a_union_is_one_union(self) -> None:
        """The value is one of all of them."""
        inner = {"anyOf": [INTEGER, {"oneOf": [{"type": "boolean"}, {"type": "null"}]}]}
        column = single({"oneOf": [STRING, inner]})

        assert (column.branches, column.nullable) == (("string", "integer", "boolean"), True)

    def test_type_list_inside_a_union_gives_its_branches(self) -> None:
        """It is a union in other words."""
        listed = {"type": ["object", "boolean", "null"], "properties": {"a": STRING}}
        columns = shown({"properties": {"f": {"oneOf": [listed, STRING]}}, "required": ["f"]})

        assert columns == [
            "f union?",
            "f.<object> object?",
            "f.<object>.a string?",
            "f.<boolean> boolean?",
            "f.<string> string?",
        ]

    def test_branch_that_nothing_matches_is_no_branch(self) -> None:
        """`false` is written to close a union."""
        assert single({"anyOf": [False, STRING]}).type == "string"

    def test_branch_that_allows_anything_is_reported_to(self) -> None:
        """To drop it would claim too much."""
        assert single({"anyOf": [STRING, True]}).branches == ("string", "any")

    def test_union_that_is_also_an_object_keeps_what_is_common(self) -> None:
        """The common properties are in every branch that is an object."""
        common = {"properties": {"id": STRING}, "required": ["id"]}

        columns = shown({**common, "oneOf": [titled("A", a=STRING), {"type": "string"}]})

        assert columns == [" union", "<A> object?", "<A>.a string?", "<A>.id string", "<string> string?"]


class TestBranchesBesideOwnKeywords:
    def test_branches_that_only_constrain_are_no_union(self) -> None:
        """`anyOf` of `required` is how people write "at least one of"."""
        schema = {"properties": {"a": STRING, "b": STRING}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}

        assert shown(schema) == ["a string?", "b string?"]

    def test_branches_that_add_properties_add_columns_that_may_be_absent(self) -> None:
        """Each message has those of one branch, even if that requires them."""
        branches = [{"properties": {"a": STRING}, "required": ["a"]}, {"properties": {"b": INTEGER}}]

        columns = shown({"type": "object", "properties": {"id": STRING}, "required": ["id"], "oneOf": branches})

        assert columns == ["id string", "a string?", "b integer?"]

    def test_property_of_several_branches_is_what_any_of_them_states(self) -> None:
        """A discriminator has another value in each branch, and is one column."""
        branches = [
            {"properties": {"kind": {"const": "a"}, "size": INTEGER, "body": titled("A", a=STRING)}},
            {"properties": {"kind": {"const": "b"}, "size": STRING, "body": titled("B", b=STRING)}},
        ]

        parsed = read({"properties": {"id": STRING}, "oneOf": branches})

        assert [(column.name, column.type, column.branches) for column in parsed.columns[1:]] == [
            ("kind", "string", ()),
            ("size", "union", ("integer", "string")),
            ("body", "object", ()),
            ("body.a", "string", ()),
            ("body.b", "string", ()),
        ]

    def test_stated_type_rules_out_other_branches(self) -> None:
        """A string cannot be the object that one branch asks for."""
        column = single({"type": "string", "anyOf": [{"properties": {"a": STRING}}, {"pattern": "x"}]})

        assert (column.type, column.branches) == ("string", ())

    def test_stated_type_without_properties_leaves_the_branches_a_union(self) -> None:
        """`type: object` beside two whole objects says nothing of which properties come together."""
        columns = shown({"type": "object", "oneOf": [titled("A", a=STRING), titled("B", b=STRING)]})

        assert columns == [" union", "<A> object?", "<A>.a string?", "<B> object?", "<B>.b string?"]

    def test_branch_that_only_repeats_the_type_makes_the_other_one_optional(self) -> None:
        """It is an object in any case, and has the property in one."""
        schema = {"type": "object", "anyOf": [{"maxProperties": 0}, {"properties": {"a": STRING}, "required": ["a"]}]}

        assert shown(schema) == ["a string?"]


class TestConditions:
    def test_conditions_add_columns_that_may_be_absent(self) -> None:
        """What stands only in a condition is there for some messages; the own type of a property stands."""
        schema = {
            "properties": {"kind": STRING},
            "required": ["kind"],
            "if": {"properties": {"kind": {"const": 5}}},
            "then": {"properties": {"a": INTEGER}, "required": ["a"]},
            "else": {"properties": {"b": INTEGER}},
            "dependentSchemas": {"kind": {"properties": {"c": INTEGER}}},
            "dependencies": {"kind": {"properties": {"d": INTEGER}}, "a": ["b"]},
        }

        assert shown(schema) == ["kind string", "a integer?", "b integer?", "c integer?", "d integer?"]

    def test_condition_alone_states_nothing_of_the_type(self) -> None:
        """Values that do not meet it may be anything; `then` without `if` is ignored."""
        assert single({"if": {"const": 1}, "then": {"maximum": 3}}).type == "any"
        assert shown({"type": "object", "then": {"properties": {"a": STRING}}}) == []

    def test_condition_adds_to_a_property_that_is_there(self) -> None:
        """The property may have more inside where the condition is met."""
        schema = {
            "properties": {"a": {"type": "object"}},
            "if": {},
            "then": {"properties": {"a": titled("T", b=STRING)}},
        }

        assert shown(schema) == ["a object?", "a.b string?"]

    def test_choice_within_a_condition_adds_all_its_branches(self) -> None:
        """Whether it is met and which branch holds is not known from the schema."""
        branches = [{"properties": {"a": STRING}}, {"properties": {"b": STRING}}]

        assert shown({"type": "object", "if": {}, "then": {"oneOf": branches}}) == ["a string?", "b string?"]

    def test_what_must_not_be_there_is_no_column(self) -> None:
        """Neither `not` nor a refusal of what nothing else describes describes anything."""
        assert shown({"not": {"properties": {"a": STRING}}, "unevaluatedProperties": False}) == []


class TestChoicesThatLeadBack:
    def test_same_choice_met_twice_is_one(self) -> None:
        """Two parts that extend one union ask for the same."""
        schema = {"allOf": [{"$ref": "#/definitions/u"}, {"oneOf": [{"$ref": "#/definitions/u"}]}]}

        parsed = read({**schema, "definitions": {"u": {"anyOf": [STRING, INTEGER]}}})

        assert [(column.type, column.branches) for column in parsed.columns] == [("union", ("string", "integer"))]

    def test_branches_that_refer_to_each_other_are_one_set(self) -> None:
        """A is B or a string, B is A or an integer: both are either."""
        definitions = {
            "A": {"oneOf": [{"$ref": "#/definitions/B"}, STRING]},
            "B": {"oneOf": [{"$ref": "#/definitions/A"}, INTEGER]},
        }
        references = {"a": {"$ref": "#/definitions/A"}, "b": {"$ref": "#/definitions/B"}}

        columns = read({"properties": references, "definitions": definitions}).columns

        assert [set(column.branches) for column in columns] == [{"string", "integer"}] * 2

    def test_object_that_is_its_own_branch_is_read_once(self) -> None:
        """The branch adds nothing that is not there."""
        schema = {"properties": {"a": STRING}, "anyOf": [{"$ref": "#"}, {"properties": {"b": STRING}}]}

        assert shown(schema) == ["a string?", "b string?"]

    def test_forty_definitions_that_choose_among_each_other_end(self) -> None:
        """Every order of them would be tried by a reader that only looks out for loops."""
        every = [{"$ref": f"#/definitions/d{at}"} for at in range(40)]
        definitions = {f"d{at}": {"anyOf": [*every, {"properties": {f"p{at}": STRING}}]} for at in range(40)}

        parsed = read({"$ref": "#/definitions/d0", "definitions": definitions})

        assert len(parsed.columns) == 81

    def test_objects_that_are_branches_of_each_other_end(self) -> None:
        """Each adds the properties of all others, in whatever order they are met."""
        every = [{"$ref": f"#/definitions/d{at}"} for at in range(12)]
        definitions = {f"d{at}": {"properties": {f"p{at}": STRING}, "anyOf": every} for at in range(12)}

        assert len(shown({"$ref": "#/definitions/d0", "definitions": definitions})) == 12

    def test_branches_that_lie_too_deep_are_left_out_with_a_problem(self) -> None:
        """What was read until there stays."""
        schema: dict[str, object] = {"properties": {"p": STRING}}
        for at in range(40):
            schema = {"properties": {f"p{at}": STRING}, "anyOf": [schema]}

        parsed = read(schema)

        assert len(parsed.columns) > 20
        assert "too deeply" in parsed.problems[0].what

    @pytest.mark.slow
    @pytest.mark.no_cover
    def test_effort_is_bounded_whatever_refers_to_what(self) -> None:
        """Sixty objects that are branches of each other would take an hour, and describe nothing more than one."""
        every = [{"$ref": f"#/definitions/d{at}"} for at in range(60)]
        definitions = {f"d{at}": {"properties": {"p": {"anyOf": every}}, "anyOf": every} for at in range(60)}

        parsed = read({"$ref": "#/definitions/d0", "definitions": definitions})

        assert parsed.columns[0].name == "p"
        assert parsed.problems
