"""Notifications of a diff: which changes are worth one, the CloudEvent of a webhook, the message to Slack."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import urlencode

from scanner_api.questions.changes import diff_document
from scanner_api.questions.listings import TopicRow
from scanner_dictionary.compatibility.changes import Action, Verdict
from scanner_dictionary.diff.changes import FactAction, ScanDiff, SideChange
from scanner_dictionary.diff.summaries import in_words
from scanner_extractor.http.concurrency import Clock
from scanner_extractor.http.messages import Request
from scanner_extractor.http.transport import HttpTransport
from scanner_extractor.settings.cluster import HttpSettings
from scanner_model.errors import ScannerError, SourceObjected, SourceUnreachable
from scanner_model.names import SourceId
from scanner_model.text import counted, listed, visible

Json = Any

EVENT_TYPE = "scanner.change.v1"
SIGNATURE = "X-Scanner-Signature-256"

_CLOUD_EVENT = "application/cloudevents+json"
_SLACK_TEXT = 2_900
"""Characters of a section; Slack refuses more than 3,000."""

_SLACK_LINES = 40
_SLACK_NAME = 250
"""Characters of a name or a change: with every one of them escaped, a line of two still fits a section."""

_PASSES = (408, 425, 429)


class Change(NamedTuple):
    """A change of a topic, or of what is of no topic (empty): one line for people, and whether readers break.

    *trigger* is the rule of cluster.json that reports it, with the *owner* of the topic and a *link* to it; all are
    empty for a change between two scans.
    """

    topic: str
    what: str
    breaks: bool
    trigger: str = ""
    owner: str = ""
    link: str = ""


class TopicUse(NamedTuple):
    """Who reads a topic now, and the owners of the topic and of its readers."""

    readers: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()


Uses = Mapping[str, TopicUse]
"""Who reads each topic, by its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRules:
    """Which changes are worth a notification; every rule that is set must hold.

    *breaking*: only changes that break readers. *tags*: only of topics with one of these tags, on the topic or a
    changed column. *owners*: only of topics of one of these owners. Letter case does not matter.
    """

    breaking: bool = False
    tags: frozenset[str] = frozenset()
    owners: frozenset[str] = frozenset()

    def matching(self, diff: ScanDiff, topics: Iterable[TopicRow]) -> tuple[Change, ...]:
        """Return the changes of *diff* that are worth a notification; *topics* are those of its cluster."""
        known: dict[str, TopicRow] = {row.name: row for row in topics}
        return tuple(
            change for change, tags in _changes(diff) if self._is_wanted(change, tags, known.get(change.topic))
        )

    def _is_wanted(self, change: Change, tags: Iterable[str], topic: TopicRow | None) -> bool:
        if self.breaking and not change.breaks:
            return False
        tagged = {tag.lower() for tag in (*tags, *(topic.tags if topic else ()))}
        if self.tags and not tagged & {tag.lower() for tag in self.tags}:
            return False
        owners = {owner.lower() for owner in self.owners}
        return not owners or (topic is not None and topic.owner.lower() in owners)


def _changes(diff: ScanDiff) -> Iterable[tuple[Change, tuple[str, ...]]]:
    """Yield each change with the tags of its columns."""
    for side in diff.sides:
        changed = [column.column for column in side.columns]
        yield _side_change(side), tuple(tag for column in changed for tag in column.tags)
    for fact in diff.facts:
        if (line := in_words(fact)) is not None:
            yield Change(line.topic, f"{line.what}: {line.change}", False), ()
            continue
        name = " ".join(str(part) for part in fact.name if part is not None)
        topic = name if fact.kind == "topic" else ""
        breaks = fact.kind == "topic" and fact.action is FactAction.GONE
        yield Change(topic, f"{fact.kind.replace('_', ' ')} {name}: {fact.action}", breaks), ()


def _side_change(side: SideChange) -> Change:
    verdicts = {comparison.verdict for comparison in (side.backward, side.forward) if comparison}
    breaks = Verdict.BREAKS in verdicts or side.action is Action.REMOVED
    columns = ", ".join(f"{change.action} {change.column.name}" for change in side.columns[:10])
    more = f" and {len(side.columns) - 10} more" if len(side.columns) > 10 else ""
    schema = side.after or side.before
    shown = f" ({schema.shown})" if schema else ""
    what = f"{side.role} schema {side.action}{shown}" + (f": {columns}{more}" if columns else "")
    return Change(side.topic, what + (", breaks readers" if Verdict.BREAKS in verdicts else ""), breaks)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationTarget:
    """Where notifications go: *kind* is webhook or slack. The *url* may hold a secret; *secret* signs a webhook.

    *page* is the address of `scanner serve`, which a message to Slack links to; empty: it has no links.
    """

    kind: str
    url: str = field(repr=False)
    secret: str = field(default="", repr=False)
    rules: ChangeRules = ChangeRules()
    page: str = ""

    def body(self, diff: ScanDiff, changes: Sequence[Change], at: str, uses: Uses = MappingProxyType({})) -> str:
        """Return the body of the notification of *changes* in *diff*, scanned *at*; *uses* are those of its topics."""
        if self.kind == "slack":
            document = slack_message(diff, changes, uses, self.page)
        else:
            document = cloud_event(diff, changes, at, uses)
        return json.dumps(document, ensure_ascii=True, separators=(",", ":"), sort_keys=True)

    def headers(self, body: str) -> dict[str, str]:
        """Return the headers of a request with *body*."""
        if self.kind == "slack":
            return {"Content-Type": "application/json"}
        signed = {SIGNATURE: f"sha256={signature(self.secret, body)}"} if self.secret else {}
        return {"Content-Type": _CLOUD_EVENT, **signed}


def signature(secret: str, body: str) -> str:
    """Return the HMAC-SHA256 of *body*, in hexadecimal digits."""
    return hmac.new(secret.encode(), body.encode(), hashlib.sha256).hexdigest()


def notification_id(diff: ScanDiff) -> str:
    """Return the id of a notification: the same each time it is sent, so that a receiver can drop repetitions."""
    return f"{diff.cluster}/{diff.first}-{diff.second}"


def cloud_event(
    diff: ScanDiff, changes: Sequence[Change], at: str, uses: Uses = MappingProxyType({})
) -> dict[str, Json]:
    """Return the CloudEvent 1.0 of *diff*; its data are those of `scanner changes`, and what matched the rules."""
    matched = [_matched(change, uses.get(change.topic, _UNUSED)) for change in changes]
    return {
        "specversion": "1.0",
        "id": notification_id(diff),
        "source": f"/scanner/{diff.cluster}",
        "type": EVENT_TYPE,
        "time": at,
        "subject": diff.cluster,
        "datacontenttype": "application/json",
        "data": {"matched": matched, "diff": diff_document(diff)},
    }


_UNUSED = TopicUse()


def _matched(change: Change, use: TopicUse) -> dict[str, Json]:
    document: dict[str, Json] = {
        "topic": change.topic,
        "what": change.what,
        "breaks": change.breaks,
        "readers": list(use.readers),
        "owners": list(use.owners),
    }
    about = {"trigger": change.trigger, "owner": change.owner, "link": change.link}
    return document | (about if change.trigger else {})


def slack_message(
    diff: ScanDiff, changes: Sequence[Change], uses: Uses = MappingProxyType({}), page: str = ""
) -> dict[str, Json]:
    """Return the message of an incoming webhook of Slack: a summary, and the first changes.

    A line says what changed, who reads the topic, whom to ask, and has a link to the topic at the address *page*.
    """
    breaking = sum(change.breaks for change in changes)
    breaks = f"{breaking} of {len(changes)} changes {'breaks' if breaking == 1 else 'break'} readers"
    summary = breaks if breaking else counted(len(changes), "change")
    title = f"{_slack_code(diff.cluster)}: {summary} (scan {diff.first} to {diff.second})"
    lines = [
        _slack_line(change, uses.get(change.topic, _UNUSED), topic_address(page, diff.cluster, change.topic))
        for change in changes[:_SLACK_LINES]
    ]
    if len(changes) > _SLACK_LINES:
        lines.append(f"… and {len(changes) - _SLACK_LINES} more")
    sections = [f"*{title}*", *_sections(lines)]
    blocks = [{"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}} for text in sections]
    return {"text": title[:_SLACK_TEXT], "blocks": blocks}


def topic_address(page: str, cluster: str, topic: str) -> str:
    """Return the address of the page of a topic; empty without a topic or the address of `scanner serve`."""
    query = urlencode({"cluster": cluster, "topic": topic, "tab": "changes"})
    return f"{page.rstrip('/')}/topic?{query}" if page and topic else ""


def change_line(change: Change, use: TopicUse, show: Callable[[str], str] = str) -> str:
    """Return a change with the readers and owners of its topic; *show* writes each name and text.

    What a trigger reports is about a reader, and names the owners of both.
    """
    named = not change.topic or change.what.startswith(f"topic {change.topic}:")
    words = show(change.what) if named else f"{show(change.topic)} {show(change.what)}"
    if change.trigger:
        return words
    read_by = ("breaks " if change.breaks else "read by ") + listed([*map(show, use.readers)])
    owners = use.owners or tuple(filter(None, (change.owner,)))
    parts = (
        words,
        read_by if use.readers else "no known reader" if change.topic else "",
        f"ask {listed([*map(show, owners)])}" if owners else "owner unknown" if change.topic else "",
    )
    return " · ".join(filter(None, parts))


def _slack_line(change: Change, use: TopicUse, address: str) -> str:
    """Return a line whose names are code: Slack reads no mention, link or format there."""
    mark = ":warning: " if change.breaks else "• "
    link = change.link or address
    return f"{mark}{change_line(change, use, _slack_code)}" + (f" · <{link}|open>" if link else "")


def _slack_code(text: str) -> str:
    """Return *text* as code, cut where it is long, with what Slack reads as its own markup escaped."""
    shown = visible(text if len(text) <= _SLACK_NAME else f"{text[:_SLACK_NAME]}…")
    for mark, escaped in (("`", "'"), ("\n", " "), ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        shown = shown.replace(mark, escaped)
    return f"`{shown}`" if shown else ""


def _sections(lines: Iterable[str]) -> list[str]:
    sections: list[str] = []
    for line in lines:
        if sections and len(sections[-1]) + 1 + len(line) <= _SLACK_TEXT:
            sections[-1] += f"\n{line}"
        else:
            sections.append(line)
    return sections


Post = Callable[[str, Mapping[str, str], str], None]
"""Sends a body with headers to a URL; raises SourceUnreachable to try again, SourceObjected for a refusal."""


def post(url: str, headers: Mapping[str, str], body: str) -> None:
    """Send *body*; errors do not name the URL, which may hold a secret.

    A redirect is a refusal: what is sent is for that receiver only.
    """
    settings = HttpSettings(
        url=url,
        headers=dict(headers),
        connect_timeout=5,
        read_timeout=15,
        max_bytes=65_536,
        follows_redirects=False,
    )
    transport = HttpTransport(settings, Clock())
    try:
        answer = transport(Request(source=SourceId("notification"), method="POST", url=url, accept="*/*", body=body))
    except ScannerError as error:
        raise SourceUnreachable(error.what.replace(url, "its URL")) from None
    finally:
        transport.close()
    if answer.status in _PASSES or answer.status >= 500:
        raise SourceUnreachable(f"it answered with status {answer.status}")
    if not 200 <= answer.status < 300:
        raise SourceObjected(f"it refused with status {answer.status}", status=answer.status)
