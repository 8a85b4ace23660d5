"""The lineage platform's question, row by row of the design's table."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import event

from scanner_dictionary.queries.topic_schemas import schemas_of
from scanner_model.columns import Column
from scanner_model.errors import InputInvalid, NameUnknown
from scanner_model.kafka import Cluster
from scanner_model.names import ClusterName, Role


@pytest.fixture
def query(dictionary, sample, store):
    """Query the topic `orders` of a small sample; the answers are shown as role, subject and version."""
    store(sample.orders())

    def queried(broker: str = "kafka-1:9092", topic: str = "orders", **more):
        with dictionary.connect() as conn:
            return [(a.role, a.subject, a.version) for a in schemas_of(conn, broker, topic, **more)]

    return queried


@pytest.fixture
def answers(dictionary):
    """Return what asks and reports the whole answers."""

    def queried(topic: str = "orders", **more):
        with dictionary.connect() as conn:
            return schemas_of(conn, "kafka-1", topic, **more)

    return queried


KEY, OLD, NEW = ("key", "orders-key", 1), ("value", "orders-value", 1), ("value", "orders-value", 2)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, [KEY, NEW]),
        ({"schema_id": "102"}, [NEW]),
        ({"schema_id": 102}, [NEW]),
        ({"schema_id": "102", "subject": "no-such", "version": 77}, [NEW]),
        ({"schema_id": "101"}, [KEY, OLD]),
        ({"schema_id": "101", "subject": "orders-value"}, [OLD]),
        ({"subject": "orders-value"}, [NEW]),
        ({"subject": ":.:orders-value"}, [NEW]),
        ({"subject": "orders-value", "version": "latest"}, [NEW]),
        ({"subject": "orders-value", "version": -1}, [NEW]),
        ({"subject": "orders-value", "version": 1}, [OLD]),
        ({"subject": "orders-value", "version": "01"}, [OLD]),
        ({"version": 1}, [KEY, OLD]),
        ({"version": "latest"}, [KEY, NEW]),
    ],
)
def test_question_with_schema_id_subject_and_version(more, expected, query) -> None:
    """Broker and topic always; the rest narrows, and a schema id outweighs everything."""
    assert query(**more) == expected


@pytest.mark.parametrize(
    "broker",
    [
        "kafka-2:9092",
        "KAFKA-2",
        "SASL_SSL://kafka-1:9092",
        " kafka-1 , kafka-2:9092",
        "nobody:1,kafka-2",
        "kafka-1.:9092",
    ],
)
def test_any_broker_in_any_form_finds_the_cluster(broker, query) -> None:
    """An event from Spark names whichever broker its configuration does."""
    assert query(broker) == [KEY, NEW]


@pytest.mark.parametrize(
    ("more", "hint"),
    [
        ({"broker": "kafka-1:9093"}, "'kafka-1:9092'"),
        ({"broker": "elsewhere"}, "scanner changes --scans"),
        ({"topic": "Orders"}, "'orders'"),
        ({"topic": "ordesr"}, "'orders'"),
        ({"topic": "zzz"}, "scanner topics"),
        ({"schema_id": "7"}, "this topic has 101, 102"),
        ({"subject": "orders-vaule"}, "'orders-value'"),
        ({"subject": ":.other:orders-value"}, "'orders-value'"),
        ({"subject": "orders-value", "version": 3}, "orders-value has 1, 2"),
        ({"version": 9}, "the topic has 1, 2"),
    ],
)
def test_name_that_is_not_known_is_answered_with_the_nearest(more, hint, query) -> None:
    """Exit status 4, and the person sees what they meant."""
    with pytest.raises(NameUnknown) as caught:
        query(**more)

    assert hint in caught.value.hint


@pytest.mark.parametrize(
    "more", [{"broker": "two words"}, {"broker": ""}, {"subject": "orders-value", "version": "newest"}]
)
def test_question_that_cannot_be_read_is_the_users_to_mend(more, query) -> None:
    """Exit status 2, not 4."""
    with pytest.raises(InputInvalid):
        query(**more)


def test_brokers_of_two_clusters_are_no_question(query, sample, store) -> None:
    """The answer would mix two topics of one name."""
    store(replace(sample.orders(), cluster=Cluster(name=ClusterName("other"), brokers=("other:1",))))
    with pytest.raises(InputInvalid, match="'other' and 'retail'"):
        query("kafka-1,other:1")

    assert query("other:1") == [KEY, NEW]


def test_known_topic_without_schema_is_an_empty_answer(sample, store, answers) -> None:
    """Empty is an answer; unknown is not."""
    store(sample.scan(topics=(sample.topic("plain"),)))

    assert answers("plain") == ()


def test_answer_reports_columns_and_why(query, answers, sample) -> None:
    """Columns come as they were read, in document order."""
    [answer] = answers(subject="orders-value")

    assert answer.columns == (Column(path=("id",), type="string"), Column(path=("amount",), type="string"))
    assert (answer.cluster, answer.format, answer.name, answer.schema_id) == ("retail", "AVRO", "shop.R", "102")
    assert (answer.strategy, answer.evidence, answer.confidence) == ("topic", "orders-value", "confirmed")
    assert (answer.registry, answer.text) == ("https://sr:8081", "id,amount")


def test_every_kind_of_column_is_read_as_it_was_stored(sample, store, answers) -> None:
    """What a reader told must survive the way through the dictionary."""
    full = Column(
        path=("a`b.c",),
        type="union",
        logical_type="decimal(8,2)",
        nullable=True,
        default='"x"',
        doc="why",
        tags=("PII", "x"),
        recursive="shop.R",
        branches=("int", "string"),
        number=7,
    )
    version = sample.version("t-value")
    definition = replace(sample.definition("id"), columns=(full, Column(path=(), type="string")))
    store(
        sample.scan(
            topics=(sample.topic("t"),),
            versions=(version,),
            definitions=(definition,),
            topic_schemas=(sample.link("t", version),),
        )
    )

    assert answers("t")[0].columns == definition.columns


def test_answer_is_stale_while_its_source_cannot_be_queried(query, answers, sample, store) -> None:
    """The reader decides whether an old answer will do."""
    fresh = [answer.stale for answer in answers()]
    store(sample.unavailable(sample.orders(), sample.registry))

    assert fresh == [False, False]
    assert [answer.stale for answer in answers()] == [True, True]


def test_partly_read_source_makes_only_the_unread_stale(query, answers, sample, store) -> None:
    """What was read this time is as fresh as can be."""
    scan = sample.orders()
    outcomes = (sample.outcome(sample.registry, "partial", "orders-key"),)
    values = {"versions": scan.versions[1:], "topic_schemas": scan.topic_schemas[1:]}
    store(replace(scan, outcomes=outcomes, **values))

    assert [(answer.role, answer.stale) for answer in answers()] == [("key", True), ("value", False)]


def test_address_that_its_cluster_gave_up_leads_there_until_another_has_it(query, sample, store) -> None:
    """Old clients and events go on naming it; that no other cluster answers there is what makes it sure."""
    store(sample.orders(cluster=replace(sample.orders().cluster, brokers=("kafka-1:9092",))))

    assert query(broker="kafka-2:9092") == [KEY, NEW]

    store(sample.scan(cluster=Cluster(name=ClusterName("moved"), brokers=("kafka-2:9092",))))

    with pytest.raises(NameUnknown, match="no topic 'orders'"):
        query(broker="kafka-2:9092")


def test_topic_that_is_gone_answers_with_what_it_had_to_the_end(query, answers, sample, store) -> None:
    """A lineage platform asks about last month's events."""
    store(sample.scan())

    assert [(answer.subject, answer.version, answer.gone) for answer in answers()] == [
        ("orders-key", 1, True),
        ("orders-value", 2, True),
    ]


def test_version_that_is_gone_answers_only_where_it_is_requested(query, answers, sample, store) -> None:
    """A version removed for good is history, not an answer to what the topic has."""
    scan = sample.orders()
    store(replace(scan, versions=scan.versions[:2], topic_schemas=scan.topic_schemas[:2]))

    assert [answer.subject for answer in answers()] == ["orders-key"]
    assert [answer.version for answer in answers(subject="orders-value")] == [1]
    assert [(answer.version, answer.gone) for answer in answers(subject="orders-value", version=2)] == [(2, True)]


def test_newest_version_of_a_subject_is_the_newest_not_deleted(sample, store, answers) -> None:
    """A soft-deleted version is answered only where it is queried for, or where there is no other."""
    versions = [sample.version("t-value", n, deleted=n >= 2) for n in (1, 2, 3)]
    links = [sample.link("t", version, current=version.version == 1) for version in versions]
    dead = sample.version("t-key", 5, deleted=True)
    key = sample.link("t", dead, Role.KEY, current=False)
    facts = {"topics": (sample.topic("t"),), "versions": (*versions, dead), "definitions": (sample.definition("id"),)}
    store(sample.scan(topic_schemas=(*links, key), **facts))

    assert [answer.version for answer in answers("t", subject="t-value")] == [1]
    assert [(answer.version, answer.deleted) for answer in answers("t", subject="t-key")] == [(5, True)]
    assert [(answer.version, answer.deleted) for answer in answers("t", subject="t-value", version=3)] == [(3, True)]


def test_schema_id_of_two_versions_answers_once(sample, store, answers) -> None:
    """A schema that came back has its old id: exactly that schema, as the topic has it now."""
    versions = [sample.version("t-value", n, schema_id="9") for n in (1, 3)]
    links = [sample.link("t", version, current=version.version == 3) for version in versions]
    facts = {"topics": (sample.topic("t"),), "versions": versions, "definitions": (sample.definition("id"),)}
    store(sample.scan(topic_schemas=links, **facts))

    assert [answer.version for answer in answers("t", schema_id="9")] == [3]


def test_subject_of_two_contexts_answers_for_each_unless_one_is_named(sample, store, answers) -> None:
    """A context is a name space of its own."""
    versions = [sample.version("t-value"), sample.version("t-value", 4, context=".dev")]
    links = [sample.link("t", version) for version in versions]
    facts = {"topics": (sample.topic("t"),), "versions": versions, "definitions": (sample.definition("id"),)}
    store(sample.scan(topic_schemas=links, **facts))

    assert [answer.version for answer in answers("t", subject="t-value")] == [1, 4]
    assert [answer.version for answer in answers("t", subject=":.dev:t-value")] == [4]


def test_question_reads_through_indices_only(dictionary, sample, store, answers) -> None:
    """It must take milliseconds among ten million columns."""
    store(sample.orders())
    statements: list[tuple[str, tuple]] = []
    event.listen(dictionary, "before_cursor_execute", lambda *a: statements.append((a[2], a[3])))
    answers(subject="orders-value")
    queried = [statement for statement in statements if statement[0].startswith("SELECT")]
    with dictionary.connect() as conn:
        steps = [row[3] for sql, values in queried for row in conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", values)]

    assert len(queried) >= 4
    # The decisions on tags, which people write, are read whole.
    assert [step for step in steps if step.startswith("SCAN") and step != "SCAN tag_decision"] == []


@pytest.mark.no_cover
def test_nearest_topic_among_very_many_is_compared_letter_by_letter_with_a_few(
    dictionary, sample, store, calls
) -> None:
    """With every name it would take seconds."""
    store(sample.scan(topics=tuple(sample.topic(f"team-{i % 97}.service-{i}.events") for i in range(2_000))))
    hints: list[str] = []

    def query() -> None:
        with dictionary.connect() as conn, pytest.raises(NameUnknown) as caught:
            schemas_of(conn, "kafka-1", "team-5.servise-1557.events")
        hints.append(caught.value.hint)

    counted = calls(query)
    assert "service-1557" in hints[0]
    assert counted["set_seq1"] < 100


@pytest.mark.no_cover
@pytest.mark.parametrize(
    "more", [{}, {"version": 7}, {"subject": "t-value"}, {"schema_id": "150"}, {"subject": "t-value", "version": "7"}]
)
def test_one_version_of_very_many_is_read_alone(more, sample, store, answers, calls) -> None:
    """A topic whose producer registers a version with every deployment has hundreds of thousands."""
    versions = [sample.version("t-value", number) for number in range(1, 301)]
    links = [sample.link("t", version, current=version.version == 300) for version in versions]
    facts = {"topics": (sample.topic("t"),), "versions": versions, "definitions": (sample.definition("id"),)}
    store(sample.scan(topic_schemas=links, **facts))

    counted = calls(lambda: answers("t", **more))

    assert counted["_order"] == 2  # the one row, sorted twice


def test_version_beyond_what_any_registry_numbers_is_unknown(query) -> None:
    """A number of forty digits is no reason for a traceback."""
    with pytest.raises(NameUnknown, match="no version"):
        query(version=10**40)
