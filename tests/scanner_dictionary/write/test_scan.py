"""What storing scans one after the other makes of the dictionary."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from sqlalchemy import select, update

from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.schema import tables as t
from scanner_dictionary.write.scan import write_scan
from scanner_model.errors import Problem
from scanner_model.kafka import Cluster, ConsumerGroup
from scanner_model.manual import DeclaredFlow, FlowEnd
from scanner_model.names import ClusterName, SourceId, TopicName
from scanner_model.scan import SourceStatus
from scanner_model.schemas import Confidence, Reference, Registry

FACTS = ("topic", "subject", "subject_version", "topic_schema", "consumer_group", "ksql_source", "ksql_query")


def test_writing_twice_changes_nothing(sample, store, contents) -> None:
    """A second scan of a sample that stayed as it was must leave no trace but its own."""
    scan = sample.orders()
    store(scan)
    before = contents("topic_schema", "schema_column", "change_log", "schema_reference", "schema_definition")
    summary = store(scan)

    assert dict(summary.counts) == {"added": 0, "changed": 0, "gone": 0, "returned": 0, "stale": 0}
    after = contents(*before)
    assert after | {"topic_schema": []} == before | {"topic_schema": []}
    assert [row[-2] for row in after["topic_schema"]] == [2, 2, 2]


def test_same_scan_makes_the_same_bytes(sample, store, contents, tmp_path, at, table_rows) -> None:
    """Keys follow from names, not from the order in which sources answered."""
    scan = sample.orders()
    shuffled = replace(
        scan, versions=scan.versions[::-1], definitions=scan.definitions[::-1], topic_schemas=scan.topic_schemas[::-1]
    )
    store(scan)
    other = open_dictionary(str(tmp_path / "other.db"))
    write_scan(other, shuffled, started=at, finished=at)

    assert table_rows(other) == contents()


def test_what_a_read_source_does_not_name_is_gone(sample, store, contents) -> None:
    """The registry and the brokers answered: their silence is proof."""
    store(sample.orders())
    summary = store(sample.scan())

    assert summary.gone == 13
    assert all(row[-1] == 2 for rows in contents(*FACTS).values() for row in rows)


def test_what_an_unavailable_source_reported_stays(sample, store, contents) -> None:
    """An outage deletes nothing."""
    store(sample.orders())
    summary = store(sample.unavailable(sample.orders(), sample.kafka, sample.registry, sample.ksql))

    assert summary.gone == 0
    assert summary.stale == 14
    assert all(row[-2:] == (1, None) for rows in contents(*FACTS).values() for row in rows)


@pytest.mark.parametrize("answer", [SourceStatus.UNAVAILABLE, SourceStatus.SKIPPED])
def test_source_that_was_not_read_states_since_when_and_why(answer, sample, store, contents) -> None:
    """The first scan that missed it counts, however many follow."""
    store(sample.orders())
    down = sample.outcome(sample.registry, answer, reason="connection refused")
    for _ in range(2):
        store(sample.scan(outcomes=(sample.outcome(sample.kafka), down)))

    registry = next(row for row in contents("source")["source"] if row[2] == sample.registry)
    assert registry[4:] == (3 if answer is SourceStatus.UNAVAILABLE else 1, 1, 2, "connection refused")


def test_source_that_is_read_again_is_fresh(sample, store, contents) -> None:
    """Its reason would mislead people."""
    store(sample.unavailable(sample.orders(), sample.registry))
    store(sample.orders())

    assert {row[4:] for row in contents("source")["source"]} == {(2, 2, None, "")}


def test_source_that_is_not_mentioned_keeps_its_facts(sample, store, contents) -> None:
    """A registry taken out of cluster.json was not asked, so nothing is known of its subjects."""
    store(sample.orders())
    store(
        sample.scan(
            outcomes=(sample.outcome(sample.kafka),), topics=(sample.topic("orders", partitions=6),), registries=()
        )
    )

    assert [row[-1] for row in contents("subject_version")["subject_version"]] == [None, None, None]


def test_unread_subject_keeps_its_facts_and_others_go(sample, store, contents) -> None:
    """The registry listed what exists; one subject's text could not be fetched."""
    store(sample.orders())
    partial = sample.outcome(sample.registry, SourceStatus.PARTIAL, "orders-value")
    new = sample.version("new-value")
    facts = {"topics": sample.orders().topics, "definitions": (sample.definition("id"),)}
    links = (sample.link("orders", new),)
    store(sample.scan(outcomes=(partial,), versions=(new,), topic_schemas=links, **facts))

    deleted = {(row[6], row[7]): row[-1] for row in contents("topic_schema")["topic_schema"]}
    assert deleted == {
        ("orders-key", 1): 2,
        ("orders-value", 1): None,
        ("orders-value", 2): None,
        ("new-value", 1): None,
    }


@pytest.mark.parametrize("unread", ["orders-value", ":.ctx:orders-value"])
def test_unread_subject_may_be_named_with_its_context(unread, sample, store, contents) -> None:
    """Registries list a subject of a context under its prefixed name."""
    old, other = sample.version("orders-value", context=".ctx"), sample.version("other")
    both = {"definitions": (sample.definition("id"),)}
    store(sample.scan(versions=(old, other), **both))
    outcome = sample.outcome(sample.registry, SourceStatus.PARTIAL, unread)
    third = sample.version("third")
    store(sample.scan(versions=(third,), outcomes=(outcome,), **both))

    deleted = {row[3]: row[-1] for row in contents("subject")["subject"]}
    assert deleted == {"orders-value": None, "other": 2, "third": None}


def test_partial_answer_without_names_proves_nothing(sample, store, contents) -> None:
    """A server that refused a listing has said nothing about what it lists."""
    store(sample.orders())
    store(
        sample.scan(
            outcomes=tuple(
                sample.outcome(s, SourceStatus.PARTIAL) for s in (sample.kafka, sample.registry, sample.ksql)
            )
        )
    )

    assert all(row[-1] is None for rows in contents(*FACTS).values() for row in rows)


def test_partial_answer_that_names_none_of_a_kind_keeps_that_kind(sample, store, contents) -> None:
    """ksqlDB listed its collections, refused its queries, and could not describe one collection."""
    store(sample.orders(ksql_sources=(sample.collection("ORDERS"), sample.collection("OLD"))))
    outcome = sample.outcome(sample.ksql, SourceStatus.PARTIAL, "SECRET")
    store(sample.scan(outcomes=(outcome,), ksql_sources=(sample.collection("ORDERS"),)))

    result = contents("ksql_source", "ksql_query")
    assert {row[2]: row[-1] for row in result["ksql_source"]} == {"ORDERS": None, "OLD": 2}
    assert [row[-1] for row in result["ksql_query"]] == [None]


def test_topic_of_an_unread_subject_stays(sample, store, contents) -> None:
    """A topic that only the registry knows hangs on its subject."""
    version = sample.version("ghost-value")
    link = sample.link("ghost", version, confidence=Confidence.ASSUMED)
    ghost = sample.topic("ghost", source=sample.registry)
    store(
        sample.scan(topics=(ghost,), versions=(version,), definitions=(sample.definition("id"),), topic_schemas=(link,))
    )
    other = {
        "versions": (sample.version("x"),),
        "definitions": (sample.definition("id"),),
        "topics": (sample.topic("x", source=sample.registry),),
    }
    store(sample.scan(outcomes=(sample.outcome(sample.registry, SourceStatus.PARTIAL, "ghost-value"),), **other))
    retained = contents("topic")["topic"]
    store(sample.scan())

    assert [row[-1] for row in retained] == [None, None]
    assert [row[-1] for row in contents("topic")["topic"]] == [3, 3]


def test_returning_row_is_the_same_row_again(sample, store, contents) -> None:
    """History goes on where it stopped."""
    store(sample.orders())
    store(sample.scan())
    summary = store(sample.orders())

    assert (summary.added, summary.returned) == (0, 13)
    assert contents("topic")["topic"][0][-3:] == (1, 3, None)
    assert {row[4] for row in contents("change_log")["change_log"] if row[0] == 3} == {"returned"}


def test_change_log_reports_what_differs_and_nothing_else(sample, store, contents) -> None:
    """`scanner changes` shows these lines."""
    store(sample.orders())
    store(sample.orders(topics=(sample.topic("orders", partitions=12, config=(("cleanup.policy", "compact"),)),)))

    changes = [row[2:] for row in contents("change_log")["change_log"] if row[0] == 2]
    assert changes == [("topic", '["orders"]', "changed", '{"partitions":6}', '{"partitions":12}')]


def test_topic_that_a_better_source_comes_to_know_is_one_topic(sample, store, contents) -> None:
    """Known through ksqlDB first, through the brokers later: neither gone nor new."""
    store(sample.scan(topics=(sample.topic("orders", source=sample.ksql),)))
    summary = store(sample.scan(topics=(sample.topic("orders", partitions=3),)))

    assert (summary.added, summary.changed, summary.gone) == (0, 1, 0)
    [row] = contents("topic")["topic"]
    assert row[3] == 3


def test_outage_of_the_better_source_does_not_make_a_topic_poorer(sample, store, contents) -> None:
    """With the brokers down the registry still names the topic, but knows neither partitions nor settings."""
    version = sample.version("orders-value")
    link = sample.link("orders", version)
    facts = {"versions": (version,), "definitions": (sample.definition("id"),)}
    store(sample.scan(topics=(sample.topic("orders", partitions=6),), topic_schemas=(link,), **facts))
    guess = replace(link, confidence=Confidence.ASSUMED)
    scan = sample.scan(topics=(sample.topic("orders", source=sample.registry),), topic_schemas=(guess,), **facts)
    summary = store(
        replace(
            scan, outcomes=(sample.outcome(sample.kafka, SourceStatus.UNAVAILABLE), sample.outcome(sample.registry))
        )
    )

    assert (summary.changed, summary.stale) == (0, 1)
    assert contents("topic")["topic"][0][3] == 6
    assert contents("topic_schema")["topic_schema"][0][13] == "confirmed"


def test_topic_that_the_brokers_lost_is_the_registrys_guess_again(sample, store, contents) -> None:
    """The brokers answered and do not name it: what they told is not true any more."""
    store(sample.scan(topics=(sample.topic("orders", partitions=6),)))
    store(sample.scan(topics=(sample.topic("orders", source=sample.registry),)))

    [row] = contents("topic")["topic"]
    assert (row[3], row[-1]) == (None, None)


def test_remembered_fact_of_a_silent_source_is_not_seen(sample, store, contents) -> None:
    """A scan may repeat what the brokers told last time; that does not make it fresh."""
    scan = sample.orders()
    store(scan)
    down = sample.unavailable(scan, sample.kafka)
    summary = store(replace(down, topics=scan.topics, topic_schemas=scan.topic_schemas))

    assert summary.stale == 3
    assert contents("topic")["topic"][0][-2] == 1


def test_definition_is_stored_once_and_stays_when_nothing_has_it(sample, store, contents) -> None:
    """Ten topics with one schema do not store its columns ten times; history keeps its meaning."""
    topics = [sample.topic(f"t{i}") for i in range(10)]
    versions = [sample.version(f"t{i}-value") for i in range(10)]
    links = [sample.link(f"t{i}", version) for i, version in enumerate(versions)]
    store(
        sample.scan(
            topics=topics,
            versions=versions,
            topic_schemas=links,
            definitions=(sample.definition("id", "x"), sample.definition("id")),
        )
    )
    store(sample.scan())

    assert len(contents("schema_definition")["schema_definition"]) == 2
    assert len(contents("schema_column")["schema_column"]) == 3


def test_two_clusters_may_have_topics_of_one_name(sample, store, contents) -> None:
    """`orders` here and `orders` there are two topics, and share the definition of one schema."""
    store(sample.orders())
    other = Cluster(name=ClusterName("wholesale"), brokers=("other:9092",))
    summary = store(replace(sample.orders(), cluster=other))

    assert summary.refused == ()
    assert [row[1:3] for row in contents("topic")["topic"]] == [(1, "orders"), (2, "orders")]
    assert len(contents("schema_definition")["schema_definition"]) == 2


def test_references_and_columns_change_with_what_owns_them(sample, store, contents) -> None:
    """They have no history of their own."""
    first = sample.version("a", references=(Reference(name="b.proto", subject="b", version=1),))
    second = replace(first, references=(Reference(name="b.proto", subject="b", version=2),))
    same = {"definitions": (sample.definition("id"),)}
    store(sample.scan(versions=(first,), **same))
    summary = store(sample.scan(versions=(second,), **same))

    assert summary.changed == 1
    assert contents("schema_reference")["schema_reference"] == [(1, 0, "b.proto", "b", 2)]


def test_text_that_no_reader_knows_is_kept_with_its_version(sample, store, contents) -> None:
    """Not understood is not thrown away."""
    store(sample.scan(versions=(sample.version("odd", fingerprint=""),)))

    [row] = contents("subject_version")["subject_version"]
    assert row[6:8] == (None, "id")


def test_manual_flow_and_group_are_stored_and_go(sample, store, contents) -> None:
    """They are facts as all others."""
    manual = SourceId("manual:flows.json")
    ends = {
        "origin": FlowEnd(name="orders", path=("id",)),
        "target": FlowEnd(namespace="s3://b", name="o"),
    }
    flow = DeclaredFlow(source=manual, **ends, job="copy", description="", evidence="flows.json $.flows[0]")
    group = ConsumerGroup(source=sample.kafka, name="g", topics=(TopicName("b"), TopicName("a")))
    outcomes = (sample.outcome(sample.kafka), sample.outcome(manual))
    store(sample.scan(outcomes=outcomes, declared_flows=(flow,), consumer_groups=(group,)))
    assert contents("manual_flow")["manual_flow"][0][2:9] == ("", "orders", '["id"]', "s3://b", "o", None, "copy")
    store(sample.scan(outcomes=outcomes))

    assert [row[-1] for row in contents("manual_flow", "consumer_group_topic")["consumer_group_topic"]] == [2, 2]


def test_scan_row_reports_how_it_went(sample, store, contents) -> None:
    """People look here first."""
    store(replace(sample.unavailable(sample.orders(), sample.ksql), problems=(Problem("here", "odd"),)))
    store(sample.scan(outcomes=(sample.outcome(sample.kafka, SourceStatus.UNAVAILABLE),), registries=()))
    result = contents("scan", "scan_problem", "scan_outcome")

    assert [row[5:] for row in result["scan"]] == [("partial", 14, 0, 0, 0, 0, 0), ("unavailable", 0, 0, 0, 0, 12, 0)]
    assert result["scan_problem"] == [(1, 0, "here", "odd", "")]
    assert [row[4] for row in result["scan_outcome"]] == ["read", "read", "unavailable", "unavailable"]


def test_text_that_no_database_takes_is_replaced(sample, store, contents) -> None:
    """NUL and half a surrogate pair come from JSON escapes, and must not cost the scan."""
    store(
        sample.scan(
            topics=(sample.topic("a\0"), sample.topic("a\ufffd"), sample.topic("\ud83d\ude00", description="\udc00x"))
        )
    )

    assert [row[2] for row in contents("topic")["topic"]] == ["a\ufffd", "😀"]
    assert "listed twice" in contents("scan_problem")["scan_problem"][0][3]


class _Interrupted(tuple):
    """Problems whose reading is interrupted, as by Ctrl-C."""

    def __iter__(self):
        raise KeyboardInterrupt


def test_interrupt_half_way_leaves_the_last_scan(sample, store, contents) -> None:
    """Problems are stored last, so every fact is already written then."""
    store(sample.orders())
    before = contents()
    with pytest.raises(KeyboardInterrupt):
        store(replace(sample.scan(), problems=_Interrupted()))

    assert contents() == before


@pytest.mark.process
def test_killed_half_way_leaves_the_last_scan(sample, store, contents, tmp_path) -> None:
    """A process that is killed cleans nothing up; the next that opens the file does."""
    store(sample.orders())
    before = contents()
    program = (
        "import os, sys; from scanner_dictionary.engine.open import open_dictionary, writing\n"
        "from scanner_dictionary.schema import tables as t\n"
        "with writing(open_dictionary(sys.argv[1])) as conn:\n"
        "    conn.exec_driver_sql('PRAGMA cache_size = 1')\n"
        "    conn.execute(t.topic_schema.delete()); conn.execute(t.change_log.delete())\n"
        "    os._exit(9)\n"
    )
    killed = subprocess.run([sys.executable, "-c", program, tmp_path / "dictionary.db"], check=False)

    assert killed.returncode == 9
    assert contents() == before


def test_registry_that_moves_to_another_kind_changes(sample, store, contents, dictionary) -> None:
    """The answer of the newest scan counts."""
    store(sample.scan())
    other = Registry(source=sample.registry, kind="karapace", url="https://sr:8081")
    summary = store(sample.scan(registries=(other,)))

    assert summary.changed == 1
    with dictionary.connect() as conn:
        assert conn.scalars(select(t.registry.c.kind)).all() == ["karapace"]


def test_foreign_keys_are_enforced(dictionary, store, sample) -> None:
    """SQLite leaves them off unless told; a row without its parent would be lost to every question."""
    store(sample.orders())
    with dictionary.begin() as conn, pytest.raises(Exception, match="FOREIGN KEY"):
        conn.execute(update(t.topic).values(cluster_id=99))


def test_scans_at_once_wait_for_each_other(sample, tmp_path, at) -> None:
    """Two clusters' timers may fire together, even before there is a dictionary."""

    def scan(name: str) -> int:
        cluster = Cluster(name=ClusterName(name), brokers=(f"{name}:9092",))
        engine = open_dictionary(str(tmp_path / "shared.db"), patience=30)
        return write_scan(engine, replace(sample.orders(), cluster=cluster), started=at, finished=at).scan_id

    with ThreadPoolExecutor(3) as threads:
        assert sorted(threads.map(scan, ("a", "b", "c"))) == [1, 2, 3]
