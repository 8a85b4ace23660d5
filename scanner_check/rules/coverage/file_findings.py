"""Findings about a file as a whole: it cannot be read or parsed, its name is not known, it is deleted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from dataflow_generator.stored.dictionary import Dictionary
from scanner_check.inputs.proposals import Proposal
from scanner_check.model import Affected, ChangeFinding, Message, Place, Verdict, literal
from scanner_check.rows.files import FILE_DELETED, NOT_READ, UNKNOWN_NAME, UNPARSED
from scanner_check.rows.rule import Rule
from scanner_check.users.deletion import Answer, DeletionAnswer, DeletionUse, may_delete
from scanner_check.users.hits import Hits
from scanner_model.errors import InputInvalid, NameUnknown
from scanner_model.redaction import mask_statement, mask_text

if TYPE_CHECKING:
    from scanner_check.inputs.files import ProposedFiles

_POSITION = re.compile(r":(\d+)(?::(\d+))?$|\s(\d+):(\d+)$")

_LONGEST = 200


def quoted(line: str) -> str:
    """Return a line of a changed file, SQL or a command, without its secrets; cut if it is long."""
    return mask_text(mask_statement(line.strip()))[:_LONGEST]


def unread_file(proposal: Proposal) -> Iterator[ChangeFinding]:
    """Yield what of a file could not be read: whom it hits cannot be said."""
    for problem in proposal.unread:
        yield _unknown(NOT_READ, proposal, place_of(proposal.file, problem.where), problem.what, problem.hint)


def unparsed(proposal: Proposal, error: InputInvalid) -> ChangeFinding:
    """Return the finding of a file that holds no schema, statement or configuration, at the place of the error."""
    rule = UNPARSED if error.where.startswith(proposal.file) else NOT_READ
    return _unknown(rule, proposal, place_of(proposal.file, error.where), error.what, error.hint)


def unknown_name(proposal: Proposal, error: NameUnknown, *, is_allowed: bool) -> ChangeFinding:
    """Return the finding of a file whose subject, topic or job is not known; fine where that *is_allowed*."""
    verdict = Verdict.FINE if is_allowed else Verdict.UNKNOWN
    hint = "" if is_allowed else error.hint
    return UNKNOWN_NAME.found(verdict, Place(file=proposal.file), proposal.file, error.what, hint)


def place_of(file: str, where: str) -> Place:
    """Return the place that *where*, of a problem in *file*, ends with; its start if that is not a position."""
    match = _POSITION.search(where.removeprefix(file))
    if match is None:
        return Place(file=file)
    return Place(file=file, line=int(match[1] or match[3]), column=int(match[2] or match[4] or 1))


def _unknown(rule: Rule, proposal: Proposal, place: Place, what: str, hint: str) -> ChangeFinding:
    reasons = (literal(hint),) if hint else ()
    return rule.unknown(place, proposal.file, what, reasons=reasons)


# --- deleted files


class DeletionContext(NamedTuple):
    """What a deletion is looked up in; *cluster* limits it to one cluster."""

    dictionary: Dictionary
    hits: Hits
    cluster: str | None


def check_deleted(
    proposal: Proposal, files: ProposedFiles, context: DeletionContext
) -> tuple[tuple[str, ...], tuple[ChangeFinding, ...]]:
    """Check the deletion of a schema's file as that of its subject or topic, unless another file has that now.

    Raises NameUnknown where the dictionary does not have it.
    """
    target = proposal.target
    if any(other.text is not None and other.target == target for other in files.proposals):
        return (), ()
    answers = may_delete(context.dictionary, subject=target.subject, topic=target.topic, cluster=context.cluster)
    name = f"subject {target.subject}" if target.subject else f"topic {target.topic}"
    findings = tuple(
        FILE_DELETED.found(
            _VERDICTS[answer.answer],
            Place(file=proposal.file),
            name,
            answer.what,
            str(answer.answer),
            reasons=tuple(Message("of a user", (use.kind, use.name, use.what)) for use in answer.uses),
            affected=tuple(_affected(answer, target.topic, context.hits)),
        )
        for answer in answers
    )
    return (name,), findings


_VERDICTS = {Answer.YES: Verdict.FINE, Answer.NO: Verdict.IMPACT, Answer.UNKNOWN: Verdict.UNKNOWN}

_NO_USERS = ("version", "source", "graph")
"""Kinds of uses that report something unknown, without a user."""


def _affected(answer: DeletionAnswer, topic: str, hits: Hits) -> Iterator[Affected]:
    """Yield who uses the *topic*, or those of the subject, with everything downstream; then who else is reported."""
    uses = [use for use in answer.uses if use.kind not in _NO_USERS and use.answer is not Answer.YES]
    topics = [topic] if topic else [use.name for use in uses if use.kind == "topic" and use.answer is Answer.NO]
    found: dict[tuple[str, ...], Affected] = {}
    for name in topics if uses else ():
        for hit in hits.of(hits.naming.topic(answer.cluster, name)):
            found.setdefault((hit.kind, hit.namespace, hit.name, hit.path), hit)
    named = {(hit.kind, hit.name) for hit in found.values()}
    yield from (_reported(use) for use in uses if (use.kind, use.name) not in named)
    yield from found.values()


def _reported(use: DeletionUse) -> Affected:
    evidence = (use.evidence,) if use.evidence else ()
    return Affected(kind=use.kind, namespace="", name=use.name, path="", use="unknown", steps=1, evidence=evidence)
