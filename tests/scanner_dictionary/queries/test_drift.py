"""Drift: what counts as a difference between a file and what runs, and what cannot be said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from scanner_dictionary.queries.connectors import connectors
from scanner_dictionary.queries.drift import Drift, drift
from scanner_dictionary.validation import validate
from scanner_model.declarations import DECLARED, Declaration, DeclaredKind
from scanner_model.kafka import Connector, ConnectorKind, Topic
from scanner_model.manual import DeclaredFlow, FlowEnd
from scanner_model.names import SourceId, TopicName
from scanner_model.redaction import MASK
from scanner_model.scan import SourceStatus

KAFKA, CONNECT, OTHER = SourceId("kafka:kafka-1:9092"), SourceId("connect:main"), SourceId("connect:other")
FILES = SourceId("files:deploy")
TOPIC, CONNECTOR = DeclaredKind.TOPIC, DeclaredKind.CONNECTOR
CLASS = {"connector.class": "S3", "tasks.max": "1", "topics": "a"}


def declared(kind: DeclaredKind, name: str = "x", config: dict[str, str] | None = None, **more: Any) -> Declaration:
    pairs = tuple(sorted((config or {}).items()))
    return Declaration(source=FILES, kind=kind, name=name, place=f"{name}.yaml:1", config=pairs, **more)


def running(
    name: str = "x", config: dict[str, str] | None = None, source: SourceId = CONNECT, **more: Any
) -> Connector:
    pairs = tuple(sorted((CLASS if config is None else config).items()))
    kind = ConnectorKind.SINK
    given = {"state": "RUNNING"} | more
    return Connector(source=source, name=name, kind=kind, connector_class="S3", config=pairs, **given)


def topic(name: str = "x", config: dict[str, str] | None = None, source: SourceId = KAFKA, **more: Any) -> Topic:
    return Topic(source=source, name=TopicName(name), config=tuple(sorted((config or {}).items())), **more)


@pytest.fixture
def drift_of(dictionary, store, sample) -> Callable[..., list[tuple[Any, ...]]]:
    """Store declarations beside what runs; return the drift as (kind, name, drift, differences)."""

    def stored(
        *declarations: Declaration,
        topics: tuple[Topic, ...] = (),
        connectors: tuple[Connector, ...] = (),
        answers: dict[SourceId, SourceStatus] | None = None,
    ) -> list[tuple[Any, ...]]:
        outcomes = {FILES: SourceStatus.READ} | (
            {KAFKA: SourceStatus.READ, CONNECT: SourceStatus.READ} if answers is None else answers
        )
        store(
            sample.scan(
                topics=topics,
                connectors=connectors,
                outcomes=tuple(sample.outcome(source, answer) for source, answer in outcomes.items()),
                declarations=declarations,
            )
        )
        with dictionary.connect() as conn:
            rows = drift(conn).rows
        return [(str(row.kind), row.name, str(row.drift), [tuple(one) for one in row.differences]) for row in rows]

    return stored


def test_what_runs_as_declared_does_not_drift(drift_of) -> None:
    """Nothing to report is the usual answer."""
    config = {"retention.ms": "5", "cleanup.policy": "compact,delete"}
    declarations = (
        declared(TOPIC, config=config, partitions=3, replication=1),
        declared(CONNECTOR, config=CLASS, state="running"),
    )
    actual = {"retention.ms": "5", "cleanup.policy": "delete, compact"}

    assert (
        drift_of(*declarations, topics=(topic(config=actual, partitions=3, replication=1),), connectors=(running(),))
        == []
    )


def test_declared_and_not_running(drift_of) -> None:
    """The brokers and the Connect cluster answered, and have neither."""
    assert drift_of(declared(TOPIC), declared(CONNECTOR, "c")) == [
        ("connector", "c", "not-running", []),
        ("topic", "x", "not-running", []),
    ]


@pytest.mark.parametrize(
    "answers",
    [
        {},
        {KAFKA: SourceStatus.UNAVAILABLE, CONNECT: SourceStatus.UNAVAILABLE},
        {KAFKA: SourceStatus.PARTIAL, CONNECT: SourceStatus.PARTIAL},
    ],
)
def test_without_a_whole_answer_it_is_unknown_what_runs(drift_of, answers) -> None:
    """With files alone, or in an outage, nothing may be called missing."""
    assert {row[2] for row in drift_of(declared(TOPIC), declared(CONNECTOR, "c"), answers=answers)} == {"unknown"}


def test_running_and_not_declared(drift_of) -> None:
    """Internal topics are nobody's to declare; and of a kind that no file declares, nothing is expected."""
    topics = (topic("x"), topic("by-hand"), topic("__offsets", internal=True))

    assert drift_of(declared(TOPIC), topics=topics, connectors=(running("c"),)) == [
        ("topic", "by-hand", "not-declared", [])
    ]


def test_connect_cluster_that_no_file_names_is_not_managed_by_files(drift_of) -> None:
    """Of two Connect clusters one may be deployed by hand, with connectors of the same names."""
    rows = drift_of(
        declared(CONNECTOR, config=CLASS, parent="main"),
        connectors=(running(), running("b"), running(source=OTHER, config={}), running("o", source=OTHER)),
        answers={CONNECT: SourceStatus.READ, OTHER: SourceStatus.READ},
    )

    assert rows == [("connector", "b", "not-declared", [])]


@pytest.mark.parametrize(
    ("file", "actual", "expected"),
    [
        ({"partitions": 3, "replication": 3}, {"partitions": 6, "replication": 3}, [("partitions", "3", "6")]),
        ({"replication": 3}, {"partitions": 6, "replication": 1}, [("replication.factor", "3", "1")]),
        ({"partitions": 3}, {"partitions": None}, []),
        ({}, {"partitions": 6}, []),
        ({"config": {"retention.ms": "5"}}, {"config": {"retention.ms": "6"}}, [("retention.ms", "5", "6")]),
        ({"config": {"retention.ms": "604800000", "cleanup.policy": "delete"}}, {}, []),
        ({"config": {"retention.ms": "5"}}, {}, [("retention.ms", "5", "604800000")]),
        ({"config": {"min.cleanable.dirty.ratio": "0.50"}}, {}, []),
        ({"config": {"own.setting": "5"}}, {}, [("own.setting", "5", None)]),
        ({"config": {"preallocate": "TRUE"}}, {"config": {"preallocate": "true"}}, []),
        ({}, {"config": {"segment.bytes": "7"}}, []),
    ],
)  # fmt: skip
def test_differences_of_a_topic(drift_of, file, actual, expected) -> None:
    """Defaults are none; nor is a setting that only runs, which the brokers may have for every topic."""
    rows = drift_of(declared(TOPIC, **file), topics=(topic(**actual),))

    assert [one for row in rows for one in row[3]] == expected


def test_settings_that_could_not_be_read_do_not_differ(drift_of) -> None:
    """A user who may not describe settings sees topics without any."""
    rows = drift_of(
        declared(TOPIC, config={"retention.ms": "5"}), topics=(topic(),), answers={KAFKA: SourceStatus.PARTIAL}
    )

    assert rows == []


@pytest.mark.parametrize(
    ("file", "actual", "expected"),
    [
        ({"topics": "a"}, {"topics": "b"}, [("topics", "a", "b")]),
        ({"x": "1"}, {}, [("x", "1", None)]),
        ({}, {"x": "1"}, [("x", None, "1")]),
        ({"tasks.max": "1", "name": "c"}, {}, []),
        ({}, {"tasks.max": "1", "name": "c"}, []),
        ({"tasks.max": "2"}, {}, [("tasks.max", "2", "1")]),
        ({"p": MASK}, {"p": "q"}, []),
        ({"p": "q"}, {"p": MASK}, []),
        ({"p": MASK}, {}, [("p", MASK, None)]),
        ({"p": "${file:/a:b}"}, {"p": "${file:/a:c}"}, [("p", "${file:/a:b}", "${file:/a:c}")]),
        ({"p": "{{ .Values.p }}"}, {"p": "q"}, []),
        ({"p": "jdbc:${HOST}:1"}, {"p": "jdbc:h:1"}, []),
    ],
)
def test_differences_of_a_connector(drift_of, file, actual, expected) -> None:
    """Neither secrets nor placeholders that were filled in are compared; a worker adds no settings of its own."""
    rows = drift_of(declared(CONNECTOR, config=file), connectors=(running(config=actual),))

    assert [one for row in rows for one in row[3]] == expected


def test_settings_that_an_operator_or_service_adds_do_not_differ(drift_of) -> None:
    """Strimzi's MirrorMaker and Confluent Cloud's connectors have more than their files."""
    more = CLASS | {"source.cluster.security.protocol": "SSL"}
    rows = drift_of(
        declared(CONNECTOR, "mirror", CLASS, whole=False),
        declared(CONNECTOR, "managed", CLASS),
        connectors=(running("mirror", more), running("managed", more, managed_id="lcc-1")),
    )

    assert rows == []


@pytest.mark.parametrize(
    ("file", "actual", "expected"),
    [
        ("running", "PAUSED", [("state", "running", "paused")]),
        ("stopped", "RUNNING", [("state", "stopped", "running")]),
        ("running", "FAILED", []),
        ("", "PAUSED", []),
        ("running", "UNASSIGNED", []),
    ],
)
def test_state_is_what_somebody_chose(drift_of, file, actual, expected) -> None:
    """A connector that failed runs as declared; that it failed is another finding."""
    rows = drift_of(declared(CONNECTOR, config=CLASS, state=file), connectors=(running(state=actual),))

    assert [one for row in rows for one in row[3]] == expected


def test_findings_are_those_of_drift(dictionary, drift_of) -> None:
    """Every scan stores them."""
    drift_of(
        declared(TOPIC, "gone"),
        declared(TOPIC, config={"retention.ms": "5", "own": "1"}),
        topics=(topic(config={"retention.ms": "6"}), topic("by-hand")),
    )
    rules = {"declared-not-running", "running-not-declared", "running-otherwise"}

    with dictionary.connect() as conn:
        findings = [(one.rule, one.where, one.what) for one in validate(conn, rules=rules)]

    assert findings == [
        ("declared-not-running", "topic gone", "gone.yaml:1 declares it, and kafka:kafka-1:9092 does not have it"),
        ("running-not-declared", "topic by-hand", "kafka:kafka-1:9092 runs it, and no deployment file declares it"),
        ("running-otherwise", "topic x", "it runs otherwise than x.yaml:1 declares: own is not set, retention.ms"),
    ]


def test_what_runs_wins_over_what_is_declared(dictionary, drift_of) -> None:
    """The graph must not have one connector twice; a deleted one is declared again."""
    from_file = running(config={"topics": "new"}, source=FILES, state=DECLARED)

    def states() -> list[tuple[str, str]]:
        with dictionary.connect() as conn:
            return [(row.source, row.state) for row in connectors(conn)]

    drift_of(connectors=(from_file,))
    assert states() == [(FILES, DECLARED)]
    drift_of(connectors=(running(), from_file))
    assert states() == [(CONNECT, "RUNNING")]
    drift_of(connectors=(running(), from_file), answers={CONNECT: SourceStatus.UNAVAILABLE})
    assert states() == [(CONNECT, "RUNNING")]
    drift_of(connectors=(from_file,))
    assert states() == [(FILES, DECLARED)]


def test_brokers_settings_of_a_topic_stay_in_an_outage(dictionary, drift_of, table_rows) -> None:
    """A file describes how the topic should be, not how it was when the brokers last answered."""
    drift_of(topics=(topic(partitions=6),))
    rows = drift_of(
        declared(TOPIC, partitions=3),
        topics=(topic(source=FILES, partitions=3),),
        answers={KAFKA: SourceStatus.UNAVAILABLE},
    )

    assert rows == [("topic", "x", "differs", [("partitions", "3", "6")])]


def test_declaration_that_leaves_its_file_is_forgotten(drift_of) -> None:
    """As a fact of any other source."""
    assert drift_of(declared(TOPIC))
    assert drift_of() == []


def test_use_without_a_job_is_not_stored(dictionary, store, sample) -> None:
    """One end of a flow may be unknown, but not all that it is about."""
    nothing, end = FlowEnd(), FlowEnd(name="x")

    def flow(job: str) -> DeclaredFlow:
        return DeclaredFlow(source=FILES, origin=end, target=nothing, job=job, description="", evidence="a.yaml:1")

    summary = store(sample.scan(outcomes=(sample.outcome(FILES),), declared_flows=(flow("billing"), flow(""))))

    assert [problem.what for problem in summary.refused] == ["the manual_flow 'files:deploy x' has no type or name"]


def test_drift_is_named_for_what_to_do() -> None:
    """Scripts compare these words."""
    assert [str(kind) for kind in Drift] == ["not-running", "not-declared", "differs", "unknown"]
