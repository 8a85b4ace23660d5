"""Findings about a file as a whole: it cannot be read or parsed, its name is not known, it is deleted."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from scanner_api.change_check.deletion import Answer, DeletionAnswer, DeletionUse, may_delete
from scanner_api.change_check.files import ProposedFiles
from scanner_api.change_check.git import ObjectReader, Trees
from scanner_api.change_check.hits import Hits
from scanner_api.change_check.mentions import names_in
from scanner_api.change_check.model import Affected, Finding, Place, Verdict
from scanner_api.change_check.proposals import Proposal
from scanner_api.dictionary import Dictionary
from scanner_extractor.sources.deployment.yaml_documents import parse_yaml
from scanner_model.declarations import UnreadFile
from scanner_model.errors import InputInvalid, NameUnknown

_LISTED = 10
_POSITION = re.compile(r":(\d+)(?::(\d+))?$|\s(\d+):(\d+)$")


def unread_file(proposal: Proposal) -> Iterator[Finding]:
    """Yield what of a file could not be read: whom it hits cannot be said."""
    for problem in proposal.unread:
        yield _unknown("not-read", proposal, place_of(proposal.file, problem.where), problem.what, problem.hint)


def unparsed(proposal: Proposal, error: InputInvalid) -> Finding:
    """Return the finding of a file that holds no schema, statement or configuration, at the place of the error."""
    rule = "unparsed" if error.where.startswith(proposal.file) else "not-read"
    return _unknown(rule, proposal, place_of(proposal.file, error.where), error.what, error.hint)


def unknown_name(proposal: Proposal, error: NameUnknown, *, is_allowed: bool) -> Finding:
    """Return the finding of a file whose subject, topic or job is not known; fine where that *is_allowed*."""
    verdict = Verdict.FINE if is_allowed else Verdict.UNKNOWN
    what = error.what if is_allowed or not error.hint else f"{error.what} ({error.hint})"
    place = Place(file=proposal.file)
    return Finding(rule="unknown-name", verdict=verdict, place=place, target=proposal.file, what=what)


def place_of(file: str, where: str) -> Place:
    """Return the place that *where*, of a problem in *file*, ends with; its start if that is not a position."""
    match = _POSITION.search(where.removeprefix(file))
    if match is None:
        return Place(file=file)
    return Place(file=file, line=int(match[1] or match[3]), column=int(match[2] or match[4] or 1))


def _unknown(rule: str, proposal: Proposal, place: Place, what: str, hint: str) -> Finding:
    why = (hint,) if hint else ()
    return Finding(rule=rule, verdict=Verdict.UNKNOWN, place=place, target=proposal.file, what=what, why=why)


# --- files of two commits


def broken_files(paths: Iterable[str], trees: Trees, objects: ObjectReader) -> Iterator[Finding]:
    """Yield those of *paths* whose YAML or JSON cannot be parsed any more: not all of them is read."""
    for path in paths:
        parse = _PARSERS.get(path.rpartition(".")[2])
        if parse is None or path not in trees.head:
            continue
        before, after = (
            parse(objects.read(tree[path]).decode("utf-8-sig", "replace")) if path in tree else ""
            for tree in (trees.base, trees.head)
        )
        if after and (not before or path.endswith((".yaml", ".yml"))):
            line, _, error = after.partition(" ")
            yield _not_read(Place(file=path, line=int(line)), error)


def unread_elsewhere(
    files: Mapping[str, UnreadFile], names: Collection[str], tree: Mapping[str, str], objects: ObjectReader
) -> Iterator[Finding]:
    """Yield the unread *files* of a commit that contain one of *names*, topics that change: a user may be in them."""
    for path, file in sorted(files.items()) if names else ():
        named = sorted(names_in(path, objects.read(tree[path]), names)) if path in tree else ()
        if named:
            yield _not_read(
                Place(file=path), f"{path} names {', '.join(named[:_LISTED])} and is not read ({file.reason})"
            )


def _not_read(place: Place, what: str) -> Finding:
    return Finding(rule="not-read", verdict=Verdict.UNKNOWN, place=place, target=place.file, what=what)


def _yaml_error(text: str) -> str:
    """Return line and reason of the first document of invalid YAML; empty if all are valid."""
    return next((f"{one.line} invalid YAML: {one.error}" for one in parse_yaml(text) if one.error), "")


def _json_error(text: str) -> str:
    """Return line and reason why a text is invalid JSON; empty if it is valid."""
    try:
        json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        return f"{error.lineno} invalid JSON: {error.msg}"
    except RecursionError:
        return "1 invalid JSON: it nests too deeply"
    return ""


_PARSERS = {"yaml": _yaml_error, "yml": _yaml_error, "json": _json_error}


# --- deleted files


class DeletionContext(NamedTuple):
    """What a deletion is looked up in; *cluster* limits it to one cluster."""

    dictionary: Dictionary
    hits: Hits
    cluster: str | None


def check_deleted(
    proposal: Proposal, files: ProposedFiles, context: DeletionContext
) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
    """Check the deletion of a schema's file as that of its subject or topic, unless another file has that now.

    Raises NameUnknown where the dictionary does not have it.
    """
    target = proposal.target
    if any(other.text is not None and other.target == target for other in files.proposals):
        return (), ()
    answers = may_delete(context.dictionary, subject=target.subject, topic=target.topic, cluster=context.cluster)
    name = f"subject {target.subject}" if target.subject else f"topic {target.topic}"
    findings = tuple(
        Finding(
            rule="file-deleted",
            verdict=_VERDICTS[answer.answer],
            place=Place(file=proposal.file),
            target=name,
            what=f"{answer.what} may be deleted: {answer.answer}",
            why=tuple(f"{use.kind} {use.name}: {use.what}" for use in answer.uses),
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
