"""Clients that brokers know: open transactions, and groups of the newer protocols."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from scanner_extractor.scan.connections import Connections
from scanner_extractor.scan.source_kinds import all_kinds
from scanner_extractor.settings.cluster import KafkaSettings
from scanner_extractor.systems.kafka.clients import load_clients, read_clients
from scanner_extractor.systems.kafka.settings import BrokerClientSettings
from scanner_model.clients import ClientUse
from scanner_model.errors import InputInvalid, SourceRefused, SourceUnreachable
from scanner_model.kafka import StreamsTopology
from scanner_model.scan import SourceStatus

SETTINGS = BrokerClientSettings(kafka=KafkaSettings(brokers=("kafka-1:9092",)), samples=2)
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
TRANSACTION = {
    "transactional_id": "billing-1",
    "error_code": 0,
    "transaction_start_time_ms": 1_795_435_200_000,
    "topics": [{"topic": "invoices", "partitions": [0, 1]}],
}
TOPOLOGY = {
    "epoch": 1,
    "subtopologies": [
        {
            "subtopology_id": "0",
            "source_topics": ["orders"],
            "repartition_sink_topics": ["totals-by-customer-repartition"],
            "state_changelog_topics": [],
            "repartition_source_topics": [],
        },
        {
            "subtopology_id": "1",
            "source_topics": [],
            "repartition_sink_topics": [],
            "state_changelog_topics": [{"name": "totals-sums-changelog"}],
            "repartition_source_topics": [{"name": "totals-by-customer-repartition"}],
        },
    ],
}


def member(client: str, *topics: str, pattern: str | None = None) -> dict[str, Any]:
    return {
        "client_id": client,
        "client_host": "/10.1.2.3",
        "subscribed_topic_names": [] if pattern else list(topics),
        "subscribed_topic_regex": pattern,
        "assignment": {"topic_partitions": [{"topic_name": topic, "partitions": [0]} for topic in topics]},
    }


def group(name: str, *members: Mapping[str, Any], error: int = 0, **more: Any) -> dict[str, Any]:
    return {"group_id": name, "group_state": "Stable", "error_code": error, "members": list(members), **more}


class Brokers:
    """Answers as Kafka 4.3 does: *answers* by request, of which an exception is raised."""

    def __init__(self, lacking: Sequence[str] = (), **answers: Any) -> None:
        self.requests = 0
        self.lacking = lacking
        self.sent: list[tuple[str, dict[str, Any]]] = []
        kinds = (
            ("consumer", "ConsumerGroupDescribe"),
            ("share", "ShareGroupDescribe"),
            ("Streams", "StreamsGroupDescribe"),
        )
        listed = [
            {"group_id": row["group_id"], "group_type": kind}
            for kind, name in kinds
            for row in (answers.get(name) if isinstance(answers.get(name), list) else ())
        ]
        self.answers = {"ListGroups": listed, "ListTransactions": [], **answers}

    def __call__(self, settings: KafkaSettings) -> Brokers:
        return self

    def __enter__(self) -> Brokers:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def supports(self, name: str) -> bool:
        return name not in self.lacking

    def error_name(self, code: int) -> str:
        return {0: "", 30: "GROUP_AUTHORIZATION_FAILED", 53: "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"}[code]

    def at_brokers(self, name: str, **members: object) -> list[dict[str, Any]]:
        rows = self._answer(name, members)
        return [{"error_code": 0, {"ListGroups": "groups"}.get(name, "transaction_states"): rows}]

    def at_coordinators(self, name: str, keys: Sequence[str], member: str, **members: object) -> list[dict[str, Any]]:
        if not keys:
            return []
        rows = self._answer(name, members)
        return [{{"group_ids": "groups"}.get(member, "transaction_states"): rows}]

    def _answer(self, name: str, members: dict[str, Any]) -> Any:
        self.requests += 1
        self.sent.append((name, members))
        answer = self.answers.get(name, [])
        answer = answer(members) if callable(answer) else answer
        if isinstance(answer, Exception):
            raise answer
        return answer


def read(
    brokers: Brokers, settings: BrokerClientSettings = SETTINGS, loading: Callable[[], Sequence[str]] = tuple
) -> Any:
    """Return the result of a scan, by way of a capture."""
    document = load_clients(settings, NOW, brokers, pause=lambda _: None, loading=loading)
    return read_clients(json.loads(json.dumps(document)), settings)


def used(result: Any) -> list[tuple[str, str, dict[str, str]]]:
    return [(use.topic, use.direction.value, dict(use.identities)) for use in result.of(ClientUse)]


def test_open_transaction_is_a_writer_since_it_began() -> None:
    """Only the topics of the current transaction are known; a closed one shows none."""
    listed = [
        {"transactional_id": "billing-1", "transaction_state": "Ongoing"},
        {"transactional_id": "idle-1", "transaction_state": "Empty"},
    ]
    brokers = Brokers(ListTransactions=listed, DescribeTransactions=[TRANSACTION])
    result = read(brokers)
    (use,) = result.of(ClientUse)

    assert used(result) == [("invoices", "writes", {"transactional.id": "billing-1"})]
    assert (use.started, use.ended, use.sampled) == ("2026-11-23T12:00:00+00:00", NOW.isoformat(), True)
    assert [name for name, _ in brokers.sent].count("ListTransactions") == SETTINGS.samples
    assert result.outcome.status is SourceStatus.READ


def test_transaction_of_a_later_sample_ends_no_sooner_than_it_began() -> None:
    """The samples follow the time of the scan by seconds, in which Kafka 4.3 reported a new transaction."""
    later = TRANSACTION | {"transaction_start_time_ms": TRANSACTION["transaction_start_time_ms"] + 2000}
    listed = [{"transactional_id": "billing-1", "transaction_state": "Ongoing"}]
    (use,) = read(Brokers(ListTransactions=listed, DescribeTransactions=[later])).of(ClientUse)

    assert (use.started, use.ended) == ("2026-11-23T12:00:02+00:00", "2026-11-23T12:00:02+00:00")


def test_member_reads_what_it_subscribes_to_without_commits() -> None:
    """A pattern is what the broker has assigned; a default client id names nobody; hosts are not kept."""
    by_pattern = member("rdkafka", "payments", pattern="pay.*")
    brokers = Brokers(
        ConsumerGroupDescribe=[group("orders-svc", member("orders-app", "orders")), group("audit", by_pattern)],
        ShareGroupDescribe=[group("workers", member("worker-7", "clicks"))],
    )
    document = load_clients(SETTINGS, NOW, brokers, pause=lambda _: None)

    assert used(read_clients(document, SETTINGS)) == [
        ("clicks", "reads", {"group": "workers", "client.id": "worker-7"}),
        ("orders", "reads", {"group": "orders-svc", "client.id": "orders-app"}),
        ("payments", "reads", {"group": "audit"}),
    ]
    assert "10.1.2.3" not in json.dumps(document)


@pytest.mark.parametrize("answers", [[["not loaded"], []], [[], ["not loaded"]]], ids=["before", "after"])
def test_groups_of_coordinators_that_are_loading_are_not_gone(answers: list[list[str]]) -> None:
    """Brokers then list fewer share and streams groups, without an error: what is missing stays."""
    left = iter(answers)
    result = read(Brokers(), loading=lambda: next(left, []))

    assert (result.outcome.status, result.outcome.unread) == (SourceStatus.PARTIAL, frozenset())
    assert [problem.what for problem in result.problems][:3] == [
        f"{kind} groups may be missing from the brokers' list: not loaded" for kind in ("consumer", "share", "streams")
    ]


def test_streams_group_without_sinks_says_that_they_are_unknown() -> None:
    """Version 0 has what is read, and the application's own topics."""
    result = read(Brokers(StreamsGroupDescribe=[group("totals", member("c"), topology=TOPOLOGY)]))
    (topology,) = result.of(StreamsTopology)

    assert used(result) == [("orders", "reads", {"application.id": "totals", "group": "totals"})]
    assert topology.name == "totals"
    assert "topics: [orders]" in topology.topology
    assert any(
        "what 1 Streams applications write: it is unknown (totals)" in problem.what for problem in result.problems
    )
    assert result.outcome.status is SourceStatus.READ


def test_version_that_cannot_be_read_is_requested_without_sinks() -> None:
    """What is read is then known all the same."""
    row = group("totals", member("c"), topology=TOPOLOGY)
    brokers = Brokers(StreamsGroupDescribe=[row])
    brokers.answers["StreamsGroupDescribe"] = lambda members: (
        [row] if members.get("max_version") == 0 else SourceUnreachable("cannot be decoded")
    )

    assert used(read(brokers)) == [("orders", "reads", {"application.id": "totals", "group": "totals"})]


def test_empty_refused_and_unsupported_are_different_answers() -> None:
    """Each says something else of a topic without clients."""
    empty = read(Brokers())
    old = read(Brokers(lacking=["ListTransactions", "ShareGroupDescribe", "StreamsGroupDescribe"]))
    refused = read(Brokers(ListTransactions=SourceRefused("not authorized")))

    assert [problem.what for problem in empty.problems] == [
        "no group of the newer protocols is visible: none exists, or the user may not DESCRIBE it",
        "no transactional id is visible: none exists, or the user may not DESCRIBE it",
    ]
    assert [problem.what for problem in old.problems] == [
        "the brokers have no request for share groups: these are unknown",
        "the brokers have no request for streams groups: these are unknown",
        "the brokers have no request for transactions: these are unknown",
    ]
    assert "transactions could not be read: not authorized" in refused.outcome.reason
    statuses = [result.outcome.status for result in (empty, old, refused)]
    assert statuses == [SourceStatus.READ, SourceStatus.READ, SourceStatus.PARTIAL]


def test_rows_without_right_make_the_answer_partial() -> None:
    """The others count."""
    rows = [group("a", member("app-a", "orders")), group("b", error=30)]
    result = read(Brokers(ConsumerGroupDescribe=rows))

    assert len(result.of(ClientUse)) == 1
    assert result.outcome.status is SourceStatus.PARTIAL
    assert result.problems[0].what == "1 consumer groups not read: GROUP_AUTHORIZATION_FAILED (b)"


@pytest.mark.parametrize("error", [SourceRefused("no"), SourceUnreachable("no")])
def test_nothing_readable_is_an_error(error: Exception) -> None:
    """Earlier facts stay, stale."""
    with pytest.raises(type(error)):
        read(Brokers(ListGroups=error, ListTransactions=error))


def test_parts_can_be_left_out() -> None:
    """What is not read is not requested, nor reported as unknown."""
    settings = BrokerClientSettings(kafka=SETTINGS.kafka, transactions=False)
    brokers = Brokers(ShareGroupDescribe=[group("workers", member("worker-7", "clicks"))])

    assert read(brokers, settings).problems == ()
    assert [name for name, _ in brokers.sent] == ["ListGroups", "ShareGroupDescribe"]


def test_damaged_capture_is_named() -> None:
    """It is the user's file."""
    with pytest.raises(InputInvalid):
        read_clients({"parts": {"share": []}}, SETTINGS)


def test_check_counts_what_is_visible() -> None:
    """One sample is enough for it."""
    kind = next(kind for kind in all_kinds() if kind.name == "kafka_clients")
    brokers = Brokers(lacking=["StreamsGroupDescribe"], ConsumerGroupDescribe=[group("a", member("app-a", "orders"))])
    connections = Connections(clients=lambda settings, now: load_clients(settings, now, brokers, lambda _: None))

    assert [probe.run() for probe in kind.check(SETTINGS, connections)] == [
        "1 consumer groups, 0 share groups, streams groups: no such request, 0 transactions"
    ]
    assert [name for name, _ in brokers.sent].count("ListTransactions") == 1
