"""Where the references of JSON Schemas lead: pointers, anchors, identifiers, drafts, other texts, recursion."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from scanner_extractor.formats.json_schema.reader import json_schema_fields
from scanner_model.columns import Column, ParsedSchema

STRING = {"type": "string"}
INTEGER = {"type": "integer"}
DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_6 = "http://json-schema.org/draft-06/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema"


def read(schema: object, **texts: object) -> ParsedSchema:
    """Read *schema*; *texts* are the other schemas, by name with `_` for `.`."""
    others = {name.replace("_", "."): json.dumps(text) for name, text in texts.items()}
    return json_schema_fields(json.dumps(schema), others.get, None)


def single(property_: object, **root: object) -> Column:
    """Read an object with the one required property `f`, and give that property's column."""
    return read({"properties": {"f": property_}, "required": ["f"], **root}).columns[0]


def shown(parsed: ParsedSchema) -> list[str]:
    return [f"{column.name} {column.type}" for column in parsed.columns]


class TestPointers:
    @pytest.mark.parametrize("retained", ["definitions", "$defs"])
    @pytest.mark.parametrize("written", ["definitions", "$defs"])
    def test_definitions_are_found_under_either_name(self, retained: str, written: str) -> None:
        """Registries merge the two, so either pointer is in use."""
        assert single({"$ref": f"#/{written}/A"}, **{retained: {"A": INTEGER}}).type == "integer"

    @pytest.mark.parametrize("pointer", ["a~1b", "a%2Fb", "c%25d", "e~0f", "g%20h", "list/1"])
    def test_pointers_are_unescaped(self, pointer: str) -> None:
        """A pointer in a URI is escaped twice (RFC 6901, section 6)."""
        names = {"a/b": INTEGER, "c%d": INTEGER, "e~f": INTEGER, "g h": INTEGER, "list": [STRING, INTEGER]}

        assert single({"$ref": f"#/definitions/{pointer}"}, definitions=names).type == "integer"

    def test_pointer_may_lead_anywhere(self) -> None:
        """Not only into definitions."""
        assert single({"$ref": "#/x-types/0/inner"}, **{"x-types": [{"inner": INTEGER}]}).type == "integer"

    @pytest.mark.parametrize("reference", ["#/definitions/none", "#none", "none.json", "#/required/9", "http://[bad"])
    def test_reference_to_nothing_is_any_and_a_problem_that_quotes_it(self, reference: str) -> None:
        """The column exists whatever is in it."""
        parsed = read({"properties": {"f": {"$ref": reference}}, "required": ["f"]})

        assert shown(parsed) == ["f any"]
        assert parsed.problems[0].where == "f"
        assert repr(reference) in parsed.problems[0].what

    @pytest.mark.parametrize("keyword", ["anyOf", "allOf"])
    def test_reference_to_nothing_in_a_branch_is_reported_too(self, keyword: str) -> None:
        """A branch without columns of its own is still part of what was promised."""
        parsed = read({"properties": {"f": {keyword: [STRING, {"oneOf": [INTEGER, {"$ref": "none"}]}]}}})

        assert [problem.where for problem in parsed.problems] == ["f"]

    def test_references_that_lead_in_a_cycle_are_a_problem(self) -> None:
        """They never come to a schema."""
        cycle = {"a": {"$ref": "#/definitions/b"}, "b": {"$ref": "#/definitions/a"}}

        parsed = read({"properties": {"f": {"$ref": "#/definitions/a"}}, "definitions": cycle})

        assert shown(parsed) == ["f any"]
        assert "leads back to itself" in parsed.problems[0].what


class TestDrafts:
    @pytest.mark.parametrize("draft", [DRAFT_4, DRAFT_6, "http://json-schema.org/draft-07/schema#", None])
    def test_until_draft_7_only_words_count_beside_a_reference(self, draft: str | None) -> None:
        """Validators ignore all siblings; what people wrote of this use is theirs all the same."""
        reference = {"$ref": "#/definitions/A", "type": "string", "description": "here", "minLength": 3}

        column = single(reference, definitions={"A": {**INTEGER, "description": "there"}}, **{"$schema": draft})

        assert (column.type, column.doc) == ("integer", "here")

    @pytest.mark.parametrize("draft", [DRAFT_2019, DRAFT_2020])
    def test_since_2019_everything_beside_a_reference_counts(self, draft: str) -> None:
        """The reference is one more thing that applies."""
        target = {"properties": {"a": STRING}}
        schema = {"$schema": draft, "$ref": "#/$defs/A", "properties": {"b": STRING}, "$defs": {"A": target}}

        assert shown(read(schema)) == ["b string", "a string"]

    @pytest.mark.parametrize("draft", [{"$schema": DRAFT_4}, {}], ids=["named", "unnamed"])
    def test_draft_4_names_resources_by_id(self, draft: dict[str, str]) -> None:
        """`$id` came later; an `id` that is an address shows the draft where no `$schema` does."""
        inner = {"id": "part.json", "definitions": {"A": INTEGER}}
        reference = {"$ref": "http://shop.example/part.json#/definitions/A"}

        column = single(reference, definitions={"x": inner}, id="http://shop.example/root.json", **draft)

        assert column.type == "integer"

    def test_property_called_id_names_nothing(self) -> None:
        """It is a schema there, and text in a draft that does not know it."""
        parsed = read({"id": "x", "properties": {"id": STRING, "$id": INTEGER, "f": {"$ref": "#/properties/id"}}})

        assert shown(parsed) == ["id string", "$id integer", "f string"]


BUNDLED = {
    "$id": "http://shop.example/root.json",
    "definitions": {
        "A": {
            "$id": "a.json",
            "$anchor": "a",
            "properties": {"n": STRING, "m": {"$ref": "#a"}},
            "allOf": [{"properties": {"k": STRING}}],
            "items": [STRING, STRING],
            "dependencies": {"n": ["m"]},
            "additionalProperties": False,
        }
    },
    "properties": {"f": {"$ref": "a.json"}, "sound": INTEGER},
}


def damaged(document: Any, *, wrong: object) -> Iterator[Any]:
    """Yield *document* with each value in turn replaced by *wrong*, the root and what is below `sound` excepted."""
    for key in document if isinstance(document, dict) else range(len(document) if isinstance(document, list) else 0):
        if key == "sound":
            continue
        for value in (wrong, *damaged(document[key], wrong=wrong)):
            copy = dict(document) if isinstance(document, dict) else list(document)
            copy[key] = value
            yield copy


class TestDamage:
    @pytest.mark.parametrize("wrong", [None, 3, "x", [], [3], {}, {"a": 3}, True], ids=str)
    @pytest.mark.parametrize("draft", [DRAFT_4, "http://json-schema.org/draft-07/schema#", DRAFT_2020])
    def test_wrong_value_anywhere_costs_nothing_beside_it(self, draft: str, wrong: object) -> None:
        """A registry stores any JSON; what is sound in it is read."""
        for schema in damaged(BUNDLED, wrong=wrong):
            parsed = read({**schema, "$schema": draft})

            if isinstance(schema["properties"], dict) and "sound" in schema["properties"]:
                assert "sound integer" in shown(parsed)

    @pytest.mark.parametrize("definitions", [[STRING], 3, "A", None], ids=str)
    def test_pointer_through_what_holds_nothing_is_a_problem(self, definitions: object) -> None:
        """A list has no names, a number no members."""
        parsed = read({"properties": {"f": {"$ref": "#/definitions/A/x"}}, "definitions": definitions})

        assert [problem.where for problem in parsed.problems] == ["f"]


class TestIdentifiers:
    def test_reference_is_relative_to_the_nearest_identifier(self) -> None:
        """Bundled schemas keep their own addresses."""
        bundled = {"$id": "sub/item.json", "properties": {"n": {"$ref": "unit.json"}}}
        unit = {"$id": "http://shop.example/sub/unit.json", **INTEGER}
        schema = {
            "$id": "http://shop.example/root.json",
            "properties": {"f": {"$ref": "sub/item.json"}},
            "definitions": {"item": bundled, "unit": unit},
        }

        assert shown(read(schema)) == ["f object", "f.n integer"]

    def test_identifier_of_a_property_moves_what_is_below_it(self) -> None:
        """A resource may stand where it is used."""
        part = {"$id": "sub/part.json", "properties": {"n": {"$ref": "unit.json"}, "m": {"$ref": "#/properties/n"}}}
        units = {"a": {"$id": "http://shop.example/sub/unit.json", **INTEGER}, "b": {"$id": "unit.json", **STRING}}

        parsed = read({"$id": "http://shop.example/root.json", "properties": {"f": part}, "definitions": units})

        assert shown(parsed) == ["f object", "f.n integer", "f.m integer"]

    def test_pointer_into_a_bundled_schema_starts_at_its_root(self) -> None:
        """`#` is the resource, not the file."""
        bundled = {"$id": "part.json", "properties": {"n": {"$ref": "#/definitions/A"}}, "definitions": {"A": INTEGER}}

        assert shown(
            read({"properties": {"f": {"$ref": "part.json"}}, "definitions": {"p": bundled, "A": STRING}})
        ) == [
            "f object",
            "f.n integer",
        ]

    def test_urn_is_an_address(self) -> None:
        """It has no path to be relative to."""
        root = {"$id": "urn:example:root", "definitions": {"A": {"$id": "urn:example:a", "$ref": "#x"}, "B": INTEGER}}

        assert single({"$ref": "urn:example:root#/definitions/B"}, **root).type == "integer"

    def test_identifier_beside_a_reference_is_ignored_until_draft_7(self) -> None:
        """So it does not move the reference."""
        root = {"$id": "http://a.example/x.json", "definitions": {"A": {"$id": "http://a.example/y.json", **INTEGER}}}

        assert single({"$id": "http://b.example/", "$ref": "y.json"}, **root).type == "integer"

    @pytest.mark.parametrize(
        ("draft", "named"),
        [
            (DRAFT_4, {"id": "#A"}),
            (DRAFT_6, {"$id": "#A"}),
            (DRAFT_2019, {"$anchor": "A"}),
            (DRAFT_2020, {"$anchor": "A"}),
        ],
    )
    def test_anchor_is_a_plain_name(self, draft: str, named: dict[str, str]) -> None:
        """Each draft writes it in its way."""
        assert single({"$ref": "#A"}, definitions={"x": {**named, **INTEGER}}, **{"$schema": draft}).type == "integer"

    def test_anchor_belongs_to_its_resource(self) -> None:
        """The same name may stand in two."""
        inner = {"$id": "inner.json", "$defs": {"x": {"$anchor": "A", **STRING}}}
        root = {"$schema": DRAFT_2020, "$defs": {"inner": inner, "y": {"$anchor": "A", **INTEGER}}}

        assert single({"$ref": "#A"}, **root).type == "integer"
        assert single({"$ref": "inner.json#A"}, **root).type == "string"

    @pytest.mark.parametrize("draft", ["draft-07/schema#", "draft-04/schema"])
    def test_metaschemas_are_known(self, draft: str) -> None:
        """Schemas that embed schemas refer to them, and nobody registers them."""
        parsed = read({"properties": {"f": {"$ref": f"http://json-schema.org/{draft}"}}})

        assert parsed.problems == ()
        assert "title string" in [name.rpartition(".")[2] for name in shown(parsed)]

    def test_metaschema_that_does_not_exist_is_a_problem(self) -> None:
        """The host alone makes none."""
        assert len(read({"$ref": "http://json-schema.org/draft-99/schema"}).problems) == 1


class TestOtherTexts:
    @pytest.mark.parametrize(
        "reference", ["http://shop.example/v1/address.json#/definitions/A", "address.json#/definitions/A"]
    )
    @pytest.mark.parametrize("known", ["http://shop.example/v1/address.json", "address.json"])
    def test_text_is_requested_by_address_and_by_name(self, reference: str, known: str) -> None:
        """Reference names in registries are free: the whole address, what was written, or the last part."""
        texts = {known: json.dumps({"definitions": {"A": INTEGER}})}
        schema = {"$id": "http://shop.example/v1/order.json", "properties": {"f": {"$ref": reference}}}

        assert shown(json_schema_fields(json.dumps(schema), texts.get, None)) == ["f integer"]

    def test_references_of_another_text_are_followed(self) -> None:
        """Transitively, and relative to that text."""
        parsed = read(
            {"properties": {"f": {"$ref": "a.json"}}},
            a_json={
                "properties": {"g": {"$ref": "b.json#/$defs/X"}, "h": {"$ref": "#/definitions/Y"}},
                "definitions": {"Y": STRING},
            },
            b_json={"$defs": {"X": INTEGER}},
        )

        assert shown(parsed) == ["f object", "f.g integer", "f.h string"]

    def test_each_text_is_requested_once(self) -> None:
        """The lookup may be slow."""
        requests: list[str] = []

        def lookup(name: str) -> str:
            requests.append(name)
            return '{"type": "string"}'

        json_schema_fields('{"items": [{"$ref": "a"}, {"$ref": "a"}, {"$ref": "a#"}]}', lookup, None)

        assert requests == ["a"]

    @pytest.mark.parametrize("text", ["{", "[]", "7"])
    def test_text_that_is_no_schema_leads_nowhere(self, text: str) -> None:
        """The problem names the reference, which is what can be mended."""
        parsed = json_schema_fields('{"$ref": "a.json"}', lambda _name: text, None)

        assert "'a.json'" in parsed.problems[0].what

    def test_text_that_refers_to_itself_by_growing_addresses_is_one_text(self) -> None:
        """`sub/x.json` of `sub/x.json` is `sub/sub/x.json`, and so on, for a registry that knows `x.json`."""
        parsed = read({"$ref": "sub/x.json"}, x_json={"properties": {"a": {"$ref": "sub/x.json"}}})

        assert [(column.name, column.recursive) for column in parsed.columns] == [("a", "sub/x.json")]

    def test_nothing_is_fetched(self) -> None:
        """A schema must not make a scanner call addresses of its choice."""
        parsed = read({"$ref": "http://127.0.0.1:1/x.json"})

        assert "fetched" in parsed.problems[0].hint


LIST = {
    "$id": "list",
    "type": "array",
    "items": {"$dynamicRef": "#item"},
    "$defs": {"item": {"$dynamicAnchor": "item", "type": "number"}},
}


class TestDynamicReferences:
    def test_dynamic_reference_means_the_outermost_anchor_of_that_name(self) -> None:
        """That is how a generic schema gets its parameters (2020-12 core, section 8.2.3.2)."""
        definitions = {"mine": {"$dynamicAnchor": "item", **STRING}, "list": LIST}

        assert shown(read({"$schema": DRAFT_2020, "$ref": "list", "$defs": definitions})) == [" array", "[] string"]

    def test_dynamic_reference_alone_means_its_own_anchor(self) -> None:
        """A plain anchor elsewhere does not redirect it."""
        definitions = {"mine": {"$anchor": "item", **STRING}, "list": LIST}

        assert shown(read({"$schema": DRAFT_2020, "$ref": "list", "$defs": definitions})) == [" array", "[] number"]

    def test_recursive_reference_means_the_outermost_schema_that_allows_it(self) -> None:
        """An extension of a tree is a tree of extended nodes (2019-09 core, section 8.2.4.2)."""
        tree = {
            "$id": "tree",
            "$recursiveAnchor": True,
            "properties": {"children": {"type": "array", "items": {"$recursiveRef": "#"}}},
        }
        named = {"$recursiveAnchor": True, "$ref": "tree", "properties": {"name": STRING}, "$defs": {"tree": tree}}

        parsed = read(
            {
                "$schema": DRAFT_2019,
                "$id": "root",
                "properties": {"r": {"$ref": "named"}},
                "$defs": {"n": {"$id": "named", **named}},
            }
        )

        assert shown(parsed)[:3] == ["r object", "r.name string", "r.children array"]
        assert parsed.columns[-1].recursive == "#"

    def test_recursive_reference_without_permission_is_a_plain_one(self) -> None:
        """`$recursiveAnchor` is the permission."""
        parsed = read({"$schema": DRAFT_2019, "properties": {"f": {"$recursiveRef": "#"}}})

        assert [(column.name, column.recursive) for column in parsed.columns] == [("f", "#")]


class TestRecursion:
    def test_reference_to_the_root_is_cut_where_it_stands(self) -> None:
        """The root is open already; the leaf keeps its type and reports what recurs."""
        tree = {"properties": {"children": {"type": "array", "items": {"$ref": "#"}}, "value": INTEGER}}

        parsed = read(tree)

        assert shown(parsed) == ["children array", "children.[] object", "value integer"]
        assert parsed.columns[1].recursive == "#"

    def test_named_definition_is_shown_once_on_a_path(self) -> None:
        """Its second occurrence on the path is the leaf; beside the path it is shown again."""
        node = {"properties": {"next": {"$ref": "#/definitions/node"}}}
        reference = {"$ref": "#/definitions/node"}

        parsed = read({"properties": {"a": reference, "b": reference}, "definitions": {"node": node}})

        assert [(column.name, column.recursive) for column in parsed.columns] == [
            ("a", None),
            ("a.next", "#/definitions/node"),
            ("b", None),
            ("b.next", "#/definitions/node"),
        ]

    def test_reference_to_a_place_above_is_a_recursion(self) -> None:
        """Nothing above was reached through a reference."""
        outer = {"properties": {"b": {"$ref": "#/properties/a"}}}

        assert [column.recursive for column in read({"properties": {"a": outer}}).columns] == [None, "#/properties/a"]

    def test_optional_recursion_is_cut_too(self) -> None:
        """Most recursions end with null."""
        parsed = read({"properties": {"next": {"oneOf": [{"type": "null"}, {"$ref": "#"}]}}, "required": ["next"]})

        assert [(column.name, column.nullable, column.recursive) for column in parsed.columns] == [("next", True, "#")]

    def test_recursion_in_a_branch_is_cut_in_that_branch(self) -> None:
        """The other branch is no recursion."""
        parsed = read({"properties": {"f": {"anyOf": [STRING, {"$ref": "#"}]}}})

        assert [(column.name, column.recursive) for column in parsed.columns] == [
            ("f", None),
            ("f.<string>", None),
            ("f.<object>", "#"),
        ]

    def test_recursion_through_a_union_that_is_merged_into_another_is_cut(self) -> None:
        """The union's own reference is gone from the path, and must be remembered."""
        value = {
            "type": ["object", "boolean"],
            "properties": {"of": {"anyOf": [{"$ref": "#"}, {"items": {"$ref": "#"}}]}},
        }

        parsed = read(value)

        assert len(parsed.columns) < 10
        assert {column.recursive for column in parsed.columns} == {None, "#"}
        assert parsed.problems == ()

    def test_definition_that_extends_itself_is_a_problem(self) -> None:
        """It cannot be written out; its own properties are kept."""
        parsed = read({"allOf": [{"$ref": "#"}], "properties": {"a": STRING}})

        assert shown(parsed) == ["a string"]
        assert "'#'" in parsed.problems[0].what

    def test_base_used_twice_at_one_place_is_no_loop(self) -> None:
        """Two extensions of one base meet."""
        base = {"properties": {"id": STRING}}
        parts = {name: {"allOf": [{"$ref": "#/definitions/base"}]} for name in "xy"}
        schema = {
            "allOf": [{"$ref": "#/definitions/x"}, {"$ref": "#/definitions/y"}],
            "definitions": {**parts, "base": base},
        }

        assert (shown(read(schema)), read(schema).problems) == (["id string"], ())

    def test_definition_that_the_root_takes_in_may_describe_a_property_too(self) -> None:
        """The property stands beside what the definition lists, not inside it."""
        audit = {"properties": {"by": STRING}}
        line = {"allOf": [{"$ref": "#/definitions/audit"}, {"properties": {"n": INTEGER}}]}
        root = {"allOf": [{"$ref": "#/definitions/audit"}], "properties": {"line": line, "plain": line["allOf"][0]}}
        parsed = read({"definitions": {"audit": audit}, **root})

        names = ["line", "line.by", "line.n", "plain", "plain.by", "by"]
        assert [(column.name, column.recursive) for column in parsed.columns] == [(name, None) for name in names]

    def test_definition_that_the_root_takes_in_recurs_inside_its_own_properties(self) -> None:
        """However it was entered: by the root, or by a property that uses it again."""
        audit = {"properties": {"parent": {"$ref": "#/definitions/audit"}, "by": STRING}}
        root = {"allOf": [{"$ref": "#/definitions/audit"}], "properties": {"line": {"$ref": "#/definitions/audit"}}}
        parsed = read({"definitions": {"audit": audit}, **root})

        assert [(column.name, column.recursive) for column in parsed.columns] == [
            ("line", None),
            ("line.parent", "#/definitions/audit"),
            ("line.by", None),
            ("parent", "#/definitions/audit"),
            ("by", None),
        ]

    def test_property_of_what_the_root_takes_in_recurs_to_the_root(self) -> None:
        """What `allOf` adds is part of the root, so its properties stand inside the root's."""
        base = {"properties": {"next": {"$ref": "#"}}}
        parsed = read({"definitions": {"base": base}, "allOf": [{"$ref": "#/definitions/base"}], "title": "R"})

        assert [(column.name, column.recursive) for column in parsed.columns] == [("next", "#")]

    @pytest.mark.parametrize("choice", ["oneOf", "anyOf"])
    def test_definition_beside_a_union_may_describe_a_property_of_a_branch(self, choice: str) -> None:
        """A branch is a part of the schema that holds the union, not of what that takes in beside it."""
        own = {"title": "A", "properties": {"line": {"$ref": "#/definitions/audit"}, "self": {"$ref": "#"}}}
        audit = {"properties": {"by": STRING}}
        union = {choice: [own, {"title": "B", "type": "array", "items": STRING}]}
        parsed = read({"definitions": {"audit": audit}, "allOf": [{"$ref": "#/definitions/audit"}], **union})

        recursive = {column.name: column.recursive for column in parsed.columns}
        assert recursive["<A>.line.by"] is None
        assert recursive["<A>.self"] == "#"
