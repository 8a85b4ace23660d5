"""Other ways to a cluster than its brokers, and what people wrote about its topics."""

from __future__ import annotations

from typing import Any

import pytest

from scanner_dictionary.lineage_inputs.events import cluster_aliases
from scanner_dictionary.queries.history import previous_state
from scanner_dictionary.queries.listings import topics
from scanner_dictionary.queries.resolve import cluster_of
from scanner_dictionary.queries.topic_schemas import schemas_of
from scanner_model.catalogs import Annotation, Metric
from scanner_model.errors import InputInvalid, NameUnknown
from scanner_model.kafka import Cluster
from scanner_model.names import ClusterName, SourceId, TopicName

CRN = "crn://confluent.cloud/organization=o/environment=env-1/cloud-cluster=lkc-1"
CATALOG = SourceId("stream_catalog:x")


@pytest.fixture
def annotated(dictionary, sample, store) -> Any:
    """Store a cluster with all its names, and two catalogs' notes about its topic."""
    aliases = (("crn", CRN), ("cluster_id", "lkc-1"), ("display_name", "billing"), ("environment", "env-1"))
    cluster = Cluster(name=ClusterName("billing"), brokers=("k:9092",), cluster_id="own-id", aliases=aliases)
    note = {"source": CATALOG, "kind": "kafka_topic", "topic": TopicName("orders")}
    notes = (
        Annotation(**note, name="a:1:orders", tags=("PII", "gold"), owner="sales"),
        Annotation(**note, name="b:1:orders", tags=("gold",), owner="web", description="All orders."),
        Annotation(source=CATALOG, kind="sr_schema", name="a:.:1", schema_id="1", tags=("SCHEMA",)),
    )
    store(sample.orders(cluster=cluster, annotations=notes))
    return dictionary


@pytest.mark.parametrize("name", ["k", "k:9092", "SASL_SSL://K:9092", "lkc-1", " lkc-1 ", "own-id", CRN])
def test_what_names_one_cluster_finds_it(annotated, name: str) -> None:
    """Broker, id and CRN: each names one cluster in the world."""
    with annotated.connect() as conn:
        assert cluster_of(conn, name).name == "billing"


@pytest.mark.parametrize("name", ["billing", "env-1", "lkc-11"])
def test_name_that_may_repeat_finds_none(annotated, name: str) -> None:
    """Two clusters may have one display name, and an environment many clusters."""
    with annotated.connect() as conn, pytest.raises(NameUnknown):
        cluster_of(conn, name)


def test_crn_that_is_not_known_is_no_address(annotated) -> None:
    """The hint says what an address looks like."""
    with annotated.connect() as conn, pytest.raises(InputInvalid):
        cluster_of(conn, CRN + "1")


def test_what_people_wrote_stands_beside_the_topic(annotated) -> None:
    """Tags of all catalogs; owner and description of the first that has one."""
    with annotated.connect() as conn:
        (row,) = topics(conn)

    assert (row.tags, row.owner, row.description) == (("PII", "gold"), "sales", "All orders.")


def test_answer_about_schemas_reports_whose_topic_it_is(annotated) -> None:
    """The lineage platform asks by topic, and tags belong to the topic."""
    with annotated.connect() as conn:
        answers = schemas_of(conn, "lkc-1", "orders")

    assert {(answer.tags, answer.owner) for answer in answers} == {(("PII", "gold"), "sales")}


def test_levels_of_the_last_scan_are_remembered(annotated, sample, store) -> None:
    """Also where every source was read: what grew since is a rate. Figures over a window are no levels."""
    level = {"source": CATALOG, "topic": "orders", "amount": 7.0, "ended": "2026-01-01T00:00:00+00:00"}
    metrics = (
        Metric(name="log_end_offset", **level),
        Metric(name="sent_bytes", started="2025-12-31T23:00:00+00:00", **level),
        Metric(name="consumer_lag_offsets", object_kind="group", object_name="g", **level),
    )
    store(sample.orders(metrics=metrics))

    with annotated.connect() as conn:
        assert previous_state(conn, ClusterName("retail"), ()).metrics == metrics[:1]


def test_word_for_two_clusters_names_neither(annotated, sample, store) -> None:
    """Events may name a cluster by any word of its own; an environment has many clusters, and display names repeat."""
    again = (("display_name", "billing"), ("cluster_id", "lkc-2"), ("environment", "env-1"))
    store(sample.scan(cluster=Cluster(name=ClusterName("other"), brokers=("o:1",), aliases=again)))

    with annotated.connect() as conn:
        result = cluster_aliases(conn)
    assert result == (("billing", CRN), ("billing", "lkc-1"), ("other", "lkc-2"))


def test_tag_on_a_field_stands_at_its_column(dictionary, sample, store) -> None:
    """Of the schema with that id and record only: another version may have lost the field or the tag."""
    note = {"source": CATALOG, "kind": "sr_field", "path": ("amount",), "record": "shop.R"}
    notes = (
        Annotation(**note, name="lsrc:.:102:shop.R.amount", schema_id="102", tags=("PRIVATE",)),
        Annotation(**note, name="lsrc:.:9:shop.R.amount", schema_id="9", tags=("OTHER",)),
    )
    store(sample.orders(annotations=notes))

    with dictionary.connect() as conn:
        answers = schemas_of(conn, "kafka-1", "orders")
    value = next(answer for answer in answers if answer.role == "value")
    assert [(column.name, column.tags) for column in value.columns] == [("id", ()), ("amount", ("PRIVATE",))]
