"""Parse the JSON of Confluent-compatible registries: schema rows, names, numbers, associations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

from scanner_extractor.http.messages import Json
from scanner_extractor.naming.subjects import parse_subject
from scanner_extractor.registries.result import (
    BadRow,
    Row,
    RowError,
    bad_row,
    canonical,
    member,
    needed_number,
    needed_text,
    text,
)
from scanner_extractor.schemas.references import LATEST
from scanner_model.errors import PayloadUnexpected
from scanner_model.names import Role, SourceId, SubjectName, TopicName
from scanner_model.redaction import mask_sensitive
from scanner_model.schemas import Association, Reference, SchemaVersion, qualified_subject

_ROLES = {"key": Role.KEY, "value": Role.VALUE}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_HINT = "is this the registry's API? check `url` and `type`"


Known = Mapping[tuple[str, int], Row]
"""Rows by subject, with its context before it where that is not the default one, and version."""

NOTHING: Known = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The registry that a payload is from; *kind* decides whether `:.ctx:` before a subject is a context.

    *context* is the only one that is read; empty: every one.
    """

    source: SourceId
    kind: str
    context: str = ""


def read_rows(payload: Json, origin: Origin, known: Known = NOTHING) -> tuple[Row | BadRow, ...]:
    """Read a page of `GET /schemas`; a misshapen row costs that row. Raises PayloadUnexpected for no list.

    A row that is *known* is reused, and not parsed again.
    """
    return tuple(_unchanged_row(row, known) or read_row(row, origin) for row in _list(payload, "schemas"))


def read_row(payload: Json, origin: Origin, *, requested: tuple[str, int] | None = None) -> Row | BadRow:
    """Read one schema row.

    *requested* are the requested subject and version. They fill in what the response omits, and the subject also
    replaces the response's: for an alias, a registry returns the subject *behind* it.
    """
    subject = requested[0] if requested else member(payload, "subject")
    try:
        return _row(payload, origin, subject, requested[1] if requested else None)
    except RowError as wrong:
        name = qualified_subject(*parse_subject(subject, origin.kind)) if isinstance(subject, str) else ""
        return bad_row(origin.source, name, wrong, payload)


def read_names(payload: Json) -> tuple[str, ...]:
    """Read a list of subjects. Raises PayloadUnexpected for anything else."""
    names = _list(payload, "subjects")
    if not all(isinstance(name, str) for name in names):
        raise PayloadUnexpected("the list of subjects has entries that are not names", hint=_HINT)
    return tuple(names)


def read_numbers(payload: Json) -> tuple[int, ...]:
    """Read a subject's list of versions. Raises PayloadUnexpected for anything else."""
    numbers = _list(payload, "versions")
    if not all(_is_number(number) for number in numbers):
        raise PayloadUnexpected("the list of versions has entries that are not numbers", hint=_HINT)
    return tuple(sorted(set(numbers)))


def read_level(payload: Json) -> str:
    """Read a subject's compatibility level, with its policy behind it where that is LENIENT: `BACKWARD LENIENT`.

    Raises PayloadUnexpected for anything else.
    """
    level, policy = member(payload, "compatibilityLevel"), member(payload, "compatibilityPolicy")
    if not isinstance(level, str):
        raise PayloadUnexpected("the response holds no compatibility level", hint=_HINT)
    return f"{level} LENIENT" if policy == "LENIENT" else level


def read_associations(payload: Json, origin: Origin, subject: str) -> tuple[Association, ...]:
    """Read the topics that *subject* is associated with; other resources than topics are ignored."""
    entries = payload if isinstance(payload, list) else []
    return tuple(association for entry in entries if (association := _association(entry, origin, subject)))


def _row(payload: Json, origin: Origin, name: Json, number: int | None) -> Row:
    if not isinstance(name, str):
        raise RowError("it has no subject")
    context, subject = parse_subject(name, origin.kind)
    version = SchemaVersion(
        source=origin.source,
        context=context,
        subject=SubjectName(subject),
        version=_version(payload, number),
        schema_id=str(needed_number(payload, "id", "id")),
        format=(text(payload, "schemaType") or "AVRO").upper(),  # the oldest format is left unsaid
        text=needed_text(payload, "schema", "schema text"),
        guid=text(payload, "guid"),
        references=tuple(_references(payload)),
        metadata=_metadata(member(payload, "metadata")),
        rule_set=_object_text(member(payload, "ruleSet") or member(payload, "ruleset")),
        tags=_tags(payload),
        deleted=member(payload, "deleted") is True,
        registered_at=_time(member(payload, "ts")),
    )
    links = read_associations(member(payload, "associations"), origin, name)
    answered = text(payload, "subject") or name
    behind = "" if parse_subject(answered, origin.kind) == (context, subject) else answered
    flagged = isinstance(member(payload, "deleted"), bool)
    return Row(version=version, associations=links, flagged=flagged, behind=behind)


def _unchanged_row(payload: Json, known: Known) -> Row | None:
    subject, version = member(payload, "subject"), member(payload, "version")
    return known.get((subject, version)) if known and isinstance(subject, str) and _is_number(version) else None


def _version(payload: Json, requested: int | None) -> int:
    value = member(payload, "version")
    if isinstance(value, int) and _is_number(value):
        return value
    if requested is None or requested == LATEST:
        raise RowError("it has no version")
    return requested


def _references(payload: Json) -> Iterator[Reference]:
    references = member(payload, "references") or []
    if not isinstance(references, list):
        raise RowError("its references are not a list")
    for entry in references:
        match entry:
            case {"name": str(name), "subject": str(subject), "version": int(version)}:
                yield Reference(name=name, subject=SubjectName(subject), version=version)
            case _:
                raise RowError("one of its references lacks name, subject or version")


def _tags(payload: Json) -> tuple[str, ...]:
    """Gather the names of tags that the registry lists beside a schema, whichever part of it they are on."""
    tagged = member(payload, "schemaTags")
    entries = [payload, *(tagged if isinstance(tagged, list) else ())]
    names = {tag for entry in entries for tag in _strings(member(entry, "tags"))}
    return tuple(sorted(names))


def _strings(value: Json) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _metadata(value: Json) -> str:
    """Return metadata as JSON text; the registry encrypts its sensitive properties, and answers in clear."""
    return _object_text(mask_sensitive(value)) if isinstance(value, dict) else ""


def _time(milliseconds: Json) -> str:
    """Return a time of a registry's as ISO 8601 in UTC; empty for anything else, or a time that no calendar has."""
    if not isinstance(milliseconds, int) or isinstance(milliseconds, bool):
        return ""
    try:
        return (_EPOCH + timedelta(milliseconds=milliseconds)).isoformat(timespec="milliseconds")
    except OverflowError:
        return ""


def _object_text(value: Json) -> str:
    return canonical(value) if isinstance(value, dict) and value else ""


def _association(entry: Json, origin: Origin, requested: str) -> Association | None:
    role = _ROLES.get(text(entry, "associationType").lower())
    topic = text(entry, "resourceName")
    if role is None or not topic or (text(entry, "resourceType") or "topic").lower() != "topic":
        return None
    context, subject = parse_subject(requested, origin.kind)
    return Association(
        source=origin.source,
        context=context,
        subject=SubjectName(subject),
        topic=TopicName(topic),
        role=role,
        namespace=text(entry, "resourceNamespace"),
    )


def _list(payload: Json, what: str) -> list[Json]:
    if not isinstance(payload, list):
        raise PayloadUnexpected(f"the response is not a list of {what}", hint=_HINT)
    return payload


def _is_number(value: Json) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
