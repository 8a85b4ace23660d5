"""Parse the JSON of Confluent-compatible registries: schema rows, names, numbers, associations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from scanner_extractor.http.messages import Json
from scanner_extractor.naming.subjects import parse_subject
from scanner_extractor.registries.result import (
    BadRow,
    Row,
    bad_row,
)
from scanner_extractor.schemas.references import LATEST
from scanner_model.errors import PayloadUnexpected
from scanner_model.names import Role, SourceId, SubjectName, TopicName
from scanner_model.payload import Payload, canonical
from scanner_model.redaction import mask_sensitive
from scanner_model.schemas import Association, Reference, SchemaVersion, qualified_subject

_ROLES = {"key": Role.KEY, "value": Role.VALUE}


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
    rows = Payload(payload).list()
    return tuple(_unchanged_row(row.value, known) or read_row(row, origin) for row in rows)


def read_row(row: Payload, origin: Origin, *, requested: tuple[str, int] | None = None) -> Row | BadRow:
    """Read one schema row.

    *requested* are the requested subject and version. They fill in what the response omits, and the subject also
    replaces the response's: for an alias, a registry returns the subject *behind* it.
    """
    subject, number = requested or (row.shown("subject"), None)
    try:
        return _row(row, origin, subject or row.need("subject").text(), number)
    except PayloadUnexpected as error:
        name = qualified_subject(*parse_subject(subject, origin.kind)) if subject else ""
        return bad_row(origin.source, name, error, row)


def read_names(payload: Json) -> tuple[str, ...]:
    """Read a list of subjects. Raises PayloadUnexpected for anything else."""
    return tuple(name.text() for name in Payload(payload).list())


def read_numbers(payload: Json) -> tuple[int, ...]:
    """Read a subject's list of versions. Raises PayloadUnexpected for anything else."""
    return tuple(sorted({number.number() for number in Payload(payload).list()}))


def read_level(payload: Json) -> str:
    """Read a subject's compatibility level. Raises PayloadUnexpected for anything else."""
    return Payload(payload).need("compatibilityLevel").text()


def read_associations(entries: Iterable[Payload], origin: Origin, subject: str) -> tuple[Association, ...]:
    """Read the topics that *subject* is associated with; other resources than topics are ignored."""
    return tuple(association for entry in entries if (association := _association(entry, origin, subject)))


def _row(row: Payload, origin: Origin, name: str, requested: int | None) -> Row:
    context, subject = parse_subject(name, origin.kind)
    deleted = row.flag("deleted")
    version = SchemaVersion(
        source=origin.source,
        context=context,
        subject=SubjectName(subject),
        version=_version(row, requested),
        schema_id=str(row.member("id").number()),
        format=(row.text("schemaType") or "AVRO").upper(),  # the oldest format is left unsaid
        text=row.member("schema").text(),
        guid=row.text("guid"),
        references=tuple(map(_reference, row.list("references"))),
        metadata=_object_text(mask_sensitive(row.object("metadata").value)),
        rule_set=_object_text(row.object("ruleSet", "ruleset").value),
        tags=_tags(row),
        deleted=deleted,
        registered_at=_time(row),
    )
    answered = row.text("subject") or name
    return Row(
        version=version,
        associations=read_associations(row.list("associations"), origin, name),
        flagged=row.member("deleted").value is not None,
        behind="" if parse_subject(answered, origin.kind) == (context, subject) else answered,
    )


def _unchanged_row(payload: Json, known: Known) -> Row | None:
    subject, version = (payload.get("subject"), payload.get("version")) if isinstance(payload, dict) else (None, None)
    return known.get((subject, version)) if known and isinstance(subject, str) and type(version) is int else None


def _version(row: Payload, requested: int | None) -> int:
    number = row.integer("version")
    return number or (row.need("version").number() if requested in (None, LATEST) else requested)


def _reference(entry: Payload) -> Reference:
    name, subject = entry.member("name").text(), SubjectName(entry.member("subject").text())
    return Reference(name=name, subject=subject, version=entry.member("version").number())


def _tags(row: Payload) -> tuple[str, ...]:
    """Gather the names of tags that the registry lists beside a schema, whichever part of it they are on."""
    return tuple(sorted({tag for entry in (row, *row.list("schemaTags")) for tag in entry.texts("tags")}))


def _time(row: Payload) -> str:
    """Return when a row was registered as ISO 8601 in UTC; empty where that is not said, or no calendar has it."""
    time = row.time("ts")
    return time.isoformat(timespec="milliseconds") if time else ""


def _object_text(value: Json) -> str:
    return canonical(value) if value else ""


def _association(entry: Payload, origin: Origin, requested: str) -> Association | None:
    role = _ROLES.get(entry.text("associationType").lower())
    topic = entry.text("resourceName")
    if role is None or not topic or (entry.text("resourceType") or "topic").lower() != "topic":
        return None
    context, subject = parse_subject(requested, origin.kind)
    return Association(
        source=origin.source,
        context=context,
        subject=SubjectName(subject),
        topic=TopicName(topic),
        role=role,
        namespace=entry.text("resourceNamespace"),
    )
