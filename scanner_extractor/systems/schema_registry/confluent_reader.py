"""Confluent-compatible registries: one method, one request; their JSON as schema rows, names, numbers, associations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from scanner_extractor.evolution.configured import SubjectConfig
from scanner_extractor.http.client import Http
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
    """Read a subject's compatibility level, and behind it what else decides: `BACKWARD LENIENT alias=orders-value`.

    Raises PayloadUnexpected for anything else.
    """
    answer = Payload(payload)
    config = SubjectConfig(
        level=answer.need("compatibilityLevel").text(),
        policy=answer.text("compatibilityPolicy"),
        group=answer.text("compatibilityGroup"),
        alias=answer.text("alias"),
        validate_fields=answer.flag("validateFields"),
    )
    return str(config)


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


Params = list[tuple[str, str | int]]

PAGE = 1000
"""Page size: the usual maximum, and the default of servers since 7.4.1."""

EVERY_CONTEXT = ":*:"

_ACCEPT = "application/vnd.schemaregistry.v1+json, application/json; q=0.9"
_DELETED: Params = [("deleted", "true")]


class ConfluentClient:
    """Client of one registry; *base* are the steps of its API's path that `url` does not name.

    Every method raises what `Http` raises, and PayloadUnexpected for an answer of another shape.
    """

    def __init__(self, http: Http, origin: Origin, base: tuple[str, ...] = ()) -> None:
        self._http = http
        self._base = base
        self.origin = origin

    def schemas(
        self, offset: int, *, deleted: bool, prefix: str = "", known: Known = NOTHING
    ) -> tuple[Row | BadRow, ...]:
        """Return a page of all schemas (since 6.1); without *prefix* Confluent returns the default context only.

        A row that is *known* is reused.
        """
        return read_rows(self._get("schemas", params=_page(offset, prefix) + _deleted(deleted)), self.origin, known)

    def associated(self, offset: int, *, prefix: str) -> tuple[Row | BadRow, ...]:
        """Return a page of the newest schemas whose subjects are associated with a topic (since 8.2)."""
        only: Params = [("latestOnly", "true"), ("resourceType", "topic")]
        return read_rows(self._get("schemas", params=_page(offset, prefix) + only), self.origin)

    def subjects(self, offset: int, *, deleted: bool, limit: int | None = None) -> tuple[str, ...]:
        """List subjects of every context; servers before 7.9 ignore *offset* and *limit*."""
        window = _start(offset) if limit is None else [("offset", offset), ("limit", limit)]
        return read_names(self._get("subjects", params=window + _deleted(deleted)))

    def contexts(self, offset: int) -> tuple[str, ...]:
        """List the contexts that schemas were registered in, and the default one (since 7.0)."""
        return read_names(self._get("contexts", params=_start(offset)))

    def versions(self, subject: str, offset: int = 0, *, deleted: bool) -> tuple[int, ...]:
        """List the numbers of a subject's versions; servers before 7.9.2 ignore *offset*."""
        return read_numbers(self._get("subjects", subject, "versions", params=_deleted(deleted) + _start(offset)))

    def version(self, subject: str, number: int, *, deleted: bool) -> Row | BadRow:
        """Return one version; -1 is the newest. With *deleted* it may be a soft-deleted one."""
        payload = self._get("subjects", subject, "versions", _number(number), params=_deleted(deleted))
        return read_row(Payload(payload), self.origin, requested=(subject, number))

    def associations(self, subject: str) -> tuple[Association, ...]:
        """List the topics that a subject is associated with (since 8.2)."""
        entries = Payload(self._get("associations", "subjects", subject)).list()
        return read_associations(entries, self.origin, subject)

    def compatibility(self, subject: str) -> str:
        """Return the compatibility level, and policy, that holds for a subject: its own, else the registry's."""
        return read_level(self._get("config", subject, params=[("defaultToGlobal", "true")]))

    def alias(self, subject: str) -> str:
        """Return the subject that *subject* is an alias of, empty for none; raises NotFound without configuration."""
        return Payload(self._get("config", subject)).text("alias")

    def server_version(self) -> str:
        """Return the version of the registry's program (since 7.0), as `8.3.1` or `7.9.0-ccs`."""
        return Payload(self._get("v1", "metadata", "version")).need("version").text()

    def _get(self, *segments: str | int, params: Params | None = None) -> Json:
        return self._http.get(*self._base, *segments, params=params or [], accept=_ACCEPT)


def _page(offset: int, prefix: str) -> Params:
    within: Params = [("subjectPrefix", prefix)] if prefix else []
    return [*within, ("offset", offset), ("limit", PAGE)]


def _start(offset: int) -> Params:
    return [("offset", offset)] if offset else []


def _deleted(deleted: bool) -> Params:
    return _DELETED if deleted else []


def _number(number: int) -> int | str:
    return "latest" if number == LATEST else number
