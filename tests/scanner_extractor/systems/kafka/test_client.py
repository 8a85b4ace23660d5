"""Requests to coordinators that come up too late: they fail, and the process lives on."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import Future
from typing import Any

import pytest
from confluent_kafka import ConsumerGroupState, KafkaError, KafkaException
from confluent_kafka.admin import (
    AclOperation,
    BrokerMetadata,
    ClusterMetadata,
    ConsumerGroupListing,
    ListConsumerGroupsResult,
    PartitionMetadata,
    TopicMetadata,
)

from scanner_extractor.results import no_progress
from scanner_extractor.settings.cluster import KafkaSettings
from scanner_extractor.systems.kafka.admin import read_kafka
from scanner_extractor.systems.kafka.client import Failures, KafkaClient

LIMIT = 20.0
"""Seconds that a dead cluster may cost."""
GROUPS = [f"group-{number}" for number in range(50)]
PATIENCE = 0.05
LATE = """
import sys, time
from scanner_extractor.settings.cluster import KafkaSettings
from scanner_extractor.systems.kafka.client import KafkaClient

groups = [f"group-{number}" for number in range(50)]
for seconds in (0.005, 0.01, 0.02):
    mock = KafkaSettings(brokers=("mock:1",), properties={"test.mock.num.brokers": "1"}, timeout=seconds)
    client = KafkaClient(mock)
    getattr(client, sys.argv[1])(groups)
    time.sleep(1)  # the coordinator's connection is up by now
print("alive")
"""


class SilentCoordinators:
    """An `AdminClient` whose requests to coordinators never end; *timeouts* are what librdkafka was given."""

    def __init__(self) -> None:
        self.timeouts: list[float] = []

    def __call__(self, properties: dict[str, Any], logger: object) -> SilentCoordinators:
        return self

    def list_consumer_group_offsets(self, requests: list[Any], request_timeout: float) -> dict[str, Future[Any]]:
        return self.describe_consumer_groups([request.group_id for request in requests], request_timeout)

    def describe_consumer_groups(self, names: list[str], request_timeout: float) -> dict[str, Future[Any]]:
        self.timeouts.append(request_timeout)
        return {name: Future() for name in names}


@pytest.mark.parametrize("question", ["committed", "members"])
def test_coordinator_that_does_not_answer_fails_here_and_not_in_librdkafka(question: str) -> None:
    """A request that librdkafka has given up ends the process when the coordinator comes up."""
    admin = SilentCoordinators()
    client = KafkaClient(KafkaSettings(brokers=("kafka-1:9092",), timeout=PATIENCE), admin)

    gathered = getattr(client, question)(GROUPS)

    assert gathered.failures == dict.fromkeys(GROUPS, "Local: Timed out")
    assert min(admin.timeouts) > 100 * PATIENCE


def test_state_of_a_group_whose_coordinator_does_not_answer_is_an_error() -> None:
    """It is not taken for a group that does not exist."""
    admin = SilentCoordinators()
    client = KafkaClient(KafkaSettings(brokers=("kafka-1:9092",), timeout=PATIENCE), admin)

    assert client.group_states(["billing"]) == {"billing": "_TIMED_OUT"}
    assert min(admin.timeouts) > 100 * PATIENCE


class DyingCluster:
    """An `AdminClient` that answers the first *answered* requests; the next one fails with its connection.

    After that the brokers are *down* for so many seconds, and then answer *again* so many requests. All waiting took
    *seconds*.
    """

    def __init__(self, answered: int, down: float = 1e9, again: int = 0) -> None:
        self.left, self.down, self.again, self.seconds = answered, down, again, 0.0

    def __call__(self, properties: dict[str, Any], logger: object) -> DyingCluster:
        return self

    def poll(self, timeout: float) -> None:
        """Report nothing."""

    def list_topics(self, timeout: float) -> ClusterMetadata:
        metadata, offsets, partition = ClusterMetadata(), TopicMetadata(), PartitionMetadata()
        partition.leader = 1
        offsets.topic, offsets.partitions = "__consumer_offsets", {0: partition}
        broker = BrokerMetadata()
        broker.host, broker.port = "kafka-1", 9092
        metadata.cluster_id, metadata.brokers, metadata.topics = "c", {1: broker}, {offsets.topic: offsets}
        return metadata

    def describe_cluster(self, include_authorized_operations: bool, request_timeout: float) -> Any:
        return self._answered(Description(), request_timeout)

    def describe_topics(self, topics: Any, include_authorized_operations: bool, request_timeout: float) -> Any:
        return {name: self._answered(Description(), request_timeout) for name in topics.topic_names}

    def describe_configs(self, resources: list[Any], request_timeout: float) -> Any:
        return {resource: self._answered({}, request_timeout) for resource in resources}

    def list_consumer_groups(self, request_timeout: float) -> Any:
        groups = [ConsumerGroupListing(name, False) for name in GROUPS[:3]]
        return self._answered(ListConsumerGroupsResult(valid=groups, errors=[]), request_timeout)

    def list_groups(self, timeout: float) -> Any:
        """Return no other groups; this request waits here, and has no future."""
        return self._answered([], timeout).result()

    def list_consumer_group_offsets(self, requests: list[Any], request_timeout: float) -> Any:
        return {request.group_id: self._answered(request) for request in requests}

    def describe_consumer_groups(self, names: list[str], request_timeout: float) -> Any:
        return {name: self._answered(Description()) for name in names}

    def wait(self, futures: Any, seconds: float) -> None:
        """Wait for requests to coordinators."""
        if any(not future.done() for future in futures):
            self._waits(seconds)

    def _answered(self, answer: Any, seconds: float | None = None) -> Future[Any]:
        """Return the answer, or an error; a request to a coordinator, without *seconds*, is not done meanwhile."""
        result: Future[Any] = Future()
        self.left -= 1
        if self.left == -1:
            result.set_exception(KafkaException(KafkaError(KafkaError._TRANSPORT)))
        elif self.left >= 0 or (seconds is not None and self._waits(seconds)):
            result.set_result(answer)
        elif seconds is not None:
            result.set_exception(KafkaException(KafkaError(KafkaError._TIMED_OUT)))
        return result

    def _waits(self, seconds: float) -> bool:
        """Wait for the brokers; True if they are up in time."""
        waited = min(seconds, self.down)
        self.seconds, self.down = self.seconds + waited, self.down - waited
        if self.down == 0:
            self.down, self.left = 1e9, self.again
        return self.left > 0


class Description:
    """The description of a topic, a group or the cluster, as far as it is read."""

    is_internal, authorized_operations, members, state = False, (AclOperation.DESCRIBE,), (), ConsumerGroupState.DEAD


@pytest.mark.parametrize(("down", "again"), [(1e9, 0), (14.0, 1), (14.0, 2), (10.0, 3), (6.0, 1)])
def test_brokers_that_die_in_the_middle_cost_no_more_than_the_limit_wherever_it_is(down: float, again: int) -> None:
    """For ever, or for a restart after which their coordinators are not ready for long."""
    settings = KafkaSettings(brokers=("kafka-1:9092",))
    for answered in range(20):
        cluster = DyingCluster(answered, down, again)
        client = KafkaClient(settings, cluster, now=lambda: cluster.seconds, until=cluster.wait)  # noqa: B023

        read_kafka(settings, no_progress, client, known=["billing"])

        assert cluster.seconds <= LIMIT, (answered, cluster.seconds)


@pytest.mark.process
@pytest.mark.parametrize("question", ["committed", "members", "group_states"])
def test_coordinator_that_comes_up_after_the_timeout_does_not_end_the_process(question: str) -> None:
    """The real librdkafka with its mock cluster, whose coordinator takes longer than the timeout to connect to."""
    done = subprocess.run([sys.executable, "-c", LATE, question], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr


@pytest.mark.parametrize(
    ("properties", "message", "hint"),
    [
        ({"sasl.mechanism": "AWS_MSK_IAM"}, "Java JAAS configuration is not supported", "MSK IAM is not supported"),
        ({"sasl.mechanisms": "AWS_MSK_IAM"}, "Unsupported SASL mechanism: AWS_MSK_IAM", "MSK IAM is not supported"),
        ({"sasl.mechanism": "GSSAPI"}, "No provider for SASL mechanism GSSAPI: recompile", "--no-binary"),
        ({}, "ssl.key.location failed: error:0A080009:SSL routines::PEM lib", "`ssl.key.password`"),
        ({"sasl.mechanism": "aws_msk_iam"}, "Unsupported SASL mechanism: aws_msk_iam", "MSK IAM is not supported"),
        (
            {"sasl.login.callback.handler.class": "software.amazon.msk.auth.iam.IAMOAuthBearerLoginCallbackHandler"},
            'No such configuration property: "sasl.login.callback.handler.class"',
            "MSK IAM is not supported",
        ),
        ({"ssl.key.password": "x"}, "ssl.key.location failed: error:0A080009:SSL routines::PEM lib", "of this key?"),
        (
            {},
            "ssl.key.pem failed: not in PEM format?: error:04800068:PEM routines::bad password read",
            "is the private key",
        ),
        ({}, "ssl.key.location failed: error:0A080002:SSL routines::system lib", "cannot be opened"),
        ({}, 'No such configuration property: "ssl.keystore.type"', "remove it"),
        ({}, "Failed to parse ssl.keystore.location PKCS#12 file: mac verify failure", "`ssl.keystore.password`"),
        ({}, "ssl.certificate.location failed: error:0A080009:SSL routines::PEM lib", "PKCS #12"),
        ({}, "ssl.ca.location failed: error:05800088:no certificate or crl found", "PEM file"),
        ({}, "Java TrustStores are not supported, use `ssl.ca.location`", "not Java's"),
        ({"sasl.mechanism": "PLAIN"}, 'No such configuration property: "x"', "not Java's"),
    ],
)
def test_a_rejected_property_has_the_hint_for_its_cause(properties, message, hint) -> None:
    error = Failures(properties, "kafka:b:9092").invalid(KafkaError(-186, message))

    assert hint in error.hint
