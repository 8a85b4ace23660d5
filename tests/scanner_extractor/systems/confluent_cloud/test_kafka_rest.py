"""Kafka over REST v3: Confluent Cloud, other servers, and what they refuse."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from scanner_extractor.http.client import Http
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.http.messages import Request, Response
from scanner_extractor.results import KafkaCluster, Reading, no_progress
from scanner_extractor.settings.cluster import HttpSettings
from scanner_extractor.systems.confluent_cloud.kafka_rest import read_kafka_rest
from scanner_extractor.systems.confluent_cloud.settings import KafkaRestSettings
from scanner_model.catalogs import MirrorTopic
from scanner_model.errors import PayloadUnexpected, ScannerError, SourceRefused
from scanner_model.kafka import ConsumerGroup, Topic
from scanner_model.scan import SourceStatus as Answered

NO_PAUSE = Clock(pause=lambda _: None)
PATH = "/kafka/v3/clusters/lkc-1"

Read = Callable[..., Reading]


@pytest.fixture
def read(cloud) -> Read:
    """Read the cluster `lkc-1` of a fake Confluent Cloud over loopback."""

    def query(cluster: Any, **members: Any) -> Reading:
        server = cloud.Cloud(environments=(cloud.Environment(clusters=(cluster,)),), **members)
        with cloud.serving(server) as url:
            given = KafkaRestSettings(http=HttpSettings(url=url), cluster="lkc-1")
            with Http(given.http, given.source, clock=NO_PAUSE) as http:
                return read_kafka_rest(given, http, no_progress)

    return query


@pytest.fixture
def answered() -> Read:
    """Read what a table of paths answers: rows, JSON, or a status; everything else is a 404."""

    def query(answers: dict[str, Any], cluster: str = "lkc-1", **settings: Any) -> Reading:
        given = KafkaRestSettings(http=HttpSettings(url="http://k"), cluster=cluster, **settings)

        def exchange(request: Request) -> Response:
            output = answers.get(request.url.removeprefix("http://k"), 404)
            if isinstance(output, int):
                return Response(status=output)
            document = {"metadata": {"next": None}, "data": output} if isinstance(output, list) else output
            return Response(status=200, body=json.dumps(document).encode())

        with Http(given.http, given.source, exchange=exchange) as http:
            return read_kafka_rest(given, http, no_progress)

    return query


def topic(name: str, **members: Any) -> dict[str, Any]:
    return {"topic_name": name, "partitions_count": 6, "replication_factor": 3, "is_internal": False} | members


def test_requests_do_not_grow_with_topics(cloud, read: Read) -> None:
    """One list of topics, one of all their settings: a thousand topics cost what one does."""
    topics = tuple(cloud.Topic(name=f"t{number}", config={"retention.ms": "1"}) for number in range(300))

    result = read(cloud.Cluster(id="lkc-1", topics=topics))
    assert (len(result.of(Topic)), result.outcome.status, result.outcome.requests) == (300, Answered.READ, 7)
    assert result.of(KafkaCluster)[0].cluster_id == "lkc-1"
    assert result.of(Topic)[0].config == (("retention.ms", "1"),)


def test_settings_by_default_and_secrets_stay_out(cloud, read: Read) -> None:
    """What Kafka would do anyway is no decision of anybody's."""
    result = read(cloud.Cluster(id="lkc-1", topics=(cloud.Topic(name="a"),)))

    assert [topic.config for topic in result.of(Topic)] == [()]
    assert result.of(KafkaCluster)[0].unconfigured == frozenset()


def test_only_the_mark_makes_a_topic_internal(cloud, read: Read) -> None:
    """People call topics `_audit` and `confluent_orders`; these are theirs."""
    topics = (cloud.Topic(name="_audit"), cloud.Topic(name="confluent_orders"), cloud.Topic(name="x", internal=True))

    result = read(cloud.Cluster(id="lkc-1", topics=topics))
    assert [(topic.name, topic.internal) for topic in result.of(Topic)] == [
        ("_audit", False),
        ("confluent_orders", False),
        ("x", True),
    ]


def test_dedicated_cluster_reports_what_groups_read(cloud, read: Read) -> None:
    """A topic without a committed offset is not read, though the lag lists it."""
    lags = {"g/1": ("a", "b")}

    result = read(cloud.Cluster(id="lkc-1", kind="Dedicated", groups=("g/1", "idle"), lags=lags))
    assert [(consumer_group.name, consumer_group.topics) for consumer_group in result.of(ConsumerGroup)] == [
        ("g/1", ("a", "b")),
        ("idle", ()),
    ]
    assert result.outcome.status is Answered.READ


def test_where_lags_are_not_offered_no_second_group_is_queried(cloud, read: Read) -> None:
    """Off Dedicated, the answer is the same for every group."""
    result = read(cloud.Cluster(id="lkc-1", groups=tuple(f"g{number}" for number in range(50))))

    assert len(result.of(ConsumerGroup)) == 50
    assert result.outcome.requests < 10
    assert result.problems == ()


def test_mirrored_topic_names_its_link_and_origin(cloud, read: Read) -> None:
    """A link copies a topic from another cluster, perhaps under another name."""
    result = read(cloud.Cluster(id="lkc-1", mirrors={"eu.orders": ("from-eu", "orders")}))

    mirror = result.of(MirrorTopic)[0]
    assert (mirror.topic, mirror.link, mirror.origin_topic) == ("eu.orders", "from-eu", "orders")
    assert (mirror.origin_cluster, mirror.state) == ("lkc-far", "ACTIVE")


def test_html_page_with_429_passes(cloud, read: Read) -> None:
    """Kafka REST says `too many requests` as a web page."""
    result = read(cloud.Cluster(id="lkc-1", topics=(cloud.Topic(name="a"),)), slow_down=2)

    assert [topic.name for topic in result.of(Topic)] == ["a"]


def test_refused_settings_are_unknown_not_default(cloud, read: Read) -> None:
    """Topics are reported all the same, and earlier settings may stay."""
    result = read(cloud.Cluster(id="lkc-1", topics=(cloud.Topic(name="a"),)), refused={f"{PATH}/topics/-": 403})

    assert result.of(KafkaCluster)[0].unconfigured == {"a"}
    assert result.outcome.status is Answered.PARTIAL
    assert "settings of topics" in result.outcome.reason


def test_refused_groups_prove_none_to_be_gone(cloud, read: Read) -> None:
    """A partial answer without unread names proves nothing."""
    result = read(cloud.Cluster(id="lkc-1"), refused={f"{PATH}/consumer-groups": 403})

    assert (result.outcome.status, result.outcome.unread) == (Answered.PARTIAL, frozenset())


def test_topics_of_share_groups_are_unknown(cloud, read: Read) -> None:
    """The REST API does not name what they read: nothing may count as unread."""
    names = tuple(f"queue-{number}" for number in range(7))
    result = read(cloud.Cluster(id="lkc-1", topics=(cloud.Topic(name="a"),), share_groups=names))

    assert (result.outcome.status, result.outcome.unread) == (Answered.PARTIAL, frozenset(names))
    assert "queue-0, queue-1, queue-2, queue-3, queue-4, …" in result.outcome.reason


@pytest.mark.parametrize(("status", "reads"), [(403, Answered.PARTIAL), (500, Answered.PARTIAL), (404, Answered.READ)])
def test_share_groups_that_are_refused_are_unknown_and_unoffered_ones_are_none(cloud, read, status, reads) -> None:
    """A server before Kafka 4.2 has no share groups to list."""
    result = read(cloud.Cluster(id="lkc-1"), refused={f"{PATH}/share-groups": status})

    assert result.outcome.status is reads


def test_share_group_without_a_name_makes_no_group_known_to_be_gone(answered: Read) -> None:
    path = "/kafka/v3/clusters/lkc-1"
    result = answered({path: {}, f"{path}/topics": [], f"{path}/share-groups": [{"state": "STABLE"}]})

    assert (result.outcome.status, result.outcome.unread) == (Answered.PARTIAL, frozenset())


def test_refused_topics_are_no_empty_cluster(cloud, read: Read) -> None:
    """Empty, unknown and failed are three answers."""
    with pytest.raises(SourceRefused):
        read(cloud.Cluster(id="lkc-1"), refused={f"{PATH}/topics": 403})


def test_next_is_followed_should_there_ever_be_one(answered: Read) -> None:
    """There is no paging today; the member for it is there."""
    more = {"data": [topic("a")], "metadata": {"next": f"https://else.where{PATH}/topics?page_token=2"}}
    answers = {PATH: {}, f"{PATH}/topics": more, f"{PATH}/topics?page_token=2": [topic("b")]}

    assert [topic.name for topic in answered(answers).of(Topic)] == ["a", "b"]


def test_pages_that_never_end_keep_what_they_brought(answered: Read) -> None:
    """A server that gives the same token again is left with what was read."""
    link = f"https://else.where{PATH}/topics?page_token=2"
    pages = {"data": [topic("a")], "metadata": {"next": link}}

    result = answered({PATH: {}, f"{PATH}/topics": pages, f"{PATH}/topics?page_token=2": pages})
    assert [topic.name for topic in result.of(Topic)] == ["a"]
    assert (result.outcome.status, result.outcome.unread) == (Answered.PARTIAL, frozenset())


def test_proxy_of_its_own_has_no_prefix_and_reports_its_cluster(answered: Read) -> None:
    """A REST proxy serves /v3, and its list of clusters has one."""
    path = "/v3/clusters/c-9"
    brokers = [{"host": "Kafka-1", "port": 9092}, {"host": "::1", "port": 9093}, {"host": "", "port": None}]
    answers = {"/v3/clusters": [{"cluster_id": "c-9"}], f"{path}/topics": [topic("a")], f"{path}/brokers": brokers}

    result = answered(answers, cluster="")
    assert (result.of(KafkaCluster)[0].cluster_id, [topic.name for topic in result.of(Topic)]) == ("c-9", ["a"])
    assert result.of(KafkaCluster)[0].addresses == ("[::1]:9093", "kafka-1:9092")


@pytest.mark.parametrize(
    ("listed", "reported"), [([], "lists no cluster"), ([{"cluster_id": "a"}, {"cluster_id": "b"}], "a, b")]
)
def test_server_without_one_cluster_wants_a_name(answered: Read, listed: list[Any], reported: str) -> None:
    """Which one is meant is not ours to guess."""
    with pytest.raises(PayloadUnexpected, match=reported):
        answered({"/kafka/v3/clusters": listed}, cluster="")


def test_another_server_is_distinguished(answered: Read) -> None:
    """A wrong address is an error with a next step, not an empty cluster."""
    with pytest.raises(PayloadUnexpected) as caught:
        answered({})

    assert "kafka_rest" in caught.value.hint


@pytest.mark.parametrize(
    "unusual", [[None, 1, {}, {"topic_name": 5}], {"data": "no"}, [topic("a", partitions_count="6")]]
)
def test_malformed_members_raise_nothing_but_our_errors(answered: Read, unusual: Any) -> None:
    """Whatever a proxy makes of an answer, the reader does not break."""
    try:
        result = answered({PATH: {}, f"{PATH}/topics": unusual, f"{PATH}/topics/-/configs": unusual})
    except ScannerError:
        return

    assert all(topic.partitions is None for topic in result.of(Topic))


def test_one_group_that_is_refused_keeps_its_earlier_topics(answered: Read) -> None:
    """The group's name is among the unread, so what is known of it stays."""
    groups = [{"consumer_group_id": name, "state": "EMPTY"} for name in ("a", "b", "c")]
    lags = {"topic_name": "t", "current_offset": 0}
    answers = {PATH: {}, f"{PATH}/topics": [], f"{PATH}/consumer-groups": groups}
    answers |= {f"{PATH}/consumer-groups/a/lags": [lags], f"{PATH}/consumer-groups/b/lags": 403}

    result = answered(answers | {f"{PATH}/topics/-/configs": []})
    assert result.outcome.unread == {"b"}
    assert [consumer_group.topics for consumer_group in result.of(ConsumerGroup)] == [("t",), (), ()]
