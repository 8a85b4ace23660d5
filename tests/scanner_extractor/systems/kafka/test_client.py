"""Requests to coordinators that come up too late: they fail, and the process lives on."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import Future
from typing import Any

import pytest

from scanner_extractor.settings.cluster import KafkaSettings
from scanner_extractor.systems.kafka.client import KafkaClient

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


@pytest.mark.process
@pytest.mark.parametrize("question", ["committed", "members", "group_states"])
def test_coordinator_that_comes_up_after_the_timeout_does_not_end_the_process(question: str) -> None:
    """The real librdkafka with its mock cluster, whose coordinator takes longer than the timeout to connect to."""
    done = subprocess.run([sys.executable, "-c", LATE, question], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr
