"""Searches, parts of the graph and pooled readers, over the bundled example."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest
from sqlalchemy import text

import scanner_api
from scanner_api.dictionary import Dictionary, measures
from scanner_model.errors import DictionaryUnusable, InputInvalid, NameUnknown

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parents[2] / "examples/retail"


@pytest.fixture(scope="module")
def retail_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scan the example once; tests must not write into this file."""
    file = tmp_path_factory.mktemp("retail") / "retail.db"
    dictionary = scanner_api.open_dictionary(file, create=True)
    scanner_api.scan([EXAMPLE / "cluster.json"], dictionary, replay=EXAMPLE / "capture")
    scanner_api.generate(dictionary)
    return file


@pytest.fixture
def retail(retail_file: Path) -> Dictionary:
    return scanner_api.open_dictionary(retail_file)


def test_every_hit_of_a_search_leads_into_the_graph(retail) -> None:
    """A page asks for the neighbourhood of what was chosen."""
    hits = scanner_api.search(retail, "order", limit=50)
    nodes = [scanner_api.lineage(retail, hit.node, hops=1) for hit in hits if hit.kind != "subject"]
    nodes = [next(node.kind for node in found.nodes if node.id == found.root) for found in nodes]

    assert {"topic", "job", "consumer-group"} <= set(nodes)


def test_a_neighbourhood_counts_what_it_does_not_show(retail) -> None:
    """A page writes how many more there are."""
    near = scanner_api.lineage(retail, "orders", upstream=0, downstream=1)
    wide = scanner_api.lineage(retail, "orders", upstream=0, downstream=1, contents=True)
    root = next(node for node in near.nodes if node.id == near.root)

    assert root.downstream == sum(edge.source == root.id for edge in near.edges) > 0
    assert near.complete
    assert (near.reachable.upstream, near.reachable.complete) == (0, False)
    assert {node.id for node in near.nodes} < {node.id for node in wide.nodes}
    ends = {end for edge in wide.edges for end in (edge.source, edge.target)}
    assert ends <= {node.id for node in wide.nodes}


def test_a_neighbourhood_is_bounded(retail) -> None:
    """A node may have a million edges."""
    part = scanner_api.lineage(retail, "orders", hops=5, contents=True, limit=3)

    assert not part.complete
    assert len([edge for edge in part.edges if edge.kind != "contains"]) <= 3


def test_paths_lead_along_the_data_and_back_where_there_is_no_other(retail) -> None:
    """`reverse` says which."""
    ahead = scanner_api.paths(retail, "orders", "analytics")
    back = scanner_api.paths(retail, "analytics", "orders")

    assert [edge.kind for edge in ahead.paths[0]] == ["reads"]
    assert (ahead.reverse, back.reverse) == (False, True)
    assert ahead.paths == back.paths
    with pytest.raises(NameUnknown, match="orderz"):
        scanner_api.paths(retail, "orderz", "orders")


def test_a_topic_is_described_by_the_name_of_its_cluster_or_a_broker(retail) -> None:
    """Both are what people know."""
    by_name = scanner_api.describe_topic(retail, cluster="retail", topic="orders")

    assert by_name == scanner_api.describe_topic(retail, cluster="localhost:29095", topic="orders")
    assert by_name.schemas == scanner_api.topic_schemas(retail, cluster="localhost:29095", topic="orders").items
    assert by_name.user_count == len(by_name.users) > 0
    with pytest.raises(NameUnknown, match="no cluster 'retial'") as caught:
        scanner_api.describe_topic(retail, cluster="retial", topic="orders")
    assert "'retail'" in caught.value.hint


def test_stored_findings_are_those_of_a_validation(retail) -> None:
    """Validation takes seconds in a large dictionary; its results are stored with the scan."""
    assert scanner_api.findings(retail).items == scanner_api.validate(retail)
    assert scanner_api.findings(retail, cluster="retail") == scanner_api.findings(retail)


def test_wrong_questions_are_refused(retail) -> None:
    """A page of all columns has no order that an index has; they can be read whole."""
    with pytest.raises(InputInvalid, match="a name or a tag"):
        scanner_api.columns(retail, limit=10)


def test_topics_are_listed_behind_another(retail) -> None:
    """A page of a long list."""
    every = scanner_api.topics(retail)
    first = scanner_api.topics(retail, limit=4)
    behind = scanner_api.topics(retail, cursor=first.next_cursor, limit=2)

    assert behind.items == every[4:6]


def test_the_state_changes_with_every_scan_and_graph(retail_file, tmp_path) -> None:
    """Whoever keeps an answer must learn that it is old."""
    dictionary = scanner_api.open_dictionary(shutil.copy(retail_file, tmp_path / "d.db"))
    states = [scanner_api.state(dictionary)]
    scanner_api.scan([EXAMPLE / "cluster.json"], dictionary, replay=EXAMPLE / "capture")
    states.append(scanner_api.state(dictionary))
    scanner_api.generate(dictionary)
    states.append(scanner_api.state(dictionary))

    assert len({state.tag for state in states}) == 3
    assert [(state.scan, state.graph_scan) for state in states] == [(1, 1), (2, 1), (2, 2)]
    clusters, sources = measures(dictionary)
    assert (clusters[0].scan, clusters[0].topics) == (2, 31)
    assert all(source.up for source in sources)


def test_pooled_readers_use_the_same_connections(retail) -> None:
    """A connection costs more than most queries."""
    pooled = retail.pooled(size=2)
    drivers = set()
    for _ in range(5):
        with pooled.reading() as conn:
            drivers.add(id(conn.connection.driver_connection))
    pooled.close()

    assert len(drivers) == 1


def test_a_query_that_takes_too_long_is_cancelled(retail) -> None:
    """One client's question must not keep a place for ever."""
    pooled = retail.pooled(size=1, seconds=0.05)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

    with pytest.raises(DictionaryUnusable, match="too slow"), pooled.reading() as conn:
        conn.execute(text(endless)).all()
    with pooled.reading() as conn:
        assert conn.execute(text("SELECT 1")).scalar() == 1
    pooled.close()


def test_a_writer_is_not_kept_out_by_pooled_readers(retail_file, tmp_path) -> None:
    """A server reads all the time while scans are stored."""
    dictionary = scanner_api.open_dictionary(shutil.copy(retail_file, tmp_path / "d.db"))
    pooled = dictionary.pooled(size=2)
    ended = threading.Event()
    counts: list[list[int]] = [[], []]

    def read(own: list[int]) -> None:
        while not ended.is_set():
            own.append(len(scanner_api.scans(pooled)))

    readers = [threading.Thread(target=read, args=(own,)) for own in counts]
    for reader in readers:
        reader.start()
    try:
        scanner_api.scan([EXAMPLE / "cluster.json"], dictionary, replay=EXAMPLE / "capture")
    finally:
        ended.set()
        for reader in readers:
            reader.join()
    after = len(scanner_api.scans(pooled))
    pooled.close()

    assert after == 2
    assert all(own == sorted(own) for own in counts)


@pytest.mark.postgres
def test_pooled_readers_of_a_server_cannot_write_and_are_limited(postgres_url) -> None:
    """The server that answers strangers has no other rights than to read."""
    scanner_api.open_dictionary(postgres_url, create=True)
    pooled = Dictionary(postgres_url).pooled(size=2, seconds=0.2)

    with pytest.raises(DictionaryUnusable, match="read-only"), pooled.reading() as conn:
        conn.execute(text("INSERT INTO cluster VALUES (1, 'x', '')"))
    with pytest.raises(DictionaryUnusable, match="too slow"), pooled.reading() as conn:
        conn.execute(text("SELECT pg_sleep(5)"))
    assert scanner_api.state(pooled).scan == 0
    pooled.close()
