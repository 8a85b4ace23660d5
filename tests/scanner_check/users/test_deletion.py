"""Whether something may be deleted: a clear yes, no or unknown, with who says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from checked_installation import AT, KAFKA, installation, links_of, read_result, text_of, versions_of

import scanner_api
from scanner_check.users.deletion import Answer, DeletionAnswer
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.write.scan import write_scan
from scanner_model.errors import InputInvalid, NameUnknown
from scanner_model.kafka import Connector, ConnectorKind, ConnectorTask, ConsumerGroup, Topic
from scanner_model.names import SourceId, SubjectName, TopicName
from scanner_model.scan import ClusterScan, SourceStatus
from scanner_model.schemas import Reference
from scanner_model.streaming_sql import KsqlSource

NEXT_YEAR = datetime(2027, 3, 1, tzinfo=UTC)
RECORD = {"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]}


@pytest.fixture(scope="module")
def deletion_answer(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., DeletionAnswer]:
    """Return what stores scans and answers whether one thing may be deleted."""

    def answer_after(*scans: ClusterScan, graph: bool = True, now: datetime = AT, **what: object) -> DeletionAnswer:
        url = f"sqlite:///{tmp_path_factory.mktemp('deletion') / 'dictionary.db'}"
        engine = open_dictionary(url, create=True)
        for scan in scans:
            write_scan(engine, scan, started=AT, finished=AT)
        dictionary = scanner_api.open_dictionary(url)
        if graph:
            scanner_api.generate(dictionary)
        (answer,) = scanner_api.may_delete(dictionary, now=lambda: now, **what)
        return answer

    return answer_after


def group(name: str, topic: str, state: str = "STABLE") -> ConsumerGroup:
    return ConsumerGroup(source=KAFKA, name=name, topics=(TopicName(topic),), state=state)


def with_topic(name: str, **more: object) -> ClusterScan:
    """Return the installation with one more topic that nobody uses, and with metrics of clients."""
    scan = installation()
    outcomes = (*scan.outcomes, read_result(SourceId("prometheus:lab")))
    return replace(scan, topics=(*scan.topics, Topic(source=KAFKA, name=TopicName(name), **more)), outcomes=outcomes)


def names(answer: DeletionAnswer, wanted: Answer) -> set[str]:
    return {use.name for use in answer.uses if use.answer is wanted}


def test_topic_that_jobs_read_and_write_is_in_use(deletion_answer: Callable[..., DeletionAnswer]) -> None:
    """Readers and writers, each with its evidence."""
    answer = deletion_answer(installation(), topic="paid.avro")

    assert answer.answer is Answer.NO
    assert names(answer, Answer.NO) == {"shop.sql:1", "paid-to-warehouse"}
    assert all(use.evidence for use in answer.uses)


def test_topic_that_nobody_uses_may_go(deletion_answer: Callable[..., DeletionAnswer]) -> None:
    """Every source was read, and none of them names it."""
    answer = deletion_answer(with_topic("idle"), topic="idle")

    assert (answer.answer, answer.uses, answer.unused_since) == (Answer.YES, (), "")


def test_producers_that_no_source_reports_leave_it_unknown(deletion_answer: Callable[..., DeletionAnswer]) -> None:
    """Brokers keep no record of who writes."""
    answer = deletion_answer(replace(with_topic("idle"), outcomes=installation().outcomes), topic="idle")

    (unseen,) = answer.uses
    assert (answer.answer, unseen.answer) == (Answer.UNKNOWN, Answer.UNKNOWN)
    assert unseen.what.startswith("no source reports ordinary producers")


def test_user_without_a_known_flow_counts(deletion_answer: Callable[..., DeletionAnswer]) -> None:
    """A worker reports the topics that a connector used, and a server its collections, whatever the graph knows."""
    scan = with_topic("idle")
    odd = replace(
        scan.connectors[0],
        name="odd",
        connector_class="com.acme.Odd",
        config=(("connector.class", "com.acme.Odd"),),
        topics=(TopicName("idle"),),
    )
    stream = KsqlSource(
        source=SourceId("ksqldb:http://ksql:8088"),
        name="IDLE",
        kind="STREAM",
        topic=TopicName("idle"),
        key_format="KAFKA",
        value_format="AVRO",
        statement="",
    )
    outcome = read_result(stream.source)
    answer = deletion_answer(
        replace(scan, connectors=(odd,), ksql_sources=(stream,), outcomes=(*scan.outcomes, outcome)), topic="idle"
    )

    assert names(answer, Answer.NO) == {"odd", "IDLE"}


def test_group_without_members_may_come_back(deletion_answer: Callable[..., DeletionAnswer]) -> None:
    """A nightly job has no members at noon."""
    scan = replace(with_topic("idle"), consumer_groups=(group("nightly", "idle", "EMPTY"),))

    assert deletion_answer(scan, topic="idle").answer is Answer.UNKNOWN


def test_since_when_a_topic_is_unused(deletion_answer: Callable[..., DeletionAnswer]) -> None:
    """The scan that no longer found its last group tells."""
    before = replace(with_topic("idle"), consumer_groups=(group("reader", "idle"),))
    answer = deletion_answer(before, with_topic("idle"), topic="idle")

    assert (answer.answer, answer.unused_since[:10]) == (Answer.YES, "2026-03-01")


def test_source_that_could_not_be_read_leaves_it_unknown(deletion_answer: Callable[..., DeletionAnswer]) -> None:
    """Connect may have a connector that reads it."""
    scan = with_topic("idle")
    down = tuple(
        read_result(one.source, SourceStatus.UNAVAILABLE) if one.kind == "connect" else one for one in scan.outcomes
    )
    answer = deletion_answer(scan, replace(scan, outcomes=down, connectors=()), topic="idle")

    assert (answer.answer, names(answer, Answer.UNKNOWN)) == (Answer.UNKNOWN, {"connect:main"})


def test_without_a_graph_or_groups_nobody_is_known(deletion_answer: Callable[..., DeletionAnswer]) -> None:
    """Nobody being found proves nothing where nobody was looked for."""
    assert deletion_answer(with_topic("idle"), graph=False, topic="idle").answer is Answer.UNKNOWN

    scan = installation()
    others = replace(scan, outcomes=tuple(one for one in scan.outcomes if one.source != KAFKA), topics=())
    assert deletion_answer(others, subject="orders.avro-value").answer is Answer.UNKNOWN


def test_subject_that_describes_a_topic_is_in_use(deletion_answer: Callable[..., DeletionAnswer]) -> None:
    """The topic's readers read with it."""
    answer = deletion_answer(installation(), subject="orders.avro-value")

    assert answer.answer is Answer.NO
    assert {"orders.avro", "shop.sql:1"} <= names(answer, Answer.NO)


def test_subject_that_another_refers_to_is_in_use(deletion_answer: Callable[..., DeletionAnswer]) -> None:
    """A registry refuses to delete it, too."""
    lib, read = versions_of("lib", "AVRO", [text_of(RECORD)])
    user, more = versions_of(
        "user", "AVRO", [text_of(RECORD)], references=(Reference(name="R", subject=SubjectName("lib"), version=1),)
    )
    scan = installation()
    scan = replace(scan, versions=(*scan.versions, *lib, *user), definitions=(*scan.definitions, *read, *more))

    assert names(deletion_answer(scan, subject="lib"), Answer.NO) == {"user"}
    assert names(deletion_answer(scan, subject="lib", version=1), Answer.NO) == {"user"}
    assert deletion_answer(scan, subject="user").answer is Answer.UNKNOWN  # records of any topic may have its schema


@pytest.mark.parametrize(
    ("config", "now", "expected"),
    [
        ({}, NEXT_YEAR, Answer.UNKNOWN),
        ({"cleanup.policy": "compact", "retention.ms": "1000"}, NEXT_YEAR, Answer.UNKNOWN),
        ({"cleanup.policy": "delete", "retention.ms": "-1"}, NEXT_YEAR, Answer.UNKNOWN),
        ({"cleanup.policy": "delete", "retention.ms": "86400000"}, AT, Answer.UNKNOWN),
        ({"cleanup.policy": "delete", "retention.ms": "86400000"}, NEXT_YEAR, Answer.YES),
    ],
)
def test_older_version_may_still_be_in_records(
    config: dict[str, str], now: datetime, expected: Answer, deletion_answer: Callable[..., DeletionAnswer]
) -> None:
    """Only a retention that has passed since it was replaced proves that none is left."""
    versions, definitions = versions_of("old-value", "AVRO", [text_of(RECORD), text_of({**RECORD, "doc": "new"})])
    scan = with_topic("old", config=tuple(sorted(config.items())))
    scan = replace(
        scan,
        versions=(*scan.versions, *versions),
        definitions=(*scan.definitions, *definitions),
        topic_schemas=(*scan.topic_schemas, *links_of("old", versions)),
    )

    assert deletion_answer(scan, subject="old-value", version=1, now=now).answer is expected


def test_schema_id_is_each_version_that_has_it(deletion_answer: Callable[..., DeletionAnswer]) -> None:
    """The id is what records carry."""
    scan = installation()
    newest = next(one for one in scan.versions if one.subject == "orders.avro-value" and one.version == 2)
    answer = deletion_answer(scan, schema_id=newest.schema_id)

    assert (answer.answer, "orders.avro-value version 2" in answer.what) == (Answer.NO, True)


def test_what_is_gone_already_may_be_deleted(deletion_answer: Callable[..., DeletionAnswer]) -> None:
    """It answers with the scan that found it gone."""
    answer = deletion_answer(with_topic("idle"), installation(), topic="idle")

    assert (answer.answer, answer.unused_since[:10]) == (Answer.YES, "2026-03-01")


@pytest.mark.parametrize("what", [{"topic": "nope"}, {"subject": "nope"}, {"schema_id": "0"}])
def test_unknown_names_are_errors(what: dict[str, str], shop_dictionary: scanner_api.Dictionary) -> None:
    """A misspelt name must not look unused."""
    with pytest.raises(NameUnknown):
        scanner_api.may_delete(shop_dictionary, **what)


def test_unknown_version_is_an_error(shop_dictionary: scanner_api.Dictionary) -> None:
    """The hint lists those that there are."""
    with pytest.raises(NameUnknown) as error:
        scanner_api.may_delete(shop_dictionary, subject="orders.avro-value", version=9)

    assert error.value.hint == "it has 1, 2"


@pytest.mark.parametrize("what", [{}, {"topic": "a", "subject": "b"}, {"version": 1}])
def test_exactly_one_thing_is_named(what: dict[str, object], shop_dictionary: scanner_api.Dictionary) -> None:
    """An answer for two things would be an answer for neither."""
    with pytest.raises(InputInvalid):
        scanner_api.may_delete(shop_dictionary, **what)


@pytest.fixture(scope="module")
def shop_dictionary(tmp_path_factory: pytest.TempPathFactory) -> scanner_api.Dictionary:
    """Return a dictionary with the installation."""
    url = f"sqlite:///{tmp_path_factory.mktemp('shop') / 'dictionary.db'}"
    write_scan(open_dictionary(url, create=True), installation(), started=AT, finished=AT)
    return scanner_api.open_dictionary(url)


def test_topic_that_a_statement_read_in_part_may_use_is_unknown(
    deletion_answer: Callable[..., DeletionAnswer],
) -> None:
    """The table that nobody declares may be the topic."""
    scan = with_topic("lonely")
    text = "INSERT INTO paid_avro SELECT id, amount FROM nobody"
    odd = replace(scan.statements[0], name="odd.sql", statement=text)
    answer = deletion_answer(replace(scan, statements=(*scan.statements, odd)), topic="lonely")

    assert answer.answer is Answer.UNKNOWN
    assert any("read in part" in use.what for use in answer.uses)


def test_failed_tasks_of_a_running_connector_are_shown(deletion_answer: Callable[..., DeletionAnswer]) -> None:
    source = SourceId("connect:main")
    connector = Connector(
        source=source,
        name="lake",
        kind=ConnectorKind.SINK,
        connector_class="S3",
        state="RUNNING",
        tasks=(ConnectorTask(number=0, state="FAILED"),),
        topics=(TopicName("audit"),),
    )
    scan = with_topic("audit")
    scan = replace(scan, connectors=(connector,), outcomes=(*scan.outcomes, read_result(source)))
    for graph in (True, False):
        uses = deletion_answer(scan, topic="audit", graph=graph).uses
        (use,) = (use for use in uses if (use.kind, use.name) == ("job", "lake"))
        assert use.what.endswith("(RUNNING, 1 of 1 tasks FAILED)")
