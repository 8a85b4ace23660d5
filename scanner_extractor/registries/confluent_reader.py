"""From the JSON of Confluent-compatible registries to facts: rows of schemas, names, numbers, associations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from scanner_extractor.exchange import Json
from scanner_extractor.naming.subjects import seen_subject
from scanner_extractor.references import LATEST
from scanner_model.errors import PayloadUnexpected
from scanner_model.names import Role, SourceId, SubjectName, TopicName
from scanner_model.problems import Problem
from scanner_model.schemas import DEFAULT_CONTEXT, Association, Reference, SchemaVersion

_ROLES = {"key": Role.KEY, "value": Role.VALUE}
_HINT = "is this the registry's API? check `url` and `type`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The registry that a payload is from; *kind* decides whether `:.ctx:` before a subject is a context."""

    source: SourceId
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One schema row: a version, and the topics that the registry associates its subject with."""

    version: SchemaVersion
    associations: tuple[Association, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BadRow:
    """A row that cannot be read: its subject where that is legible (else empty), why, and what identifies it."""

    subject: SubjectName
    problem: Problem
    text: str


class _RowError(ValueError):
    """Say which member of a row is not as documented."""


def read_rows(payload: Json, origin: Origin) -> tuple[Row | BadRow, ...]:
    """Read a page of `GET /schemas`; a misshapen row costs that row. Raises PayloadUnexpected for no list."""
    return tuple(read_row(row, origin) for row in _list(payload, "schemas"))


def read_row(payload: Json, origin: Origin, *, asked: tuple[str, int] | None = None) -> Row | BadRow:
    """Read one schema row.

    *asked* are the subject and version that were asked for. They stand in for what the answer leaves out, and the
    subject also for what it says: asked for an alias, a registry answers with the subject behind it.
    """
    subject = asked[0] if asked else _member(payload, "subject")
    try:
        return _row(payload, origin, subject, asked[1] if asked else None)
    except _RowError as wrong:
        name = seen_subject(subject, origin.kind)[1] if isinstance(subject, str) else ""
        shown = name or "a row without subject"
        problem = Problem(f"{origin.source} {shown}", f"the registry's row cannot be read: {wrong}")
        return BadRow(subject=SubjectName(name), problem=problem, text=canonical(payload))


def read_names(payload: Json) -> tuple[str, ...]:
    """Read a list of subjects. Raises PayloadUnexpected for anything else."""
    names = _list(payload, "subjects")
    if not all(isinstance(name, str) for name in names):
        raise PayloadUnexpected("the list of subjects holds something else than names", hint=_HINT)
    return tuple(names)


def read_numbers(payload: Json) -> tuple[int, ...]:
    """Read a subject's list of versions. Raises PayloadUnexpected for anything else."""
    numbers = _list(payload, "versions")
    if not all(_is_number(number) for number in numbers):
        raise PayloadUnexpected("the list of versions holds something else than numbers", hint=_HINT)
    return tuple(sorted(set(numbers)))


def read_associations(payload: Json, origin: Origin, subject: str) -> tuple[Association, ...]:
    """Read the topics that *subject* is associated with; other resources than topics are none of ours."""
    entries = payload if isinstance(payload, list) else []
    return tuple(found for entry in entries if (found := _association(entry, origin, subject)))


def qualified(context: str, subject: str) -> str:
    """Give the name to ask for: the subject, with its context before it unless that is the default one."""
    return subject if context == DEFAULT_CONTEXT else f":{context}:{subject}"


def canonical(payload: Json) -> str:
    """Write JSON in one way, whatever order it came in; empty where it is nested too deeply to be written."""
    try:
        return json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    except RecursionError:
        return ""


def _row(payload: Json, origin: Origin, name: Json, number: int | None) -> Row:
    if not isinstance(name, str):
        raise _RowError("it has no subject")
    context, subject = seen_subject(name, origin.kind)
    version = SchemaVersion(
        source=origin.source,
        context=context,
        subject=SubjectName(subject),
        version=_version(payload, number),
        schema_id=_id(payload),
        format=(_text(payload, "schemaType") or "AVRO").upper(),  # the oldest format is left unsaid
        text=_schema(payload),
        guid=_text(payload, "guid"),
        references=tuple(_references(payload)),
        metadata=_kept(_member(payload, "metadata")),
        rule_set=_kept(_member(payload, "ruleSet") or _member(payload, "ruleset")),
        tags=_tags(payload),
        deleted=_member(payload, "deleted") is True,
    )
    return Row(version=version, associations=read_associations(_member(payload, "associations"), origin, name))


def _member(payload: Json, name: str) -> Json:
    return payload.get(name) if isinstance(payload, dict) else None


def _text(payload: Json, name: str) -> str:
    value = _member(payload, name)
    return value if isinstance(value, str) else ""


def _version(payload: Json, asked: int | None) -> int:
    value = _member(payload, "version")
    if isinstance(value, int) and _is_number(value):
        return value
    if asked is None or asked == LATEST:
        raise _RowError("it has no version")
    return asked


def _id(payload: Json) -> str:
    value = _member(payload, "id")
    if not _is_number(value):
        raise _RowError("it has no id")
    return str(value)


def _schema(payload: Json) -> str:
    value = _member(payload, "schema")
    if not isinstance(value, str):
        raise _RowError("it has no schema text")
    return value


def _references(payload: Json) -> Iterator[Reference]:
    references = _member(payload, "references") or []
    if not isinstance(references, list):
        raise _RowError("its references are no list")
    for entry in references:
        match entry:
            case {"name": str(name), "subject": str(subject), "version": int(version)}:
                yield Reference(name=name, subject=SubjectName(subject), version=version)
            case _:
                raise _RowError("one of its references lacks name, subject or version")


def _tags(payload: Json) -> tuple[str, ...]:
    """Gather the names of tags that the registry lists beside a schema, whichever part of it they are on."""
    tagged = _member(payload, "schemaTags")
    entries = [payload, *(tagged if isinstance(tagged, list) else ())]
    names = {tag for entry in entries for tag in _strings(_member(entry, "tags"))}
    return tuple(sorted(names))


def _strings(value: Json) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _kept(value: Json) -> str:
    return canonical(value) if isinstance(value, dict) and value else ""


def _association(entry: Json, origin: Origin, asked: str) -> Association | None:
    role = _ROLES.get(_text(entry, "associationType").lower())
    topic = _text(entry, "resourceName")
    if role is None or not topic or (_text(entry, "resourceType") or "topic").lower() != "topic":
        return None
    context, subject = seen_subject(asked, origin.kind)
    return Association(
        source=origin.source, context=context, subject=SubjectName(subject), topic=TopicName(topic), role=role
    )


def _list(payload: Json, what: str) -> list[Json]:
    if not isinstance(payload, list):
        raise PayloadUnexpected(f"the answer is not a list of {what}", hint=_HINT)
    return payload


def _is_number(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
