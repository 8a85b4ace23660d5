"""The result of a check: findings with their verdict, place and the jobs, datasets and columns that they hit."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from scanner_model.lazy_names import load

Json = Any


class Verdict(StrEnum):
    """What a finding, or a whole check, comes to."""

    FINE = "fine"
    """Nothing is hit."""
    UNKNOWN = "unknown"
    """It cannot be said: something was not read, is out of date, or has no columns."""
    IMPACT = "impact"
    """A downstream job uses what changes, or writes it."""
    BREAKS = "breaks"
    """The registry rejects the schema at the subject's compatibility level."""


_ORDER = tuple(Verdict)
_USERS = ("job", "consumer-group")
_SENTENCE = "scanner_check.report:sentence"
"""Renders a message; loaded when a text is needed."""
_ROW = "scanner_check.rows.table:row_of"
_PLACE = re.compile(r"\S.*\.\w+:\d+")


def few(names: Sequence[str], most: int = 3) -> str:
    """Return the first of *names* as a list, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def worst(verdicts: list[Verdict]) -> Verdict:
    """Return the most serious verdict; fine without any."""
    return max(verdicts, key=_ORDER.index, default=Verdict.FINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place in a proposed file; *line* and *column* count from 1."""

    file: str
    line: int = 1
    column: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Affected:
    """A job, consumer group, topic, table or column that a change hits; *use* as in `scanner lineage --impact`.

    *path* is a column's name, empty for others. *through* are the jobs on the way, *evidence* the reasons of its edges
    from the change to it. *owner* and *tags* are those that catalogs, events or schemas report, the owner of an
    application that of cluster.json; *last_seen* is when monitoring saw it last (ISO 8601), empty where it did not.
    """

    kind: str
    namespace: str
    name: str
    path: str
    use: str
    steps: int
    through: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    owner: str = ""
    tags: tuple[str, ...] = ()
    last_seen: str = ""

    @property
    def shown(self) -> str:
        """Return the name, of a column behind that of its dataset."""
        return f"{self.name}.{self.path}" if self.path else self.name

    @property
    def place(self) -> str:
        """Return file and line of the evidence nearest to the user of the data; empty if no evidence has a place."""
        return next((text for text in reversed(self.evidence) if _PLACE.fullmatch(text)), "")


class Message(NamedTuple):
    """A message as data: the name of a template of `report.py`, and the values that fill it.

    A value may be a message itself. The empty template is a text of another program, such as a parser's message.
    """

    template: str
    values: tuple[Hashable, ...]

    @property
    def texts(self) -> Iterator[str]:
        """Yield the texts among the values, of messages and lists inside it, too."""
        waiting: list[Hashable] = [*self.values]
        while waiting:
            value = waiting.pop()
            if isinstance(value, str):
                yield value
            elif isinstance(value, Message):
                waiting += value.values
            elif isinstance(value, tuple):
                waiting += value


def literal(text: str) -> Message:
    """Return a text of another program, such as a parser's, as a message."""
    return Message("", (text,))


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeFinding:
    """One thing that a change does, or that is not known of it.

    *rule* is one of those in docs/check-change.md. *target* is what changes, such as `subject orders-value`, *item* the
    column or dataset of it. *message* is what it reports and *reasons* why, as data: `what` and `why` are their texts,
    which only what prints a report uses. *owner* and *tags* are those of the topic and the column. *accepted* is the
    reason why a baseline accepts it; then it does not count.
    """

    rule: str
    verdict: Verdict
    place: Place
    target: str
    message: Message
    item: str = ""
    reasons: tuple[Message, ...] = ()
    affected: tuple[Affected, ...] = ()
    owner: str = ""
    tags: tuple[str, ...] = ()
    accepted: str = ""

    @property
    def what(self) -> str:
        """Return the finding's message as a text."""
        return str(load(_SENTENCE)(self.message))

    @property
    def why(self) -> tuple[str, ...]:
        """Return the reasons as texts."""
        return tuple(load(_SENTENCE)(reason) for reason in self.reasons)

    @property
    def fingerprint(self) -> str:
        """Return what identifies the finding in a baseline: it does not depend on lines, nor on who is hit."""
        return hashlib.sha256("\0".join((self.rule, self.target, self.item)).encode()).hexdigest()[:16]

    @property
    def readers(self) -> tuple[Affected, ...]:
        """Return the jobs and consumer groups that read what changes, the nearest first."""
        return self._users(writing=False)

    @property
    def writers(self) -> tuple[Affected, ...]:
        """Return the jobs that write what changes."""
        return self._users(writing=True)

    def _users(self, *, writing: bool) -> tuple[Affected, ...]:
        users = (hit for hit in self.affected if hit.kind in _USERS and (hit.use == "writes") is writing)
        return tuple(sorted(users, key=lambda hit: hit.steps))

    @property
    def counts(self) -> bool:
        """Return whether the finding counts for the verdict of the check."""
        return self.verdict is not Verdict.FINE and not self.accepted


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """A file that was checked; *kind* is schema, sql, connector or deleted, *targets* what it changes."""

    file: str
    kind: str
    targets: tuple[str, ...] = ()


class SkippedFile(NamedTuple):
    """A file that was not checked, and why."""

    file: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeReport:
    """The result of a check. *scans* are the newest scan of each cluster: name, number, end in ISO 8601.

    *skipped* are files that were not checked. *notes* are remarks about the check itself, such as an expired entry
    of the baseline. *not_examined* are those of *skipped* that scanner does not claim to understand and whose content
    could matter: not documentation, tests or renamed files. *concerns_kafka* is False if no changed file could declare
    anything relevant. *lines* are the source lines of places, *code_owners* those of files in CODEOWNERS.
    """

    files: tuple[CheckedFile, ...]
    findings: tuple[ChangeFinding, ...]
    scans: tuple[tuple[str, int, str], ...] = ()
    skipped: tuple[SkippedFile, ...] = ()
    notes: tuple[str, ...] = field(default=())
    not_examined: tuple[SkippedFile, ...] = ()
    concerns_kafka: bool = True
    lines: Mapping[Place, str] = field(default_factory=dict)
    code_owners: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def scope(self) -> str:
        """Return what the verdict covers, as one sentence."""
        count, lacking = len(self.files), self.not_examined
        listed = ", ".join(f"`{skipped.file}`" for skipped in lacking[:_LISTED])
        more = f" and {len(lacking) - _LISTED} more" if len(lacking) > _LISTED else ""
        examined = f"{count} file{'' if count == 1 else 's'} examined"
        if not self.concerns_kafka and not lacking:
            return "Nothing in this change concerns Kafka"
        if not count and not lacking and self.skipped:
            return "only documentation, tests, assets or names of files change"
        if not self.concerns_kafka and count:
            examined = "Nothing in the examined files concerns Kafka"
        return f"{examined}; not examined: {listed}{more}" if lacking else examined

    @property
    def verdict(self) -> Verdict:
        """Return the most serious verdict of the findings that count."""
        return worst([finding.verdict for finding in self.findings if finding.counts])

    @property
    def is_incomplete(self) -> bool:
        """Return whether a proposed file could not be read or parsed, or none was checked, without acceptance."""
        return any(
            load(_ROW)(finding).is_unjudged and finding.target in ("the change", finding.place.file) and finding.counts
            for finding in self.findings
        )


class CommitChanges(NamedTuple):
    """What a change between two commits does: *files* were judged, and the others *skipped*, each with the reason.

    *not_examined* are those of *skipped* whose content could matter; it and *concerns_kafka* are as in ChangeReport.
    *running* is what the change does to what runs, which is among *findings*; None without a dictionary.
    """

    files: tuple[CheckedFile, ...]
    skipped: tuple[SkippedFile, ...]
    findings: tuple[ChangeFinding, ...]
    not_examined: tuple[SkippedFile, ...]
    concerns_kafka: bool
    running: ChangeReport | None = None


_LISTED = 10
