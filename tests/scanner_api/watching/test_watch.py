"""Scheduled scans: the last scan is kept on failure; every change is posted, also after a crash, under one id."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from waiting import PATIENCE

import scanner_api
from scanner_api.dictionary import Dictionary
from scanner_api.watching.notifications import ChangeRules, NotificationTarget
from scanner_api.watching.watch import Outbox, Watch, WatchContext
from scanner_model.errors import InputInvalid, SourceObjected, SourceUnreachable

CLUSTER = {"cluster": "shop", "brokers": ["k:9092"], "manual_input": ["manual.json"]}


@dataclass
class World:
    """A cluster that is described by hand, and receivers that are there or not."""

    directory: Path
    dictionary: Dictionary
    away: bool = False
    unwanted: bool = False
    posted: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    scans: int = 0
    receivers: bool = True

    def write(self, *topics: str) -> None:
        manual = {"version": 1, "topics": [{"name": name} for name in topics]}
        (self.directory / "cluster.json").write_text(json.dumps(CLUSTER))
        (self.directory / "manual.json").write_text(json.dumps(manual))

    def scan(self) -> Any:
        self.scans += 1
        return scanner_api.scan([self.directory / "cluster.json"], self.dictionary)

    def post(self, url: str, headers: Any, body: str) -> None:
        if self.away:
            raise SourceUnreachable("it answered with status 503")
        if self.unwanted:
            raise SourceObjected("it refused with status 404", status=404)
        self.posted.append((url, json.loads(body)))

    def watch(self, *kinds: str, scan: Callable[[], Any] | None = None, seconds: float = 3600) -> Watch:
        context = WatchContext(
            scan=scan or self.scan,
            generate=lambda: scanner_api.generate(self.dictionary),
            post=self.post,
            draw=lambda low, high: (low + high) / 2,
            notify=self.said.append,
        )
        targets = [
            NotificationTarget(kind=kind, url=f"http://{kind}", rules=ChangeRules())
            for kind in kinds or ("webhook",) * self.receivers
        ]
        return Watch(self.dictionary, context, Outbox(self.directory / "watch.json"), targets, seconds)

    @property
    def ids(self) -> list[str]:
        return [body.get("id", "slack") for _, body in self.posted]


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path, scanner_api.open_dictionary(tmp_path / "d.db", create=True))
    world.write("a")
    return world


def test_the_first_scan_is_no_change_and_the_second_reports_what_is_new(world) -> None:
    """A message with every topic of the installation helps nobody."""
    watch = world.watch("webhook", "slack")
    first = watch.run_once() and watch.deliver()
    world.write("a", "b")
    second = watch.run_once() and watch.deliver()

    assert first
    assert second
    assert world.ids == ["shop/1-2", "slack"]
    assert world.posted[0][1]["data"]["matched"][0]["what"] == "topic b: added"
    assert watch.counts() == {"stored": 2, "partial": 0, "failed": 0}
    assert scanner_api.state(world.dictionary).graph_scan == 2


def test_without_a_receiver_changes_are_printed(world) -> None:
    watch = replace(world, receivers=False).watch()
    world.write("orders")
    assert watch.run_once()
    world.write("orders", "payments")
    assert watch.run_once()

    assert [line for line in world.said if "payments" in line] == [
        "shop: topic payments: added · no known reader · owner unknown"
    ]


def test_without_a_change_nothing_is_posted(world) -> None:
    """Most scans find what the last one did."""
    watch = world.watch()
    for _ in range(3):
        watch.run_once()
        watch.deliver()

    assert world.posted == []


def test_a_receiver_that_is_away_gets_everything_once_when_it_is_back(world) -> None:
    """Nothing is lost, and nothing comes twice."""
    watch = world.watch()
    watch.run_once()
    world.away = True
    for topics in (("a", "b"), ("a", "b", "c")):
        world.write(*topics)
        watch.run_once()
        assert not watch.deliver()
    pending = watch.pending()
    world.away = False
    again = world.watch()  # the process ended meanwhile
    again.deliver()
    again.deliver()

    assert pending == 2
    assert world.ids == ["shop/1-2", "shop/2-3"]
    assert watch.problems() == ["notification to webhook: it answered with status 503"]
    assert again.pending() == 0


def test_a_scan_that_was_stored_before_a_crash_is_posted_after_it(world) -> None:
    """Scan and notification are two files; the process may end between them."""
    world.watch().run_once()
    world.write("a", "b")
    world.scan()
    watch = world.watch(scan=lambda: ())
    watch.run_once()
    watch.deliver()

    assert world.ids == ["shop/1-2"]


def test_a_notification_that_is_refused_is_dropped_and_reported(world) -> None:
    """It would be refused again; those behind it must not wait for ever."""
    watch = world.watch()
    watch.run_once()
    world.write("a", "b")
    watch.run_once()
    world.unwanted = True

    assert watch.deliver()
    assert watch.pending() == 0
    assert "shop/1-2 is dropped" in world.said[-1]


def test_a_failed_scan_keeps_the_last_one_and_is_reported_once(world) -> None:
    """The reason is in /health until a scan works again."""
    watch = world.watch()
    watch.run_once()

    def fail() -> Any:
        raise SourceUnreachable("nobody answers", where="http://registry:8081")

    failing = world.watch(scan=fail)
    results = [failing.run_once(), failing.run_once()]

    assert results == [False, False]
    assert failing.counts()["failed"] == 2
    assert failing.problems() == ["scan: http://registry:8081: nobody answers"]
    assert len([text for text in world.said if "nobody answers" in text]) == 1
    assert scanner_api.state(world.dictionary).scan == 1


def test_scans_do_not_overlap_and_end_on_request(world) -> None:
    """A scan may take longer than the time between two."""
    running, most, entered = [0], [0], threading.Semaphore(0)

    def scan() -> Any:
        running[0] += 1
        most[0] = max(most[0], running[0])
        entered.release()
        running[0] -= 1
        return ()

    watch = world.watch(scan=scan, seconds=0.001)
    watch.start()
    for _ in range(5):
        assert entered.acquire(timeout=PATIENCE)
    watch.stop()

    assert most == [1]


def test_a_state_that_is_no_state_is_refused(world) -> None:
    """It must not be overwritten: the option may name a wrong file."""
    (world.directory / "watch.json").write_text('{"scans": []}')

    with pytest.raises(InputInvalid, match="is not the state of a watch"):
        world.watch()


def test_a_state_that_cannot_be_written_is_reported_and_nothing_is_marked(world) -> None:
    """Else a change would be lost."""
    watch = world.watch()
    (world.directory / "watch.json").mkdir()

    assert not watch.run_once()
    assert "watch.json" in watch.problems()[0]


def test_a_dictionary_that_was_replaced_by_an_older_one_is_a_new_start(world) -> None:
    """Its scan numbers say nothing about those before."""
    Outbox(world.directory / "watch.json").record("shop", 7, ())
    watch = world.watch()
    watch.run_once()
    watch.deliver()

    assert world.posted == []
    assert Outbox(world.directory / "watch.json").state.scans == {"shop": 1}
