"""Statements that created objects: options, parts of messages, formats, queries; and any other text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_extractor.systems.databases.engines.definitions import Definition, Included, ObjectName, plain_query

OPTIONS = "WITH (connector = 'kafka', properties.bootstrap.server = 'a:1,b:2', \"database.name\" = 'it''s')"


def test_options_are_read_by_their_names() -> None:
    """RisingWave writes names with dots, and quotes those that have a keyword in them."""
    definition = Definition(f"CREATE SOURCE s {OPTIONS} FORMAT PLAIN ENCODE JSON")

    assert definition.settings == {
        "connector": "kafka",
        "properties.bootstrap.server": "a:1,b:2",
        "database.name": "it's",
    }


def test_secrets_and_lists_are_no_options() -> None:
    """`SECRET name` refers to what is stored elsewhere."""
    definition = Definition("CREATE SOURCE s WITH (a = secret public.b, c = FIXED(x -> y), connection = conn)")

    assert definition.settings == {"connection": "conn"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("FORMAT PLAIN ENCODE AVRO (schema.registry = 'http://sr')", ("PLAIN", "AVRO")),
        ("FORMAT UPSERT ENCODE JSON KEY ENCODE TEXT", ("UPSERT", "JSON")),
        ("KEY FORMAT TEXT VALUE FORMAT JSON ENVELOPE UPSERT", ("JSON", "")),
        ("", ("", "")),
    ],
)
def test_format_is_that_of_the_value(text, expected) -> None:
    """RisingWave names the format of the envelope first, Materialize may name that of the key first."""
    assert Definition(f"CREATE SOURCE s (format INT) {text}").format == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("INCLUDE key AS k INCLUDE timestamp WITH (a = 'b')", [("KEY", "k"), ("TIMESTAMP", "")]),
        ("INCLUDE header AS h INCLUDE header 'x' CHARACTER VARYING AS \"X y\"", [("HEADER", "h"), ("HEADER", "X y")]),
        (
            "INCLUDE KEY AS k, PARTITION, HEADER 'x' AS h BYTES ENVELOPE NONE",
            [("KEY", "k"), ("PARTITION", ""), ("HEADER", "h")],
        ),
        ("FORMAT JSON", []),
    ],
)
def test_parts_of_messages_are_named(text, expected) -> None:
    """RisingWave repeats INCLUDE, Materialize writes commas."""
    assert list(Definition(f"CREATE SOURCE s {text}").included) == [Included(*pair) for pair in expected]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("CREATE MATERIALIZED VIEW v (a) AS SELECT x FROM t EMIT ON WINDOW CLOSE", "SELECT x FROM t"),
        (
            "CREATE MATERIALIZED VIEW v WITH (rate = 0) AS WITH c AS (SELECT 1) SELECT * FROM c",
            "WITH c AS (SELECT 1) SELECT * FROM c",
        ),
        (
            "CREATE SINK s AS SELECT format, emit FROM t WITH (password = 'x') FORMAT PLAIN ENCODE JSON",
            "SELECT format, emit FROM t",
        ),
        ("CREATE SINK s FROM public.mv WITH (topic = 't')", 'SELECT * FROM "public"."mv"'),
        ("CREATE SINK s INTO t (a) AS SELECT a FROM mv", "SELECT a FROM mv"),
        (
            'CREATE SINK s IN CLUSTER [u1] FROM [u2 AS "m"."p"."v" VERSION 1] INTO KAFKA CONNECTION k',
            'SELECT * FROM "m"."p"."v"',
        ),
        ("CREATE SOURCE s INCLUDE KEY AS k WITH (a = 'b')", ""),
        ("", ""),
    ],
)
def test_query_has_nothing_of_its_statement(text, query) -> None:
    """Options behind it may be passwords, and the SQL parser knows no EMIT."""
    assert Definition(text).query == query


def test_computed_columns_are_read_with_the_words_of_their_expressions() -> None:
    """Watermarks and keys stand in the same list."""
    listed = "a INT, d DATE AS t::DATE, p TIMESTAMPTZ AS proctime(), PRIMARY KEY (a), WATERMARK FOR t AS t - 1"
    text = f"CREATE SOURCE s ({listed})"

    assert {name: words[0] for name, words in Definition(text).computed.items()} == {"d": "t", "p": "proctime"}


def test_names_of_materialize_have_their_ids() -> None:
    """By the id the object is found in the catalog."""
    definition = Definition('CREATE SINK s FROM [u2 AS "m"."p"."v"] INTO KAFKA CONNECTION "k" (TOPIC \'t\')')

    assert definition.name(definition.index("FROM")) == ObjectName(("m", "p", "v"), "u2")
    at = definition.index("CONNECTION")
    assert definition.options(definition.behind_name(at)) == {"topic": "t"}


@pytest.mark.parametrize(
    ("stored", "plain"),
    [
        (
            'SELECT a::[s20 AS "pg_catalog"."int4"] FROM [u1 AS "m"."p"."t" VERSION 2];',
            'SELECT a::"pg_catalog"."int4" FROM "m"."p"."t"',
        ),
        ("SELECT max(a) FROM t OPTIONS (AGGREGATE INPUT GROUP SIZE = 1)", "SELECT max(a) FROM t"),
        ("SELECT l[1], '[u1 AS x]' FROM t", "SELECT l[1], '[u1 AS x]' FROM t"),
        ("SELECT 1 FROM [u1 AS t", "SELECT 1 FROM [u1 AS t"),
    ],
)
def test_query_of_materialize_becomes_plain(stored, plain) -> None:
    """Other parsers know no ids and no hints; brackets of lists and texts stay."""
    assert plain_query(stored) == plain


WORDS = st.sampled_from(
    ("AS", "FROM", "WITH", "(", ")", "[", "]", "u1", "'", '"', ",", "=", ".", "INCLUDE", "KEY", "FORMAT")
)


@given(st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=60).map(" ".join)))
def test_any_text_is_read(text) -> None:
    """A definition is what somebody wrote, in a version that nobody has seen."""
    definition = Definition(text)

    assert definition.query in (definition.query.strip(), "")
    assert all(isinstance(value, str) for value in definition.settings.values())
    assert len(definition.format) == 2
    assert all(included.part for included in definition.included)
    assert all(name in text.replace('""', '"') for name in definition.computed)
    assert len(plain_query(text)) <= 3 * len(text) + 1


@pytest.mark.parametrize(
    "text", ["(" * 50_000, "'" * 49_999, "INCLUDE KEY AS " * 5_000, "[u1 AS " * 10_000, "WITH ( " * 9_000]
)
def test_long_text_is_read_once(text) -> None:
    """The number of tokens that are looked at grows with the text."""
    definition = Definition(text)

    assert len(list(definition.included)) <= 5_000
    assert len(definition.query) + len(definition.settings) + len(plain_query(text)) <= 2 * len(text)
