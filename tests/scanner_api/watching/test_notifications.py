"""Which changes are worth a notification, and what is sent: CloudEvents with a signature, messages of Slack."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qsl, urlsplit

import pytest
from loopback import on_loopback

from scanner_api.questions.listings import TopicRow
from scanner_api.watching.notifications import (
    Change,
    ChangeRules,
    NotificationTarget,
    TopicUse,
    cloud_event,
    notification_id,
    post,
    slack_message,
)
from scanner_dictionary.compatibility.changes import ColumnChange, SchemaChange, broken, fine
from scanner_dictionary.diff.changes import FactAction, FactChange, ScanDiff, SchemaRef, SideChange
from scanner_model.columns import Column
from scanner_model.errors import SourceObjected, SourceUnreachable
from scanner_model.names import SourceId, TopicName


def schema(version: int) -> SchemaRef:
    return SchemaRef(
        context=".", subject="s-value", version=version, schema_id="1", format="AVRO", record="S", fingerprint="f"
    )


def side(topic: str, *, breaks: bool, tags: tuple[str, ...] = ()) -> SideChange:
    finding = broken("a reader fails") if breaks else fine()
    column = Column(path=("email",), type="string", tags=tags)
    change = ColumnChange(before=column, after=None, differs=(), backward=fine(), forward=finding)
    whole = SchemaChange(columns=(change,), backward=fine(), forward=finding)
    return SideChange(topic=topic, role="value", before=schema(1), after=schema(2), change=whole)


DIFF = ScanDiff(
    cluster="retail",
    first=1,
    second=2,
    facts=(
        FactChange(kind="topic", name=("new",), action=FactAction.ADDED),
        FactChange(kind="topic", name=("old",), action=FactAction.GONE),
        FactChange(kind="connector", name=("connect:main", "sink"), action=FactAction.CHANGED),
    ),
    sides=(side("orders", breaks=True, tags=("PII",)), side("payments", breaks=False)),
)


def topic(name: str, owner: str = "", tags: tuple[str, ...] = ()) -> TopicRow:
    return TopicRow(
        source=SourceId("kafka:k"),
        name=TopicName(name),
        tags=tags,
        cluster="retail",
        schemas=1,
        stale=False,
        gone=False,
        owner=owner,
    )


@pytest.mark.parametrize(
    ("rules", "topics"),
    [
        (ChangeRules(), ["orders", "payments", "new", "old", ""]),
        (ChangeRules(breaking=True), ["orders", "old"]),
        (ChangeRules(tags=frozenset({"pii"})), ["orders"]),
        (ChangeRules(tags=frozenset({"gold"})), ["payments"]),
        (ChangeRules(owners=frozenset({"Team A"})), ["payments"]),
        (ChangeRules(breaking=True, tags=frozenset({"gold"})), []),
    ],
)
def test_rules_choose_changes(rules, topics) -> None:
    """Every rule that is set must hold; a message about everything is not read."""
    known = [topic("orders"), topic("payments", owner="team a", tags=("Gold",))]

    assert [change.topic for change in rules.matching(DIFF, known)] == topics


def test_a_webhook_gets_a_signed_cloud_event() -> None:
    """A receiver checks that it is ours, and drops what it had before."""
    target = NotificationTarget(kind="webhook", url="http://x", secret="key")
    body = target.body(DIFF, ChangeRules().matching(DIFF, []), "2026-01-01T00:00:00+00:00")
    event, headers = json.loads(body), target.headers(body)

    assert {name: event[name] for name in ("specversion", "id", "source", "type", "subject", "time")} == {
        "specversion": "1.0",
        "id": "retail/1-2",
        "source": "/scanner/retail",
        "type": "scanner.change.v1",
        "subject": "retail",
        "time": "2026-01-01T00:00:00+00:00",
    }
    assert event["data"]["matched"][0] == {
        "topic": "orders",
        "what": "value schema changed (s-value 2): removed email, breaks readers",
        "breaks": True,
        "readers": [],
        "owners": [],
    }
    assert event["data"]["diff"]["first"] == 1
    assert headers["Content-Type"] == "application/cloudevents+json"
    assert headers["X-Scanner-Signature-256"] == "sha256=" + hmac.new(b"key", body.encode(), hashlib.sha256).hexdigest()
    assert "X-Scanner-Signature-256" not in NotificationTarget(kind="webhook", url="http://x").headers(body)


def test_the_same_diff_has_the_same_id_and_bytes() -> None:
    """It may be sent twice."""
    changes = ChangeRules().matching(DIFF, [])

    assert notification_id(DIFF) == "retail/1-2"
    assert cloud_event(DIFF, changes, "t") == cloud_event(DIFF, changes, "t")


def test_slack_gets_what_it_takes() -> None:
    """Slack refuses sections above 3,000 characters and more than 50 blocks; & < > are its markup."""
    changes = [Change(f"topic-{n}-<x>&`y`" + "z" * 300, "<!channel> " + "w" * 300, breaks=n == 0) for n in range(500)]
    message = slack_message(DIFF, changes)
    texts = [block["text"]["text"] for block in message["blocks"]]

    assert len(texts) <= 50
    assert all(0 < len(text) <= 3000 for text in texts)
    assert "<" not in "".join(texts)
    assert texts[0] == "*`retail`: 1 of 500 changes breaks readers (scan 1 to 2)*"
    assert texts[-1].endswith("… and 460 more")
    assert texts[1].startswith(":warning: `topic-0-&lt;x&gt;&amp;'y'")


@pytest.mark.parametrize(
    "name",
    [
        "<!channel>",
        "@here #general",
        "*bold* _x_ ~y~",
        "http://evil.example",
        ":warning:",
        "&" * 999,
        "a\r\u2028\u202eb\x1b",
    ],
)
def test_slack_reads_no_name_as_markup(name: str) -> None:
    """A topic called `<!channel>` must not wake up everybody: names are code, and nothing is parsed outside of it."""
    message = slack_message(replace(DIFF, cluster=name), [Change(name, f"topic {name}: added", breaks=False)])
    blocks = [block["text"] for block in message["blocks"]]
    outside = [re.sub("`[^`]*`", "", text) for text in (message["text"], *(block["text"] for block in blocks))]

    assert outside == [
        ": 1 change (scan 1 to 2)",
        "*: 1 change (scan 1 to 2)*",
        "•  · no known reader · owner unknown",
    ]
    assert all(block["verbatim"] for block in blocks)
    assert all(text.isprintable() for text in outside)
    assert all(len(block["text"]) <= 3000 for block in blocks)


def test_webhook_is_not_followed_to_another_place() -> None:
    """What it answers must not make us send the changes elsewhere."""
    asked: list[str] = []

    class Moved(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            self.send_response(307)
            self.send_header("Location", "/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Stay silent."""

    with on_loopback(Moved) as url, pytest.raises(SourceObjected, match="307"):
        post(f"{url}/hook", {}, "{}")
    assert asked == ["/hook"]


def test_an_error_does_not_name_the_url() -> None:
    """The URL of a Slack webhook is its password; errors are logged and shown in /health."""
    with pytest.raises(SourceUnreachable) as caught:
        post("http://127.0.0.1:1/services/T000/SECRET", {}, "{}")

    assert "SECRET" not in str(caught.value)


def test_slack_learns_what_changed_who_reads_whom_to_ask_and_where_to_look() -> None:
    readers = ("mailer", "billing", "a", "b")
    uses = {"customers": TopicUse(readers, ("team-crm",))}
    change = Change("customers", "value schema changed: removed email", breaks=True)
    message = slack_message(DIFF, [change], uses, "https://scanner.acme.example/")

    assert message["blocks"][1]["text"]["text"] == (
        ":warning: `customers` `value schema changed: removed email` · breaks `mailer`, `billing`, `a` and 1 more"
        " · ask `team-crm` · "
        "<https://scanner.acme.example/topic?cluster=retail&topic=customers&tab=changes|open>"
    )


@pytest.mark.parametrize("name", ["a|b>c", "<!channel>", "ü &", "x\ny"])
def test_a_link_to_a_topic_has_no_markup_of_slack(name) -> None:
    change = Change(name, "topic: added", breaks=False)
    text = slack_message(DIFF, [change], {}, "https://scanner.acme.example")["blocks"][1]["text"]["text"]
    address = text.rpartition("<")[2].removesuffix("|open>")

    assert not set("<>|\n ") & set(address)
    assert dict(parse_qsl(urlsplit(address).query))["topic"] == name
