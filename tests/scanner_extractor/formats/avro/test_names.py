"""Which definition a name in an Avro schema means: namespaces, order, other subjects' texts, recursion."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from scanner_extractor.formats.avro.reader import avro_fields
from scanner_model.columns import ParsedSchema


def record(name: str, namespace: str | None = None, **types: object) -> dict[str, object]:
    fields = [{"name": field, "type": kind} for field, kind in types.items()]
    own = {} if namespace is None else {"namespace": namespace}
    return {"type": "record", "name": name, **own, "fields": fields}


def lookup(**texts: object) -> Callable[[str], str | None]:
    return {name.replace("__", "."): json.dumps(schema) for name, schema in texts.items()}.get


def read(schema: object, find: Callable[[str], str | None] = lambda _: None) -> ParsedSchema:
    return avro_fields(json.dumps(schema), find)


def names(parsed: ParsedSchema) -> list[str]:
    return [column.name for column in parsed.columns]


class TestNamespaces:
    @pytest.mark.parametrize(
        ("name", "namespace", "full"),
        [
            ("Row", "shop", "shop.Row"),
            ("pay.Row", "shop", "pay.Row"),
            ("Row", "", "Row"),
            ("Row", None, "Row"),
            (".Row", "shop", "Row"),
        ],
    )
    def test_dotted_name_ignores_the_namespace(self, name: str, namespace: str | None, full: str) -> None:
        """The specification, section Names."""
        assert read(record(name, namespace)).name == full

    def test_simple_name_is_read_in_the_enclosing_namespace_first(self) -> None:
        """Two namespaces may define the same simple name."""
        other = record("Id", "other", wrong="int")
        schema = record("Row", "shop", o=other, a=record("Id", right="int"), b="Id", c="other.Id")

        assert names(read(schema)) == ["o", "o.wrong", "a", "a.right", "b", "b.right", "c", "c.wrong"]

    def test_names_inside_a_record_are_read_in_its_namespace(self) -> None:
        """A dotted name opens its own namespace for what it encloses."""
        inner = record("pay.Money", a=record("Id", x="int"), b="pay.Id")

        assert names(read(record("Row", "shop", m=inner))) == ["m", "m.a", "m.a.x", "m.b", "m.b.x"]

    def test_name_without_namespace_is_found_from_inside_one(self) -> None:
        """Apache Avro for Java tries the null namespace last, and registries are written in Java."""
        schema = record("Row", "shop", a=record("Id", "", x="int"), b="Id")

        assert names(read(schema)) == ["a", "a.x", "b", "b.x"]

    def test_primitive_is_never_hidden_by_a_named_type(self) -> None:
        """The specification: primitive type names may not be defined."""
        parsed = read(record("Row", "shop", a=record("string", x="int"), b="string"))

        assert [(c.name, c.type) for c in parsed.columns][-1] == ("b", "string")


class TestUses:
    def test_every_use_of_a_named_type_shows_its_columns(self) -> None:
        """People ask for a column where it is, not where its type was first used."""
        schema = record("Row", a=record("Id", x="int"), b="Id", c={"type": "map", "values": "Id"}, d={"type": "Id"})

        assert names(read(schema)) == ["a", "a.x", "b", "b.x", "c", "c.{}", "c.{}.x", "d", "d.x"]

    def test_name_may_be_used_before_it_is_defined(self) -> None:
        """Some registries take it; the definition is in the same text."""
        parsed = read(record("Row", "shop", a="Id", b=record("Id", x="int")))

        assert names(parsed) == ["a", "a.x", "b", "b.x"]

    def test_first_of_two_definitions_stands(self) -> None:
        """Showing different columns under one name would be worse."""
        parsed = read(record("Row", a=record("Id", x="int"), b=record("Id", y="int")))

        assert names(parsed) == ["a", "a.x", "b", "b.x"]
        assert [problem.where for problem in parsed.problems] == ["Id"]

    def test_recursion_is_cut_where_a_type_stands_inside_itself(self) -> None:
        """A tree has no last level."""
        schema = record("Node", "t", v="int", kids={"type": "array", "items": "Node"}, up=["null", "t.Node"])
        columns = read(schema).columns

        assert [(c.name, c.type, c.recursive) for c in columns] == [
            ("v", "int", None),
            ("kids", "array", None),
            ("kids.[]", "record", "t.Node"),
            ("up", "record", "t.Node"),
        ]

    def test_recursion_through_another_type_is_cut_at_the_second_occurrence(self) -> None:
        """Only the path counts: beside the cycle the type is shown again."""
        schema = record("A", b=record("B", a=["null", "A"], x="int"), c="B")

        assert names(read(schema)) == ["b", "b.a", "b.x", "c", "c.a", "c.x"]

    def test_map_entries_that_hold_themselves_are_cut(self) -> None:
        """The cycle guard also covers records that are read as maps."""
        entry = record("E", key="int", value={"type": "array", "items": "E"})
        parsed = read(record("Row", f={"type": "array", "items": entry, "connect.internal.type": "MapEntry"}))
        tree = record("Row", f={"type": "array", "items": {**entry, "connect.internal.type": "MapEntry"}})

        assert names(parsed) == ["f", "f.{}", "f.{}.[]"]
        assert [(c.name, c.recursive) for c in read(tree).columns] == [("f", None), ("f.{}", "E")]


class TestReferences:
    MONEY = record("Money", "pay", amount="long")

    def test_type_of_another_subject_is_found_by_its_full_name(self) -> None:
        """References of Confluent's registry carry the type's full name."""
        parsed = read(record("Row", "pay", m="Money"), lookup(pay__Money=self.MONEY))

        assert (names(parsed), parsed.problems) == (["m", "m.amount"], ())

    def test_type_of_another_subject_is_found_by_the_name_as_written(self) -> None:
        """The reference may be named as the text writes it."""
        parsed = read(record("Row", "shop", m="Money"), lookup(Money=record("Money", amount="long")))

        assert names(parsed) == ["m", "m.amount"]

    def test_text_that_is_looked_up_defines_all_its_types(self) -> None:
        """One subject may define what several names refer to."""
        both = record("Money", "pay", c=record("Currency", code="string"))
        parsed = read(record("Row", m="pay.Money", c="pay.Currency"), lookup(pay__Money=both))

        assert names(parsed) == ["m", "m.c", "m.c.code", "c", "c.code"]

    def test_each_name_is_requested_once(self) -> None:
        """A look-up may be dear."""
        requests: list[str] = []
        read(record("Row", a="x.Gone", b="x.Gone", c=["null", "x.Gone"]), lambda name: requests.append(name))

        assert requests == ["x.Gone"]

    def test_included_schemas_define_types_and_may_include_each_other(self) -> None:
        """Hortonworks' registry refers by the schema's name, which is no type's, and allows loops."""
        first = {**record("Id", "data", v="string"), "includeSchemas": [{"name": "second"}]}
        second = {**record("Tag", "data", t="string"), "includeSchemas": [{"name": "first"}, 5, {"name": ""}]}
        schema = {**record("Row", "shop", id="data.Id", tag="data.Tag"), "includeSchemas": [{"name": "first"}]}
        parsed = read(schema, lookup(first=first, second=second))

        assert (names(parsed), parsed.problems) == (["id", "id.v", "tag", "tag.t"], ())

    def test_references_that_need_each_other_are_read(self) -> None:
        """Two subjects may refer to each other; the recursion is cut as usual."""
        texts = lookup(A=record("A", b=["null", "B"]), B=record("B", a=["null", "A"]))

        assert [(c.name, c.recursive) for c in read("A", texts).columns] == [("b", None), ("b.a", "A")]

    def test_reference_that_cannot_be_read_is_reported(self) -> None:
        """Its name leads to the text that must be mended."""
        parsed = read(record("Row", m="pay.Money"), lambda _: "{")

        assert [problem.where for problem in parsed.problems] == ["pay.Money 1:2", "Row.m"]

    def test_same_type_in_two_texts_is_reported_only_where_they_differ(self) -> None:
        """Copies of a type are common, and harmless."""
        twice = record("Row", a=self.MONEY, b="x.B", c="x.C")
        texts = lookup(
            x__B=record("B", "x", m=self.MONEY), x__C=record("C", "x", m=record("Money", "pay", amount="int"))
        )

        assert [problem.where for problem in read(twice, texts).problems] == ["pay.Money"]
