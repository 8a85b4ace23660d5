"""When something that is used may go: by when monitoring last saw each of its readers, and the usage rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from scanner_check.users.deletion import Answer, DeletionAnswer, DeletionUse
from scanner_dictionary.engine.open import Connection
from scanner_dictionary.queries.silence import Sighting, sightings
from scanner_dictionary.queries.subjects import TopicKey
from scanner_model.clients import Direction
from scanner_model.usage import Usage

_READERS = ("job", "consumer-group")


def with_dates(conn: Connection, answer: DeletionAnswer, usage: Usage, topic: TopicKey | None = None) -> DeletionAnswer:
    """Return the answer with a date for each reader, and one for all of them.

    A reader that was not seen for the time of the *usage* rule, while sources looked, does not count, nor what is
    reached through it. By the rule, those that read *topic* in an earlier scan only still count. Without a rule,
    readers say when they were seen, and have no date.
    """
    of_topic = sightings(conn, topic) if topic else {}
    seen = {**sightings(conn), **of_topic}
    if usage.unseen_for and topic:
        answer = replace(answer, uses=(*answer.uses, *_former(answer.uses, of_topic, topic.name)))
    uses = tuple(_dated(use, _sighting(use, seen), usage) if _is_reader(use) else use for use in answer.uses)
    silent = {use.name for use in uses if _is_reader(use) and use.answer is Answer.YES}
    uses = tuple(_behind(use, silent) for use in uses)
    waiting = [use for use in uses if _is_reader(use) and use.answer is not Answer.YES]
    dates = [use.safe_on for use in waiting]
    answer = replace(answer, uses=uses, safe_on=max(dates) if dates and all(dates) else "")
    left = max((each.since.isoformat() for each in of_topic.values() if not each.is_present), default="")
    since = left if answer.answer is Answer.YES else ""
    return replace(answer, unused_since=answer.unused_since or since)


def _former(uses: Iterable[DeletionUse], seen: Mapping[str, Sighting], topic: str) -> Iterator[DeletionUse]:
    """Yield the readers of an earlier scan, which may come back."""
    listed = {name for use in uses for name in (use.name, *use.groups)}
    for name, sighting in seen.items():
        if name == sighting.name and not sighting.is_present and not sighting.idle_since and name not in listed:
            kind = sighting.kind if sighting.kind in _READERS else "job"
            yield DeletionUse(
                kind=kind, name=name, what=f"read {topic}", answer=Answer.UNKNOWN, direction=Direction.READS.value
            )


def _is_reader(use: DeletionUse) -> bool:
    return use.kind in _READERS and use.direction != Direction.WRITES


def _sighting(use: DeletionUse, seen: Mapping[str, Sighting]) -> Sighting | None:
    """Return the newest sighting of a reader or of one of its groups; None without any."""
    found = [seen[name] for name in (use.name, *use.groups) if name in seen]
    return max(found, key=lambda each: (each.is_present, each.since), default=None)


def _behind(use: DeletionUse, silent: set[str]) -> DeletionUse:
    through = sorted(silent.intersection(use.through))
    if not through or use.answer is Answer.YES:
        return use
    return replace(use, answer=Answer.YES, what=f"{use.what}, but only through {', '.join(through)}")


def _dated(use: DeletionUse, sighting: Sighting | None, usage: Usage) -> DeletionUse:
    if usage.is_excluded(use.name):
        return replace(use, answer=Answer.YES, what=f"{use.what}; excluded by `usage.exclude`")
    if sighting is None:
        return replace(use, what=f"{use.what}; not observed by monitoring")
    if sighting.idle_since:
        date = _date(datetime.fromisoformat(sighting.idle_since), usage)
        return replace(
            use, what=f"{use.what}; without members since the scan of {sighting.idle_since[:10]}", safe_on=date
        )
    if sighting.is_present:
        return replace(use, what=f"{use.what}; seen by the newest scan")
    what = f"{use.what}; last seen {_days(sighting.now - sighting.since)} ago"
    if not sighting.is_covered:
        return replace(use, what=f"{what}, but monitoring did not look all the time since")
    date = _date(sighting.since, usage)
    is_over = bool(date) and datetime.fromisoformat(date).date() <= sighting.now.date()
    shown = f", usage rule {_days(usage.unseen_for)}" if usage.unseen_for else ""
    return replace(use, what=what + shown, answer=Answer.YES if is_over else use.answer, safe_on=date)


def _date(since: datetime, usage: Usage) -> str:
    """Return the first day after the time of the rule; empty without a rule."""
    return (since + usage.unseen_for + timedelta(days=1)).date().isoformat() if usage.unseen_for else ""


def _days(time: timedelta) -> str:
    return f"{time.days} day{'' if time.days == 1 else 's'}"


def readers_without_date(answer: DeletionAnswer) -> Mapping[str, str]:
    """Return the readers that keep an answer from having a date, each with what is known of it."""
    return {
        use.name: use.what
        for use in answer.uses
        if _is_reader(use) and use.answer is not Answer.YES and not use.safe_on
    }
