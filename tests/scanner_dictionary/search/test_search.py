"""Searches by name: what matches, in which order, and what is not found any more."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scanner_dictionary.engine.open import open_dictionary, writing
from scanner_dictionary.queries.topic_schemas import schemas_of
from scanner_dictionary.schema import tables as t
from scanner_dictionary.search.names import COMPARED_NAMES, leaf_name, names_near, words_of
from scanner_dictionary.search.search import search
from scanner_dictionary.write.name_index import index_nodes
from scanner_dictionary.write.scan import write_scan
from scanner_model.columns import Column
from scanner_model.errors import NameUnknown


def found(dictionary, text, **options):
    with dictionary.connect() as conn:
        return search(conn, text, **options)


def names(result) -> list[str]:
    return [".".join([hit.name, *(hit.path or ())]) for hit in result.hits]


def test_the_best_match_comes_first(dictionary, store, sample_scan) -> None:
    """Exact names, then prefixes, then words; topics before the rest of the same match."""
    store(sample_scan)
    result = found(dictionary, "orders", kinds=["topic"])

    assert names(result) == ["orders", "orders-enriched", "customer.orders"]
    assert [hit.match for hit in result.hits] == ["exact", "prefix", "word"]
    assert result.complete


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("email", ["orders.email", "orders.contact.email"]),
        ("ID", ["orders.id", "orders.@key.id", "orders.customerId", "orders.customer_id"]),
        ("total", ["orders.orderTotal"]),
        ("rderto", ["orders.orderTotal"]),
        ("orders.cust", ["orders.customer_id", "orders.customerId"]),
        ("orders.contact.email", ["orders.contact.email"]),
        ("nothing", []),
        ("%", []),
        ("_", ["orders.customer_id"]),
    ],
)
def test_columns_are_found_by_words_of_their_own_name_and_with_their_topic(
    dictionary, store, sample_scan, text, expected
) -> None:
    """People remember the last part of a name."""
    store(sample_scan)

    assert names(found(dictionary, text, kinds=["column"])) == expected


def test_a_deleted_topic_is_not_found_and_found_again_when_it_returns(dictionary, store, sample_scan, sample) -> None:
    """Its name stays in the index, and its row in the dictionary."""
    store(sample_scan)
    store(sample.scan(topics=(sample.topic("orders-enriched"),)))
    without = names(found(dictionary, "orders"))
    store(sample_scan)

    assert without == ["orders-enriched"]
    assert names(found(dictionary, "orders", kinds=["topic"]))[0] == "orders"


def test_storing_the_same_again_adds_no_name(dictionary, store, sample_scan) -> None:
    """Twice the same scan is the same dictionary."""
    store(sample_scan)
    with dictionary.connect() as conn:
        before = [sorted(conn.execute(table.select()).all()) for table in (t.search_term, t.search_word, t.search_use)]
    store(sample_scan)
    with dictionary.connect() as conn:
        after = [sorted(conn.execute(table.select()).all()) for table in (t.search_term, t.search_word, t.search_use)]

    assert before == after
    assert all(before)


def test_nodes_of_a_graph_replace_those_of_the_one_before(dictionary, store, sample_scan) -> None:
    """A job that is gone must not be found."""
    store(sample_scan)
    cells = ("job", "connect://main", "sink-orders", None, "{}")
    with writing(dictionary) as conn:
        conn.execute(t.flow_node.insert().values([-1, "job:x", *cells]))
        index_nodes(conn, [(-1, "sink-orders")])
    first = found(dictionary, "sink", kinds=["node"])
    with writing(dictionary) as conn:
        index_nodes(conn, [])

    assert [(hit.kind, hit.where, hit.name, hit.node) for hit in first.hits] == [
        ("job", "connect://main", "sink-orders", "job:x")
    ]
    assert names(found(dictionary, "sink", kinds=["node"])) == []


def test_a_column_is_found_beside_many_former_schemas_that_have_it(dictionary, store, sample) -> None:
    """Keys of definitions ascend: the first ones are former versions."""
    versions = [sample.version("orders-value", number, ("email", f"f{number}")) for number in range(1, 251)]
    store(
        sample.scan(
            topics=(sample.topic("orders"),),
            versions=tuple(versions),
            definitions=tuple(sample.definition("email", f"f{number}") for number in range(1, 251)),
            topic_schemas=tuple(sample.link("orders", each, current=each is versions[-1]) for each in versions),
        )
    )

    assert names(found(dictionary, "email", kinds=["column"])) == ["orders.email"]
    assert names(found(dictionary, "email", kinds=["column"], cluster="retail")) == ["orders.email"]
    assert names(found(dictionary, "email", kinds=["column"], cluster="other")) == []


@pytest.mark.parametrize("name", ["ÉTAT", "a`b", "50%_of"])
def test_a_column_is_found_whatever_its_name_holds(dictionary, store, sample, name) -> None:
    """Alone, and behind the name of its topic."""
    columns = (Column(path=(name,), type="string"), Column(path=("other",), type="string"))
    store(sample.described(*columns))

    for text in (name.lower(), f"orders.{columns[0].name.lower()}"):
        assert [hit.path for hit in found(dictionary, text, kinds=["column"]).hits] == [(name,)]


def test_pages_of_hits_do_not_overlap(dictionary, store, sample_scan) -> None:
    """A page says whether there is another."""
    store(sample_scan)
    whole = found(dictionary, "o", limit=50)
    paged, at = [], 0
    while True:
        page = found(dictionary, "o", limit=2, offset=at)
        paged += page.hits
        at += 2
        if not page.more:
            break

    assert tuple(paged) == whole.hits
    assert len(whole.hits) > 4


def test_a_dictionary_that_an_older_program_filled_reports_that_names_are_missing(
    dictionary, store, sample_scan
) -> None:
    """An empty answer would look like a certain one."""
    store(sample_scan)
    with writing(dictionary) as conn:
        for table in (t.search_progress, t.search_use, t.search_word, t.search_term):
            conn.execute(table.delete())
    before = found(dictionary, "orders")
    store(sample_scan)

    assert (before.hits, before.complete) == ((), False)
    assert found(dictionary, "orders", kinds=["topic", "subject"]).complete
    assert not found(dictionary, "orders", kinds=["column"]).complete
    assert names(found(dictionary, "orders"))[0] == "orders"


def test_jobs_are_complete_only_with_the_graph_of_the_newest_scan(dictionary, store, sample_scan) -> None:
    """They are found by the nodes of the graph: without one it cannot be said that there is none."""
    store(sample_scan)
    without = found(dictionary, "copy")
    with writing(dictionary) as conn:
        index_nodes(conn, [])
    current = found(dictionary, "copy")
    store(sample_scan)

    assert (without.complete, current.complete, found(dictionary, "copy").complete) == (False, True, False)
    assert found(dictionary, "copy", kinds=["topic"]).complete


def test_a_search_that_matches_more_than_is_ranked_reports_it(dictionary, store, sample) -> None:
    """Paging to the end does not list everything then."""
    many = sample.scan(topics=tuple(sample.topic(f"events-{number}") for number in range(250)))
    store(many)

    assert not found(dictionary, "events", kinds=["topic"]).complete
    assert found(dictionary, "events-24", kinds=["topic"]).complete


@pytest.mark.slow
def test_names_near_a_misspelt_one_are_found_without_comparing_all(dictionary, store, sample) -> None:
    """A large dictionary has millions of names."""
    names = [f"shop.events-{number:05}.v1" for number in range(COMPARED_NAMES + 10)]
    with dictionary.connect() as conn:
        small = names_near(conn, "shop.events-00007.v2")
    store(sample.scan(topics=tuple(map(sample.topic, names))))
    with dictionary.connect() as conn:
        near = names_near(conn, "shop.events-00007.v2")
        with pytest.raises(NameUnknown) as caught:
            schemas_of(conn, "kafka-1:9092", "shop.events-00007.v2")

    assert small is None
    assert near is not None
    assert "shop.events-00007.v1" in near
    assert len(near) <= 60 * len(words_of("shop.events-00007.v2"))
    assert caught.value.hint.startswith("did you mean 'shop.events-00007.v1'")


@pytest.mark.postgres
def test_a_server_answers_as_a_file_does(postgres_url, dictionary, store, sample_scan, at) -> None:
    """Prefixes are ranges of an index, whose order depends on the database's language otherwise."""

    store(sample_scan)
    server = open_dictionary(postgres_url)
    write_scan(server, sample_scan, started=at, finished=at)

    for text in ("orders", "id", "o", "rderto", "orders.cust", "my_o", "ORDER"):
        assert found(server, text, limit=50) == found(dictionary, text, limit=50), text


@given(st.text(max_size=300))
def test_words_are_ends_of_the_name(name) -> None:
    """The whole name is the first; none is empty or longer than the index takes."""
    words = words_of(name)

    assert len(words) <= 16
    assert all(0 < len(word) <= 64 for word in words)
    assert not name or words[0] == name.lower()[:64]


@pytest.mark.parametrize(
    ("path", "leaf"),
    [((), ""), (("a", "b"), "b"), (("a", "[]"), "a"), (("a", "{}", "<B>"), "a"), (("`x.y`",), "x.y"), (("[]",), "")],
)
def test_the_own_name_of_a_column_is_its_innermost_field(path, leaf) -> None:
    """Elements of arrays and branches of unions have none."""
    assert leaf_name(path) == leaf
