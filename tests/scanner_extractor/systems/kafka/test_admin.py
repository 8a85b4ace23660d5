"""A whole cluster through the Kafka protocol: complete, in part, and not at all.

librdkafka's own mock cluster and dead addresses are real network; what the mock cannot answer (settings, groups) is
handed in. The same against real brokers is in tests/lab.
"""

from __future__ import annotations

from concurrent.futures import Future
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import ConsumerGroupState, ConsumerGroupTopicPartitions, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import (
    AclOperation,
    AdminClient,
    BrokerMetadata,
    ClusterMetadata,
    ConfigEntry,
    ConfigResource,
    ConsumerGroupListing,
    ListConsumerGroupsResult,
    PartitionMetadata,
    TopicMetadata,
)

from scanner_extractor.results import KafkaCluster, Reading, no_progress
from scanner_extractor.settings.cluster import KafkaSettings
from scanner_extractor.systems.kafka.admin import probe, read_kafka
from scanner_extractor.systems.kafka.client import KafkaClient, http_address
from scanner_model.errors import InputInvalid, ScannerError, SourceRefused, SourceUnreachable
from scanner_model.kafka import ConsumerGroup, Topic
from scanner_model.scan import SourceStatus

NO_RIGHT = KafkaError(KafkaError.CLUSTER_AUTHORIZATION_FAILED, "Cluster authorization failed.")
LISTENERS = "PLAINTEXT://kafka-1:9092,OUTSIDE://kafka.example.com:9094"
DENIED = KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED, "Topic authorization failed")


def settled(value: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_exception(KafkaException(value)) if isinstance(value, KafkaError) else future.set_result(value)
    return future


class Described:
    """A topic's or group's description, as far as it is read."""

    def __init__(self, *, is_internal: bool = False, operations: Any = None) -> None:
        self.is_internal = is_internal
        self.authorized_operations = operations
        self.members: list[Any] = []


class Brokers:
    """An `AdminClient` whose answers are given; an error in place of an answer is raised where librdkafka would."""

    def __init__(self, *topics: str, **given: Any) -> None:
        self.topics, self.given, self.calls = topics, given, 0
        self.listed: list[float] = []

    def __call__(self, properties: dict[str, Any], logger: object) -> Brokers:
        self.properties = properties
        return self

    def list_topics(self, timeout: float) -> ClusterMetadata:
        self.listed.append(timeout)
        if "said" in self.given:
            self.properties["error_cb"](self.given["said"])
            raise KafkaException(KafkaError(KafkaError._TRANSPORT, "Failed to get metadata"))
        metadata, broker = ClusterMetadata(), BrokerMetadata()
        broker.host, broker.port = "kafka-1", 9092
        metadata.cluster_id, metadata.brokers = "abc", {1: broker}
        metadata.topics = {name: self._topic(name) for name in self.topics}
        return metadata

    def _topic(self, name: str) -> TopicMetadata:
        topic = TopicMetadata()
        topic.topic, topic.error = name, self.given.get("hidden", {}).get(name)
        if topic.error is None:
            topic.partitions = {number: PartitionMetadata() for number in range(2)}
            topic.partitions[0].replicas = self.given.get("replicas", [1])
            topic.partitions[0].leader, topic.partitions[1].leader = 1, self.given.get("leader", 1)
        return topic

    def poll(self, timeout: float) -> None:
        """Serve nothing: errors are noted at once."""

    def describe_cluster(self, include_authorized_operations: bool, request_timeout: float) -> Future[Any]:
        rights = self.given.get("rights", [AclOperation.DESCRIBE])
        return settled(rights if isinstance(rights, KafkaError) else Described(operations=rights))

    def describe_topics(
        self, topics: Any, include_authorized_operations: bool, request_timeout: float
    ) -> dict[str, Future[Any]]:
        if "describe" in self.given:
            raise KafkaException(self.given["describe"])
        if "unshown" in self.given:
            return {name: settled(self.given["unshown"]) for name in topics.topic_names}
        reported = self.given.get("topic_rights", [AclOperation.DESCRIBE])
        return {
            name: settled(Described(is_internal=name.startswith("__"), operations=reported))
            for name in topics.topic_names
        }

    def describe_configs(self, resources: list[Any], request_timeout: float) -> dict[Any, Future[Any]]:
        if resources[0].restype is ConfigResource.Type.BROKER:
            (broker,) = resources  # librdkafka takes no more than one a call
            return {broker: settled(self.given.get("listeners", {}))}
        self.calls += 1
        config = self.given.get("config", {"retention.ms": ConfigEntry("retention.ms", "1")})
        return {resource: settled(config) for resource in resources}

    def list_consumer_groups(self, request_timeout: float) -> Future[Any]:
        groups = [ConsumerGroupListing(name, False) for name in self.given.get("groups", ())]
        return settled(self.given.get("listing", ListConsumerGroupsResult(valid=groups, errors=[])))

    def list_groups(self, timeout: float) -> list[Any]:
        """Return groups as the older list does: only classic ones have a type of protocol."""
        if "older" in self.given:
            raise KafkaException(self.given["older"])
        names = [*self.given.get("groups", ()), *self.given.get("others", ())]
        classic = [SimpleNamespace(id="connect-a", protocol_type="connect")]
        return [*classic, *(SimpleNamespace(id=name, protocol_type="") for name in names)]

    def list_consumer_group_offsets(self, requests: list[Any], request_timeout: float) -> dict[str, Future[Any]]:
        name = requests[0].group_id
        offsets = ConsumerGroupTopicPartitions(name, [TopicPartition("orders", 0, 7)])
        return {name: settled(self.given.get("offsets", offsets))}

    def describe_consumer_groups(self, names: list[str], request_timeout: float) -> dict[str, Future[Any]]:
        return {name: settled(self.given.get("members", Described())) for name in names}


def read(brokers: Brokers, timeout: float = 0.2) -> Reading:
    settings = KafkaSettings(brokers=("kafka-1:9092",), timeout=timeout)
    return read_kafka(settings, no_progress, KafkaClient(settings, brokers))


def test_cluster_is_read_whole() -> None:
    """Everything in a fixed order, whatever order the brokers answered in."""
    reading = read(Brokers("orders", "__consumer_offsets", groups=["z", "a"]))

    assert (reading.of(KafkaCluster)[0].cluster_id, reading.of(KafkaCluster)[0].addresses, reading.outcome.status) == (
        "abc",
        ("kafka-1:9092",),
        SourceStatus.READ,
    )
    assert [(topic.name, topic.internal, topic.config) for topic in reading.of(Topic)] == [
        ("__consumer_offsets", True, (("retention.ms", "1"),)),
        ("orders", False, (("retention.ms", "1"),)),
    ]
    assert [(consumer_group.name, consumer_group.topics) for consumer_group in reading.of(ConsumerGroup)] == [
        ("a", ("orders",)),
        ("z", ("orders",)),
    ]


class Member:
    """A member that waits for its assignment."""

    assignment = None
    target_assignment = None


def rebalancing() -> Described:
    group = Described()
    group.members, group.state = [Member()], ConsumerGroupState.PREPARING_REBALANCING
    return group


def test_a_group_in_a_rebalance_is_read_by_its_offsets_and_marked() -> None:
    """Its members have no assignment for a moment; what else it was assigned is not shown."""
    reading = read(Brokers("orders", groups=["g"], members=rebalancing()))

    assert [(group.name, group.topics) for group in reading.of(ConsumerGroup)] == [("g", ("orders",))]
    assert "rebalance" in reading.problems[0].what
    assert (reading.outcome.status, reading.outcome.unread) == (SourceStatus.PARTIAL, frozenset({"g"}))


def test_a_group_in_a_rebalance_without_offsets_keeps_what_is_known_of_it() -> None:
    """A group that commits elsewhere would have no topic at all."""
    none = ConsumerGroupTopicPartitions("g", [])
    reading = read(Brokers("orders", groups=["g"], members=rebalancing(), offsets=none))

    assert (reading.of(ConsumerGroup), reading.outcome.unread) == ((), frozenset({"g"}))


def test_settings_that_are_refused_leave_the_topics() -> None:
    """One missing right costs what it guards, and is said once, not once a topic."""
    reading = read(Brokers("a", "b", config=DENIED))

    assert [(topic.name, topic.config) for topic in reading.of(Topic)] == [("a", ()), ("b", ())]
    assert (reading.outcome.status, reading.of(KafkaCluster)[0].unconfigured) == (
        SourceStatus.PARTIAL,
        frozenset({"a", "b"}),
    )
    reason = "2 topics could not be queried for their settings: Topic authorization failed (a, b)"
    assert reading.outcome.reason == reason


@pytest.mark.parametrize(
    ("failure", "hint"),
    [
        (DENIED, "does the user have the permissions? see docs/sources/kafka.md"),
        (KafkaError(KafkaError._TIMED_OUT, "Timed out"), "are all brokers up? scan again once they are"),
    ],
)
@pytest.mark.parametrize("question", ["config", "offsets", "members"])
def test_only_requests_that_brokers_answer_raise_doubts_about_permissions(question, failure, hint) -> None:
    """The user would look for a right that is there; the rest of 1,200 topics fails for the reason of the first."""
    names = [f"name-{number}" for number in range(1200)]
    topics, groups = (names, []) if question == "config" else (["orders"], names)

    reading = read(Brokers(*topics, groups=groups, **{question: failure}))

    assert [problem.hint for problem in reading.problems] == [hint]
    assert "1200 " in reading.problems[0].what


def test_settings_that_are_read_are_no_gap() -> None:
    """A topic without any setting of its own has an empty answer, not an unknown one."""
    assert read(Brokers("a", config={})).of(KafkaCluster)[0].unconfigured == frozenset()


def test_broker_that_does_not_answer_for_its_listeners_makes_the_list_incomplete() -> None:
    """The addresses of its other listeners are not gone; a missing right is no such doubt."""
    reading = read(Brokers("orders", listeners=KafkaError(KafkaError._TIMED_OUT)))

    assert reading.outcome.status is SourceStatus.PARTIAL
    assert "1 brokers could not be queried for their listeners" in reading.outcome.reason


def test_every_listener_of_a_broker_is_an_address_of_the_cluster() -> None:
    """A scan over one listener must be found by the addresses of the others; those of the metadata stay first."""
    entry = ConfigEntry("advertised.listeners", LISTENERS)

    reading = read(Brokers("orders", listeners={entry.name: entry}))

    assert reading.of(KafkaCluster)[0].addresses == ("kafka-1:9092", "kafka.example.com:9094")


def test_listeners_that_are_refused_cost_nothing_else() -> None:
    """They are extra: the addresses of the metadata are complete for whoever uses the same listener."""
    reading = read(Brokers("orders", listeners=NO_RIGHT))

    assert (reading.of(KafkaCluster)[0].addresses, reading.outcome.status) == (("kafka-1:9092",), SourceStatus.READ)


def test_nothing_shown_to_a_user_without_rights_is_not_an_empty_cluster() -> None:
    """Who loses his rights must not lose his dictionary: every topic would be marked as gone."""
    with pytest.raises(SourceRefused) as caught:
        read(Brokers(rights=None))

    assert "DESCRIBE" in caught.value.what
    assert "DESCRIBE_CONFIGS" in caught.value.hint


def test_nothing_shown_to_a_user_who_may_not_see_topics_is_not_an_empty_cluster() -> None:
    """The right on the cluster shows no topic; asked by a name, the brokers tell that they keep topics from us."""
    with pytest.raises(SourceRefused) as caught:
        read(Brokers(unshown=DENIED))

    assert "DESCRIBE topics" in caught.value.what


@pytest.mark.parametrize("code", [KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._TIMED_OUT])
def test_topic_that_nobody_has_is_not_missing(code) -> None:
    """Only a refusal is one."""
    assert read(Brokers(unshown=KafkaError(code, "?"))).outcome.status == SourceStatus.READ


def test_nothing_shown_to_a_user_with_rights_is_an_empty_cluster() -> None:
    """The last topic may really have been deleted."""
    reading = read(Brokers())

    assert (reading.of(Topic), reading.outcome.status, reading.problems) == ((), SourceStatus.READ, ())


def test_nothing_shown_by_brokers_that_do_not_report_rights_proves_nothing() -> None:
    """Unknown is neither empty nor refused."""
    reading = read(Brokers(rights=KafkaError(KafkaError._TIMED_OUT, "too late")))

    assert (reading.outcome.status, reading.outcome.unread) == (SourceStatus.PARTIAL, frozenset())


def test_a_broker_that_does_not_answer_is_not_a_missing_right() -> None:
    """The user would look for a right that is there."""
    reading = read(Brokers("orders", rights=KafkaError(KafkaError._TIMED_OUT, "too late")))

    assert reading.outcome.status == SourceStatus.PARTIAL
    assert "the brokers did not answer DescribeCluster" in reading.problems[0].what
    assert "right" not in reading.problems[0].what + reading.problems[0].hint


def test_part_shown_to_a_user_without_rights_on_the_cluster_proves_nothing_gone() -> None:
    """With a name among the unread, a partial answer would count as a list of everything else."""
    reading = read(Brokers("orders", "secret", hidden={"secret": DENIED}, rights=[AclOperation.CREATE]))

    assert (reading.outcome.status, reading.outcome.unread) == (SourceStatus.PARTIAL, frozenset())
    assert "may be hidden" in reading.problems[0].what
    assert "DESCRIBE" in reading.problems[0].hint


def test_brokers_that_report_no_rights_at_all_are_read_as_before() -> None:
    """Before Kafka 2.3, and elsewhere, no user would ever get a full answer."""
    assert read(Brokers("orders", rights=None, topic_rights=None)).outcome.status == SourceStatus.READ


def test_check_finds_the_missing_right_before_a_scan_does() -> None:
    """A check that is green for a scan that is refused would be of no use."""
    settings = KafkaSettings(brokers=("kafka-1:9092",))

    assert probe(settings, KafkaClient(settings, Brokers("orders", rights=None))) == "1 brokers, 1 topics"
    with pytest.raises(SourceRefused):
        probe(settings, KafkaClient(settings, Brokers(rights=None)))


def test_failed_batch_is_not_repeated_for_the_rest() -> None:
    """A thousand topics must not wait for a thousand time-outs."""
    brokers = Brokers(*(f"t{number}" for number in range(1200)), config=DENIED)

    reading = read(brokers)

    assert (brokers.calls, len(reading.of(Topic)), len(reading.problems)) == (1, 1200, 1)


def test_mark_that_cannot_be_queried_is_reported_by_kafkas_own_names() -> None:
    """Brokers without DescribeTopics still have internal topics, and nothing is missing then."""
    reading = read(Brokers("__consumer_offsets", "_mine", describe=DENIED))

    assert [(topic.name, topic.internal) for topic in reading.of(Topic)] == [
        ("__consumer_offsets", True),
        ("_mine", False),
    ]
    assert reading.outcome.status == SourceStatus.READ


def test_topic_that_the_brokers_do_not_show_stays_as_it_was() -> None:
    """It exists, so it must not be marked as gone."""
    reading = read(Brokers("orders", "secret", hidden={"secret": DENIED}))

    assert [topic.name for topic in reading.of(Topic)] == ["orders"]
    assert (reading.outcome.unread, reading.outcome.status) == (frozenset({"secret"}), SourceStatus.PARTIAL)


@pytest.mark.parametrize(
    "listing", [DENIED, ListConsumerGroupsResult(valid=[], errors=[KafkaException(DENIED).args[0]])]
)
def test_groups_that_are_not_listed_are_not_gone(listing) -> None:
    """Partial, and no name among the unread makes a whole list of what was reported: what is missing stays."""
    reading = read(Brokers("orders", "secret", hidden={"secret": DENIED}, listing=listing))

    assert (reading.of(ConsumerGroup), reading.outcome.status) == ((), SourceStatus.PARTIAL)
    assert reading.outcome.unread == frozenset()
    assert "Topic authorization failed" in reading.outcome.reason


def test_broker_that_holds_replicas_and_is_not_named_is_down() -> None:
    """A broker that left the cluster holds none; what the others told is whole all the same."""
    reading = read(Brokers("orders", replicas=[3, 1, 2]))

    assert (reading.of(KafkaCluster)[0].addresses, reading.of(KafkaCluster)[0].unnamed, reading.outcome.status) == (
        ("kafka-1:9092",),
        2,
        SourceStatus.READ,
    )
    assert [problem.what for problem in reading.problems] == [
        "brokers that hold replicas are down: 2, 3; their addresses stay"
    ]


def test_groups_of_a_broker_that_is_down_are_not_gone() -> None:
    """The other brokers list theirs, and say nothing of those that it coordinates."""
    reading = read(Brokers("orders", "__consumer_offsets", groups=["a"], leader=-1))

    assert ([consumer_group.name for consumer_group in reading.of(ConsumerGroup)], reading.outcome.status) == (
        ["a"],
        SourceStatus.PARTIAL,
    )
    assert reading.outcome.unread == frozenset()
    assert "1 of 2 partitions of __consumer_offsets have no leader" in reading.outcome.reason


def test_group_is_unread_only_where_nothing_is_reported_for_it() -> None:
    """Offsets without members, or members without offsets, are still something."""
    half = read(Brokers(groups=["g"], members=DENIED))
    none = read(Brokers(groups=["g"], members=DENIED, offsets=DENIED))

    assert ([consumer_group.name for consumer_group in half.of(ConsumerGroup)], half.outcome.unread) == (
        ["g"],
        frozenset(),
    )
    assert (none.of(ConsumerGroup), none.outcome.unread) == ((), frozenset({"g"}))


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (KafkaError._AUTHENTICATION, SourceRefused),
        (KafkaError.SASL_AUTHENTICATION_FAILED, SourceRefused),
        (KafkaError._SSL, SourceRefused),
        (KafkaError._RESOLVE, SourceUnreachable),
        (KafkaError._TRANSPORT, SourceUnreachable),
        (KafkaError._ALL_BROKERS_DOWN, SourceUnreachable),
    ],
)
def test_reason_is_what_librdkafka_reported_in_the_background(code, error) -> None:
    """The call itself only times out; the reason comes another way."""
    with pytest.raises(error) as caught:
        read(Brokers(said=KafkaError(code, "because (after 3ms in state CONNECT)")), timeout=0.05)

    assert caught.value.what in ("because", "Failed to get metadata")
    assert caught.value.hint


def test_wrong_password_is_reported_at_once() -> None:
    """Asking again does not mend it."""
    brokers = Brokers(said=KafkaError(KafkaError._AUTHENTICATION, "no"))

    with pytest.raises(SourceRefused):
        read(brokers, timeout=30)

    assert len(brokers.listed) == 1


def test_dead_address_is_unreachable_within_the_time() -> None:
    """The real librdkafka against a port that nothing listens on."""
    settings = KafkaSettings(brokers=("127.0.0.1:1",), timeout=0.5)
    waits: list[float] = []

    class Asked(AdminClient):
        def list_topics(self, timeout: float) -> ClusterMetadata:  # type: ignore[override]
            waits.append(timeout)
            return super().list_topics(timeout=timeout)

    with pytest.raises(SourceUnreachable) as caught:
        read_kafka(settings, no_progress, KafkaClient(settings, Asked))

    assert "refused" in caught.value.what
    assert sum(waits) < 2 * settings.timeout


@pytest.mark.parametrize(
    "properties",
    [
        {"no.such.property": "s3cr3t"},
        {"security.protocol": "PLAINTEXT", "sasl.password": "s3cr3t", "compression.type": "s3cr3t"},
        {"sasl.jaas.config": "password=s3cr3t"},
        {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN"},
    ],
)
def test_property_that_librdkafka_refuses_is_the_users_to_mend(properties) -> None:
    """Java's properties look alike and are not; the value may be a secret."""
    with pytest.raises(InputInvalid) as caught:
        read_kafka(KafkaSettings(brokers=("kafka-1:9092",), properties=properties), no_progress)

    assert "s3cr3t" not in str(caught.value)


def test_librdkafkas_log_does_not_reach_the_terminal(capfd) -> None:
    """Stderr belongs to the report, stdout to the answer."""
    with pytest.raises(ScannerError):
        read_kafka(KafkaSettings(brokers=("127.0.0.1:1",), timeout=0.3), no_progress)

    assert capfd.readouterr() == ("", "")


def test_mock_cluster_gives_what_it_can() -> None:
    """The real client: brokers and id are there, and what the mock does not know is said, not waited for."""
    settings = KafkaSettings(brokers=("mock:1",), properties={"test.mock.num.brokers": "2"}, timeout=0.5)

    class Patient(AdminClient):
        def list_topics(self, timeout: float) -> ClusterMetadata:  # type: ignore[override]
            return super().list_topics(timeout=60)

    reading = read_kafka(settings, no_progress, KafkaClient(settings, Patient))

    assert len(reading.of(KafkaCluster)[0].addresses) == 2
    assert reading.of(KafkaCluster)[0].cluster_id
    assert reading.outcome.status == SourceStatus.PARTIAL


def test_an_address_that_answers_http_is_recognised() -> None:
    """People name the port of the registry; librdkafka only says that the transport failed."""
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"127.0.0.1:{server.server_port}"
        assert http_address(["127.0.0.1:1", "no port", address]) == address
        server.shutdown()
    assert http_address(["127.0.0.1:1"]) == ""


class Silent(Brokers):
    """Brokers that report topics and groups, and then leave every request unanswered; *waited* are its seconds."""

    def __init__(self, *topics: str) -> None:
        super().__init__(*topics)
        self.waited: list[float] = []

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith(("describe_", "list_consumer_")):
            return super().__getattribute__(name)
        return self._unanswered

    def _unanswered(self, requested: Any = None, *_: Any, request_timeout: float, **__: Any) -> Any:
        self.waited.append(request_timeout)
        lost = settled(KafkaError(KafkaError._TIMED_OUT, "Failed while waiting for controller"))
        if requested is None:
            return lost
        names = getattr(requested, "topic_names", requested)
        return dict.fromkeys(names, lost)


def test_brokers_that_stop_answering_cost_the_timeout_once() -> None:
    """A broker killed in the middle of a scan: each kind of request would wait for the whole timeout again."""
    silent = Silent("orders", "payments")
    settings = KafkaSettings(brokers=("kafka-1:9092",))

    result = read_kafka(settings, no_progress, KafkaClient(settings, silent, now=lambda: sum(silent.waited)))

    assert len(silent.waited) > 3
    assert sum(silent.waited) <= settings.timeout + 0.5 * len(silent.waited)
    assert result.outcome.status is SourceStatus.PARTIAL
    assert [topic.name for topic in result.of(Topic)] == ["orders", "payments"]


def test_share_and_streams_groups_are_unread() -> None:
    """Their topics have readers that are not known: the source is partial, so that nothing counts as unread."""
    reading = read(Brokers("orders", groups=["a"], others=["sharers", "app"]))

    assert reading.outcome.status is SourceStatus.PARTIAL
    assert reading.outcome.unread == {"sharers", "app"}
    assert reading.outcome.reason == "share or Streams groups read topics that are unknown: app, sharers"
    assert "kafka_clients" in reading.outcome.hint


def test_a_list_without_share_groups_needs_no_remark() -> None:
    assert read(Brokers("orders", groups=["a"])).outcome.status is SourceStatus.READ


def test_share_groups_that_are_not_listed_are_unknown() -> None:
    reading = read(Brokers("orders", groups=["a"], older=KafkaError(KafkaError._TIMED_OUT)))

    assert reading.outcome.status is SourceStatus.PARTIAL
    assert reading.outcome.reason.startswith("share and Streams groups are not listed")


def test_share_groups_that_another_source_reads_are_not_asked_for() -> None:
    settings = KafkaSettings(brokers=("kafka-1:9092",), timeout=0.2, reads_other_groups=True)
    reading = read_kafka(settings, no_progress, KafkaClient(settings, Brokers("orders", others=["sharers"])))

    assert reading.outcome.status is SourceStatus.READ
