"""Columns that no schema of a topic has, and what else has a name: tags, owners, documentation, subjects."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scanner_dictionary.engine.open import writing
from scanner_dictionary.queries.resolve import nearest_names
from scanner_dictionary.schema import tables as t
from scanner_dictionary.search.columns_by_name import all_columns, columns_called
from scanner_dictionary.search.search import search
from scanner_dictionary.write.name_index import index_nodes
from scanner_model.catalogs import Annotation, CatalogTable
from scanner_model.columns import Column
from scanner_model.names import Role

SHOP = "postgres://db:5432"
CLUSTER = (-9, "cluster:retail", "cluster", "kafka://kafka-1:9092", "retail", None, "{}")
FLOWS = (
    (-3, f"column:{SHOP}/shop.orders#total", "column", SHOP, "shop.orders", '["total"]', "{}"),
    (-2, f"column:{SHOP}/shop.facts#total", "column", SHOP, "shop.facts", '["total"]', "{}"),
    (-1, "column:kafka://kafka-1:9092/cdc#@key.total", "column", CLUSTER[3], "cdc", '["@key", "total"]', "{}"),
)
HOLDS = (-1, -9, -1, "contains", "", "", "", "declared")


@pytest.fixture
def shop(dictionary, store, sample_scan):
    """Return a dictionary with a table, two columns that only flows know, an owner, and documentation."""
    kafka, registry = (outcome.source for outcome in sample_scan.outcomes[:2])
    table = CatalogTable(
        source=kafka,
        provider="database",
        namespace=SHOP,
        name="shop.orders",
        columns=(Column(path=("total",), type="numeric", doc="with tax", tags=("money",)),),
    )
    about = {"kind": "kafka_topic", "name": "lkc:orders", "topic": "orders", "description": "What was bought"}
    note = Annotation(source=registry, owner="payments-team", tags=("gold",), **about)
    store(replace(sample_scan, catalog_tables=(table,), annotations=(note,)))
    with writing(dictionary) as conn:
        for row in (CLUSTER, *FLOWS):
            conn.execute(t.flow_node.insert().values(row))
        conn.execute(t.flow_edge.insert().values(HOLDS))
        index_nodes(conn, [], [(row[0], ("total",)) for row in FLOWS])
    return dictionary


def hits(dictionary, text, **options) -> list[tuple[str, ...]]:
    with dictionary.connect() as conn:
        found = search(conn, text, **options).hits
        return [(hit.kind, hit.where, hit.name, hit.match, hit.origin) for hit in found]


def test_columns_of_tables_and_flows_are_found_each_once_with_their_origin(shop) -> None:
    """A table says more of a column than the flow that reads it."""
    assert hits(shop, "total", kinds=["column"]) == [
        ("column", SHOP, "shop.orders", "exact", "table"),
        ("column", SHOP, "shop.facts", "exact", "derived"),
        ("column", "retail", "cdc", "exact", "declared"),
        ("column", "retail", "orders", "word", "schema"),
    ]
    assert [name for _, _, name, *_ in hits(shop, "total", kinds=["column"], cluster="retail")] == ["cdc", "orders"]
    assert [name for _, _, name, *_ in hits(shop, "total", kinds=["column"], cluster=SHOP)] == [
        "shop.orders",
        "shop.facts",
    ]


def test_columns_by_name_are_those_of_every_origin_in_pages(shop) -> None:
    """A page continues in the next kind of column."""
    with shop.connect() as conn:
        whole, after = columns_called(conn, "total"), {}
        paged = []
        while after is not None:
            page = columns_called(conn, "total", limit=1, **after)
            paged += page.columns
            after = None if page.after is None else {"after": page.after}
        listed = [column for column in all_columns(conn, pattern="total") if column.origin != "schema"]

    assert tuple(paged) == whole.columns == tuple(listed)
    assert [(each.topic, each.role, each.dataset, each.origin) for each in whole.columns] == [
        ("", "", f"{SHOP}/shop.orders", "table"),
        ("", "", f"{SHOP}/shop.facts", "derived"),
        ("cdc", "key", "", "declared"),
    ]
    assert whole.columns[0].node == FLOWS[0][1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gold", ("tag", "", "gold", "exact", "")),
        ("payments", ("owner", "", "payments-team", "prefix", "")),
        ("was bought", ("topic", "retail", "orders", "doc", "")),
        ("orders-value", ("subject", "retail", "orders-value", "exact", "")),
    ],
)
def test_tags_owners_and_documentation_are_found(shop, text, expected) -> None:
    """People search for what a thing is about, and for whom to call."""
    assert hits(shop, text) == [expected]


def test_a_subject_names_its_topics_each_once(dictionary, store, sample, sample_scan) -> None:
    """Nobody looks at a subject for its own sake; one may describe both sides of a topic."""
    version = sample_scan.versions[0]
    sides = (sample.link(name, version, role) for name in ("orders-enriched", "orders") for role in Role)
    store(replace(sample_scan, topic_schemas=tuple(sides)))
    with dictionary.connect() as conn:
        assert [hit.topics for hit in search(conn, "orders-value").hits] == [("orders", "orders-enriched")]


def test_what_is_not_annotated_any_more_is_not_found(shop, store, sample_scan) -> None:
    """An owner that left must not be called."""
    kafka, registry = (outcome.source for outcome in sample_scan.outcomes[:2])
    assert kafka != registry
    store(sample_scan)

    assert hits(shop, "payments-team") == hits(shop, "gold") == hits(shop, "bought") == []


def test_the_nearest_names_leave_out_words_of_documentation(shop) -> None:
    """They name nothing that could be looked up."""
    with shop.connect() as conn:
        assert nearest_names(conn, "boughd") == ()
        assert nearest_names(conn, "ordes")[0] == "orders"
