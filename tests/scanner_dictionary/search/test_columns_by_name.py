"""Columns by their own name or a tag: which are found, and how little is read for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from sqlalchemy import Connection, event

from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.queries.topics import field_tags, name_filter
from scanner_dictionary.search.columns_by_name import all_columns, columns_called
from scanner_dictionary.write.scan import write_scan
from scanner_model.catalogs import Annotation
from scanner_model.columns import Column


def note(scan, *tags: str):
    """Add the tags of a field in a stream catalog to a scan."""
    about = {"kind": "sr_field", "name": "lsrc:.:101:shop.R.id", "schema_id": "101", "record": "shop.R"}
    source = scan.outcomes[1].source
    return replace(scan, annotations=(Annotation(source=source, path=("id",), tags=tags, **about),))


def listed(dictionary, **options) -> list[tuple[str, str]]:
    with dictionary.connect() as conn:
        return [(column.topic, column.name) for column in columns_called(conn, **options).columns]


@contextmanager
def statements(conn: Connection) -> Iterator[list[tuple[str, object]]]:
    """Collect the statements that are executed meanwhile, with their parameters."""
    seen: list[tuple[str, object]] = []

    def note_it(_conn, _cursor, statement, parameters, _context, _many) -> None:
        seen.append((statement, parameters))

    event.listen(conn, "before_cursor_execute", note_it)
    try:
        yield seen
    finally:
        event.remove(conn, "before_cursor_execute", note_it)


def plan(conn: Connection, statement: str, parameters: object) -> list[str]:
    """Return SQLite's plan of a statement."""
    return [row[3] for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)]


def test_columns_are_listed_by_name_in_any_letter_case(dictionary, store, sample_scan) -> None:
    """Names are what people wrote."""
    store(sample_scan)

    assert listed(dictionary, name="EMAIL") == [("orders", "email"), ("orders", "contact.email")]
    assert listed(dictionary, name="id", cluster="other") == []


@pytest.mark.parametrize("name", ["ÉTAT", "price.net", "a`b", "100%", "a_b", "x" * 300])
def test_a_column_is_found_whatever_its_name_holds(dictionary, store, sample, name) -> None:
    """Databases fold only ASCII, and a pattern has marks of its own."""
    columns = (Column(path=(name,), type="string", tags=("PII",)), Column(path=("axb",), type="string"))
    store(sample.described(*columns))

    wanted = name.lower()[:200]
    assert [column for _, column in listed(dictionary, name=wanted)] == [columns[0].name]


def test_columns_are_listed_a_page_at_a_time(dictionary, store, sample_scan) -> None:
    """A name may stand in thousands of schemas."""
    store(sample_scan)
    with dictionary.connect() as conn:
        first = columns_called(conn, "id", limit=1)
        second = columns_called(conn, "id", limit=1, after=first.after or 0)
        whole = columns_called(conn, "id").columns

    assert first.columns + second.columns == whole
    assert len(whole) == 2


def test_former_schemas_and_columns_of_other_names_are_not_read(dictionary, store, sample) -> None:
    """Of ten versions nine are former ones, and of a hundred columns one has the name: both were read and dropped."""
    versions = [sample.version("orders-value", number, (f"f{number}",)) for number in range(1, 201)]
    mail = Column(path=("mail",), type="string", tags=("PII",))
    definitions = [sample.definition(*each.text.split(",")) for each in versions]
    store(
        note(
            sample.scan(
                topics=(sample.topic("orders"),),
                versions=tuple(versions),
                definitions=tuple(replace(each, columns=(*each.columns, mail)) for each in definitions),
                topic_schemas=tuple(sample.link("orders", each, current=each is versions[-1]) for each in versions),
            ),
            "GDPR",
        )
    )
    with dictionary.connect() as conn:
        with statements(conn) as seen:
            page = columns_called(conn, "mail")
        plans = [line for statement in seen for line in plan(conn, *statement)]
        of_columns = [statement for statement, _ in seen if "FROM schema_column" in statement]

    assert len(page.columns) == 1
    assert len(seen) <= 13, "definitions are taken 50 at a time, and only those that describe a topic now"
    assert len(of_columns) == 1
    assert "schema_column.name LIKE" in of_columns[0]
    assert "SEARCH topic_schema USING INDEX ix_topic_schema_definition (definition_id=?)" in plans
    assert "SEARCH annotation USING INDEX ix_annotation_schema (schema_id=?)" in plans
    assert not [line for line in plans if line.startswith(("SCAN schema_column", "SCAN topic", "SCAN annotation"))]


def test_tags_of_many_schemas_are_looked_up_by_schema(dictionary, store, sample) -> None:
    """A catalog may have tagged 100,000 fields of the cluster."""
    store(sample.scan())
    with dictionary.connect() as conn:
        with statements(conn) as seen:
            field_tags(conn, 1, {str(number) for number in range(60)})
        (plans,) = [plan(conn, *each) for each in seen if "annotation" in each[0]]

    assert "SEARCH annotation USING INDEX ix_annotation_schema (schema_id=?)" in plans


@pytest.mark.postgres
def test_a_server_answers_as_a_file_does(postgres_url, dictionary, store, sample_scan, at) -> None:
    """Its LIKE minds letter case, and its rows have no order of their own."""
    store(note(sample_scan, "GDPR"))
    server = open_dictionary(postgres_url)
    write_scan(server, note(sample_scan, "GDPR"), started=at, finished=at)

    for options in ({"name": "EMAIL"}, {"name": "id"}):
        assert listed(server, **options) == listed(dictionary, **options)
        assert listed(server, **options)
    server.dispose()


@pytest.mark.parametrize(
    "pattern",
    [
        "mail",
        "E-MAIL",
        "contact",
        "contact.e",
        "*.[0-9]*",
        "price.net",
        "*net",
        "a`b",
        "100%",
        "a_b",
        "é",
        "x" * 250,
        "?",
    ],
)
def test_part_of_a_name_finds_what_reading_every_column_finds(dictionary, store, sample, pattern) -> None:
    """Behind the first topics, only schemas with such a name are read; the index has each field once, not paths."""
    odd = [("contact",), ("contact", "e-mail"), ("contact", "e-mail", "2nd"), ("price.net",), ("a`b",), ("100%",)]
    odd += [("a_b",), ("axb",), ("Été",), ("x" * 300,), ("lines",), ("lines", "[]"), ("lines", "[]", "mailed")]
    names = [f"t{number:03}" for number in range(80)]
    paths = [[(f"f_{name}",)] if name < "t070" else odd for name in names]
    columns = [[Column(path=path, type="string") for path in listed] for listed in paths]
    definitions = [replace(sample.definition(name), columns=tuple(of)) for name, of in zip(names, columns, strict=True)]
    versions = [sample.version(f"{name}-value", 1, (name,)) for name in names]
    store(
        sample.scan(
            topics=tuple(map(sample.topic, names)),
            versions=tuple(versions),
            definitions=tuple(definitions),
            topic_schemas=tuple(map(sample.link, names, versions)),
        )
    )
    with dictionary.connect() as conn:
        found = list(all_columns(conn, pattern=pattern))
        fits = name_filter(pattern)
        assert found == [column for column in all_columns(conn) if fits(column.name)]
