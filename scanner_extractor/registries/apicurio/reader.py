"""Parse the JSON of Apicurio's core API (v3, v2, and export entities) to schema versions."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO

from scanner_extractor.http.messages import Json
from scanner_extractor.naming.subjects import artifact_reference, artifact_subject
from scanner_extractor.registries.result import (
    BadRow,
    RegistryContent,
    Row,
    RowError,
    bad_row,
    details,
    items,
    key_of,
    member,
    needed_number,
    needed_text,
    text,
    unread_subjects,
)
from scanner_extractor.schemas.references import LATEST
from scanner_model.documents.json_input import MOST_VALUES, load_json
from scanner_model.errors import NotFound, PayloadUnexpected, ScannerError
from scanner_model.names import SourceId, SubjectName
from scanner_model.schemas import Reference, SchemaVersion, qualified_subject

SubjectKey = tuple[str, SubjectName]
Labels = tuple[tuple[str, str | None], ...]

DRAFT = "DRAFT"


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """User metadata of an artifact or a version; empty where there is none."""

    name: str = ""
    description: str = ""
    owner: str = ""
    labels: Labels = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """An artifact as it is listed; *group* as the server writes it, empty for the default one."""

    group: str
    name: str
    format: str
    described: Described

    @property
    def key(self) -> SubjectKey:
        """Return context and subject of its versions."""
        context, subject = artifact_subject(self.group, self.name)
        return context, SubjectName(subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedVersion:
    """A version as it is listed, without its text; *label* is Apicurio's version text."""

    artifact: Artifact
    label: str
    global_id: int
    content_id: int
    state: str
    described: Described


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """A reference as Apicurio writes it; an empty *label* means the newest version."""

    name: str
    group: str
    artifact: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A text and what it refers to; versions that share it share its id."""

    text: str
    pointers: tuple[Pointer, ...] = ()


def read_artifact(payload: Json) -> Artifact:
    """Read one entry of `/search/artifacts`; raises RowError."""
    name = text(payload, "artifactId") or needed_text(payload, "id", "artifact id")
    kind = (text(payload, "artifactType") or text(payload, "type")).upper()
    return Artifact(group=text(payload, "groupId"), name=name, format=kind, described=_described(payload))


def read_listed_version(payload: Json, source: SourceId, artifact: Artifact | None = None) -> ListedVersion | BadRow:
    """Read one version; *artifact* supplies what the version list of one artifact omits."""
    try:
        own = artifact or read_artifact(payload)
        if not own.format:
            raise RowError("it has no artifact type")
        return ListedVersion(
            artifact=own,
            label=needed_text(payload, "version", "version"),
            global_id=needed_number(payload, "globalId", "globalId"),
            content_id=needed_number(payload, "contentId", "contentId"),
            state=text(payload, "state").upper(),
            described=_described(payload),
        )
    except RowError as wrong:
        known = qualified_subject(*artifact.key) if artifact else ""
        name = known or text(payload, "artifactId") or text(payload, "id")
        return bad_row(source, name, wrong, payload)


def read_content(body: bytes, references: Json) -> Content:
    """Read a text and its references; raises PayloadUnexpected for a text that is not UTF-8, or other references."""
    try:
        return Content(text=body.decode("utf-8"), pointers=tuple(map(_pointer, references or [])))
    except UnicodeDecodeError as error:
        raise PayloadUnexpected("its text is not UTF-8") from error
    except (RowError, TypeError) as error:
        raise PayloadUnexpected(f"its references cannot be read: {error}") from error


def page(payload: Json, name: str) -> tuple[list[Json], int]:
    """Read a page's entries and how many there are in all; raises PayloadUnexpected."""
    count = member(payload, "count")
    if not isinstance(count, int) or not isinstance(member(payload, name), list):
        hint = "is this Apicurio's API? check `url` and `type`"
        raise PayloadUnexpected(f"the response is not a page of {name}", hint=hint)
    return items(payload, name), count


def _described(payload: Json) -> Described:
    return Described(
        name=text(payload, "name"),
        description=text(payload, "description"),
        owner=text(payload, "owner") or text(payload, "createdBy"),
        labels=_labels(payload),
    )


def _labels(payload: Json) -> Labels:
    """Read labels; in v2 they were `properties`, and `labels` a list of words, which became labels without a value."""
    labels: dict[str, str | None] = {word: None for word in items(payload, "labels") if isinstance(word, str)}
    for name in ("labels", "properties"):
        pairs = member(payload, name)
        for key, value in pairs.items() if isinstance(pairs, dict) else ():
            labels[key] = value if isinstance(value, str) else None
    return tuple(sorted(labels.items()))


def _pointer(payload: Json) -> Pointer:
    return Pointer(
        name=needed_text(payload, "name", "name"),
        group=text(payload, "groupId"),
        artifact=needed_text(payload, "artifactId", "artifact id"),
        label=text(payload, "version"),
    )


Numbers = Mapping[tuple[str, SubjectName, str], int]
"""The number of each version, by context, subject and label."""

UNKNOWN = 0
"""The number in a reference to a version that is not there; no version has it."""

_ORDINARY = "ENABLED"
_DISABLED = "DISABLED"
_NO_TEXT = NotFound("the registry gives no text for it", status=404)


def assemble(
    source: SourceId,
    listed: Sequence[ListedVersion],
    contents: Mapping[int, Content | ScannerError],
    artifacts: Mapping[SubjectKey, Described],
) -> RegistryContent:
    """Put versions and texts together; a version whose text could not be read is reported."""
    numbers = numbered(listed)
    rows: list[Row] = []
    errors: list[tuple[str, ScannerError]] = []
    for listed_version in listed:
        content = contents.get(listed_version.content_id, _NO_TEXT)
        if isinstance(content, ScannerError):
            errors.append((qualified_subject(*listed_version.artifact.key), content))
        else:
            rows.append(Row(version=_version(source, listed_version, content, numbers, artifacts)))
    return RegistryContent(rows={key_of(row.version): row for row in rows}) + unread_subjects(source, errors)


def numbered(listed: Iterable[ListedVersion]) -> Numbers:
    """Number the versions of each artifact.

    A label is any text. One that is a number, greater than those before it, is that number, as Apicurio labels
    versions itself; any other is the number after the one before it, in the order of registration.
    """
    numbers: dict[tuple[str, SubjectName, str], int] = {}
    last: dict[SubjectKey, int] = {}
    for version in sorted(listed, key=lambda version: version.global_id):
        key = version.artifact.key
        before = last.get(key, 0)
        own = _number(version.label)
        last[key] = own if own > before else before + 1
        numbers[*key, version.label] = last[key]
    return numbers


def _version(
    source: SourceId,
    listed: ListedVersion,
    content: Content,
    numbers: Numbers,
    artifacts: Mapping[SubjectKey, Described],
) -> SchemaVersion:
    context, subject = listed.artifact.key
    number = numbers[context, subject, listed.label]
    return SchemaVersion(
        source=source,
        context=context,
        subject=subject,
        version=number,
        schema_id=str(listed.content_id),
        format=listed.artifact.format,
        text=content.text,
        references=tuple(_references(content.pointers, context, numbers)),
        metadata=details(
            globalId=listed.global_id,
            version="" if listed.label == str(number) else listed.label,
            artifact=_description_members(artifacts.get((context, subject), Described())),
            **_description_members(listed.described),
        ),
        # Apicurio's compatible API deletes a version softly by disabling it.
        deleted=listed.state == _DISABLED,
        state="" if listed.state == _ORDINARY else listed.state,
    )


def _references(pointers: Iterable[Pointer], context: str, numbers: Numbers) -> Iterator[Reference]:
    for pointer in pointers:
        own, artifact = artifact_subject(pointer.group, pointer.artifact)
        number = numbers.get((own, SubjectName(artifact), pointer.label), _number(pointer.label) or UNKNOWN)
        yield Reference(
            name=pointer.name,
            subject=SubjectName(artifact_reference(pointer.group, pointer.artifact, context)),
            version=number if pointer.label else LATEST,
        )


def _description_members(described: Described) -> dict[str, Json]:
    members = {
        "name": described.name,
        "description": described.description,
        "owner": described.owner,
        "labels": dict(described.labels),
    }
    return {name: value for name, value in members.items() if value}


def _number(label: str) -> int:
    """Return the number that a label is written as; 0 where it is none, or larger than a dictionary holds."""
    return int(label) if label.isascii() and label.isdecimal() and len(label) < 10 and label[0] != "0" else 0


def described(artifacts: Iterable[Artifact]) -> Mapping[SubjectKey, Described]:
    """Return the user metadata of each artifact."""
    return {artifact.key: artifact.described for artifact in artifacts}


_HINT = "the lists were read instead, which takes more requests"
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    RuntimeError,  # an encrypted entry, RecursionError among them
    EOFError,
    KeyError,
    ValueError,
    NotImplementedError,  # what zipfile raises for a compression that it does not know
)
_DATA = (".Content.json", ".Content.data")
_ENTRY = b"PK\x01\x02"
_MOST_ENTRIES = 500_000
"""Entries of an export, at most: each takes half a kilobyte of memory before anything of it is read."""
_COMPRESSIONS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""What Java writes, and Apicurio therefore; Python inflates any other without a bound."""


Exported = tuple[list[ListedVersion | BadRow], Mapping[int, Content | ScannerError], list[Artifact]]
"""Every version, every text by its content's id, and every artifact."""


def read_export(archive: bytes, source: SourceId, most: int) -> Exported:
    """Read an export; raises PayloadUnexpected for an unknown archive.

    *most* bounds the bytes that it inflates to, regardless of its headers.
    """
    if archive.count(_ENTRY) > _MOST_ENTRIES:
        raise PayloadUnexpected(f"the export has more than {_MOST_ENTRIES} entries", hint=_HINT)
    try:
        with zipfile.ZipFile(BytesIO(archive)) as opened:
            export = _Export(opened, most)
            export.check_announced()
            artifacts = {_subject_key(entity): read_artifact(entity) for entity in export.entities(".Artifact.json")}
            return _listed_versions(export, source, artifacts), dict(_contents(export)), list(artifacts.values())
    except _DAMAGED as error:
        raise PayloadUnexpected(f"the export cannot be read: {error}", hint=_HINT) from error


class _Export:
    """The entries of an archive; all that is read of them together is bounded, in bytes and in values of JSON."""

    def __init__(self, opened: zipfile.ZipFile, most: int) -> None:
        self._opened = opened
        self._most = self._left = most
        self._values = 2 * MOST_VALUES
        self.names = opened.namelist()

    def check_announced(self) -> None:
        """Raise PayloadUnexpected where the headers declare it as too large; they may understate it."""
        if sum(entry.file_size for entry in self._opened.infolist()) > self._most:
            raise self._too_large()

    def _too_large(self) -> PayloadUnexpected:
        return PayloadUnexpected(f"the export inflates to more than {self._most} bytes", hint=_HINT)

    def read(self, name: str) -> bytes:
        """Read an entry; raises PayloadUnexpected where all that was read is too large."""
        entry = self._opened.getinfo(name)
        if entry.compress_type not in _COMPRESSIONS:
            raise PayloadUnexpected("the export is compressed in a way that Apicurio does not use", hint=_HINT)
        with self._opened.open(entry) as stream:
            body = stream.read(self._left + 1)
        self._left -= len(body)
        if self._left < 0:
            raise self._too_large()
        return body

    def json(self, name: str) -> Json:
        """Read an entry as JSON."""
        body = self.read(name)
        self._values -= sum(map(body.count, (b",", b":", b"{", b"[")))
        if self._values < 0:
            raise PayloadUnexpected(f"the export has more than {2 * MOST_VALUES} values", hint=_HINT)
        return load_json(body).value

    def entities(self, ending: str) -> Iterator[Json]:
        """Read the entries whose names end so."""
        return (self.json(name) for name in self.names if name.endswith(ending))


def _listed_versions(
    export: _Export, source: SourceId, artifacts: Mapping[tuple[str, str], Artifact]
) -> list[ListedVersion | BadRow]:
    versions = export.entities(".ArtifactVersion.json")
    listed = [read_listed_version(entity, source, artifacts.get(_subject_key(entity))) for entity in versions]
    if not listed and any(name.endswith(_DATA[0]) for name in export.names):
        raise PayloadUnexpected("the export has texts and no versions", hint=_HINT)
    return listed


def _contents(export: _Export) -> Iterator[tuple[int, Content | ScannerError]]:
    for name in export.names:
        if not name.endswith(_DATA[0]):
            continue
        entity = export.json(name)
        number = member(entity, "contentId")
        references = text(entity, "serializedReferences")
        body = export.read(name.removesuffix(_DATA[0]) + _DATA[1])
        if isinstance(number, int):
            yield number, _content(body, references)


def _content(body: bytes, references: str) -> Content | ScannerError:
    try:
        return read_content(body, load_json(references.encode()).value if references else [])
    except PayloadUnexpected as error:
        return error


def _subject_key(entity: Json) -> tuple[str, str]:
    return text(entity, "groupId"), text(entity, "artifactId")
