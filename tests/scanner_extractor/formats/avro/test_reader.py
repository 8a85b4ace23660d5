"""What is read from Avro schemas: columns, names, defaults, documentation, tags; and what is said about odd ones."""

from __future__ import annotations

import json

import pytest

from scanner_extractor.formats.avro.reader import avro_fields
from scanner_model.columns import Column, Lookup, ParsedSchema
from scanner_model.names import RecordName


def nobody(_name: str) -> str | None:
    return None


def read(schema: object, lookup: Lookup = nobody, record: str | None = None) -> ParsedSchema:
    return avro_fields(json.dumps(schema), lookup, RecordName(record) if record else None)


def record_of(**types: object) -> dict[str, object]:
    fields = [{"name": name, "type": kind} for name, kind in types.items()]
    return {"type": "record", "name": "Row", "namespace": "shop", "fields": fields}


def single(kind: object, **attributes: object) -> Column:
    """Read a record with the one field `f`, and give that field's column."""
    field = {"name": "f", "type": kind, **attributes}
    return read({"type": "record", "name": "Row", "namespace": "shop", "fields": [field]}).columns[0]


def shown(parsed: ParsedSchema) -> list[tuple[str, str]]:
    return [(column.name, column.type) for column in parsed.columns]


MONEY = {"type": "record", "name": "Money", "fields": [{"name": "amount", "type": "long"}]}


class TestPlaces:
    def test_parents_stand_before_their_children_in_document_order(self) -> None:
        """The order of the document is the order that people know."""
        parsed = read(record_of(b={"type": "array", "items": MONEY}, a={"type": "map", "values": "int"}))

        assert shown(parsed) == [
            ("b", "array"),
            ("b.[]", "record"),
            ("b.[].amount", "long"),
            ("a", "map"),
            ("a.{}", "int"),
        ]

    def test_field_named_like_a_mark_or_with_a_dot_stays_one_name(self) -> None:
        """Names are opaque: registries that do not check names hold such fields."""
        parsed = read(record_of(**{"[]": "int", "a.b": "int"}))

        assert [column.path for column in parsed.columns] == [("`[]`",), ("a.b",)]

    @pytest.mark.parametrize("kind", ["string", {"type": "string"}, {"type": {"type": "string"}}])
    def test_root_that_is_no_record_is_the_root_column(self, kind: object) -> None:
        """Keys are often plain strings."""
        assert read(kind).columns == (Column(path=(), type="string"),)

    @pytest.mark.parametrize("text", ["string", '"string"', " string\n", '\ufeff"string"'])
    def test_bare_type_name_is_a_schema_quoted_or_not(self, text: str) -> None:
        """Both occur in registries."""
        assert avro_fields(text, nobody).columns == (Column(path=(), type="string"),)

    def test_root_array_has_its_own_column_and_its_elements(self) -> None:
        """Each level that is not a record is a place of its own."""
        assert shown(read({"type": "array", "items": MONEY})) == [
            ("", "array"),
            ("[]", "record"),
            ("[].amount", "long"),
        ]

    def test_types_of_a_protocol_are_read_as_alternatives(self) -> None:
        """A protocol file is a list of types in one namespace."""
        parsed = read({"protocol": "P", "namespace": "pay", "types": [MONEY, {**MONEY, "name": "Fee"}]})

        assert parsed.records == ("pay.Money", "pay.Fee")


class TestUnions:
    @pytest.mark.parametrize("kind", [["null", "int"], ["int", "null"], [["null"], ["int"]], {"type": ["null", "int"]}])
    def test_null_and_one_type_is_that_type_nullable(self, kind: object) -> None:
        """Either order says the same, and so does a union inside a union, which some registries take."""
        column = single(kind)

        assert (column.type, column.nullable, column.branches) == ("int", True, ())

    def test_union_of_one_type_is_that_type(self) -> None:
        """A union of one says nothing more than its branch."""
        assert (single(["int"]).type, single(["int"]).nullable) == ("int", False)

    def test_plain_branches_make_one_leaf(self) -> None:
        """Nothing lies below them, so there is nothing to list apart."""
        stamp = {"type": "long", "logicalType": "timestamp-millis"}
        colour = {"type": "enum", "name": "Colour", "symbols": ["RED"]}
        parsed = read(record_of(f=["null", "string", stamp, colour]))

        assert parsed.columns == (
            Column(path=("f",), type="union", nullable=True, branches=("string", "timestamp-millis", "shop.Colour")),
        )

    def test_branches_with_columns_of_their_own_are_distinguished(self) -> None:
        """Two branches may have a field of the same name; only one branch is there at a time."""
        parsed = read(record_of(f=["boolean", MONEY, {"type": "array", "items": "int"}]))

        assert [(c.name, c.type, c.nullable) for c in parsed.columns] == [
            ("f", "union", False),
            ("f.<boolean>", "boolean", True),
            ("f.<shop.Money>", "record", True),
            ("f.<shop.Money>.amount", "long", False),
            ("f.<array>", "array", True),
            ("f.<array>.[]", "int", False),
        ]

    def test_branch_that_is_there_twice_is_read_once_and_reported(self) -> None:
        """Avro forbids it; two columns of one path would be worse."""
        parsed = read(record_of(f=["int", {"type": "array", "items": "int"}, "int"]))

        assert [column.name for column in parsed.columns] == ["f", "f.<int>", "f.<array>", "f.<array>.[]"]
        assert [problem.where for problem in parsed.problems] == ["shop.Row.f"]

    def test_type_null_alone_is_nullable(self) -> None:
        """Its only value is null."""
        assert (single("null").type, single("null").nullable) == ("null", True)


class TestRoots:
    UNION = ("null", {**MONEY, "namespace": "pay"}, {**MONEY, "name": "Fee"})

    def test_records_of_a_root_union_are_all_named_and_none_is_the_root(self) -> None:
        """A record naming strategy may mean any of them."""
        parsed = read(list(self.UNION))

        assert (parsed.name, parsed.records) == ("", ("pay.Money", "Fee"))
        assert [c.name for c in parsed.columns] == [
            "",
            "<pay.Money>",
            "<pay.Money>.amount",
            "<Fee>",
            "<Fee>.amount",
        ]

    def test_named_record_of_a_root_union_is_read_alone(self) -> None:
        """Its subject carries its name, so the topic's columns are those of that record."""
        parsed = read(list(self.UNION), record="Fee")

        assert (parsed.name, shown(parsed)) == ("Fee", [("amount", "long")])

    def test_record_that_is_not_there_leaves_the_default_root(self) -> None:
        """A name that we cannot find must not hide the columns."""
        assert read(MONEY, record="Other").name == "Money"

    def test_nullable_root_record_is_read_like_the_record(self) -> None:
        """A tombstone is null; the columns are the record's."""
        parsed = read(["null", MONEY])

        assert (parsed.name, parsed.records, shown(parsed)) == ("Money", ("Money",), [("amount", "long")])

    def test_root_enum_is_no_record(self) -> None:
        """Record naming goes by records only."""
        parsed = read({"type": "enum", "name": "Colour", "symbols": ["RED"]})

        assert (parsed.name, parsed.records, shown(parsed)) == ("", (), [("", "enum")])


class TestRefinements:
    @pytest.mark.parametrize(
        ("kind", "expected"),
        [
            ({"type": "bytes", "logicalType": "decimal", "precision": 8, "scale": 2}, "decimal(8,2)"),
            ({"type": "bytes", "logicalType": "decimal", "precision": 8}, "decimal(8,0)"),
            ({"type": "fixed", "name": "D", "size": 4, "logicalType": "decimal", "precision": 9}, "decimal(9,0)"),
            ({"type": "fixed", "name": "D", "size": 4, "logicalType": "decimal", "precision": 10}, None),
            ({"type": "fixed", "name": "D", "size": 16, "logicalType": "decimal", "precision": 38}, "decimal(38,0)"),
            ({"type": "fixed", "name": "D", "size": 16, "logicalType": "decimal", "precision": 39}, None),
            ({"type": "fixed", "name": "D", "size": "x", "logicalType": "decimal", "precision": 1}, None),
            ({"type": "fixed", "name": "D", "size": 10**400, "logicalType": "decimal", "precision": 9}, "decimal(9,0)"),
            ({"type": {"type": "fixed", "name": "D", "size": 4}, "logicalType": "decimal", "precision": 10}, None),
            ({"type": "fixed", "name": "D", "size": 12, "logicalType": "duration"}, "duration"),
            ({"type": "fixed", "name": "D", "size": 8, "logicalType": "duration"}, None),
            ({"type": "bytes", "logicalType": "duration"}, None),
            ({"type": "fixed", "name": "D", "size": 16, "logicalType": "uuid"}, "uuid"),
            ({"type": "fixed", "name": "D", "size": 12, "logicalType": "uuid"}, None),
            ({"type": "bytes", "logicalType": "decimal", "precision": 2, "scale": 3}, None),
            ({"type": "bytes", "logicalType": "decimal"}, None),
            ({"type": "string", "logicalType": "decimal", "precision": 8}, None),
            ({"type": "string", "logicalType": "uuid"}, "uuid"),
            ({"type": "long", "logicalType": "local-timestamp-nanos"}, "local-timestamp-nanos"),
            ({"type": "string", "logicalType": "date"}, None),
            ({"type": "long", "logicalType": "furlong"}, None),
            ({"type": {"type": "long"}, "logicalType": "timestamp-micros"}, "timestamp-micros"),
        ],
    )
    def test_logical_type_counts_where_it_is_possible(self, kind: object, expected: str | None) -> None:
        """The specification: an unknown or invalid logical type is ignored, the type stays."""
        assert single(kind).logical_type == expected

    def test_logical_type_beside_the_type_of_a_field_is_ignored(self) -> None:
        """It is an attribute of the field; readers do not apply it."""
        assert single("int", logicalType="date").logical_type is None

    def test_connect_name_refines_a_type_that_nothing_else_refines(self) -> None:
        """Debezium's times are plain longs without it."""
        stamp = {"type": "long", "connect.name": "io.debezium.time.Timestamp"}
        day = {"type": "int", "logicalType": "date", "connect.name": "org.apache.kafka.connect.data.Date"}

        assert (single(stamp).logical_type, single(day).logical_type) == ("io.debezium.time.Timestamp", "date")

    def test_connect_name_of_a_record_is_only_its_name(self) -> None:
        """Connect writes it on every record."""
        assert single({**MONEY, "connect.name": "my-shop.Money"}).logical_type is None

    @pytest.mark.parametrize("marked", ["array", "entry", "name"])
    def test_array_of_map_entries_is_the_map_that_connect_meant(self, marked: str) -> None:
        """Avro's maps have text keys only; Connect writes others as entries."""
        entry = {
            "type": "record",
            "name": "E",
            "fields": [{"name": "key", "type": "int"}, {"name": "value", "type": MONEY}],
        }
        array: dict[str, object] = {"type": "array", "items": entry}
        mark = {"connect.internal.type": "MapEntry"}
        entry |= mark if marked == "entry" else {}
        entry |= {"name": "MapEntry", "namespace": "io.confluent.connect.avro"} if marked == "name" else {}
        array |= mark if marked == "array" else {}

        assert shown(read(record_of(f=array))) == [("f", "map"), ("f.{}", "record"), ("f.{}.amount", "long")]

    def test_entries_without_a_value_are_an_array(self) -> None:
        """There would be nothing to show as the map's values."""
        entry = {"type": "record", "name": "E", "connect.internal.type": "MapEntry", "fields": []}

        assert shown(read(record_of(f={"type": "array", "items": entry}))) == [("f", "array"), ("f.[]", "record")]


class TestAttributes:
    def test_default_is_kept_as_json_text(self) -> None:
        """Null, a text and an object differ; document order and letters stay."""
        defaults = [single("string", default=value).default for value in ("é", None, {"b": 1, "a": []})]

        assert defaults == ['"é"', "null", '{"b": 1, "a": []}']
        assert single("string").default is None

    @pytest.mark.parametrize(
        ("field", "kind"),
        [
            ({"doc": "what"}, {"type": "int", "doc": "other"}),
            ({"connect.doc": "what"}, "int"),
            ({}, {"type": "int", "connect.doc": "what"}),
            ({"doc": 5}, ["null", {**MONEY, "doc": "what"}]),
        ],
    )
    def test_nearest_documentation_is_taken(self, field: dict[str, object], kind: object) -> None:
        """The field's own words come before its type's."""
        assert single(kind, **field).doc == "what"

    def test_tags_of_field_and_type_are_joined(self) -> None:
        """Governance tags stand on either; each counts once."""
        column = single({**MONEY, "confluent:tags": ["PII", "GDPR", 3]}, **{"confluent:tags": ["X", "PII"]})

        assert column.tags == ("X", "PII", "GDPR")


class TestOddText:
    @pytest.mark.parametrize(
        "text", ["", "{", "[1,", "{}", "3", "true,", '{"type": 5}', "\x00", '{"a": ' + "9" * 5000 + "}"]
    )
    def test_text_that_is_no_schema_gives_a_problem_and_no_columns(self, text: str) -> None:
        """One broken text must not end a scan."""
        parsed = avro_fields(text, nobody)

        assert parsed.columns == ()
        assert parsed.problems

    @pytest.mark.parametrize(
        ("kind", "type_", "where"),
        [
            (None, "unknown", "shop.Row.f"),
            (7, "unknown", "shop.Row.f"),
            ([], "union", "shop.Row.f"),
            ("Nope", "Nope", "shop.Row.f"),
            ({"type": "Nope"}, "Nope", "shop.Row.f"),
            ("array", "array", "shop.Row.f"),
            ({"type": "map"}, "map", "shop.Row.f"),
            ({"type": "record", "name": "R"}, "record", "shop.R"),
            ({"type": "record"}, "record", "shop.Row.f"),
        ],
    )
    def test_wrong_type_is_a_problem_at_its_place_and_the_rest_is_read(
        self, kind: object, type_: str, where: str
    ) -> None:
        """A registry that checks nothing accepted it."""
        parsed = read(record_of(f=kind, g="int"))

        assert shown(parsed) == [("f", type_), ("g", "int")]
        assert [problem.where for problem in parsed.problems] == [where]

    def test_wrong_field_is_reported_with_its_number_and_the_rest_is_read(self) -> None:
        """There is no name to show a column under."""
        schema = {"type": "record", "name": "R", "fields": [3, {"type": "int"}, {"name": "a", "type": "int"}]}
        parsed = read(schema)

        assert shown(parsed) == [("a", "int")]
        assert [problem.where for problem in parsed.problems] == ["R", "R"]

    def test_field_that_is_there_twice_is_read_once(self) -> None:
        """Two columns of one path could not be distinguished."""
        fields = [{"name": "a", "type": "int"}, {"name": "a", "type": "string"}]
        parsed = read({"type": "record", "name": "R", "fields": fields})

        assert shown(parsed) == [("a", "int")]
        assert len(parsed.problems) == 1

    def test_wrong_place_of_a_type_that_is_used_twice_is_reported_once(self) -> None:
        """Ten uses would bury the other problems."""
        broken = {"type": "record", "name": "B", "fields": [{"name": "x", "type": "Nope"}]}
        parsed = read(record_of(a=broken, b="B", c="B"))

        assert [(problem.where, problem.what) for problem in parsed.problems] == [
            ("shop.B.x", "no schema defines 'Nope'")
        ]

    def test_half_a_surrogate_pair_is_replaced(self) -> None:
        """No database or file can hold it; a scan must not fail on a name."""
        parsed = avro_fields(r'{"type":"record","name":"R","fields":[{"name":"a\ud800","type":"int"}]}', nobody)

        assert parsed.columns[0].path == ("a\ufffd",)

    def test_what_fastavro_refuses_is_a_problem_and_costs_no_column(self) -> None:
        """A registry took the schema; some readers will not."""
        parsed = read({"type": "record", "name": "R", "fields": [{"name": "a", "type": "int", "default": "x"}]})

        assert shown(parsed) == [("a", "int")]
        assert [problem.hint for problem in parsed.problems] == [
            "Apache Avro readers may reject it; its columns are read"
        ]

    def test_enormous_schema_is_read_without_a_second_opinion(self) -> None:
        """The opinion is not worth its time there."""
        doc = "x" * 1_000_000
        parsed = read(
            {"type": "record", "name": "R", "fields": [{"name": "a", "type": "int", "default": "x", "doc": doc}]}
        )

        assert (shown(parsed), parsed.problems) == ([("a", "int")], ())

    def test_fastavro_takes_a_schema_whose_references_are_known(self) -> None:
        """What another subject defines is no reason to complain."""
        assert (
            read(record_of(f="pay.Money"), {"pay.Money": json.dumps({**MONEY, "namespace": "pay"})}.get).problems == ()
        )


class TestBounds:
    def nested(self, depth: int) -> str:
        text = '"int"'
        for number in range(depth):
            text = f'["null",{{"type":"record","name":"R{number}","fields":[{{"name":"f","type":{text}}}]}}]'
        return text

    def test_two_hundred_records_inside_each_other_are_read(self) -> None:
        """Generated schemas are that deep."""
        parsed = avro_fields(self.nested(199), nobody)

        assert (len(parsed.columns), len(parsed.columns[-1].path), parsed.problems) == (199, 199, ())

    @pytest.mark.parametrize("text", ["[" * 100_000, '{"type":' * 5000 + '"int"' + "}" * 5000])
    def test_nesting_beyond_the_limit_is_a_problem(self, text: str) -> None:
        """Whatever the version of Python reads."""
        parsed = avro_fields(text, nobody)

        assert (parsed.columns, [problem.what for problem in parsed.problems]) == (
            (),
            ["the text cannot be read: it is nested too deeply: more than 800 levels"],
        )

    def test_chain_of_references_is_cut_at_the_deepest_path(self) -> None:
        """A short text each may still nest without end."""
        texts = {
            f"C{n}": json.dumps({**MONEY, "name": f"C{n}", "fields": [{"name": "n", "type": f"C{n + 1}"}]})
            for n in range(1500)
        }
        parsed = avro_fields("C0", texts.get)

        assert len(parsed.columns) == 1000
        assert len(parsed.problems) == 1

    @pytest.mark.slow
    @pytest.mark.no_cover
    def test_types_that_multiply_without_end_are_shown_at_their_first_use(self) -> None:
        """Thirty types that each use the next three times are two hundred million million columns."""
        fields = [[{"name": name, "type": f"L{n - 1}"} for name in "abc"] for n in range(30)]
        levels = {f"L{n}": {"type": "record", "name": f"L{n}", "fields": fields[n] if n else []} for n in range(30)}
        parsed = read("L29", lambda name: json.dumps(levels[name]))

        assert len(parsed.columns) == 29 * 3
        assert [problem.hint for problem in parsed.problems] == [
            "the columns of each named type are shown at its first use only"
        ]


def test_an_empty_type_name_is_no_column_and_a_problem() -> None:
    """Every column has a type."""
    parsed = read("")

    assert not parsed.columns
    assert "no schema defines ''" in [problem.what for problem in parsed.problems]
