"""Choose the topic of a subject from the candidates of strategies and declarations, and explain the choice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scanner_extractor.naming.strategies import strategies_in_force
from scanner_extractor.naming.subjects import (
    Candidate,
    Link,
    Strategy,
    Subject,
    group_and_name,
    mapped_links,
    parse_subject,
    suffix_role,
)
from scanner_model.documents.pattern_limits import TookTooLong
from scanner_model.errors import InputInvalid
from scanner_model.names import RecordName, SubjectName, TopicName
from scanner_model.plugins import PluginError


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """The readings of one subject: *declared* ones, and those *read* by the strategies, in order, each once.

    *own* is the subject's name where it is the schema's own record, and so no topic by itself; else empty. *failed* are
    the errors of strategies that could not be evaluated on this name (patterns that took too long, broken plug-ins), so
    that they may have another reading of it.
    """

    declared: tuple[Candidate, ...]
    read: tuple[Candidate, ...]
    own: str = ""
    failed: tuple[TookTooLong | PluginError, ...] = ()

    @property
    def all(self) -> tuple[Candidate, ...]:
        """Return every reading once, the declared ones first."""
        return tuple(dict.fromkeys((*self.declared, *self.read)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What a subject is bound to: nothing, one candidate, or every topic that was declared for it.

    *ambiguous*: several readings were equally good and the first was taken. *others* are the candidates not taken.
    *topic_known*: all topics in *bound* are known from elsewhere; False where nothing is known of topics.
    """

    bound: tuple[Candidate, ...] = ()
    ambiguous: bool = False
    others: tuple[Candidate, ...] = ()
    topic_known: bool = False

    @property
    def chosen(self) -> Candidate | None:
        """Return the first binding, None if absent."""
        return self.bound[0] if self.bound else None


def propose(subject: Subject, strategies: Iterable[Strategy]) -> Proposed:
    """List every reading of *subject*: what was declared, then by strategy in the configured order."""
    failed: list[TookTooLong | PluginError] = []
    read = tuple(dict.fromkeys(candidate for strategy in strategies for candidate in _read(subject, strategy, failed)))
    declared = {
        (link.topic, (candidate := _declared(link, subject, read)).role): candidate for link in reversed(subject.links)
    }
    links = tuple(reversed(declared.values()))
    return Proposed(declared=links, read=read, own=_own_name(subject), failed=tuple(failed))


def _read(subject: Subject, strategy: Strategy, failed: list[TookTooLong | PluginError]) -> tuple[Candidate, ...]:
    try:
        return strategy(subject)
    except (TookTooLong, PluginError) as error:
        failed.append(error)
        return ()


def choose(proposed: Proposed, known: Collection[TopicName] | None) -> Choice:
    """Bind a subject to what was declared for it, else to the first candidate whose topic is known.

    Where several known (topic, side) pairs are left, the first in order is taken and the choice is ambiguous. Where
    none is known, the best stays, flagged; but a schema's own record name is a topic only where that topic is known.
    *known* None: no topics are known, so that every candidate remains possible.
    """
    topics = known or ()
    if proposed.declared:
        return _choice(proposed, proposed.declared, topics, ambiguous=False)
    pool = [c for c in proposed.read if c.topic in topics or c.topic != proposed.own]
    running = [c for c in pool if known is None or c.topic in known]
    ambiguous = len({_binding_key(candidate) for candidate in running}) > 1
    return _choice(proposed, (running or pool)[:1], topics, ambiguous=ambiguous)


def _choice(proposed: Proposed, bound: Sequence[Candidate], known: Collection[TopicName], *, ambiguous: bool) -> Choice:
    return Choice(
        bound=tuple(bound),
        ambiguous=ambiguous,
        others=tuple(candidate for candidate in proposed.all if candidate not in bound),
        topic_known=bool(bound) and all(candidate.topic in known for candidate in bound),
    )


def _own_name(subject: Subject) -> str:
    """Return the subject's name where it is the schema's own record, as a whole or behind the group; else nothing."""
    names = (subject.name, f"{subject.group}.{subject.name}")
    return subject.name if any(record in names for record in subject.records or ()) else ""


def _declared(link: Link, subject: Subject, read: Iterable[Candidate]) -> Candidate:
    """Return the reading of a declared link; a strategy that agrees on the topic supplies a missing side."""
    if link.role:
        return Candidate(topic=link.topic, role=link.role, strategy=link.strategy)
    agreeing = (candidate for candidate in read if candidate.topic == link.topic)
    return next(agreeing, Candidate(topic=link.topic, role=suffix_role(subject.name), strategy=link.strategy))


def _binding_key(candidate: Candidate) -> tuple[TopicName, str, bool]:
    # `t-value` is the value of `t`, and as record `value` in `t` it may be either side: not the same reading.
    return candidate.topic, candidate.role, candidate.record is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """How one subject is read: every candidate in order, and which of them is bound, where there is one.

    *failed* are the errors of strategies that could not be evaluated on its name.
    """

    subject: SubjectName
    context: str
    candidates: tuple[Candidate, ...]
    choice: Choice
    failed: tuple[InputInvalid, ...] = ()


def explain_subject(
    subjects: Sequence[str],
    topics: Sequence[str] = (),
    record: str | None = None,
    strategies: Sequence[str] = (),
    mapping: Mapping[str, Sequence[str]] | None = None,
    registry_kind: str = "confluent",
) -> tuple[Explanation, ...]:
    """Explain each subject; an empty *topics* means that no topics are known, so that none is ruled out.

    *record* None: the schema is not available. Without *strategies*, those of the registry kind apply. *mapping* gives
    declared topics by subject or by record name. Raises InputInvalid for a strategy that cannot be used.
    """
    in_force = strategies_in_force(strategies, registry_kind)
    records = None if record is None else (RecordName(record),)
    known = frozenset(map(TopicName, topics)) if topics else None

    def explained(raw: str) -> Explanation:
        context, name = parse_subject(raw, registry_kind)
        links = mapped_links(mapping or {}, name, context, registry_kind)
        group, artifact = group_and_name(name, context, registry_kind)
        proposed = propose(Subject(name=artifact, group=group, records=records, links=links), in_force)
        return Explanation(
            subject=SubjectName(name),
            context=context,
            candidates=proposed.all,
            choice=choose(proposed, known),
            failed=proposed.failed,
        )

    return tuple(map(explained, subjects))


def as_json(rows: Iterable[Explanation]) -> list[dict[str, Any]]:
    """Return *rows* as the JSON that `scanner explain subject --format json` documents.

    `chosen` is the first of `bound`, which has more than one member only where several topics were declared.
    """
    return [
        {
            "subject": row.subject,
            "context": row.context,
            "candidates": list(map(_candidate, row.candidates)),
            "chosen": _candidate(row.choice.chosen) if row.choice.chosen else None,
            "bound": list(map(_candidate, row.choice.bound)),
            "ambiguous": row.choice.ambiguous,
            "topic_known": row.choice.topic_known,
            "problems": list(map(str, row.failed)),
        }
        for row in rows
    ]


def _candidate(candidate: Candidate) -> dict[str, str | None]:
    return {
        "topic": candidate.topic,
        "role": candidate.role.value,
        "record": candidate.record,
        "strategy": candidate.strategy,
    }
