"""When a thing that is used may go: a day for each reader by what monitoring saw, and one for all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import pytest
from named_scan import NamedScan

from scanner_check.users.deletion import Answer, DeletionAnswer, DeletionUse
from scanner_check.users.safe_dates import readers_without_date, with_dates
from scanner_dictionary.engine.open import open_dictionary
from scanner_dictionary.queries.subjects import topics_named
from scanner_dictionary.write.scan import write_scan
from scanner_model.clients import ClientUse, Direction
from scanner_model.kafka import Cluster, ConsumerGroup, Topic
from scanner_model.names import ClusterName, SourceId, TopicName
from scanner_model.scan import ClusterScan, SourceResult, SourceStatus
from scanner_model.usage import COUNT_ALL, Usage

START = datetime(2026, 10, 1, tzinfo=UTC)
METRICS, KAFKA = SourceId("prometheus:main"), SourceId("kafka:kafka-1:9092")
RULE = Usage(unseen_for=timedelta(days=45))
Judge = Callable[..., DeletionAnswer]


def scanned(day: int, seen: Sequence[str] = (), groups: dict[str, str] | None = None, **more: bool) -> ClusterScan:
    """Return the scan of a day: who was seen in the week before it, and the groups with their states."""
    at = START + timedelta(days=day)
    return NamedScan(
        cluster=Cluster(name=ClusterName("shop"), brokers=("kafka-1:9092",)),
        outcomes=tuple(
            SourceResult(source=source, kind=kind, status=SourceStatus.READ, received=1, requested=1)
            for source, kind in ((METRICS, "prometheus"), (KAFKA, "kafka"))
        ),
        topics=(Topic(source=KAFKA, name=TopicName("orders")),),
        consumer_groups=tuple(
            ConsumerGroup(source=KAFKA, name=name, state=state, topics=(TopicName("orders"),))
            for name, state in (groups or {}).items()
        ),
        client_uses=tuple(
            ClientUse(
                source=METRICS,
                topic=TopicName("orders"),
                direction=Direction.READS,
                identities=(("application", name),),
                started=(at - timedelta(days=7)).isoformat(),
                ended=at.isoformat(),
                window="7d",
                metric="consumed",
                amount=1,
                **more,
            )
            for name in seen
        ),
    )


@pytest.fixture
def judge(tmp_path) -> Judge:
    """Return a function from scans by day, and uses, to the answer with dates."""

    def run(scans: dict[int, ClusterScan], *uses: DeletionUse, usage: Usage = RULE, topic: str = "") -> DeletionAnswer:
        engine = open_dictionary(f"sqlite:///{tmp_path / 'dictionary.db'}", create=True)
        for day, scan in scans.items():
            at = START + timedelta(days=day)
            write_scan(engine, scan, started=at, finished=at, mode="full")
        with engine.connect() as conn:
            answer = DeletionAnswer(cluster="shop", what="column orders.total", uses=uses)
            return with_dates(conn, answer, usage, next(iter(topics_named(conn, topic)), None))

    return run


def reader(name: str, *, kind: str = "job", **more: object) -> DeletionUse:
    return DeletionUse(kind=kind, name=name, what="reads it", answer=Answer.NO, direction="reads", **more)


def weekly(last: int, **first: Sequence[str]) -> dict[int, ClusterScan]:
    return {0: scanned(0, first["seen"]), **{day: scanned(day) for day in range(7, last + 1, 7)}}


def test_a_reader_that_was_not_seen_for_a_while_has_a_day(judge) -> None:
    """Billing was last seen on 1 October, 42 days before the newest scan; the rule is 45 days."""
    answer = judge(weekly(42, seen=["billing"]), reader("billing"))

    assert answer.uses[0].what == "reads it; last seen 42 days ago, usage rule 45 days"
    assert (answer.uses[0].safe_on, answer.safe_on, answer.answer) == ("2026-11-16", "2026-11-16", Answer.NO)


def test_a_reader_that_was_not_seen_for_the_time_of_the_rule_does_not_count(judge) -> None:
    answer = judge(
        weekly(49, seen=["billing"]),
        reader("billing"),
        DeletionUse(kind="dataset", name="dwh.bills", what="copies it", answer=Answer.NO, through=("billing",)),
    )

    assert answer.answer is Answer.YES
    assert answer.uses[1].what == "copies it, but only through billing"


@pytest.mark.parametrize(
    ("scans", "what"),
    [
        ({0: scanned(0, ["billing"]), 42: scanned(42)}, "did not look all the time"),
        ({0: scanned(0, ["billing"], sampled=True), 7: scanned(7), 14: scanned(14)}, "did not look all the time"),
        ({0: scanned(0, ["billing"]), 7: scanned(7, ["billing"])}, "seen by the newest scan"),
        ({0: scanned(0)}, "not observed by monitoring"),
        ({0: scanned(0, groups={"billing": "Stable"})}, "seen by the newest scan"),
    ],
)
def test_what_was_not_observed_gives_no_day(judge, scans, what) -> None:
    answer = judge(scans, reader("billing"), reader("old", groups=("gone",)))

    assert what in answer.uses[0].what
    assert (answer.uses[0].safe_on, answer.safe_on, answer.answer) == ("", "", Answer.NO)
    assert "billing" in readers_without_date(answer)


def test_a_group_without_members_has_a_day_and_still_counts(judge) -> None:
    """It was not looked at between scans: only its absence from the brokers' list proves that it is unused."""
    states = {0: "Stable", 7: "Empty", 14: "Empty", 70: "Empty"}
    scans = {day: scanned(day, groups={"nightly": state}) for day, state in states.items()}
    answer = judge(scans, reader("nightly", kind="consumer-group"))

    assert answer.uses[0].what == "reads it; without members since the scan of 2026-10-08"
    assert (answer.uses[0].safe_on, answer.answer) == ("2026-11-23", Answer.NO)


def test_a_job_is_seen_through_its_groups_and_a_writer_has_no_day(judge) -> None:
    scans = {day: scanned(day, groups={"flink-orders": "Stable"} if day < 14 else {}) for day in (0, 7, 14, 20)}
    writer = DeletionUse(kind="job", name="cdc", what="writes it", answer=Answer.NO, direction="writes")
    answer = judge(scans, reader("enrich", groups=("flink-orders",)), writer)

    assert answer.uses[0].what == "reads it; last seen 6 days ago, usage rule 45 days"
    assert answer.uses[1] == writer
    assert answer.safe_on == "2026-11-30"


def test_the_day_of_all_is_the_last_one_and_there_is_none_if_a_reader_has_none(judge) -> None:
    scans = {0: scanned(0, ["a"]), 7: scanned(7, ["b"]), 14: scanned(14)}
    answer = judge(scans, reader("a"), reader("b"), reader("c"))

    assert [use.safe_on for use in answer.uses] == ["2026-11-16", "2026-11-23", ""]
    assert answer.safe_on == ""
    assert list(readers_without_date(answer)) == ["c"]


def test_without_a_rule_readers_say_when_they_were_seen(judge) -> None:
    answer = judge(weekly(14, seen=["billing"]), reader("billing"), usage=COUNT_ALL)

    assert (answer.uses[0].what, answer.uses[0].safe_on) == ("reads it; last seen 14 days ago", "")


def test_an_excluded_reader_does_not_count(judge) -> None:
    answer = judge({0: scanned(0, ["replay-1"])}, reader("replay-1"), usage=Usage(exclude=("replay-*",)))

    assert answer.answer is Answer.YES


def test_a_reader_that_left_is_listed_until_its_day(judge) -> None:
    """The newest scan sees neither the client nor the group; that alone does not prove that they are gone for good."""
    first = scanned(0, ["billing"], {"shipping": "Stable", "live": "Stable"})
    later = {day: scanned(day, groups={"live": "Stable"}) for day in (7, 14, 21)}
    answer = judge({0: first, **later}, reader("live"), topic="orders")

    assert {use.name: (use.kind, use.what, use.safe_on) for use in answer.uses[1:]} == {
        "billing": ("job", "read orders; last seen 21 days ago, usage rule 45 days", "2026-11-16"),
        "shipping": ("consumer-group", "read orders; last seen 14 days ago, usage rule 45 days", "2026-11-23"),
    }


def test_a_reader_of_another_topic_is_no_reader_of_this_one(judge) -> None:
    answer = judge({0: scanned(0, ["billing"], {"shipping": "Stable"}), 7: scanned(7)}, topic="payments")

    assert answer.uses == ()


def test_without_a_rule_the_answer_says_since_when_the_last_reader_is_gone(judge) -> None:
    answer = judge({0: scanned(0, groups={"shipping": "Stable"}), 7: scanned(7)}, topic="orders", usage=COUNT_ALL)

    assert (answer.answer, answer.unused_since[:10], answer.uses) == (Answer.YES, "2026-10-08", ())
