"""Where columns are: by name, by tag, and only those that topics have now."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scanner_dictionary.queries.columns import topic_columns
from scanner_dictionary.queries.topic_schemas import schemas_of
from scanner_model.catalogs import Annotation
from scanner_model.columns import Column
from scanner_model.names import Role, SourceId

CATALOG = SourceId("stream_catalog:x")
MAIL = Column(path=("customer", "email"), type="string", tags=("PII",))


@pytest.fixture
def search(dictionary):
    """Return what asks the dictionary, and reports topic, side and column."""

    def query(**wanted):
        with dictionary.connect() as conn:
            return [(row.topic, row.role, row.name) for row in topic_columns(conn, **wanted)]

    return query


@pytest.fixture
def stored(sample, store):
    """Store a topic whose newest schema has a tagged column beside a plain one."""
    scan = sample.orders()
    columns = (Column(path=("customer",), type="record"), MAIL)
    newest = replace(scan.definitions[1], columns=columns)
    store(replace(scan, definitions=(scan.definitions[0], newest)))
    return scan


def test_columns_are_those_of_the_current_schemas_in_order(stored, search) -> None:
    """The first version of the value is no longer what the topic has."""
    assert search() == [
        ("orders", Role.KEY, "id"),
        ("orders", Role.VALUE, "customer"),
        ("orders", Role.VALUE, "customer.email"),
    ]


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ({"pattern": "EMAIL"}, ["customer.email"]),
        ({"pattern": "customer"}, ["customer", "customer.email"]),
        ({"pattern": "*.email"}, ["customer.email"]),
        ({"tag": "pii"}, ["customer.email"]),
        ({"tag": "PI"}, []),
        ({"pattern": "id", "tag": "PII"}, []),
        ({"cluster": "other"}, []),
    ],
)
def test_columns_are_found_by_name_and_by_tag(wanted, names, stored, search) -> None:
    """A part of the name will do, a part of a tag will not."""
    assert [name for _, _, name in search(**wanted)] == names


def test_tags_written_in_a_catalog_count_as_well(sample, store, search) -> None:
    """People tag fields where they see them, not in the schema."""
    note = Annotation(
        source=CATALOG, name="lsrc-1:.:102:shop.R.id", kind="sr_field", record="shop.R", path=("id",), schema_id="102",
        tags=("Secret",),
    )  # fmt: skip
    scan = sample.orders()
    store(replace(scan, outcomes=(*scan.outcomes, sample.outcome(CATALOG)), annotations=(note,)))

    assert search(tag="Secret") == [("orders", Role.VALUE, "id")]


def test_columns_of_a_topic_that_is_gone_are_not_listed(sample, stored, store, search) -> None:
    """What is queried for is where data are, not where they were."""
    store(sample.scan())

    assert search() == []


def test_tags_of_a_record_are_stored_with_it_and_with_its_columns(sample, store, dictionary) -> None:
    """They are found as any other, and say that they are inherited; one that a catalog has, too, is the column's."""
    scan = sample.orders()
    column = Column(path=("id",), type="string", tags=("PII", "GEO"), inherited_tags=("PII", "GEO"))
    newest = replace(scan.definitions[1], columns=(column,), tags=("PII", "GEO"))
    note = Annotation(
        source=CATALOG, name="n", kind="sr_field", record="shop.R", path=("id",), schema_id="102", tags=("GEO",)
    )
    outcomes = (*scan.outcomes, sample.outcome(CATALOG))
    store(replace(scan, definitions=(scan.definitions[0], newest), outcomes=outcomes, annotations=(note,)))
    with dictionary.connect() as conn:
        (row,) = topic_columns(conn, tag="pii")
        answer = schemas_of(conn, "kafka-1:9092", "orders")[-1]

    assert (row.tags, row.inherited_tags) == (("PII", "GEO"), ("PII",))
    assert (answer.record_tags, answer.columns[0].inherited_tags) == (("PII", "GEO"), ("PII",))
