"""A source that left cluster.json: reported until it is removed, then no more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scanner_dictionary.queries.history import clusters, scans, sources
from scanner_dictionary.validation import validate
from scanner_dictionary.write.scan import cluster_with_sources, forget_sources
from scanner_model.errors import InputInvalid, NameUnknown
from scanner_model.kafka import Cluster
from scanner_model.names import ClusterName
from scanner_model.scan import SourceStatus


@pytest.fixture
def shortened(sample, store):
    """Scan a sample, then without its ksqlDB in cluster.json; gives the second scan."""
    store(sample.orders())
    whole = sample.orders(ksql_sources=(), queries=())
    second = replace(whole, outcomes=whole.outcomes[:2])
    store(second)
    return second


def _source(dictionary, name):
    with dictionary.connect() as conn:
        return next(row for row in sources(conn) if row.name == name)


def test_a_source_that_left_cluster_json_keeps_its_facts_and_is_reported(
    sample, shortened, dictionary, contents
) -> None:
    """A shortened file is not yet a proof that something is gone."""
    with dictionary.connect() as conn:
        findings = [item for item in validate(conn) if item.rule == "stale-source"]

    assert contents("ksql_query")["ksql_query"][0][-1] is None
    assert [(finding.where, "cluster.json" in finding.what) for finding in findings] == [(sample.ksql, True)]
    assert "scanner dictionary forget" in findings[0].hint


def test_what_a_forgotten_source_reported_is_gone_and_nothing_else(sample, shortened, dictionary, contents, at) -> None:
    """It is a scan of its own: a stream and its query went."""
    summary = forget_sources(dictionary, "retail", [sample.ksql], at=at)

    assert (summary.scan_id, summary.gone) == (3, 2)
    assert summary.findings == ()
    assert contents("ksql_query")["ksql_query"][0][-1] == 3
    assert [row[-1] for name in ("topic", "subject", "broker") for row in contents(name)[name]] == [None] * 5


def test_the_next_scans_are_silent_about_it(sample, shortened, store, dictionary, at) -> None:
    """That was what forgetting it was for; the others are as fresh as before."""
    forget_sources(dictionary, "retail", [sample.ksql], at=at)
    summary = store(shortened)

    assert (summary.findings, summary.stale, summary.gone) == ((), 0, 0)
    assert _source(dictionary, sample.ksql)[3:] == (1, 1, None, "forgotten")
    assert _source(dictionary, sample.kafka).stale_since is None


def test_a_source_that_is_queried_again_brings_its_facts_back(sample, shortened, store, dictionary, at) -> None:
    """Forgetting the wrong one costs a scan."""
    forget_sources(dictionary, "retail", [sample.ksql], at=at)
    summary = store(sample.orders())

    assert summary.counts[3] == ("returned", 2)
    assert _source(dictionary, sample.ksql)[3:] == (4, 4, None, "")


def test_forgetting_is_listed_among_the_scans(sample, shortened, dictionary, at) -> None:
    """Who wonders where facts went looks there."""
    forget_sources(dictionary, "retail", [sample.ksql], at=at)
    with dictionary.connect() as conn:
        newest = next(scans(conn))

        assert (newest.mode, newest.status, newest.gone) == ("forget", "read", 2)
        assert len(clusters(conn)[0].brokers) == 2


def test_a_name_that_no_cluster_has_is_reported_with_the_nearest(shortened, dictionary) -> None:
    """Names of sources are long."""
    with dictionary.connect() as conn, pytest.raises(NameUnknown) as caught:
        cluster_with_sources(conn, ["ksqldb:http://ksql:8089"], None)

    assert "'ksqldb:http://ksql:8088'" in caught.value.hint


def test_a_name_that_two_clusters_have_wants_the_cluster(sample, store, dictionary) -> None:
    """Two clusters may share a registry, and only one of them has given it up."""
    store(sample.scan())
    other = Cluster(name=ClusterName("other"), brokers=("o:1",))
    store(sample.scan(cluster=other, outcomes=(sample.outcome(sample.registry, SourceStatus.READ),)))
    with dictionary.connect() as conn, pytest.raises(InputInvalid) as caught:
        cluster_with_sources(conn, [sample.registry], None)

    assert caught.value.hint == "name one with --cluster: other, retail"
    with dictionary.connect() as conn:
        assert cluster_with_sources(conn, [sample.registry], "other") == "other"
