"""The monitor's loop against a fake Connect with a hand-made clock: what is told, delivered, kept and tried again."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar

import pytest

from dataflow_generator.openlineage.journal import Journal
from scanner_api.monitoring.loop import Monitor, Server
from scanner_api.monitoring.servers import connect_servers
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.settings.cluster import HttpSettings, Settings
from scanner_extractor.systems.connect.settings import ConnectSettings
from scanner_model.errors import ScannerError
from scanner_model.names import ClusterName

pytestmark = pytest.mark.slow

CDC = {
    "connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
    "connection.url": "jdbc:postgresql://db-1:5432/shop?password=hunter22",
    "table.whitelist": "public.orders",
    "topic.prefix": "cdc.",
}


def named(*urls: str) -> Settings:
    """Return a cluster with the Connect clusters at *urls*."""
    connect = tuple(ConnectSettings(name=f"c{number}", http=HttpSettings(url=url)) for number, url in enumerate(urls))
    return Settings(cluster=ClusterName("shop"), brokers=("k-1:9092",), file=Path("c.json"), connect=connect)


def servers(*urls: str) -> tuple[Server, ...]:
    """Return the Connect clusters at *urls*; a retry costs no time."""
    return tuple(connect_servers([named(*urls)], clock=Clock(pause=lambda _: None)))


@dataclass
class Stage:
    """A monitor of one fake Connect cluster, whose polls are ten seconds apart."""

    connect: object
    server: Server
    world: Any
    state: Path
    settings: Settings

    def polls(self, *changes: dict, connector: object = None) -> list[str]:
        """Poll once after each change of the connector and return the states emitted so far; None: it is not listed."""
        with Journal(self.state) as journal:
            monitor = Monitor(journal=journal, context=self.world.context(), producer="urn:test")
            for change in changes:
                self.connect.installation = () if change is None else (replace(connector, **change),)
                self.world.at += timedelta(seconds=10)
                monitor.poll(self.server)
                monitor.deliver()
        return self.world.states


@pytest.fixture
def stage(connect, world, state):
    """Serve one Connect cluster."""
    fake = connect.Connect()
    with connect.serving(fake) as url:
        yield Stage(fake, servers(url)[0], world, state, named(url))


@pytest.fixture
def cdc(connect):
    """Return a connector that reads a table."""
    return connect.Kept(name="cdc", kind="source", config=CDC, tasks=("RUNNING", "RUNNING"))


def test_states_of_a_connector_become_events(stage, cdc) -> None:
    """Create, pause, resume, fail a task, fail the other, restart, delete: a row each."""
    story = [
        (None, []),
        ({}, ["START"]),
        ({}, []),
        ({"state": "PAUSED", "tasks": ("PAUSED", "PAUSED")}, ["COMPLETE"]),
        ({}, ["START"]),
        ({"tasks": ("RUNNING", "FAILED")}, ["RUNNING"]),
        ({"tasks": ("FAILED", "FAILED")}, ["FAIL"]),
        ({"tasks": ("FAILED", "FAILED")}, []),
        ({"state": "RESTARTING", "tasks": ("RESTARTING", "RESTARTING")}, []),
        ({}, ["START"]),
        ({"config": CDC | {"table.whitelist": "public.orders,public.paid"}}, ["RUNNING"]),
        (None, []),
        (None, ["COMPLETE"]),
    ]

    observed = []
    for change, _ in story:
        before = len(stage.world.events)
        observed.append((change, stage.polls(change, connector=cdc)[before:]))

    assert observed == story


def test_events_hold_what_consumers_need(stage, cdc) -> None:
    """Job and datasets as the graph names them, the engine in its run, the trace of what failed; and no password."""
    stage.polls({}, {"tasks": ("RUNNING", "FAILED")}, {"state": "FAILED"}, connector=cdc)

    start, ill, failed = stage.world.events
    assert start["job"]["name"] == "cdc"
    assert start["job"]["namespace"] == "connect://shop/c0"
    assert start["job"]["facets"]["jobType"]["jobType"] == "SOURCE"
    assert [(dataset["namespace"], dataset["name"]) for dataset in start["inputs"]] == [
        ("postgres://db-1:5432", "shop.public.orders")
    ]
    assert [(dataset["namespace"], dataset["name"]) for dataset in start["outputs"]] == [
        ("kafka://k-1:9092", "cdc.orders")
    ]
    assert start["run"]["facets"].keys() == {"processing_engine"}
    assert ill["run"]["facets"]["errorMessage"]["message"].startswith("1 of 2 tasks failed (1): ")
    assert failed["run"]["facets"]["errorMessage"]["stackTrace"].startswith("org.apache.kafka.connect.errors.")
    assert failed["inputs"] == start["inputs"]
    assert "hunter22" not in json.dumps(stage.world.events)


def test_one_request_a_poll(stage, cdc) -> None:
    """Beside the first one, which asks each class which of its settings are passwords."""
    stage.polls({}, connector=cdc)
    before = len(stage.connect.asked)
    stage.polls({}, {}, {}, connector=cdc)

    assert stage.connect.asked[before:] == ["/connectors?expand=info&expand=status"] * 3


def test_connector_with_a_pattern_is_emitted_with_the_topics_that_it_uses(stage, connect) -> None:
    """It is asked once a minute which they are; until it has used any, the pattern is told."""
    now = [0.0]
    (stage.server,) = connect_servers([stage.settings], clock=Clock(now=lambda: now[0], pause=lambda _: None))
    lake = {"connector.class": "io.confluent.connect.s3.S3SinkConnector", "s3.bucket.name": "lake"}
    sink = connect.Kept(name="sink", config=lake | {"topics.regex": "pa.*"})
    stage.polls({}, {}, connector=sink)
    now[0] = 60.0
    stage.polls({"topics": ("pays", "paid")}, {"topics": ("pays", "paid")}, connector=sink)

    assert stage.world.states == ["START", "RUNNING"]
    assert [[dataset["name"] for dataset in event["inputs"]] for event in stage.world.events] == [
        ["regex:pa.*"],
        ["paid", "pays"],
    ]
    assert stage.connect.asked.count("/connectors/sink/topics") == 2


@pytest.mark.parametrize("untracked", [True, False])
def test_connector_whose_topics_are_unknown_is_emitted_with_its_pattern(stage, connect, untracked) -> None:
    """Topics may not be tracked; cluster.json may say that they are not to be asked for."""
    stage.connect.untracked = untracked
    if not untracked:
        (connect_settings,) = stage.settings.connect
        quiet = replace(stage.settings, connect=(replace(connect_settings, active_topics=False),))
        (stage.server,) = connect_servers([quiet])
    sink = connect.Kept(name="sink", config=CDC | {"connector.class": "com.acme.Sink", "topics.regex": "pay.*"})
    stage.polls({}, {}, connector=sink)

    assert [dataset["name"] for dataset in stage.world.events[0]["inputs"]] == ["regex:pay.*"]
    assert stage.connect.asked.count("/connectors/sink/topics") == int(untracked)


def test_worker_that_does_not_answer_ends_nothing(stage, cdc) -> None:
    """It is said once, and once that it answers again; the run goes on."""
    stage.polls({}, connector=cdc)
    with Journal(stage.state) as journal:
        monitor = Monitor(journal=journal, context=stage.world.context(), producer="urn:test")
        stage.connect.rebalancing = 10_000
        for _ in range(3):
            monitor.poll(stage.server)
        stage.connect.rebalancing = 0
        monitor.poll(stage.server)
        monitor.deliver()

        assert (monitor.counts.polls, monitor.counts.unanswered) == (4, 3)
    assert [text.rpartition(" ")[2] for text in stage.world.messages] == ["unknown", "again"]
    assert stage.world.states == ["START"]


def test_connector_that_cannot_be_read_is_not_deleted(stage, cdc, connect) -> None:
    """Nothing is concluded from an answer without a configuration; the other connectors are told."""
    broken = connect.Kept(name="cdc", config=CDC)
    broken_info = replace(broken, config={"connector.class": 7, "topics": ["a"]})
    stage.polls({}, connector=cdc)
    stage.connect.installation = (broken_info, replace(cdc, name="other"))
    with Journal(stage.state) as journal:
        monitor = Monitor(journal=journal, context=stage.world.context(), producer="urn:test")
        for _ in range(3):
            monitor.poll(stage.server)
        monitor.deliver()

    assert [(event["job"]["name"], event["eventType"]) for event in stage.world.events] == [
        ("cdc", "START"),
        ("other", "START"),
    ]


def test_connectors_of_one_name_on_two_clusters_have_runs_of_their_own(connect, world, state, cdc) -> None:
    """What one of them does not list proves nothing about the other."""
    with (
        connect.serving(connect.Connect(installation=(cdc,))) as first_url,
        connect.serving(connect.Connect(installation=(cdc,))) as second_url,
    ):
        first, second = servers(first_url, second_url)
        with Journal(state) as journal:
            monitor = Monitor(journal=journal, context=world.context(), producer="urn:test")
            for server in (first, second, first, first):
                monitor.poll(server)
            monitor.deliver()

    assert world.states == ["START", "START"]
    assert [event["job"]["namespace"] for event in world.events] == ["connect://shop/c0", "connect://shop/c1"]
    assert len({event["run"]["runId"] for event in world.events}) == 2


def test_events_wait_until_they_are_accepted_and_in_order(stage, cdc) -> None:
    """Nothing is lost while the catalog is away, also not by an end of the monitor."""
    stage.world.away = True
    assert stage.polls({}, {"state": "PAUSED"}, {}, connector=cdc) == []
    assert len(stage.world.messages) == 1

    stage.world.away = False

    assert stage.polls({}, connector=cdc) == ["START", "COMPLETE", "START"]
    assert len({event["run"]["runId"] for event in stage.world.events}) == 2


def test_event_that_is_refused_holds_up_no_other(stage, cdc) -> None:
    """It is added to a file with the reason."""
    stage.world.unwanted = frozenset({"COMPLETE"})

    assert stage.polls({}, {"state": "PAUSED"}, {}, connector=cdc) == ["START", "START"]
    assert ["COMPLETE" in line for line in stage.world.refused] == [True]


def test_nothing_is_polled_while_the_journal_is_full(world, state) -> None:
    """Changes in the meantime are observed later; pending events are not lost."""
    polls = []

    def look(_):
        polls.append(1)
        raise ScannerError("must not be asked")

    server = Server(name="s", engine=None, look=look)
    with Journal(state, most=0) as journal:
        monitor = Monitor(journal=journal, context=world.context(), producer="urn:test")
        monitor.poll(server)
        monitor.poll(server)

    assert polls == []
    assert len(world.messages) == 1


def test_loop_polls_until_it_is_over(stage, cdc) -> None:
    """Pauses are drawn around the interval, so that monitors do not march in step."""
    stage.connect.installation = (cdc,)

    class Ended:
        waits: ClassVar[list[float]] = []

        def is_set(self) -> bool:
            return len(self.waits) >= 3

        def wait(self, seconds: float) -> bool:
            self.waits.append(seconds)
            return self.is_set()

    with Journal(stage.state) as journal:
        monitor = Monitor(journal=journal, context=stage.world.context(), producer="urn:test", ended=Ended())
        monitor.watch(stage.server, timedelta(seconds=10))

        assert Ended.waits == [9.0, 9.0, 9.0]
        assert monitor.counts.polls == 3


def test_delivery_is_retried_less_often_while_nothing_is_accepted(stage, cdc) -> None:
    """From a second to a minute, and at once quicker when it goes again."""
    stage.world.away = True
    stage.polls({}, connector=cdc)
    waits: list[float] = []

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        stage.world.away = len(waits) < 8
        return len(waits) >= 9

    with Journal(stage.state) as journal:
        monitor = Monitor(journal=journal, context=stage.world.context(), producer="urn:test")
        monitor.send_on(lambda: True, wait)

    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 1]
    assert stage.world.states == ["START"]


def test_nothing_is_emitted_while_the_state_cannot_be_written(stage, cdc) -> None:
    """Told and remembered are one: else a START would be told twice. The loop goes on, and says it once."""
    stage.connect.installation = (cdc,)

    class Ended:
        polls = 0

        def is_set(self) -> bool:
            self.polls += 1
            return self.polls > 2

        def wait(self, _: float) -> None:
            """Wait no time."""

    with Journal(stage.state) as journal:
        stage.state.mkdir()
        monitor = Monitor(journal=journal, context=stage.world.context(), producer="urn:test", ended=Ended())
        monitor.watch(stage.server, timedelta(seconds=10))
        monitor.deliver()
        assert stage.world.states == []
        assert ["cannot be written" in text for text in stage.world.messages] == [True]

        stage.state.rmdir()
        monitor.poll(stage.server)
        monitor.deliver()

    assert stage.world.states == ["START"]
