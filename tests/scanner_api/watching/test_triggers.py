"""What a watch reports of readers: who is new, who is gone, and which field nobody reads any more."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import changing_installation as changing
import pytest

import scanner_api
from dataflow_generator.build.store import generate
from scanner_api.dictionary import Dictionary
from scanner_api.questions import listings
from scanner_api.watching.notifications import Change, ChangeRules, NotificationTarget, cloud_event, slack_message
from scanner_api.watching.triggers import triggered
from scanner_api.watching.watch import Outbox, Watch, watch_context
from scanner_dictionary.diff.changes import ScanDiff
from scanner_dictionary.write.scan import write_scan
from scanner_model.clients import ClientUse, Direction
from scanner_model.errors import ScannerError
from scanner_model.field_uses import FieldExtent, FieldUse
from scanner_model.names import TopicName
from scanner_model.schemas import Definition
from scanner_model.triggers import Triggers

PERSONAL, NEW, GONE, FIELD = (
    "new-reader-of-personal-data",
    "new-consumer",
    "reader-gone",
    "field-without-reader",
)


class World:
    """A dictionary with `a.orders` (name is PII) and its copy `b.paid`, scanned once a day."""

    def __init__(self, file: Path) -> None:
        self.dictionary = Dictionary(str(file))
        self.day = 0

    def scan(
        self, *groups: str, fields: tuple[str, ...] = (), seen: tuple[str, ...] = (), graph: bool = True, days: int = 1
    ) -> None:
        self.day += days
        at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=self.day)
        scan = changing.scan_of(changing.installation(groups=list(groups), connectors=()))
        definitions = tuple(
            replace(each, columns=tuple(replace(c, tags=("PII",) if c.name == "name" else ()) for c in each.columns))
            for each in scan.of(Definition)
        )
        uses = tuple(
            FieldUse(
                source=changing.SOURCES["manual"],
                program="billing",
                topic=TopicName("b.paid"),
                direction=Direction.READS,
                extent=FieldExtent.FIELD,
                path=(name,),
                places=("billing.py:3",),
            )
            for name in fields
        )
        clients = tuple(
            ClientUse(
                source=changing.SOURCES["kafka"],
                topic=TopicName("b.paid"),
                direction=Direction.READS,
                identities=(("application", name),),
                started=(at - timedelta(days=1)).isoformat(),
                ended=at.isoformat(),
                window="1d",
                metric="consumed",
                amount=1,
            )
            for name in seen
        )
        scan = scan.with_facts({**scan.by_type, Definition: definitions, FieldUse: uses, ClientUse: clients})
        engine = self.dictionary.writing()
        write_scan(engine, scan, started=at, finished=at)
        if graph:
            generate(engine)
        engine.dispose()

    def events(self, *rules: dict[str, Any], page: str = "") -> list[Change]:
        """Return what the rules report of the newest scan."""
        scans = [row.id for row in listings.scans(self.dictionary)]
        topics = listings.topics(self.dictionary, deleted=True)
        triggers = Triggers.of({"rules": list(rules), "page": page})
        return list(triggered(self.dictionary, (scans[1], scans[0]), triggers, topics))


@pytest.fixture
def world(empty, tmp_path) -> World:
    return World(Path(shutil.copy(empty, tmp_path / "dictionary.db")))


def test_a_new_reader_of_personal_data_is_reported_with_the_columns(world) -> None:
    world.scan("a.orders")
    world.scan("a.orders", "b.paid", "z")
    (event,) = world.events({"when": PERSONAL})

    assert (event.topic, event.trigger, event.breaks) == ("b.paid", PERSONAL, False)
    assert event.what.startswith("new reader _ksql_1 (consumer-group): ")
    assert "PII: name" in event.what
    assert not world.events({"when": PERSONAL, "tag": "finance"})


def test_a_new_consumer_is_reported_for_the_topics_of_the_rule(world) -> None:
    world.scan("a.orders")
    world.scan("a.orders", "b.paid")

    assert [event.topic for event in world.events({"when": NEW})] == ["b.paid"]
    assert not world.events({"when": NEW, "topics": "a.*"})
    assert not world.events({"when": NEW, "owner": "team-shop"})


def test_a_removed_reader_is_gone_at_once(world) -> None:
    world.scan("a.orders", "b.paid")
    world.scan("a.orders")

    assert [(event.topic, event.what.partition(" (topic")[0]) for event in world.events({"when": GONE})] == [
        ("b.paid", "reader _ksql_1 (consumer-group) is gone")
    ]
    assert not world.events({"when": NEW})


def test_a_client_that_reads_now_and_then_is_gone_after_the_time_of_the_rule_and_not_new_again(world) -> None:
    """A nightly job is missing in most windows."""
    world.scan(seen=("nightly",))
    world.scan()
    after_a_day = world.events({"when": GONE, "after": "3d"})
    world.scan(days=2)
    after_three_days = world.events({"when": GONE, "after": "3d"})
    world.scan()
    later = world.events({"when": GONE, "after": "3d"})
    world.scan(seen=("nightly",))

    assert (after_a_day, later, world.events({"when": NEW})) == ([], [], [])
    assert [event.what.partition(" (topic")[0] for event in after_three_days] == [
        "reader nightly (application) was last seen at 2026-01-02T00:00:00+00:00"
    ]


def test_a_field_that_lost_its_last_known_reader_is_reported_once(world) -> None:
    world.scan(fields=("name", "amount"))
    world.scan(fields=("amount",))
    lost = world.events({"when": FIELD})
    world.scan(fields=("amount",))

    assert [(event.topic, event.what.partition(" (topic")[0]) for event in lost] == [
        ("b.paid", "field name lost its last known reader")
    ]
    assert world.events({"when": FIELD}) == []


def test_without_the_graph_of_the_newest_scan_nothing_is_reported_as_gone(world) -> None:
    """Readers are missing until it is generated; the watch tries again."""
    world.scan("a.orders")
    world.scan("a.orders", graph=False)

    with pytest.raises(ScannerError, match="wait for the graph"):
        world.events({"when": GONE})


def test_a_message_has_owner_and_link(world) -> None:
    world.scan()
    world.scan("b.paid")
    (event,) = world.events({"when": NEW}, page="https://scanner.example.org/")
    diff = ScanDiff(cluster="shop", first=1, second=2, facts=(), sides=())
    (matched,) = cloud_event(diff, [event], "")["data"]["matched"]
    slack = json.dumps(slack_message(diff, [event]))

    assert event.link == "https://scanner.example.org/flow#node=b.paid"
    assert "topic of unknown owner" in event.what
    assert (matched["trigger"], matched["owner"], matched["link"]) == (NEW, "", event.link)
    assert f"<{event.link}|open>" in slack
    assert "no known reader" not in slack  # it is about a new one


def test_a_new_reader_is_reported_once_by_the_rule_that_says_more(world) -> None:
    world.scan()
    world.scan("a.orders")
    events = world.events({"when": NEW}, {"when": PERSONAL})

    assert [event.trigger for event in events if event.topic == "a.orders"] == [PERSONAL]


def watch_of(retail: Path, dictionary: Dictionary, posted: list[dict[str, Any]]) -> Watch:
    files = [str(retail / "cluster.json")]
    context = replace(
        watch_context(files, dictionary),
        scan=lambda: scanner_api.scan(files, dictionary, replay=retail / "capture"),
        generate=lambda: scanner_api.generate(dictionary),
        post=lambda url, headers, body: posted.append(json.loads(body)),
    )
    target = NotificationTarget(kind="webhook", url="http://webhook", rules=ChangeRules(breaking=True))
    return Watch(dictionary, context, Outbox(retail / "watch.json"), [target], 3600)


def test_rules_are_read_from_cluster_json_and_posted_by_a_watch(tmp_path) -> None:
    """The shop's second scan has a new group at a topic with personal data."""
    retail = tmp_path / "retail"
    shutil.copytree(Path(__file__).parents[3] / "examples/retail", retail)
    config = json.loads((retail / "cluster.json").read_text())
    config["triggers"] = {"page": "http://localhost:8080", "rules": [{"when": PERSONAL}]}
    (retail / "cluster.json").write_text(json.dumps(config))
    dictionary = scanner_api.open_dictionary(tmp_path / "d.db", create=True)
    posted: list[dict[str, Any]] = []
    watch = watch_of(retail, dictionary, posted)
    assert watch.run_once()
    (file,) = (retail / "capture").glob("kafka-*/document-*.json")
    document = json.loads(file.read_text())
    document["value"]["consumer_groups"].append({"name": "marketing", "state": "STABLE", "topics": ["orders"]})
    file.write_text(json.dumps(document))

    assert watch.run_once()
    assert watch.deliver()
    matched = [change for body in posted for change in body["data"]["matched"] if change.get("trigger")]
    assert [(change["topic"], change["owner"], change["link"]) for change in matched] == [
        ("orders", "team-shop", "http://localhost:8080/flow#node=orders")
    ]
    assert matched[0]["what"].startswith("new reader marketing (consumer-group)")
