"""Explain how a subject is bound, for `scanner explain subject`; needs neither dictionary nor registry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scanner_extractor.naming.candidates import Candidate, Subject
from scanner_extractor.naming.choice import Choice, choose, propose
from scanner_extractor.naming.subjects import group_and_name, mapped_links, parse_subject
from scanner_extractor.naming.table import strategies_in_force
from scanner_model.errors import InputInvalid
from scanner_model.names import RecordName, SubjectName, TopicName


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
